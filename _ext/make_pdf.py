"""The whole book as one PDF, from the built pages: `make pdf`.

Chromium prints each page as a reader would, without the code that draws, with the solutions
of its exercises left out; these come at the end. Contents, page numbers and an outline are
added, and references from page to page lead inside the file.
"""

import io
import json
import posixpath
import shutil
import sys
from html import escape
from pathlib import Path
from urllib.parse import unquote, urlsplit

import yaml
from playwright.sync_api import sync_playwright
from pypdf import PdfReader, PdfWriter
from pypdf.annotations import Link
from pypdf.generic import ArrayObject, Fit, NameObject

ROOT = Path(__file__).parents[1]
HTML = ROOT / "_build" / "html"
BOOK = ROOT / "_build" / "lenient-book.pdf"
PAPER = dict(format="A4", margin=dict(top="20mm", bottom="22mm", left="18mm", right="18mm"))
LEFT_OUT = ("chapters/playground", "chapters/exercises/", "chapters/package/reference")

# Run on each page before it is printed. What plays is shown as its still; what draws is gone.
PREPARE = """
(solutions) => {
  document.documentElement.dataset.theme = "light";
  const drop = (what) => document.querySelectorAll(what).forEach((node) => node.remove());
  drop("header, footer, .bd-sidebar, .bd-header-article, .prev-next-footer, .headerlink");
  drop(".cell details.hide, .copybtn, .quiz, .page-facts, .way-back, #go-on");
  drop(".book-map svg, .ways");
  drop(".lenient-explore .controls, .lenient-play .controls, .lenient-play button");
  const answers = [...document.querySelectorAll("details, .solution, .admonition")].filter(
    (node) => node.matches(".solution") ||
      /^(Solution|A solution|An answer|Hint)/i.test(
        (node.querySelector("summary, .admonition-title")?.textContent || "").trim()));
  const outer = answers.filter((node) => !answers.some((o) => o !== node && o.contains(node)));
  if (solutions) {
    const title = document.querySelector("article h1").cloneNode(true);
    const page = document.createElement("section");
    page.append(title, ...outer);
    document.querySelector("article").replaceChildren(page);
  } else outer.forEach((node) => node.remove());
  document.querySelectorAll("details").forEach((node) => (node.open = true));
  return outer.length;
}
"""
CONTENTS = """<meta charset="utf-8"><style>
body {{ font: 11pt/1.5 sans-serif; margin: 0 }} h1 {{ font-size: 26pt; margin: 0 }}
h2 {{ font-size: 15pt; margin: 24pt 0 6pt }} .sub {{ font-size: 13pt; margin: 4pt 0 20pt }}
.part {{ margin: 10pt 0 2pt; font-weight: bold; break-after: avoid }}
.line {{ display: flex; gap: 6pt }} .line i {{ flex: 1; border-bottom: 1px dotted #888 }}
</style><h1>{title}</h1><p class="sub">{author}</p><h2>Contents</h2>{lines}"""
NUMBERS = """<style>@page {{ size: A4; margin: 0 }} div {{ height: 297mm; position: relative;
break-after: page; font: 9pt sans-serif; color: #444 }} span {{ position: absolute;
bottom: 10mm; left: 0; right: 0; text-align: center }}</style>{}"""


def order():
    """(part, page) in the order of the book."""
    toc = yaml.safe_load((ROOT / "_toc.yml").read_text("utf-8"))
    yield "", toc["root"]
    for part in toc["parts"]:
        for chapter in part["chapters"]:
            if not chapter["file"].startswith(LEFT_OUT):
                yield part["caption"], chapter["file"]


class Printer:
    """An open browser that prints pages of the book."""

    def __init__(self, browser):
        self.page = browser.new_page(viewport={"width": 900, "height": 1200})

    def chapter(self, name, solutions=False):
        """(title, PDF) of a page, or None if it has no solutions and these are asked for."""
        self.page.goto((HTML / f"{name}.html").as_uri(), wait_until="load")
        self.page.evaluate("window.MathJax?.startup?.promise")
        title = self.page.evaluate("document.querySelector('article h1').innerText")
        title = title.replace("#", "").strip()
        if not self.page.evaluate(PREPARE, solutions) and solutions:
            return None
        self.page.wait_for_timeout(200)
        return title, PdfReader(io.BytesIO(self.page.pdf(print_background=True, **PAPER)))

    def text(self, html, **paper):
        self.page.set_content(html)
        return PdfReader(io.BytesIO(self.page.pdf(**(paper or PAPER))))


def lines(entries, first):
    """The contents, for chapters that begin at these pages."""
    part, found = "", []
    for caption, title, _, start, _ in entries:
        if caption != part:
            found.append(f'<div class="part">{escape(caption)}</div>')
            part = caption
        number = start + first + 1
        found.append(
            f'<div class="line"><span>{escape(title)}</span><i></i><span>{number}</span></div>'
        )
    return "".join(found)


def make(pages=None):
    settings = yaml.safe_load((ROOT / "_config.yml").read_text("utf-8"))
    chosen = [(part, name) for part, name in order() if not pages or name in pages]
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=shutil.which("chromium"), args=["--no-sandbox", "--disable-gpu"]
        )
        printer = Printer(browser)
        entries, start = [], 0
        todo = [(part, name, False) for part, name in chosen]
        todo += [("Solutions", name, True) for _, name in chosen]
        for part, name, solutions in todo:
            if made := printer.chapter(name, solutions):
                title, document = made
                entries.append((part, title, name, start, document))
                start += len(document.pages)
                print(f"{title}: {len(document.pages)} pages", flush=True)

        def contents(first):
            head = dict(title=escape(settings["title"]), author=escape(settings["author"]))
            return printer.text(CONTENTS.format(lines=lines(entries, first), **head))

        front = contents(len(contents(0).pages))
        first = len(front.pages)
        numbers = "".join(f"<div><span>{n}</span></div>" for n in range(1, first + start + 1))
        stamps = printer.text(NUMBERS.format(numbers), prefer_css_page_size=True)
        browser.close()
    BOOK.write_bytes(joined(front, entries, stamps, settings))
    print(f"{BOOK}: {first + start} pages")


def joined(front, entries, stamps, settings):
    """All parts as one file, numbered, with an outline and links that stay inside."""
    writer = PdfWriter()
    first = len(front.pages)
    for document in [front, *(entry[4] for entry in entries)]:
        for page in document.pages:
            writer.add_page(page)
    for page, stamp in zip(writer.pages, stamps.pages):
        page.merge_page(stamp)
    starts, parts = {}, {}
    for part, title, name, start, _ in entries:
        if part and part not in parts:
            parts[part] = writer.add_outline_item(title=part, page_number=first + start)
        writer.add_outline_item(title=title, page_number=first + start, parent=parts.get(part))
        if part != "Solutions":
            starts[f"{name}.html"] = first + start
    for number, page in enumerate(writer.pages):
        keep_inside(writer, number, page, starts)
    writer.add_metadata({"/Title": settings["title"], "/Author": settings["author"]})
    writer.compress_identical_objects()
    buffer = io.BytesIO()
    writer.write(buffer)
    return buffer.getvalue()


def keep_inside(writer, number, page, starts):
    """Links to other pages of the book lead to where these begin in the file."""
    home = HTML.as_uri() + "/"
    kept, links = ArrayObject(), []
    for reference in page.get("/Annots") or []:
        note = reference.get_object()
        address = str((note.get("/A") or {}).get("/URI", ""))
        if not address.startswith(home):
            kept.append(reference)
            continue
        name = posixpath.normpath(unquote(urlsplit(address[len(home) :]).path))
        if name in starts:
            rect = tuple(float(side) for side in note["/Rect"])
            links.append(Link(rect=rect, target_page_index=starts[name], fit=Fit.fit()))
    if "/Annots" in page:
        page[NameObject("/Annots")] = kept
    for link in links:
        writer.add_annotation(page_number=number, annotation=link)


if __name__ == "__main__":
    make(json.loads(sys.argv[1]) if len(sys.argv) > 1 else None)
