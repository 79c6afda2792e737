"""Pieces of built pages, found without reading whole pages into a tree.

All pages together have 30 MB, most of it pictures inside scripts: what follows looks at the
tags alone.
"""

import re
from functools import cache
from pathlib import Path

TAG = r"<(/?)({})\b[^>]*>"
START = re.compile(r"<([a-z][a-z0-9]*)\b[^>]*?\bid=\"([^\"]+)\"[^>]*>")
HEAVY = re.compile(r"<(script|style|details|svg)\b.*?</\1>", re.S)


def pages(outdir):
    """{name: text} of all pages that are made from chapters."""
    files = sorted(Path(outdir).glob("[!_]*/**/*.html"))
    return {file.relative_to(outdir).as_posix(): file.read_text("utf-8") for file in files}


def article(page):
    """The text of a page, without what is around it."""
    start = page.find("<article")
    return page[start : page.find("</article>", start)] if start >= 0 else ""


@cache
def _tags(name):
    return re.compile(TAG.format(name))


def element(text, start):
    """The element whose first tag begins at `start`."""
    name = re.match(r"<([a-z][a-z0-9]*)", text[start:])[1]
    depth = 0
    for tag in _tags(name).finditer(text, start):
        depth += -1 if tag[1] else 1
        if depth == 0:
            return text[start : tag.end()]
    return text[start:]


def starts(text):
    """{id: where its element begins}."""
    return {found[2]: found.start() for found in reversed([*START.finditer(text)])}


def plain(text):
    """The words of some HTML."""
    return " ".join(re.sub(r"<[^>]+>", " ", HEAVY.sub(" ", text)).split())
