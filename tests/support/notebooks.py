"""The chapters as they are stored: their cells, and the code in them as trees."""

import ast
import re

import nbformat
import pytest

from support.paths import ROOT

# The assignments, in folders of their own, are stored without outputs, as nbgrader wants.
NOTEBOOKS = sorted((ROOT / "chapters").glob("*.ipynb"))
NOTEBOOKS += sorted((ROOT / "chapters" / "package").glob("*.ipynb"))
each_notebook = pytest.mark.parametrize(
    "path", NOTEBOOKS, ids=lambda path: path.relative_to(ROOT).as_posix()
)


def code_cells(path):
    """Code cells with something in them, each with its place for a message."""
    notebook = nbformat.read(path, as_version=4)
    for number, cell in enumerate(notebook.cells):
        if cell.cell_type == "code" and cell.source.strip():
            yield f"{path.name}, cell {number}", cell


def sources(path):
    """[(place, source)] of the code of a chapter."""
    return [(place, cell.source) for place, cell in code_cells(path)]


# ---- names -------------------------------------------------------------------------
FUNCTION, IMPORT, UNSEEN = "a function or class", "an import", "a value"
INNER = (ast.FunctionDef, ast.ClassDef, ast.Lambda)
INNER += (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)


def outer(tree):
    """Every node whose names are the notebook's own, and not those of a function."""
    for node in ast.iter_child_nodes(tree):
        yield node
        if not isinstance(node, INNER):
            yield from outer(node)


def bindings(source):
    """(name, kind) wherever a cell gives a name; the kind is UNSEEN if a run decides it."""
    written = {}  # the values of names that are simply set
    for node in outer(ast.parse(source)):
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            yield node.name, FUNCTION
        elif isinstance(node, (ast.Import, ast.ImportFrom)):
            for alias in node.names:
                yield (alias.asname or alias.name).partition(".")[0], IMPORT
        elif isinstance(node, ast.Assign):
            written |= {id(target): kind_of(node.value) for target in node.targets}
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield node.id, written.get(id(node), UNSEEN)


def kind_of(value):
    """The kind of a written value, as far as it can be seen."""
    if isinstance(value, ast.Lambda):
        return FUNCTION
    if isinstance(value, (ast.Dict, ast.DictComp)):
        return "a dict"
    if isinstance(value, ast.JoinedStr):
        return "a text"
    if isinstance(value, ast.Constant):
        return "a text" if isinstance(value.value, str) else "a number or several"
    return UNSEEN


def helpers(source):
    """(name, code) of each function that a cell defines, without its docstring."""
    for node in ast.parse(source).body:
        if isinstance(node, ast.FunctionDef):
            body = node.body[ast.get_docstring(node) is not None :]
            yield node.name, ast.dump(node.args) + "".join(map(ast.dump, body))


def package_names(source):
    """What a cell uses of the package: "lenient.exact.decimal", the longest such name."""
    tree = ast.parse(source)
    dotted = {ast.unparse(node) for node in ast.walk(tree) if isinstance(node, ast.Attribute)}
    return sorted(name for name in dotted if re.fullmatch(r"lenient(\.\w+)+", name))
