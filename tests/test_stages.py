"""The stage bound: its sums done again, and the theorems against the game itself."""

from math import inf
from time import process_time

import numpy as np
import pytest
from support import stage_checks as checks
from support.exact import exact_law_of_first_arm

import lenient
from lenient import (
    TS,
    Criterion,
    EpsTS,
    Sample,
    cutoff,
    finite_time,
    hinge,
    indicator,
    simulate,
    stage_bound,
    stages,
    standard,
)


# ---- the sums ------------------------------------------------------------------------
@pytest.mark.parametrize("T", [1, 2, 5, 8])
@pytest.mark.claim("beyond:one-level", how="exact")
@pytest.mark.claim("beyond:two-levels", how="exact")
def test_parts_are_the_sums_in_fractions(T):
    checks.check_parts(stages, T)


def test_parts_are_the_sums_in_doubles():
    checks.check_parts(stages, 70, checks.in_doubles, checks.BANDITS[:2])


def test_chances_are_rounded_outward():
    checks.check_chances(stages)


def test_sums_that_are_cut_are_no_lower():
    checks.check_cut(stages)


@pytest.mark.claim("beyond:closed-form", how="exact")
def test_the_closed_form():
    checks.check_closed_form(stages)


def test_the_record_adds_up():
    checks.check_public(stages)


# ---- the theorems --------------------------------------------------------------------
@pytest.mark.claim("beyond:one-level", how="exact")
@pytest.mark.claim("beyond:two-levels", how="exact")
def test_the_stage_lemma_in_every_state():
    checks.check_stage_lemma(stages)


@pytest.mark.parametrize(
    "means, tenths",
    [([0.5, 0.2], 1), ([0.9, 0.6], 2), ([0.8, 0.2], 4), ([0.7, 0.3], 0), ([1, 0.3], 3)],
)
@pytest.mark.claim("beyond:one-level", how="exact")
@pytest.mark.claim("beyond:two-levels", how="exact")
def test_no_lower_than_the_exact_regret(means, tenths):
    for T in range(1, 13):
        plays = exact_law_of_first_arm(means, tenths, T) @ (T - np.arange(T + 1))
        checks.check_levels(stages, means, tenths, T, plays)
    checks.check_value(stages, means, tenths, T, plays)


@pytest.mark.parametrize(
    "means, tenths, T",
    [
        ([0.5, 0.2], 1, 1000),
        ([0.5, 0.47, 0.2], 1, 1000),
        ([0.9, 0.6], 2, 10**5),
        ([0.9, 0.85, 0.6, 0.3], 2, 10**4),
        ([0.6, 0.45], 0, 3000),
    ],
)
@pytest.mark.claim("beyond:one-level", how="simulation: far below the bound")
@pytest.mark.claim("beyond:two-levels", how="simulation: far below the bound")
def test_no_lower_than_a_simulation(means, tenths, T):
    """Far above the mean, so that no run of bad luck makes this fail."""
    eps = tenths / 10
    played = simulate(means, EpsTS(eps) if eps else TS(), T, 300, seed=1)
    checks.check_value(stages, means, tenths, T, played.summary(indicator(eps)).mean)


@pytest.mark.claim("beyond:one-level", how="exact")
def test_free_arms_do_not_change_one_level():
    checks.check_free_arms(stages)


@pytest.mark.parametrize(
    "means, eps, T, found",
    [  # by two others, with levels of their own
        ([0.5, 0.2], 0.1, 10**3, (24.1, 18.1)),
        ([0.5, 0.2], 0.1, 10**4, (30.2, 18.9)),
        ([0.5, 0.2], 0.1, 10**6, (41.2, 22.9)),
        ([0.9, 0.6], 0.2, 10**3, (14.9, 8.4)),
        ([0.9, 0.6], 0.2, None, (inf, 9.82)),
    ],
)
def test_levels_are_about_as_good_as_those_found_by_hand(means, eps, T, found):
    bound = stage_bound(means, eps, hinge(eps), T)
    assert bound.one_level <= 1.005 * found[0]
    assert bound.two_levels <= 1.005 * found[1]


@pytest.mark.claim("beyond:two-levels", how="exact")
def test_for_all_horizons():
    forever = stage_bound([0.9, 0.6], 0.2, hinge(0.2), None)
    assert forever == stage_bound([0.9, 0.6], 0.2, hinge(0.2), inf)
    assert forever.y1 == 0.8 and forever.value < 10
    for T in (1, 30, 10**4, 10**9):
        game = checks.game(stages, [0.9, 0.6], 2, T, cost=0.1)
        at = stages._Levels(forever.y0, forever.y1, forever.delta)
        assert stages._Sums(game).total(at) < forever.value
    for means in ([0.5, 0.2], [0.8, 0.5], [0.9, 0.85, 0.6]):  # not above the ceiling; a rival
        assert stage_bound(means, 0.2, hinge(0.2), None).value == inf


# ---- what comes in and goes out ------------------------------------------------------
def test_the_same_function_is_found_in_three_places():
    assert lenient.stage_bound is finite_time.stage_bound is stages.stage_bound


def test_costs_of_every_kind():
    """Also those that the other bounds refuse, as the theorems ask for no more."""
    lowest = Criterion("not the lowest", lambda means: (means == means.min()) / 2)
    for gap in (standard(), cutoff(0.2), lowest, hinge(0.25)):
        bound = stage_bound([0.3, 0.5, Sample([0, 0.2])], 0.1, gap, 500)
        assert bound.means == (0.5, 0.3, 0.1) and 0 < bound.value < inf
    assert stage_bound([0.5, 0.45], 0.1, hinge(0.1), 500).value == 0
    assert stage_bound([0.5], 0.1, hinge(0.1), None).value == 0


def test_where_no_level_helps_the_bound_is_the_trivial_one():
    bound = stage_bound([0.95, 0.85], 0.2, standard(), 1000)  # both above the ceiling
    assert bound.value == bound.trivial == pytest.approx(100)


@pytest.mark.parametrize(
    "means, eps, gap, horizon, message",
    [
        ([0.5, 0.2], 1, hinge(0.1), 10, r"eps must be a number in \[0, 1\), got 1"),
        ([], 0.1, hinge(0.1), 10, "means must"),
        ([0.5, 1.2], 0.1, hinge(0.1), 10, "means must .* 1.2"),
        ([0.5, 0.2], 0.1, hinge, 10, "gap must be a gap function"),
        ([0.5, 0.2], 0.1, hinge(0.1), 0, "horizon must be a whole number .* or None, got 0"),
        ([0.5, 0.2], 0.1, hinge(0.1), -inf, "horizon must be a whole number .*, got -inf"),
        ([0.5, 0.2], 0.1, Criterion("-", lambda m: m - 0.5), 9, "gap must give costs of at"),
        ([0.5, 0.2], 0.1, Criterion("1", lambda m: m > 0), 9, "gap .* 0 for a best arm"),
    ],
)
def test_bad_input_is_named(means, eps, gap, horizon, message):
    with pytest.raises(ValueError, match=message):
        stage_bound(means, eps, gap, horizon)


def test_a_million_rounds_take_about_a_second():
    """Three times that, for a machine that does other things too."""
    start = process_time()
    stage_bound([0.5, 0.2], 0.1, hinge(0.1), 10**6)
    assert process_time() - start < 3
