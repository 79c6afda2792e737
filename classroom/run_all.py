"""`Run all` in a student's notebook goes on past a question that is not answered yet.

Jupyter goes on after an error in a cell that has this tag, and otherwise runs no further
cell. The tag counts for nothing when a notebook is marked (see `classroom.mending`).
"""

from nbgrader.preprocessors import NbGraderPreprocessor
from nbgrader.utils import is_grade, is_solution

TAG = "raises-exception"


class GoOnAfterErrors(NbGraderPreprocessor):
    """Tags the answers, which raise an error until they are written, and their checks."""

    def preprocess(self, nb, resources):
        for cell in nb.cells:
            if cell.cell_type == "code" and (is_grade(cell) or is_solution(cell)):
                cell.metadata["tags"] = [*cell.metadata.get("tags", []), TAG]
        return nb, resources
