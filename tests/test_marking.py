"""Marking with the real nbgrader: a class that hands in all kinds of notebooks."""

import copy
import csv
import json
import os
import subprocess
import sys

import nbformat
import pytest
from support.assignments import NAMES, answered, grade_id, solved, wrong_answers
from support.paths import ROOT

from classroom import box, grade, intake, tables
from classroom.assignments import nbgrader, students
from classroom.sources import points, source

pytestmark = pytest.mark.filterwarnings("ignore")  # of nbgrader's database
each = pytest.mark.parametrize("name", NAMES)


class Course:
    """A folder of submissions, and the table of their marks."""

    def __init__(self, folder, **environment):
        self.folder, self.home = folder / "returned", folder / "course"
        self.environment = {**os.environ, "LENIENT_COURSE": str(self.home), **environment}
        self.environment.pop("LENIENT_PRIVATE", None)

    def hand_in(self, student, name, notebook, file=None):
        path = self.folder / student / (file or f"{name}.ipynb")
        path.parent.mkdir(parents=True, exist_ok=True)
        if isinstance(notebook, str):
            path.write_text(notebook, "utf-8")
        else:
            nbformat.write(notebook, path)
        return path

    def command(self, *arguments):
        self.how = {"cwd": ROOT, "env": self.environment, "capture_output": True}
        return [sys.executable, "-W", "ignore", "-m", "classroom.grade", *arguments]

    def mark(self, *arguments):
        """Run the command of `make grade`; {(student, file): row} of its table."""
        done = subprocess.run(self.command(*arguments), text=True, **self.how)
        assert done.returncode == 0, done.stderr
        self.said = done.stdout + done.stderr
        return self.table()

    def table(self):
        [path] = (self.home / "grades").glob("*.csv")
        with open(path, newline="", encoding="utf-8") as file:
            rows = [*csv.DictReader(file)]
        return {(row["student"], os.path.basename(row["file"])): row for row in rows}


def by_program(name):
    """The points that a program gives: all but those of open questions."""
    cells = [cell.metadata.get("nbgrader", {}) for cell in source(name).cells]
    open_ = {c.grade_id for c in cells if c.get("grade") and c.solution}
    return {q: worth for q, worth in points(source(name)).items() if q not in open_}


def total(row, name):
    return {q: float(row[q]) for q in by_program(name)}


@pytest.fixture(scope="module")
def course(tmp_path_factory):
    """Every assignment: solved, not touched, and all answers wrong, in two ways."""
    course = Course(tmp_path_factory.mktemp("class"))
    for name in NAMES:
        course.hand_in("reference", name, solved(name))
        course.hand_in("unsolved", name, students(name))
        ways = {}
        for cell, _, code in wrong_answers(name):
            ways.setdefault(cell, []).append(code)
        for way in range(2):
            wrong = {cell: codes[way % len(codes)] for cell, codes in ways.items()}
            course.hand_in(f"wrong-{way}", name, answered(solved(name), wrong))
    course.rows = course.mark(str(course.folder))
    return course


@each
def test_reference_answers_get_all_points(course, name):
    row = course.rows["reference", f"{name}.ipynb"]
    assert (row["status"], row["reason"], row["messages"]) == ("marked", "", "")
    assert total(row, name) == by_program(name)
    assert float(row["points"]) == sum(by_program(name).values())
    assert row["by_hand"].split() == [q for q in points(source(name)) if row[q] == ""]


@each
def test_an_unsolved_notebook_gets_none_and_help_with_every_question(course, name):
    row = course.rows["unsolved", f"{name}.ipynb"]
    assert (row["status"], row["points"], row["by_hand"]) == ("marked", "0", "")
    assert {*total(row, name).values()} == {0}
    assert row["messages"] == f"not answered: {', '.join(points(source(name)))}"


@each
def test_wrong_answers_get_no_points(course, name):
    rows = [row for (student, file), row in course.rows.items()
            if student.startswith("wrong") and file == f"{name}.ipynb"]  # fmt: skip
    assert rows
    for row in rows:
        lost = {q for q, got in total(row, name).items() if got < by_program(name)[q]}
        assert lost == {*by_program(name)}, row


def test_marks_by_hand_make_the_reference_whole(course, monkeypatch):
    monkeypatch.setenv("LENIENT_COURSE", str(course.home))
    with nbgrader().gradebook as gradebook:
        for name in NAMES:
            submission = gradebook.find_submission(name, "reference")
            for one in submission.notebooks[0].grades:
                if one.needs_manual_grade:
                    one.manual_score, one.needs_manual_grade = one.max_score, False
        gradebook.db.commit()
    rows = course.mark()
    for name in NAMES:
        row = rows["reference", f"{name}.ipynb"]
        assert row["points"] == row["of"] and row["by_hand"] == ""
        assert row["of"] == f"{sum(points(source(name)).values())}"


def test_a_mark_by_hand_stays_until_the_answer_changes(tmp_path, monkeypatch):
    course = Course(tmp_path)
    monkeypatch.setenv("LENIENT_COURSE", str(course.home))
    course.hand_in("ada", NAME, solved(NAME))
    course.mark(str(course.folder))
    with nbgrader().gradebook as gradebook:
        [open_] = [g for g in gradebook.find_submission(NAME, "ada").notebooks[0].grades
                   if g.needs_manual_grade]  # fmt: skip
        question, open_.manual_score, open_.needs_manual_grade = open_.name, 1, False
        # A teacher may also overrule a check.
        gradebook.find_grade(check_of("q1"), NAME, NAME, "ada").manual_score = 0.5
        gradebook.db.commit()
    [row] = course.mark(str(course.folder)).values()
    assert (row[question], row["by_hand"], row["status"]) == ("1", "", "marked")
    assert row["q1"] == "0.5"
    course.hand_in("ada", NAME, answered(solved(NAME), {question: "Something else."}))
    [row] = course.mark(str(course.folder)).values()
    assert (row[question], row["by_hand"]) == ("", question)
    assert row["reason"] == f"{question}: changed since it was marked 1 by hand"
    [row] = course.mark(str(course.folder)).values()  # and once more
    assert (row[question], row["by_hand"], row["q1"]) == ("", question, "0.5")


def test_what_is_handed_in_again_replaces_the_first(tmp_path):
    """Each folder has its table; the course's table has what counts."""
    course = Course(tmp_path)
    course.hand_in("ada", NAME, students(NAME))
    course.mark(str(course.folder))
    first, course.folder = course.folder, tmp_path / "again"
    course.hand_in("ada", NAME, solved(NAME))
    subprocess.run(course.command(str(course.folder)), check=True, **course.how)
    [table] = course.home.glob("grades/*returned.csv")
    [row] = csv.DictReader(open(table, newline="", encoding="utf-8"))
    assert row["status"] == "replaced" and row["points"] == "0"
    assert "again" in row["reason"] and first.exists()
    assert overview(course)["ada"][NAME] == f"{sum(by_program(NAME).values())}"
    # The first folder once more: the work in it is older, and does not count.
    subprocess.run(course.command(str(first)), check=True, **course.how)
    [row] = csv.DictReader(open(table, newline="", encoding="utf-8"))
    assert row["status"] == "replaced" and "is newer, and counts instead" in row["reason"]
    assert overview(course)["ada"][NAME] == f"{sum(by_program(NAME).values())}"


def overview(course):
    with open(course.home / "overview.csv", newline="", encoding="utf-8") as file:
        return {row["student"]: row for row in csv.DictReader(file)}


def test_the_overview_has_everybody_and_says_what_is_missing(tmp_path):
    course = Course(tmp_path)
    for student in ("ada", "eve", "ghost"):
        course.hand_in(student, NAME, students(NAME))
    course.hand_in("carl", NAME, "Dear teacher,", "essay.docx")
    # As an editor of Windows writes it.
    course.home.mkdir()
    (course.home / "students.txt").write_bytes("\ufeffAda\r\nBob\r\ncarl\r\neve\r\n".encode())
    course.mark(str(course.folder))
    rows = overview(course)
    assert [*rows] == ["Ada", "Bob", "carl", "eve", "ghost"]
    assert rows["Ada"][NAME] == "0"
    assert {**rows["Bob"], "student": ""} == dict.fromkeys(rows["Bob"], "")
    assert rows["carl"]["remarks"].startswith("carl/essay.docx: not a notebook")
    assert rows["ghost"]["remarks"] == "not in students.txt" and rows["eve"]["remarks"] == ""
    # What is no longer in the folder keeps its row and its mark.
    (course.folder / "ada" / f"{NAME}.ipynb").unlink()
    row = course.mark(str(course.folder))["ada", f"{NAME}.ipynb"]
    assert (row["status"], row["points"]) == ("look", "0")
    assert row["reason"] == "no longer in the folder"
    assert overview(course)["Ada"][NAME] == "0"


def test_what_nbgrader_collected_can_be_marked_where_it_lies(tmp_path):
    course = Course(tmp_path)
    course.folder = course.home / "submitted"
    course.hand_in("ada", NAME, solved(NAME), f"{NAME}/{NAME}.ipynb")
    course.hand_in("ada", NAME, "2026-11-16 10:00:00 UTC", f"{NAME}/timestamp.txt")
    for _ in range(2):
        [row] = course.mark(str(course.folder)).values()
        assert total(row, NAME) == by_program(NAME) and row["status"] == "marked"


def test_bare_nbgrader_works_from_the_top_of_the_repository(course):
    """As a teacher may call it, by the settings in nbgrader_config.py."""
    name = NAMES[0]
    path = os.pathsep.join([os.path.dirname(sys.executable), os.environ["PATH"]])
    for words in (["generate_assignment", name], ["autograde", name, "--student=reference"]):
        done = subprocess.run(
            [sys.executable, "-W", "ignore", "-m", "nbgrader", *words, "--force"],
            cwd=ROOT, env={**course.environment, "PATH": path}, capture_output=True,
            text=True,
        )  # fmt: skip
        assert done.returncode == 0, done.stderr


# ---- what students do to notebooks ---------------------------------------------------
NAME = NAMES[0]


def without(notebook, *names):
    notebook.cells = [cell for cell in notebook.cells if grade_id(cell) not in names]
    return notebook


def cell_of(notebook, name):
    return next(cell for cell in notebook.cells if grade_id(cell) == name)


def check_of(question):
    return next(grade_id(c) for c in source(NAME).cells if f"{question}-check" in grade_id(c))


def unlabelled(notebook):
    for number, cell in enumerate(notebook.cells):
        cell.metadata, cell.id = {}, f"c{number}"
    return notebook


def edited(notebook):
    cell_of(notebook, check_of("q1")).source = "print('all is well')"
    return notebook


def doubled(notebook):
    notebook.cells += [copy.deepcopy(cell_of(notebook, "q1"))]
    notebook.cells[-1].id = "copy"
    return notebook


def in_a_new_cell(notebook):
    """The answer in words is below its cell, which is left as it was."""
    last = notebook.cells[-1]
    notebook.cells.append(nbformat.v4.new_markdown_cell(last.source))
    last.source = students(NAME).cells[-1].source
    return notebook


def in_the_question(notebook):
    *_, statement, last = notebook.cells
    statement.source += f"\n\n{last.source}"
    last.source = students(NAME).cells[-1].source
    return notebook


def richer(notebook):
    cell_of(notebook, check_of("q1")).metadata.nbgrader.points = 1000
    return notebook


def raw(notebook):
    notebook.cells[-1].cell_type = "raw"
    return notebook


def noisy(notebook):
    cell_of(notebook, "q1").source += "\nimport warnings; warnings.warn('a warning')"
    return notebook


def old(notebook):
    for cell in notebook.cells:
        del cell["id"]
    notebook.nbformat_minor = 4
    return notebook


UNHARMED = {
    "unlabelled": (unlabelled, "found again: setup, q1, q1-check"),
    "edited": (edited, f"{check_of('q1')}: edited check, restored"),
    "check-deleted": (lambda nb: without(nb, check_of("q1")), "cell missing, put back"),
    "setup-deleted": (lambda nb: without(nb, "setup"), "setup: cell missing, put back"),
    "doubled": (doubled, "q1: 2 copies of the cell, the first is marked"),
    "new-cell": (in_a_new_cell, "q7: answered beside its cell, text put there"),
    "in-question": (in_the_question, "q7: answered beside its cell, text put there"),
    "raw": (raw, "q7: made a raw cell, restored"),
    "richer": (richer, ""),
    "noisy": (noisy, ""),
    "old": (old, ""),
}


def skipped(notebook):
    """Every check is told not to run."""
    for cell in notebook.cells:
        if "-check" in grade_id(cell):
            cell.metadata.tags = ["skip-execution"]
    return notebook


def emptied(notebook):
    """An answer that makes all later cells do nothing."""
    cell_of(notebook, "q1").source = (
        "import ast\nclass Nothing(ast.NodeTransformer):\n"
        "    def visit_Module(self, node): return ast.Module([], [])\n"
        "get_ipython().ast_transformers.append(Nothing())"
    )
    return notebook


def odd(notebook):
    notebook.cells[0].metadata["nbgrader"] = None
    notebook.cells[2].metadata["nbgrader"] = {"grade_id": ["x"]}
    return notebook


@pytest.fixture(scope="module")
def unusual(tmp_path_factory):
    course = Course(tmp_path_factory.mktemp("unusual"))
    for what, (change, _) in UNHARMED.items():
        course.hand_in(what, NAME, change(solved(NAME)))
    course.hand_in("renamed", NAME, solved(NAME), "final version (2).ipynb")
    course.hand_in("answer-deleted", NAME, without(solved(NAME), "q1"))
    course.hand_in("skipped", NAME, skipped(students(NAME)))
    course.hand_in("emptied", NAME, emptied(students(NAME)))
    course.hand_in("odd", NAME, odd(solved(NAME)))
    half = json.dumps(solved(NAME)).replace("Q1. Four", "\\ud83d Q1. Four")
    course.hand_in("half-emoji", NAME, half)
    course.hand_in("O'Brien", NAME, students(NAME))
    course.hand_in("O’Brien", NAME, students(NAME))
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
    (course.folder / "linked" / "x.ipynb").symlink_to(course.folder / "edited")
    first = course.hand_in("twice", NAME, students(NAME), f"{NAME}.ipynb")
    os.utime(first, (1, 1))
    course.hand_in("twice", NAME, solved(NAME), f"{NAME} (1).ipynb")
    nbformat.write(solved(NAME), course.folder / f"flat_{NAME}.ipynb")
    nbformat.write(students(NAME), course.folder / f"{NAME}.ipynb")
    course.hand_in("Ada L_77_assignsubmission_file_", NAME, students(NAME))
    course.rows = course.mark(str(course.folder))
    return course


@pytest.mark.parametrize("what", UNHARMED)
def test_what_can_be_mended_costs_nothing_and_is_said(unusual, what):
    row, reason = unusual.rows[what, f"{NAME}.ipynb"], UNHARMED[what][1]
    assert total(row, NAME) == by_program(NAME)
    assert reason in row["reason"] and row["status"] == ("look" if reason else "marked")
    assert row["by_hand"] == "q7"


def test_a_renamed_file_is_marked(unusual):
    row = unusual.rows["renamed", "final version (2).ipynb"]
    assert row["assignment"] == NAME and total(row, NAME) == by_program(NAME)
    assert row["reason"] == "renamed file: final version (2).ipynb"
    row = unusual.rows["flat", f"flat_{NAME}.ipynb"]
    assert total(row, NAME) == by_program(NAME) and row["status"] == "marked"
    row = unusual.rows["nameless", f"{NAME}.ipynb"]
    assert row["status"] == "look" and "whose is it?" in row["reason"]
    assert unusual.rows["Ada L", f"{NAME}.ipynb"]["status"] == "marked"


@pytest.mark.parametrize("trick", ["skipped", "emptied"])
def test_a_check_that_does_not_run_gives_no_points(unusual, trick):
    assert {*total(unusual.rows[trick, f"{NAME}.ipynb"], NAME).values()} == {0}
    reason = unusual.rows["emptied", f"{NAME}.ipynb"]["reason"]
    assert "did not run to its end" in reason


def test_odd_labels_and_similar_names_do_no_harm(unusual):
    assert total(unusual.rows["odd", f"{NAME}.ipynb"], NAME) == by_program(NAME)
    for student in ("O_Brien", "O_Brien-2"):
        assert unusual.rows[student, f"{NAME}.ipynb"]["status"] == "marked"


def test_the_package_that_comes_back_is_no_submission(unusual):
    assert not any(file.endswith((".whl", "timestamp.txt")) for _, file in unusual.rows)


def test_a_deleted_answer_costs_its_question(unusual):
    row = unusual.rows["answer-deleted", f"{NAME}.ipynb"]
    assert total(row, NAME) == {**by_program(NAME), "q1": 0}
    assert "q1: cell missing, put back, without an answer" in row["reason"]


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
def test_what_cannot_be_marked_has_a_row_that_says_why(unusual, student, file, reason):
    row = unusual.rows[student, file]
    assert row["status"] == "not marked" and row["points"] == ""
    assert reason in row["reason"]


def test_messages_are_about_lost_points():
    """A line that raises, left below a right answer, costs nothing and is no message."""
    said = [("q1", "NotImplementedError", "Still"), ("q2-check", "AssertionError", "why?"),
            ("a cell of their own", "NameError", "x")]  # fmt: skip
    got, worth = {"q1": 2, "q2": 0, "q3": 0, "q4": None}, dict.fromkeys(["q1", "q2"], 2)
    told = grade.messages(said, got, {**worth, "q3": 1, "q4": 5})
    assert told == "not answered: q3; q2-check: why?; a cell of their own: NameError: x"
    assert grade.messages(said, {"q1": 2}, worth) == ""


def test_the_command_says_what_is_missing(tmp_path):
    with pytest.raises(SystemExit, match="is not a folder; give the one with"):
        grade.main([str(tmp_path / "nowhere")])
    for folder in (ROOT, ROOT.parent):
        with pytest.raises(SystemExit, match="holds this checkout; give the one with"):
            grade.main([str(folder)])
    course = Course(tmp_path)
    done = subprocess.run(course.command(), text=True, **course.how)
    assert done.returncode == 1 and "Nothing has been marked yet" in done.stderr


def test_too_large_a_file_is_not_read(tmp_path, monkeypatch):
    monkeypatch.setattr(intake, "BIGGEST", 10)
    path = tmp_path / f"{NAME}.ipynb"
    nbformat.write(solved(NAME), path)
    taken = intake.take("ada", path, {NAME: students(NAME)})
    assert taken.notebook is None and "larger than" in taken.remarks[0]


# ---- without a box -------------------------------------------------------------------
def test_without_bubblewrap_marking_goes_on_with_a_warning(tmp_path):
    tools = tmp_path / "bin"
    tools.mkdir()
    course = Course(tmp_path, PATH=str(tools))
    course.hand_in("ada", NAME, solved(NAME))
    [row] = course.mark(str(course.folder)).values()
    assert total(row, NAME) == by_program(NAME)
    assert "WARNING: bubblewrap is not installed" in course.said
    assert "NOT boxed" in course.said


def test_a_bubblewrap_that_does_not_work_is_noticed(tmp_path, monkeypatch):
    fake = tmp_path / "bwrap"
    fake.write_text("#!/bin/sh\necho no permission >&2; exit 1\n")
    fake.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=os.pathsep)
    assert "does not work here (no permission)" in box.why_open.__wrapped__()


# ---- names ---------------------------------------------------------------------------
def test_each_folder_has_a_table_of_its_own(tmp_path, monkeypatch):
    monkeypatch.setenv("LENIENT_COURSE", str(tmp_path / "course"))
    a, b = tmp_path / "a" / "week1" / "back", tmp_path / "b" / "week1" / "back"
    assert tables.table_of(a) == tables.table_of(a) != tables.table_of(b)
    monkeypatch.setenv("LENIENT_COURSE", str(tmp_path / "what?"))
    with pytest.raises(SystemExit, match="must not have any of"):
        tables.table_of(a)


@pytest.mark.parametrize(
    "name, shown",
    [("=1+1.ipynb", "./=1+1.ipynb"), ("a\nb.ipynb", "a b.ipynb"), ("x.ipynb", "x.ipynb")],
)
def test_file_names_are_fit_for_a_spreadsheet(tmp_path, name, shown):
    assert grade.file_name(tmp_path / name, tmp_path) == shown


def test_a_name_from_moodle_is_the_same_in_every_assignment(tmp_path):
    """Its number is not: it stays only where two students have the same name."""
    moodle = ["Ada L_77_assignsubmission_file", "Ada L_77_assignsubmission_onlinetext"]
    moodle += ["Kim_1_assignsubmission_file", "Kim_2_assignsubmission_file", "route_66"]
    for name in moodle:
        (tmp_path / name).mkdir()
    (tmp_path / f"Zoe_5_assignsubmission_file_{NAME}.ipynb").touch()
    found = [one.student for one in intake.collect(tmp_path, {NAME: students(NAME)})]
    assert found == ["Ada L", "Ada L", "Kim_1", "Kim_2", "Zoe", "route_66"]


def test_names_in_other_scripts_stay_apart():
    names = ["का", "कि", "Zoe\u0308", "Zo\u00eb", "a" * 300]
    ids = [intake.student_id(name) for name in names]
    assert len({*ids}) == 4 and ids[2] == ids[3] == "Zo\u00eb" and len(ids[4]) == 100
