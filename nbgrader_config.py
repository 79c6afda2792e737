"""The repository as an nbgrader course: `nbgrader` commands work from this folder.

Sources are the book's own, chapters/exercises/<assignment>/<assignment>.ipynb. All that
a course makes (students' notebooks, submissions, marks) lies in the folder course/.
`make assignments` and `make grade` use the same settings.
"""

import os
import sys
from pathlib import Path

from nbgrader.converters import Autograde, GenerateAssignment
from nbgrader.preprocessors import Execute

from classroom import safe_view
from classroom.boxed_execute import BoxedExecute
from classroom.folders import course_folder
from classroom.private_tests import PrivateTests
from classroom.run_all import GoOnAfterErrors

here = Path(__file__).resolve().parent

c = get_config()  # noqa: F821
course = course_folder()

# To make the gradebook, nbgrader calls alembic, which is installed beside this Python.
programs = os.path.dirname(sys.executable)
if programs not in os.environ["PATH"].split(os.pathsep):
    os.environ["PATH"] = os.pathsep.join([programs, os.environ["PATH"]])

c.CourseDirectory.course_id = "lenient"
c.CourseDirectory.root = str(here)
c.CourseDirectory.source_directory = str(here / "chapters" / "exercises")
for step in ("release", "submitted", "autograded", "feedback"):
    c.CourseDirectory[f"{step}_directory"] = str(course / step)
c.CourseDirectory.db_url = f"sqlite:///{course / 'gradebook.db'}"

c.ClearSolutions.code_stub = {
    "python": "# YOUR CODE HERE\n"
    'raise NotImplementedError("Still to be written: put your answer here.")'
}
c.ClearSolutions.text_stub = "*Write your answer here.*"

# A teacher's own tests join the hidden ones before anything is taken out. Students can run
# all cells, and come to the last of them.
c.GenerateAssignment.preprocessors = [
    PrivateTests,
    *GenerateAssignment.preprocessors.default_args[0],
    GoOnAfterErrors,
]

# Students' code runs in a box, with limits of time (seconds) and memory (bytes).
c.Autograde.autograde_preprocessors = [
    BoxedExecute if step is Execute else step
    for step in Autograde.autograde_preprocessors.default_args[0]
]
c.BoxedExecute.timeout = int(os.environ.get("LENIENT_CELL_SECONDS", 60))
c.BoxedExecute.notebook_seconds = int(os.environ.get("LENIENT_NOTEBOOK_SECONDS", 300))
c.BoxedExecute.memory = int(os.environ.get("LENIENT_MEMORY_MB", 2048)) * 2**20
# A warning that numpy prints is no mistake; nbgrader by itself would give no points.
c.IgnorePattern.enabled = True
c.IgnorePattern.pattern = "(?s).*"

# Templates of ours come before nbconvert's, which look for MathJax on another host.
ours = str(here / "classroom" / "jupyter")
if ours not in os.environ.get("JUPYTER_PATH", "").split(os.pathsep):
    os.environ["JUPYTER_PATH"] = os.pathsep.join(
        filter(None, [ours, os.environ.get("JUPYTER_PATH")])
    )

# In the teacher's browser (formgrader, feedback), nothing of a submission may run.
c.HTMLExporter.sanitize_html = True
c.HTMLExporter.filters = safe_view.FILTERS
c.HTMLExporter.preprocessors = [safe_view.KeepWhatIsShown]
