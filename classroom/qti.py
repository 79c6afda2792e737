"""Questions as an IMS content package of QTI 2.1 items: Canvas, Brightspace and others read it.

Each item says what is right, marks the answer and shows the explanation that goes with it.
"""

import io
import zipfile
from xml.etree import ElementTree as et

from .formulas import with_formulas
from .questions import markdown, plain, shuffled

_QTI = "http://www.imsglobal.org/xsd/imsqti_v2p1"
_PACKAGE = "http://www.imsglobal.org/xsd/imscp_v1p1"
_MATHML = "http://www.w3.org/1998/Math/MathML"
_SCHEMA = "http://www.w3.org/2001/XMLSchema-instance"
_FIXED = (2000, 1, 1, 0, 0, 0)  # so that the same questions make the same file


def package(topics):
    """The zip: a manifest, and an item for each question."""
    items = {
        f"{topic}-{number:02}": question
        for topic, questions in topics.items()
        for number, question in enumerate(questions, 1)
    }
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w", zipfile.ZIP_DEFLATED) as packed:
        files = {"imsmanifest.xml": _manifest(items)}
        files |= {f"{name}.xml": item(name, question) for name, question in items.items()}
        for name, text in files.items():
            entry = zipfile.ZipInfo(name, _FIXED)
            entry.compress_type = zipfile.ZIP_DEFLATED
            packed.writestr(entry, text)
    return data.getvalue()


def item(name, question):
    """One question as an assessment item."""
    where = f"{_QTI} http://www.imsglobal.org/xsd/qti/qtiv2p1/imsqti_v2p1.xsd"
    root = et.Element("assessmentItem", {
        "xmlns": _QTI, "xmlns:xsi": _SCHEMA, "xsi:schemaLocation": where,
        "identifier": f"item-{name}", "title": plain(question["question"]),
        "adaptive": "false", "timeDependent": "false",
    })  # fmt: skip
    if "choices" in question:
        _choices(root, question["question"], shuffled(name, question["choices"]))
    else:
        _number(root, question)
    et.indent(root)
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + et.tostring(root, encoding="unicode")


# ---- the two kinds -------------------------------------------------------------------
def _choices(root, text, choices):
    names = [f"C{n}" for n in range(len(choices))]
    [right] = [n for n, choice in zip(names, choices) if choice.get("right")]
    _declare(root, "identifier", right)
    _outcomes(root)
    body = _body(root, text)
    ask = _add(body, "choiceInteraction", responseIdentifier="RESPONSE", shuffle="true",
               maxChoices="1")  # fmt: skip
    for name, choice in zip(names, choices):
        _flow(_add(ask, "simpleChoice", identifier=name), choice["text"])
    process = _add(root, "responseProcessing")
    _mark(process, lambda test: _same(test))
    told = _add(process, "setOutcomeValue", identifier="FEEDBACK")
    _add(told, "variable", identifier="RESPONSE")
    for name, choice in zip(names, choices):
        _feedback(root, name, choice["because"])


def _number(root, question):
    _declare(root, "float", question["answer"])
    _outcomes(root)
    body = _body(root, question["question"])
    line = _add(body, "p")
    line.text = "Your number: "
    _add(line, "textEntryInteraction", responseIdentifier="RESPONSE", expectedLength="12")
    process = _add(root, "responseProcessing")
    tolerance = question["tolerance"]
    _mark(process, lambda test: _near(test, question["answer"], tolerance))
    # The first that fits: the answer, a known mistake, or neither.
    condition = _add(process, "responseCondition")
    known = [(question["answer"], question["because"])]
    known += [
        (mistake["value"], mistake["because"]) for mistake in question.get("mistakes", [])
    ]
    for number, (value, _) in enumerate(known):
        test = _add(condition, "responseElseIf" if number else "responseIf")
        _near(test, value, tolerance)
        _set(test, "FEEDBACK", "identifier", f"C{number}")
    other = _add(condition, "responseElse")
    _set(other, "FEEDBACK", "identifier", "OTHER")
    for number, (_, because) in enumerate(known):
        _feedback(root, f"C{number}", because)
    _feedback(root, "OTHER", question["otherwise"])


# ---- pieces --------------------------------------------------------------------------
def _add(parent, tag, **attributes):
    return et.SubElement(parent, tag, attributes)


def _declare(root, kind, right):
    declared = _add(root, "responseDeclaration", identifier="RESPONSE", cardinality="single",
                    baseType=kind)  # fmt: skip
    _add(_add(declared, "correctResponse"), "value").text = str(right)


def _outcomes(root):
    score = _add(root, "outcomeDeclaration", identifier="SCORE", cardinality="single",
                 baseType="float")  # fmt: skip
    _add(_add(score, "defaultValue"), "value").text = "0"
    _add(root, "outcomeDeclaration", identifier="FEEDBACK", cardinality="single",
         baseType="identifier")  # fmt: skip


def _body(root, text):
    body = _add(root, "itemBody")
    _flow(_add(body, "div"), text)
    return body


def _mark(process, fits):
    condition = _add(process, "responseCondition")
    test = _add(condition, "responseIf")
    fits(test)
    _set(test, "SCORE", "float", "1")
    _set(_add(condition, "responseElse"), "SCORE", "float", "0")


def _same(test):
    match = _add(test, "match")
    _add(match, "variable", identifier="RESPONSE")
    _add(match, "correct", identifier="RESPONSE")


def _near(test, value, tolerance):
    """Between two bounds: that needs no attribute which one platform or other cannot read."""
    both = _add(test, "and")
    for compare, bound in ("gte", value - tolerance), ("lte", value + tolerance):
        compared = _add(both, compare)
        _add(compared, "variable", identifier="RESPONSE")
        _add(compared, "baseValue", baseType="float").text = repr(bound)


def _set(parent, name, kind, value):
    outcome = _add(parent, "setOutcomeValue", identifier=name)
    _add(outcome, "baseValue", baseType=kind).text = value


def _feedback(root, name, text):
    shown = _add(root, "modalFeedback", outcomeIdentifier="FEEDBACK", identifier=name,
                 showHide="show")  # fmt: skip
    _flow(shown, text)


def _flow(parent, text):
    """The text's elements, with formulas as MathML, below the parent."""
    parsed = et.fromstring(f"<div>{with_formulas(markdown(text))}</div>")
    for node in parsed.iter():
        if node.tag == "math":
            node.set("xmlns", _MATHML)
    parent.text = parsed.text
    parent.extend([*parsed])


def _manifest(items):
    root = et.Element("manifest", {"xmlns": _PACKAGE, "identifier": "lenient-regret"})
    data = _add(root, "metadata")
    _add(data, "schema").text = "QTIv2.1 Package"
    _add(data, "schemaversion").text = "1.0.0"
    _add(root, "organizations")
    resources = _add(root, "resources")
    for name in items:
        file = f"{name}.xml"
        resource = _add(resources, "resource", identifier=f"res-{name}",
                        type="imsqti_item_xmlv2p1", href=file)  # fmt: skip
        _add(resource, "file", href=file)
    et.indent(root)
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + et.tostring(root, encoding="unicode")
