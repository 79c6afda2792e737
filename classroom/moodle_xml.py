"""Questions as Moodle XML: its question bank imports the file as it is."""

from xml.etree import ElementTree as et

from .questions import for_platforms, plain, shuffled


def quiz(topics, category):
    """The text of the file; each topic is a category."""
    root = et.Element("quiz")
    for topic, questions in topics.items():
        head = et.SubElement(root, "question", type="category")
        path = f"$course$/top/Lenient regret/{category}/{topic}"
        et.SubElement(et.SubElement(head, "category"), "text").text = path
        for number, question in enumerate(questions, 1):
            root.append(_question(f"{topic}-{number:02}", question))
    et.indent(root)
    return et.tostring(root, encoding="unicode", xml_declaration=False).join(
        ['<?xml version="1.0" encoding="UTF-8"?>\n', "\n"]
    )


def _question(identity, question):
    kind = "multichoice" if "choices" in question else "numerical"
    element = et.Element("question", type=kind)
    _text(element, "name", f"{identity} {plain(question['question'])}")
    _html(element, "questiontext", question["question"])
    _html(element, "generalfeedback", "")
    for name, value in [("defaultgrade", "1"), ("penalty", "0.3333333"), ("hidden", "0"),
                        ("idnumber", identity)]:  # fmt: skip
        et.SubElement(element, name).text = value
    if kind == "multichoice":
        for name, value in [("single", "true"), ("shuffleanswers", "true"),
                            ("answernumbering", "abc")]:  # fmt: skip
            et.SubElement(element, name).text = value
        for choice in shuffled(identity, question["choices"]):
            answer = _html(element, "answer", choice["text"])
            answer.set("fraction", "100" if choice.get("right") else "0")
            _html(answer, "feedback", choice["because"])
        return element
    _number(element, question["answer"], question["tolerance"], 100, question["because"])
    for mistake in question.get("mistakes", []):
        _number(element, mistake["value"], question["tolerance"], 0, mistake["because"])
    _number(element, "*", 0, 0, question["otherwise"])
    return element


def _number(element, value, tolerance, fraction, because):
    answer = et.SubElement(
        element, "answer", fraction=str(fraction), format="moodle_auto_format"
    )
    et.SubElement(answer, "text").text = str(value)
    et.SubElement(answer, "tolerance").text = str(tolerance)
    _html(answer, "feedback", because)


def _text(element, name, text):
    et.SubElement(et.SubElement(element, name), "text").text = text


def _html(element, name, text):
    child = et.SubElement(element, name, format="html")
    et.SubElement(child, "text").text = for_platforms(text) if text else ""
    return child
