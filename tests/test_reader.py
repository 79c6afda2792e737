"""The notebooks for readers: every reference says what it leads to, and leads there."""

import json
import re

import nbformat
import pytest
from support.paths import ROOT

from lenient_book import reader
from lenient_book.exercise import exercises
from lenient_book.myst import Lab, Plain, Translator, Unknown

LABELS = {
    "names": {
        "thm-a": ["01-one", "Theorem 1.2"],
        "eq-a": ["01-one", "(1.3)"],
        "fig-b": ["02-two", "Fig. 2.1"],
        "app-c": ["appendix/c", "A long proof"],
        "ex-a": ["01-one", "Exercise 1.1"],
    },
    "citations": {"t:lai1985": "Lai and Robbins [1985]"},
    "bibliography": {"lai1985": "Lai and Robbins."},
}
PAGES = {"01-one": "01-one.ipynb", "02-two": "02-two.ipynb", "appendix/c": "appendix/c.md"}
PAGES |= {"playground": "playground.ipynb"}
# What only Sphinx reads: a role, a directive, a label. (Of MyST, Lab keeps three.)
ROLE = re.compile(r"\{[\w:-]+\}`")
DIRECTIVE = re.compile(
    r"^\s*>?\s*(?::{3,}|`{3,})\{(?!admonition\}|math\})[\w:-]+\}", re.MULTILINE
)
HIDDEN_LABEL = re.compile(r"^\([\w-]+\)=", re.MULTILINE)


def translated(text, dialect=None, page="01-one", **options):
    return Translator(dialect or Plain(), LABELS, page, PAGES, **options).text(text)


# ---- the language --------------------------------------------------------------------
@pytest.mark.parametrize(
    "source, plain",
    [
        ("By {prf:ref}`thm-a`,", "By [Theorem 1.2](#thm-a),"),
        ("see {numref}`fig-b`", "see [Fig. 2.1](02-two.ipynb#fig-b)"),
        ("{numref}`figure %s <fig-b>`", "[figure 2.1](02-two.ipynb#fig-b)"),
        ("{ref}`the\nappendix <app-c>`", "[the appendix](appendix/c.md#app-c)"),
        ("{cite:t}`lai1985` say", "Lai and Robbins [1985] say"),
        ("`{prf:ref}` stays, and $x_{eq}`$ too", "`{prf:ref}` stays, and $x_{eq}`$ too"),
        ("[two](02-two.ipynb), [no](ledger.md)", "[two](02-two.ipynb), no"),
        (
            "{set-up}`play <means=0.9,0.6&gap=cutoff>`",
            '[play](playground.ipynb): `playground(means=[0.9, 0.6], gap="cutoff")`',
        ),
        ("$$\nx\n=1\n$$ (eq-a)", '<a id="eq-a"></a>\n\n$$x =1 \\tag{1.3}$$'),
        ("- item\n  $$x$$\n  rest", "- item\n\n  $$x$$\n\n  rest"),
        (
            ":::{prf:theorem} Name\n:label: thm-a\n\nIt holds.\n:::",
            '<a id="thm-a"></a>\n\n> **Theorem 1.2 (Name)**\n>\n> It holds.',
        ),
        (
            "::::{dropdown} Of {eq}`eq-a`\n:::{prf:proof}\nClear.\n:::\n::::",
            "<details>\n<summary>Of (1.3)</summary>\n\n*Proof.* Clear. ∎\n\n</details>",
        ),
    ],
)
def test_plain(source, plain):
    assert translated(source) == plain


def test_lab_nests_its_boxes_and_counts_no_equation_itself():
    source = ":::{prf:theorem} Name\n:label: thm-a\n\n$$\nx\n$$ (eq-a)\n:::"
    assert translated(source, Lab()) == (
        "::::{admonition} Theorem 1.2 (Name)\n:class: note\n:label: thm-a\n\n"
        ":::{math}\n:label: eq-a\n:enumerated: false\nx \\tag{1.3}\n:::\n::::"
    )


def test_lab_leads_to_the_cell():
    link = translated("{prf:ref}`thm-a`", Lab(), cells={"thm-a": "cell-7"})
    assert link == "[Theorem 1.2](01-one.ipynb#cell-id=cell-7)"


def test_a_policy_has_no_colour_here():
    assert translated("beside {policy}`ε-TS`,") == "beside **ε-TS**,"


def test_a_page_in_a_folder_leads_up():
    assert translated("[one](../01-one.ipynb)", page="appendix/c") == "[one](../01-one.ipynb)"


@pytest.mark.parametrize(
    "source",
    [
        "{prf:ref}`thm-unknown`",
        "{cite:t}`nobody1900`",
        "{strange}`role`",
        ":::{strange}\n:::",
        ":::{admonition} Not closed",
        "$$\nnot closed",
    ],
)
def test_what_cannot_be_said_is_refused(source):
    with pytest.raises(Unknown):
        translated(source)


# ---- the pages -----------------------------------------------------------------------
@pytest.fixture(scope="module", params=[Lab, Plain])
def made(request, tmp_path_factory):
    """The folder of all pages in a dialect."""
    folder = tmp_path_factory.mktemp(request.param.__name__)
    assert [*reader.write(folder, reader.Maker(request.param()))] == []
    return folder


def texts(folder):
    """(file, cell or None, text) of all that is not code."""
    for path in sorted([*folder.rglob("*.ipynb"), *folder.rglob("*.md")]):
        if path.suffix == ".md":
            yield path, None, path.read_text("utf-8")
            continue
        for cell in nbformat.read(path, as_version=4).cells:
            if cell.cell_type == "markdown":
                yield path, cell.id, cell.source


def test_nothing_is_left_raw(made):
    count = 0
    for path, cell, text in texts(made):
        count += 1
        for raw in (ROLE, DIRECTIVE):
            assert not raw.search(text), f"{path.name}, {cell}: {raw.search(text)}"
        if "Plain" in made.name:
            assert not HIDDEN_LABEL.search(text) and ":::" not in text, f"{path.name}, {cell}"
    assert count > 500


def test_every_link_leads_somewhere(made):
    cells = {
        path: {cell.id for cell in nbformat.read(path, as_version=4).cells}
        for path in made.rglob("*.ipynb")
    }
    whole = {path: "" for path, _, _ in texts(made)}
    for path, _, text in texts(made):
        whole[path] += text + "\n"
    links = 0
    for path, cell, text in texts(made):
        for target in re.findall(r"\]\(([^)\s]+)\)", re.sub(r"`[^`]*`|\$[^$]*\$", "", text)):
            if target.startswith(("http", "mailto")):
                continue
            links += 1
            file, _, fragment = target.partition("#")
            to = (path.parent / file).resolve() if file else path
            assert to.exists(), f"{path.name}, {cell}: {target}"
            if fragment.startswith("cell-id="):
                assert fragment.removeprefix("cell-id=") in cells[to], f"{path.name}: {target}"
            elif fragment and to.suffix in (".ipynb", ".md"):
                named = {f'<a id="{fragment}">', f"({fragment})=", f":label: {fragment}\n"}
                assert any(n in whole[to] for n in named), f"{path.name}, {cell}: {target}"
    assert links > 800


def test_every_notebook_says_first_how_to_run_it(made):
    for path in made.rglob("*.ipynb"):
        notebook = nbformat.read(path, as_version=4)
        nbformat.validate(notebook)
        first = notebook.cells[0]
        assert first.source.startswith("# Runs by itself") and "pip install" in first.source
        for cell in notebook.cells:
            if cell.metadata.get("jupyter", {}).get("source_hidden"):
                assert cell.source.startswith("# "), f"{path.name}: {cell.source[:80]}"


def test_quiz_living_picture_and_exercise_are_cells(made):
    def sources(name):
        cells = nbformat.read(made / name, as_version=4).cells
        return "\n".join(cell.source for cell in cells if cell.cell_type == "code")

    assert 'quiz("03-lower-bound")' in sources("03-lower-bound.ipynb")
    assert "playground()" in sources("playground.ipynb")
    worked = [label for label in exercises() if label.startswith("ex-lb-")]
    assert worked
    for label in worked:
        assert f'check("{label}"' in sources("03-lower-bound.ipynb")


def test_every_figure_has_its_caption_and_keeps_its_picture(made):
    cells = nbformat.read(made / "03-lower-bound.ipynb", as_version=4).cells
    captions = [cell for cell in cells if re.search(r"^\*\*Fig\. 3\.\d", cell.source, re.M)]
    assert len(captions) >= 5
    for caption in captions:
        before = cells[cells.index(caption) - 1]
        assert any("image/png" in output.get("data", {}) for output in before.outputs)


def test_converted_by_nbconvert_it_reads_well(tmp_path):
    """As GitHub, Colab and others show it, which know no MyST."""
    from nbconvert import HTMLExporter

    maker = reader.Maker(Plain())
    for page in ("03-lower-bound", "06-regret-analysis"):
        notebook = nbformat.reads(maker.content(page), as_version=4)
        html, _ = HTMLExporter().from_notebook_node(notebook)
        body = html[html.index("<body") :]
        prose = re.sub(r"<pre>.*?</pre>|<code>.*?</code>", "", body, flags=re.DOTALL)
        assert not re.search(r"\{(prf|ref|eq|numref|cite)[:\w]*\}", prose)
        assert ":::" not in prose and "(eq-" not in prose and "**" not in prose
        ids = {*re.findall(r'\bid="([^"]+)"', body)}
        inner = {*re.findall(r'href="#([^"]+)"', prose)}
        assert inner and {name for name in inner if name not in ids} == set()


# ---- files ---------------------------------------------------------------------------
class Small:
    """A maker of one page."""

    files = {"01-one": "01-one.ipynb"}
    text = "first"

    def content(self, page):
        return self.text


def test_what_the_reader_has_changed_stays(tmp_path):
    maker = Small()
    path = tmp_path / "01-one.ipynb"
    assert [*reader.write(tmp_path, maker)] == [] and path.read_text() == "first"
    maker.text = "second"
    assert [*reader.write(tmp_path, maker)] == [] and path.read_text() == "second"
    path.write_text("the reader's")
    assert [*reader.write(tmp_path, maker)] == []  # there is nothing newer
    maker.text = "third"
    assert [*reader.write(tmp_path, maker)] == ["01-one.ipynb"]
    assert [*reader.write(tmp_path, maker)] == ["01-one.ipynb"]
    assert path.read_text() == "the reader's"
    path.unlink()
    assert [*reader.write(tmp_path, maker)] == [] and path.read_text() == "third"


def test_labels_are_those_of_the_chapters():
    names = json.loads((ROOT / "chapters" / "labels.json").read_text("utf-8"))["names"]
    for page, path in reader.pages().items():
        for label in re.findall(r":label: ([\w-]+)", path.read_text("utf-8")):
            assert names[label][0] == page, f"{label}: make book finds the labels again"
