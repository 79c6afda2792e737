"""Living pictures on the pages: their directive, their links, their one script.

The directive `{living} playground` becomes an element that the script brings to life. Its
options are the setting; its content is the still, which shows without JavaScript and, in
JupyterLab, in place of the picture. The role `{set-up}` makes a link that sets up the
playground: {set-up}`watch it lock in <means=0.9,0.85,0.6&eps=0.2&gap=standard>`. The role
`{policy}` gives a name the colour that it has in the pictures: {policy}`ε-TS`.

The script is joined from the modules in `lenient_book/playground`, and only pages with
something to bring to life load it.
"""

import json
import re
from pathlib import Path

from docutils import nodes
from sphinx.util.docutils import SphinxDirective, SphinxRole

from lenient_book.myst import value_of
from lenient_book.playground import bundle

HOME = "chapters/playground"


class living(nodes.General, nodes.Element):
    """The element; its children are the still."""


class Living(SphinxDirective):
    required_arguments = 1
    has_content = True
    option_spec = None  # any: it is the view that knows its setting

    def run(self):
        node = living(view=self.arguments[0], address=False, setting={})
        content = []
        for line in self.content:
            found = re.fullmatch(r":([\w-]+):\s*(.*)", line)
            if found and not any(content):
                name, text = found.groups()
                if name == "address":
                    node["address"] = True
                else:
                    node["setting"][name] = value_of(name, text)
            else:
                content.append(line)
        self.state.nested_parse(content, self.content_offset, node)
        return [node]


def visit(writer, node):
    attributes = {"class": "lenient-play mathjax_ignore", "data-view": node["view"]}
    attributes["data-setting"] = json.dumps(node["setting"], ensure_ascii=False)
    if node["address"]:
        attributes["data-address"] = ""
    writer.body.append(writer.starttag(node, "div", "", **attributes))


def depart(writer, node):
    writer.body.append("</div>\n")


class SetUp(SphinxRole):
    """A link to the playground with a setting, drawn as a button."""

    def run(self):
        words, _, setting = self.text.rpartition("<")
        setting = setting.rstrip("> ")
        # Also on its own page by its name: scripts of the theme stumble over "#means=…".
        page = self.env.app.builder.get_relative_uri(self.env.docname, HOME)
        page = page or self.env.app.builder.get_target_uri(HOME).rpartition("/")[2]
        node = nodes.reference(
            "", words.strip(), internal=True, refuri=f"{page}#{setting}", classes=["set-up"]
        )
        return [node], []


class Policy(SphinxRole):
    """The name of a policy in its colour."""

    def run(self):
        name = self.text.replace("ε", "eps").lower()
        return [nodes.strong("", self.text, classes=["policy", name])], []


def add_script(app, page, template, context, doctree):
    """Only where there is something to bring to life."""
    if "lenient-play" in context.get("body", ""):
        app.add_css_file("playground.css")
        app.add_js_file("playground.js")


def write_script(app, error):
    if error is None and app.builder.format == "html":
        folder = Path(app.outdir, "_static")
        (folder / "playground.js").write_text(bundle.script(), "utf-8")
        (folder / "playground.css").write_text(bundle.style(), "utf-8")


def setup(app):
    app.add_node(living, html=(visit, depart))
    app.add_directive("living", Living)
    app.add_role("set-up", SetUp())
    app.add_role("policy", Policy())
    app.connect("html-page-context", add_script)
    app.connect("build-finished", write_script)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
