"""What the labels of the book have become: "Theorem 3.9", "Fig. 4.2", a section's title.

Sphinx numbers statements, figures and equations while it builds. What came of it is written
to `chapters/labels.json`, from which `lenient_book.reader` makes the notebooks for readers:
JupyterLab knows one notebook at a time, and so cannot number what stands in another.
"""

import json
import re
from pathlib import Path

from docutils import nodes
from pybtex.backends.markdown import Backend
from sphinx.addnodes import pending_xref

HOME = "chapters/"
FILE = "chapters/labels.json"
CITED = re.compile(r"\{cite(?::([tp]))?\}`([^`]+)`")


def names(env):
    """{label: [page, what a reference to it says]}."""
    found = {}
    domains = env.domaindata
    for label, (page, _, title) in domains["std"]["labels"].items():
        if page.startswith(HOME):
            found[label] = [page, title]
    for label, (page, number) in domains["math"]["objects"].items():
        numbers = env.toc_fignumbers.get(page, {}).get("displaymath", {})
        found[label] = [page, f"({dotted(numbers.get(f'equation-{label}', [number]))})"]
    for page, counters in env.toc_fignumbers.items():
        for label, number in counters.get("theorem", {}).items():
            kind = env.proof_list[label]["realtype"].capitalize()
            found[label] = [page, f"{kind} {dotted(number)}"]
        for counter, word in (("exercise", "Exercise"), ("figure", "Fig.")):
            for label, number in counters.get(counter, {}).items():
                found[label] = [page, f"{word} {dotted(number)}"]
    return {label: [page.removeprefix(HOME), said] for label, (page, said) in found.items()}


def dotted(number):
    return ".".join(map(str, number))


def citations(app):
    """{"t:key": "Agrawal and Goyal (2012)", …} for all that the sources cite."""
    domain, said = app.env.get_domain("cite"), {}
    for page in app.env.found_docs:
        for style, keys in CITED.findall(Path(app.env.doc2path(page)).read_text("utf-8")):
            node = pending_xref(refdoc=page, reftype=style or "p", reftarget=keys)
            text = domain.resolve_xref(
                app.env, page, app.builder, style or "p", keys, node, nodes.inline()
            )
            said[f"{style or 'p'}:{keys}"] = text.astext()
    return said


def bibliography(env):
    """{key: its entry as Markdown}, in the order of the list."""
    entries = env.domaindata["cite"]["citations"]
    return {
        entry.key: " ".join(entry.formatted_entry.text.render(Backend()).split())
        for entry in entries
    }


def write(app, error):
    """All labels into one file; an unchanged one is not touched."""
    if error or app.builder.format != "html":
        return
    labels = {
        "names": names(app.env),
        "citations": citations(app),
        "bibliography": bibliography(app.env),
    }
    text = json.dumps(labels, ensure_ascii=False, indent=0, sort_keys=True) + "\n"
    file = Path(app.srcdir, FILE)
    if not file.exists() or file.read_text("utf-8") != text:
        file.write_text(text, "utf-8")


def setup(app):
    app.connect("build-finished", write)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
