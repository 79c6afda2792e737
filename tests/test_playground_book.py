"""The living pictures on the pages of the built book, over http and from a folder.

Each is brought to life, moved by keyboard, fits a phone, is readable in the dark; buttons
"set this up" lead to the playground with the setting that they name.
"""

import re
from urllib.parse import unquote

import pytest
from support.book import toc_pages
from support.living import PHONE
from support.paths import ROOT
from test_browser import TOO_WIDE, Visit

from lenient_book.playground import START

pytestmark = pytest.mark.browser

LIVING = re.compile(r":::\{living\}|live=|playground\(means")


def sources():
    """(page, its text) of the book's pages; what is made while it is built has none."""
    for page in toc_pages():
        for source in ROOT.glob(f"{page}.*[bd]"):  # .ipynb or .md
            yield f"{page}.html", source.read_text("utf-8")


def living_pages():
    """Pages of the book with something to bring to life."""
    return (page for page, text in sources() if LIVING.search(text))


PAGES = [*living_pages()]


@pytest.fixture(params=["http", "file"])
def home(request, book):
    return book.as_uri() if request.param == "file" else request.getfixturevalue("book_url")


@pytest.fixture
def visit(browser, home):
    contexts = []

    def open_page(name, theme="light", **how):
        context = browser.new_context(**{"viewport": {"width": 1280, "height": 900}, **how})
        context.set_default_timeout(20_000)
        context.add_init_script(
            f"localStorage.setItem('mode', '{theme}'); localStorage.setItem('theme', '{theme}')"
        )
        contexts.append(context)
        return Visit(context, home, name)

    yield open_page
    for context in contexts:
        context.close()


def test_there_are_living_pages():
    names = " ".join(PAGES)
    chapters = ["index", "playground", *(f"chapters/{n:02}-" for n in (1, 2, 3, 4, 5, 7, 8, 9))]
    assert all(part in names for part in chapters), names


@pytest.mark.parametrize("name", PAGES)
def test_each_is_alive_and_moves(visit, name):
    seen = visit(name)
    plays = seen.page.locator(".lenient-play")
    assert plays.count() >= 1
    for play in plays.all():
        play.scroll_into_view_if_needed()
        assert "alive" in play.get_attribute("class")
        assert play.locator(".stage").is_visible()
        [*fold] = play.locator(".settings summary").all()
        for summary in fold:
            summary.click()
        for control in play.locator("input[type=range]").all():
            before = control.input_value()
            control.press("ArrowRight")
            control.press("ArrowRight")
            assert control.input_value() != before, control.get_attribute("aria-valuetext")
        spoken = play.locator("[aria-live=polite]")
        assert any(text.strip() for text in spoken.all_inner_texts())
        for picture in play.locator("svg[role=img], canvas[role=img]").all():
            assert picture.get_attribute("aria-label")
    assert seen.new_faults() == []


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("name", PAGES)
def test_each_fits_a_phone(visit, name, theme):
    seen = visit(name, theme, viewport=PHONE, has_touch=True)
    assert seen.ask("document.documentElement.dataset.theme") == theme
    assert seen.ask("document.documentElement.scrollWidth") <= 360
    assert seen.ask(TOO_WIDE) == []
    # What the pictures write is on their paper, and not cut off at its edges.
    cut_off = """[...document.querySelectorAll('.lenient-play svg text')].filter(text => {
      const own = text.getBoundingClientRect();
      const stage = text.closest('.stage').getBoundingClientRect();
      return own.width && (own.left < stage.left || own.right > stage.right);
    }).map(text => text.textContent)"""
    assert seen.ask(cut_off) == []
    bright = """[...document.querySelectorAll('.lenient-play .stage')].map(stage => {
      const sum = css => css.match(/[0-9.]+/g).slice(0, 3).reduce((a, b) => a + Number(b), 0);
      const { backgroundColor, color } = getComputedStyle(stage);
      return sum(color) > sum(backgroundColor);
    })"""
    cover = "index" in name  # is dark on every page
    assert all(light == (theme == "dark" or cover) for light in seen.ask(bright))
    for button in seen.page.locator(".lenient-play button:visible").all():
        assert button.bounding_box()["height"] >= 44
    assert seen.new_faults() == []


def set_ups():
    """(page, words, setting) of each button in the text."""
    for page, text in sources():
        for words, setting in re.findall(r"\{set-up\}`([^`<]+?)\s*<([^>`]+)>`", text):
            yield page, words, setting


def test_chapters_have_buttons_that_set_up_the_playground(visit):
    pages = {}
    for page, words, setting in set_ups():
        pages.setdefault(page, []).append((words, setting))
    assert len(pages) >= 8
    for name, buttons in pages.items():
        page = visit(name).page
        links = page.locator("a.set-up")
        assert links.count() == len(buttons)
        for link, (words, setting) in zip(links.all(), buttons):
            assert words in link.inner_text()
            target, _, address = unquote(link.evaluate("a => a.href")).partition("#")
            assert target.endswith("chapters/playground.html") and address == setting
        links.first.click()
        page.wait_for_function("document.querySelector('.stage.playground .bar')")
        asked = dict(part.split("=") for part in buttons[0][1].split("&"))
        typed = page.locator(".typed").input_value().replace(" ", "")
        assert typed == asked.get("means", ",".join(map(str, START["means"])))
        if "policies" in asked:
            assert page.locator(".panel h4").all_inner_texts() == asked["policies"].split(",")
        if "gap" in asked:
            assert page.locator(".settings select").input_value() == asked["gap"]


def test_the_playground_is_at_the_top_of_the_contents():
    first = [page.rpartition("/")[2] for page in toc_pages()]
    assert first.index("playground") < first.index("01-why-regret-fails")
