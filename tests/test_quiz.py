"""The questions at the end of the chapters: their data, their directive, their page."""

import copy
import re
import subprocess
import sys

import nbformat
import numpy as np
import pytest
import yaml
from support.book import hook
from support.paths import ROOT

import lenient

quiz = hook("quiz")
FILES = sorted((ROOT / "chapters" / "quizzes").glob("*.yml"))
CHAPTERS = sorted((ROOT / "chapters").glob("[0-9][0-9]-*.ipynb"))
each_file = pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
# What a `compute` may use: NumPy, the package, and d for the divergence.
NAMES = {name: getattr(np, name) for name in np.__all__}
NAMES |= {name: getattr(lenient, name) for name in lenient.__all__} | {"d": lenient.kl}


def questions(file, kind=None):
    """The questions of a file, each with its place for a message."""
    for number, question in enumerate(yaml.safe_load(file.read_text("utf-8")), 1):
        if kind is None or kind in question:
            yield f"{file.name}, question {number}", question


def texts(node):
    """All texts that a reader may see."""
    if isinstance(node, list):
        return [text for child in node for text in texts(child)]
    if isinstance(node, dict):
        shown = [child for field, child in node.items() if field != "compute"]
        return texts(shown)
    return [node] if isinstance(node, str) else []


# ---- the data ----------------------------------------------------------------------
@pytest.mark.parametrize("chapter", CHAPTERS, ids=lambda chapter: chapter.stem)
def test_every_chapter_has_its_quiz(chapter):
    cells = nbformat.read(chapter, as_version=4).cells
    found = re.findall(r"^:::\{quiz\} (.*)$", "\n".join(c.source for c in cells), re.M)
    assert found == [chapter.stem]
    assert (ROOT / "chapters" / "quizzes" / f"{chapter.stem}.yml") in FILES
    place = [c.id for c in cells].index("check-yourself")
    assert cells[place].source.startswith("## Check yourself\n\n:::{quiz}")
    assert cells[place + 1].source.startswith("## Exercises")


def test_every_quiz_has_its_chapter():
    assert [file.stem for file in FILES] == [chapter.stem for chapter in CHAPTERS]


@each_file
def test_data_is_valid(file):
    _, faults = quiz.load(file)
    assert faults == []


@each_file
def test_numbers_can_be_computed(file):
    for place, question in questions(file, "answer"):
        mistakes = question.get("mistakes", [])
        entries = [(question, "answer"), *((mistake, "value") for mistake in mistakes)]
        for entry, field in entries:
            value = eval(entry["compute"], dict(NAMES))
            assert abs(value - entry[field]) <= question["tolerance"], (place, value)
        values = [entry[field] for entry, field in entries]
        assert len(set(values)) == len(values), place


@each_file
def test_the_right_choice_cannot_be_guessed(file):
    """Not always at the same place, nor always the longest; no explanation twice."""
    found = [question["choices"] for _, question in questions(file, "choices")]
    right = [next(i for i, c in enumerate(cs) if "right" in c) for cs in found]
    longest = [max(range(len(cs)), key=lambda i: len(cs[i]["text"])) for cs in found]
    assert len(found) >= 1
    assert len(found) == 1 or len(set(right)) > 1
    assert len(found) == 1 or right != longest
    for place, question in questions(file):
        all_texts = texts(question)
        assert len(set(all_texts)) == len(all_texts), place


@each_file
def test_texts_stand_alone(file):
    """A script moves them about: no links, roles, HTML or code blocks."""
    for place, question in questions(file):
        for text in texts(question):
            found = re.findall(r"\]\(|\{[a-z:]+\}`|</?[a-z]+>|```", text)
            assert found == [] and text.count("$") % 2 == 0, (place, text)


# ---- bad data ----------------------------------------------------------------------
GOOD = [
    {
        "question": "Which?",
        "choices": [
            {"text": "This", "because": "First."},
            {"text": "That $x$", "because": "Second.", "right": True},
            {"text": "None", "because": "Third."},
        ],
    },
    {
        "question": "How much?",
        "answer": 0.5,
        "tolerance": 0.01,
        "compute": "1 / 2",
        "because": "Half.",
        "mistakes": [{"value": 2, "compute": "1 / 0.5", "because": "Upside down."}],
        "otherwise": "Look again.",
    },
]
GOOD = [*GOOD, copy.deepcopy(GOOD[0])]
DROP = object()
BAD = [
    ([0, "choices", 2, "because"], DROP, "question 1, choice 3, because: missing"),
    ([0, "choices", 2, "because"], " ", "question 1, choice 3, because: not a text, but ' '"),
    ([0, "choices", 0, "text"], 7, "question 1, choice 1, text: not a text, but 7"),
    ([0, "choices", 0], "no", "question 1, choice 1, must have the field text, got 'no'"),
    ([0, "choices", 0, "right"], True, "question 1, choices: 2 of them right, not 1"),
    ([0, "choices", 1, "right"], DROP, "question 1, choices: 0 of them right, not 1"),
    ([0, "choices", 1, "right"], "yes", "question 1, choice 2, right: not true, but 'yes'"),
    ([0, "choices", 2], DROP, "question 1, choices: 2 of them, not 3 or 4"),
    ([0, "choices"], 3, "question 1, choices: not a list, but 3"),
    ([0, "answer"], 3, "question 1, answer: no such field here"),
    ([0, "question"], DROP, "question 1, question: missing"),
    ([1, "answer"], "0,5", "question 2, answer: not a number, but '0,5'"),
    ([1, "tolerance"], DROP, "question 2, tolerance: missing"),
    ([1, "tolerance"], 0, "question 2, tolerance: not positive, but 0"),
    ([1, "otherwise"], DROP, "question 2, otherwise: missing"),
    ([1, "because"], DROP, "question 2, because: missing"),
    (
        [1, "mistakes", 0, "value"],
        0.515,
        "question 2, mistake 1, value: 0.515 is near the answer",
    ),
    ([1, "mistakes", 0, "why"], "x", "question 2, mistake 1, why: no such field here"),
    ([2], "What?", "question 3, must have the field question, got 'What?'"),
    ([2], DROP, "not a list of 3 to 5 questions"),
]  # fmt: skip


def spoiled(path, value):
    data = copy.deepcopy(GOOD)
    *way, last = path
    node = data
    for step in way:
        node = node[step]
    if value is DROP:
        del node[last]
    else:
        node[last] = value
    return data


@pytest.mark.parametrize("path, value, message", BAD, ids=[bad[-1] for bad in BAD])
def test_bad_data_is_named(tmp_path, path, value, message):
    file = tmp_path / "quiz.yml"
    file.write_text(yaml.safe_dump(GOOD), "utf-8")
    assert quiz.load(file) == (GOOD, [])
    file.write_text(yaml.safe_dump(spoiled(path, value)), "utf-8")
    assert quiz.load(file)[1] == [message]


def test_files_that_cannot_be_read_are_named(tmp_path):
    assert "No such file" in quiz.load(tmp_path / "none.yml")[1][0]
    (tmp_path / "broken.yml").write_text("- question: [", "utf-8")
    assert quiz.load(tmp_path / "broken.yml")[1][0].startswith("cannot be read: while")


def test_page_is_built_anew_when_its_quiz_changes(tmp_path):
    """And what is wrong with the data becomes a warning that names the file."""
    (tmp_path / "conf.py").write_text(
        f"import sys\nsys.path.insert(0, {str(ROOT / '_ext')!r})\n"
        "extensions = ['myst_parser', 'quiz']\n"
        "myst_enable_extensions = ['colon_fence', 'dollarmath']\n"
    )
    (tmp_path / "index.md").write_text("# Page\n\n:::{quiz} some\nNot shown.\n:::\n")
    data = tmp_path / "chapters" / "quizzes" / "some.yml"
    data.parent.mkdir(parents=True)
    outcomes = []
    changed, bad = spoiled([1, "otherwise"], "Think."), spoiled([1, "answer"], "?")
    for content in [GOOD, changed, bad]:
        data.write_text(yaml.safe_dump(content), "utf-8")
        run = subprocess.run(
            [sys.executable, "-m", "sphinx", "-q", tmp_path, tmp_path / "out"],
            capture_output=True,
            text=True,
        )
        page = (tmp_path / "out" / "index.html").read_text("utf-8")
        outcomes.append((page, run.stderr))
    (first, quiet), (second, still_quiet), (third, warning) = outcomes
    assert quiet == still_quiet == ""
    assert "Look again." in first and "Not shown." not in first
    assert "Think." in second
    assert "index.md:3: WARNING: chapters/quizzes/some.yml: question 2, answer" in warning
    assert "fieldset" in first and "fieldset" not in third


# ---- the page ----------------------------------------------------------------------
PAGE = f"chapters/{FILES[0].stem}"


@pytest.fixture(params=["http", "file"])
def page(request, browser, book):
    http = request.param == "http"
    home = request.getfixturevalue("book_url") if http else book.as_uri()
    context = browser.new_context(viewport={"width": 360, "height": 740})
    context.set_default_timeout(20_000)
    page = context.new_page()
    page.goto(f"{home}/{PAGE}.html", wait_until="load")
    page.evaluate("window.MathJax?.startup?.promise")
    yield page
    context.close()


def forms(page, kind):
    """Question and form of each question of a kind."""
    data = yaml.safe_load(FILES[0].read_text("utf-8"))
    found = page.query_selector_all(".quiz form")
    assert len(found) == len(data)
    return [(q, form) for q, form in zip(data, found, strict=True) if kind in q]


def plain(text):
    """The words of a text; the page has other quotation marks and line breaks."""
    return " ".join(re.sub("[\"'“”‘’]", "", text).split())


def says(form, right, text):
    """The verdict is this, in words and sign, with this explanation, maths typeset."""
    verdict = form.query_selector(".quiz-verdict")
    assert verdict.is_visible() and verdict.get_attribute("aria-live") == "polite"
    shown = verdict.inner_text()
    assert shown.startswith("✓ Right" if right else "✗ Not right")
    prose = re.split(r"\$.*?\$|\*", text, flags=re.S)  # what is neither maths nor emphasis
    assert all(plain(part) in plain(shown) for part in prose)
    maths = verdict.query_selector_all(".math")
    assert all(node.query_selector("mjx-container") for node in maths)


def score(page):
    return page.query_selector(".quiz-score").inner_text()


@pytest.mark.browser
def test_choices_by_keyboard(page):
    number = len(page.query_selector_all(".quiz form"))
    assert score(page) == f"0 of {number} right"
    for question, form in forms(page, "choices"):
        fold = form.query_selector("details")
        assert not fold.is_visible()
        form.query_selector("input").focus()
        page.keyboard.press("Enter")
        assert "choose" in form.query_selector(".quiz-verdict").inner_text()
        page.keyboard.press("Space")
        for choice in question["choices"]:
            page.keyboard.press("Enter")
            says(form, "right" in choice, choice["because"])
            assert fold.is_visible() or "right" not in choice
            expected = "1 of" if "right" in choice else "0 of"
            assert score(page).startswith(expected)
            page.keyboard.press("ArrowDown")
        # The arrows have come round to the first choice; leave with the right one.
        right = next(i for i, c in enumerate(question["choices"]) if "right" in c)
        for _ in range(right):
            page.keyboard.press("ArrowDown")
        page.keyboard.press("Tab")
        page.keyboard.press("Enter")  # the button
        says(form, True, question["choices"][right]["because"])
        fold.query_selector("summary").press("Enter")
        assert fold.get_attribute("open") is not None
        page.evaluate("form => { delete form.dataset.verdict; }", form)


@pytest.mark.browser
def test_numbers_by_keyboard(page):
    for question, form in forms(page, "answer"):
        entries = [(question["answer"], True, question["because"])]
        mistakes = question.get("mistakes", [])
        entries += [(m["value"], False, m["because"]) for m in mistakes]
        entries += [(-12345, False, question["otherwise"])]
        box = form.query_selector("input")
        assert box.get_attribute("inputmode") == "decimal"
        for value, right, because in entries:
            for text in [str(value), str(value + 0.9 * question["tolerance"])]:
                for typed in {text, text.replace(".", ",").replace("-", "−")}:
                    box.fill("")
                    box.focus()
                    page.keyboard.type(typed)
                    page.keyboard.press("Enter")
                    says(form, right, because)
        for typed in ["", "a few", "1.2.3"]:
            box.fill(typed)
            page.keyboard.press("Enter")
            assert "number" in form.query_selector(".quiz-verdict").inner_text()


@pytest.mark.browser
def test_without_javascript_all_is_in_folds(browser, book):
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(f"{book.as_uri()}/{PAGE}.html")
    for fold in page.query_selector_all(".quiz details"):
        assert fold.is_visible() and not fold.query_selector("div").is_visible()
        fold.query_selector("summary").click()
        assert all(node.is_visible() for node in fold.query_selector_all(".quiz-why"))
    assert not any(node.is_visible() for node in page.query_selector_all(".quiz button"))
    context.close()


@pytest.mark.browser
def test_fields_have_names(page):
    """Each group is named by its question, each field by its own text."""
    for group in page.query_selector_all(".quiz fieldset"):
        for name in group.get_attribute("aria-labelledby").split():
            assert page.query_selector(f"[id='{name}']").inner_text().strip()
        for field in group.query_selector_all("input"):
            label = field.evaluate("field => field.labels[0].textContent.trim()")
            assert label
