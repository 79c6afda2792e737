"""What the table and the screen say of a submission: points, and reasons in words."""

import os
import re

from .disk import DISK_MB, FILES
from .sources import question

# Of the errors that a notebook can have, those that are no wrong answers.
_UNUSUAL = {"CellTimeoutError", "NotebookTimeout", "KernelDied", "MemoryError", "NotRun"}
# What programs say that get none, where Python does not call it a MemoryError.
_SHORT_OF_MEMORY = re.compile(
    "(?i)cannot allocate memory|unable to allocate|failed to map segment|can't start new thread"
    "|memory allocation failed"
)


def on_one_line(text):
    """Without colours, line ends and the names of files that nobody has."""
    text = re.sub(r"\x1b\[[\d;]*m|\(\d+\.py, line \d+\)", "", text)
    return " ".join(re.sub(r"[\x00-\x1f\x7f]", " ", text).split())


def shown_file_name(path, folder):
    """Any bytes may be in a file's name."""
    return on_one_line(os.fsencode(os.path.relpath(path, folder)).decode("utf-8", "replace"))


def row_without_points(submission, file, worth, why=""):
    """The row of a submission that is not marked, or not yet."""
    row = {"student": submission.student, "assignment": submission.assignment, "file": file}
    row |= {"status": "not marked", "reason": why, "of": sum(worth.values()) or ""}
    return row | {"points": "", "by_hand": "", "messages": ""}


def points_columns(got):
    """The columns that come from the gradebook; `got` is {question: points or None}."""
    known = {
        question: f"{round(mine, 2):g}" for question, mine in got.items() if mine is not None
    }
    total = sum(mine for mine in got.values() if mine is not None)
    by_hand = [question for question in got if question not in known]
    blank = dict.fromkeys(by_hand, "")
    return {"points": f"{round(total, 2):g}", "by_hand": " ".join(by_hand), **blank, **known}


def reasons_to_look(errors, memory):
    """What a teacher should know of, besides wrong answers."""
    found = []
    for cell, kind, text in errors:
        if kind == "MemoryError" or _SHORT_OF_MEMORY.search(text):
            found.append(f"{cell}: out of memory, of which there are {memory >> 20} MB for it")
        elif "No space left on device" in text:
            found.append(f"{cell}: more than {DISK_MB} MB of files, or {FILES} of them")
        elif kind in _UNUSUAL:
            found.append(f"{cell}: {on_one_line(text)[:200]}")
    return found


def lost_points(errors, got, worth):
    """Why points were lost, in words."""
    lost = [q for q, mine in got.items() if mine is not None and mine < worth[q]]
    if not lost:
        return ""
    by_question = {q: [e for e in errors if question(e[0]) == q] for q in lost}
    empty = [
        q for q, mine in by_question.items()
        if not mine or any(kind == "NotImplementedError" for _, kind, _ in mine)
    ]  # fmt: skip
    found = [f"not answered: {', '.join(empty)}"] if empty else []
    for cell, kind, text in errors:
        asked, said = question(cell), on_one_line(text)[:200]
        matters = asked not in worth or asked in {*lost} - {*empty}
        if kind not in _UNUSUAL and matters:
            explained = kind == "AssertionError" and said
            found.append(f"{cell}: {said}" if explained else f"{cell}: {kind}: {said}")
    return "; ".join(found)[:2000]


def line_on_screen(row, seconds):
    got = row["points"] and f"{row['points']} of {row['of']}"
    what = row["assignment"] or os.path.basename(row["file"])
    return (
        f"{row['student']:20} {what:22} {row['status']:10} {got:9} {seconds:4.0f} s"
        f"  {row['reason']}"
    )
