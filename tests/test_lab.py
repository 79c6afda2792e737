"""Chapters in a real JupyterLab, as `make notebooks` starts it: read, run and played with.

A hub's address, no network, a user without settings. `make test` takes two chapters and
`make lab-test` all of them.
"""

import os
import re

import pytest
from support.lab import Notebook, server

from lenient_book import reader
from lenient_book.exercise import exercises

pytestmark = pytest.mark.browser

ALL = sorted(file for file in reader.file_names(reader.pages()).values() if "ipynb" in file)
SHORT = ["03-lower-bound.ipynb", "playground.ipynb"]
CHOSEN = ALL if os.environ.get("LENIENT_LAB") == "all" else SHORT


@pytest.fixture(scope="module")
def home(tmp_path_factory):
    return tmp_path_factory.mktemp("home")


@pytest.fixture(scope="module")
def notebooks(home):
    """As `make notebooks` makes them."""
    reader.main([str(home / "notebooks")])
    return home / "notebooks"


@pytest.fixture(scope="module")
def lab(home, notebooks):
    with server(notebooks, home) as running:
        yield running


@pytest.fixture
def notebook(browser, lab):
    """A function that opens a notebook; what went wrong is looked at in the end."""
    context = browser.new_context(viewport={"width": 1280, "height": 1000})
    context.set_default_timeout(30_000)
    opened = Notebook(context.new_page(), lab)
    said = len(lab.faults())
    yield opened
    context.close()
    assert opened.faults == []
    assert lab.faults()[said:] == []


# ---- the start -----------------------------------------------------------------------
def test_the_start_page_opens_rendered_and_quiet(notebook):
    page = notebook.page
    page.goto(notebook.server.page(""))
    page.get_by_role("heading", name="Lenient regret").first.wait_for()
    assert page.url.endswith("/user/name/lab/tree/index.md")
    page.wait_for_timeout(3000)  # news would come by now
    assert page.locator(".Toastify__toast").count() == 0
    assert page.locator(".jp-Dialog").count() == 0
    page.locator(".jp-MarkdownViewer").get_by_role("link", name="Play").first.click()
    page.wait_for_function(
        "window.jupyterapp.shell.currentWidget.context?.path === 'playground.ipynb'"
    )


def test_a_reference_leads_into_the_other_chapter(notebook):
    notebook.open("03-lower-bound.ipynb").ready()
    notebook.page.wait_for_timeout(4000)  # links get their meaning when all is rendered
    link = notebook.page.locator(".jp-MarkdownCell a", has_text="Theorem 4.").first
    link.click()
    notebook.page.wait_for_function(
        "window.jupyterapp.shell.currentWidget.context.path === '04-eps-ts.ipynb'"
    )


# ---- the chapters --------------------------------------------------------------------
# What a reader of the page would see as a mistake.
RAW = re.compile(r"\{[\w:]+\}`|^:::|⚠|unresolved|\(eq-[\w-]+\)", re.MULTILINE)
RENDERED = """(current) => current.content.widgets
  .filter((cell) => cell.model.type === "markdown")
  .map((cell) => {
    const copy = cell.editorWidget === undefined ? cell.node.cloneNode(true) : null;
    const shown = (copy ?? cell.node).querySelector(".jp-MarkdownOutput, .myst") ?? copy;
    shown.querySelectorAll("code, pre, .katex-mathml, .jp-InputArea-editor")
      .forEach((node) => node.remove());
    return shown.textContent;
  })"""
WRONG = """(current) => [...current.content.node.querySelectorAll(
    ".katex-error, .myst-error, [class*='text-red']")].map((node) => node.textContent)"""


@pytest.mark.parametrize("file", CHOSEN)
def test_a_chapter_is_read_run_and_played_with(notebook, file):
    notebook.open(file).ready()
    texts = notebook.ask(RENDERED)
    assert texts and [found for text in texts if (found := RAW.findall(text))] == []
    assert notebook.ask(WRONG) == []
    assert notebook.run_all() == []
    sliders_move_their_pictures(notebook)
    living_pictures_are_alive(notebook)
    quiz_answers(notebook)
    exercises_answer(notebook)


def outputs(notebook, selector):
    """Outputs of the notebook with something in them, scrolled to."""
    found = notebook.page.locator(".jp-OutputArea-output").filter(
        has=notebook.page.locator(selector)
    )
    for place in range(found.count()):
        found.nth(place).scroll_into_view_if_needed()
        yield found.nth(place)


def sliders_move_their_pictures(notebook):
    for output in outputs(notebook, ".widget-hslider, .widget-dropdown"):
        picture = output.locator("img").last
        for slider in output.locator("[role=slider]").all():
            before = picture.get_attribute("src")
            slider.focus()
            forward = slider.get_attribute("aria-valuenow") != slider.get_attribute(
                "aria-valuemax"
            )
            slider.press("ArrowRight" if forward else "ArrowLeft")
            changed(notebook, picture, before)
        for menu in output.locator("select").all():
            before = picture.get_attribute("src")
            count = menu.locator("option").count()
            chosen = menu.evaluate("menu => menu.selectedIndex")
            menu.select_option(index=(chosen + 1) % count)
            changed(notebook, picture, before)


def changed(notebook, picture, before):
    """Wait until the picture is another one; slow frames are simulations."""
    for _ in range(240):
        if picture.get_attribute("src") != before:
            return
        notebook.page.wait_for_timeout(250)
    pytest.fail("the picture stays the same")


def living_pictures_are_alive(notebook):
    for output in outputs(notebook, ".lenient-play"):
        stage = output.locator(".stage").first
        assert stage.inner_text().strip()
        play = stage.get_by_role("button", name=re.compile("Play|Replay")).first
        if play.count():
            before = stage.inner_html()
            play.click()
            notebook.page.wait_for_timeout(1500)
            assert stage.inner_html() != before


def quiz_answers(notebook):
    for output in outputs(notebook, ".quiz-verdict"):
        verdicts = output.locator(".quiz-verdict")
        for place in range(verdicts.count()):
            form = output.locator(".widget-vbox .widget-vbox").nth(place)
            if form.locator("input").count():
                form.locator("input").fill("0.123456")
                form.locator("input").press("Tab")
                form.get_by_role("button", name="Check").click()
            else:
                form.get_by_role("button").first.click()
            verdicts.nth(place).get_by_text("ight.").first.wait_for()
        notebook.page.wait_for_timeout(500)
        assert "\\(" not in output.inner_text()  # all formulas are set


def exercises_answer(notebook):
    cells = notebook.ask(
        "(current) => current.content.widgets.filter((cell) =>"
        " cell.model.sharedModel.source.includes('lenient_book.exercise import'))"
        ".map((cell) => cell.outputArea.node.textContent)"
    )
    assert all("still to be filled in" in text for text in cells)


def test_an_exercise_is_answered_and_reset(notebook):
    notebook.open("03-lower-bound.ipynb").ready()
    first = exercises()["ex-lb-reading"][0]
    place = (
        "(current) => { const place = current.content.widgets.findIndex((cell) =>"
        " cell.model.sharedModel.source.includes('check(\"ex-lb-reading\"'));"
        " current.content.activeCellIndex = place; current.content.deselectAll();"
    )
    own = f"{first['name']} = {first['answer']}"
    notebook.ask(
        place + " const model = current.content.activeCell.model.sharedModel;"
        f" model.setSource(model.source.replace('{first['name']} = ...', '{own}')); }}"
    )

    def run():
        notebook.page.evaluate("window.jupyterapp.commands.execute('notebook:run-cell')")

    run()
    notebook.page.get_by_text("✓ right.").wait_for()
    notebook.ask(
        place + " const model = current.content.activeCell.model.sharedModel;"
        " model.setSource('reset(\"ex-lb-reading\")'); }"
    )
    run()
    notebook.page.wait_for_function(
        "window.jupyterapp.shell.currentWidget.content.activeCell.model.sharedModel.source"
        f".includes('{first['name']} = ...')"
    )


# ---- elsewhere -----------------------------------------------------------------------
def test_widgets_fit_the_dark_theme(notebook):
    notebook.open("playground.ipynb").ready()
    change = "'apputils:change-theme', {theme: 'JupyterLab Dark'}"
    notebook.page.evaluate(f"window.jupyterapp.commands.execute({change})")
    notebook.page.wait_for_function("document.body.dataset.jpThemeName === 'JupyterLab Dark'")
    assert notebook.run_all() == []
    stage = notebook.page.locator(".lenient-play .stage").first
    stage.scroll_into_view_if_needed()
    text, paper = stage.evaluate(
        """(stage) => {
          const light = (css) => css.match(/[0-9.]+/g).slice(0, 3).map(Number)
            .reduce((a, b) => a + b) / 765;
          let node = stage, paper = "rgba(0, 0, 0, 0)";
          while (node && /, 0\\)$|transparent/.test(paper)) {
            paper = getComputedStyle(node).backgroundColor;
            node = node.parentElement;
          }
          return [light(getComputedStyle(stage).color), light(paper)];
        }"""
    )
    assert text > 0.6 and paper < 0.35


# Notebook's own (7.6, with any notebook and no settings): it looks for JupyterLab's.
OF_NOTEBOOK_7 = "error: Cannot read properties of undefined (reading 'schema')"


def test_notebook_7_runs_it_as_well(browser, notebooks, tmp_path):
    with server(notebooks, tmp_path, "notebook") as running:
        context = browser.new_context(viewport={"width": 1280, "height": 1000})
        opened = Notebook(context.new_page(), running)
        opened.open("playground.ipynb", "notebooks/").ready()
        assert opened.run_all() == []
        opened.page.locator(".lenient-play .stage").first.wait_for()
        assert opened.page.locator("h1", has_text="The playground").count() == 1
        context.close()
        assert {*opened.faults} <= {OF_NOTEBOOK_7} and running.faults() == []
