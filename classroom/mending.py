"""A notebook that came back is made fit to be marked.

Students delete cells and edit checks, and tools drop the labels that nbgrader goes by.
nbgrader gives 0 points then, and says why only in its log. Here a notebook is put in
order first, and whatever was done to it is written down as a remark.
"""

import re

import nbformat
from nbgrader.utils import is_grade, is_solution

from .sources import grade_id


def put_in_order(notebook, released):
    """The notebook with every cell of the assignment in it, and what had to be done."""
    remarks, relabelled = [], []
    cells = [c for c in notebook.cells if c.cell_type != "raw" or grade_id(c)]
    known = {grade_id(cell): cell for cell in released.cells if grade_id(cell)}
    for cell in cells:
        # Of all that is said about a cell, its name alone counts: a tag may switch it off.
        name = grade_id(cell)
        marks = {"nbgrader": known[name].metadata.nbgrader} if name in known else {}
        cell.metadata = nbformat.from_dict(marks)

    position = 0
    for name, original in known.items():
        cell = _cell_with_label(cells, name, position, remarks)
        cell = cell or _cell_that_lost_its_label(cells, original)
        if cell is None:
            cell = nbformat.from_dict(original)
            cells.insert(position, cell)
            empty = ", without an answer" if is_solution(original) else ""
            remarks.append(f"{name}: cell missing, put back{empty}")
        elif grade_id(cell) != name:
            relabelled.append(name)
        if not is_solution(original) and cell.source != original.source:
            what = "check" if is_grade(original) else "cell"
            remarks.append(f"{name}: edited {what}, restored")
        if cell.cell_type != original.cell_type:
            remarks.append(f"{name}: made a {cell.cell_type} cell, restored")
            cell.cell_type = original.cell_type
            for key in ("outputs", "execution_count"):
                cell.pop(key, None)
            if cell.cell_type == "code":
                cell.outputs, cell.execution_count = [], None
        cell.metadata["nbgrader"] = dict(original.metadata.nbgrader)
        position = next(i for i, one in enumerate(cells) if one is cell) + 1

    if relabelled:
        remarks.append(f"cells without their labels, found again: {', '.join(relabelled)}")
    remarks += _move_stray_answers(cells, released)
    names = [grade_id(cell) for cell in cells if grade_id(cell)]
    if [*dict.fromkeys(names)] != [*known]:
        remarks.append("cells in another order")
    fit = nbformat.v4.new_notebook(cells=cells, metadata=released.metadata)
    for number, cell in enumerate(fit.cells):
        cell.id = grade_id(cell) or f"other-{number}"
    return fit, remarks


def _move_stray_answers(cells, released):
    """Put an answer in words that stands beside its cell into that cell."""
    given = {cell.source for cell in released.cells} | {""}
    at = [i for i, cell in enumerate(cells) if grade_id(cell)]
    remarks = []
    for before, here, after in zip([-1, *at], at, [*at[1:], len(cells)]):
        cell = cells[here]
        if is_grade(cell) and is_solution(cell) and cell.source.strip() in given:
            beside = [one for one in cells[before + 1 : after] if one is not cell]
            texts = [one.source for one in beside if one.cell_type == "markdown"]
            if written := [text for text in texts if text.strip() not in given]:
                cell.source = "\n\n".join(written)
                remarks.append(f"{grade_id(cell)}: answered beside its cell, text put there")
    return remarks


def _cell_with_label(cells, name, position, remarks):
    """The cell of that label; of several, the first after the cells that are in order."""
    copies = [i for i, cell in enumerate(cells) if grade_id(cell) == name]
    if not copies:
        return None
    chosen = next((i for i in copies if i >= position), copies[-1])
    for i in copies:
        if i != chosen:
            del cells[i].metadata["nbgrader"]
    if len(copies) > 1:
        remarks.append(f"{name}: {len(copies)} copies of the cell, the first is marked")
    return cells[chosen]


def _cell_that_lost_its_label(cells, original):
    """The cell that lost its label: the same text, or the same thing defined."""
    opening = _what_it_defines(original)
    for cell in cells:
        if grade_id(cell):
            continue
        if cell.get("id") == original.id or cell.source == original.source:
            return cell
        if is_solution(original) and opening and _what_it_defines(cell) == opening:
            return cell
    return None


def _what_it_defines(cell):
    """`def kl` or `C` of an answer cell: what it begins to define."""
    match = re.search(r"(?m)^(def \w+|class \w+|\w+ *(?==))", cell.source)
    return match[1].strip() if match and cell.cell_type == "code" else ""
