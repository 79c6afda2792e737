"""What students get: their notebooks, and the package that these need."""

import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from nbgrader.apps.api import NbGraderAPI
from nbgrader.coursedir import CourseDirectory
from nbgrader.utils import is_grade, is_solution
from traitlets.config import PyFileConfigLoader

from .folders import ROOT, course_folder, private, private_tests
from .sources import about, grade_id, names, points, source


def settings():
    return PyFileConfigLoader("nbgrader_config.py", str(ROOT)).load_config()


def nbgrader():
    """nbgrader, with the settings of nbgrader_config.py."""
    # It calls alembic, which is installed beside this Python.
    here = os.path.dirname(sys.executable)
    if here not in os.environ["PATH"].split(os.pathsep):
        os.environ["PATH"] = os.pathsep.join([here, os.environ["PATH"]])
    course_folder().mkdir(parents=True, exist_ok=True)
    config = settings()
    return NbGraderAPI(CourseDirectory(config=config), config=config)


def why_failed(done):
    """What went wrong in a call of nbgrader, in one line; nothing if it succeeded."""
    if done["success"]:
        return ""
    # Its log has the traceback of what went wrong, and then says to look there.
    errors = re.findall(r"(?m)^ +(\w[\w.]*(?:Error|Exception)\b.*)$", done.get("log", ""))
    return next(filter(None, [*errors, done.get("error"), "it said nothing"]))[:200]


def check_private(name):
    """Run private tests with the reference answers, which must pass them."""
    tests, code, given = private(name), [], source(name)
    checks = [grade_id(c) for c in given.cells if is_grade(c) and not is_solution(c)]
    if unknown := [path.name for check, path in tests.items() if check not in checks]:
        known = ", ".join(f"{check}.py" for check in checks)
        why = f"private tests of no check: {', '.join(unknown)} (possible are {known})"
        raise RuntimeError(f"{name}: {why}")
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
        where = [line for line in said if str(private_tests()) in line][-1:]
        why = " ".join([*where, *said[-1:]])
        raise RuntimeError(f"{name}: the reference answers fail private tests: {why}")


def private_in_words():
    """Which private tests are used, for the screen."""
    found = [f"{name} ({', '.join(private(name))})" for name in names() if private(name)]
    return f"Private tests: {'; '.join(found) or 'none'}"


def release(name):
    """Write the students' notebook of an assignment, and return its path."""
    if private(name):
        check_private(name)
    if why := why_failed(nbgrader().generate_assignment(name, force=True)):
        raise RuntimeError(f"{name}: {why}")
    return course_folder() / "release" / name / f"{name}.ipynb"


def students(name):
    """The students' notebook of an assignment, as `release` writes it, without a course."""
    config, nb = settings(), source(name)
    need_a_course = ("PrivateTests", "IncludeHeaderFooter", "InstantiateTests", "SaveCells")
    for step in config.GenerateAssignment.preprocessors:
        if step.__name__ not in need_a_course:
            nb, _ = step(config=config).preprocess(nb, {})
    return nb


def wheel(folder):
    """Build the package `lenient` as one file that students can install."""
    for old in Path(folder).glob("lenient-*.whl"):
        old.unlink()
    with tempfile.TemporaryDirectory() as copy:
        for part in ("pyproject.toml", "README.md", "LICENSE"):
            shutil.copy(ROOT / part, copy)
        leave_out = shutil.ignore_patterns("__pycache__")
        shutil.copytree(ROOT / "lenient", f"{copy}/lenient", ignore=leave_out)
        pip = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps"]
        pip += ["--no-build-isolation", "--no-index", "--wheel-dir", str(folder), copy]
        subprocess.run(pip, check=True)
    [path] = Path(folder).glob("lenient-*.whl")
    return path


def main():
    for name in names():
        try:
            path = release(name)
        except RuntimeError as error:
            sys.exit(str(error))
        worth = sum(points(source(name)).values())
        print(f"{name:22} {worth:2} points, {about(name).minutes} minutes  {path}")
    print(f"and the package for them: {wheel(course_folder() / 'release')}")
    print(private_in_words())


if __name__ == "__main__":
    main()
