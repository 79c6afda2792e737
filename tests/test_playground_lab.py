"""The playground in JupyterLab itself: a real kernel, its widget, and what Python knows."""

import os
import re
import subprocess
import sys
import time

import nbformat
import pytest
from support.paths import ROOT

pytestmark = pytest.mark.browser

CELLS = [
    "from lenient_book.playground import playground\n"
    "p = playground(means=[.9, .85, .6], eps=.2, gap='standard', runs=200)\np",
    "print(p.means, p.ran)",
    "print(type(p.result).__name__, p.result.pulls.shape[::2], p.result.means.tolist())",
    "p.means = [.5, .2]",
]


@pytest.fixture(scope="module")
def lab(tmp_path_factory):
    """Address of a JupyterLab in a folder of its own, with one notebook."""
    pytest.importorskip("jupyterlab")
    folder = tmp_path_factory.mktemp("lab")
    made = nbformat.v4.new_notebook()
    made.cells = [nbformat.v4.new_code_cell(source) for source in CELLS]
    made.metadata.kernelspec = {"name": "python3", "display_name": "Python 3"}
    nbformat.write(made, folder / "play.ipynb")
    environment = {
        **os.environ,
        "PYTHONPATH": str(ROOT),
        "JUPYTER_CONFIG_DIR": str(folder / "own"),
    }
    environment.pop("LENIENT_STATIC", None)
    command = [sys.executable, "-m", "jupyterlab", "--no-browser", "--allow-root"]
    flags = ["--IdentityProvider.token=", f"--ServerApp.root_dir={folder}"]
    flags += ["--LabApp.news_url="]  # nobody is asked for news
    log = folder / "log"
    with open(log, "w") as output:
        server = subprocess.Popen(
            [*command, "--ServerApp.port=0", *flags], stderr=output, env=environment
        )
    try:
        deadline = time.monotonic() + 60
        while not (found := re.search(r"http://[\w.]+:\d+", log.read_text())):
            assert server.poll() is None and time.monotonic() < deadline, log.read_text()
            time.sleep(0.2)
        yield found[0]
    finally:
        server.terminate()
        server.wait(30)


def test_python_and_the_page_share_the_setting(lab, browser):
    faults = []
    context = browser.new_context(viewport={"width": 1200, "height": 1600})
    context.set_default_timeout(60_000)
    page = context.new_page()
    page.on("pageerror", lambda error: faults.append(str(error)))
    page.goto(f"{lab}/lab/tree/play.ipynb")
    cells = page.locator(".jp-Notebook .jp-Cell")
    page.get_by_text("Python 3 (ipykernel) | Idle").wait_for()  # before, keys get lost

    def run(number):
        cells.nth(number).locator(".cm-content").click()
        page.keyboard.press("Shift+Enter")
        return cells.nth(number).locator(".jp-OutputArea-output")

    run(0)
    bar = page.locator(".lenient-play .street .bar").nth(1)
    bar.press("PageDown")
    page.locator(".transport .play").click()
    page.wait_for_function("document.querySelector('.counts').textContent.match(/[1-9]/)")
    page.locator(".transport .play").click()
    page.get_by_role("button", name="Play them").click()
    words = page.locator(".many .words")
    words.get_by_text("200 runs").wait_for()
    assert run(1).inner_text().strip() == "[0.9, 0.75, 0.6] 1"
    assert run(2).inner_text().strip() == "Simulation (200, 3) [0.9, 0.75, 0.6]"
    run(3)
    page.wait_for_function("document.querySelectorAll('.street .bar').length === 2")
    assert faults == []
    context.close()
