"""The book as its settings describe it."""

import importlib.util

import yaml

from support.paths import ROOT

MADE_BY_SPHINX = {"index.html", "search.html"}


def toc_pages(node=None):
    """Names of all pages in _toc.yml, in reading order."""
    if node is None:
        node = yaml.safe_load((ROOT / "_toc.yml").read_text("utf-8"))
    names = [node[key] for key in ("root", "file") if key in node]
    for key in ("parts", "chapters", "sections"):
        for child in node.get(key) or []:
            names += toc_pages(child)
    return names


def hook(name):
    """A module of _ext/."""
    spec = importlib.util.spec_from_file_location(name, ROOT / "_ext" / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
