"""A teacher's own tests, <assignment>/<check>.py, which join the hidden ones of that check."""

import os
import subprocess
import sys
from pathlib import Path

from nbgrader.preprocessors import NbGraderPreprocessor
from nbgrader.utils import is_grade, is_solution

from .folders import ROOT, SOURCES
from .sources import grade_id, names, source

_DECIDE = "# All points of this check hang on these."  # known to `classroom.checking`
_BEGIN, _END = "### BEGIN HIDDEN TESTS", "### END HIDDEN TESTS"


def _folder():
    """Of a teacher: make PRIVATE=folder, or private/ if there is one."""
    named = os.environ.get("LENIENT_PRIVATE")
    folder = Path(named or ROOT / "private").resolve()
    if named and not folder.is_dir():
        raise SystemExit(f"PRIVATE={named} is not a folder")
    unknown = [path.name for path in folder.glob("[!.]*") if not (SOURCES / path.name).is_dir()]
    if unknown:
        raise SystemExit(f"{folder} has tests of no assignment: {', '.join(unknown)}")
    return folder


def private_tests_of(name):
    """{check: file} of the private tests of an assignment."""
    files = sorted((_folder() / name).glob("[!._]*"))
    return {path.name.removesuffix(".py"): path for path in files}


def which_are_used():
    """The private tests of all assignments, for the screen."""
    tests = {name: private_tests_of(name) for name in names()}
    found = [f"{name} ({', '.join(checks)})" for name, checks in tests.items() if checks]
    return f"Private tests: {'; '.join(found) or 'none'}"


def try_on_reference_answers(name):
    """Run private tests with the reference answers, which must pass them."""
    tests, given = private_tests_of(name), source(name)
    if not tests:
        return
    checks = [grade_id(c) for c in given.cells if is_grade(c) and not is_solution(c)]
    if unknown := [path.name for check, path in tests.items() if check not in checks]:
        known = ", ".join(f"{check}.py" for check in checks)
        why = f"private tests of no check: {', '.join(unknown)} (possible are {known})"
        raise RuntimeError(f"{name}: {why}")
    code = []
    for cell in given.cells:
        if cell.cell_type == "code":
            code.append(cell.source)
            if path := tests.get(grade_id(cell)):
                test = path.read_text("utf-8")
                code.append(f"exec(compile({test!r}, {str(path)!r}, 'exec'), globals())")
    done = subprocess.run(
        [sys.executable, "-"], input="\n".join(code), capture_output=True, text=True
    )
    if done.returncode:
        said = [line.strip() for line in done.stderr.splitlines()]
        where = [line for line in said if str(_folder()) in line][-1:]
        why = " ".join([*where, *said[-1:]])
        raise RuntimeError(f"{name}: the reference answers fail private tests: {why}")


class PrivateTests(NbGraderPreprocessor):
    """Adds them to the source, before anything is taken out of it for the students."""

    def preprocess(self, nb, resources):
        tests = private_tests_of(resources["nbgrader"]["assignment"])
        for cell in nb.cells:
            if path := is_grade(cell) and tests.get(grade_id(cell)):
                test = path.read_text("utf-8").strip("\n")
                cell.source += f"\n{_BEGIN}\n{_DECIDE}\n{test}\n{_END}"
        return nb, resources
