"""What surrounds the text, in a browser: cards, search, theme, paper, weight, barriers.

Each page is opened once, in the dark and as narrow as a phone (test_browser.py has it in the
light and as wide as a desk).
"""

import gzip
from importlib.util import find_spec
from pathlib import Path

import pytest
from support.book import toc_pages

pytestmark = pytest.mark.browser

PAGES = [f"{page}.html" for page in toc_pages()]
CHAPTER = "chapters/04-eps-ts.html"
# Bytes over the wire; the sliders of chapter 12 bring a picture for each of their stops.
LIMITS = {PAGES[0]: 700_000, "chapters/12-try-it-yourself.html": 2_200_000}
# What looks for barriers; formulas have their own words for those who hear them, and one
# listing shows the colours of all.
AXE = Path(find_spec("axe_playwright_python").origin).parent.rglob("axe.min.js")
FIND_BARRIERS = """
async (rules) => {
  document.querySelectorAll("mjx-container").forEach((node) => node.remove());
  [...document.querySelectorAll("pre")].slice(2).forEach((pre) => pre.textContent = "x");
  const { violations } = await axe.run(document, {
    resultTypes: ["violations"], ...(rules && { runOnly: rules }),
  });
  return violations.filter(({ impact }) => ["serious", "critical"].includes(impact))
    .map(({ id, nodes }) => `${id}: ${nodes.map((node) => node.html.slice(0, 120))}`);
}
"""


@pytest.fixture(scope="module")
def axe():
    return next(AXE).read_text("utf-8")


@pytest.fixture
def open_page(browser, book):
    contexts = []

    def open_page(name, width=1280, height=900, **options):
        contexts.append(
            browser.new_context(viewport={"width": width, "height": height}, **options)
        )
        page = contexts[-1].new_page()
        page.goto(f"{book.as_uri()}/{name}", wait_until="load")
        page.evaluate("window.MathJax?.startup?.promise")
        return page

    yield open_page
    for context in contexts:
        context.close()


# ---- every page ----------------------------------------------------------------------
@pytest.mark.parametrize("name", PAGES)
def test_page_in_the_dark_has_no_barriers_and_no_formula_takes_the_focus(open_page, axe, name):
    page = open_page(name, color_scheme="dark", reduced_motion="reduce")
    assert page.evaluate("document.documentElement.dataset.theme") == "dark"
    assert page.evaluate("document.querySelectorAll('mjx-container[tabindex]').length") == 0
    page.evaluate(axe)
    assert page.evaluate(FIND_BARRIERS) == []
    page.evaluate("document.querySelector('.two-states').click()")
    page.wait_for_timeout(300)  # the colours fade over, and nothing else changes
    assert page.evaluate(FIND_BARRIERS, ["color-contrast"]) == []


def test_no_page_is_heavy(book):
    """What a first visit takes over the wire, in bytes, without MathJax's fonts."""
    packed = {}

    def weight(path):
        if path not in packed:
            data = path.read_bytes()
            small = path.suffix in {".html", ".js", ".css", ".svg"}
            packed[path] = len(gzip.compress(data, 6)) if small else len(data)
        return packed[path]

    from bs4 import BeautifulSoup

    heavy = {}
    for name in PAGES:
        path = book / name
        soup = BeautifulSoup(path.read_text("utf-8"), "html.parser")
        tags = soup.select("script[src], img[src], link[rel=stylesheet]")
        parts = {path}
        for tag in tags:
            address = (tag.get("src") or tag.get("href")).partition("?")[0]
            if not address.startswith("data:"):
                parts.add((path.parent / address).resolve())
        total = sum(map(weight, parts))
        if total > LIMITS.get(name, 1_200_000):
            heavy[name] = total
    assert heavy == {}


# ---- cards ---------------------------------------------------------------------------
LINK = "article a.reference.internal[href='#thm-upper-bound']"


def card(page):
    return page.evaluate(
        "(() => { const c = document.getElementById('card');"
        " return c.matches(':popover-open') ? c.textContent : null })()"
    )


def test_a_card_shows_under_the_mouse_and_goes(open_page):
    page = open_page(CHAPTER)
    page.hover(LINK)
    page.wait_for_timeout(500)
    assert "The lenient regret of ε-TS" in card(page)
    assert page.get_attribute(LINK, "aria-describedby") == "card"
    page.keyboard.press("Escape")
    assert card(page) is None


def test_a_card_shows_at_the_focus_of_the_keyboard(open_page):
    page = open_page(CHAPTER)
    page.keyboard.press("Tab")  # so that the focus is one of the keyboard
    page.focus(LINK)
    page.wait_for_timeout(300)
    assert "The lenient regret of ε-TS" in card(page)


def test_the_first_tap_shows_and_the_second_goes(open_page):
    page = open_page(CHAPTER, 360, 740, has_touch=True)
    page.tap(LINK)
    page.wait_for_timeout(300)
    assert "The lenient regret of ε-TS" in card(page)
    assert not page.url.endswith("#thm-upper-bound")
    page.tap(LINK)
    assert page.url.endswith("#thm-upper-bound")


# ---- search --------------------------------------------------------------------------
@pytest.mark.parametrize(
    "asked, wanted",
    [
        ("ε-TS", "terms.html#term-TS"),
        ("eps-TS", "04-eps-ts.html"),
        ("TS", "terms.html"),
        ("consistent", "03-lower-bound.html#"),
        ("K_inf", "#"),
    ],
)
def test_the_search_leads_to_sections(open_page, asked, wanted):
    page = open_page(f"search.html?q={asked}")
    found = page.evaluate("[...document.querySelectorAll('#hits a')].map((a) => a.href)")
    assert any(wanted in address for address in found[:8]), found[:8]
    assert all("#" in address for address in found)
    page.fill("#find input", "no such words anywhere")
    assert page.evaluate("document.querySelectorAll('#hits li').length") == 0


# ---- the system's theme, paper, progress -----------------------------------------------
def test_a_choice_of_theme_is_kept(open_page):
    page = open_page(CHAPTER)
    page.click(".two-states")
    page.reload(wait_until="load")
    assert page.evaluate("document.documentElement.dataset.theme") == "dark"
    page.click(".two-states")
    assert page.evaluate("localStorage.getItem('mode')") == "auto"


def test_folded_code_is_seen_on_paper_which_is_white(open_page):
    page = open_page(CHAPTER, color_scheme="dark")
    page.emulate_media(media="print")
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    theme = "document.documentElement.dataset.theme"
    assert page.evaluate(theme) == "light"
    page.wait_for_timeout(200)
    faint = """[...document.querySelectorAll("article details :is(p, pre, img, table)")]
      .filter((node) => node.offsetHeight && getComputedStyle(node).opacity < 0.5).length"""
    assert page.evaluate(faint) == 0
    page.evaluate("dispatchEvent(new Event('afterprint'))")
    assert page.evaluate(theme) == "dark"


def test_answers_and_chapters_read_are_remembered(open_page):
    page = open_page(CHAPTER)
    form = "document.querySelector('.quiz input[type=radio]').form"
    page.evaluate("document.querySelector('.quiz input[type=radio]').checked = true")
    page.evaluate(f"{form}.requestSubmit()")
    verdict = f"{form}.dataset.verdict"
    before = page.evaluate(verdict)
    page.evaluate("scrollTo({top: document.body.scrollHeight, behavior: 'instant'})")
    page.wait_for_timeout(800)
    page.reload(wait_until="load")
    assert before and page.evaluate(verdict) == before
    assert page.evaluate("document.querySelectorAll('.bd-links .tick').length") == 1


def test_a_phone_gets_the_narrow_figures(open_page):
    page = open_page(CHAPTER, 360, 740)
    sources = page.evaluate(
        "[...document.querySelectorAll('article picture img')].map((i) => i.currentSrc)"
    )
    assert sources and all(source.endswith("-narrow.svg") for source in sources)


def test_pages_do_not_jump(open_page):
    """The layout shift, as browsers measure it, of the front page and a chapter."""
    for name in (PAGES[0], CHAPTER):
        page = open_page(name)
        page.wait_for_timeout(700)
        shift = page.evaluate(
            "new Promise((say) => { let sum = 0; new PerformanceObserver((list) => list"
            ".getEntries().forEach((e) => sum += e.hadRecentInput ? 0 : e.value))"
            ".observe({ type: 'layout-shift', buffered: true });"
            " setTimeout(() => say(sum), 300) })"
        )
        assert shift <= 0.05, (name, shift)
