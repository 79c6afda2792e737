"""The tables of marks, and the overview of the course."""

import pytest
from support.assignments import NAMES
from support.course import Course

from classroom import tables
from classroom.assignments import students_notebook

NAME = NAMES[0]


def test_the_overview_has_everybody_and_says_what_is_missing(tmp_path):
    course = Course(tmp_path)
    for student in ("ada", "eve", "ghost"):
        course.hand_in(student, NAME, students_notebook(NAME))
    course.hand_in("carl", NAME, "Dear teacher,", "essay.docx")
    # As an editor of Windows writes it.
    course.home.mkdir()
    (course.home / "students.txt").write_bytes("\ufeffAda\r\nBob\r\ncarl\r\neve\r\n".encode())
    course.grade(str(course.folder))
    rows = course.overview()
    assert [*rows] == ["Ada", "Bob", "carl", "eve", "ghost"]
    assert rows["Ada"][NAME] == "0"
    assert {**rows["Bob"], "student": ""} == dict.fromkeys(rows["Bob"], "")
    assert rows["carl"]["remarks"].startswith("carl/essay.docx: not a notebook")
    assert rows["ghost"]["remarks"] == "not in students.txt" and rows["eve"]["remarks"] == ""
    # What is no longer in the folder keeps its row and its mark.
    (course.folder / "ada" / f"{NAME}.ipynb").unlink()
    row = course.grade(str(course.folder))["ada", f"{NAME}.ipynb"]
    assert (row["status"], row["points"]) == ("look", "0")
    assert row["reason"] == "no longer in the folder"
    assert course.overview()["Ada"][NAME] == "0"


def test_each_folder_has_a_table_of_its_own(tmp_path, monkeypatch):
    monkeypatch.setenv("LENIENT_COURSE", str(tmp_path / "course"))
    a, b = tmp_path / "a" / "week1" / "back", tmp_path / "b" / "week1" / "back"
    assert tables.table_of(a) == tables.table_of(a) != tables.table_of(b)
    monkeypatch.setenv("LENIENT_COURSE", str(tmp_path / "what?"))
    with pytest.raises(SystemExit, match="must not have any of"):
        tables.table_of(a)
