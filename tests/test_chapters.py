"""The chapters as they are stored: their outputs, their code, their files."""

import re
from operator import attrgetter

import nbformat
import pytest
from support.notebooks import (
    FUNCTION,
    IMPORT,
    NOTEBOOKS,
    UNSEEN,
    bindings,
    code_cells,
    each_notebook,
    helpers,
    package_names,
    sources,
)

import lenient
from lenient_book.explore import WIDGET_VIEW
from lenient_book.kinds import is_free
from lenient_book.normal import normal, text

PAGE_WIDTH = 75  # characters of code in a line; more are cut off on the page
PICTURES = 3_600_000  # bytes of all stored pictures, as base64


# ---- outputs -----------------------------------------------------------------------
def pictures(path):
    """(place, bundle) of each output with a picture."""
    for place, cell in code_cells(path):
        for output in cell.outputs:
            if "image/png" in output.get("data", {}):
                yield place, output.data


def pictures_without_alt(cell):
    """Pictures of a cell that say nothing to those who cannot see them."""
    if cell.metadata.get("mystnb", {}).get("image", {}).get("alt", "").strip():
        return []
    bundles = [output.get("data", {}) for output in cell.outputs]
    # An explorer brings the alt text of each of its frames itself.
    bundles = [bundle for bundle in bundles if WIDGET_VIEW not in bundle]
    return [kind for data in bundles for kind in data if kind.startswith("image/")]


@each_notebook
def test_outputs_come_from_one_run_from_top_to_bottom(path):
    # nbval compares nothing in a cell that was never run.
    counts = [cell.execution_count for _, cell in code_cells(path)]
    assert counts == list(range(1, len(counts) + 1))


@each_notebook
def test_outputs_are_clean(path):
    for place, cell in code_cells(path):
        kinds = {output.output_type for output in cell.outputs}
        streams = {output.get("name") for output in cell.outputs}
        assert "error" not in kinds and "stderr" not in streams, place


@each_notebook
def test_figures_have_alt_text(path):
    for place, cell in code_cells(path):
        assert pictures_without_alt(cell) == [], place


def test_pictures_without_alt_are_found():
    picture = nbformat.v4.new_output("display_data", {"image/png": "iVBO"})
    widget = nbformat.v4.new_output("display_data", {"image/png": "iVBO", WIDGET_VIEW: {}})
    cell = nbformat.v4.new_code_cell("plt.show()", outputs=[widget, picture])
    assert pictures_without_alt(cell) == ["image/png"]
    cell.metadata["mystnb"] = {"image": {"alt": "A curve that rises."}}
    assert pictures_without_alt(cell) == []


def test_pictures_are_light():
    weights = [len(data["image/png"]) for path in NOTEBOOKS for _, data in pictures(path)]
    assert len(weights) > 60 and sum(weights) < PICTURES


# ---- files -------------------------------------------------------------------------
@each_notebook
def test_file_is_in_normal_form(path):
    # If not: python -m lenient_book.outputs --tidy
    content = path.read_text("utf-8")
    same = text(normal(nbformat.reads(content, as_version=4))) == content
    assert same, f"{path.name} was not stored by make outputs"


@each_notebook
def test_checks_are_folded_and_say_what_they_are(path):
    for place, cell in code_cells(path):
        if "remove-cell" in cell.metadata.get("tags", []):
            assert cell.source.startswith("# Check"), place
            assert cell.metadata["jupyter"]["source_hidden"], place


@each_notebook
def test_no_widget_state(path):
    # It would leak into the page and ask for a widget manager.
    assert "widgets" not in nbformat.read(path, as_version=4).metadata


@each_notebook
def test_every_cell_has_an_id_of_its_own(path):
    ids = re.findall(r'^   "id": "([\w-]+)",$', path.read_text("utf-8"), re.MULTILINE)
    assert len(set(ids)) == len(nbformat.read(path, as_version=4).cells) == len(ids)


# ---- code --------------------------------------------------------------------------
@each_notebook
def test_code_fits_the_page(path):
    for place, source in sources(path):
        for line in source.splitlines():
            assert len(line) <= PAGE_WIDTH, f"{place}: {line}"


@each_notebook
def test_code_has_no_blanks_at_the_end_of_a_line(path):
    for place, source in sources(path):
        for line in source.split("\n"):
            assert line == line.rstrip(), f"{place}: {line!r}"


def changed_names(cells):
    """Names that are something else in a later cell, as far as reading can tell.

    `make outputs` looks at the values themselves when it runs a chapter.
    """
    known, found = {}, []
    for place, source in cells:
        for name, kind in bindings(source):
            before, where = known.get(name, (UNSEEN, place))
            if is_free(name) or name not in known or before == kind:
                known[name] = kind, place
            elif {before, kind} & {FUNCTION, IMPORT} or UNSEEN not in (before, kind):
                found.append(f"{place}: `{name}` is {kind}, and {before} in {where}")
            elif before == UNSEEN:
                known[name] = kind, place
    return found


@each_notebook
def test_names_keep_their_kind(path):
    assert changed_names(sources(path)) == []


@pytest.mark.parametrize(
    "cells",
    [
        ["def mean(x):\n    return x", "mean = 0.5"],
        ["def mean(x):\n    return x", "for mean in values:\n    pass"],
        ["import math", "if True:\n    math = 3"],
        ["label = 'TS'", "label = 3"],
        ["table = {}", "table = 'a'"],
        ["mean = f(1)", "mean = 2", "mean = {}"],
    ],
)
def test_changed_names_are_found(cells):
    cells = [(f"cell {number}", source) for number, source in enumerate(cells)]
    assert len(changed_names(cells)) == 1


def test_what_may_change_is_not_found():
    cells = ["x = 1", "x = 'a'", "color = 'red'", "color = 1", "def f():\n    mean = 1"]
    cells += ["mean = {}", "mean = g(mean)", "_ = 1", "_ = 'a'"]
    assert changed_names([("cell", source) for source in cells]) == []


@each_notebook
def test_package_has_what_the_code_uses(path):
    for place, source in sources(path):
        for name in package_names(source):
            try:
                attrgetter(name.removeprefix("lenient."))(lenient)
            except AttributeError as error:
                pytest.fail(f"{place}: {name}: {error}")


def test_helpers_have_one_meaning():
    """A function is defined once in a chapter, and in all chapters it is the same."""
    known, twice, other = {}, [], []
    for path in NOTEBOOKS:
        here = set()
        for place, source in sources(path):
            for name, code in helpers(source):
                twice += [f"{place}: {name}"] * (name in here)
                here.add(name)
                before, where = known.setdefault(name, (code, place))
                other += [f"{place}: {name} is another one in {where}"] * (code != before)
    assert twice == [] and other == []
