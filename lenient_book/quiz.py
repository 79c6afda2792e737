"""The questions at the end of a chapter, as widgets of a notebook.

    quiz("02-gap-functions")

The page has the same questions from the same file, by the directive of `_ext/quiz.py`. Each
answer has its explanation: that of a choice, or of the known number that is nearest.
"""

import math
from html import escape
from pathlib import Path

import yaml

from lenient_book.stored import folder

# ---- the data -----------------------------------------------------------------------
KINDS = {
    "a text": lambda value: isinstance(value, str) and value.strip() != "",
    "a number": lambda value: type(value) in (int, float),
    "a list": lambda value: isinstance(value, list),
    "true": lambda value: value is True,
}
KIND = dict.fromkeys(["question", "text", "because", "otherwise", "compute"], "a text")
KIND |= dict.fromkeys(["answer", "tolerance", "value"], "a number")
KIND |= {"choices": "a list", "mistakes": "a list", "right": "true"}
NUMBER = ["question", "answer", "tolerance", "compute", "because", "otherwise"]


# ---- the data -----------------------------------------------------------------------
def check_fields(place, entry, needed, *optional):
    """ValueError for the first field that is unknown, missing or of another kind."""
    if not isinstance(entry, dict):
        raise ValueError(f"{place}must have the field {needed[0]}, got {entry!r}")
    for field in [*entry, *needed]:
        if field not in (*needed, *optional):
            raise ValueError(f"{place}{field}: no such field here")
        if field not in entry:
            raise ValueError(f"{place}{field}: missing")
        if not KINDS[KIND[field]](entry[field]):
            raise ValueError(f"{place}{field}: not {KIND[field]}, but {entry[field]!r}")


def check(question):
    """ValueError for the first thing that is wrong with a question."""
    if isinstance(question, dict) and "choices" in question:
        check_fields("", question, ["question", "choices"])
        for n, choice in enumerate(question["choices"], 1):
            check_fields(f"choice {n}, ", choice, ["text", "because"], "right")
        if (count := len(question["choices"])) not in (3, 4):
            raise ValueError(f"choices: {count} of them, not 3 or 4")
        if (count := sum("right" in choice for choice in question["choices"])) != 1:
            raise ValueError(f"choices: {count} of them right, not 1")
        return
    check_fields("", question, NUMBER, "mistakes")
    if question["tolerance"] <= 0:
        raise ValueError(f"tolerance: not positive, but {question['tolerance']}")
    for n, mistake in enumerate(question.get("mistakes", []), 1):
        check_fields(f"mistake {n}, ", mistake, ["value", "compute", "because"])
        if abs(mistake["value"] - question["answer"]) <= 2 * question["tolerance"]:
            raise ValueError(f"mistake {n}, value: {mistake['value']} is near the answer")


def load(file):
    """The questions in a file, and what is wrong with them."""
    try:
        questions = yaml.safe_load(Path(file).read_text("utf-8"))
    except (OSError, UnicodeDecodeError, yaml.YAMLError) as error:
        return [], [f"cannot be read: {' '.join(str(error).split())}"]
    if not isinstance(questions, list) or not 3 <= len(questions) <= 5:
        return [], ["not a list of 3 to 5 questions"]
    faults = []
    for number, question in enumerate(questions, 1):
        try:
            check(question)
        except ValueError as fault:
            faults.append(f"question {number}, {fault}")
    return questions, faults


# ---- answers -------------------------------------------------------------------------
def number_in(text):
    """The number that was typed: "0,25", "−0.25" and "1 000" are some too; NaN if none."""
    plain = "".join(str(text).split()).replace(",", ".").replace("−", "-")
    try:
        return float(plain)
    except ValueError:
        return math.nan


def verdict(question, given):
    """(is it right, why) of a number, or of a choice by its place."""
    if "choices" in question:
        choice = question["choices"][given]
        return "right" in choice, choice["because"]
    known = [(question["answer"], True, question["because"])]
    known += [(m["value"], False, m["because"]) for m in question.get("mistakes", [])]
    value, right, because = min(known, key=lambda entry: abs(entry[0] - given))
    if abs(value - given) <= question["tolerance"] + 1e-9:
        return right, because
    return False, question["otherwise"]


# ---- the notebook --------------------------------------------------------------------
def quiz(name):
    """The questions of a chapter, given by the name of its file."""
    questions, faults = load(folder("quizzes") / f"{name}.yml")
    if faults:
        raise ValueError(f"quiz {name}: {faults[0]}")
    return Quiz(name, questions)


class Quiz:
    """Questions as widgets: buttons for choices, a field for a number."""

    def __init__(self, name, questions):
        import ipywidgets

        self.widgets, self.name, self.questions = ipywidgets, name, questions
        self.right = [False] * len(questions)
        self.score = ipywidgets.HTML()
        self.forms = [self.form(place) for place in range(len(questions))]
        self.view = ipywidgets.VBox([*self.forms, self.score])
        self.count()

    def __repr__(self):
        return f"quiz: {self.name}, {len(self.questions)} questions"

    def _repr_mimebundle_(self, include=None, exclude=None):
        kind = "application/vnd.jupyter.widget-view+json"
        return {"text/plain": repr(self), kind: self.view._repr_mimebundle_()[kind]}

    def form(self, place):
        question = self.questions[place]
        asked = self.text(f"**Question {place + 1}.** {question['question']}")
        said = self.widgets.HTMLMath()
        said.add_class("quiz-verdict")

        def answer(given):
            if given is None or given != given:
                said.value = "<p>Please write a number, such as 0.25.</p>"
                return
            right, because = verdict(question, given)
            self.right[place] = right
            word = "✓ **Right.** " if right else "✗ **Not right.** "
            said.value = html(word + because)
            self.count()

        inputs = self.choices(question, answer) if "choices" in question else self.field(answer)
        form = self.widgets.VBox([asked, *inputs, said])
        form.layout.margin = "0 0 1.5em 0"
        return form

    def choices(self, question, answer):
        for place, choice in enumerate(question["choices"]):
            letter = "ABCD"[place]
            button = self.widgets.Button(
                description=letter, tooltip=f"Answer {letter}", layout={"width": "3em"}
            )
            button.on_click(lambda _, place=place: answer(place))
            yield self.widgets.HBox([button, self.text(choice["text"])])

    def field(self, answer):
        field = self.widgets.Text(description="Your number", placeholder="0.25")
        field.style.description_width = "initial"
        button = self.widgets.Button(description="Check", layout={"width": "6em"})
        button.on_click(lambda _: answer(number_in(field.value)))
        yield self.widgets.HBox([field, button])

    def text(self, source):
        return self.widgets.HTMLMath(html(source), layout={"flex": "1 1 auto"})

    def count(self):
        self.score.value = f"{sum(self.right)} of {len(self.right)} right"


def html(source):
    """MyST as HTML; formulas stay, for the notebook to set."""
    from markdown_it import MarkdownIt
    from mdit_py_plugins.dollarmath import dollarmath_plugin

    reader = MarkdownIt("commonmark").use(dollarmath_plugin)
    for kind, left, right in (("math_inline", "\\(", "\\)"), ("math_block", "\\[", "\\]")):
        reader.add_render_rule(kind, _formula(left, right))
    return reader.render(source.strip())


def _formula(left, right):
    return lambda self, tokens, at, *_: left + escape(tokens[at].content) + right
