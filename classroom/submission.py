"""One submission in the course: put in its place, marked by nbgrader, and what came of it."""

import functools
import multiprocessing
import os
import resource
import subprocess
import tempfile
import time

import nbformat
import psutil
from nbgrader.utils import is_grade, is_solution

from . import box, disk
from .assignments import why_failed
from .folders import course_folder
from .sources import grade_id, question


# ---- where it lies -------------------------------------------------------------------
def _folder_of(name, student):
    """Where nbgrader finds a submission when we call it; what was handed in is left alone."""
    return course_folder() / "mended" / student / name


def origin(name, student):
    """The table and the file that a submission came from, and when that was changed."""
    note = _folder_of(name, student) / "from.txt"
    table, file, changed = note.read_text("utf-8").split("\n")
    return table, file, float(changed)


def put_in_place(submission, table, file):
    """Write it where nbgrader looks; the questions whose answer is as it was before."""
    folder = _folder_of(submission.assignment, submission.student)
    path, before = folder / f"{submission.assignment}.ipynb", {}
    if path.exists():
        before = _answers(nbformat.read(path, as_version=4))
    folder.mkdir(parents=True, exist_ok=True)
    nbformat.write(submission.notebook, path)
    changed = submission.path.stat().st_mtime
    (folder / "from.txt").write_text(f"{table}\n{file}\n{changed}", "utf-8")
    now = _answers(submission.notebook)
    return {asked for asked in now if before.get(asked) == now[asked]}


def _answers(notebook):
    """{question: answer}, with its pictures."""
    cells = [cell for cell in notebook.cells if is_solution(cell)]
    return {grade_id(cell): (cell.source, cell.get("attachments")) for cell in cells}


# ---- nbgrader marks it ---------------------------------------------------------------
class Autograding:
    """nbgrader at work on a submission, in a process of its own."""

    def __init__(self, api, name, student):
        config = api.config.BoxedExecute
        # nbgrader keeps the limits; this is for what gets past it.
        self.patience = config.notebook_seconds * 1.5 + 60
        self.until = time.monotonic() + self.patience
        self.home = tempfile.TemporaryDirectory(dir="/tmp", ignore_cleanup_errors=True)
        self.reader, writer = multiprocessing.Pipe(duplex=False)
        given = (api, name, student, self.home.name, _can_have_disk(), writer)
        fork = multiprocessing.get_context("fork")
        self.process = fork.Process(target=_autograde_here, args=given, daemon=True)
        self.process.start()
        writer.close()

    def why_it_failed(self):
        """When it is done; '' if it succeeded."""
        with self.home:
            self.process.join(max(0, self.until - time.monotonic()))
            if self.process.is_alive():
                family = psutil.Process(self.process.pid).children(recursive=True)
                box.kill_all([*family, self.process])
                self.process.join()
                return f"stopped after {self.patience:.0f} seconds"
        try:
            return self.reader.recv()
        except EOFError:
            return f"marking itself failed (exit code {self.process.exitcode})"


def _autograde_here(api, name, student, home, private, writer):
    if private:
        disk.make_private(home)
    box.BoxedKernelManager.home = home
    os.setpgrp()  # Ctrl-C reaches us through our parent alone
    silent = os.open(os.devnull, os.O_WRONLY)
    os.dup2(silent, 1)
    os.dup2(silent, 2)
    # Of the limits of time and memory, this one is for what a kernel sends us.
    memory = api.config.BoxedExecute.memory + 4 * 2**30
    resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
    writer.send(why_failed(api.autograde(name, student, force=True)))


# ---- what came of it -----------------------------------------------------------------
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
    """What went wrong in the notebook: [(cell, kind of error, text)]."""
    found = []
    for cell in _autograded(name, student):
        raised = [o for o in cell.get("outputs", []) if o.output_type == "error"][-1:]
        # Of an interrupted cell, the last says why; of a check, several may have failed.
        for error in cell.metadata.get("lenient", {}).get("errors", raised):
            kind, text = error["ename"][:50], error["evalue"][:1000]
            found.append((grade_id(cell) or "a cell of their own", kind, text))
    return found


def suspicions(name, student, released, got):
    """What an answer did that an honest one hardly does, in words."""
    cells = _autograded(name, student)
    found = [
        f"{grade_id(cell)}: the answer changed what it was given"
        for cell in cells
        if cell.metadata.get("lenient", {}).get("changed")
    ]
    stubs = {grade_id(cell): cell.source.split() for cell in released.cells}
    for cell in cells:
        asked = question(grade_id(cell))
        if is_solution(cell) and not is_grade(cell) and got.get(asked):
            if cell.source.split() == stubs[grade_id(cell)]:
                found.append(f"{asked}: points, though its answer is as it was handed out")
    return found


def _autograded(name, student):
    path = course_folder() / "autograded" / student / name / f"{name}.ipynb"
    return nbformat.read(path, as_version=4).cells


@functools.cache
def _can_have_disk():
    """Whether a box can have a small disk of its own here."""
    if box.why_not_boxed():
        return False
    with tempfile.TemporaryDirectory(dir="/tmp") as home:
        trial = multiprocessing.get_context("fork").Process(target=_try_disk, args=(home,))
        trial.start()
        trial.join()
    return trial.exitcode == 0


def _try_disk(home):
    disk.make_private(home)
    command = box.command_in_box(box.new_folder(home), 2**32, ["/bin/true"])
    os._exit(subprocess.run(command, capture_output=True).returncode)
