"""Files that come back: whose they are, which can be marked, and why the others cannot."""

import csv
import json
import os
import resource
import subprocess
import time

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
    (course.folder / f"@SUM(1+1)_{NAME}.ipynb").write_text("torn")
    (course.folder / "linked").mkdir()
    (course.folder / "linked" / "x.ipynb").symlink_to(course.folder / "renamed")
    first = course.hand_in("twice", NAME, students_notebook(NAME), f"{NAME}.ipynb")
    os.utime(first, (1, 1))
    course.hand_in("twice", NAME, solved(NAME), f"{NAME} (1).ipynb")
    nbformat.write(solved(NAME), course.folder / f"flat_{NAME}.ipynb")
    nbformat.write(students_notebook(NAME), course.folder / f"{NAME}.ipynb")
    # Of an archive, which keeps times to two seconds: the blank one, and the answers.
    for second, file, notebook in [
        (100, f"{NAME}.ipynb", solved(NAME)),
        (101, f"{NAME}-blank.ipynb", students_notebook(NAME)),
    ]:
        path = course.hand_in("archive", NAME, notebook, file)
        os.utime(path, (second, second))
    newer = course.hand_in("emptied", NAME, students_notebook(NAME), f"{NAME} (1).ipynb")
    os.utime(course.hand_in("emptied", NAME, solved(NAME)), (1, 1))
    assert newer.exists()
    marked = b"\xef\xbb\xbf" + nbformat.writes(solved(NAME)).encode()
    course.hand_in("marked", NAME, "").write_bytes(marked)
    course.hand_in("wide", NAME, "").write_bytes(nbformat.writes(solved(NAME)).encode("utf-16"))
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
    for student in ("O'Brien", "O’Brien"):
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
        ("emptied", f"{NAME}.ipynb", f"{NAME} (1).ipynb is newer, and marked"),
        ("archive", f"{NAME}-blank.ipynb", f"{NAME}.ipynb has more answers, and is marked"),
        ("twice", f"{NAME}.ipynb", f"{NAME} (1).ipynb is newer, and marked"),
    ],
)
def test_what_cannot_be_marked_has_a_row_that_says_why(returned, student, file, reason):
    row = returned.rows[student, file]
    assert row["status"] == "not marked" and row["points"] == ""
    assert reason in row["reason"]


def test_of_two_from_one_archive_the_one_with_answers_is_marked(returned):
    row = returned.rows["archive", f"{NAME}.ipynb"]
    assert points_got(row, NAME) == points_by_program(NAME) and row["status"] == "look"
    assert row["reason"] == f"changed when {NAME}-blank.ipynb was; has more answers"
    row = returned.rows["emptied", f"{NAME} (1).ipynb"]
    assert row["points"] == "0" and row["status"] == "look"
    assert f"{NAME}.ipynb is older, and has more answers" in row["reason"]


@pytest.mark.parametrize("student", ["marked", "wide"])
def test_a_mark_at_the_beginning_of_a_file_does_no_harm(returned, student):
    row = returned.rows[student, f"{NAME}.ipynb"]
    assert points_got(row, NAME) == points_by_program(NAME) and row["status"] == "marked"


def test_no_cell_of_a_table_is_a_formula(returned):
    for path in [*(returned.home / "grades").glob("*.csv"), returned.home / "overview.csv"]:
        with open(path, newline="", encoding="utf-8") as file:
            cells = [cell for line in csv.reader(file) for cell in line]
        assert not [cell for cell in cells if cell.startswith(tuple("=+-@\t\r"))]
        assert path.name == "overview.csv" or "'=cmd|calc!A0/x.txt" in cells


BOMBS = {
    "braces": lambda: "[" + "{}," * 14_000_000 + "{}]",
    "deep": lambda: "[" * 10**6 + "]" * 10**6,
    "many cells": lambda: json.dumps(
        solved(NAME) | {"cells": [{"cell_type": "raw"}] * 400_000}
    ),
    "long cell": lambda: json.dumps(solved(NAME)).replace("Q1. Four", "Q1. Four" * 4_000_000),
    "metadata": lambda: json.dumps(solved(NAME) | {"metadata": [{}] * 10_000_000}),
}


@pytest.mark.parametrize("bomb", BOMBS)
def test_a_file_that_would_take_all_memory_or_time_has_a_row(tmp_path, bomb):
    (tmp_path / f"eve_{NAME}.ipynb").write_text(BOMBS[bomb]())
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    begun = time.monotonic()
    [found] = intake.collect(tmp_path, {NAME: students_notebook(NAME)})
    assert found.notebook is None and len(found.remarks) == 1
    assert time.monotonic() - begun < 60
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 2**18  # kilobytes


def test_thousands_of_folders_or_files_have_a_row(tmp_path):
    folder = os.open(tmp_path, os.O_RDONLY)
    for name in ["nested", *["d"] * 6000]:
        os.mkdir(name, dir_fd=folder)
        inner = os.open(name, os.O_RDONLY, dir_fd=folder)
        os.close(folder)
        folder = inner
    os.close(folder)
    (tmp_path / "many").mkdir()
    for number in range(2000):
        (tmp_path / "many" / f"{number}.txt").touch()
    found = intake.collect(tmp_path, {NAME: students_notebook(NAME)})
    assert [one.student for one in found] == ["many", "nested"]
    assert all("folders too deep, or too many files" in one.remarks[0] for one in found)
    # Nobody else can delete them, for their names are too long.
    subprocess.run(["rm", "-rf", tmp_path / "nested"], check=True)


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
