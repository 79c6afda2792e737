"""Notebooks are run side by side, before the pages are read."""

import subprocess
import sys
from pathlib import Path

import nbformat
import pytest
from support.book import hook
from support.paths import ROOT

execute_ahead = hook("execute_ahead")

CONF = f"""
import sys
sys.path.insert(0, {str(ROOT / "_ext")!r})
extensions = ["myst_nb", "execute_ahead"]
nb_execution_mode = "cache"
nb_execution_raise_on_error = True
exclude_patterns = ["_build"]
"""
# Each says that it is there and waits for the other: one after another they would not end.
MEET = """
import pathlib, time
pathlib.Path("{name}.here").touch()
end = time.monotonic() + 60
while not pathlib.Path("{other}.here").exists():
    assert time.monotonic() < end, "alone"
    time.sleep(0.05)
with open("runs.txt", "a") as file:
    print("{name}", file=file)
print("met", "{other}")
"""


def book(folder, cells):
    """A tiny book with one notebook for each of the cells, by name."""
    (folder / "conf.py").write_text(CONF)
    pages = "\n".join(cells)
    (folder / "index.md").write_text(f"# Book\n\n```{{toctree}}\n{pages}\n```\n")
    for name, source in cells.items():
        title = nbformat.v4.new_markdown_cell(f"# {name}")
        code = nbformat.v4.new_code_cell(source)
        notebook = nbformat.v4.new_notebook(cells=[title, code])
        notebook.metadata["kernelspec"] = {"name": "python3", "display_name": "Python 3"}
        nbformat.write(notebook, folder / f"{name}.ipynb")


def build(folder):
    command = [sys.executable, "-m", "sphinx", "-q", folder, folder / "_build" / "html"]
    return subprocess.run(command, capture_output=True, text=True)


@pytest.mark.skipif(execute_ahead.cores() < 2, reason="on one core they take turns")
def test_two_notebooks_meet(tmp_path):
    pair = {"one": "two", "two": "one"}
    book(tmp_path, {name: MEET.format(name=name, other=other) for name, other in pair.items()})
    done = build(tmp_path)
    assert done.returncode == 0, done.stderr
    # each was run once, and its page shows what it said
    assert sorted((tmp_path / "runs.txt").read_text().split()) == ["one", "two"]
    for name, other in pair.items():
        assert f"met {other}" in (tmp_path / "_build" / "html" / f"{name}.html").read_text()
    assert build(tmp_path).returncode == 0
    assert len((tmp_path / "runs.txt").read_text().split()) == 2


def test_a_notebook_that_fails_is_reported_by_its_page(tmp_path):
    book(tmp_path, {"good": "1 + 1", "bad": "1 / 0"})
    done = build(tmp_path)
    assert done.returncode != 0
    assert "bad.ipynb: WARNING: Executing notebook failed" in done.stderr


def test_long_ones_start_first_and_the_others_keep_their_order():
    chapters = [*(ROOT / "chapters").rglob("*.ipynb")]
    assert {*execute_ahead.LONGEST} < {path.stem for path in chapters}
    first, rest = "07-leap", ["01-why-regret-fails", "recipes", "02-gap-functions"]
    paths = [Path(f"{name}.ipynb") for name in [*rest, first]]
    stems = [path.stem for path in execute_ahead.long_ones_first(paths)]
    assert stems == [first, "recipes", "01-why-regret-fails", "02-gap-functions"]
