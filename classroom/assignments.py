"""What students get: their notebooks, and the package that these need."""

import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from nbgrader.apps.api import NbGraderAPI
from nbgrader.coursedir import CourseDirectory
from traitlets.config import PyFileConfigLoader

from .folders import PACKAGES, ROOT, course_folder
from .private_tests import try_on_reference_answers, which_are_used
from .sources import about, names, points, source


def nbgrader_settings():
    return PyFileConfigLoader("nbgrader_config.py", str(ROOT)).load_config()


def nbgrader_api():
    """nbgrader, with the settings of nbgrader_config.py."""
    _make_course()
    config = nbgrader_settings()
    # What `nbgrader collect` wrote is not to be written over.
    config.CourseDirectory.submitted_directory = str(course_folder() / "mended")
    # Several submissions are marked at a time, and wait for each other.
    config.CourseDirectory.db_url += "?timeout=60"
    return NbGraderAPI(CourseDirectory(config=config), config=config)


def _make_course():
    """The course's folder; nothing of it is to come into git, whatever it is called."""
    folder = course_folder()
    folder.mkdir(parents=True, exist_ok=True)
    if folder != ROOT / "course" and not (folder / ".gitignore").exists():
        (folder / ".gitignore").write_text("*\n", "utf-8")


def why_failed(done):
    """What went wrong in a call of nbgrader, in one line; nothing if it succeeded."""
    if done["success"]:
        return ""
    # Its log has the traceback of what went wrong, and then says to look there.
    errors = re.findall(r"(?m)^ +(\w[\w.]*(?:Error|Exception)\b.*)$", done.get("log", ""))
    return next(filter(None, [*errors, done.get("error"), "it said nothing"]))[:200]


def release(name):
    """Write the students' notebook of an assignment, and return its path."""
    try_on_reference_answers(name)
    if why := why_failed(nbgrader_api().generate_assignment(name, force=True)):
        raise RuntimeError(f"{name}: {why}")
    return course_folder() / "release" / name / f"{name}.ipynb"


def students_notebook(name):
    """The students' notebook of an assignment, as `release` writes it, without a course."""
    config, nb = nbgrader_settings(), source(name)
    need_a_course = ("PrivateTests", "IncludeHeaderFooter", "InstantiateTests", "SaveCells")
    for step in config.GenerateAssignment.preprocessors:
        if step.__name__ not in need_a_course:
            nb, _ = step(config=config).preprocess(nb, {})
    return nb


def build_wheel(folder):
    """Build the package `lenient` as one file that students can install."""
    for old in Path(folder).glob("lenient-*.whl"):
        old.unlink()
    # From a copy, since a build leaves folders beside the sources.
    with tempfile.TemporaryDirectory() as copy:
        for part in ("pyproject.toml", "README.md", "LICENSE"):
            shutil.copy(ROOT / part, copy)
        for package in PACKAGES:
            leave_out = shutil.ignore_patterns("__pycache__")
            shutil.copytree(ROOT / package, f"{copy}/{package}", ignore=leave_out)
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
    print(f"and the package for them: {build_wheel(course_folder() / 'release')}")
    print(which_are_used())


if __name__ == "__main__":
    main()
