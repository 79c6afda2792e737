"""The living pictures of the chapters: what they say against `lenient`, and that they move."""

import re

import numpy as np
import pytest
from scipy import stats
from support.living import PHONE, slack, swipe, visits

import lenient
from lenient_book.living import html


@pytest.fixture
def visit(browser, tmp_path):
    yield from visits(browser, tmp_path)


FORMULAS = {
    "gap-functions": {"eps": 0.2},
    "staircase": {
        "eps": 0.2,
        "given": {
            "gaps": [0, 0.07, 0.3, 0.35, 0.5],
            "counts": [39, 30, 16, 8, 7],
            "names": ["Acorn", "Hazel", "Iris", "Juniper", "Lemon"],
        },
    },
    "kinf": {
        "x": 0.6,
        "given": {
            "values": [k / 10 for k in range(10)],
            "probs": [0.15, 0.15, 0.15, 0.15, 0.1, 0.1, 0.08, 0.06, 0.04, 0.02],
        },
    },
    "two-levels": {"best": 0.7},
    "comparison": {"eps": 0.1, "p": 0.3},
    "x-c": {"c": 0.5},
    "tails": {"n": 10, "mu": 0.2},
    "leap-box": {"x": 0.38, "f": 1, "given": {"leader": [31, 31], "rival": [5, 17]}},
}
ALL = [*FORMULAS, "diner", "belief", "long-run", "predict", "cover"]


def body(*views):
    return "".join(html(v, FORMULAS.get(v, {}), "<p>still</p>") for v in views)


def words(page):
    return page.locator(".words").last.inner_text()


def number(pattern, text):
    return float(re.search(pattern, text)[1])


# ---- formulas --------------------------------------------------------------------------


@pytest.mark.parametrize("name", FORMULAS)
def test_every_control_moves_picture_and_words(visit, name):
    page = visit(body(name))
    for control in page.locator("input[type=range]").all():
        before = page.locator("svg.chart").first.inner_html(), words(page)
        value = control.input_value()
        for _ in range(5):
            control.press("ArrowRight")
        assert control.input_value() != value
        after = page.locator("svg.chart").first.inner_html(), words(page)
        assert before[0] != after[0] and before[1] != after[1]


@pytest.mark.parametrize("name", FORMULAS)
def test_the_picture_itself_is_dragged(visit, name):
    page = visit(body(name))
    before = words(page)
    box = page.locator("svg.chart").first.bounding_box()
    page.mouse.move(box["x"] + 0.3 * box["width"], box["y"] + 60)
    page.mouse.down()
    page.mouse.move(box["x"] + 0.45 * box["width"], box["y"] + 100, steps=4)
    page.mouse.up()
    assert words(page) != before


@pytest.mark.parametrize("name", FORMULAS)
def test_the_picture_itself_is_dragged_by_a_finger(visit, name):
    page = visit(body(name), has_touch=True, viewport=PHONE)
    before = words(page)
    box = page.locator("svg.chart").first.bounding_box()
    x, y = box["x"] + 0.3 * box["width"], box["y"] + 60
    swipe(page, (x, y), (x + 60, y + 8))
    assert words(page) != before
    assert page.locator(".readout").first.inner_text() != ""  # and what is there is read


def test_the_point_comes_to_the_hand(visit):
    """The crossing follows the pointer, the curve goes through it, the line is as high."""
    page = visit(body("two-levels", "comparison", "x-c", "tails"))

    def put(view, x, y):
        """The pointer at a share of the plot's width and height (from below)."""
        svg = page.locator(f".{view} svg.chart").first
        svg.scroll_into_view_if_needed()
        box = svg.bounding_box()  # and the margins of a chart
        left, wide = box["x"] + 44, box["width"] - 44 - 12
        top, high = box["y"] + 8, box["height"] - 8 - 34
        page.mouse.click(left + x * wide, top + (1 - y) * high)
        return page.locator(f".{view} .words").last.inner_text()

    assert number(r"below (0\.\d+)\.", put("two-levels", 0.75, 0.25)) == pytest.approx(
        0.15, abs=0.01
    )
    said = put("comparison", 0.5, 0.7)
    assert "a gap of 3 times ε" in said
    assert number(r"ratio is (0\.\d+)", said) == pytest.approx(0.7, abs=0.03)
    assert number(r"1/\(1\+c\) = (0\.\d+)", put("x-c", 0.5, 0.5 / 1.05)) == pytest.approx(
        0.5, abs=0.02
    )
    assert number(r"coin of mean (0\.\d+)", put("tails", 0.35, 0.5)) == pytest.approx(
        0.35, abs=0.02
    )


def test_values_are_read_by_mouse_and_keyboard(visit):
    page = visit(body("two-levels"))
    chart, readout = page.locator("svg.chart"), page.locator(".readout")
    assert readout.inner_text() == ""
    chart.hover()
    assert re.match(r"for ε′ 0\.\d+: demanded for ε′ [\d.]+, done by", readout.inner_text())
    first = readout.inner_text()
    chart.press("ArrowRight")
    assert readout.inner_text() != first


def test_values_are_read_by_a_tap(visit):
    page = visit(body("two-levels"), has_touch=True, viewport=PHONE)
    page.locator("svg.chart").tap()
    assert re.match(
        r"for ε′ 0\.\d+: demanded for ε′ [\d.]+", page.locator(".readout").inner_text()
    )


MOVES = {  # what does the task, the last move after the others
    "gap-functions": [("ε", 0.35)],
    "staircase": [("ε", 0.5)],
    "kinf": [("wanted mean x", 0.475)],
    "two-levels": [("best mean μ*", 0.775)],
    "comparison": [("Δ/ε", 1), ("ε", 0.005)],
    "x-c": [("c", 1)],
    "tails": [("μ", 0.05), ("tosses n", 12)],
    "leap-box": [("failures f", 10), ("threshold x", 0.34)],
}


@pytest.mark.parametrize("name", FORMULAS)
def test_tasks_of_pictures_are_recognised(visit, name):
    page = visit(body(name))
    task = page.locator("[data-task]")
    for control, value in MOVES[name]:
        assert "done" not in (task.get_attribute("class") or "")
        page.get_by_role("slider", name=control, exact=True).fill(str(value))
    assert task.get_attribute("class") == "done"
    assert page.locator(".told").inner_text().startswith("Done: ")


def test_what_they_say_is_what_lenient_says(visit):
    page = visit(body("kinf"))
    given = FORMULAS["kinf"]["given"]
    for x in (0.4, 0.6, 0.9):
        page.locator("input").fill(str(x))
        want = lenient.kinf(given["values"], given["probs"], x)
        assert number(r"distance ([\d.]+),", words(page)) == pytest.approx(want, abs=6e-4)

    page = visit(body("staircase"))
    gaps, counts = (np.array(FORMULAS["staircase"]["given"][k]) for k in ("gaps", "counts"))
    for eps in (0.0, 0.07, 0.2, 0.35, 0.5):
        page.locator("input").fill(str(eps))
        assert number(r"are ([\d.]+) high", words(page)) == (counts * (gaps > eps)).sum()
        area = (counts * np.maximum(gaps - eps, 0)).sum()
        assert number(r"is ([\d.]+), the hinge", words(page)) == pytest.approx(area, abs=0.006)

    page = visit(body("two-levels"))
    want = lenient.upper_bound([0.7, 0.4], 0.2, lenient.indicator(0.2))
    assert number(r"at most ([\d.]+) ln T", words(page)) == pytest.approx(want, abs=0.006)
    level = number(r"below ([\d.]+)\.", words(page))
    assert 1 / lenient.kl(0.4, 0.7 + level) == pytest.approx(want, rel=0.01)

    page = visit(body("leap-box"))
    leader, rival = stats.beta(31, 31), stats.beta(5, 17)
    draws = np.random.default_rng(1)
    chance = (rival.rvs(200_000, draws) > leader.rvs(200_000, draws)).mean()
    said = words(page)
    assert number(r"played with ([\d.]+\d)", said) == pytest.approx(chance, abs=0.002)
    wrong = 1 - leader.sf(0.38) * rival.cdf(0.38)
    assert number(r"probability ([\d.]+\d),", said) == pytest.approx(wrong, abs=6e-4)
    rates = [((a - 1) / 0.38 - (b - 1) / 0.62) for a, b in ((31, 31), (5, 17))]
    want = leader.pdf(0.38) / rates[0] - rival.pdf(0.38) / rates[1]
    assert number(r"W = ([\d.]+\d)", words(page)) == pytest.approx(want, abs=6e-4)


# ---- the chapters' own -----------------------------------------------------------------


def test_ten_lunches_then_the_learners(visit):
    page = visit(body("diner"))
    others = page.get_by_role("button", name="Let TS and ε-TS eat")
    doors = page.locator(".door")
    for lunch in range(10):
        assert not others.is_visible()
        doors.nth(lunch % 5).focus()
        page.keyboard.press("Enter")
    assert re.search(r"You had \d+ good lunches of 10", words(page))
    assert doors.first.is_disabled()
    others.click()
    assert page.locator(".run").count() == 3
    assert page.locator(".run").first.locator(".squares i").count() == 10
    assert re.search(r"TS eats \d+ times .* ε-TS \d+ times", words(page))
    good = [
        int(re.search(r"(\d+) good,", run)[1]) for run in page.locator(".run").all_inner_texts()
    ]
    assert (page.locator(".done").count() == 1) == (good[0] > max(good[1:]))
    page.get_by_role("button", name="A new street").click()
    assert doors.first.is_enabled() and page.locator(".run").count() == 0


def test_belief_follows_rewards_and_ceiling(visit):
    page = visit(body("belief"))
    assert page.locator(".done").count() == 0
    assert "ε-TS draws 0.8 · Beta(4, 2)" in words(page)  # 3 of 4: ⌊3/0.8⌋ + 1 = 4
    page.get_by_role("button", name="a good lunch").click()
    assert "Beta(6, 1)" in words(page)  # 4 of 5 is 1−ε itself: still a Beta law
    page.get_by_role("button", name="a good lunch").click()
    assert "above the ceiling 0.8" in words(page)
    handle = page.get_by_role("slider", name="ceiling")
    handle.press("PageUp")
    assert "draws 0.9 · Beta" in words(page)
    box = page.locator("svg").bounding_box()
    grip = handle.bounding_box()
    page.mouse.move(grip["x"] + grip["width"] / 2, box["y"] + 80)
    page.mouse.down()
    page.mouse.move(box["x"] + 0.6 * box["width"], box["y"] + 80, steps=3)
    page.mouse.up()
    assert re.search(r"ceiling 0\.(59|6|61)\b", words(page))
    tasks = page.locator("[data-task]")
    assert [task.get_attribute("class") for task in tasks.all()] == ["done", "done"]
    page.get_by_role("button", name="start again").click()
    assert words(page).startswith("0 good of 0")


def test_a_run_to_the_end_of_time(visit):
    page = visit(body("long-run"), reduced_motion="reduce")
    page.get_by_role("button", name="Leap to").click()
    said = words(page)
    assert re.search(r"10¹² rounds each, computed in \d+ ms", said)
    assert number(r"TS played the bad arm ([\d,]+) times", said) > 30
    page.get_by_role("combobox").select_option("0.9,0.6")
    last = re.search(
        r"ε-TS played the bad arm \d+ times(?:, the last time in round (\d+))?", words(page)
    )
    assert last
    page.get_by_role("button", name="Another run").click()
    assert words(page) != said


def test_a_run_in_motion_comes_to_its_end(visit):
    page = visit(body("long-run"))
    page.evaluate("longTasks.length = 0")
    page.get_by_role("button", name="Leap to").click()
    page.wait_for_function("document.querySelector('.words').textContent.includes('computed')")
    assert max(page.evaluate("longTasks"), default=0) <= 50 * slack()


def test_a_run_that_stops_for_good_is_recognised(visit):
    page = visit(body("long-run"), reduced_motion="reduce")
    page.get_by_role("combobox").select_option("0.9,0.6")
    for _ in range(30):
        if page.locator(".done").count():
            break
        page.get_by_role("button", name="Another run").click()
    said = words(page)
    last = re.search(r"ε-TS played .*last time in round (\d+)\.", said)
    assert page.locator(".done").count() == 1 and (last is None or int(last[1]) < 100), said


def test_predictions_are_judged(visit):
    page = visit(body("predict"))
    page.evaluate("longTasks.length = 0")
    cards = page.locator(".card-of-bandit")
    for k, guess in enumerate(["less", "half", "less", "more"]):
        cards.nth(k).locator(f"[data-guess={guess}]").click()
    page.wait_for_function("document.querySelectorAll('.outcome .share').length === 8")
    assert words(page).startswith("3 of 4 predicted")
    assert (
        cards.nth(3).locator(".no").is_visible() and cards.nth(1).locator(".yes").is_visible()
    )


def test_cover_fills_and_is_replayed(visit):
    page = visit(body("cover"), reduced_motion="reduce")
    said = page.locator(".said")
    page.wait_for_function("document.querySelector('.said').textContent.startsWith('TS:')")
    first = said.inner_text()
    page.get_by_role("button", name="Replay").click()
    assert said.inner_text() != first
    page.get_by_role("slider").press("End")
    assert "no restaurant on this street is a bad one" in said.inner_text()


def test_cover_in_motion(visit):
    page = visit(body("cover"))
    count = "document.querySelector('canvas').getAttribute('aria-label')"
    page.wait_for_function(f"/: [1-9]\\d* lunches/.test({count})")
    assert "1000 lunches" not in page.evaluate(count)
    page.wait_for_function(f"{count}.includes('1000 lunches')")


# ---- all of them -----------------------------------------------------------------------


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_all_fit_a_phone(visit, theme):
    page = visit(body(*ALL), theme=theme, viewport=PHONE)
    assert page.locator(".lenient-play.alive").count() == len(ALL)
    assert page.evaluate("document.documentElement.scrollWidth") <= 360
    for button in page.locator("button:visible").all():
        assert button.bounding_box()["height"] >= 44


def test_without_javascript_each_shows_its_still(visit):
    page = visit(body(*ALL), java_script_enabled=False)
    assert all(still.is_visible() for still in page.get_by_text("still", exact=True).all())
    page = visit(body(*ALL))
    assert not any(still.is_visible() for still in page.get_by_text("still", exact=True).all())
    page.emulate_media(media="print")  # nobody has played yet
    assert all(still.is_visible() for still in page.get_by_text("still", exact=True).all())
    page.emulate_media(media="screen")
    page.locator(".door").first.click()
    page.emulate_media(media="print")
    assert page.locator("input:visible").count() == 0
    assert page.locator(".door").first.is_visible()
