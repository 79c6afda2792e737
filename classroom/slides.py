"""Slides for six lectures, made from the chapters' own cells and stored outputs.

Run as `make slides`. What is on them says slides/lectures.yml; nbconvert makes decks of
reveal.js of it in _build/slides/, which need no network: open a deck in a browser.
"""

import json
import os
import re
import shutil
from importlib.metadata import distribution
from pathlib import Path

import nbformat
import yaml
from nbconvert.exporters import SlidesExporter
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

from lenient_book.myst import value_of
from lenient_book.playground import bundle

from .folders import ROOT
from .formulas import with_formulas
from .questions import markdown

SOURCE, CHAPTERS, MADE = ROOT / "slides", ROOT / "chapters", ROOT / "_build" / "slides"
_STATEMENT = r"(?ms)^(:{{3,}})\{{prf:(\w+)\}} ?([^\n]*)\n:label: {label}\n(.*?)^\1$"


class Book:
    """All cells of all chapters, to be found by what they are called."""

    def __init__(self):
        self.cells = [
            (path.stem, cell)
            for path in [*sorted(CHAPTERS.glob("*.ipynb")), *sorted(CHAPTERS.glob("*/*.md"))]
            for cell in _cells(path)
        ]

    def figure(self, name):
        for chapter, cell in self.cells:
            about = cell.metadata.get("mystnb", {}).get("figure", {})
            if about.get("name") == name:
                pictures = [o for o in cell.outputs if "image/png" in o.get("data", {})]
                return chapter, cell, about.get("caption", ""), pictures[-1].data["image/png"]
        raise KeyError(f"no figure {name}")

    def statement(self, label):
        pattern = re.compile(_STATEMENT.format(label=re.escape(label)))
        for chapter, cell in self.cells:
            if cell.cell_type == "markdown" and (found := pattern.search(cell.source)):
                return chapter, found[2].capitalize(), found[3], found[4]
        raise KeyError(f"no statement {label}")

    def paragraph(self, chapter, words):
        for name, cell in self.cells:
            if name == chapter and cell.cell_type == "markdown":
                for paragraph in cell.source.split("\n\n"):
                    if paragraph.replace("**", "").startswith(words):
                        return paragraph
        raise KeyError(f"no paragraph in {chapter} begins with {words!r}")

    def opening(self, chapter):
        """The title, and the questions in bold with which a chapter begins."""
        first = next(cell.source for name, cell in self.cells if name == chapter)
        title = re.search(r"(?m)^# (.*)$", first)[1]
        asked = re.findall(r"(?s)\*\*([^*]+\?)\*\*", first)
        return title, " ".join(asked)

    def cell(self, chapter, name):
        return next(c for where, c in self.cells if where == chapter and c.get("id") == name)


def _cells(path):
    if path.suffix == ".md":
        return [new_markdown_cell(path.read_text("utf-8"))]
    return nbformat.read(path, as_version=4).cells


# ---- one slide -----------------------------------------------------------------------
def _slide(book, about):
    [kind] = about.keys() & _KINDS.keys()
    cells = _KINDS[kind](book, about)
    cells[0].metadata["slideshow"] = {"slide_type": "slide"}
    for cell in cells[1:]:
        cell.metadata["slideshow"] = {"slide_type": "-"}
    return cells


def _question(book, about):
    title, asked = book.opening(about["question"])
    return [_html(f"<h2>{_line(title)}</h2><p class='ask'>{_line(asked)}</p>")]


def _ask(book, about):
    return [_html(f"<p class='ask'>{_line(about['ask'])}</p>")]


def _figure(book, about):
    chapter, cell, caption, picture = book.figure(about["figure"])
    alt = cell.metadata.mystnb.get("image", {}).get("alt", "")
    return [_html(
        f'<img alt="{_quoted(alt)}" src="data:image/png;base64,{picture.strip()}">'
        f"<p class='caption'>{_line(caption)}</p>{_from(chapter)}"
    )]  # fmt: skip


def _statement(book, about):
    chapter, kind, title, text = book.statement(about["statement"])
    head = f"{kind}: {title}" if title else kind
    body = with_formulas(markdown(_without_roles(text)))
    return [_html(f"<h2>{_line(head)}</h2><div class='statement'>{body}</div>{_from(chapter)}")]


def _text(book, about):
    chapter, words = about["text"]
    body = with_formulas(markdown(_without_roles(book.paragraph(chapter, words))))
    return [_html(f"{body}{_from(chapter)}")]


def _code(book, about):
    given = book.cell(*about["code"])
    return [new_code_cell(given.source, outputs=given.outputs, execution_count=1)]


def _play(book, about):
    """In a frame: its page has sections of its own, which would be slides here."""
    view = about["play"]
    return [_html(f'<iframe class="play" title="{view}" src="{_play_page(about)}"></iframe>')]


def _play_page(about):
    """The name of the page with a living picture; it is written if it is not there."""
    options = {key: str(value) for key, value in about.items() if key != "play"}
    setting = {key: value_of(key, text) for key, text in options.items()}
    text = json.dumps(setting, ensure_ascii=False)
    name = f"play-{re.sub(r'[^a-z0-9]+', '-', about['play'] + text)}".rstrip("-") + ".html"
    (MADE / name).write_text(
        f"""<!doctype html>
<html lang="en">
<meta charset="utf-8">
<title>{about["play"]}</title>
<link rel="stylesheet" href="playground.css">
<body style="font: 18px/1.4 sans-serif; margin: 0 1rem">
<div class="lenient-play" data-view="{about["play"]}" data-setting="{_quoted(text)}"></div>
<script src="playground.js"></script>
</body>
</html>
""",
        "utf-8",
    )
    return name


_KINDS = {"question": _question, "ask": _ask, "figure": _figure, "statement": _statement,
          "text": _text, "code": _code, "play": _play}  # fmt: skip


def _html(text):
    """A cell whose text is HTML, on one line: a blank one would end it for Markdown."""
    text = re.sub(r"\s*\n\s*", " ", text)
    return new_markdown_cell(f"<div>{text}</div>")


def _line(text):
    made = with_formulas(markdown(_without_roles(text)))
    return made.removeprefix("<p>").removesuffix("</p>")


def _from(chapter):
    return f"<p class='from'>Chapter {int(chapter[:2])}</p>" if chapter[:2].isdigit() else ""


def _quoted(text):
    return text.replace("&", "&amp;").replace('"', "&quot;").replace("<", "&lt;")


def _without_roles(text):
    """MyST's cross-references mean nothing on a slide: their words are kept."""
    text = re.sub(r"\{[\w:-]+\}`([^`<]*?)\s*<[^`>]*>`", r"\1", text)
    text = re.sub(r"\s*\(?\{(?:prf:ref|numref|ref|eq|cite|cite:t|cite:p)\}`[^`]*`\)?", "", text)
    text = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", text)
    return re.sub(r"(?m)\s*\(eq-[\w-]+\)$", "", text)


# ---- decks ---------------------------------------------------------------------------
def deck(book, number, lecture):
    """The page of a lecture."""
    title = f"{number}. {lecture['title']}"
    first = new_markdown_cell(f"# {title}\n\nLenient regret, lecture {number} of six")
    first.metadata["slideshow"] = {"slide_type": "slide"}
    cells = [first, *(cell for about in lecture["slides"] for cell in _slide(book, about))]
    exporter = SlidesExporter(
        template_name="lecture", reveal_theme="white", reveal_url_prefix="reveal",
        font_awesome_url="", exclude_input_prompt=True, exclude_output_prompt=True,
    )  # fmt: skip
    notebook = new_notebook(cells=cells, metadata={"title": title})
    html, _ = exporter.from_notebook_node(notebook)
    return html.replace("</head>", '<link rel="stylesheet" href="lecture.css">\n</head>', 1)


def reveal():
    """The folder of reveal.js in the package that carries it."""
    package = distribution("sphinx-revealjs")
    return Path(package.locate_file("sphinx_revealjs/_static/revealjs"))


def main():
    # Before nbconvert looks for templates: ours come first.
    ours = str(ROOT / "classroom" / "jupyter")
    os.environ["JUPYTER_PATH"] = os.pathsep.join(
        filter(None, [ours, os.environ.get("JUPYTER_PATH")])
    )
    shutil.rmtree(MADE, ignore_errors=True)
    for part in ("dist/reveal.js", "dist/reveal.css", "dist/theme", "plugin/notes"):
        source, target = reveal() / part, MADE / "reveal" / part
        target.parent.mkdir(parents=True, exist_ok=True)
        (shutil.copytree if source.is_dir() else shutil.copy)(source, target)
    for name in ("lecture.css", "lecture.js"):
        shutil.copy(SOURCE / name, MADE)
    (MADE / "playground.js").write_text(bundle.script(), "utf-8")
    (MADE / "playground.css").write_text(bundle.style(), "utf-8")
    book = Book()
    for number, lecture in enumerate(yaml.safe_load((SOURCE / "lectures.yml").read_text()), 1):
        path = MADE / f"lecture-{number}.html"
        path.write_text(deck(book, number, lecture), "utf-8")
        print(path)


if __name__ == "__main__":
    main()
