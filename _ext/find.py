"""The index of the search: each section with its words, in one script.

Sphinx's own search splits "ε-TS" at the hyphen, leads to pages and not to sections, and
shows no words around a hit when a page is opened from a folder. `find.js` looks at
this index instead; only the search page loads it.
"""

import html
import json
import re
import shutil
from pathlib import Path

from built import article, pages, plain, starts

SECTION = re.compile(r'<section\b[^>]*?\bid="([^"]+)"[^>]*>')
CODE = re.compile(r"<pre>.*?</pre>", re.S)
LETTERS = {
    "varepsilon": "ε", "epsilon": "ε", "mu": "μ", "Delta": "Δ", "theta": "θ", "kappa": "κ",
    "alpha": "α", "beta": "β", "eta": "η", "lambda": "λ", "nu": "ν", "rho": "ρ", "infty": "∞",
    "le": "≤", "ge": "≥", "cdot": "·", "times": "×", "to": "→", "sum": "Σ", "sqrt": "√",
}  # fmt: skip
UNUSED = ["_static/searchtools.js", "_static/language_data.js"]


def readable(text):
    """Formulas by their letters, as far as a line of results can show them."""
    text = re.sub(r"\\([A-Za-z]+)", lambda found: LETTERS.get(found[1], ""), text)
    text = re.sub(r"\\[()\[\],;!{}]|[{}$]", "", text)
    text = re.sub(r"\s+([.,;:!?)])", r"\1", text)
    return " ".join(text.split())


def sections(name, page):
    """[address, title of the page, title of the section, words] of each section."""
    text = article(page)
    found = [*SECTION.finditer(text)]
    ends = [later.start() for later in found[1:]] + [len(text)]
    title = ""
    for section, end in zip(found, ends):
        body = CODE.sub(" ", text[section.end() : end])
        body = re.sub(r'<a class="headerlink".*?</a>', "", body, flags=re.S)
        if not (heading := re.search(r"<h[1-6].*?</h[1-6]>", body, re.S)):
            continue
        words = [plain(heading[0]), plain(body[heading.end() :])]
        head, words = (readable(html.unescape(part)) for part in words)
        title = title or head
        yield [f"{name}#{section[1]}", title, head, words]


def terms(name, page):
    """The same of each term of the index of terms, which is an answer by itself."""
    text = article(page)
    for at, start in starts(text).items():
        if at.startswith("term-"):
            term = text[start : text.find("</dd>", start)]
            head, _, words = term.partition("<dd>")
            head = readable(html.unescape(plain(head.partition("<a class")[0])))
            yield [
                f"{name}#{at}",
                "Index of terms",
                head,
                readable(html.unescape(plain(words))),
            ]


def write(app, error):
    if error or app.builder.format != "html":
        return
    found = []
    for name, page in pages(app.outdir).items():
        found += [*sections(name, page)]
        if name.endswith("/terms.html"):
            found = [entry for entry in found if not entry[0].startswith(name)]
            found += [*terms(name, page)]
    text = json.dumps(found, ensure_ascii=False, separators=(",", ":"))
    folder = Path(app.outdir, "_static")
    (folder / "find-index.js").write_text(f"sections={text}\n", "utf-8")
    shutil.copy2(Path(__file__).with_suffix(".js"), folder)
    for unused in UNUSED:
        Path(app.outdir, unused).unlink(missing_ok=True)


def put_aside(app):
    """Sphinx's own index: no page needs it, but the next build reads it again."""
    app.builder.searchindex_filename = "../searchindex.js"


def setup(app):
    app.connect("builder-inited", put_aside)
    app.connect("build-finished", write)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
