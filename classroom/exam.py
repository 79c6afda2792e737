"""An exam from the bank in exam/, and all questions for learning platforms.

Run as `make exam`. In course/exam/: a sheet to print and one with the answers, and the
questions of the bank, and of the chapters' quizzes, as Moodle XML and as QTI 2.1 packages.
Files in private/exam/ join the bank; the bank itself is in no page of the book.
"""

import argparse
import random
from html import escape

from lenient_book.quiz import load

from . import moodle_xml, qti
from .folders import ROOT, course_folder
from .formulas import with_formulas
from .page import whole_page
from .questions import markdown

BANK = ROOT / "exam"
QUIZZES = ROOT / "chapters" / "quizzes"


def questions(*folders):
    """{topic: questions} of all files; what is wrong with one ends the program."""
    found = {}
    for path in [path for folder in folders for path in sorted(folder.glob("*.yml"))]:
        found[path.stem], faults = load(path)
        if faults:
            raise SystemExit("\n".join(f"{path}: {fault}" for fault in faults))
    return found


def sheet(asked, answers=False):
    """The exam as a page to print: choices to tick, or a line for a number."""
    blocks = [_block(n, question, answers) for n, question in enumerate(asked, 1)]
    title = "Exam, with the answers" if answers else "Exam"
    head = f"<h1>{title}</h1>"
    if not answers:
        head += (
            "<p>Name: ____________________________________ &emsp; Number: ______________</p>"
        )
    return whole_page(title, head, "\n".join(blocks))


def _block(number, question, answers):
    lines = [f"<section><h2>Question {number}</h2>", _html(question["question"])]
    if "choices" not in question:
        given = f"{question['answer']:g}" if answers else "____________________"
        lines.append(f"<p>Your number: <strong>{given}</strong></p>")
        if answers:
            lines.append(f"<blockquote>{_html(question['because'])}</blockquote>")
        return "\n".join([*lines, "</section>"])
    lines.append('<ul class="choices">')
    for choice in question["choices"]:
        box = "☒" if answers and choice.get("right") else "☐"
        text = _html(choice["text"])
        because = f"<blockquote>{_html(choice['because'])}</blockquote>" if answers else ""
        lines.append(f"<li><span aria-hidden=true>{box}</span><div>{text}{because}</div></li>")
    return "\n".join([*lines, "</ul>", "</section>"])


def _html(text):
    return with_formulas(markdown(text))


def drawn(bank, number, seed):
    """So many questions, from all topics in turn, in an order of the seed's."""
    draw = random.Random(seed)
    piles = [draw.sample(asked, len(asked)) for asked in bank.values()]
    draw.shuffle(piles)
    found = []
    while len(found) < number and any(piles):
        found += [pile.pop() for pile in piles if pile]
    for question in found[:number]:
        if "choices" in question:
            yield question | {
                "choices": draw.sample(question["choices"], len(question["choices"]))
            }
        else:
            yield question


def main(arguments=None):
    parser = argparse.ArgumentParser(prog="python -m classroom.exam")
    parser.add_argument("--questions", type=int, default=8, metavar="N", help="on the sheet")
    parser.add_argument("--seed", type=int, default=1, help="another sheet")
    given = parser.parse_args(arguments)
    bank, folder = questions(BANK, ROOT / "private" / "exam"), course_folder() / "exam"
    folder.mkdir(parents=True, exist_ok=True)
    asked = [*drawn(bank, given.questions, given.seed)]
    written = {
        f"sheet-{given.seed}.html": sheet(asked),
        f"sheet-{given.seed}-answers.html": sheet(asked, answers=True),
    }
    for name, topics in [("exam", bank), ("quizzes", questions(QUIZZES))]:
        written[f"{name}-moodle.xml"] = moodle_xml.quiz(topics, escape(name))
        written[f"{name}-qti.zip"] = qti.package(topics)
    for name, content in written.items():
        path = folder / name
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        print(path)


if __name__ == "__main__":
    main()
