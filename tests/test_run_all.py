"""`Run all` in a student's notebook, with nothing answered, in the real JupyterLab."""

import re
import subprocess
import sys
import time

import nbformat
import pytest
from support.assignments import NAMES

from classroom.assignments import students_notebook
from classroom.run_all import TAG

NAME = NAMES[0]


def test_answers_and_checks_let_the_rest_go_on():
    for name in NAMES:
        for cell in students_notebook(name).cells:
            if cell.cell_type == "code" and cell.metadata.get("nbgrader"):
                goes_on = cell.metadata.nbgrader.grade_id != "setup"
                assert (TAG in cell.metadata.get("tags", [])) == goes_on, cell.id


@pytest.fixture
def lab(tmp_path):
    """The address of a JupyterLab in a folder with a student's notebook."""
    nbformat.write(students_notebook(NAME), tmp_path / f"{NAME}.ipynb")
    log = tmp_path / "lab.log"
    with open(log, "w") as said:
        server = subprocess.Popen(
            [sys.executable, "-m", "jupyterlab", "--no-browser", "--allow-root", "--port=0",
             "--IdentityProvider.token=", f"--ServerApp.root_dir={tmp_path}"],
            cwd=tmp_path, stdout=subprocess.DEVNULL, stderr=said,
        )  # fmt: skip
    deadline = time.monotonic() + 120
    while not (found := re.search(r"http://127\.0\.0\.1:\d+", log.read_text())):
        assert server.poll() is None and time.monotonic() < deadline, log.read_text()
        time.sleep(0.2)
    yield found[0]
    server.terminate()
    server.wait()


@pytest.mark.browser
def test_run_all_comes_to_the_last_check(lab, browser, tmp_path):
    page = browser.new_page()
    page.goto(f"{lab}/lab/tree/{NAME}.ipynb?reset")
    page.locator(".jp-Notebook .jp-CodeCell").first.wait_for(timeout=120_000)
    idle = page.locator(".jp-Notebook-ExecutionIndicator[data-status=idle]")
    idle.wait_for(timeout=120_000)
    page.get_by_role("menuitem", name="Run", exact=True).click()
    page.get_by_role("menuitem", name="Run All Cells", exact=True).click()
    deadline = time.monotonic() + 240
    while not (last := saved(page, tmp_path)).execution_count:
        assert time.monotonic() < deadline
    assert last.outputs[-1].ename in ("NotImplementedError", "AssertionError")
    page.close()


def saved(page, folder):
    """The last code cell of the notebook, as the student saves it now."""
    page.wait_for_timeout(1000)
    page.keyboard.press("Control+s")
    page.wait_for_timeout(1000)
    cells = nbformat.read(folder / f"{NAME}.ipynb", as_version=4).cells
    return [cell for cell in cells if cell.cell_type == "code"][-1]
