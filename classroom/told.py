"""What a student may be told of a failed check: what its visible part says, no more.

Hidden tests may bear a hint, which is told when they fail:

    ### BEGIN HIDDEN TESTS
    # Hint: think of the edge q = 1.
    assert …

A hint is for the tests below it, up to the next one.
"""

import re
from dataclasses import dataclass

from nbgrader.utils import is_grade

from .report import on_one_line
from .sources import grade_id

_MARK = re.compile(r"### (BEGIN|END) HIDDEN TESTS")
_HINT = re.compile(r"\s*# Hint: (.*)")
# As Python and as IPython say where an error was; the first is where the check itself was.
_PLACE = re.compile(r'(?:File "{name}"|Cell In ?\[\d+\]|<ipython-input[^>]*>), line (\d+)')
_COLOUR = re.compile(r"\x1b\[[\d;]*m")


@dataclass(frozen=True)
class Told:
    """One thing that was wrong, in words for the student."""

    check: str
    text: str
    hidden: bool = False  # found by a hidden test


def told(notebook):
    """All that is told of an autograded notebook, in the order of its checks."""
    found = []
    for cell in notebook.cells:
        if is_grade(cell) and cell.cell_type == "code":
            found += [_of_error(cell, error) for error in _errors(cell)]
    return [*dict.fromkeys(found)]


def _errors(cell):
    """As they were put down when the check was run, or else as its outputs have them."""
    noted = cell.metadata.get("lenient", {}).get("errors")
    return noted or [one for one in cell.get("outputs", []) if one.output_type == "error"]


def _of_error(cell, error):
    name, kind, text = grade_id(cell), on_one_line(error["ename"]), error["evalue"]
    lines = cell.source.split("\n")
    line = _line_of(name, error)
    if line is None or not 1 <= line <= len(lines) or _is_hidden(lines, line):
        return Told(name, _hint(lines, line), True)
    said = on_one_line(text)[:1500]
    explained = kind in ("AssertionError", "NotImplementedError") and said
    return Told(name, said if explained else f"{kind}: {said}"[:1500])


def _line_of(name, error):
    text = _COLOUR.sub("", "\n".join(error.get("traceback", [])))
    place = re.compile(_PLACE.pattern.replace("{name}", re.escape(name)))
    found = place.search(text)
    return int(found[1]) if found else None


def _is_hidden(lines, number):
    hidden = False
    for line in lines[:number]:
        if mark := _MARK.search(line):
            hidden = mark[1] == "BEGIN"
    return hidden


def _hint(lines, number):
    """The nearest hint above, within the hidden tests; without a line, the first."""
    found = [
        (at, _HINT.fullmatch(line)[1].strip())
        for at, line in enumerate(lines, 1)
        if _HINT.fullmatch(line) and _is_hidden(lines, at)
    ]
    above = [hint for at, hint in found if number and at <= number]
    hint = above[-1] if above else found[0][1] if found and not number else ""
    return f"A further test failed: {hint}" if hint else "A further test failed."
