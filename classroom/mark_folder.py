"""Mark all that came back in a folder, and keep the tables of the course up to date."""

import os
import sys
import time
from collections import deque

from nbgrader.api import MissingEntry

from . import report, results, submission, tables
from .assignments import nbgrader_api, release, students_notebook
from .intake import collect
from .late import read_late
from .private_tests import private_tests_of, which_are_used
from .roll import read_roll
from .sources import names, points, source


def mark_folder(folder):
    """Mark all that is in a folder, with a line on the screen for each file."""
    read_roll(), read_late()  # so that a mistake in them is told now
    released = {name: students_notebook(name) for name in names()}
    worth = {name: points(source(name)) for name in released}
    found = collect(folder, released)
    if not found:
        sys.exit(f"{folder} is empty; give the folder with the students' notebooks")
    _release_again({one.assignment for one in found})
    print(which_are_used())
    api, rows, path = nbgrader_api(), [], tables.table_of(folder)
    before = {row["file"]: row for row in tables.read(path)} if path.exists() else {}
    marking = (_rows_even_if_marking_fails(api, one, folder, worth, released) for one in found)
    begun = time.monotonic()
    for count, row in enumerate(_several_at_a_time(marking), 1):
        rows.append(row)
        before.pop(row["file"], None)
        # Each time, with what was there before, so that nothing is lost by Ctrl-C.
        tables.write(path, [*rows, *before.values()])
        seconds, begun = time.monotonic() - begun, time.monotonic()
        print(f"{count:3}/{len(found)}  {report.line_on_screen(row, seconds)}", flush=True)
    gone = [row for row in before.values() if row["status"] != "not marked"]
    for row in gone:
        tables.add_text(row, "reason", "no longer in the folder")
        row["status"] = row["status"].replace("marked", "look")
    tables.write(path, [*rows, *gone])
    print(f"\nThe table: {path}\nThe course: {update_tables(api)}")
    if any(row["by_hand"] for row in rows):
        print("Some answers wait to be marked by hand: make formgrader, then make grade")


def _release_again(handed_in):
    """So that nbgrader knows the tests of these assignments as they are now."""
    for name in names():
        try:
            if name in handed_in or private_tests_of(name):
                release(name)
        except RuntimeError as error:
            sys.exit(str(error))


def _several_at_a_time(marking):
    """The rows of all, in order, while as many as there are processors are being marked."""
    under_way, most = deque(), min(4, os.cpu_count() or 1)
    for one in marking:
        under_way.append((next(one), one))
        if len(under_way) == most:
            yield _row_of(*under_way.popleft())
    while under_way:
        yield _row_of(*under_way.popleft())


def _row_of(row, marking):
    return next(marking) if row is None else row


def _rows_even_if_marking_fails(api, one, folder, worth, released):
    """None when the work is under way, and then the row; or the row at once."""
    file, name = report.shown_file_name(one.path, folder), one.assignment
    worth, released = worth.get(name, {}), released.get(name)
    try:
        yield from _mark_submission(
            api, one, file, tables.table_of(folder).stem, worth, released
        )
    except Exception as error:  # the others are to be marked all the same
        why = f"marking failed: {report.on_one_line(repr(error))[:200]}"
        yield report.row_without_points(one, file, worth, why)


def _mark_submission(api, one, file, table, worth, released):
    """Mark one submission, if it can be marked: None while it is run, and its row."""
    row = report.row_without_points(one, file, worth)
    name, student, reasons = one.assignment, one.student, list(one.remarks)
    if one.notebook is None:
        yield row | {"reason": _joined(reasons)}
        return
    if newer := _newer_elsewhere(one, table):
        yield row | {"status": "replaced", "reason": newer}
        return
    unchanged = submission.put_in_place(one, table, file)
    running = submission.Autograding(api, name, student)
    yield None
    if why := running.why_it_failed():
        yield row | {"reason": _joined([*reasons, why])}
        return
    errors = submission.errors(name, student)
    reasons += report.reasons_to_look(errors, api.config.BoxedExecute.memory)
    reasons += submission.keep_marks_by_hand(api, name, student, unchanged)
    got = submission.marks(api, name, student)
    reasons += submission.suspicions(name, student, released, got)
    yield row | report.points_columns(got) | {
        "status": "look" if reasons else "marked",
        "reason": _joined(reasons),
        "private_tests": " ".join(private_tests_of(name)),
        "messages": report.lost_points(errors, got, worth),
    }  # fmt: skip


def _joined(reasons):
    return report.on_one_line("; ".join(dict.fromkeys(reasons)))[:2000]


def _newer_elsewhere(one, table):
    """Where the newer work is, if the student's work in the course is from elsewhere."""
    try:
        counts, file, changed = submission.origin(one.assignment, one.student)
    except OSError:
        return ""
    older = counts != table and changed > one.path.stat().st_mtime
    return f"{counts} {file} is newer, and counts instead" if older else ""


def update_tables(api):
    """Bring the tables up to date: marks by hand, and what was handed in again."""
    for path in tables.all_tables():
        rows = tables.read(path)
        for row in rows:
            if row["status"] in ("marked", "look"):
                _update_row(api, row, path.stem)
        tables.write(path, rows)
    return results.write_overview(names())


def _update_row(api, row, its_table):
    name, student = row["assignment"], row["student"]
    try:
        table, file, _ = submission.origin(name, student)
        if (table, file) == (its_table, row["file"]):
            row |= report.points_columns(submission.marks(api, name, student))
            return
        why = f"see {table} {file}"
    except (OSError, MissingEntry):
        why = "removed from the course"
    row["status"] = "replaced"
    tables.add_text(row, "reason", why)
