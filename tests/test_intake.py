"""Files that come back: whose they are, which can be marked, and why the others cannot."""

import json
import os

import nbformat
import pytest
from support.assignments import NAMES, solved
from support.course import Course, points_by_program, points_got

from classroom import intake
from classroom.assignments import students_notebook

NAME = NAMES[0]


@pytest.fixture(scope="module")
def returned(tmp_path_factory):
    course = Course(tmp_path_factory.mktemp("returned"))
    course.hand_in("renamed", NAME, solved(NAME), "final version (2).ipynb")
    half = json.dumps(solved(NAME)).replace("Q1. Four", "\\ud83d Q1. Four")
    course.hand_in("half-emoji", NAME, half)
    course.hand_in("O'Brien", NAME, students_notebook(NAME))
    course.hand_in("O’Brien", NAME, students_notebook(NAME))
    course.hand_in("word", NAME, "Dear teacher,", "essay.docx")
    course.hand_in("pdf", NAME, "%PDF-1.7", f"{NAME}.pdf")
    course.hand_in("zip", NAME, "PK\x03\x04", "all.zip")
    course.hand_in("renamed", NAME, "PK", "lenient-0.1.0-py3-none-any.whl")
    course.hand_in("renamed", NAME, "2026-11-16 10:00:00 UTC", "timestamp.txt")
    course.hand_in("torn", NAME, '{"cells": [', f"{NAME}.ipynb")
    course.hand_in("stranger", NAME, nbformat.v4.new_notebook(), "diary.ipynb")
    (course.folder / "lazy").mkdir()
    course.hand_in("=cmd|calc!A0", NAME, "", "x.txt")
    (course.folder / "linked").mkdir()
    (course.folder / "linked" / "x.ipynb").symlink_to(course.folder / "renamed")
    first = course.hand_in("twice", NAME, students_notebook(NAME), f"{NAME}.ipynb")
    os.utime(first, (1, 1))
    course.hand_in("twice", NAME, solved(NAME), f"{NAME} (1).ipynb")
    nbformat.write(solved(NAME), course.folder / f"flat_{NAME}.ipynb")
    nbformat.write(students_notebook(NAME), course.folder / f"{NAME}.ipynb")
    course.hand_in("Ada L_77_assignsubmission_file_", NAME, students_notebook(NAME))
    course.rows = course.grade(str(course.folder))
    return course


def test_a_renamed_file_is_marked(returned):
    row = returned.rows["renamed", "final version (2).ipynb"]
    assert row["assignment"] == NAME and points_got(row, NAME) == points_by_program(NAME)
    assert row["reason"] == "renamed file: final version (2).ipynb"
    row = returned.rows["flat", f"flat_{NAME}.ipynb"]
    assert points_got(row, NAME) == points_by_program(NAME) and row["status"] == "marked"
    row = returned.rows["nameless", f"{NAME}.ipynb"]
    assert row["status"] == "look" and "whose is it?" in row["reason"]
    assert returned.rows["Ada L", f"{NAME}.ipynb"]["status"] == "marked"


def test_students_of_similar_names_stay_apart(returned):
    for student in ("O_Brien", "O_Brien-2"):
        assert returned.rows[student, f"{NAME}.ipynb"]["status"] == "marked"


def test_the_package_that_comes_back_is_no_submission(returned):
    assert not any(file.endswith((".whl", "timestamp.txt")) for _, file in returned.rows)


@pytest.mark.parametrize(
    "student, file, reason",
    [
        ("word", "essay.docx", "not a notebook"),
        ("pdf", f"{NAME}.pdf", "a PDF; ask for the notebook itself"),
        ("zip", "all.zip", "an archive or a document"),
        ("torn", f"{NAME}.ipynb", "not a notebook, or a torn one"),
        ("half-emoji", f"{NAME}.ipynb", "not a notebook, or a torn one (UnicodeEncode"),
        ("stranger", "diary.ipynb", "a notebook of none of the assignments"),
        ("lazy", "lazy", "the folder is empty"),
        ("linked", "x.ipynb", "a link, which is not followed"),
        ("_cmd_calc_A0", "x.txt", "an empty file"),
        ("twice", f"{NAME}.ipynb", f"{NAME} (1).ipynb is newer, and marked"),
    ],
)
def test_what_cannot_be_marked_has_a_row_that_says_why(returned, student, file, reason):
    row = returned.rows[student, file]
    assert row["status"] == "not marked" and row["points"] == ""
    assert reason in row["reason"]


def test_too_large_a_file_is_not_read(tmp_path, monkeypatch):
    monkeypatch.setattr(intake, "_BIGGEST", 10)
    nbformat.write(solved(NAME), tmp_path / f"ada_{NAME}.ipynb")
    [found] = intake.collect(tmp_path, {NAME: students_notebook(NAME)})
    assert found.notebook is None and "larger than" in found.remarks[0]


def test_a_name_from_moodle_is_the_same_in_every_assignment(tmp_path):
    """Its number is not: it stays only where two students have the same name."""
    moodle = ["Ada L_77_assignsubmission_file", "Ada L_77_assignsubmission_onlinetext"]
    moodle += ["Kim_1_assignsubmission_file", "Kim_2_assignsubmission_file", "route_66"]
    for name in moodle:
        (tmp_path / name).mkdir()
    (tmp_path / f"Zoe_5_assignsubmission_file_{NAME}.ipynb").touch()
    found = [one.student for one in intake.collect(tmp_path, {NAME: students_notebook(NAME)})]
    assert found == ["Ada L", "Ada L", "Kim_1", "Kim_2", "Zoe", "route_66"]


def test_names_in_other_scripts_stay_apart():
    names = ["का", "कि", "Zoe\u0308", "Zo\u00eb", "a" * 300]
    ids = [intake.student_id(name) for name in names]
    assert len({*ids}) == 4 and ids[2] == ids[3] == "Zo\u00eb" and len(ids[4]) == 100
