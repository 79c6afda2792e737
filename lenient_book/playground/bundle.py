"""The page's engine and views as one script: the module files, joined in a fixed order.

A page that is opened from a folder may load a classic script, but neither ES modules by
their addresses nor a worker from a file. So the lines that import and export are taken out,
and what is left is one text. The model becomes a function, so that the page can start a
worker from its text. There is nothing else to build.
"""

import re
from functools import cache
from pathlib import Path

FOLDER = Path(__file__).parent
MODEL = """exact divergence gaps bounds rng beta policies duel leap blocks runs worker
  setting game summary"""
VIEWS = """dom chart tasks street mosaic beliefs panel many playground cover formulas
  diner belief longrun predict start"""

_IMPORT = re.compile(r"^import\b[^;]*;\n", re.MULTILINE)
_EXPORT = re.compile(r"^export (?=(?:async )?(?:function\*?|class|const|let) )", re.MULTILINE)
_NAME = re.compile(r"^export (?:async )?(?:function\*?|class|const|let) (\w+)", re.MULTILINE)


def _read(folder, names):
    return [(FOLDER / folder / f"{name}.js").read_text("utf-8") for name in names.split()]


def _names(sources):
    return ", ".join(name for source in sources for name in _NAME.findall(source))


def _join(sources):
    """One after the other, each with a scope of its own: what is not exported stays private."""
    parts = []
    for source in sources:
        code, names = _EXPORT.sub("", _IMPORT.sub("", source)), _names([source])
        parts.append(f"const {{ {names} }} = (() => {{\n{code}return {{ {names} }};\n}})();\n")
    return "".join(parts)


@cache
def model():
    """The model as one function `lenientModel`, which returns all that the files export."""
    sources = _read("model", MODEL)
    return f"function lenientModel() {{\n{_join(sources)}return {{ {_names(sources)} }};\n}}\n"


@cache
def body():
    """Model and views, in one scope."""
    names = _names(_read("model", MODEL))
    return f"{model()}const {{ {names} }} = lenientModel();\n{_join(_read('views', VIEWS))}"


def script():
    """A classic script: it brings to life what it finds on its page."""
    return f'(() => {{\n"use strict";\n{body()}start(document);\n}})();\n'


def module():
    """An ES module for anywidget: `render` puts a view into an element of a notebook."""
    return f"{body()}export default {{ render }};\n"


def style():
    """How it looks."""
    return (FOLDER / "playground.css").read_text("utf-8")
