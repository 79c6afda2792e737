"""Code that draws or imports stays out of the way: a quiet link, below what it makes.

A cell with the tag `hide-input` shows its figure, then "code", which unfolds it. A cell that
only imports is folded without a tag.
"""

import ast

from docutils import nodes
from myst_nb.sphinx_ import HideCodeCellNode, HideInputCells
from sphinx.transforms.post_transforms import SphinxPostTransform


def only_imports(source):
    """Whether the cell imports, sets the look of the figures, and nothing else."""
    lines = [line for line in source.splitlines() if not line.startswith("%")]
    try:
        statements = ast.parse("\n".join(lines)).body
    except SyntaxError:
        return False
    imports = [isinstance(s, ast.Import | ast.ImportFrom) for s in statements]
    calls = [ast.unparse(s) == "figures.use()" for s in statements]
    return any(imports) and all(map(any, zip(imports, calls)))


def cells(document):
    for node in document.findall(nodes.container):
        if node.get("nb_element") == "cell_code" and node.children:
            yield node


class FoldImports(SphinxPostTransform):
    default_priority = HideInputCells.default_priority - 1
    formats = ("html",)

    def run(self, **kwargs):
        for cell in cells(self.document):
            if cell.get("hide_mode") or not only_imports(cell[0].astext()):
                continue
            cell["hide_mode"], cell["prompt_show"] = "all", "imports"
            cell["prompt_hide"] = "imports"
            cell["classes"].append("imports")


class CodeBelow(SphinxPostTransform):
    default_priority = HideInputCells.default_priority + 1
    formats = ("html",)

    def run(self, **kwargs):
        for cell in cells(self.document):
            fold = cell[0]
            if isinstance(fold, HideCodeCellNode) and len(cell) > 1:
                cell.remove(fold)
                cell.append(fold)


def setup(app):
    app.add_post_transform(FoldImports)
    app.add_post_transform(CodeBelow)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
