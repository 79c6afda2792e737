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
from lenient_book.explore import WIDGET_VIEW
from lenient_book.playground import FIELDS, playground
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
        (dict(policies=["KL-UCB"], horizon=5001), "at most 5,000 with KL-UCB"),
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


# ---- the form --------------------------------------------------------------------------
START = dict(means="0.5, 0.2", eps="0.1", horizon="60", runs="20", seed="0")


@pytest.fixture(scope="module")
def one_form():
    with pytest.MonkeyPatch.context() as patch:
        patch.delenv("LENIENT_STATIC", raising=False)
        return playground(**START)


@pytest.fixture
def form(one_form):
    """The form, with nothing typed or ticked yet."""
    for name, text in START.items():
        one_form.fields[name].value = text
    for name, box in one_form.policies.items():
        box.value = name in ("TS", "ε-TS")
    one_form.criterion.value = "hinge"
    return one_form


def typed(form, **values):
    for name, value in values.items():
        form.fields[name].value = value
    form.button.click()
    return form


def test_form_starts_with_a_picture(form):  # the first test to use it
    assert form.picture.value.startswith("<img") and "alt=" in form.picture.value
    assert form.message.value.startswith('<p role="status">Mean hinge regret')
    assert [name for name, box in form.policies.items() if box.value] == ["TS", "ε-TS"]


def test_run_draws_what_is_typed(form):
    before = form.picture.value
    typed(form, means=" 0.9,0.85 , 0.6", eps="0.2", horizon="10^2", seed="7")
    assert form.picture.value != before and "100 rounds" in form.message.value
    expected = in_words([0.9, 0.85, 0.6], 0.2, horizon=100, runs=20, seed=7)
    assert expected in form.message.value
    form.criterion.value = "standard"
    form.policies["TS"].value = False
    form.button.click()
    assert "standard regret" in form.message.value
    assert "bound" not in form.message.value  # none of them is about ε-TS here


@pytest.mark.parametrize(
    "field, text, words",
    [
        ("means", "0.9; 0.6", "means must be numbers with commas between"),
        ("means", "", "means must be numbers with commas between"),
        ("means", "0,9", "means must be numbers in [0, 1], got 9.0 for arm 1"),
        ("means", "nan, 0.5", "means must be numbers in [0, 1]"),
        ("eps", "1", "eps must be a number in [0, 1)"),
        ("eps", "small", "eps must be a number, got"),
        ("eps", "<b>", "&lt;b&gt;"),
        ("horizon", "1e10", "horizon must be at most"),
        ("horizon", "inf", "horizon must be a whole number"),
        ("runs", "2.5", "runs must be a whole number"),
        ("runs", "", "runs must be a number"),
        ("seed", "-1", "seed must be a whole number"),
        ("seed", "0.5", "seed must be a whole number"),
        ("seed", "inf", "seed must be a whole number"),
    ],
)
def test_what_is_typed_wrongly_is_said_in_the_form(form, field, text, words, capsys):
    typed(form, **{field: text})
    assert '<p role="alert">' in form.message.value and words in form.message.value
    assert form.picture.value == "" and not form.button.disabled
    assert capsys.readouterr() == ("", "")


def test_form_recovers_from_an_error(form):
    assert typed(form, eps="2").picture.value == ""
    assert typed(form, eps="0.1").picture.value.startswith("<img")


def test_no_policy_and_too_long_a_horizon_for_kl_ucb(form):
    for box in form.policies.values():
        box.value = False
    form.button.click()
    assert "at least one policy" in form.message.value
    form.policies["KL-UCB"].value = True
    assert "at most 5,000 with KL-UCB" in typed(form, horizon="6000").message.value


def test_every_control_has_a_label_and_stands_in_the_order_of_the_keyboard(form):
    controls = [*form.fields.values(), *form.policies.values(), form.criterion]
    assert all(control.description for control in [*controls, form.button])
    assert [c.description for c in form.fields.values()] == [
        label for label, _ in FIELDS.values()
    ]
    assert all(control.tabbable is not False for control in controls)


def test_form_in_a_notebook_and_in_a_page(form, monkeypatch):
    bundle = form._repr_mimebundle_()
    assert {*bundle} == {"text/plain", WIDGET_VIEW}
    monkeypatch.setenv("LENIENT_STATIC", "1")
    page = playground(**START)
    assert {*page._repr_mimebundle_()} == {"text/plain", "text/html"}
    assert "make notebooks" in page._repr_mimebundle_()["text/html"]
    assert repr(page) == repr(form) == bundle["text/plain"]
    assert re.search("0x|model_id", repr(form)) is None


def test_unknown_field_is_refused():
    with pytest.raises(ValueError, match="no field epsilon"):
        playground(epsilon="0.2")
