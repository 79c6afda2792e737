"""Running chapters and storing their outputs: the same bytes for the same results."""

import io
import re
from base64 import b64encode

import nbformat
import numpy as np
import pytest
from PIL import Image
from support.paths import ROOT

from lenient_book import outputs
from lenient_book.explore import WIDGET_VIEW
from lenient_book.kinds import changes, kind, kinds
from lenient_book.normal import METADATA, normal, small, text
from lenient_book.pictures import few_colours, png_bytes


def coded(image, **options):
    buffer = io.BytesIO()
    image.save(buffer, "png", **options)
    return b64encode(buffer.getvalue()).decode("ascii")


def gradient(mode="RGBA"):
    """More colours than a palette holds."""
    y, x = np.mgrid[:64, :64]
    pixels = np.stack([4 * x, 4 * y, 2 * (x + y), np.full_like(x, 255)], axis=2)
    return Image.fromarray(pixels.astype("uint8"), "RGBA").convert(mode)


def notebook(*sources):
    cells = [nbformat.v4.new_code_cell(s, id=f"c{k}") for k, s in enumerate(sources)]
    return nbformat.v4.new_notebook(cells=cells)


@pytest.fixture
def chapter(tmp_path):
    """A function that stores a small chapter and returns its path."""

    def write(*sources):
        path = tmp_path / "01-small.ipynb"
        path.write_text(text(notebook(*sources)), "utf-8")
        return path

    return write


# ---- pictures ----------------------------------------------------------------------
def test_few_colours_are_close_to_all_of_them():
    image = gradient("RGB")
    close = few_colours(image, 256).convert("RGB")
    assert abs(np.asarray(image, int) - np.asarray(close)).max() < 16


def test_paper_is_white_where_a_picture_is_transparent():
    image = few_colours(Image.new("RGBA", (2, 2), (255, 0, 0, 0)), 8)
    assert image.convert("RGB").getpixel((0, 0)) == (255, 255, 255)


def test_small_picture_stays_as_it_is():
    once = small(coded(gradient()))
    assert once != coded(gradient()) and small(once) == once


# ---- normal form -------------------------------------------------------------------
def test_what_belongs_to_a_run_is_left_out():
    given = notebook("x = 1  ", "", "x")
    given.metadata["widgets"] = {"state": {}}
    first, empty, last = given.cells
    first.metadata.update(execution={"iopub.execute_input": "12:00"}, tags=["hide-input"])
    last.outputs = [
        nbformat.v4.new_output("execute_result", {"text/plain": "1", WIDGET_VIEW: {}})
    ]
    for cell in given.cells:
        cell.execution_count = 17
    made = normal(given)
    assert made.metadata == METADATA
    assert made.cells[0].source == "x = 1" and made.cells[0].metadata == {
        "jupyter": {"source_hidden": True},
        "tags": ["hide-input"],
    }
    assert [cell.execution_count for cell in made.cells] == [1, None, 2]
    [result] = made.cells[2].outputs
    assert result.execution_count == 2 and result.data == {"text/plain": "1"}


def test_what_the_page_hides_is_folded_in_jupyter_and_a_check_says_so():
    given = notebook("assert x == 1", "# Check of x\nassert x", "x", "y", "z")
    tags = ["remove-cell", "remove-cell", "hide-input", "hide-cell"]
    for cell, tag in zip(given.cells, tags):
        cell.metadata.tags = [tag]
    made = normal(normal(given)).cells
    assert made[0].source == "# Check: the numbers are as the text says.\nassert x == 1"
    assert [cell.source for cell in made[1:]] == [cell.source for cell in given.cells[1:]]
    hidden = [cell.metadata.get("jupyter", {}).get("source_hidden") for cell in made]
    assert hidden == [True, True, True, True, None]
    assert made[3].metadata.jupyter.outputs_hidden is True


def test_what_was_printed_in_pieces_is_joined():
    given = notebook("print()")
    pieces = [("stdout", "a"), ("stdout", "b"), ("stderr", "c"), ("stdout", "d")]
    given.cells[0].outputs = [
        nbformat.v4.new_output("stream", name=name, text=text) for name, text in pieces
    ]
    printed = [output.text for output in normal(given).cells[0].outputs]
    assert printed == ["ab", "c", "d"]


def test_picture_with_the_same_pixels_keeps_its_bytes():
    def shown(picture):
        given = notebook("plt.show()")
        given.cells[0].outputs = [
            nbformat.v4.new_output("display_data", {"image/png": picture})
        ]
        return given

    stored = coded(few_colours(gradient(), 256), compress_level=1)
    assert stored != small(coded(gradient()))
    made = normal(shown(coded(gradient())), before=shown(stored))
    assert made.cells[0].outputs[0].data["image/png"] == stored
    other = coded(gradient().rotate(90))
    made = normal(shown(other), before=shown(stored))
    assert made.cells[0].outputs[0].data["image/png"] == small(other)


def test_text_has_a_line_for_each_line():
    content = text(notebook("a = 'ε'\nb = 2"))
    assert content.endswith("}\n") and '    "a = \'ε\'\\n",\n    "b = 2"\n' in content


# ---- kinds -------------------------------------------------------------------------
@pytest.mark.parametrize(
    "value, name",
    [
        (1, "a number or several"),
        (np.float64(0.5), "a number or several"),
        (np.array([True]), "a number or several"),
        ([(1, 2.5), [3]], "a number or several"),
        (["a"], "a list"),
        ("a", "a text"),
        (max, "a function"),
        (int, "a class"),
        (np, "a module"),
        ({}, "a dict"),
        (None, "None"),
        (Image.new("L", (1, 1)), "Image"),
    ],
)
def test_kind(value, name):
    assert kind(value) == name


def test_changes_name_what_became_something_else():
    before = kinds({"mean": max, "horizon": 10, "x": 1, "color": "red", "_": 1})
    after = kinds({"mean": 0.5, "horizon": [10], "x": "a", "color": (1, 0, 0), "_": ""})
    assert list(changes(before, after)) == [
        "`mean` was a function and is now a number or several"
    ]


# ---- runs --------------------------------------------------------------------------
def test_running_twice_changes_no_byte(chapter, monkeypatch):
    monkeypatch.setenv("LENIENT_STATIC", "1")  # must not reach the chapter
    path = chapter(
        "import os, time\nfor k in range(3):\n    print(k, flush=True)\n    time.sleep(0.1)",
        "import matplotlib.pyplot as plt\nplt.plot([0, 1])\nplt.show()",
        "os.path.basename(os.getcwd()), os.environ.get('LENIENT_STATIC')",
    )
    assert outputs.store(path) is True
    printed, shown, last = (c.outputs[0] for c in nbformat.read(path, as_version=4).cells)
    assert printed.text == "0\n1\n2\n" and shown.data["image/png"]
    assert last.data["text/plain"] == f"('{path.parent.name}', None)"
    content = path.read_bytes()
    assert outputs.store(path) is False and path.read_bytes() == content


@pytest.mark.parametrize(
    "cells, message",
    [
        (["x = 1", "1 / 0"], "cell 1: ZeroDivisionError: division by zero"),
        (
            ["def mean(x):\n    return x", "mean = mean(1)"],
            "cell 1: `mean` was a function and is now a number or several",
        ),
    ],
    ids=["error", "kind"],
)
def test_failed_run_leaves_the_file_and_names_the_cell(
    chapter, monkeypatch, capsys, cells, message
):
    path = chapter(*cells)
    content = path.read_bytes()
    monkeypatch.setattr(outputs, "chapters", lambda chosen: [path])
    assert outputs.main([]) == 1
    assert path.read_bytes() == content
    assert f"01-small.ipynb, {message}" in capsys.readouterr().out


def test_chapters_are_chosen_by_number_or_name():
    names = [path.name for path in outputs.chapters(["3", "11-edges", "recipes"])]
    assert names == ["03-lower-bound.ipynb", "11-edges-and-long-runs.ipynb", "recipes.ipynb"]
    listed = re.findall(r"file: (chapters/\S+)", (ROOT / "_toc.yml").read_text("utf-8"))
    notebooks = [ROOT / f"{page}.ipynb" for page in listed if "exercises" not in page]
    assert {*outputs.chapters()} == {path for path in notebooks if path.is_file()}
    with pytest.raises(outputs.Failed, match="no chapter 99"):
        outputs.chapters(["99"])


def test_png_bytes_are_a_picture():
    image = few_colours(gradient(), 16)
    assert Image.open(io.BytesIO(png_bytes(image))).convert("RGB").getcolors() is not None
