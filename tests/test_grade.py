"""The command `make grade`: what it says before it marks anything."""

import pytest
from support.assignments import NAMES, solved
from support.course import Course, points_by_program, points_got
from support.paths import ROOT

from classroom import grade

NAME = NAMES[0]


def test_the_command_says_what_is_missing(tmp_path):
    with pytest.raises(SystemExit, match="is not a folder; give the one with"):
        grade.main([str(tmp_path / "nowhere")])
    for folder in (ROOT, ROOT.parent):
        with pytest.raises(SystemExit, match="holds this checkout; give the one with"):
            grade.main([str(folder)])
    done = Course(tmp_path).run("classroom.grade")
    assert done.returncode == 1 and "Nothing has been marked yet" in done.stderr


def test_without_bubblewrap_marking_goes_on_with_a_warning(tmp_path):
    tools = tmp_path / "bin"
    tools.mkdir()
    course = Course(tmp_path, PATH=str(tools))
    course.hand_in("ada", NAME, solved(NAME))
    [row] = course.grade(str(course.folder)).values()
    assert points_got(row, NAME) == points_by_program(NAME)
    assert "WARNING: bubblewrap is not installed" in course.said
    assert "NOT boxed" in course.said
