"""A folder marked with the real nbgrader: the points, and what stays the next time."""

import pytest
from support.assignments import NAMES, answered, check_of, solved, wrong_answers
from support.course import Course, points_by_program, points_got

from classroom.assignments import nbgrader_api, students_notebook
from classroom.sources import points, source

pytestmark = pytest.mark.filterwarnings("ignore")  # of nbgrader's database
each = pytest.mark.parametrize("name", NAMES)
NAME = NAMES[0]


@pytest.fixture(scope="module")
def course(tmp_path_factory):
    """Every assignment: solved, not touched, and all answers wrong, in two ways."""
    course = Course(tmp_path_factory.mktemp("class"))
    for name in NAMES:
        course.hand_in("reference", name, solved(name))
        course.hand_in("unsolved", name, students_notebook(name))
        ways = {}
        for cell, _, code in wrong_answers(name):
            ways.setdefault(cell, []).append(code)
        for way in range(2):
            wrong = {cell: codes[way % len(codes)] for cell, codes in ways.items()}
            course.hand_in(f"wrong-{way}", name, answered(solved(name), wrong))
    course.rows = course.grade(str(course.folder))
    return course


@each
def test_reference_answers_get_all_points(course, name):
    row = course.rows["reference", f"{name}.ipynb"]
    assert (row["status"], row["reason"], row["messages"]) == ("marked", "", "")
    assert points_got(row, name) == points_by_program(name)
    assert float(row["points"]) == sum(points_by_program(name).values())
    assert row["by_hand"].split() == [q for q in points(source(name)) if row[q] == ""]


@each
def test_an_unsolved_notebook_gets_none_and_help_with_every_question(course, name):
    row = course.rows["unsolved", f"{name}.ipynb"]
    assert (row["status"], row["points"], row["by_hand"]) == ("marked", "0", "")
    assert {*points_got(row, name).values()} == {0}
    assert row["messages"] == f"not answered: {', '.join(points(source(name)))}"


@each
def test_wrong_answers_get_no_points(course, name):
    rows = [row for (student, file), row in course.rows.items()
            if student.startswith("wrong") and file == f"{name}.ipynb"]  # fmt: skip
    assert rows
    for row in rows:
        lost = {
            q for q, got in points_got(row, name).items() if got < points_by_program(name)[q]
        }
        assert lost == {*points_by_program(name)}, row


def test_marks_by_hand_make_the_reference_whole(course, monkeypatch):
    monkeypatch.setenv("LENIENT_COURSE", str(course.home))
    with nbgrader_api().gradebook as gradebook:
        for name in NAMES:
            submission = gradebook.find_submission(name, "reference")
            for one in submission.notebooks[0].grades:
                if one.needs_manual_grade:
                    one.manual_score, one.needs_manual_grade = one.max_score, False
        gradebook.db.commit()
    rows = course.grade()
    for name in NAMES:
        row = rows["reference", f"{name}.ipynb"]
        assert row["points"] == row["of"] and row["by_hand"] == ""
        assert row["of"] == f"{sum(points(source(name)).values())}"


def test_a_mark_by_hand_stays_until_the_answer_changes(tmp_path, monkeypatch):
    course = Course(tmp_path)
    monkeypatch.setenv("LENIENT_COURSE", str(course.home))
    course.hand_in("ada", NAME, solved(NAME))
    course.grade(str(course.folder))
    with nbgrader_api().gradebook as gradebook:
        [open_] = [g for g in gradebook.find_submission(NAME, "ada").notebooks[0].grades
                   if g.needs_manual_grade]  # fmt: skip
        question, open_.manual_score, open_.needs_manual_grade = open_.name, 1, False
        # A teacher may also overrule a check.
        gradebook.find_grade(check_of(NAME, "q1"), NAME, NAME, "ada").manual_score = 0.5
        gradebook.db.commit()
    [row] = course.grade(str(course.folder)).values()
    assert (row[question], row["by_hand"], row["status"]) == ("1", "", "marked")
    assert row["q1"] == "0.5"
    course.hand_in("ada", NAME, answered(solved(NAME), {question: "Something else."}))
    [row] = course.grade(str(course.folder)).values()
    assert (row[question], row["by_hand"]) == ("", question)
    assert row["reason"] == f"{question}: changed since it was marked 1 by hand"
    [row] = course.grade(str(course.folder)).values()  # and once more
    assert (row[question], row["by_hand"], row["q1"]) == ("", question, "0.5")


def test_what_is_handed_in_again_replaces_the_first(tmp_path):
    """Each folder has its table; the course's table has what counts."""
    course = Course(tmp_path)
    course.hand_in("ada", NAME, students_notebook(NAME))
    course.grade(str(course.folder))
    first, course.folder = course.folder, tmp_path / "again"
    course.hand_in("ada", NAME, solved(NAME))
    everything = f"{sum(points_by_program(NAME).values())}"
    course.run("classroom.grade", str(course.folder))
    [row] = course.table("*returned.csv").values()
    assert row["status"] == "replaced" and row["points"] == "0"
    assert "again" in row["reason"] and first.exists()
    assert course.overview()["ada"][NAME] == everything
    # The first folder once more: the work in it is older, and does not count.
    course.run("classroom.grade", str(first))
    [row] = course.table("*returned.csv").values()
    assert row["status"] == "replaced" and "is newer, and counts instead" in row["reason"]
    assert course.overview()["ada"][NAME] == everything


def test_what_nbgrader_collected_can_be_marked_where_it_lies(tmp_path):
    course = Course(tmp_path)
    course.folder = course.home / "submitted"
    edited = solved(NAME)
    next(c for c in edited.cells if c.id == check_of(NAME, "q1")).source = "pass"
    path = course.hand_in("O'Neil", NAME, edited, f"{NAME}/{NAME}.ipynb")
    course.hand_in("O'Neil", NAME, "2026-11-16 10:00:00 UTC", f"{NAME}/timestamp.txt")
    before = path.read_bytes()
    for _ in range(2):
        [((student, _), row)] = course.grade(str(course.folder)).items()
        assert student == "O'Neil"
        assert points_got(row, NAME) == points_by_program(NAME) and row["status"] == "look"
        assert row["reason"] == f"{check_of(NAME, 'q1')}: edited check, restored"
        assert path.read_bytes() == before
        assert sorted(p.name for p in path.parent.iterdir()) == [path.name, "timestamp.txt"]


def test_bare_nbgrader_works_from_the_top_of_the_repository(tmp_path):
    """As a teacher may call it, by the settings in nbgrader_config.py alone."""
    course = Course(tmp_path, PATH="/usr/bin:/bin")
    course.folder = course.home / "submitted"
    course.hand_in("ada", NAME, solved(NAME), f"{NAME}/{NAME}.ipynb")
    for words in (["generate_assignment", NAME], ["autograde", NAME, "--create"]):
        done = course.run("nbgrader", *words)
        assert done.returncode == 0, done.stderr
    assert (course.home / "autograded" / "ada" / NAME / f"{NAME}.ipynb").exists()
