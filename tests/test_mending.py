"""What students do to notebooks: mended where it can be, and always said."""

import copy

import nbformat
import pytest
from support.assignments import NAMES, check_of, grade_id, solved
from support.course import Course, points_by_program, points_got

from classroom.assignments import students_notebook

NAME = NAMES[0]


def without(notebook, *names):
    notebook.cells = [cell for cell in notebook.cells if grade_id(cell) not in names]
    return notebook


def cell_of(notebook, name):
    return next(cell for cell in notebook.cells if grade_id(cell) == name)


def unlabelled(notebook):
    for number, cell in enumerate(notebook.cells):
        cell.metadata, cell.id = {}, f"c{number}"
    return notebook


def edited(notebook):
    cell_of(notebook, check_of(NAME, "q1")).source = "print('all is well')"
    return notebook


def doubled(notebook):
    notebook.cells += [copy.deepcopy(cell_of(notebook, "q1"))]
    notebook.cells[-1].id = "copy"
    return notebook


def in_a_new_cell(notebook):
    """The answer in words is below its cell, which is left as it was."""
    last = notebook.cells[-1]
    notebook.cells.append(nbformat.v4.new_markdown_cell(last.source))
    last.source = students_notebook(NAME).cells[-1].source
    return notebook


def in_the_question(notebook):
    *_, statement, last = notebook.cells
    statement.source += f"\n\n{last.source}"
    last.source = students_notebook(NAME).cells[-1].source
    return notebook


def richer(notebook):
    cell_of(notebook, check_of(NAME, "q1")).metadata.nbgrader.points = 1000
    return notebook


def raw(notebook):
    notebook.cells[-1].cell_type = "raw"
    return notebook


def noisy(notebook):
    cell_of(notebook, "q1").source += "\nimport warnings; warnings.warn('a warning')"
    return notebook


def old(notebook):
    for cell in notebook.cells:
        del cell["id"]
    notebook.nbformat_minor = 4
    return notebook


UNHARMED = {
    "unlabelled": (unlabelled, "found again: setup, q1, q1-check"),
    "edited": (edited, f"{check_of(NAME, 'q1')}: edited check, restored"),
    "check-deleted": (lambda nb: without(nb, check_of(NAME, "q1")), "cell missing, put back"),
    "setup-deleted": (lambda nb: without(nb, "setup"), "setup: cell missing, put back"),
    "doubled": (doubled, "q1: 2 copies of the cell, the first is marked"),
    "new-cell": (in_a_new_cell, "q7: answered beside its cell, text put there"),
    "in-question": (in_the_question, "q7: answered beside its cell, text put there"),
    "raw": (raw, "q7: made a raw cell, restored"),
    "richer": (richer, ""),
    "noisy": (noisy, ""),
    "old": (old, ""),
}


def skipped(notebook):
    """Every check is told not to run."""
    for cell in notebook.cells:
        if "-check" in grade_id(cell):
            cell.metadata.tags = ["skip-execution"]
    return notebook


def emptied(notebook):
    """An answer that makes all later cells do nothing."""
    cell_of(notebook, "q1").source = (
        "import ast\nclass Nothing(ast.NodeTransformer):\n"
        "    def visit_Module(self, node): return ast.Module([], [])\n"
        "get_ipython().ast_transformers.append(Nothing())"
    )
    return notebook


def backwards(notebook):
    notebook.cells.reverse()
    return notebook


def odd(notebook):
    notebook.cells[0].metadata["nbgrader"] = None
    notebook.cells[2].metadata["nbgrader"] = {"grade_id": ["x"]}
    return notebook


@pytest.fixture(scope="module")
def mended(tmp_path_factory):
    course = Course(tmp_path_factory.mktemp("mended"))
    for what, (change, _) in UNHARMED.items():
        course.hand_in(what, NAME, change(solved(NAME)))
    course.hand_in("answer-deleted", NAME, without(solved(NAME), "q1"))
    course.hand_in("skipped", NAME, skipped(students_notebook(NAME)))
    course.hand_in("emptied", NAME, emptied(students_notebook(NAME)))
    course.hand_in("reversed", NAME, backwards(solved(NAME)))
    course.hand_in("odd", NAME, odd(solved(NAME)))
    course.rows = course.grade(str(course.folder))
    return course


@pytest.mark.parametrize("what", UNHARMED)
def test_what_can_be_mended_costs_nothing_and_is_said(mended, what):
    row, reason = mended.rows[what, f"{NAME}.ipynb"], UNHARMED[what][1]
    assert points_got(row, NAME) == points_by_program(NAME)
    assert reason in row["reason"] and row["status"] == ("look" if reason else "marked")
    assert row["by_hand"] == "q7"


@pytest.mark.parametrize("trick", ["skipped", "emptied"])
def test_a_check_that_does_not_run_gives_no_points(mended, trick):
    assert {*points_got(mended.rows[trick, f"{NAME}.ipynb"], NAME).values()} == {0}
    reason = mended.rows["emptied", f"{NAME}.ipynb"]["reason"]
    assert "did not run to its end" in reason


def test_another_order_is_said(mended):
    row = mended.rows["reversed", f"{NAME}.ipynb"]
    assert row["status"] == "look" and "cells in another order" in row["reason"]


def test_odd_labels_do_no_harm(mended):
    assert points_got(mended.rows["odd", f"{NAME}.ipynb"], NAME) == points_by_program(NAME)


def test_a_deleted_answer_costs_its_question(mended):
    row = mended.rows["answer-deleted", f"{NAME}.ipynb"]
    assert points_got(row, NAME) == {**points_by_program(NAME), "q1": 0}
    assert "q1: cell missing, put back, without an answer" in row["reason"]
