"""Every page of the built book as a reader's browser sees it.

Only a browser notices a script that fails, a formula that stays raw or a slider that is
dead. Each page is opened once, and looked at in several ways.
"""

import pytest
from support.book import MADE_BY_SPHINX, toc_pages

pytestmark = pytest.mark.browser

CHAPTERS = [f"{page}.html" for page in toc_pages()]
VISITS = [("http", name) for name in CHAPTERS + sorted(MADE_BY_SPHINX)]
# Readers also open the book from a folder on their disk: the front page and a chapter.
VISITS += [("file", name) for name in CHAPTERS[:2]]


class Visit:
    """An open page, and what went wrong on it."""

    def __init__(self, context, home, name):
        self.home, self.name, self.faults = home, name, []
        self.page = context.new_page()
        self.page.on("pageerror", lambda error: self.faults.append(f"error: {error}"))
        self.page.on("console", self.note_message)
        self.page.on("request", self.note_request)
        self.page.on("requestfailed", self.note_failure)
        self.page.on("response", self.note_response)
        self.page.goto(f"{home}/{name}", wait_until="load")
        # The front door redirects; what counts is where it leads.
        self.page.wait_for_function(
            "!document.querySelector('meta[http-equiv=Refresh]')"
            " && document.readyState === 'complete'"
        )
        self.page.evaluate("window.MathJax?.startup?.promise")
        self.page.wait_for_load_state("networkidle")

    def note_message(self, message):
        if message.type == "error":
            self.faults.append(f"console: {message.text}")

    def note_request(self, request):
        if not request.url.startswith((self.home, "data:", "blob:")):
            self.faults.append(f"request that leaves the book: {request.url}")

    def note_failure(self, request):
        self.faults.append(f"request failed: {request.url} ({request.failure})")

    def note_response(self, response):
        if response.status >= 400:
            self.faults.append(f"status {response.status}: {response.url}")

    def new_faults(self):
        """What went wrong since this was last asked."""
        faults, self.faults = self.faults, []
        return faults

    def ask(self, script):
        """Value of a JavaScript expression on the page."""
        return self.page.evaluate(script)


@pytest.fixture(scope="module", params=VISITS, ids=lambda visit: " ".join(visit))
def visit(request, browser, book):
    way, name = request.param
    home = book.as_uri() if way == "file" else request.getfixturevalue("book_url")
    context = browser.new_context(viewport={"width": 1280, "height": 900})
    context.set_default_timeout(20_000)
    yield Visit(context, home, name)
    context.close()


def test_page_loads_without_fault(visit):
    assert visit.ask("document.title") != ""
    assert visit.new_faults() == []


# Text as read, without code and without what MathJax made.
RAW_TEX = r"""
() => {
  const copy = document.body.cloneNode(true);
  copy.querySelectorAll("pre, code, script, style, mjx-container, template")
    .forEach((node) => node.remove());
  return copy.textContent.match(/\\\(|\\\[|\$\$|\$[^$\n]{1,80}\$|\\begin\{/g) || [];
}
"""
NOT_TYPESET = """
[...document.querySelectorAll(".math")]
  .filter((node) => !node.querySelector("mjx-container"))
  .map((node) => node.textContent)
"""
WRONG_TEX = """
[...document.querySelectorAll("mjx-merror, [data-mjx-error]")]
  .map((node) => node.dataset.mjxError || node.textContent)
"""


def test_all_maths_is_typeset(visit):
    assert visit.ask(RAW_TEX) == []
    assert visit.ask(NOT_TYPESET) == []
    assert visit.ask(WRONG_TEX) == []
    count = "document.querySelectorAll('{}').length".format
    assert visit.ask(count("mjx-container")) >= visit.ask(count(".math"))
    assert visit.new_faults() == []


def test_controls_change_the_picture(visit):
    for explorer in visit.page.query_selector_all(".lenient-explore"):
        picture = explorer.query_selector("img")
        for control in explorer.query_selector_all("input[type=range], select"):
            seen = list(sweep(picture, control))
            assert len({value for value, _, _ in seen}) == len(seen), "dead control"
            assert len({alt for _, alt, _ in seen}) > 1, "alt text never changes"
            assert len({src for _, _, src in seen}) > 1, "picture never changes"
    assert visit.new_faults() == []


def sweep(picture, control):
    """Move a control through all its values by keyboard; value and picture at each."""
    steps = control.evaluate("c => c.options ? c.options.length - 1 : c.max - c.min")
    forward = control.evaluate("c => c.options ? 'ArrowDown' : 'ArrowRight'")
    control.press("Home")
    for step in range(int(steps) + 1):
        if step:
            control.press(forward)
        yield (
            control.evaluate("c => c.value"),
            picture.get_attribute("alt"),
            picture.get_attribute("src"),
        )


# Elements of the text that end beyond the screen, with nothing around to scroll them.
TOO_WIDE = """
() => {
  const scrolls = (node) =>
    node && node !== document.body &&
    (/auto|scroll/.test(getComputedStyle(node).overflowX) ||
     scrolls(node.parentElement));
  return [...document.querySelectorAll("article *")]
    .filter((node) => node.getBoundingClientRect().right > innerWidth + 1)
    .filter((node) => !scrolls(node))
    .filter((node) => !node.closest("mjx-assistive-mml"))  // read aloud, not shown
    .map((node) => node.outerHTML.slice(0, 120));
}
"""


def test_fits_a_phone(visit):
    visit.page.set_viewport_size({"width": 360, "height": 740})
    try:
        assert visit.ask("document.documentElement.scrollWidth") <= 360
        assert visit.ask(TOO_WIDE) == []
    finally:
        visit.page.set_viewport_size({"width": 1280, "height": 900})
    assert visit.new_faults() == []


BRIGHTNESS = """
(property) => {
  const css = getComputedStyle(document.body)[property];
  const [red, green, blue] = css.match(/[0-9.]+/g).map(Number);
  return (red + green + blue) / 765;
}
"""
FIGURE_LOOKS = """
[...document.querySelectorAll("article picture img")]
  .map((img) => getComputedStyle(img).filter.includes("invert"))
"""


def test_first_click_turns_the_page_dark_and_the_second_back(visit):
    theme, switch = "document.documentElement.dataset.theme", ".two-states"
    assert visit.ask(theme) == "light"  # as the system is, in this browser
    visit.page.evaluate(f"document.querySelector('{switch}').click()")
    assert visit.ask(theme) == "dark"
    visit.page.wait_for_timeout(300)  # the colours fade over
    background = visit.page.evaluate(BRIGHTNESS, "backgroundColor")
    text = visit.page.evaluate(BRIGHTNESS, "color")
    assert background < 0.3 and text > 0.6
    assert all(visit.ask(FIGURE_LOOKS))
    visit.page.evaluate(f"document.querySelector('{switch}').click()")
    assert visit.ask(theme) == "light"
    assert visit.ask("document.documentElement.dataset.mode") == "auto"
    assert visit.new_faults() == []


def test_nothing_stays_folded_on_paper(visit):
    folded = "document.querySelectorAll('details:not([open])').length"
    before = visit.ask(folded)
    visit.ask("dispatchEvent(new Event('beforeprint'))")
    assert visit.ask(folded) == 0
    visit.ask("dispatchEvent(new Event('afterprint'))")
    assert visit.ask(folded) == before
    assert visit.new_faults() == []
