"""The map on the front page: which chapter needs which, and ways through the book.

It is a list that makes sense by itself; `book_map.js` draws the lines between the chapters and
lights up what a chapter needs and what builds on it.
"""

import shutil
from html import escape
from pathlib import Path

from docutils import nodes
from sphinx.util.docutils import SphinxDirective

# Columns from left to right: {chapter: the chapters that it needs}.
COLUMNS = {
    "Why": {1: []},
    "Theory": {2: [1], 3: [1], 4: [1], 5: [1]},
    "Seen in numbers": {6: [4, 5], 7: [4], 8: [3, 4], 9: [4], 12: [4]},
    "Further": {10: [9], 11: [9], 13: [4], 14: [3, 4], 15: [3], 16: [4], 17: [3, 4], 18: [4]},
}
WAYS = {
    "In an hour": ("what it is, what it buys, which algorithm to use", [1, 4, 16]),
    "A course": ("with proofs, quizzes and assignments", [1, 2, 3, 4, 5, 6, 8, 9]),
    "Research": (
        "the bounds, what attains them, what is new",
        [3, 4, 6, 8, 13, 14, 15, 17, 18],
    ),
    "Simulation": ("every experiment, and how to run 10¹² rounds", [1, 4, 7, 9, 10, 11, 12]),
}


class book_map(nodes.General, nodes.Element):
    """The map; which pages it leads to is known when all have been read."""


class Map(SphinxDirective):
    def run(self):
        return [book_map()]


def chapters(env):
    """{number: page} of the numbered chapters."""
    pages = [name.rpartition("/")[2] for name in env.found_docs if name.startswith("chapters/")]
    return {int(name[:2]): f"chapters/{name}" for name in pages if name[:2].isdecimal()}


def draw(env, builder, docname):
    """The map as HTML."""
    pages = chapters(env)

    def station(number, needs):
        page = pages[number]
        title = escape(env.titles[page].astext()) if page in env.titles else page
        address = builder.get_relative_uri(docname, page)
        after = f"<small>after {', '.join(map(str, needs))}</small>" if needs else ""
        return (
            f'<li data-chapter="{number}" data-needs="{" ".join(map(str, needs))}">'
            f'<a href="{address}"><b>{number}</b><span>{title}{after}</span></a></li>'
        )

    columns = "".join(
        f"<div><h3>{name}</h3><ul>"
        + "".join(station(number, needs) for number, needs in column.items() if number in pages)
        + "</ul></div>"
        for name, column in COLUMNS.items()
    )
    ways = "".join(
        f'<button type="button" aria-pressed="false" data-way="{" ".join(map(str, way))}">'
        f"<b>{name}</b> {what}</button>"
        for name, (what, way) in WAYS.items()
    )
    return (
        f'<nav class="book-map" aria-label="Map of the book"><div class="ways" hidden>{ways}'
        f'</div><p class="way" role="status"></p><div class="stations">{columns}</div></nav>'
    )


def replace(app, doctree, docname):
    for node in [*doctree.findall(book_map)]:
        text = draw(app.env, app.builder, docname)
        node.replace_self(nodes.raw("", text, format="html"))


def add_script(app, page, template, context, doctree):
    if "book-map" in context.get("body", ""):
        app.add_js_file("book_map.js")


def copy_script(app, error):
    if error is None and app.builder.format == "html":
        shutil.copy2(Path(__file__).with_suffix(".js"), Path(app.outdir, "_static"))


def setup(app):
    app.add_node(book_map)
    app.add_directive("book-map", Map)
    app.connect("doctree-resolved", replace)
    app.connect("html-page-context", add_script)
    app.connect("build-finished", copy_script)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
