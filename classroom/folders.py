"""Where things lie: the assignments and the course."""

import os
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SOURCES = ROOT / "chapters" / "exercises"
PACKAGES = ("lenient", "lenient_book")  # in the one wheel; assignments need the first


def course_folder():
    """With the gradebook, submissions and marks: make COURSE=folder, or course/."""
    folder = Path(os.environ.get("LENIENT_COURSE") or ROOT / "course").resolve()
    if {*"?*[]%#"} & {*str(folder)}:  # which mean something else to nbgrader
        raise SystemExit(f"COURSE={folder} must not have any of ? * [ ] % # in its name")
    return folder
