"""The command `make grade`: what it says before it marks anything."""

import subprocess

import pytest
from support.assignments import NAMES, answered, solved
from support.course import Course, points_by_program, points_got
from support.paths import ROOT

from classroom import grade
from classroom.assignments import nbgrader_api

NAME = NAMES[0]


def test_the_command_says_what_is_missing(tmp_path):
    with pytest.raises(SystemExit, match="is not a folder; give the one with"):
        grade.main([str(tmp_path / "nowhere")])
    for folder in (ROOT, ROOT.parent):
        with pytest.raises(SystemExit, match="holds this checkout; give the one with"):
            grade.main([str(folder)])
    done = Course(tmp_path).run("classroom.grade")
    assert done.returncode == 1 and "Nothing has been marked yet" in done.stderr


def test_what_a_course_has_made_is_not_marked(tmp_path):
    course = Course(tmp_path)
    (course.home / "autograded").mkdir(parents=True)
    done = course.run("classroom.grade", str(course.home / "autograded"))
    assert done.returncode == 1 and "is part of the course" in done.stderr


@pytest.mark.parametrize("memory, said", [("100", "too little"), ("600", "MemoryError")])
def test_a_limit_of_memory_that_no_notebook_can_run_under_is_refused(tmp_path, memory, said):
    course = Course(tmp_path, LENIENT_MEMORY_MB=memory)
    course.hand_in("ada", NAME, solved(NAME))
    done = course.run("classroom.grade", str(course.folder))
    assert done.returncode == 1 and said in done.stderr and "LENIENT_MEMORY_MB" in done.stderr


def test_an_honest_notebook_that_needs_more_memory_is_told_apart(tmp_path):
    """Of the limit, and of what a program says that gets no memory."""
    course = Course(tmp_path, LENIENT_MEMORY_MB="1200")
    right = {cell.id: cell.source for cell in solved(NAME).cells}
    hungry = {
        "raised": "np.zeros(2 * 10**9, dtype='b')",
        "said": "raise OSError('[Errno 12] Cannot allocate memory')",
    }
    for student, line in hungry.items():
        answers = {"q1": f"{right['q1']}\n{line}\n", "q3": f"{line}\n{right['q3']}"}
        course.hand_in(student, NAME, answered(solved(NAME), answers))
    for row in course.grade(str(course.folder)).values():
        assert row["status"] == "look"
        assert "q3: out of memory, of which there are 1200 MB for it" in row["reason"]


def test_nothing_of_a_course_is_committed():
    marks = ["course/grades/a.csv", "course-b/gradebook.db", "returned/ada/x.ipynb"]
    marks += ["returned-week1/x.ipynb", "submissions/x.ipynb", "private/x.py"]
    done = subprocess.run(
        ["git", "check-ignore", *marks], cwd=ROOT, capture_output=True, text=True
    )
    assert done.stdout.split() == marks


def test_a_course_in_a_folder_of_any_name_is_not_committed(tmp_path, monkeypatch):
    monkeypatch.setenv("LENIENT_COURSE", str(tmp_path / "logic 101"))
    nbgrader_api()
    assert (tmp_path / "logic 101" / ".gitignore").read_text() == "*\n"


def test_without_bubblewrap_marking_goes_on_with_a_warning(tmp_path):
    tools = tmp_path / "bin"
    tools.mkdir()
    course = Course(tmp_path, PATH=str(tools))
    course.hand_in("ada", NAME, solved(NAME))
    [row] = course.grade(str(course.folder)).values()
    assert points_got(row, NAME) == points_by_program(NAME)
    assert "WARNING: bubblewrap is not installed" in course.said
    assert "NOT boxed" in course.said
