"""Where things lie: the assignments, the course, and a teacher's own tests."""

import os
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SOURCES = ROOT / "chapters" / "exercises"


def course_folder():
    """With the gradebook, submissions and marks: make COURSE=folder, or course/."""
    folder = Path(os.environ.get("LENIENT_COURSE") or ROOT / "course").resolve()
    if {*"?*[]%#"} & {*str(folder)}:  # which mean something else to nbgrader
        raise SystemExit(f"COURSE={folder} must not have any of ? * [ ] % # in its name")
    return folder


def private_tests():
    """Of a teacher: make PRIVATE=folder, or private/ if there is one."""
    named = os.environ.get("LENIENT_PRIVATE")
    folder = Path(named or ROOT / "private").resolve()
    if named and not folder.is_dir():
        raise SystemExit(f"PRIVATE={named} is not a folder")
    unknown = [path.name for path in folder.glob("[!.]*") if not (SOURCES / path.name).is_dir()]
    if unknown:
        raise SystemExit(f"{folder} has tests of no assignment: {', '.join(unknown)}")
    return folder


def private(name):
    """{check: file} of the private tests of an assignment."""
    files = sorted((private_tests() / name).glob("[!._]*"))
    return {path.name.removesuffix(".py"): path for path in files}
