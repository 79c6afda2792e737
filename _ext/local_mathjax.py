"""Put MathJax into the book, so that its pages ask no other host for it.

It is copied when the build is done: every script that lies in `_static/` before that
is loaded by every page.
"""

import shutil
from importlib.metadata import distribution
from pathlib import Path

# The program, its fonts, what \require may load, and speech for screen readers.
PARTS = [
    "tex-chtml.js",
    "output/chtml/fonts/woff-v2",
    "input/tex/extensions",
    "a11y",
    "sre/mathmaps/base.json",
    "sre/mathmaps/en.json",
]


def mathjax_files():
    """Folder of MathJax in the package that carries it."""
    package = distribution("sphinx-mathjax-offline")
    return Path(package.locate_file("sphinx-mathjax-offline/static/mathjax"))


def copy_mathjax(app, exception):
    if exception or app.builder.format != "html":
        return
    source, target = mathjax_files(), Path(app.outdir, "_static", "mathjax")
    for part in PARTS:
        if (source / part).is_dir():
            shutil.copytree(source / part, target / part, dirs_exist_ok=True)
        else:
            (target / part).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(source / part, target / part)


def setup(app):
    app.connect("build-finished", copy_mathjax)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
