"""Exercises to work on in a notebook, and the quiz as widgets: data, checks, the way back."""

import json
import re

import ipywidgets
import numpy as np
import pytest
import yaml
from support.paths import ROOT

import lenient
from lenient_book import exercise, quiz

FILES = sorted((ROOT / "chapters" / "practice").glob("*.yml"))
ASKED = [
    pytest.param(path, label, each, id=f"{label} {each['name']}")
    for path in FILES
    for label, asked in yaml.safe_load(path.read_text("utf-8")).items()
    for each in asked
]
NAMES = {name: getattr(np, name) for name in np.__all__}
NAMES |= {name: getattr(lenient, name) for name in lenient.__all__} | {"d": lenient.kl}


# ---- the data ------------------------------------------------------------------------
@pytest.mark.parametrize("path, label, each", ASKED)
def test_what_is_asked_is_well_formed_and_its_numbers_are_computed(path, label, each):
    quiz.check({field: value for field, value in each.items() if field != "name"})
    # A name of its own: what the chapter goes on to use must not be lost.
    assert re.fullmatch(r"my_\w+", each["name"]) and "\n" not in each["question"].strip()
    assert len(f"{each['name']} = ...  # {each['question']}") <= 75
    for value, compute in [(each["answer"], each["compute"])] + [
        (mistake["value"], mistake["compute"]) for mistake in each.get("mistakes", [])
    ]:
        computed = float(eval(compute, dict(NAMES)))
        assert abs(computed - value) <= each["tolerance"] / 2, (compute, computed)


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_they_are_exercises_of_this_chapter(path):
    names = json.loads((ROOT / "chapters" / "labels.json").read_text("utf-8"))["names"]
    for label in yaml.safe_load(path.read_text("utf-8")):
        page, said = names[label]
        assert page == path.stem and said.startswith("Exercise ")


# ---- the check -----------------------------------------------------------------------
SAMPLE = {
    "name": "x",
    "question": "How much?",
    "answer": 2.0,
    "tolerance": 0.1,
    "compute": "2",
    "because": "It is\ntwo.",
    "otherwise": "Count again.",
    "mistakes": [{"value": 3.0, "compute": "3", "because": "One too many."}],
}


@pytest.mark.parametrize(
    "given, said",
    [
        (2.05, "✓ right. It is two."),
        (np.float64(2), "✓ right. It is two."),
        (3, "✗ not yet. One too many."),
        (7, "✗ not yet. Count again."),
        (..., "still to be filled in."),
        ("two", "should be a number, and is str 'two'."),
        (float("nan"), "should be a number, and is NaN."),
    ],
)
def test_the_check_helps(given, said):
    assert exercise.judge(SAMPLE, given) == said


class Notebook:
    """What IPython calls to change the text of the cell that is run."""

    def set_next_input(self, text, replace):
        self.text, self.replace = text, replace


def test_a_cell_runs_as_it_is_and_comes_back(monkeypatch):
    label, notebook = next(iter(exercise.exercises())), Notebook()
    monkeypatch.setattr("IPython.get_ipython", lambda: notebook)
    said = []
    monkeypatch.setattr(exercise, "_show", said.append)
    names = {}
    exec(exercise.cell(label), names)
    assert said[0].count("still to be filled in") == len(exercise.exercises()[label])
    names["reset"](label)
    assert notebook.text == exercise.cell(label) and notebook.replace is True


def test_an_unknown_exercise_is_named():
    with pytest.raises(ValueError, match="no exercise 'ex-none'"):
        exercise.check("ex-none", x=1)


# ---- the quiz ------------------------------------------------------------------------
@pytest.mark.parametrize("name", [path.stem for path in quiz.folder("quizzes").glob("*.yml")])
def test_a_quiz_answers_right_and_wrong(name):
    made = quiz.quiz(name)
    assert repr(made) == f"quiz: {name}, {len(made.questions)} questions"
    for question, form in zip(made.questions, made.forms):
        said = form.children[-1]
        if "choices" in question:
            for choice, row in zip(question["choices"], form.children[1:-1]):
                row.children[0].click()
                assert ("✓" in said.value) == ("right" in choice)
                why = quiz.html(choice["because"]).removeprefix("<p>").strip()
                assert said.value.strip().endswith(why)
        else:
            field, button = form.children[1].children
            for value in [*(m["value"] for m in question.get("mistakes", [])), "x"]:
                field.value = str(value)
                button.click()
                assert "✓" not in said.value and said.value
            field.value = str(question["answer"]).replace("-", "−")
            button.click()
            assert "✓" in said.value
    assert re.match(r"\d+ of \d+ right", made.score.value)
    shown = made._repr_mimebundle_()
    assert shown["text/plain"] == repr(made) and len(shown) == 2
    ipywidgets.Widget.close_all()


def test_numbers_are_read_as_on_the_page():
    read = [quiz.number_in(text) for text in ("0,25", " −1 000.5", "1e-3")]
    assert read == [0.25, -1000.5, 0.001]
    assert np.isnan(quiz.number_in("")) and np.isnan(quiz.number_in("much"))


def test_the_verdict_is_that_of_the_nearest_known_number():
    assert quiz.verdict(SAMPLE, 2.1) == (True, "It is\ntwo.")
    assert quiz.verdict(SAMPLE, 2.95) == (False, "One too many.")
    assert quiz.verdict(SAMPLE, 2.5) == (False, "Count again.")


def test_an_unknown_quiz_is_named():
    with pytest.raises(ValueError, match="quiz 99-none: cannot be read"):
        quiz.quiz("99-none")


def test_formulas_of_a_quiz_are_left_for_the_notebook():
    assert quiz.html("*a* $x<y$") == "<p><em>a</em> \\(x&lt;y\\)</p>\n"
