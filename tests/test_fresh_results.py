"""A chapter is run again when what is behind it changes, and no other."""

import subprocess
import sys

import nbformat
import pytest
from jupyter_cache import get_cache
from support.book import hook
from support.paths import ROOT

fresh_results = hook("fresh_results")

CONF = f"""
import sys
sys.path.insert(0, {str(ROOT / "_ext")!r})
extensions = ["myst_nb", "fresh_results"]
nb_execution_mode = "cache"
nb_execution_raise_on_error = True
exclude_patterns = ["_build"]
"""
# A notebook that writes down that it was run, in a folder from which `lenient` is imported.
CELL = """%%time
import sys
sys.path.insert(0, "..")
with open("../runs.txt", "a") as file:
    print("{name}", file=file)
"""


@pytest.fixture
def tree(tmp_path):
    """A tiny book: one chapter with a bit of code behind it, one without."""
    (tmp_path / "chapters" / "results").mkdir(parents=True)
    (tmp_path / "lenient").mkdir()
    (tmp_path / "lenient" / "__init__.py").write_text("EPS = 0.1\n")
    (tmp_path / "requirements.txt").write_text("numpy==2.4.6  # via lenient\n")
    (tmp_path / "conf.py").write_text(CONF)
    pages = "# Book\n\n```{toctree}\nchapters/with\nchapters/without\n```\n"
    (tmp_path / "index.md").write_text(pages)
    for name, more in [("with", "import lenient\nprint(lenient.EPS)"), ("without", "1")]:
        title = nbformat.v4.new_markdown_cell(f"# {name}")
        code = nbformat.v4.new_code_cell(CELL.format(name=name) + more)
        notebook = nbformat.v4.new_notebook(cells=[title, code])
        notebook.metadata["kernelspec"] = {"name": "python3", "display_name": "Python 3"}
        nbformat.write(notebook, tmp_path / "chapters" / f"{name}.ipynb")
    return tmp_path


def test_a_build_runs_what_is_outdated_and_nothing_else(tree):
    def ran():
        """What a build runs."""
        (tree / "runs.txt").write_text("")
        build = [sys.executable, "-m", "sphinx", "-q", tree, tree / "_build" / "html"]
        done = subprocess.run(build, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        return sorted((tree / "runs.txt").read_text().split())

    def shown():
        return (tree / "_build" / "html" / "chapters" / "with.html").read_text("utf-8")

    assert ran() == ["with", "without"]
    assert ran() == []
    module = tree / "lenient" / "__init__.py"
    module.write_text('"""A docstring."""\n\nEPS = 0.1  # and a comment\n')
    assert ran() == []
    module.write_text("EPS = 0.625\n")
    assert ran() == ["with"] and "0.625" in shown()
    # What was run before with other code is not taken from the cache.
    module.write_text("EPS = 0.1\n")
    assert ran() == ["with"] and "0.625" not in shown()
    # A build that was stopped as soon as it knew what to run.
    module.write_text("EPS = 0.375\n")
    notebooks = {path: str(path) for path in (tree / "chapters").glob("*.ipynb")}
    keys = {name: fresh_results.chapter_key(path, tree) for path, name in notebooks.items()}
    cache = tree / "_build" / ".jupyter_cache"
    fresh_results.forget_outdated_runs(cache, keys)
    assert len(get_cache(cache).list_cache_records()) == 1
    assert ran() == ["with"] and "0.375" in shown()


# ---- the key of a chapter ------------------------------------------------------------
def test_the_key_of_a_chapter(tree):
    def key(name="with"):
        return fresh_results.chapter_key(tree / "chapters" / f"{name}.ipynb", tree)

    keys = [key()]

    def changed():
        keys.append(key())
        return keys[-1] != keys[-2]

    (tree / "lenient" / "data").mkdir()
    (tree / "lenient" / "data" / "published.json").write_text("{}")
    assert changed()
    (tree / "requirements.txt").write_text("numpy==2.4.6  # for another reason\n")
    assert not changed()
    (tree / "requirements.txt").write_text("numpy==2.4.7\n")
    assert changed()
    (tree / "lenient" / "__pycache__").mkdir()
    (tree / "lenient" / "__pycache__" / "gaps.pyc").write_bytes(b"compiled")
    (tree / "lenient" / "gaps.py").write_text("nobody_imports = this\n")
    (tree / "chapters" / "results" / "low.json").write_text("{}")
    assert not changed()  # this chapter shows no stored result
    assert "lenient" not in fresh_results.chapter_code(tree / "chapters/without.ipynb", tree)


@pytest.mark.parametrize(
    "cell, imports",
    [
        ("%matplotlib inline\nimport lenient", ["lenient"]),
        ("%%time\nimport lenient.leap as leap", ["lenient.leap"]),
        ("!ls\nfiles = !ls\nfrom lenient import leap", ["lenient.leap"]),
        ("lenient.simulate?\nimport lenient", ["lenient"]),
        ("%%bash\nfor f in *; do import $f; done", []),
        ("await f()\nimport lenient", ["lenient"]),
    ],
)
def test_cells_in_the_language_of_ipython_are_understood(cell, imports):
    found = fresh_results.imported_modules(fresh_results.python(cell))
    assert sorted({*found} - {"time"}) == imports


def test_a_module_that_is_gone_is_a_change(tree):
    notebook = tree / "chapters" / "with.ipynb"
    before = fresh_results.chapter_key(notebook, tree)
    (tree / "lenient" / "__init__.py").unlink()
    assert fresh_results.chapter_key(notebook, tree) != before
