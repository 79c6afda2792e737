"""Where things lie: the assignments and the course."""

import os
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SOURCES = ROOT / "chapters" / "exercises"

# All that goes into the one wheel, of which the assignments need the first: two packages, and
# folders of the chapters that pyproject.toml maps into the second.
_SETUP = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["setuptools"]
PACKAGES = ("lenient", "lenient_book", *_SETUP["package-dir"].values())


def course_folder():
    """With the gradebook, submissions and marks: make COURSE=folder, or course/."""
    folder = Path(os.environ.get("LENIENT_COURSE") or ROOT / "course").resolve()
    if {*"?*[]%#"} & {*str(folder)}:  # which mean something else to nbgrader
        raise SystemExit(f"COURSE={folder} must not have any of ? * [ ] % # in its name")
    return folder
