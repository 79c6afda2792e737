"""Files that chapters need: in a checkout beside them, in an installed package beside this.

`pyproject.toml` puts chapters/results and chapters/quizzes into the package.
"""

from pathlib import Path


def folder(name):
    """The folder of the stored results or of the quizzes."""
    here = Path(__file__).resolve().parent
    beside_the_chapters = here.parent / "chapters" / name
    return beside_the_chapters if beside_the_chapters.is_dir() else here / name
