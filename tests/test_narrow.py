"""Figures for a phone, and what a page makes of them."""

import matplotlib.pyplot as plt
import pytest
from support.book import hook

from lenient_book import figures, narrow

PAPER = narrow.WIDTH * 96  # pixels


@pytest.fixture
def pair():
    figures.use()
    fig, axes = plt.subplots(1, 2, figsize=(7, 3.6), sharey=True)
    axes[0].set(ylabel="regret", title="a title that is too long for a phone, by far")
    for ax in axes:
        ax.plot([1, 2], label="a curve")
        ax.set(xlabel="round")
    fig.legend(loc="outside upper left", ncols=2)
    yield fig
    plt.close(fig)


def test_panels_beside_each_other_come_to_stand_below_each_other(pair):
    narrow.narrow(pair)
    pair.draw_without_rendering()
    first, second = (ax.get_position() for ax in pair.axes)
    assert first.y0 > second.y1 and first.x0 == pytest.approx(second.x0, abs=0.02)
    assert pair.axes[1].get_ylabel() == "regret"  # no panel to its left has it now
    assert "\n" in pair.axes[0].get_title()


def test_text_stays_as_large_as_a_phone_needs_it(pair):
    narrow.narrow(pair)
    pair.draw_without_rendering()
    shown = 330 / PAPER  # a phone of 360 pixels, without the margins
    for ax in pair.axes:
        for label in [*ax.get_xticklabels(), *ax.get_yticklabels(), ax.xaxis.label]:
            assert label.get_fontsize() * 96 / 72 * shown >= 11


def test_nothing_is_wider_than_the_figure(pair):
    narrow.narrow(pair)
    pair.draw_without_rendering()
    box = pair.get_tightbbox()
    assert box.width <= narrow.WIDTH * 1.03


def test_the_same_figure_gives_the_same_file(pair):
    assert narrow.svg(pair) == narrow.svg(pair)


def test_formulas_are_not_broken():
    text = narrow._wrapped("a long title with $a + b + c + d$ at its end", 24)
    assert "$a + b + c + d$" in text and "\n" in text


def test_a_page_parts_the_two_versions(pair, tmp_path):
    two = hook("two_widths")
    file = tmp_path / "x.svg"
    file.write_text(narrow.page_svg(pair), "utf-8")
    other = two.narrow_file(file)
    assert narrow.PARTING not in file.read_text("utf-8")
    assert two.narrow_file(file) == other  # also of a page that is written again
    wide, small = two.size(file), two.size(other)
    assert wide[0] > wide[1] and small[0] < small[1]
    assert small[0] == pytest.approx(PAPER, abs=12)


def test_a_picture_with_a_width_keeps_it(tmp_path):
    two = hook("two_widths")
    assert two.with_size('<img src="a.png" width="90%" />', tmp_path) == (
        '<img src="a.png" width="90%" />'
    )
