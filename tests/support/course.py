"""A course in a folder of its own: submissions handed in, and the table of their marks."""

import csv
import os
import subprocess
import sys

import nbformat

from classroom.sources import points, source
from support.paths import ROOT


class Course:
    """A folder of submissions, and the table of their marks."""

    def __init__(self, folder, **environment):
        self.folder, self.home = folder / "returned", folder / "course"
        self.environment = {**os.environ, "LENIENT_COURSE": str(self.home), **environment}
        self.environment.pop("LENIENT_PRIVATE", None)

    def hand_in(self, student, name, notebook, file=None):
        path = self.folder / student / (file or f"{name}.ipynb")
        path.parent.mkdir(parents=True, exist_ok=True)
        if isinstance(notebook, str):
            path.write_text(notebook, "utf-8")
        else:
            nbformat.write(notebook, path)
        return path

    def run(self, module, *arguments):
        """`python -m module`, as a command of the Makefile runs it."""
        return subprocess.run(
            [sys.executable, "-W", "ignore", "-m", module, *arguments],
            cwd=ROOT, env=self.environment, capture_output=True, text=True,
        )  # fmt: skip

    def grade(self, *arguments):
        """Run the command of `make grade`; {(student, file): row} of its table."""
        done = self.run("classroom.grade", *arguments)
        assert done.returncode == 0, done.stderr
        self.said = done.stdout + done.stderr
        return self.table()

    def table(self, name="*.csv"):
        [path] = (self.home / "grades").glob(name)
        with open(path, newline="", encoding="utf-8") as file:
            rows = [*csv.DictReader(file)]
        return {(row["student"], os.path.basename(row["file"])): row for row in rows}

    def overview(self):
        with open(self.home / "overview.csv", newline="", encoding="utf-8") as file:
            return {row["student"]: row for row in csv.DictReader(file)}


def points_by_program(name):
    """{question: points} that a program gives: all but those of open questions."""
    cells = [cell.metadata.get("nbgrader", {}) for cell in source(name).cells]
    open_ = {c.grade_id for c in cells if c.get("grade") and c.solution}
    return {q: worth for q, worth in points(source(name)).items() if q not in open_}


def points_got(row, name):
    """{question: points} that a row of the table shows, of the same questions."""
    return {q: float(row[q]) for q in points_by_program(name)}
