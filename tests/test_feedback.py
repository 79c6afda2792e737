"""What goes back to students: pages without hidden tests, packed, and tables of grades."""

import csv
import os
import re
import zipfile
from datetime import datetime

import nbformat
import pytest
from bs4 import BeautifulSoup
from support.assignments import NAMES, answered, solved, wrong_answers
from support.course import Course

from classroom.assignments import nbgrader_api
from classroom.formulas import mathml, with_formulas
from classroom.sources import points, source
from classroom.told import told

pytestmark = pytest.mark.filterwarnings("ignore")  # of nbgrader's database
NAME = "choose-eps"
ROLL = """Student,ID,SIS User ID,SIS Login ID,Section,Choose ε (77),group
"Lovelace, Ada",1234,u1,alove,S1,,
"Hopper, Grace",1235,u2,ghop,S1,,navy
"Byron, Anne",1236,u3,abyr,S1,,navy
"Turing, Alan",1237,u4,atur,S1,,
"Noether, Emmy",1238,u5,enoe,S1,,
"""


def with_wrong(question, what):
    """The solved notebook with one typical mistake."""
    [code] = [c for q, w, c in wrong_answers(NAME) if (q, w) == (question, what)]
    return answered(solved(NAME), {question: code})


@pytest.fixture(scope="module")
def course(tmp_path_factory):
    course = Course(tmp_path_factory.mktemp("handback"))
    course.home.mkdir()
    (course.home / "students.csv").write_text(ROLL, "utf-8")
    (course.home / "course.toml").write_text(
        'late = "10 % a day, at most 50 %, after 15 minutes"\n'
        f'[due]\n{NAME} = "2026-11-18 12:00"\n'
    )
    on_time = datetime(2026, 11, 18, 12, 10).timestamp()
    for folder, file, notebook in [
        (
            "Ada Lovelace_77_assignsubmission_file",
            f"{NAME}.ipynb",
            with_wrong("q6", "plain floats"),
        ),
        ("Grace Hopper_78_assignsubmission_file_", "mine.ipynb", solved(NAME)),
        ("1238-9 - Emmy Noether - Nov 20, 2026 1000 AM", f"{NAME}.ipynb", solved(NAME)),
        ("stranger", f"{NAME}.ipynb", solved(NAME)),
    ]:
        os.utime(course.hand_in(folder, NAME, notebook, file), (on_time, on_time))
    mistake = with_wrong("q2", "the gap against eps")
    mistake.cells[-1].source = "<img src=x onerror=alert(1)> so $\\varepsilon=T^{-1/3}$"
    flat = course.folder / f"turingalan_LATE_1237_4711_{NAME}-1.ipynb"
    nbformat.write(mistake, flat)
    os.utime(flat, (on_time, on_time))
    course.rows = course.grade(str(course.folder))
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("LENIENT_COURSE", str(course.home))
        with nbgrader_api().gradebook as gradebook:
            for student in ("Ada Lovelace", "Grace Hopper", "Emmy Noether"):
                [one] = gradebook.find_submission(NAME, student).notebooks
                [mark] = [grade for grade in one.grades if grade.needs_manual_grade]
                mark.manual_score, mark.needs_manual_grade = 4, False
                [comment] = [c for c in one.comments if c.name == "q7"]
                comment.manual_comment = "Good, but $\\frac12$ <script>x</script>?"
            gradebook.db.commit()
    course.grade()
    done = course.run("classroom.feedback")
    assert done.returncode == 0, done.stderr
    course.said = done.stdout
    return course


def text_of(course, student):
    page = (course.home / "feedback" / student / NAME / f"{NAME}.html").read_text("utf-8")
    return page, BeautifulSoup(page, "html.parser").get_text(" ", strip=True)


def test_a_hidden_test_that_failed_is_told_by_its_hint_alone(course):
    page, text = text_of(course, "Ada Lovelace")
    got = course.overview()["Ada Lovelace"][NAME]  # a hidden test costs its own share
    assert 17 <= float(got) < 19 and f"{got} of 20 points" in text
    assert "A further test failed: is the comparison with the level exact" in text
    hidden = re.findall(
        r"(?s)### BEGIN HIDDEN TESTS\n(.*?)### END",
        "\n".join(c.source for c in source(NAME).cells),
    )
    for line in "".join(hidden).splitlines():
        assert len(line.strip()) < 25 or line.strip().startswith("# Hint") or line not in page
    assert "They are equal on paper" not in page


def test_a_visible_message_is_told_as_it_was(course):
    _, text = text_of(course, "Alan Turing")
    assert "Q2: in_the_end(0.5, 0.2, 0.3) gave 'open'. The gap is 0.3." in text
    assert "Not marked yet, and not in these points: Q7" in text


def test_nothing_runs_in_a_page_and_formulas_are_shown(course):
    for student in ("Alan Turing", "Ada Lovelace"):
        page, _ = text_of(course, student)
        soup = BeautifulSoup(page, "html.parser")
        assert not soup.find_all(["script", "iframe", "object", "link", "form"])
        assert not any(image.attrs for image in soup.find_all("img"))
        assert not [t for t in soup.find_all(True) if any(a.startswith("on") for a in t.attrs)]
        assert "default-src 'none'" in page
        assert soup.find("math") and "onerror" not in page
    assert "&lt;script&gt;" in page  # of a comment: shown, as it cannot do anything


def test_lateness_and_groups_are_reckoned_in(course):
    worth = sum(points(source(NAME)).values())
    overview = course.overview()
    assert overview["Grace Hopper"][NAME] == overview["Anne Byron"][NAME] == f"{worth - 1}"
    # Two days less two hours, of which a quarter of an hour is forgiven: two days begun.
    assert overview["Emmy Noether"][NAME] == f"{0.8 * (worth - 1):g}"
    assert "late (1 day 22 hours, 3.8 points)" in overview["Emmy Noether"]["remarks"]
    assert "late (says the platform)" not in overview["Alan Turing"]["remarks"]
    assert "late (10 minutes)" in overview["Alan Turing"]["remarks"]
    assert overview["stranger"]["remarks"].endswith("not in students.csv")
    _, text = text_of(course, "Anne Byron")
    assert text.startswith("Assignment 8") and "Anne Byron, Grace Hopper" in text


def test_pages_are_packed_under_the_names_that_platforms_look_for(course):
    packed = {
        path.name: zipfile.ZipFile(path).namelist()
        for path in (course.home / "feedback").glob("*.zip")
    }
    assert packed == {
        f"{NAME}-moodle.zip": [
            f"Ada Lovelace_77_assignsubmission_file_/{NAME}.html",
            f"Grace Hopper_78_assignsubmission_file_/{NAME}.html",
        ],
        f"{NAME}-canvas.zip": [f"turingalan_LATE_1237_4711_{NAME}-1.html"],
        f"{NAME}-brightspace.zip": [
            f"1238-9 - Emmy Noether - Nov 20, 2026 1000 AM/{NAME}.html"
        ],
        f"{NAME}.zip": ["stranger.html"],
    }
    for name in packed[f"{NAME}-moodle.zip"]:  # as Moodle takes such a name apart
        info = name.split("/")[0].split("_", 4)
        assert info[1].isdigit() and info[2:4] == ["assignsubmission", "file"]
    [name] = packed[f"{NAME}-canvas.zip"]  # and Canvas: the first two numbers between _
    assert [part for part in name.split("_") if part.isdigit()][:2] == ["1237", "4711"]


def table(course, name):
    with open(course.home / "grades-for" / f"{name}.csv", newline="", encoding="utf-8") as file:
        return [*csv.DictReader(file)]


def test_grades_are_written_as_platforms_import_them(course):
    ada = course.overview()["Ada Lovelace"][NAME]
    rows = table(course, f"moodle-{NAME}")
    assert {(row["Identifier"], row["Grade"]) for row in rows} == {
        ("Participant 77", ada), ("Participant 78", "19"),
    }  # fmt: skip
    assert {"Identifier", "Grade", "Last modified (grade)"} <= {*rows[0]}
    most, *rows = table(course, "canvas")
    assert [*most][:5] == ["Student", "ID", "SIS User ID", "SIS Login ID", "Section"]
    assert most["Student"].strip() == "Points Possible" and most["Choose ε (77)"] == "20"
    got = {row["Student"]: (row["ID"], row["Choose ε (77)"]) for row in rows}
    assert got["Lovelace, Ada"] == ("1234", ada) and got["Byron, Anne"] == ("1236", "19")
    assert got["Turing, Alan"] == ("1237", "")  # not complete yet
    rows = table(course, "brightspace")
    assert [*rows[0]][-1] == "End-of-Line Indicator" and rows[0]["OrgDefinedId"] == "#u1"
    assert rows[0]["Choose ε Points Grade"] == ada
    assert table(course, "moodle-gradebook")[1]["ID number"] == "u2"
    assert "wait to be marked by hand" in course.said


def check(source, line, **error):
    """A notebook with one check that failed in this line."""
    cell = nbformat.v4.new_code_cell(source)
    cell.metadata["nbgrader"] = {"grade": True, "solution": False, "grade_id": "q1-check"}
    trace = [f'  File "q1-check", line {line}, in <module>'] if line else []
    error = {"ename": "AssertionError", "evalue": "said", "traceback": trace} | error
    cell.outputs = [nbformat.v4.new_output("error", **error)]
    return nbformat.v4.new_notebook(cells=[cell])


SOURCE = """assert 1, "said"
### BEGIN HIDDEN TESTS
# Hint: the first.
assert 2
# Hint: the second.
assert 3
### END HIDDEN TESTS
print("well")"""


@pytest.mark.parametrize(
    "line, text",
    [
        (1, "said"),
        (4, "A further test failed: the first."),
        (6, "A further test failed: the second."),
        (None, "A further test failed: the first."),
        (99, "A further test failed: the second."),
    ],
)
def test_what_is_told_hangs_on_where_the_check_failed(line, text):
    [one] = told(check(SOURCE, line))
    assert one.text == text
    coloured = check(
        SOURCE, 0, traceback=[f"\x1b[36mCell\x1b[39m In[4], line \x1b[32m{line}\x1b[0m"]
    )
    if line:
        assert told(coloured)[0].text == text


def test_an_error_that_is_no_message_is_told_with_its_kind():
    [one] = told(check("1 / 0", 1, ename="ZeroDivisionError", evalue="division by zero"))
    assert one.text == "ZeroDivisionError: division by zero"
    text = SOURCE.replace("# Hint: the first.\n", "").replace("# Hint: the second.\n", "")
    assert told(check(text, 3))[0].text == "A further test failed."


def test_every_hidden_test_has_a_hint_that_says_what_to_think_of():
    for name in NAMES:
        for cell in source(name).cells:
            if "### BEGIN HIDDEN TESTS" in cell.source:
                inside = cell.source.split("### BEGIN HIDDEN TESTS")[1]
                [first] = inside.strip().splitlines()[:1]
                assert first.startswith("# Hint: "), cell.id
                assert 20 < len(first) <= 75 and first[-1] in ".?", first


def test_formulas_become_mathml_or_stay_as_they_are():
    assert "<mfrac>" in mathml(r"\frac12") and "<mtable" in mathml(
        r"\begin{aligned}a&=b\\c&=d\end{aligned}"
    )
    for wrong in (r"\text{<script>}", "x & y", r"\frac{", "a" * 9000):
        assert mathml(wrong) == ""
    html = "<p>costs $5 and $6, $x&lt;1$, <code>$y$</code></p>"
    made = with_formulas(html)
    assert "costs $5 and $6" in made and "<code>$y$</code>" in made
    assert made.count("<math") == 1
