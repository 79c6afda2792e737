"""Mark a folder of returned notebooks: python -m classroom.grade folder

Every file of the folder gets a row in a table: the points of each question, the status,
and the reason for anything unusual. Marks also go to nbgrader's gradebook, where open
questions are marked by hand. Without a folder, all tables are brought up to date.
"""

import argparse
import multiprocessing
import os
import re
import resource
import sys
import tempfile
import time
from pathlib import Path

import nbformat
import psutil
from nbgrader.api import MissingEntry
from nbgrader.utils import is_solution

from . import box, tables
from .assignments import nbgrader, private_in_words, release, students, why_failed
from .folders import ROOT, course_folder, private
from .intake import collect
from .sources import grade_id, names, points, question, source

# Of the errors that a notebook can have, those that are no wrong answers.
UNUSUAL = {"CellTimeoutError", "NotebookTimeout", "KernelDied", "MemoryError", "NotRun"}


# ---- one submission ------------------------------------------------------------------
def mark(api, name, student):
    """Run nbgrader on one submission, in a process of its own; why it failed, or ''."""
    config = api.config.BoxedExecute
    # nbgrader keeps the limits; this is for what gets past it.
    patience = config.notebook_seconds * 1.5 + 60
    reader, writer = multiprocessing.Pipe(duplex=False)
    with tempfile.TemporaryDirectory(dir="/tmp", ignore_cleanup_errors=True) as home:
        process = multiprocessing.get_context("fork").Process(
            target=_mark, args=(api, name, student, home, writer), daemon=True
        )
        process.start()
        writer.close()
        process.join(patience)
        if process.is_alive():
            box.end([*psutil.Process(process.pid).children(recursive=True), process])
            process.join()
            return f"stopped after {patience:.0f} seconds"
    try:
        return reader.recv()
    except EOFError:
        return f"marking itself failed (exit code {process.exitcode})"


def _mark(api, name, student, home, writer):
    box.BoxedKernelManager.home = home
    os.setpgrp()  # Ctrl-C reaches us through our parent alone
    silent = os.open(os.devnull, os.O_WRONLY)
    os.dup2(silent, 1), os.dup2(silent, 2)
    # Of the limits of time and memory, this one is for what a kernel sends us.
    memory = api.config.BoxedExecute.memory + 4 * 2**30
    resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
    writer.send(why_failed(api.autograde(name, student, force=True)))


def folder_of(name, student):
    """Where nbgrader looks for a submission."""
    return course_folder() / "submitted" / student / name


def origin(name, student):
    """The table and the file that a submission came from, and when that was changed."""
    note = folder_of(name, student) / "from.txt"
    table, file, changed = note.read_text("utf-8").split("\n")
    return table, file, float(changed)


def put(one, table, file):
    """Put a submission there; the questions whose answer is as it was before."""
    folder = folder_of(one.assignment, one.student)
    path, before = folder / f"{one.assignment}.ipynb", {}
    if path.exists():
        before = answers(nbformat.read(path, as_version=4))
    folder.mkdir(parents=True, exist_ok=True)
    nbformat.write(one.notebook, path)
    changed = one.path.stat().st_mtime
    (folder / "from.txt").write_text(f"{table}\n{file}\n{changed}", "utf-8")
    now = answers(one.notebook)
    return {asked for asked in now if before.get(asked) == now[asked]}


def answers(notebook):
    """{question: answer}, with its pictures."""
    cells = [cell for cell in notebook.cells if is_solution(cell)]
    return {grade_id(cell): (cell.source, cell.get("attachments")) for cell in cells}


def keep_marks_by_hand(api, name, student, unchanged):
    """Keep those for answers that are as they were; what is said of the others."""
    changed = []
    with api.gradebook as gradebook:
        for grade in gradebook.find_submission(name, student).notebooks[0].grades:
            if grade.manual_score is None:
                continue
            if question(grade.name) in unchanged:
                grade.needs_manual_grade = False
            else:
                had, grade.manual_score = grade.manual_score, None
                grade.needs_manual_grade = grade.auto_score is None
                changed.append(f"{grade.name}: changed since it was marked {had:g} by hand")
        gradebook.db.commit()
    return changed


def marks(api, name, student):
    """{question: points, or None where a person has to mark} from the gradebook."""
    found = {}
    with api.gradebook as gradebook:
        for grade in gradebook.find_submission(name, student).notebooks[0].grades:
            asked = question(grade.name)
            total = None if grade.needs_manual_grade else grade.score
            before = found.get(asked, 0)
            found[asked] = None if None in (total, before) else before + total
    return found


def errors(name, student):
    """What went wrong in a notebook: [(cell, kind of error, text)]."""
    path = course_folder() / "autograded" / student / name / f"{name}.ipynb"
    found = []
    for cell in nbformat.read(path, as_version=4).cells:
        raised = [o for o in cell.get("outputs", []) if o.output_type == "error"]
        if raised:  # of an interrupted cell, the last says why
            kind, text = raised[-1].ename[:50], plain(raised[-1].evalue[:1000])[:200]
            found.append((grade_id(cell) or "a cell of their own", kind, text))
    return found


def plain(text):
    """On one line, without colours and the names of files that nobody has."""
    text = re.sub(r"\x1b\[[\d;]*m|\(\d+\.py, line \d+\)", "", text)
    return " ".join(re.sub(r"[\x00-\x1f\x7f]", " ", text).split())


def messages(said, got, worth):
    """Why points were lost, in words."""
    lost = [q for q, mine in got.items() if mine is not None and mine < worth[q]]
    by_question = {q: [e for e in said if question(e[0]) == q] for q in lost}
    empty = [
        q for q, mine in by_question.items()
        if not mine or any(kind == "NotImplementedError" for _, kind, _ in mine)
    ]  # fmt: skip
    found = [f"not answered: {', '.join(empty)}"] if empty else []
    for cell, kind, text in said if lost else []:
        asked = question(cell)
        matters = asked not in worth or asked in {*lost} - {*empty}
        if kind not in UNUSUAL and matters:
            spoken = kind == "AssertionError" and text
            found.append(f"{cell}: {text}" if spoken else f"{cell}: {kind}: {text}")
    return "; ".join(found)[:2000]


# ---- the table -----------------------------------------------------------------------
def file_name(path, folder):
    """As it is shown: any bytes may be in it, and a spreadsheet would compute `=1+1`."""
    name = os.fsencode(os.path.relpath(path, folder)).decode("utf-8", "replace")
    return plain(f"./{name}" if name[0] in "=+-@" else name)


def not_marked(one, file, worth, why=""):
    """The line in the table of what is not marked, or not yet."""
    line = {"student": one.student, "assignment": one.assignment, "file": file}
    line |= {"status": "not marked", "reason": why, "of": sum(worth.values()) or ""}
    return line | {"points": "", "by_hand": "", "messages": ""}


def row(api, one, folder, worth):
    """Mark one submission; its line in the table."""
    file, table = file_name(one.path, folder), tables.table_of(folder).stem
    line = not_marked(one, file, worth)
    reasons, failed = list(one.remarks), one.notebook is None
    if not failed and (newer := newer_elsewhere(one, table)):
        return line | {"status": "replaced", "reason": newer}
    if not failed:
        unchanged = put(one, table, file)
        why = mark(api, one.assignment, one.student)
        failed, reasons = bool(why), [*reasons, *filter(None, [why])]
    if not failed:
        line["private_tests"] = " ".join(private(one.assignment))
        said = errors(one.assignment, one.student)
        unusual = {"MemoryError": "out of memory"}
        reasons += [f"{c}: {unusual.get(k, text)}" for c, k, text in said if k in UNUSUAL]
        reasons += keep_marks_by_hand(api, one.assignment, one.student, unchanged)
        got = marks(api, one.assignment, one.student)
        line |= score(got)
        line["messages"] = messages(said, got, worth)
    line["reason"] = plain("; ".join(dict.fromkeys(reasons)))[:2000]
    if not failed:
        line["status"] = "look" if reasons else "marked"
    return line


def newer_elsewhere(one, table):
    """Where the newer work is, if the student's work in the course is from elsewhere."""
    try:
        counts, file, changed = origin(one.assignment, one.student)
    except OSError:
        return ""
    older = counts != table and changed > one.path.stat().st_mtime
    return f"{counts} {file} is newer, and counts instead" if older else ""


def score(got):
    """The columns of a row that come from the gradebook."""
    known = {question: f"{mine:g}" for question, mine in got.items() if mine is not None}
    total = sum(mine for mine in got.values() if mine is not None)
    by_hand = [question for question in got if question not in known]
    blank = dict.fromkeys(by_hand, "")
    return {"points": f"{total:g}", "by_hand": " ".join(by_hand), **blank, **known}


def update(api):
    """Bring the tables up to date: marks by hand, and what was handed in again."""
    for path in tables.tables():
        lines = tables.read(path)
        for line in lines:
            if line["status"] not in ("marked", "look"):
                continue
            name, student = line["assignment"], line["student"]
            try:
                table, file, _ = origin(name, student)
                if (table, file) == (path.stem, line["file"]):
                    line |= score(marks(api, name, student))
                    continue
                why = f"see {table} {file}"
            except (OSError, MissingEntry):
                why = "removed from the course"
            line["status"] = "replaced"
            tables.add(line, "reason", why)
        tables.write(path, lines)
    return tables.write_overview(names())


def mark_folder(folder):
    """Mark all that is in a folder, with a line on the screen for each file."""
    released = {name: students(name) for name in names()}
    worth = {name: points(source(name)) for name in released}
    found = collect(folder, released)
    if not found:
        sys.exit(f"{folder} is empty; give the folder with the students' notebooks")
    handed_in = {one.assignment for one in found}
    for name in released:
        try:
            if name in handed_in or private(name):
                release(name)  # so that nbgrader knows its tests as they are now
        except RuntimeError as error:
            sys.exit(str(error))
    print(private_in_words())
    api, lines, path = nbgrader(), [], tables.table_of(folder)
    before = {line["file"]: line for line in tables.read(path)} if path.exists() else {}
    for count, one in enumerate(found, 1):
        begun, most = time.monotonic(), worth.get(one.assignment, {})
        try:
            line = row(api, one, folder, most)
        except Exception as error:  # the others are to be marked all the same
            why = f"marking failed: {plain(repr(error))[:200]}"
            line = not_marked(one, file_name(one.path, folder), most, why)
        lines.append(line)
        before.pop(line["file"], None)
        # Each time, with what was there before, so that nothing is lost by Ctrl-C.
        tables.write(path, [*lines, *before.values()])
        what = line["points"] and f"{line['points']} of {line['of']}"
        print(
            f"{count:3}/{len(found)}  {one.student:20} {one.assignment or one.path.name:22}"
            f" {line['status']:10} {what:9} {time.monotonic() - begun:4.0f} s"
            f"  {line['reason']}",
            flush=True,
        )
    gone = [line for line in before.values() if line["status"] != "not marked"]
    for line in gone:
        tables.add(line, "reason", "no longer in the folder")
        line["status"] = line["status"].replace("marked", "look")
    tables.write(path, [*lines, *gone])
    overview = update(api)
    print(f"\nThe table: {path}\nThe course: {overview}")
    if any(line["by_hand"] for line in lines):
        print("Some answers wait to be marked by hand: make formgrader, then make grade")


def main(arguments=None):
    parser = argparse.ArgumentParser(prog="python -m classroom.grade")
    parser.add_argument("folder", nargs="?", help="one subfolder per student, or files")
    folder = parser.parse_args(arguments).folder
    if folder is None:
        if not tables.tables():
            sys.exit("Nothing has been marked yet: make grade SUBMISSIONS=folder")
        print(f"Up to date: {update(nbgrader())}", *tables.tables(), sep="\n  ")
        return
    if not Path(folder).is_dir():
        sys.exit(f"{folder} is not a folder; give the one with the students' notebooks")
    if ROOT.is_relative_to(os.path.abspath(folder)):
        sys.exit(f"{folder} holds this checkout; give the one with the students' notebooks")
    if why := box.why_open():
        print(
            f"WARNING: {why}.\nStudents' code is NOT boxed: it can read and delete your "
            "files, end your programs\nand use the network. Only limits of time and memory "
            "hold. Do not mark as root like this.",
            file=sys.stderr,
        )
    mark_folder(os.path.abspath(folder))


if __name__ == "__main__":
    main()
