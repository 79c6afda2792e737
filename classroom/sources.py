"""The assignments as they are written, one notebook for each; nbgrader is not needed here."""

import nbformat

from .folders import SOURCES


def source(name):
    return nbformat.read(SOURCES / name / f"{name}.ipynb", as_version=4)


def about(name):
    """Title, number, chapters and minutes, as the source notebook states them."""
    return source(name).metadata.lenient


def names():
    """All assignments, in the order of the course."""
    found = [path.parent.name for path in SOURCES.glob("[!.]*/*.ipynb")]
    return sorted(found, key=lambda name: about(name).number)


def grade_id(cell):
    """The cell's name, or '' if it has none; students' files may hold anything here."""
    marks = cell.metadata.get("nbgrader")
    name = marks.get("grade_id", "") if isinstance(marks, dict) else ""
    return name if isinstance(name, str) else ""


def question(name):
    """q2 of the cells q2, q2-check-a and q2-check-b."""
    return name.split("-")[0]


def points(nb):
    """{question: points}."""
    found = {}
    for cell in nb.cells:
        if worth := cell.metadata.get("nbgrader", {}).get("points"):
            asked = question(grade_id(cell))
            found[asked] = found.get(asked, 0) + worth
    return found
