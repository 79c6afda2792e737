"""The explorer: its two outputs, its errors, its page in a browser, its kernel."""

import base64
import io
import json
import os
import re
import runpy
import shutil
import subprocess
import sys
from itertools import product
from urllib.request import urlopen

import matplotlib.pyplot as plt
import nbformat
import numpy as np
import pytest
from matplotlib.figure import Figure
from nbclient import NotebookClient
from PIL import Image
from playwright.sync_api import sync_playwright
from support.paths import ROOT

from lenient_book import explore as module
from lenient_book import figures
from lenient_book.explore import WIDGET_VIEW, explore

EPS = [0.0, 0.1, 0.2, 0.3]
ALT = "A sheet for ε = {eps}"
CHROMIUM = shutil.which("chromium")
FLAGS = """--headless --no-sandbox --disable-gpu --disable-quic --no-first-run
--disable-background-networking --disable-component-update --disable-sync""".split()


def draw(eps=0, policy="TS"):
    """A sheet of one colour, which tells the values it was drawn for."""
    return plt.figure(figsize=(7, 1), facecolor=color(eps, policy))


def color(eps, policy="TS"):
    return 2 * eps, 0.2, 1.0 if policy == "TS" else 0.0


def rgb(*values):
    return tuple(round(255 * part) for part in color(*values))


@pytest.fixture
def static(monkeypatch):
    monkeypatch.setenv("LENIENT_STATIC", "1")


@pytest.fixture
def live(monkeypatch):
    monkeypatch.delenv("LENIENT_STATIC", raising=False)


def page_of(*args, **kwargs):
    return explore(*args, **kwargs)._repr_mimebundle_()["text/html"]


def image_of(png):
    return Image.open(io.BytesIO(png)).convert("RGB")


def asset(suffix):
    """What every page of the book loads for its explorers."""
    return (ROOT / "_static" / f"explore.{suffix}").read_text("utf-8")


def data_of(html):
    [data] = re.findall('<script type="application/json"[^>]*>(.*)</script>', html)
    return json.loads(data)


# What is shown


def test_static_output_is_html_and_fixed_text(static):
    bundle = explore(draw, eps=EPS, start={"eps": 0.2}, alt=ALT)._repr_mimebundle_()
    assert set(bundle) == {"text/plain", "text/html"}
    assert bundle["text/plain"] == "explore: eps = 0.2 of 0.0 … 0.3 (4 values)"


def test_live_output_is_widget_start_image_and_fixed_text(live):
    bundle = explore(draw, eps=EPS, start={"eps": 0.2}, alt=ALT)._repr_mimebundle_()
    assert set(bundle) == {"text/plain", "image/png", WIDGET_VIEW}
    assert bundle["text/plain"] == "explore: eps = 0.2 of 0.0 … 0.3 (4 values)"
    pixel = image_of(base64.b64decode(bundle["image/png"])).getpixel((9, 9))
    assert pixel == rgb(0.2)


def test_without_ipywidgets_it_says_what_is_missing(live, monkeypatch):
    """And shows no static page, whose controls would be dead outside the book."""
    monkeypatch.setitem(sys.modules, "ipywidgets", None)
    with pytest.raises(ImportError, match=r"ipywidgets: pip install 'lenient\[widgets\]'"):
        explore(draw, eps=EPS, alt=ALT)


def test_page_is_the_same_every_time_and_has_no_ids(static):
    pages = [page_of(draw, eps=EPS, policy=["a", "b"], alt=ALT) for _ in range(2)]
    assert pages[0] == pages[1]
    assert not re.search(r"\sid\s*=", pages[0])  # they would clash with a copy's


def test_page_asks_for_nothing_from_elsewhere(static):
    page = page_of(draw, eps=EPS, alt=ALT)
    assert not re.search(r"https?:|//[a-z]|@import|<link|url\(", page)


@pytest.mark.parametrize("policies", [["TS"], ["TS", "ε-TS"]])
def test_frames_are_drawn_once_with_the_values_shown(static, policies):
    seen = []

    def spy(eps, policy):
        seen.append((eps, policy))
        return draw(eps, policy)

    # arange makes 0.30000000000000004; the reader sees 0.3, so 0.3 is drawn
    explore(spy, eps=np.arange(0, 0.4, 0.1), policy=policies, alt=ALT)
    assert sorted(seen) == sorted(product([0, 0.1, 0.2, 0.3], policies))
    assert all(type(eps) is float for eps, _ in seen)


def test_live_frames_are_drawn_when_asked_and_kept(live):
    seen = []
    explorer = explore(lambda eps: seen.append(eps) or draw(eps), eps=EPS, alt=ALT)
    assert seen == [0.0]
    pictures = [explorer.picture.value]
    for eps in (0.2, 0.0, 0.2):
        explorer.widgets["eps"].value = eps
        pictures.append(explorer.picture.value)
    assert seen == [0.0, 0.2]
    assert pictures[0] == pictures[2] != pictures[1] == pictures[3]
    assert 'alt="A sheet for ε = 0.2"' in pictures[1]


def test_numbers_make_a_slider_and_words_a_menu(live, static, monkeypatch):
    controls = {"arms": range(2, 5), "gap": ["hinge", "cutoff"], "log": [True, False]}

    def sheet(arms, gap, log):
        return draw()

    page = page_of(sheet, **controls, alt="A sheet", labels={"arms": "number of arms"})
    assert page.count('type="range"') == 1 and page.count("<select") == 2
    assert "<label>number of arms <input" in page and "<label>gap <select" in page
    monkeypatch.delenv("LENIENT_STATIC")
    explorer = explore(sheet, **controls, alt="A sheet")
    kinds = [type(widget).__name__ for widget in explorer.widgets.values()]
    assert kinds == ["SelectionSlider", "Dropdown", "Dropdown"]


def test_equal_frames_are_stored_once(static):
    page = page_of(lambda eps: draw(), eps=EPS, alt=ALT)
    assert page.count("data:image/png") == 1
    assert data_of(page)["use"] == [0, 0, 0, 0]
    assert page_of(draw, eps=EPS, alt=ALT).count("data:image/png") == len(EPS)


def test_alt_may_be_a_function(static):
    def say(eps):
        return "nothing" if eps == 0 else "more"

    page = page_of(draw, eps=EPS, alt=say)
    assert data_of(page)["alts"] == ["nothing", "more", "more", "more"]
    assert 'alt="nothing"' in page


# What a frame weighs, and what it leaves behind


def busy(eps):
    """As much as a figure of the book shows."""
    figure, ax = plt.subplots()
    t = np.geomspace(1, 1e4, 200)
    for k, name in enumerate(["TS", "ε-TS", "KL-UCB"]):
        regret = (k + 1 - eps) * np.log(t) * np.linspace(0.8, 1.2, 9)[:, None]
        runs = type("Runs", (), {"times": t, "regret": lambda self, gap, r=regret: r})
        figures.regret_curve(ax, runs(), None, name, band=(0.1, 0.9))
    figures.bound_line(ax, t, 1.5, "lower bound")
    figures.bound_line(ax, t, 4, "upper bound")
    figures.regret_axes(ax)
    ax.set_title(f"Mean regret over 9 runs, ε = {eps}")
    return figure


def test_a_frame_of_the_book_is_light_and_true(static):
    with plt.rc_context(figures.STYLE):
        page = page_of(busy, eps=[0.1], alt=ALT)
        figure = busy(0.1)
    png = base64.b64decode(re.search('base64,([^"]+)', page)[1])
    assert len(png) < 25_000
    image = image_of(png)
    assert len(image.getcolors()) <= 64
    figure.savefig(full := io.BytesIO(), dpi=150)
    plt.close(figure)
    error = np.abs(np.subtract(image, image_of(full.getvalue()), dtype=int))
    assert error.max() <= 40 and error.mean() < 0.5  # of 255


def test_a_transparent_figure_is_put_on_white_paper(static):
    page = page_of(lambda eps: Figure(facecolor="none"), eps=[0], alt=ALT)
    png = base64.b64decode(re.search('base64,([^"]+)', page)[1])
    assert image_of(png).getpixel((0, 0)) == (255, 255, 255)


def test_script_is_small():
    assert len(asset("js").encode()) < 2000


@pytest.mark.parametrize("fails", [False, True])
def test_figures_are_closed_and_those_of_others_kept(static, fails):
    mine = plt.figure()

    def untidy(eps):
        plt.figure()  # forgotten
        figure = plt.figure()
        return 1 / 0 if fails else figure

    try:
        explore(untidy, eps=EPS, alt=ALT)
    except ZeroDivisionError:
        assert fails
    assert plt.get_fignums() == [mine.number]
    plt.close(mine)


# Errors


@pytest.mark.parametrize(
    "arguments, message",
    [
        ({"eps": EPS}, "alt must be a text such as 'Regret at ε = {eps}' or .* None"),
        ({"eps": EPS, "alt": "at {mu}"}, "alt must name controls (eps), got 'at {mu}'"),
        ({"eps": EPS, "alt": "at {}"}, "alt must name controls (eps), got 'at {}'"),
        ({"eps": EPS, "alt": " "}, "alt must say what is to be seen, got ' ' for .*"),
        ({"eps": EPS, "alt": lambda eps: None}, "alt must say .*, got None for .*"),
        ({"alt": ALT}, "explore needs at least one control, such as eps=[0.0, 0.1]"),
        ({"alt": ALT, "eps": []}, "eps must list at least one value, got none"),
        ({"alt": ALT, "eps": 0.1}, "eps must be a list of values, got 0.1"),
        ({"alt": ALT, "eps": "TS"}, "eps must be a list of values, got 'TS'"),
        ({"alt": ALT, "eps": [1, 1]}, "eps must list different values, got [1, 1]"),
        (
            {"alt": ALT, "eps": [0.1, 0.2], "start": {"eps": 0.3}},
            "start: eps must be one of [0.1, 0.2], got 0.3",
        ),
        (
            {"alt": ALT, "eps": EPS, "start": {"mu": 1}},
            "start must name controls (eps), got mu",
        ),
        (
            {"alt": ALT, "eps": EPS, "labels": {"mu": "μ"}},
            "labels must name controls (eps), got mu",
        ),
    ],
)
@pytest.mark.parametrize("mode", ["live", "static"])
def test_bad_arguments(request, mode, arguments, message):
    request.getfixturevalue(mode)
    pattern = re.escape(message).replace(r"\.\*", ".*")
    with pytest.raises(ValueError, match=f"^{pattern}$"):
        explore(draw, **arguments)


def test_draw_must_return_a_figure(static):
    with pytest.raises(ValueError, match="draw must return a matplotlib figure, got 3"):
        explore(lambda eps: 3, eps=EPS, alt=ALT)


def test_too_many_frames_for_a_page_but_not_for_a_kernel(monkeypatch, live):
    many = {"eps": np.linspace(0, 1, 67), "policy": ["a", "b", "c"], "alt": ALT}
    explore(draw, **many)
    monkeypatch.setenv("LENIENT_STATIC", "1")
    message = "at most 200 frames for a static page, got 67 · 3 = 201"
    with pytest.raises(ValueError, match=message):
        explore(draw, **many)


def test_too_heavy_a_frame(static):
    def noise(eps):
        figure, ax = plt.subplots(figsize=(3, 3))
        ax.imshow(np.random.default_rng(0).random((300, 300)))
        return figure

    message = r"at most 40000 bytes for a static page, got \d+ at eps = 0.1: draw less"
    with pytest.raises(ValueError, match=message):
        explore(noise, eps=[0.1], alt=ALT)


def test_too_heavy_a_page(static, monkeypatch):
    explorer = explore(draw, eps=[0.0, 0.1], alt=ALT)
    two = sum(len(frame.png) for frame in explorer._frames.values())
    monkeypatch.setattr(module, "MAX_BYTES", two)
    explore(draw, eps=[0.0, 0.1], alt=ALT)
    message = rf"at most {two} bytes .* up to eps = 0.2: list fewer values"
    with pytest.raises(ValueError, match=message):
        explore(draw, eps=EPS, alt=ALT)


def test_without_matplotlib_the_error_names_the_extra(monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(ImportError, match=r"pip install 'lenient\[widgets\]'"):
        runpy.run_path(module.__file__)


# In a browser


@pytest.fixture(scope="module")
def browser():
    if CHROMIUM is None:
        pytest.skip("needs the program chromium")
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        yield chromium
        chromium.close()


@pytest.fixture
def visit(browser, tmp_path):
    """Open HTML from a file; at the end there must be no error and no other request."""
    faults = []

    def visit(*explorers, **options):
        path = tmp_path / "page.html"
        body = "\n<p>Between.</p>\n".join(explorers)
        head = f"<style>{asset('css')}</style><script>{asset('js')}</script>"
        path.write_text(f"<!doctype html><meta charset=utf-8>{head}<body>{body}", "utf-8")
        context = browser.new_context(**options)
        page = context.new_page()
        page.on("pageerror", lambda error: faults.append(str(error)))
        page.on("console", lambda message: faults.append(message.text))
        page.on("request", lambda request: check(request.url))
        page.goto(path.as_uri())
        return page

    def check(url):
        if not url.startswith(("data:", tmp_path.as_uri())):
            faults.append(url)

    yield visit
    for context in browser.contexts:
        context.close()
    assert faults == []


def color_of(image):
    """The colour of the sheet that an image element shows."""
    with urlopen(image.get_attribute("src")) as png:
        return image_of(png.read()).getpixel((9, 9))


def test_keys_move_the_slider_and_the_picture(static, visit):
    page = visit(page_of(draw, eps=EPS, start={"eps": 0.1}, alt=ALT))
    slider = page.get_by_role("slider", name="eps", exact=True)
    image, shown = page.locator("img"), page.locator("label span")
    spoken = page.locator("[aria-live=polite]")
    for key, eps in [(None, 0.1), ("ArrowRight", 0.2), ("End", 0.3), ("Home", 0.0)]:
        if key:
            slider.press(key)
            assert spoken.inner_text() == ALT.format(eps=eps)
        assert color_of(image) == rgb(eps)
        assert image.get_attribute("alt") == ALT.format(eps=eps)
        assert slider.get_attribute("aria-valuetext") == str(eps)
        assert shown.inner_text() == str(eps)


def test_every_combination_shows_its_own_frame(static, visit):
    policies = ["TS", "ε-TS"]
    alt = "{policy} at {eps}"
    page = visit(page_of(draw, policy=policies, eps=EPS, start={"eps": 0.3}, alt=alt))
    image = page.locator("img")
    assert color_of(image) == rgb(0.3, "TS")
    for policy, (k, eps) in product(policies, enumerate(EPS)):
        page.get_by_label("policy").select_option(policy)
        page.get_by_label("eps").fill(str(k))
        assert color_of(image) == rgb(eps, policy)
        assert image.get_attribute("alt") == f"{policy} at {eps}"


def test_explorers_on_one_page_are_independent(static, visit):
    html = page_of(draw, eps=EPS, alt=ALT)
    page = visit(html, html)
    page.get_by_role("slider").nth(1).press("End")
    first, second = page.locator("img").all()
    assert (color_of(first), color_of(second)) == (rgb(0.0), rgb(0.3))
    assert page.locator("label span").all_inner_texts() == ["0.0", "0.3"]


def test_texts_are_never_read_as_html(static, visit):
    nasty = """</script><b>"it's" & {more} <!--"""
    html = page_of(
        lambda mode: draw(0.5 if mode == nasty else 0),
        mode=["plain", nasty],
        start={"mode": nasty},
        alt=lambda mode: f"alt {mode}",
        labels={"mode": "<i>mode"},
    )
    page = visit(html)
    for mode, eps in [(None, 0.5), ("plain", 0), (nasty, 0.5)]:
        if mode:
            page.get_by_label("<i>mode").select_option(mode)
        assert page.locator("img").get_attribute("alt") == f"alt {mode or nasty}"
        assert color_of(page.locator("img")) == rgb(eps)
    assert page.locator("b, i").count() == 0


def test_without_javascript_the_start_frame_and_its_values_show(static, visit):
    html = page_of(draw, eps=EPS, policy=["TS"], start={"eps": 0.2}, alt=ALT)
    page = visit(html, java_script_enabled=False)
    assert page.locator("img").is_visible()
    assert color_of(page.locator("img")) == rgb(0.2)
    assert page.locator("img").get_attribute("alt") == ALT.format(eps=0.2)
    assert page.locator("figcaption").inner_text() == "eps = 0.2, policy = TS"
    assert page.locator("figcaption").is_visible()
    for control in page.locator("label, input, select").all():
        assert not control.is_visible()


def test_print_shows_the_frame_in_sight_and_its_values(static, visit):
    page = visit(page_of(draw, eps=EPS, alt=ALT, labels={"eps": "ε"}))
    slider, caption = page.get_by_role("slider"), page.locator("figcaption")
    slider.press("ArrowRight")
    assert slider.is_visible() and not caption.is_visible()
    page.emulate_media(media="print")
    assert not slider.is_visible() and page.locator("img").is_visible()
    assert caption.is_visible() and caption.inner_text() == "ε = 0.1"


def test_phone(static, visit):
    html = page_of(draw, eps=EPS, policy=["TS", "ε-TS"], alt=ALT, labels={"eps": "how lenient"})
    page = visit(html, viewport={"width": 360, "height": 640})
    assert page.evaluate("document.documentElement.scrollWidth") == 360
    box = page.locator("img").bounding_box()
    assert box["width"] <= 360
    assert box["width"] / box["height"] == pytest.approx(7, rel=0.01)
    for control in page.locator("input, select").all():
        assert control.bounding_box()["height"] >= 40
    assert page.locator("input").bounding_box()["width"] >= 100


def test_coming_back_never_parts_the_controls_from_the_picture(static, visit):
    page = visit(page_of(draw, eps=EPS, policy=["TS", "ε-TS"], alt=ALT))
    page.get_by_role("slider").press("End")
    page.get_by_role("combobox").select_option("ε-TS")
    page.goto("about:blank")
    page.go_back()
    eps = EPS[int(page.get_by_role("slider").input_value())]
    policy = ["TS", "ε-TS"][int(page.get_by_role("combobox").input_value())]
    assert color_of(page.locator("img")) == rgb(eps, policy)


def test_play_button_goes_through_all_values_once(static, visit):
    page = visit(page_of(draw, eps=EPS, alt=ALT))
    button, said = page.get_by_role("button"), page.locator(".said")
    assert said.is_visible() and said.inner_text() == ALT.format(eps=0.0)
    button.click()
    assert button.get_attribute("aria-pressed") == "true"
    page.wait_for_function("document.querySelector('input').value === '3'")
    assert button.get_attribute("aria-pressed") == "false"
    assert said.inner_text() == ALT.format(eps=0.3) and color_of(page.locator("img")) == rgb(
        0.3
    )
    button.click()  # from the start again, until it is stopped
    page.wait_for_function("document.querySelector('input').value === '1'")
    button.click()
    page.wait_for_timeout(1200)
    assert page.get_by_role("slider").input_value() == "1"


def test_a_living_picture_has_one_frame_as_its_still(static):
    seen = []
    page = page_of(
        lambda eps: seen.append(eps) or draw(eps),
        eps=EPS,
        start={"eps": 0.2},
        alt=ALT,
        live="gap-functions",
        given={"text": "<b>"},
    )
    assert seen == [0.2]
    assert 'data-view="gap-functions"' in page and ALT.format(eps=0.2) in page
    assert "<b>" not in page and page.count("<img") == 1


def test_a_living_picture_stays_with_python_in_a_kernel(live):
    explorer = explore(draw, eps=EPS, alt=ALT, live="gap-functions")
    assert set(explorer._repr_mimebundle_()) == {"text/plain", "image/png", WIDGET_VIEW}


# In a kernel

CELLS = [
    """
import matplotlib.pyplot as plt
from lenient_book.explore import explore

def draw(eps):
    if eps == 0.3:
        raise RuntimeError("no picture at 0.3")
    fig, ax = plt.subplots(figsize=(3, 2))
    ax.axhline(eps)
    return fig
""",
    "e = explore(draw, eps=[0.0, 0.1, 0.3], start=dict(eps=0.1), alt='At {eps}')\ne",
    """
before = e.picture.value
e.widgets["eps"].value = 0.0
print(e.picture.value != before, 'alt="At 0.0"' in e.picture.value, e.caption.value)
print(plt.get_fignums())
""",
    'e.widgets["eps"].value = 0.3',
]


@pytest.fixture(scope="module")
def notebook():
    """A small chapter, run in a live kernel."""
    made = nbformat.v4.new_notebook()
    made.cells = [nbformat.v4.new_code_cell(source.strip()) for source in CELLS]
    made.metadata.kernelspec = {"name": "python3", "display_name": "Python 3"}
    with pytest.MonkeyPatch.context() as patch:
        patch.delenv("LENIENT_STATIC", raising=False)
        patch.setenv("PYTHONPATH", str(ROOT))
        NotebookClient(made, timeout=60).execute()
    return made


def test_kernel_shows_the_widget_and_nothing_twice(notebook):
    [output] = notebook.cells[1].outputs
    assert output.data["text/plain"] == "explore: eps = 0.1 of 0.0 … 0.3 (3 values)"
    assert set(output.data) == {"text/plain", "image/png", WIDGET_VIEW}
    widgets = notebook.metadata.widgets["application/vnd.jupyter.widget-state+json"]
    view = widgets["state"][output.data[WIDGET_VIEW]["model_id"]]
    assert view["model_name"] == "VBoxModel"
    names = [model["model_name"] for model in widgets["state"].values()]
    assert names.count("PlayModel") == names.count("LinkModel") == 1


def test_kernel_redraws_and_shows_an_error_of_draw(notebook):
    printed = "".join(output.text for output in notebook.cells[2].outputs)
    assert printed == "True True At 0.0\n[]\n"
    assert not notebook.cells[3].outputs
    widgets = notebook.metadata.widgets["application/vnd.jupyter.widget-state+json"]
    [messages] = [
        model["state"]["outputs"]
        for model in widgets["state"].values()
        if model["model_name"] == "OutputModel"
    ]
    assert [message["evalue"] for message in messages] == ["no picture at 0.3"]


def test_stored_notebook_passes_strict_nbval(notebook, tmp_path):
    path = tmp_path / "chapter.ipynb"
    chapter = nbformat.from_dict({**notebook, "cells": notebook.cells[:3]})
    nbformat.write(chapter, path)
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    environment.pop("LENIENT_STATIC", None)
    run = subprocess.run(
        [sys.executable, "-m", "pytest", "--nbval", "-q", "-c", os.devnull, str(path)],
        capture_output=True,
        text=True,
        cwd=tmp_path,
        env=environment,
    )
    assert run.returncode == 0 and "3 passed" in run.stdout, run.stdout
