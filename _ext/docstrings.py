"""What the docstrings of `lenient` need to become pages: links, and code that looks like it.

Docstrings are written to be read as they are. So `x` stands for code, as in Markdown, and
"In the book: chapters 1 and 2, and the recipes." at their end names chapters by number. Here,
before autodoc makes a page of them, code becomes code, a public name a link to its place in the
reference, and the number of a chapter a link to that chapter.
"""

import inspect
import re
from pathlib import Path

import lenient
from lenient import comparison, statistics

# What the results of public functions are made of, public though not in `lenient` itself.
ALSO = {
    "lenient.statistics": [
        statistics.Summary,
        statistics.Curve,
        statistics.Tail,
        statistics.interval,
    ],
    "lenient.comparison": [comparison.Row],
    "lenient.paper": [lenient.paper.Scenario, lenient.paper.Published],
}

RECIPES = "/chapters/package/recipes"
CODE = re.compile(r"(?<!`)`([^`]+)`(?!`)")


def public():
    """{where to find it: object} of all that the reference describes, in order."""
    found = {f"lenient.{name}": getattr(lenient, name) for name in lenient.__all__}
    for module, objects in ALSO.items():
        found |= {f"{module}.{thing.__name__}": thing for thing in objects}
    return found


def methods(thing):
    """Names of the methods and properties of a class that say what they do."""
    own = vars(thing) if inspect.isclass(thing) else {}
    kinds = (property, type(methods))
    return [
        name
        for name, member in own.items()
        if isinstance(member, kinds)
        and member.__doc__
        and (name == "__call__" or not name.startswith("_"))
    ]


def targets():
    """{name as docstrings write it: full name} of all that can be linked to."""
    full = {}
    for name, thing in public().items():
        full[name] = full[name.rpartition(".")[2]] = name
        if inspect.isclass(thing):
            full |= {
                f"{thing.__name__}.{method}": f"{name}.{method}" for method in methods(thing)
            }
    return full


def chapters(root):
    """{number: page} of the chapters."""
    found = sorted(Path(root, "chapters").glob("[0-9][0-9]-*.ipynb"))
    return {int(path.name[:2]): f"/chapters/{path.stem}" for path in found}


def as_rst(lines, known, pages, self=""):
    """The lines of a docstring with its code and its chapters marked; examples stay."""
    marked, example = [], False
    for line in lines:
        example = line.lstrip().startswith(">>>") or (example and line.strip() != "")
        if not example:
            line = CODE.sub(lambda found: _code(found[1], known, self), line)
            if line.lstrip().startswith("In the book:"):
                line = re.sub(r"\d+", lambda found: _chapter(int(found[0]), pages), line)
                line = line.replace("the recipes", f"the :doc:`recipes <{RECIPES}>`")
        marked.append(line)
    return marked


def _code(text, known, self):
    """A link where the name is a public one, and not that of the docstring itself."""
    full = known.get(text.partition("(")[0])
    return f"``{text}``" if full in (None, self) else f":py:obj:`{text} <{full}>`"


def _chapter(number, pages):
    return f":doc:`{number} <{pages[number]}>`"


def is_made_for_its_reader(thing):
    """A class with attributes but no parameters: results are read, not made."""
    text = inspect.getdoc(thing) or ""
    return "\nAttributes\n" in text and "\nParameters\n" not in text


# ---- the build -----------------------------------------------------------------------
def mark_up(app, what, name, thing, options, lines):
    if what == "module":  # its first paragraph; the rest is for those who read the file
        del lines[lines.index("") :]
    lines[:] = as_rst(lines, targets(), chapters(app.srcdir), self=name)


def hide_signature(app, what, name, thing, options, signature, returns):
    if what == "class" and is_made_for_its_reader(thing):
        return "", None


def setup(app):
    # Before napoleon (500) turns the sections into fields.
    app.connect("autodoc-process-docstring", mark_up, priority=400)
    app.connect("autodoc-process-signature", hide_signature)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
