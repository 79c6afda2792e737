"""The four gap functions, home-made ones, and gaps that are exact decimals."""

import pickle
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lenient import TS, cutoff, gap_function, hinge, indicator, simulate, standard
from lenient.gaps import CRITERIA, Criterion, costs, suboptimality

eps_values = st.decimals(0, "0.99", places=2).map(float)
gap_values = st.floats(0, 1)


@pytest.mark.parametrize("make", [hinge, indicator, cutoff])
@given(eps=eps_values, gap=gap_values)
def test_zero_up_to_eps_and_positive_beyond(make, eps, gap):
    assert (make(eps)(gap) > 0) == (gap > eps)
    assert make(eps)(eps) == 0
    assert make(eps)(np.nextafter(eps, 1)) > 0


@given(eps=eps_values, gap=gap_values)
def test_formulas(eps, gap):
    exact = Fraction(gap) - Fraction(eps)
    assert hinge(eps)(gap) == pytest.approx(float(max(exact, 0)), rel=1e-15)
    assert indicator(eps)(gap) == (1 if exact > 0 else 0)
    assert cutoff(eps)(gap) == (gap if exact > 0 else 0)
    assert standard()(gap) == gap


def test_scalar_in_scalar_out_and_arrays():
    assert isinstance(hinge(0.2)(0.5), float)
    assert isinstance(indicator(0.2)(0.5), float)
    grid = np.array([[0.0, 0.2], [0.3, 1.0]])
    assert np.array_equal(indicator(0.2)(grid), [[0, 0], [1, 1]])
    assert np.allclose(hinge(0.2)([0.0, 0.2, 0.3]), [0, 0, 0.1])


def test_each_prints_as_its_formula_and_knows_its_eps():
    assert repr(hinge(0.2)) == "hinge: f(Δ) = max(Δ − 0.2, 0)"
    assert repr(indicator(0.2)) == "indicator: f(Δ) = 1{Δ > 0.2}"
    assert repr(cutoff(0.2)) == "cutoff: f(Δ) = Δ·1{Δ > 0.2}"
    assert repr(standard()) == "standard: f(Δ) = Δ"
    assert (hinge(0.2).eps, hinge(0.2).name) == (0.2, "hinge")
    assert hinge(0.2) == hinge(0.2) != hinge(0.3)


def test_a_gap_function_of_ones_own():
    squared = gap_function(lambda d: np.maximum(d - 0.1, 0) ** 2, 0.1, "squared hinge")
    assert squared(0.3) == pytest.approx(0.04)
    assert repr(squared) == "squared hinge: f(Δ) = squared hinge(Δ)"


@pytest.mark.parametrize(
    "function, message",
    [
        (lambda d: d >= 0.1, r"function must be 0 on \[0, 0.1\], got f\(0.1"),
        (lambda d: d, r"function must be 0 on \[0, 0.1\]"),
        (lambda d: d * (d > 0.2), r"function must be positive beyond 0.1"),
        (lambda d: -1.0 * (d > 0.1), r"function must be positive beyond 0.1"),
        (lambda d: np.where(d > 0.1, np.nan, 0), r"positive beyond 0.1, got .* = nan"),
        (lambda d: 0.0, r"function must return one cost for each gap"),
    ],
)
def test_what_is_no_gap_function_is_refused(function, message):
    with pytest.raises(ValueError, match=message):
        gap_function(function, 0.1, "mine")


@pytest.mark.parametrize("gap", [-0.1, 1.1, np.nan, [0.2, np.inf]])
def test_a_gap_outside_the_unit_interval_is_refused(gap):
    with pytest.raises(ValueError, match=r"gap must be in \[0, 1\], got"):
        hinge(0.2)(gap)


@pytest.mark.parametrize("eps", [-0.1, 1, 1.0, 2, np.nan, np.inf, "a lot", None, [0.1]])
@pytest.mark.parametrize("make", [hinge, indicator, cutoff])
def test_eps_outside_its_interval_is_refused(make, eps):
    with pytest.raises(ValueError, match=r"eps must be a number in \[0, 1\), got"):
        make(eps)


@given(st.lists(st.integers(0, 1000), min_size=1, max_size=6))
def test_gaps_are_the_decimals_one_computes_by_hand(thousandths):
    means = [n / 1000 for n in thousandths]
    by_hand = [(max(thousandths) - n) / 1000 for n in thousandths]
    assert np.array_equal(suboptimality(means), by_hand)


def test_an_arm_whose_gap_is_eps_costs_nothing():
    assert 0.9 - 0.7 > 0.2  # the trap
    assert np.array_equal(indicator(0.2)(suboptimality([0.9, 0.7])), [0, 0])


# ---- criteria that look at all means ---------------------------------------------------
def threshold(level):
    """What is missing to a mean that would have been enough: no function of the gap."""
    return Criterion("threshold", lambda means: np.maximum(level - means, 0))


def test_a_criterion_of_all_means_counts_like_a_gap_function():
    means = [0.9, 0.6, 0.3]
    played = simulate(means, TS(), horizon=50, runs=4, seed=1)
    expected = played.pulls @ [0, 0.1, 0.4]
    assert played.regret(threshold(0.7)) == pytest.approx(expected)
    assert played.summary(threshold(0.7)).mean == pytest.approx(expected[:, -1].mean())


def test_costs_of_a_gap_function_a_criterion_and_a_plain_function():
    means = [0.9, 0.7, 0.6]
    assert costs(hinge(0.2), means).tolist() == pytest.approx([0, 0, 0.1])
    assert hinge(0.2).costs(means).tolist() == costs(hinge(0.2), means).tolist()
    assert costs(lambda gap: 2 * gap, means).tolist() == pytest.approx([0, 0.4, 0.6])
    assert costs(threshold(0.65), means).tolist() == pytest.approx([0, 0, 0.05])


@pytest.mark.parametrize("name", CRITERIA)
def test_a_criterion_is_found_by_its_name(name):
    assert CRITERIA[name](0.1).name == name


# ---- as values -------------------------------------------------------------------------
@pytest.mark.parametrize("name", CRITERIA)
def test_a_gap_function_goes_through_a_process_pool(name):
    gap = CRITERIA[name](0.1)
    assert pickle.loads(pickle.dumps(gap)) == gap == CRITERIA[name](0.1)


def test_different_functions_differ_whatever_their_name():
    one, two = (gap_function(f, 0, "mine") for f in (np.sqrt, np.abs))
    assert one != two


def test_what_is_no_criterion_is_named():
    with pytest.raises(ValueError, match="gap must be a gap function such as .* got 3"):
        costs(3, [0.5, 0.2])
