"""A page for each assignment, and the notebook to work in, from its one source.

The source, chapters/exercises/<name>/<name>.ipynb, holds everything: statement, answers,
checks, hidden tests. The page chapters/exercises/<name>.md is written anew when that has
changed: without the hidden tests, and with the answers folded, or with none where
_config.yml says `solutions: false`. nbgrader takes out what is not to be seen.
"""

import re
import sys
from pathlib import Path

import yaml
from docutils import nodes
from sphinx.util.docutils import SphinxDirective

NOTEBOOKS = "_build/assignments"  # for download
FOLDED = (
    "The answers are on the pages, folded. They are most useful after an honest try: first "
    "the message of the check, then the chapter, then a night's sleep, and only then the "
    "fold."
)


def shows_solutions(root):
    return yaml.safe_load(Path(root, "_config.yml").read_text("utf-8")).get("solutions", True)


def page(given, students, folder, solutions):
    """The page, as MyST, of a source notebook and of the students' version of it."""
    title, _, opening = given.cells[0].source.partition("\n")
    parts, answer = [title, brief(given, folder), opening.strip()], ""
    for cell, stub in zip(given.cells[1:], students.cells[1:]):
        marks = cell.metadata.get("nbgrader", {})
        if cell.cell_type == "markdown":
            parts += [answer, stub.source]
            answer = ""
        elif marks.get("grade"):
            parts.append(folded(f"The check of {question(cell)}", code(stub.source)))
        else:
            parts.append(code(stub.source))
        if marks.get("solution") and solutions:
            answer = solution(cell)
    head = f"% Made from exercises/{folder.name}/ by _ext/exercises.py: edit that instead."
    return "\n\n".join(filter(None, [head, *parts, answer])) + "\n"


def solution(cell):
    """The answer, folded; of a function also its head, which is given."""
    if cell.cell_type == "markdown":
        return folded(f"An answer to {question(cell)}", cell.source)
    text = re.sub(r"(?m)^ *### (BEGIN|END) SOLUTION\n?", "", cell.source)
    if not text.startswith("def "):
        text = re.search(r"(?s)BEGIN SOLUTION\n(.*?) *### END", cell.source)[1]
    return folded(f"Solution of {question(cell)}", code(text.rstrip()))


def question(cell):
    return cell.metadata.nbgrader.grade_id.split("-")[0].upper()


def code(text):
    return f"```python\n{text}\n```"


def folded(title, text):
    return f"::::{{dropdown}} {title}\n{text}\n::::"


def worth(given):
    return sum(cell.metadata.get("nbgrader", {}).get("points", 0) for cell in given.cells)


def chapters(given, up=""):
    """Links to the chapters that an assignment goes with."""
    names = given.metadata.lenient.chapters
    return ", ".join(f"[{int(name[:2])}]({up}{name}.ipynb)" for name in names)


def brief(given, folder):
    about = given.metadata.lenient
    where = "chapter" if len(about.chapters) == 1 else "chapters"
    return (
        f":::{{admonition}} {worth(given)} points, about {about.minutes} minutes, "
        f"with {where} {chapters(given, '../')}\n:class: tip\n"
        f"{{download}}`The notebook to work in </{NOTEBOOKS}/{folder.name}.ipynb>` needs only "
        "Jupyter and the package `lenient`. This page is for reading.\n:::"
    )


def write_pages(app, config):
    root = Path(app.srcdir)
    sources = sorted((root / "chapters" / "exercises").glob("[!.]*/*.ipynb"))
    makers = [Path(__file__), root / "nbgrader_config.py", root / "_config.yml"]
    stale = []
    for source in sources:
        made = [source.parent.with_suffix(".md"), root / NOTEBOOKS / source.name]
        changed = max(path.stat().st_mtime_ns for path in [source, *makers])
        if not all(path.exists() and path.stat().st_mtime_ns > changed for path in made):
            stale.append((source, *made))
    package = max(path.stat().st_mtime_ns for path in (root / "lenient").glob("*.*"))
    wheels = [*(root / NOTEBOOKS).glob("*.whl")]
    packed = wheels and wheels[0].stat().st_mtime_ns > package
    if packed and not stale:
        return
    sys.path.insert(0, str(root))
    import nbformat

    from classroom.assignments import students, wheel

    solutions = shows_solutions(root)
    (root / NOTEBOOKS).mkdir(parents=True, exist_ok=True)
    if not packed:
        wheel(root / NOTEBOOKS)
    for source, markdown, notebook in stale:
        given, theirs = nbformat.read(source, as_version=4), students(source.stem)
        markdown.write_text(page(given, theirs, source.parent, solutions), "utf-8")
        nbformat.write(theirs, notebook)


class Assignments(SphinxDirective):
    """A table of all assignments, and the package that their notebooks need."""

    def run(self):
        import nbformat

        rows = []
        for path in Path(self.env.srcdir, "chapters", "exercises").glob("[!.]*/*.ipynb"):
            self.env.note_dependency(str(path))
            given = nbformat.read(path, as_version=4)
            about = given.metadata.lenient
            link = f"[{about.title}](exercises/{path.stem}.md)"
            row = about.number, link, chapters(given), worth(given), about.minutes
            rows.append(row)
        lines = ["| | Assignment | Chapters | Points | Minutes |", "|-:|---|---|-:|-:|"]
        lines += ["| " + " | ".join(map(str, row)) + " |" for row in sorted(rows)]
        [wheel] = Path(self.env.srcdir, NOTEBOOKS).glob("*.whl")
        lines += ["", f"The package: {{download}}`{wheel.name} </{NOTEBOOKS}/{wheel.name}>`"]
        if shows_solutions(self.env.srcdir):
            lines += ["", FOLDED]
        container = nodes.container()
        self.state.nested_parse(lines, self.content_offset, container)
        return container.children


def setup(app):
    app.connect("config-inited", write_pages, priority=100)
    app.add_directive("assignments", Assignments)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
