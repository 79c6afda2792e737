"""Notebooks to work in, made from the chapters.

    python -m lenient_book.reader              into notebooks/, for JupyterLab
    python -m lenient_book.reader --plain to   into the folder `to`, for anything else

The chapters stay the one source. What is added: a first cell that installs the package where
it is missing, the references as links (see `myst`), a caption below each figure, the quiz and
the living pictures as cells, and below each exercise a cell to work in. A notebook that the
reader has changed is not overwritten.
"""

import argparse
import hashlib
import json
import re
import shutil
import sys
from pathlib import Path

import nbformat
from nbformat.sign import NotebookNotary
from nbformat.v4 import new_code_cell, new_markdown_cell

from lenient_book.exercise import cell as cell_to_work_in
from lenient_book.exercise import exercises
from lenient_book.myst import FENCE, Directive, Lab, Plain, Translator, blocks, shown, value_of
from lenient_book.normal import FOLDED, METADATA

CHAPTERS = Path(__file__).parents[1] / "chapters"
NOTEBOOKS = CHAPTERS.parent / "notebooks"
LABEL = re.compile(r"^(?::label: (\S+)|\((\S+)\)=)$", re.MULTILINE)
WRITTEN = ".written.json"  # what was written, to tell what the reader has changed
# Directives of pages that only the built book can show.
OF_THE_BOOK = {"assignments", "ledger", "names", "reference", "signature", "arguments"}
OF_THE_BOOK |= {"calls"}
FIRST = """\
# Runs by itself, here or elsewhere, with:  pip install "lenient[book]"
# Where that is missing, as on Colab, this cell installs it.
from importlib.util import find_spec

if find_spec("lenient_book") is None:
    %pip install --quiet "lenient[book]"

from lenient_book.warm import warm

warm()  # compiles the simulations where that has not been done yet
"""
LIVING = """\
# A living picture. Run this cell, then play.
from lenient_book.playground import {function}

{function}({arguments})
"""
QUIZ = """\
# The questions of this chapter. Run this cell to answer them.
from lenient_book.quiz import quiz

quiz("{name}")
"""
NOTES = "*Your answer to {title}: double-click here, and write.*"


# ---- pages ---------------------------------------------------------------------------
def pages(folder=CHAPTERS):
    """{page: path of its source} of all pages that can be read in Jupyter."""
    found = [*folder.glob("*.ipynb"), *folder.glob("package/*.ipynb")]
    for pattern in ("*.md", "appendix/*.md"):
        found += [path for path in folder.glob(pattern) if readable(path)]
    return {path.relative_to(folder).with_suffix("").as_posix(): path for path in sorted(found)}


def readable(path):
    names = {
        found[2] for found in map(FENCE.match, path.read_text("utf-8").split("\n")) if found
    }
    return not names & OF_THE_BOOK


def is_notebook(path):
    """A page with something alive becomes a notebook, but for the start page."""
    return path.suffix == ".ipynb" or path.stem == "playground"


def file_names(sources):
    return {
        page: page + (".ipynb" if is_notebook(path) else ".md")
        for page, path in sources.items()
    }


class Maker:
    """Makes the files of one dialect."""

    def __init__(self, dialect, folder=CHAPTERS, home=""):
        self.dialect, self.sources = dialect, pages(folder)
        self.labels = json.loads((folder / "labels.json").read_text("utf-8"))
        self.files = file_names(self.sources)
        self.links = self.files
        if home:  # the address of the book's pages
            self.links = {page: f"{home}/{page}.html" for page in self.files}
        self.cells_of = {}
        if dialect.knows_cells:
            self.cells_of = dict(self.find_labels())

    def find_labels(self):
        """(label, cell) of all notebooks: JupyterLab finds a cell, but no label in it."""
        for page, file in self.files.items():
            if file.endswith(".ipynb"):
                for cell in json.loads(self.content(page))["cells"]:
                    for found in LABEL.finditer("".join(cell["source"])):
                        yield found[1] or found[2], cell["id"]

    def content(self, page):
        """What is to be in the file of a page."""
        source = self.sources[page]
        self.translator = Translator(self.dialect, self.labels, page, self.links, self.cells_of)
        if source.suffix == ".md":
            text = source.read_text("utf-8")
            if not is_notebook(source):
                return self.translator.text(text).rstrip("\n") + "\n"
            given = nbformat.v4.new_notebook(cells=[new_markdown_cell(text, id="text")])
        else:
            given = nbformat.read(source, as_version=4)
        made = nbformat.v4.new_notebook(metadata=METADATA)
        made.cells = [*self.cells(given, page)]
        return nbformat.writes(made) + "\n"

    def cells(self, given, page):
        yield new_code_cell(FIRST.rstrip(), id="first", metadata=folded())
        for cell in given.cells:
            if cell.cell_type == "code":
                yield from self.code(cell)
            else:
                yield from self.markdown(cell)

    # ---- code ------------------------------------------------------------------------
    def code(self, cell):
        """The cell, folded as on the page and with a first line that says what it is."""
        about = cell.metadata.get("mystnb", {})
        figure, tags = about.get("figure", {}), cell.metadata.get("tags", [])
        name = self.translator.name(figure["name"]) if "name" in figure else ""
        if "hide-cell" in tags:
            cell.source = f"# {about.get('code_prompt_show', 'Folded')}\n{cell.source}"
        elif "hide-input" in tags:
            what = f"The code of {name}" if name else "The code of what is shown below"
            cell.source = f"# {what}\n{cell.source}"
        cell.metadata = {key: cell.metadata[key] for key in ["jupyter"] if key in cell.metadata}
        yield cell
        if name:
            caption = self.translator.inline(" ".join(figure.get("caption", "").split()))
            target = self.dialect.target(figure["name"])
            yield new_markdown_cell(f"{target}\n**{name}.** {caption}", id=f"{cell.id}-caption")

    # ---- text ------------------------------------------------------------------------
    def markdown(self, cell):
        """The cell in pieces: what is alive or to be worked on is a cell of its own."""
        text, made = [], 0

        def piece(cells):
            nonlocal made
            if written := self.translator.body(text).strip("\n"):
                cells = [new_markdown_cell(written), *cells]
            text.clear()
            for new in cells:
                new.id = cell.id if not made else f"{cell.id}-{made + 1}"
                made += 1
                yield new

        for block, lines in with_lines(cell.source.split("\n")):
            if isinstance(block, Directive) and block.name in ("quiz", "living"):
                yield from piece([self.alive(block)])
            elif isinstance(block, Directive) and block.name == "exercise":
                text += lines
                yield from piece([self.practice(block)])
            else:
                text += lines
        yield from piece([])

    def alive(self, block):
        if block.name == "quiz":
            return new_code_cell(QUIZ.format(name=block.argument).rstrip(), metadata=folded())
        setting = {k: value_of(k, v) for k, v in block.options.items() if k != "address"}
        arguments = [f"{k}={shown(v)}" for k, v in setting.items()]
        function = "playground" if block.argument == "playground" else "figure"
        if function == "figure":
            arguments.insert(0, shown(block.argument))
        source = LIVING.format(function=function, arguments=", ".join(arguments)).rstrip()
        return new_code_cell(source, metadata=folded())

    def practice(self, block):
        """A cell to work in: with a check where there is one, for notes otherwise."""
        label = block.options["label"]
        if label in exercises():
            return new_code_cell(cell_to_work_in(label))
        title = self.translator.name(label)
        return new_markdown_cell(NOTES.format(title=title[0].lower() + title[1:]))


def folded():
    return {"jupyter": dict(FOLDED["hide-input"])}


def with_lines(lines):
    """The blocks of a text, each with the lines that it was read from."""
    taken = []

    def noted():
        for line in lines:
            taken.append(line)
            yield line

    for block in blocks(noted()):
        yield block, [*taken]
        taken.clear()


# ---- files ---------------------------------------------------------------------------
def write(folder, maker):
    """Write all pages into a folder; yields those left alone, since the reader changed them."""
    folder.mkdir(parents=True, exist_ok=True)
    record = folder / WRITTEN
    before = json.loads(record.read_text("utf-8")) if record.exists() else {}
    written = {}
    for page, name in maker.files.items():
        content, path = maker.content(page), folder / name
        ours = digest(content)
        theirs = digest(path.read_text("utf-8")) if path.exists() else None
        if theirs not in (None, ours, before.get(name)):
            written[name] = before.get(name)
            if ours != before.get(name):
                yield name
            continue
        path.parent.mkdir(parents=True, exist_ok=True)
        if theirs != ours:
            path.write_text(content, "utf-8")
        written[name] = ours
    for picture in [*CHAPTERS.glob("*.png"), *CHAPTERS.glob("*.svg")]:
        shutil.copyfile(picture, folder / picture.name)
    record.write_text(json.dumps(written, indent=1), "utf-8")


def trust(folder):
    """The outputs are the book's own: Jupyter need not take their HTML apart."""
    notary = NotebookNotary()
    for path in folder.rglob("*.ipynb"):
        if ".ipynb_checkpoints" not in path.parts:
            notary.sign(nbformat.read(path, as_version=4))


def digest(text):
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def main(arguments=None):
    parser = argparse.ArgumentParser(
        prog="python -m lenient_book.reader", description="Make notebooks to work in."
    )
    parser.add_argument("folder", nargs="?", type=Path, default=NOTEBOOKS)
    parser.add_argument("--plain", action="store_true", help="without MyST")
    options = parser.parse_args(arguments)
    if not CHAPTERS.is_dir():
        sys.exit("The chapters are in a checkout of the book alone.")
    for name in write(options.folder, Maker(Plain() if options.plain else Lab())):
        print(f"{options.folder / name} has your changes and stays; the book has a newer one.")
        print("  Move yours away, and the newer one comes with the next start.")
    if not options.plain:
        trust(options.folder)


if __name__ == "__main__":
    main()
