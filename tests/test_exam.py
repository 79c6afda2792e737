"""Exam questions: right, not in the book, and as learning platforms read them."""

import io
import math
import zipfile
from xml.etree import ElementTree as et

import numpy as np
import pytest
from support.course import Course
from support.paths import ROOT

import lenient
from classroom import exam, moodle_xml, qti
from lenient_book.quiz import load

BANK = exam.questions(exam.BANK)
QUIZZES = exam.questions(exam.QUIZZES)
EVERY = [(topic, n, q) for bank in (BANK, QUIZZES) for topic, qs in bank.items()
         for n, q in enumerate(qs, 1)]  # fmt: skip


# ---- the bank ------------------------------------------------------------------------
def test_the_bank_is_sound_and_its_numbers_are_computed():
    assert sum(map(len, BANK.values())) >= 16
    for questions in BANK.values():
        for question in questions:
            for entry in [question, *question.get("mistakes", [])]:
                if "compute" in entry:
                    stated = entry.get("answer", entry.get("value"))
                    names = {"lenient": lenient, "math": math, "np": np}
                    value = eval(entry["compute"], names)
                    assert value == pytest.approx(stated, abs=question["tolerance"])


def test_no_exam_question_is_a_quiz_question_or_in_the_book(book):
    texts = {" ".join(q["question"].split()) for qs in BANK.values() for q in qs}
    assert not texts & {" ".join(q["question"].split()) for qs in QUIZZES.values() for q in qs}
    lines = {line for qs in BANK.values() for q in qs for line in q["question"].splitlines()}
    kinds = (".html", ".md", ".yml", ".json", ".js", ".txt")
    for path in book.rglob("*"):
        if path.suffix in kinds and path.is_file():
            text = path.read_text("utf-8", errors="replace")
            assert not [line for line in lines if len(line) > 40 and line in text], path


def test_the_sheet_has_no_answers_and_the_other_has_them(tmp_path):
    course = Course(tmp_path)
    done = course.run("classroom.exam", "--seed", "3", "--questions", "9")
    assert done.returncode == 0, done.stderr
    folder = course.home / "exam"
    sheet, answers = ((folder / f"sheet-3{end}.html").read_text() for end in ("", "-answers"))
    assert sheet.count("<h2>Question") == answers.count("<h2>Question") == 9
    assert "☒" not in sheet and "<blockquote" not in sheet and "☒" in answers
    assert "$" not in sheet and "<math" in sheet
    again = [*exam.drawn(BANK, 9, 3)]
    assert again == [*exam.drawn(BANK, 9, 3)] != [*exam.drawn(BANK, 9, 4)]
    assert len({q["question"] for q in again}) == 9
    assert {*(path.name for path in folder.iterdir())} >= {"exam-moodle.xml", "quizzes-qti.zip"}


# ---- Moodle --------------------------------------------------------------------------
def test_moodle_finds_what_its_import_asks_for():
    """Names and values that qformat_xml reads: of each question, and of each answer."""
    root = et.fromstring(moodle_xml.quiz(BANK | QUIZZES, "exam").encode())
    assert root.tag == "quiz"
    kinds = [question.get("type") for question in root]
    assert kinds.count("category") == len(BANK) + len(QUIZZES)
    assert len(kinds) - kinds.count("category") == len(EVERY)
    seen = set()
    for question in root.iterfind("question"):
        if question.get("type") == "category":
            assert question.findtext("category/text").startswith("$course$/top/")
            continue
        assert question.findtext("name/text") and question.findtext("questiontext/text")
        assert question.find("questiontext").get("format") == "html"
        fractions = [float(a.get("fraction")) for a in question.iterfind("answer")]
        assert fractions.count(100) == 1 and {*fractions} <= {0, 100}
        assert all(a.findtext("feedback/text") for a in question.iterfind("answer"))
        seen.add(question.findtext("idnumber"))
        if question.get("type") == "multichoice":
            assert question.findtext("single") == "true" and len(fractions) >= 3
        else:
            values = [answer.findtext("text") for answer in question.iterfind("answer")]
            assert values[-1] == "*" and [float(value) for value in values[:-1]]
            assert all(float(a.findtext("tolerance")) >= 0 for a in question.iterfind("answer"))
        for text in question.iter("text"):
            assert "$" not in (text.text or ""), text.text  # TeX stands in \( and \)
    assert len(seen) == len(EVERY)


# ---- QTI -----------------------------------------------------------------------------
def answered(item, response):
    """What a program that reads QTI makes of a response: (points, which feedback)."""
    from pyslet.qtiv2 import variables

    session = variables.ItemSessionState(item)
    session.begin_session()
    session["RESPONSE"].set_value(response)
    item.ResponseProcessing.run(session)
    return session["SCORE"].value, session["FEEDBACK"].value


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("topic, number, question", EVERY, ids=lambda value: str(value)[:20])
def test_qti_items_are_read_and_marked_by_another_program(topic, number, question):
    from pyslet.qtiv2.xml import QTIDocument

    text = qti.item(f"{topic}-{number}", question)
    document = QTIDocument()
    document.read(src=io.BytesIO(text.encode()))
    item = document.root
    raw = et.fromstring(text)
    name = "{http://www.imsglobal.org/xsd/imsqti_v2p1}"
    told = {
        m.get("identifier"): "".join(m.itertext()) for m in raw.iter(f"{name}modalFeedback")
    }
    if "choices" in question:
        right = 0
        for choice in raw.iter(f"{name}simpleChoice"):
            given = choice.get("identifier")
            points, feedback = answered(item, given)
            right += points
            assert feedback == given and told[feedback].strip()
        assert right == 1 and len(told) == len(question["choices"])
        return
    width = question["tolerance"]
    for off, points in [(0, 1), (0.9 * width, 1), (-0.9 * width, 1), (1.1 * width, 0)]:
        assert answered(item, float(question["answer"] + off))[0] == points
    mistakes = [float(mistake["value"]) for mistake in question.get("mistakes", [])]
    for value in mistakes:  # two may be within a tolerance of each other
        points, feedback = answered(item, value)
        assert points == 0 and abs(mistakes[int(feedback[1:]) - 1] - value) <= width
    assert answered(item, -12345.0) == (0, "OTHER")


def test_the_package_lists_what_is_in_it():
    packed = zipfile.ZipFile(io.BytesIO(qti.package(BANK)))
    manifest = et.fromstring(packed.read("imsmanifest.xml"))
    name = "{http://www.imsglobal.org/xsd/imscp_v1p1}"
    files = {resource.get("href") for resource in manifest.iter(f"{name}resource")}
    assert files | {"imsmanifest.xml"} == {*packed.namelist()}
    assert qti.package(BANK) == qti.package(BANK)
    assert {path.stem for path in (ROOT / "exam").glob("*.yml")} == {*BANK}
    assert not [fault for path in exam.BANK.glob("*.yml") for fault in load(path)[1]]
