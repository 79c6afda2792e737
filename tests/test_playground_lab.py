"""The playground in JupyterLab itself: a real kernel, its widget, and what Python knows."""

import nbformat
import pytest
from support.lab import Notebook, server

pytestmark = pytest.mark.browser

CELLS = [
    "from lenient_book.playground import playground\n"
    "p = playground(means=[.9, .85, .6], eps=.2, gap='standard', runs=200)\np",
    "print(p.means, p.ran)",
    "print(type(p.result).__name__, p.result.pulls.shape[::2], p.result.means.tolist())",
    "p.means = [.5, .2]",
]


@pytest.fixture
def notebook(browser, tmp_path):
    made = nbformat.v4.new_notebook()
    made.cells = [nbformat.v4.new_code_cell(source) for source in CELLS]
    made.metadata.kernelspec = {"name": "python3", "display_name": "Python 3"}
    (tmp_path / "notebooks").mkdir()
    nbformat.write(made, tmp_path / "notebooks" / "play.ipynb")
    context = browser.new_context(viewport={"width": 1200, "height": 1600})
    context.set_default_timeout(60_000)
    with server(tmp_path / "notebooks", tmp_path) as running:
        opened = Notebook(context.new_page(), running)
        yield opened.open("play.ipynb").ready()
        context.close()
    assert opened.faults == []


def test_python_and_the_page_share_the_setting(notebook):
    page = notebook.page
    cells = page.locator(".jp-Notebook .jp-Cell")

    def run(number):
        cells.nth(number).locator(".cm-content").click()
        page.keyboard.press("Shift+Enter")
        return cells.nth(number).locator(".jp-OutputArea-output")

    run(0)
    page.locator(".lenient-play .street .bar").nth(1).press("PageDown")
    page.locator(".transport .play").click()
    page.wait_for_function("document.querySelector('.counts').textContent.match(/[1-9]/)")
    page.locator(".transport .play").click()
    page.get_by_role("button", name="Play them").click()
    page.locator(".many .words").get_by_text("200 runs").wait_for()
    assert run(1).inner_text().strip() == "[0.9, 0.75, 0.6] 1"
    assert run(2).inner_text().strip() == "Simulation (200, 3) [0.9, 0.75, 0.6]"
    run(3)
    page.wait_for_function("document.querySelectorAll('.street .bar').length === 2")
