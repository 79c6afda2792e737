"""The playground as a reader has it: by mouse, finger and keyboard, dark, small, on paper.

The pages here are made of the joined script alone, so that they take a moment; the book's
own pages are opened by test_browser.py.
"""

import json
import os
import re
import subprocess
import sys

import nbformat
import pytest
from nbclient import NotebookClient
from support.living import PHONE, slack, swipe, visits
from support.paths import ROOT

from lenient_book.living import html
from lenient_book.playground import START, WIDGET_VIEW, bundle, figure, playground


@pytest.fixture
def visit(browser, tmp_path):
    yield from visits(browser, tmp_path)


def typed(page):
    return page.locator(".typed").input_value()


def wait_for_runs(page):
    page.wait_for_function(
        "document.querySelector('.many .words').textContent.startsWith('Mean')"
    )
    return page.locator(".many .words").inner_text()


# ---- the joined script -----------------------------------------------------------------


def test_every_file_is_joined_and_no_module_line_is_left():
    for folder, names in (("model", bundle.MODEL), ("views", bundle.VIEWS)):
        files = {path.stem for path in (bundle.FOLDER / folder).glob("*.js")}
        assert files == {*names.split()}, folder
    assert not re.search(r"^\s*(import|export) ", bundle.script(), re.MULTILINE)
    assert bundle.module().count("export default") == 1


def test_settings_at_the_start_are_the_same_on_both_sides():
    text = (bundle.FOLDER / "model" / "setting.js").read_text("utf-8")
    start = re.search(r"START = (\{.*?\});", text, re.DOTALL)[1]
    start = re.sub(r"(\w+):", r'"\1":', start)
    assert json.loads(re.sub(r",(\s*[}\]])", r"\1", start)) == START


# ---- one run ---------------------------------------------------------------------------


def test_played_to_the_end(visit):
    page = visit()
    page.get_by_role("slider", name="speed").press("End")
    page.get_by_role("button", name="Play", exact=False).first.click()
    page.wait_for_function("document.querySelector('.says').textContent.includes('20,000')")
    words = page.locator(".says").inner_text()
    assert re.search(r"TS had [\d,]+ bad ones .* ε-TS had [\d,]+ bad ones", words)
    counts = page.locator(".counts").all_inner_texts()
    for line in counts:
        assert (
            sum(int(n.replace(",", "")) for n in re.findall(r"[A-H] ([\d,]+)", line)) == 20_000
        )
    assert page.get_by_role("button", name="▶ Play").is_visible()


def test_step_again_and_new_luck(visit):
    page = visit()
    step = page.get_by_role("button", name="One lunch")
    for _ in range(3):
        step.click()
    assert page.locator(".says").inner_text().startswith("After 3 lunches")
    first = page.locator(".last").first.inner_text()
    page.get_by_role("button", name="Again").click()
    assert "Nothing eaten" in page.locator(".last").first.inner_text()
    for _ in range(3):
        step.click()
    assert page.locator(".last").first.inner_text() == first  # the same luck again
    page.get_by_role("button", name="New luck").click()
    for _ in range(3):
        step.click()
    assert page.locator(".last").first.inner_text() != first


def test_bars_by_mouse_keyboard_and_text(visit):
    page = visit()
    bar = page.locator(".street .bar").nth(1)
    box = bar.bounding_box()
    x = box["x"] + box["width"] / 2
    page.mouse.move(x, box["y"] + 60)
    page.mouse.down()
    page.mouse.move(x, box["y"] + 120)
    page.mouse.up()
    means = [float(m) for m in typed(page).split(",")]
    assert means[1] < 0.5 and means[0] == 0.9
    bar.press("ArrowUp")
    bar.press("PageUp")
    assert float(typed(page).split(",")[1]) == pytest.approx(means[1] + 0.11)
    page.locator(".typed").fill("0.5, 0.25")
    page.locator(".typed").press("Enter")
    assert page.locator(".street .bar").count() == 2
    page.get_by_role("button", name="one arm more").click()
    assert page.locator(".street .bar").count() == 3
    assert typed(page) == "0.5, 0.25, 0.5"


def test_bars_by_finger(visit):
    page = visit(has_touch=True, viewport=PHONE)
    box = page.locator(".street .bar").first.bounding_box()
    page.touchscreen.tap(box["x"] + box["width"] / 2, box["y"] + 110)
    assert float(typed(page).split(",")[0]) < 0.6


def test_a_bar_follows_the_finger_and_the_page_can_be_scrolled(visit):
    top = "<p style='height:300px'></p>"
    page = visit(top + html("playground", {}), has_touch=True, viewport=PHONE)
    page.evaluate("document.body.style.minHeight = '2500px'")
    box = page.locator(".street .bar").nth(3).bounding_box()
    knob = page.locator(".street .bar .knob").nth(3).bounding_box()
    x = box["x"] + box["width"] / 2
    swipe(page, (x, knob["y"] + 3), (x, knob["y"] - 37))  # from the top of the bar
    after = [float(m) for m in typed(page).split(",")]
    assert after[:3] == [0.9, 0.75, 0.6] and after[3] > 0.6
    assert page.evaluate("scrollY") == 0
    box = page.locator(".street .bar").first.bounding_box()
    x, y = box["x"] + box["width"] / 2, box["y"] + 120  # in the middle of one: a scroll
    swipe(page, (x, y), (x, y - 150))
    assert [float(m) for m in typed(page).split(",")] == after
    assert page.evaluate("scrollY") > 50
    band = page.locator(".street .band .hold").bounding_box()
    x, y = band["x"] + band["width"] / 2, band["y"] + band["height"] / 2
    swipe(page, (x, y), (x, y + 30))
    assert float(page.get_by_role("slider", name="ε", exact=True).input_value()) > 0.3


def test_eps_by_line_and_slider(visit):
    page = visit()
    line = page.locator(".street .band")
    words = page.locator(".street .word")
    assert words.all_text_contents() == ["best", "good enough", "bad", "bad"]
    line.press("PageUp")
    assert words.all_text_contents() == ["best", "good enough", "good enough", "bad"]
    page.get_by_role("slider", name="ε", exact=True).press("Home")
    assert words.all_text_contents() == ["best", "bad", "bad", "bad"]
    assert "ε = 0:" in page.locator(".says").inner_text()


def test_bad_input_is_said_and_changes_nothing(visit):
    page = visit()
    for text, words in [
        ("0.5, 1.2", "means must be 2 to 8 numbers from 0 to 1"),
        ("0.5", "means must be"),
        ("half, 0.2", "means must be"),
        (", ".join(["0.1"] * 9), "means must be"),
    ]:
        page.locator(".typed").fill(text)
        page.locator(".typed").press("Enter")
        assert words in page.locator(".says").inner_text()
        assert page.locator(".street .bar").count() == 4


def test_policies_side_by_side(visit):
    page = visit()
    assert page.locator(".panel h4").all_inner_texts() == ["TS", "ε-TS"]
    for name in ("KL-UCB", "IMED"):
        page.locator(f".chip[data-policy='{name}']").click()
    assert page.locator(".panel").count() == 4
    assert page.locator(".chip[data-policy='UCB1']").is_disabled()  # four at most
    for _ in range(5):
        page.get_by_role("button", name="One lunch").click()
    assert "drew" in page.locator(".last").first.inner_text()
    assert "scores" in page.locator(".last").last.inner_text()


# ---- many runs -------------------------------------------------------------------------


def test_many_runs_end_without_a_frozen_frame(visit):
    page = visit()
    page.evaluate("longTasks.length = 0")
    page.get_by_role("button", name="Play them").click()
    words = wait_for_runs(page)
    assert re.search(r"1,000 runs in .* TS [\d.]+ ± .* ε-TS [\d.]+ ±", words)
    assert page.locator(".many svg.chart").count() == 3
    assert all(s.count("path") for s in [page.locator(".many .plot").first.inner_html()])
    assert page.locator(".share-row").count() == 4
    assert max(page.evaluate("longTasks"), default=0) <= 50 * slack()


def test_many_runs_are_cancelled(visit):
    page = visit(hash="#means=0.5,0.49,0.48,0.47,0.46&runs=5000")
    page.get_by_role("button", name="Play them").click()
    page.wait_for_function("document.querySelector('.many progress').value > 0")
    page.get_by_role("button", name="Stop").click()
    assert "Stopped after" in page.locator(".many .words").inner_text()
    value = page.evaluate("document.querySelector('.many progress').value")
    page.wait_for_timeout(500)
    assert page.evaluate("document.querySelector('.many progress').value") == value < 1


def test_many_runs_without_workers(visit):
    page = visit(hash="#runs=100&horizon=1000")
    page.evaluate("window.Worker = undefined")
    page.get_by_role("button", name="Play them").click()
    assert "100 runs" in wait_for_runs(page)


def test_all_policies_play_a_thousand_million_lunches(visit):
    policies = "TS,KL-UCB,ε-KL-UCB,IMED"
    page = visit(hash=f"#means=0.9,0.6&policies={policies}&horizon=1000000000&runs=8")
    page.get_by_role("button", name="Play them").click()
    words = wait_for_runs(page)
    assert "10⁹ lunches, 8 runs" in words
    assert all(f"{name} " in words for name in ("TS", "KL-UCB", "ε-KL-UCB", "IMED"))


# ---- tasks -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    "task, hash, rounds",
    [
        (0, "#eps=0", 200),
        (1, "#means=0.9,0.6&eps=0.2&seed=18", 0),
        (2, "#means=0.9,0.85,0.6&eps=0.2", None),
        (3, "#means=0.95,0.74&eps=0.2&gap=indicator", None),
    ],
)
def test_tasks_are_recognised(visit, task, hash, rounds):
    page = visit(hash=hash)
    item = page.locator(f"[data-task='{task}']")
    assert "done" not in (item.get_attribute("class") or "")
    if rounds is None:
        page.get_by_role("button", name="Play them").click()
        wait_for_runs(page)
    else:
        page.get_by_role("slider", name="speed").press("End")
        page.get_by_role("button", name="▶ Play").click()
        page.wait_for_function("!document.querySelector('.play').textContent.includes('Pause')")
    assert "done" in item.get_attribute("class")


# ---- address ---------------------------------------------------------------------------


def test_an_address_restores_its_setting(visit):
    page = visit(hash="#means=0.9,0.85,0.6&eps=0.15&gap=standard&policies=KL-UCB&runs=100")
    assert typed(page) == "0.9, 0.85, 0.6"
    assert page.locator(".menu select").first.input_value() == "standard"
    assert page.locator(".panel h4").all_inner_texts() == ["KL-UCB"]
    page.locator(".street .band").press("ArrowUp")
    page.wait_for_function("location.hash.includes('eps=0.16')")
    again = visit(hash=page.evaluate("location.hash"))
    assert typed(again) == "0.9, 0.85, 0.6"
    again.evaluate("location.hash = '#means=0.5,0.2'")
    again.wait_for_function("document.querySelectorAll('.street .bar').length === 2")


def test_a_wrong_address_is_said_and_left_out(visit):
    page = visit(hash="#means=0.9,1.4&eps=0.3&gap=huber&runs=-1")
    words = page.locator(".says").inner_text()
    assert "means must be" in words and "gap must be" in words and "runs must be" in words
    assert typed(page) == "0.9, 0.75, 0.6, 0.4"
    assert page.get_by_role("slider", name="ε", exact=True).input_value() == "0.3"


# ---- looks -----------------------------------------------------------------------------


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_phone(visit, theme):
    page = visit(theme=theme, viewport=PHONE)
    page.get_by_role("button", name="Play them").click()
    wait_for_runs(page)
    assert page.evaluate("document.documentElement.scrollWidth") <= 360
    for button in page.locator("button").all():
        assert button.bounding_box()["height"] >= 44


def test_without_javascript_and_on_paper(visit):
    page = visit(java_script_enabled=False)
    assert page.get_by_text("still").is_visible()
    page = visit()
    still = page.get_by_text("still")
    assert not still.is_visible()
    page.emulate_media(media="print")
    assert still.is_visible() and not page.locator(".panel").first.is_visible()
    page.emulate_media(media="screen")
    page.get_by_role("button", name="One lunch").click()
    page.emulate_media(media="print")  # now there is something of the reader's own
    assert not still.is_visible() and not page.locator(".play").is_visible()
    assert page.locator(".panel").first.is_visible()


def test_reduced_motion_still_plays(visit):
    page = visit(reduced_motion="reduce")
    page.get_by_role("button", name="▶ Play").click()
    page.wait_for_function("document.querySelector('.counts').textContent.match(/[1-9]/)")
    page.get_by_role("button", name="Pause").click()
    assert page.locator(".says").inner_text().startswith("After")


# ---- in Python -------------------------------------------------------------------------


@pytest.mark.parametrize(
    "wrong, words",
    [
        (dict(eps=1.5), "eps"),
        (dict(eps=0.99), "at most 0.95"),
        (dict(means=[0.5]), "2 to 8"),
        (dict(means=[0.5, 1.1]), "means"),
        (dict(policies=["UCB7"]), "policies must be"),
        (dict(policies="TS"), "policies must be"),
        (dict(gap="huber"), "gap must be"),
        (dict(runs=0), "runs"),
        (dict(seed=-1), "seed"),
        (dict(epsilon=0.2), "no setting epsilon"),
    ],
)
def test_bad_settings_are_refused(wrong, words):
    with pytest.raises(ValueError, match=words):
        playground(**wrong)


def test_page_and_widget(monkeypatch):
    monkeypatch.setenv("LENIENT_STATIC", "1")
    page = playground(means=[0.5, 0.2])._repr_mimebundle_()
    assert {*page} == {"text/plain", "text/html"}
    assert 'data-view="playground"' in page["text/html"]
    assert "<script" not in page["text/html"]
    monkeypatch.delenv("LENIENT_STATIC")
    widget = playground(means=[0.5, 0.2])
    live = widget._repr_mimebundle_()
    assert {*live} == {"text/plain", WIDGET_VIEW}
    assert live["text/plain"] == page["text/plain"] == repr(widget)
    assert (widget.means, widget.eps) == ([0.5, 0.2], 0.2)
    assert (figure("playground").means, figure("playground").runs) == (START["means"], 1000)
    other = figure("kinf", eps=0.2, given={"values": [0, 1]})
    assert repr(other) == "kinf: eps = 0.2; given = {'values': [0, 1]}"
    # What is not given, the picture chooses for itself.
    assert (other.eps, other.means, other.more) == (0.2, None, {"given": {"values": [0, 1]}})


def test_result_is_a_simulation_of_the_package(monkeypatch):
    import lenient

    monkeypatch.delenv("LENIENT_STATIC", raising=False)
    p = playground(means=[0.5, 0.2], eps=0.1, horizon=300, runs=20, seed=3)
    with pytest.raises(ValueError, match="Play them"):
        _ = p.result
    p.ran = 1
    want = lenient.simulate([0.5, 0.2], lenient.EpsTS(0.1), 300, 20, 3)
    assert isinstance(p.result, lenient.Simulation)
    assert (p.result.pulls[:, -1] == want.pulls[:, -1]).all()
    assert [*p.results] == ["TS", "ε-TS"]
    p.eps = 0.2
    assert p.result.policy == lenient.EpsTS(0.2)


def test_esm_renders_and_follows_the_model(visit):
    """As anywidget does: the module is imported from a Blob, and given a model."""
    page = visit("<div id='el'></div>")
    source = bundle.module()
    page.evaluate(
        """async ([source, start]) => {
          const url = URL.createObjectURL(new Blob([source], { type: "text/javascript" }));
          const { default: widget } = await import(url);
          const values = { ...start, view: "playground", ran: 0 }, heard = {};
          window.model = {
            get: name => values[name],
            set(name, value) {
              values[name] = value;
              for (const hear of heard[`change:${name}`] ?? []) hear();
            },
            on: (event, f) => (heard[event] ??= []).push(f),
            off() {}, save_changes() {},
          };
          widget.render({ model, el: document.getElementById("el") });
        }""",
        [source, START],
    )
    page.evaluate("model.set('means', [0.5, 0.2])")
    page.wait_for_function("document.querySelectorAll('.street .bar').length === 2")
    page.locator(".street .bar").first.press("ArrowUp")
    assert page.evaluate("model.get('means')") == [0.51, 0.2]
    page.get_by_role("button", name="Play them").click()
    wait_for_runs(page)
    assert page.evaluate("model.get('ran')") == 1


def test_in_a_kernel_strict_nbval_passes(tmp_path):
    made = nbformat.v4.new_notebook()
    made.cells = [
        nbformat.v4.new_code_cell(
            "from lenient_book.playground import playground\n"
            "p = playground(means=[.9, .85, .6], eps=.2)\np"
        ),
        nbformat.v4.new_code_cell("p.means"),
    ]
    made.metadata.kernelspec = {"name": "python3", "display_name": "Python 3"}
    with pytest.MonkeyPatch.context() as patch:
        patch.delenv("LENIENT_STATIC", raising=False)
        patch.setenv("PYTHONPATH", str(ROOT))
        NotebookClient(made, timeout=60).execute()
    assert {*made.cells[0].outputs[0].data} == {"text/plain", WIDGET_VIEW}
    path = tmp_path / "play.ipynb"
    nbformat.write(made, path)
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    environment.pop("LENIENT_STATIC", None)
    run = subprocess.run(
        [sys.executable, "-m", "pytest", "--nbval", "-q", "-c", os.devnull, str(path)],
        capture_output=True,
        text=True,
        cwd=tmp_path,
        env=environment,
    )
    assert run.returncode == 0 and "2 passed" in run.stdout, run.stdout
