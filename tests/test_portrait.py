"""The portrait of a bandit and the form that asks for one."""

import re

import matplotlib.pyplot as plt
import numpy as np
import pytest

from lenient import (
    EpsTS,
    hinge,
    indicator,
    lower_bound,
    simulate,
    standard,
    standard_bound,
    upper_bound,
)
from lenient.baselines import ALL_POLICIES
from lenient.simulation import log_checkpoints
from lenient_book import portrait as module
from lenient_book.portrait import (
    MAX_RUNS,
    bounds_that_apply,
    in_words,
    portrait,
    simulations,
)

SMALL = dict(horizon=60, runs=20, seed=3)


def panels(means, **setting):
    return portrait(means, **{**SMALL, **setting}).axes


def labels(ax):
    return [text.get_text() for text in ax.get_legend().get_texts()]


# ---- which bounds are drawn ----------------------------------------------------------
LOW, CLEAR, TRIO = [0.5, 0.2], [0.9, 0.6], [0.9, 0.85, 0.6]


def test_all_three_bounds_of_a_lenient_criterion():
    gap = hinge(0.1)
    assert bounds_that_apply(LOW, 0.1) == {
        "lower bound": lower_bound(LOW, 0.1, gap),
        "upper bound": upper_bound(LOW, 0.1, gap),
        "standard bound": standard_bound(LOW, gap),
    }


def test_each_bound_comes_with_the_policies_it_is_about():
    assert {*bounds_that_apply(LOW, 0.1, ["TS"])} == {"lower bound", "standard bound"}
    assert {*bounds_that_apply(LOW, 0.1, ["ε-TS"])} == {"lower bound", "upper bound"}
    with_ucb = bounds_that_apply(LOW, 0.1, ["ε-TS", "KL-UCB"])
    assert {*with_ucb} == {"lower bound", "upper bound", "standard bound"}


def test_lenient_bounds_are_not_drawn_for_a_standard_regret_they_do_not_hold_for():
    # the arm 0.85 has a gap in (0, ε]: ε-TS has linear standard regret there
    assert {*bounds_that_apply(TRIO, 0.2, criterion="standard")} == {"standard bound"}
    # without such an arm the standard regret is that of the cut-off
    found = bounds_that_apply(LOW, 0.1, criterion="standard")
    assert found == pytest.approx(bounds_that_apply(LOW, 0.1, criterion="cutoff"))
    # a gap of exactly ε counts as forgiven
    assert {*bounds_that_apply([0.9, 0.7, 0.1], 0.2, criterion="standard")} == {
        "standard bound"
    }


def test_no_bound_where_nothing_costs_anything():
    assert bounds_that_apply([0.8, 0.5], 0.3) == {}
    assert bounds_that_apply([0.4], 0.1, criterion="standard") == {}


def test_without_leniency_there_is_the_standard_bound_alone():
    for policies in (["TS"], ["ε-TS"]):
        found = bounds_that_apply(LOW, 0.0, policies, "hinge")
        assert found == {"standard bound": standard_bound(LOW, standard())}


def test_a_zero_rate_is_named_but_not_drawn():
    top = panels(CLEAR, eps=0.2)[0]
    named = {line.get_label(): line for line in top.get_lines()}
    assert named["lower bound: 0 ln t"].get_xdata().size == 0
    assert named["upper bound: 0 ln t"].get_xdata().size == 0
    [drawn] = [line for label, line in named.items() if label.startswith("standard")]
    rate = standard_bound(CLEAR, hinge(0.2))
    assert drawn.get_ydata()[-1] == pytest.approx(rate * np.log(60))


def test_a_steep_bound_does_not_press_the_curves_flat():
    top = panels([0.5, 0.4999], criterion="standard", policies=["TS"])[0]
    assert top.get_ylim()[1] < 4 * top.get_lines()[0].get_ydata().max()


# ---- what the panels show --------------------------------------------------------------
def test_panels_show_the_simulation_that_anybody_can_repeat():
    top, middle, below = panels(TRIO, eps=0.2, criterion="indicator", policies=["ε-TS"])
    times = log_checkpoints(60, 100)
    same = simulate(TRIO, EpsTS(0.2), 60, 20, seed=3, checkpoints=times)
    regret = same.regret(indicator(0.2))
    np.testing.assert_allclose(top.get_lines()[0].get_ydata(), regret.mean(axis=0))
    share = same.pulls[:, -1].mean(axis=0) / 60
    np.testing.assert_allclose(middle.get_lines()[0].get_xdata(), 100 * share)
    steps, mean = below.get_lines()
    for x, y in zip(steps.get_xdata()[1:], steps.get_ydata()[1:]):
        # equal values make one tall step
        assert (regret[:, -1] >= x).mean() >= y > (regret[:, -1] > x).mean()
    assert mean.get_xdata() == pytest.approx([regret[:, -1].mean()])


def test_arms_within_eps_are_shaded():
    for eps, shaded in [(0.0, 1), (0.04, 1), (0.05, 2), (0.3, 3)]:
        assert len(panels(TRIO, eps=eps)[1].patches) == shaded


def test_every_policy_has_a_curve_an_arm_row_and_a_law():
    axes = panels(LOW, eps=0.1, policies=[*ALL_POLICIES])
    count = len(ALL_POLICIES)
    assert labels(axes[0])[:count] == [*ALL_POLICIES]
    assert len(axes[1].get_lines()) == count and len(axes[2].get_lines()) == 2 * count


@pytest.mark.parametrize("policies", [["TS"], [*ALL_POLICIES]])
def test_legend_stays_in_its_panel(policies):
    fig = portrait(LOW, 0.1, **SMALL, policies=policies)
    fig.draw_without_rendering()
    panel, legend = (part.get_window_extent() for part in (fig.axes[0], fig.axes[0].legend_))
    assert panel.y0 <= legend.y0 and legend.y1 <= panel.y1 and legend.x1 <= panel.x1


@pytest.mark.parametrize("criterion", ["standard", "hinge"])
@pytest.mark.parametrize("means", [[0.5], [0, 1], [1, 1], [0.8, 0.5], [0.1] * 20])
def test_odd_bandits_can_be_drawn(means, criterion):
    fig = portrait(means, 0.3, criterion, horizon=2, runs=1)
    assert fig._repr_png_().startswith(b"\x89PNG")
    assert plt.get_fignums() == []
    assert "nan" not in in_words(means, 0.3, criterion, horizon=2, runs=1)


def test_words_say_what_is_drawn():
    text = in_words(LOW, 0.1, **SMALL, criterion="standard", policies=["TS"])
    summary = simulations(LOW, 0.1, **SMALL)["TS"].summary(standard())
    assert f"TS {summary.mean:.3g} ± {summary.standard_error:.2g}." in text
    assert f"{summary.max:.3g}" in text and "standard bound" in text
    assert "upper" not in text


@pytest.mark.parametrize("policies", [["TS", "ε-TS"], [*ALL_POLICIES]])
def test_another_criterion_plays_nothing_again(policies):
    portrait(LOW, 0.1, "hinge", **SMALL, policies=policies)
    before = module._simulate.cache_info()
    portrait(LOW, 0.1, "cutoff", **SMALL, policies=policies)
    after = module._simulate.cache_info()
    assert after.misses == before.misses and after.hits > before.hits


@pytest.mark.parametrize(
    "wrong, words",
    [
        (dict(means=[0.9, 1.2]), "means must be numbers in [0, 1]"),
        (dict(means=[]), "at least one arm"),
        (dict(means=[0.5] * 21), "the number of arms must be at most 20"),
        (dict(eps=1), "eps must be a number in [0, 1)"),
        (dict(horizon=0), "horizon must be a whole number"),
        (dict(horizon=2e9), "horizon must be at most 1,000,000,000, got"),
        (dict(runs=MAX_RUNS + 1), "runs must be at most 10,000, got 10,001"),
        (dict(seed=-1), "seed must be a whole number"),
        (dict(policies=[]), "at least one policy"),
        (dict(policies=["UCB"]), "each policy must be one of TS, ε-TS, KL-UCB"),
        (dict(criterion="mild"), "criterion must be one of standard, hinge"),
        (dict(policies=["UCB1"], horizon=5001), "at most 5,000 with UCB1"),
    ],
)
def test_bad_arguments_are_refused_before_anything_is_played(wrong, words):
    with pytest.raises(ValueError, match=re.escape(words)):
        portrait(**{"means": LOW, **SMALL, **wrong})


def test_long_horizons_need_the_quick_engine(monkeypatch):
    monkeypatch.setattr(module, "find_spec", lambda name: None)
    with pytest.raises(ValueError, match="at most 5,000 without numba"):
        simulations(LOW, horizon=10**6)


def test_the_quick_engine_itself_says_whom_it_can_play(monkeypatch):
    monkeypatch.setattr("lenient.leap.obstacle", lambda *what: "has no time")
    with pytest.raises(ValueError, match="at most 5,000 with TS, which visits every round"):
        simulations(LOW, horizon=5001)


@pytest.mark.parametrize(
    "criterion, free",
    [
        ("hinge", [True, True, False]),  # gaps 0, 0.2 and 0.3
        ("standard", [True, True, False]),  # ε is what is forgiven, whatever is counted
        ("multiplicative", [True, False, False]),  # at least 0.8 · 0.9 = 0.72
        ("threshold", [True, False, False]),  # at least 1 − 0.2
        ("top 3", [True, True, True]),
    ],
)
def test_every_criterion_has_a_portrait_that_shades_what_it_forgives(criterion, free):
    means = [0.9, 0.7, 0.6]
    gap = module._gap(criterion, 0.2)
    assert module._free(means, 0.2, gap).tolist() == free
    figure = portrait(means, 0.2, criterion, horizon=50, runs=5)
    shaded = figure.axes[1].patches
    assert len(shaded) == sum(free)
