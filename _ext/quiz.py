"""The questions at the end of each chapter, with an explanation for every answer.

The directive `{quiz} 02-gap-functions` becomes the questions of the file
`chapters/quizzes/02-gap-functions.yml`, a form for each, with all explanations in a fold
below. On a page without JavaScript that is all; otherwise `_static/quiz.js` marks what the
reader answers and shows the explanation that goes with it. A notebook has the same questions
as widgets (`lenient_book.quiz`).
"""

from pathlib import Path

from docutils import nodes
from find import readable
from sphinx.util import logging
from sphinx.util.docutils import SphinxDirective

from lenient_book.quiz import load

QUIZZES = "chapters/quizzes"


# ---- the page -----------------------------------------------------------------------
class element(nodes.General, nodes.Element):
    """Any HTML element, as Sphinx has none for forms."""


def html(tag, /, *children, **attributes):
    children = [nodes.Text(c) if isinstance(c, str) else c for c in children]
    attributes = {key.strip("_").replace("_", "-"): v for key, v in attributes.items()}
    return element("", *children, tag=tag, html=attributes)


def visit(writer, node):
    writer.body.append(writer.starttag(node, node["tag"], "", **node["html"]))


def depart(writer, node):
    writer.body.append("" if node["tag"] == "input" else f"</{node['tag']}>\n")


class Quiz(SphinxDirective):
    """Put the questions of a file in the place of the directive."""

    required_arguments = 1
    has_content = True

    def run(self):
        name = f"{QUIZZES}/{self.arguments[0]}.yml"
        file = Path(self.env.srcdir, name)
        self.env.note_dependency(str(file))
        questions, faults = load(file)
        logger, place = logging.getLogger(__name__), self.get_location()
        for fault in faults:
            logger.warning(f"{name}: {fault}", location=place)
        if faults:
            return []
        forms = [self.form(n, q) for n, q in enumerate(questions, 1)]
        return [html("div", *forms, html("p", class_="quiz-score"), class_="quiz")]

    def form(self, number, question):
        label, text = f"quiz-{number}", f"quiz-{number}-text"
        fields = html(
            "fieldset",
            html("legend", f"Question {number}", ids=[label]),
            self.text("div", question["question"], ids=[text]),
            *self.inputs(question),
            html("button", "Check", type="submit", hidden="hidden"),
            aria_labelledby=f"{label} {text}",
        )
        verdict = {"aria_live": "polite", "aria_atomic": "true", "class_": "quiz-verdict"}
        summary, answers = html("summary", "All answers, explained"), self.answers(question)
        fold = html("details", summary, *answers)
        data = {"data_tolerance": question.get("tolerance", 0), "autocomplete": "off"}
        return html("form", fields, html("div", **verdict), fold, **data)

    def inputs(self, question):
        if "choices" not in question:
            box = html("input", type="text", inputmode="decimal", name="answer")
            yield html("label", "Your number: ", box)
        for value, choice in enumerate(question.get("choices", [])):
            # A formula alone would be no name for those who hear the page.
            name = {"aria_label": readable(choice["text"])} if "$" in choice["text"] else {}
            radio = html("input", type="radio", name="answer", value=value, **name)
            yield html("label", radio, self.text("span", choice["text"]))

    def answers(self, question):
        """Each answer with its explanation. The script finds it by its value."""
        for value, choice in enumerate(question.get("choices", [])):
            what = self.text("span", choice["text"])
            yield self.answer(choice, what, "right" in choice, data_value=value)
        if "choices" not in question:
            right, other = question["answer"], {"because": question["otherwise"]}
            yield self.answer(question, f"{right:.10g}", True, data_value=right)
            for mistake in question.get("mistakes", []):
                value = mistake["value"]
                yield self.answer(mistake, f"{value:.10g}", False, data_value=value)
            yield self.answer(other, "any other number", False)

    def answer(self, entry, what, right, **data):
        sign = html("strong", "✓ Right: " if right else "✗ Not right: ")
        why = self.text("div", entry["because"], class_="quiz-why")
        data["data_right"] = "true" if right else "false"
        return html("div", html("p", sign, what), why, **data)

    def text(self, tag, text, **attributes):
        """MyST in an element; in a <span>, without a paragraph around it."""
        node = html(tag, **attributes)
        self.state.nested_parse(text.strip().splitlines(), self.content_offset, node)
        if tag == "span" and isinstance(node[0], nodes.paragraph):
            node[:] = node[0].children
        return node


def setup(app):
    app.add_directive("quiz", Quiz)
    app.add_node(element, html=(visit, depart))
    return {"parallel_read_safe": True, "parallel_write_safe": True}
