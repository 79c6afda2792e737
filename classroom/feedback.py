"""Feedback for students: a page for each, with points, messages and the teacher's comments.

Run as `make feedback`. A page shows no hidden test, and nothing in it runs: no script, no
picture from elsewhere, and the student's own HTML is cleaned. All pages lie in
course/feedback/<student>/<assignment>/, where nbgrader would put its own, and packed for
platforms in course/feedback/ (see `classroom.handback`).
"""

import re
import shutil
import sys
from html import escape

import nbformat
from nbgrader.api import MissingEntry
from nbgrader.utils import is_solution

from . import handback
from .assignments import nbgrader_api, students_notebook
from .folders import course_folder
from .formulas import with_formulas
from .intake import student_id
from .page import whole_page
from .results import results
from .safe_view import FILTERS
from .sources import about, grade_id, names, points, question, source
from .submission import marks
from .told import told


def page(one, notebook, comments, got, released):
    """The page of one result, given what was autograded and what a person said."""
    said, given = {}, {}
    for each in told(notebook):
        said.setdefault(question(each.check), []).append(each)
    for cell in notebook.cells:
        if is_solution(cell):
            given[question(grade_id(cell))] = cell
    worth, titles = points(source(one.assignment)), _titles(released)
    blocks = [
        _block(q, titles.get(q, q.upper()), got.get(q), worth[q], said.get(q, []),
               comments.get(q, []), given.get(q))
        for q in worth
    ]  # fmt: skip
    return _frame(one, "\n".join(blocks))


def _titles(released):
    """{q1: Q1. Four criteria} of the headings, which end with the points."""
    text = "\n".join(cell.source for cell in released.cells if cell.cell_type == "markdown")
    found = re.findall(r"(?m)^## Q(\d+)\. *(.*?) *\(\d+ points?\)$", text)
    return {f"q{number}": f"Q{number}. {title}" for number, title in found}


def _block(q, title, got, worth, said, comments, cell):
    if got is None:
        points_, kind = f"not marked yet, of {worth:g}", "quiet"
    else:
        points_, kind = f"{got:g} of {worth:g}", "full" if got >= worth else "lost"
    lines = [f'<section id="{q}"><div class="head"><h2>{_with_math(title)}</h2>']
    lines.append(f'<span class="points {kind}">{points_}</span></div>')
    if said and got is not None and got < worth:
        lines += ["<ul>", *(f"<li>{escape(each.text)}</li>" for each in said), "</ul>"]
    for comment in comments:
        lines.append(
            f'<blockquote><p class="quiet">Comment</p>{_markdown(comment)}</blockquote>'
        )
    if cell is not None and cell.source.strip():
        shown = (
            _markdown(cell.source, cell) if cell.cell_type == "markdown" else _code(cell.source)
        )
        lines.append(f"<details><summary>Your answer</summary>{shown}</details>")
    return "\n".join([*lines, "</section>"])


def _with_math(text):
    return with_formulas(escape(text, quote=False))


def _markdown(text, cell=None):
    return FILTERS["markdown2html"]({"cell": cell or {}}, text[:100_000])


def _code(text):
    return f"<pre>{escape(text[:100_000])}</pre>"


def _frame(one, blocks):
    about_ = about(one.assignment)
    title = f"Assignment {about_.number}: {about_.title}"
    who = [one.student.name, *(other.name for other in one.shared)]
    notes = []
    if one.late:
        cost = f": {one.lost:g} points less" if one.lost else ""
        notes.append(f"Handed in late ({one.late}){cost}.")
    if not one.complete:
        waiting = ", ".join(q.upper() for q in one.row["by_hand"].split())
        notes.append(f"Not marked yet, and not in these points: {waiting}.")
    total = f"{one.points:g} of {one.most:g} points"
    head = [
        f'<p class="quiet">{escape(", ".join(who))}</p>',
        f"<h1>{escape(title)}</h1>",
        f'<p class="total"><strong>{total}</strong></p>',
        f'<meter min="0" max="{one.most:g}" value="{max(0, one.points):g}">{total}</meter>',
        *(f'<p class="quiet">{escape(note)}</p>' for note in notes),
    ]
    return whole_page(f"{title}: {who[0]}", "\n".join(head), blocks)


def _marked(api, name, key):
    """({question: points or None}, {question: what the teacher wrote}) of the gradebook."""
    comments = {}
    with api.gradebook as gradebook:
        [notebook] = gradebook.find_submission(name, key).notebooks
        for comment in notebook.comments:
            if comment.manual_comment:
                comments.setdefault(question(comment.name), []).append(comment.manual_comment)
    return marks(api, name, key), comments


def write_page(api, one, released):
    """Write the page of a result, and return its path."""
    folder = course_folder() / "autograded" / one.key / one.assignment
    notebook = nbformat.read(folder / f"{one.assignment}.ipynb", as_version=4)
    got, comments = _marked(api, one.assignment, one.key)
    key = student_id(one.student.name)
    path = course_folder() / "feedback" / key / one.assignment / f"{one.assignment}.html"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(page(one, notebook, comments, got, released), "utf-8")
    # By these nbgrader knows whose it is, when feedback is released on a hub.
    for note in ("timestamp.txt", "submission_secret.txt"):
        kept = course_folder() / "submitted" / one.key / one.assignment / note
        if kept.exists():
            shutil.copy(kept, path.parent)
    return path


def main():
    everything = results()
    if not everything:
        sys.exit("Nothing has been marked yet: make grade SUBMISSIONS=folder")
    api, pages = nbgrader_api(), {}
    shutil.rmtree(course_folder() / "feedback", ignore_errors=True)
    released = {name: students_notebook(name) for name in names()}
    for one in everything:
        try:
            pages[one] = write_page(api, one, released[one.assignment])
        except (OSError, MissingEntry) as error:
            print(
                f"{one.student.name:20} {one.assignment:22} no page: {error}", file=sys.stderr
            )
    print(f"{len(pages)} pages: {course_folder() / 'feedback'}")
    for line in handback.write(everything, pages):
        print(line)


if __name__ == "__main__":
    main()
