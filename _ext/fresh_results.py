"""Run a chapter again when what is behind it changes, and no other chapter.

The execution cache looks at the cells alone: after a change in `lenient/`, of a stored
result or of a pinned version, it would show the old numbers. So each chapter has a key, like
the stored results: a comment, a docstring or a style sheet is not part of it.
"""

import ast
import hashlib
import json
import os
import platform
from pathlib import Path

import nbformat
from IPython.core.inputtransformer2 import TransformerManager
from jupyter_cache import get_cache

from lenient_book.experiments.key import closure, file_of, imported_modules, key_digest

STORE = "lenient_book.experiments.store"
RESULTS = "chapters/results"


# ---- the key of a chapter ------------------------------------------------------------
def chapter_key(notebook, root):
    """A digest of all that the outputs of a chapter are made from besides its own cells."""
    code = chapter_code(notebook, root)
    files = [file_of(module, root) for module in code]
    folders = sorted({file.parent for file in files if file})
    made_from = {
        "code": code,
        "data": [digests(data_files(folder)) for folder in folders],
        "results": digests(Path(root, RESULTS).glob("*.json")) if STORE in code else {},
        "versions": [platform.python_version(), *pins(root)],
    }
    return key_digest(made_from)


def chapter_code(notebook, root):
    """{module: digest} of all that the cells import, directly or not."""
    cells = nbformat.read(notebook, as_version=4).cells
    sources = [python(cell.source) for cell in cells if cell.cell_type == "code"]
    modules = {name for text in sources for name in imported_modules(text, root=root)}
    return closure(modules, root).code


def python(source):
    """A cell without IPython's own syntax; nothing if it is in another language."""
    if source.startswith("%%"):
        source = source.partition("\n")[2]
    source = TransformerManager().transform_cell(source)
    try:
        ast.parse(source)
    except SyntaxError:
        return ""
    return source


def data_files(folder):
    """What lies beside the modules of a package, such as scripts for the page."""
    for path in sorted(folder.iterdir()):
        if path.is_dir():
            if path.name != "__pycache__" and not (path / "__init__.py").exists():
                yield from data_files(path)
        elif path.suffix != ".py":
            yield path


def digests(files):
    return {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in files}


def pins(root):
    """The pinned versions, without the comments beside them."""
    lines = Path(root, "requirements.txt").read_text("utf-8").splitlines()
    return [pin for line in lines if (pin := line.partition("#")[0].strip())]


# ---- the build -----------------------------------------------------------------------
def outdated_chapters(app, env, added, changed, removed):
    """The chapters that Sphinx is to read again although their own files are the same."""
    notebooks = {name: env.doc2path(name) for name in env.found_docs}
    notebooks = {name: path for name, path in notebooks.items() if path.endswith(".ipynb")}
    keys = {name: chapter_key(path, app.srcdir) for name, path in notebooks.items()}
    cache = env.mystnb_config.execution_cache_path
    forget_outdated_runs(cache, {notebooks[name]: key for name, key in keys.items()})
    before = getattr(env, "chapter_keys", {})
    env.chapter_keys = keys  # kept with the pages, if all of them could be read
    return [name for name, key in keys.items() if before.get(name) != key]


def forget_outdated_runs(folder, keys):
    """Remove from the cache what was not run with these keys, by notebook.

    The keys are written down after that: a build that is stopped in between forgets once
    more, and one that is stopped later finds nothing in the cache that is too old.
    """
    file, cache = Path(folder, "keys.json"), get_cache(folder)
    before = json.loads(file.read_text("utf-8")) if file.exists() else {}
    fresh = {path for path, key in keys.items() if before.get(path) == key}
    try:
        for record in cache.list_cache_records():
            if record.uri not in fresh:
                cache.remove_cache(record.pk)
    except KeyError:  # a record without its notebook: the cache was stopped while writing
        cache.clear_cache()
    file.parent.mkdir(parents=True, exist_ok=True)
    draft = file.with_suffix(".draft")
    draft.write_text(json.dumps(keys, indent=1), "utf-8")
    os.replace(draft, file)


def setup(app):
    app.connect("env-get-outdated", outdated_chapters)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
