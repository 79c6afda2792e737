"""Exercises of a chapter to work on in its notebook: a cell, a check that helps, a way back.

    check("ex-lb-reading", coefficient=1.87)
    reset("ex-lb-reading")      the cell as it was at the start

What is asked is in chapters/practice, a file for each chapter: of each number its name, how
it is computed, and which mistakes are known by what they lead to, as in the quizzes.
"""

from functools import cache

import yaml

from lenient_book.quiz import verdict
from lenient_book.stored import folder

CELL = """\
# Your answer: fill in the dots, and run the cell as often as you like.
# To begin again, run:  reset("{label}")
from lenient_book.exercise import check, reset

{stub}

check("{label}", {arguments})
"""


@cache
def exercises():
    """{label: what is asked, a list} of all exercises with a check."""
    found = {}
    for path in sorted(folder("practice").glob("*.yml")):
        found |= yaml.safe_load(path.read_text("utf-8"))
    return found


def cell(label):
    """The cell to work in, as it is at the start."""
    asked = exercises()[label]
    stub = "\n".join(f"{each['name']} = ...  # {each['question'].strip()}" for each in asked)
    arguments = ", ".join(f"{each['name']}={each['name']}" for each in asked)
    return CELL.format(label=label, stub=stub, arguments=arguments).rstrip()


def check(label, **answers):
    """Say of each answer whether it is right, and what to think of if not."""
    lines = []
    for each in _asked(label):
        given = answers.get(each["name"], ...)
        lines.append(f"- `{each['name']}`: {judge(each, given)}")
    _show("\n".join(lines))


def judge(asked, given):
    """What is said of one answer."""
    if given is ...:
        return "still to be filled in."
    try:
        number = float(given)
    except (TypeError, ValueError):
        return f"should be a number, and is {type(given).__name__} {given!r}."
    if number != number:
        return "should be a number, and is NaN."
    right, because = verdict(asked, number)
    return ("✓ right. " if right else "✗ not yet. ") + " ".join(because.split())


def reset(label):
    """Put the cell that this is run in back as it was at the start."""
    _asked(label)
    from IPython import get_ipython

    get_ipython().set_next_input(cell(label), replace=True)


def _asked(label):
    if label not in exercises():
        raise ValueError(f"no exercise {label!r}; there are {', '.join(exercises())}")
    return exercises()[label]


def _show(text):
    from IPython.display import Markdown, display

    display(Markdown(text))
