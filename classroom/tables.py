"""The tables of marks (CSV): one for each folder that was marked, one for the course."""

import csv
import itertools
import os
import re
from pathlib import Path

from .folders import course_folder

_FIRST_COLUMNS = [
    "student",
    "assignment",
    "file",
    "status",
    "reason",
    "points",
    "of",
    "by_hand",
]
_FORMULA = tuple("=+-@\t\r")
_LAST_COLUMNS = ["private_tests", "messages"]


def table_of(folder):
    """course/grades/returned-week1.csv of the folder returned/week1.

    A file beside it says whose it is: another folder with such a name gets another table.
    """
    parts = [part for part in Path(os.path.relpath(folder)).parts if part != ".."]
    grades = course_folder() / "grades"
    grades.mkdir(parents=True, exist_ok=True)
    for number in itertools.count(1):
        stem = "-".join([*parts[-2:], *([str(number)] if number > 1 else [])])
        owner = grades / f".{stem}"
        if not owner.exists():
            owner.write_text(str(folder), "utf-8")
        if owner.read_text("utf-8") == str(folder):
            return grades / f"{stem}.csv"


def all_tables():
    return sorted((course_folder() / "grades").glob("*.csv"))


def write(path, lines):
    asked = {key for line in lines for key in line if re.fullmatch(r"q\d+", key)}
    questions = sorted(asked, key=lambda question: int(question[1:]))
    write_lines(path, [*_FIRST_COLUMNS, *questions, *_LAST_COLUMNS], lines)


def write_lines(path, columns, lines):
    unfinished = path.with_suffix(".new")
    with open(unfinished, "w", newline="", encoding="utf-8") as file:
        table = csv.DictWriter(file, columns, restval="")
        table.writeheader()
        for line in lines:
            table.writerow({key: _no_formula(text) for key, text in line.items()})
    os.replace(unfinished, path)


def _no_formula(text):
    """A spreadsheet would compute a text that begins like a formula, and may run programs."""
    return f"'{text}" if _looks_like_a_formula(text) else text


def _looks_like_a_formula(text):
    return isinstance(text, str) and text.lstrip("'").startswith(_FORMULA)


def read(path):
    with open(path, newline="", encoding="utf-8") as file:
        lines = [*csv.DictReader(file)]
    return [{key: _without_guard(text) for key, text in line.items()} for line in lines]


def _without_guard(text):
    return text[1:] if _looks_like_a_formula(text) and text[0] == "'" else text


def add_text(row, column, text):
    """Put one more text into a column, once."""
    texts = [*filter(None, row.get(column, "").split("; ")), text]
    row[column] = "; ".join(dict.fromkeys(texts))
