"""The report on the class, and submissions that are much alike."""

import csv
import re

import pytest
from bs4 import BeautifulSoup
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook
from support.assignments import NAMES, answered, solved, wrong_answers
from support.course import Course

from classroom.alike import alike
from classroom.sources import points, source

NAME = NAMES[0]


def handed_in(code, words=""):
    """A notebook with one answer in code and one in words."""
    cells = [new_code_cell(code), new_markdown_cell(words)]
    for cell, name in zip(cells, ("q1", "q2")):
        cell.metadata["nbgrader"] = {"grade_id": name, "solution": True, "grade": False}
    return new_notebook(cells=cells)


ORIGINAL = '''
def slope(times, plays):
    """The slope."""
    first, last = plays[0], plays[-1]  # from the first to the last
    growth = (last - first) / np.log(times[-1] / times[0])
    error = growth.std(ddof=1) / len(growth) ** 0.5
    return growth.mean(), error
'''
RENAMED = """
def slope(times, plays):
    unused = 17
    a, b = plays[0], plays[-1]
    g = (b - a) / np.log(times[-1] / times[0])


    e = g.std(ddof=1) / len(g)**.5
    return g.mean(), e
"""
OWN = """
def slope(times, plays):
    span = np.log(times[-1]) - np.log(times[0])
    each = [(run[-1] - run[0]) / span for run in plays.T]
    return np.mean(each), stats.sem(each)
"""
WORDS = "Because the best arm fails in all of its first plays, and nobody looks at it again."


def test_a_renamed_copy_is_found_and_own_work_is_not():
    """With a class around them, who all wrote something of their own."""
    others = {f"other-{i}": handed_in(OWN.replace("span", f"span * {i}")) for i in range(9)}
    papers = {"ada": handed_in(ORIGINAL), "eve": handed_in(RENAMED)} | others
    [pair] = alike(papers)
    assert (pair.first, pair.second) == ("ada", "eve") and pair.questions == ["q1"]
    assert ("q1", "v0 = (v1 - v2) / np.log(times[-1] / times[0])") in pair.shared
    assert alike(papers, together=[("eve", "ada")]) == []
    assert alike(papers, known=[handed_in(ORIGINAL)]) == []


def test_what_many_have_counts_for_nobody():
    papers = {f"s{i}": handed_in(ORIGINAL) for i in range(9)}
    assert alike(papers) == []


def test_words_that_are_shared_are_found_and_broken_code_does_no_harm():
    papers = {
        "ada": handed_in("x = (", WORDS),
        "eve": handed_in("", WORDS.upper() + " Indeed."),
    }
    papers["bob"] = handed_in("\ud83d", "I do not know. " * 9)
    [pair] = alike(papers)
    assert (pair.first, pair.second, pair.questions) == ("ada", "eve", ["q2"])


@pytest.fixture(scope="module")
def course(tmp_path_factory):
    course = Course(tmp_path_factory.mktemp("class"))
    course.hand_in("good", NAME, solved(NAME))
    ways = {}
    for cell, _, code in wrong_answers(NAME):
        ways.setdefault(cell, []).append(code)
    for way in range(4):
        chosen = {q: codes[way % len(codes)] for q, codes in ways.items() if int(q[1]) > way}
        course.hand_in(f"wrong-{way}", NAME, answered(solved(NAME), chosen))
    copy = answered(solved(NAME), {q: codes[0] for q, codes in ways.items()})
    course.hand_in("copy", NAME, copy)
    course.home.mkdir(exist_ok=True)
    (course.home / "students.csv").write_text("name\ngood\ncopy\nabsent & Co\n")
    course.grade(str(course.folder))
    done = course.run("classroom.class_report")
    assert done.returncode == 0, done.stderr
    return course


@pytest.mark.filterwarnings("ignore")
def test_the_report_says_how_the_questions_went(course):
    page = (course.home / "report.html").read_text("utf-8")
    soup = BeautifulSoup(page, "html.parser")
    text = soup.get_text(" ", strip=True)
    assert "6 students, 6 notebooks" in text and "6 wait to be marked by hand" in text
    assert "Nothing from: absent & Co." in text
    rows = {row.td.text: [cell.text for cell in row.find_all("td")] for row in
            soup.find("table").tbody.find_all("tr")}  # fmt: skip
    worth = points(source(NAME))
    assert [*rows] == [q.upper() for q in worth]
    assert rows["Q1"][2] == "67%"  # good, and the three whose mistakes begin later
    pictures = soup.find_all("img")
    assert len(pictures) == 2 and all(image["alt"] for image in pictures)
    assert not soup.find("script")
    assert "What failed most often" in text
    # The copy has the mistakes of wrong-0.
    with open(course.home / "alike.csv", newline="", encoding="utf-8") as file:
        pairs = [(row["first"], row["second"]) for row in csv.DictReader(file)]
    assert pairs[0] == ("copy", "wrong-0")
    assert re.search(r"copy and wrong-0: \d+ of \d+ rare pieces", text)
