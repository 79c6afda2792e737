"""Assignments in tests: their cells run in this process, and typical wrong answers."""

import contextlib
import copy
import io

import matplotlib.pyplot as plt

from classroom.assignments import students_notebook
from classroom.sources import grade_id, names, question, source
from support.paths import ROOT

NAMES = names()
WRONG = ROOT / "tests" / "wrong_answers"


def run_cells(notebook, alone=None):
    """Run all code cells, or those of a question alone; {cell: error} of what fails."""
    space, errors = {"__name__": "__main__"}, {}
    for cell in notebook.cells:
        mine = alone is None or question(grade_id(cell)) in ("setup", alone)
        if cell.cell_type == "code" and mine:
            try:
                with contextlib.redirect_stdout(io.StringIO()):
                    exec(compile(cell.source, grade_id(cell) or "cell", "exec"), space)
            except Exception as error:
                errors[grade_id(cell)] = error
    plt.close("all")
    return errors


def wrong_answers(name):
    """[(question, what is wrong, the answer cell)], from blocks `# %% q1: sign error`."""
    blocks = (WRONG / f"{name}.py").read_text("utf-8").split("\n# %% ")[1:]
    found = []
    for block in blocks:
        head, _, code = block.partition("\n")
        cell, _, what = head.partition(":")
        found.append((cell.strip(), what.strip(), code))
    return found


def answered(notebook, answers):
    """A copy of the notebook, with some of its answer cells replaced."""
    notebook = copy.deepcopy(notebook)
    for cell in notebook.cells:
        cell.source = answers.get(grade_id(cell), cell.source)
    return notebook


def solved(name):
    """The students' notebook with the reference answers in it."""
    answers = {
        grade_id(cell): cell.source
        for cell in source(name).cells
        if cell.metadata.get("nbgrader", {}).get("solution")
    }
    return answered(students_notebook(name), answers)


def check_of(name, question):
    """The name of the first check of a question."""
    labels = [grade_id(cell) for cell in source(name).cells]
    return next(label for label in labels if label.startswith(f"{question}-check"))
