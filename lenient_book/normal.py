"""The normal form of a stored notebook: what was run, and nothing of when and where.

Two runs with the same results give the same bytes, so that a change in a stored notebook
is a change in what a reader sees. `normal` brings a notebook into this form, `text` is the
file's content.
"""

import io
from base64 import b64decode, b64encode

import nbformat
from PIL import Image

from lenient_book.explore import WIDGET_VIEW
from lenient_book.pictures import few_colours, png_bytes

METADATA = {
    "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
    "language_info": {"name": "python"},
}
OURS = ("mystnb", "tags")  # what the book reads of a cell's metadata; editors add more
# What the page folds or leaves out is folded in Jupyter too; its first line stays in sight.
FOLDED = {
    "remove-cell": {"source_hidden": True},
    "hide-input": {"source_hidden": True},
    "hide-cell": {"outputs_hidden": True, "source_hidden": True},
}
GUARD = "# Check"  # how a cell that the page leaves out begins
GUARDED = "# Check: the numbers are as the text says."
COLOURS = 256  # with 64, the edges of thin curves in seven hues show


def normal(notebook, before=None):
    """Bring the notebook into normal form; pictures as in `before` keep its bytes."""
    notebook = nbformat.from_dict(notebook)
    notebook.metadata = nbformat.from_dict(METADATA)
    notebook.nbformat, notebook.nbformat_minor = 4, 5
    stored, count = _pictures(before), 0
    for cell in notebook.cells:
        cell.metadata = {key: cell.metadata[key] for key in OURS if key in cell.metadata}
        if cell.cell_type != "code":
            continue
        cell.source = "\n".join(line.rstrip() for line in cell.source.split("\n"))
        _fold(cell)
        has_run = cell.source.strip() != ""
        count += has_run
        cell.execution_count = count if has_run else None
        cell.outputs = _joined(cell.outputs)
        for place, output in enumerate(cell.outputs):
            _normal_output(output, cell.execution_count, stored.get((cell.id, place)))
    return notebook


def _fold(cell):
    """Hide in Jupyter what the page hides, and let a check say that it is one."""
    tags = cell.metadata.get("tags", [])
    for tag in FOLDED.keys() & {*tags}:
        cell.metadata["jupyter"] = dict(FOLDED[tag])
    if "remove-cell" in tags and not cell.source.startswith(GUARD):
        cell.source = f"{GUARDED}\n{cell.source}"


def text(notebook):
    """The file of a notebook: keys in order, a line for each line of source."""
    return nbformat.writes(notebook) + "\n"


def _joined(outputs):
    """What was printed in one go as one output: where it was cut depends on the time."""
    joined = []
    for output in outputs:
        name = output.get("name")
        if name and joined and joined[-1].get("name") == name:
            joined[-1].text += output.text
        else:
            joined.append(output)
    return joined


def _normal_output(output, count, stored):
    if output.output_type == "execute_result":
        output.execution_count = count
    if "data" in output:
        output.metadata = {}
        output.data.pop(WIDGET_VIEW, None)  # a number that no other kernel knows
    if "image/png" in output.get("data", {}):
        picture = small(output.data["image/png"])
        output.data["image/png"] = stored if _same(picture, stored) else picture


def small(coded):
    """The picture in few colours, unless it has few already; both as base64."""
    image = _image(coded)
    if image.mode == "P":
        return coded.strip()
    return b64encode(png_bytes(few_colours(image, COLOURS))).decode("ascii")


def _pictures(notebook):
    """{(cell, output): base64} of the pictures in a notebook."""
    return {
        (cell.id, place): output.data["image/png"]
        for cell in (notebook or {"cells": []})["cells"]
        for place, output in enumerate(cell.get("outputs", []))
        if "image/png" in output.get("data", {})
    }


def _same(picture, stored):
    """Are they the same, pixel by pixel? Another zlib packs them into other bytes."""
    if stored is None or _image(picture).size != _image(stored).size:
        return False
    one, other = (_image(coded).convert("RGBA").tobytes() for coded in (picture, stored))
    return one == other


def _image(coded):
    return Image.open(io.BytesIO(b64decode(coded)))
