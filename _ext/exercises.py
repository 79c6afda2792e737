"""A page for each assignment, and the notebook to work in, from its one source.

The source, chapters/exercises/<name>/<name>.ipynb, holds everything: statement, answers,
checks, hidden tests. The page chapters/exercises/<name>.md is written anew when that has
changed: without the hidden tests, and with the answers folded, or with none where
_config.yml says `solutions: false`. nbgrader takes out what is not to be seen.
"""

import re
from pathlib import Path

import nbformat
import yaml
from docutils import nodes
from sphinx.util.docutils import SphinxDirective

from classroom.folders import PACKAGES, ROOT, SOURCES
from classroom.sources import grade_id, names, points, question, source

NOTEBOOKS = "_build/assignments"  # for download
FOLDED = (
    "The answers are on the pages, folded. They are most useful after an honest try: first "
    "the message of the check, then the chapter, then a night's sleep, and only then the "
    "fold."
)


def shows_solutions(root=ROOT):
    return yaml.safe_load(Path(root, "_config.yml").read_text("utf-8")).get("solutions", True)


def page(name, students, solutions):
    """The page, as MyST, of an assignment, given the students' version of it."""
    given = source(name)
    title, _, opening = given.cells[0].source.partition("\n")
    parts, answer = [title, brief(name, given), opening.strip()], ""
    for cell, stub in zip(given.cells[1:], students.cells[1:]):
        marks = cell.metadata.get("nbgrader", {})
        if cell.cell_type == "markdown":
            parts += [answer, stub.source]
            answer = ""
        elif marks.get("grade"):
            parts.append(folded(f"The check of {asked(cell)}", code(stub.source)))
        else:
            parts.append(code(stub.source))
        if marks.get("solution") and solutions:
            answer = solution(cell)
    head = f"<!-- Made from exercises/{name}/ by _ext/exercises.py: edit that instead. -->"
    return "\n\n".join(filter(None, [head, *parts, answer])) + "\n"


def solution(cell):
    """The answer, folded; of a function also its head, which is given."""
    if cell.cell_type == "markdown":
        return folded(f"An answer to {asked(cell)}", cell.source)
    text = re.sub(r"(?m)^ *### (BEGIN|END) SOLUTION\n?", "", cell.source)
    if not text.startswith("def "):
        text = re.search(r"(?s)BEGIN SOLUTION\n(.*?) *### END", cell.source)[1]
    return folded(f"Solution of {asked(cell)}", code(text.rstrip()))


def asked(cell):
    """Q2 of a cell that belongs to it."""
    return question(grade_id(cell)).upper()


def code(text):
    return f"```python\n{text}\n```"


def folded(title, text):
    return f"::::{{dropdown}} {title}\n{text}\n::::"


def worth(given):
    return sum(points(given).values())


def chapters(given, up=""):
    """Links to the chapters that an assignment goes with."""
    names = given.metadata.lenient.chapters
    return ", ".join(f"[{int(name[:2])}]({up}{name}.ipynb)" for name in names)


def brief(name, given):
    about = given.metadata.lenient
    where = "chapter" if len(about.chapters) == 1 else "chapters"
    return (
        f":::{{admonition}} {worth(given)} points, about {about.minutes} minutes, "
        f"with {where} {chapters(given, '../')}\n:class: tip\n"
        f"{{download}}`The notebook to work in </{NOTEBOOKS}/{name}.ipynb>` needs only "
        "Jupyter and the package `lenient`. This page is for reading.\n:::"
    )


def write_pages(app, config):
    """Write what is missing or older than what it is made from."""
    makers = [Path(__file__), ROOT / "nbgrader_config.py", ROOT / "_config.yml"]
    makers += (ROOT / "classroom").glob("*.py")
    made, stale = ROOT / NOTEBOOKS, []
    for name in names():
        files = [SOURCES / f"{name}.md", made / f"{name}.ipynb"]
        if not newer(files, [SOURCES / name / f"{name}.ipynb", *makers]):
            stale.append((name, *files))
    packed = newer([*made.glob("*.whl")], [ROOT / "pyproject.toml", *packaged_files()])
    if packed and not stale:
        return
    # Only now, since nbgrader takes two seconds to load.
    from classroom.assignments import build_wheel, students_notebook

    made.mkdir(parents=True, exist_ok=True)
    if not packed:
        build_wheel(made)
    for name, markdown, notebook in stale:
        theirs = students_notebook(name)
        markdown.write_text(page(name, theirs, shows_solutions()), "utf-8")
        nbformat.write(theirs, notebook)


def packaged_files():
    """All sources of the wheel."""
    files = [path for package in PACKAGES for path in (ROOT / package).rglob("*.*")]
    return [path for path in files if path.suffix != ".pyc"]


def newer(made, makers):
    """Whether all that was made is there, and newer than all it was made from."""
    changed = max(path.stat().st_mtime_ns for path in makers)
    return bool(made) and all(p.exists() and p.stat().st_mtime_ns > changed for p in made)


class Assignments(SphinxDirective):
    """A table of all assignments, and the package that their notebooks need."""

    def run(self):
        rows = []
        for name in names():
            self.env.note_dependency(str(SOURCES / name / f"{name}.ipynb"))
            given = source(name)
            about = given.metadata.lenient
            link = f"[{about.title}](exercises/{name}.md)"
            rows.append((about.number, link, chapters(given), worth(given), about.minutes))
        lines = ["| | Assignment | Chapters | Points | Minutes |", "|-:|---|---|-:|-:|"]
        lines += ["| " + " | ".join(map(str, row)) + " |" for row in rows]
        [wheel] = (ROOT / NOTEBOOKS).glob("*.whl")
        lines += ["", f"The package: {{download}}`{wheel.name} </{NOTEBOOKS}/{wheel.name}>`"]
        if shows_solutions():
            lines += ["", FOLDED]
        container = nodes.container()
        self.state.nested_parse(lines, self.content_offset, container)
        return container.children


def setup(app):
    app.connect("config-inited", write_pages, priority=100)
    app.add_directive("assignments", Assignments)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
