"""Summaries of runs: against SciPy, and how often the interval holds the truth."""

import numpy as np
import pytest
from scipy import stats

from lenient.statistics import QUANTILES, curve, interval, summarize, tail

SKEWED = np.random.default_rng(1).lognormal(0, 1.5, size=200)


def test_summary_against_scipy():
    found = summarize(SKEWED)
    assert found.mean == pytest.approx(np.sum(SKEWED) / 200)
    assert found.std == pytest.approx(stats.tstd(SKEWED))
    assert found.standard_error == pytest.approx(stats.sem(SKEWED))
    assert found.median == np.sort(SKEWED)[99:101].mean()
    assert found.quantiles[0.95] == pytest.approx(np.percentile(SKEWED, 95))
    assert tuple(found.quantiles) == QUANTILES
    assert found.max == SKEWED.max()


def test_the_curve_is_the_mean_of_each_column():
    samples = np.array([[1.0, 2.0], [3.0, 8.0], [5.0, 2.0]])
    times, mean, error = curve(np.array([1, 9]), samples)
    assert mean.tolist() == [3, 4]
    assert error == pytest.approx(stats.sem(samples))


def test_the_tail_counts_runs():
    found = tail(np.array([0.0, 2.0, 2.0, 5.0]))
    assert found.values.tolist() == [0, 2, 5]
    assert found.chance.tolist() == [1, 0.75, 0.25]
    for r in (-1, 0, 1, 2, 3, 5, 6):
        assert found.at_least(r) == np.mean(np.array([0, 2, 2, 5]) >= r)
    assert found.standard_error[1] == pytest.approx(np.sqrt(0.75 * 0.25 / 4))


# --- the interval -------------------------------------------------------------------

LAWS = {
    "normal": (stats.norm(3, 2), 30),
    "skewed": (stats.expon(), 30),
    "heavy": (stats.lognorm(1.2), 200),
    "rare": (stats.bernoulli(0.05), 200),
}


@pytest.mark.parametrize("name", LAWS)
def test_the_interval_holds_the_mean_about_as_often_as_it_says(name):
    """The normal law's interval on the same samples must not do better than by chance.

    400 samples: the share is known to 1.5 %, so that 85 % would be seen as such.
    """
    law, size = LAWS[name]
    samples = law.rvs((400, size), random_state=2)
    ends = np.array([interval(sample) for sample in samples])
    held = np.mean((ends[:, 0] <= law.mean()) & (law.mean() <= ends[:, 1]))
    away = np.abs(samples.mean(axis=1) - law.mean())
    usual = np.mean(away <= 1.96 * stats.sem(samples, axis=1))
    assert held > 0.89
    assert held > usual - 0.02


def test_for_a_heavy_tail_the_usual_interval_is_too_short():
    """What the bootstrap is for; 400 samples, each share known to 2 %."""
    law = stats.lognorm(1.8)
    samples = law.rvs((400, 50), random_state=3)
    ends = np.array([interval(sample) for sample in samples])
    held = np.mean((ends[:, 0] <= law.mean()) & (law.mean() <= ends[:, 1]))
    usual = np.mean(
        np.abs(samples.mean(axis=1) - law.mean()) <= 1.96 * stats.sem(samples, axis=1)
    )
    assert usual < 0.75 < held


def test_for_a_normal_law_it_is_students_interval():
    sample = np.random.default_rng(4).normal(size=20_000)  # in batches
    usual = stats.norm.interval(0.95, sample.mean(), stats.sem(sample))
    assert interval(sample) == pytest.approx(usual, abs=0.1 * stats.sem(sample))
    low, high = interval(sample, level=0.5)
    assert high - low == pytest.approx(2 * 0.674 * stats.sem(sample), rel=0.1)


def test_it_moves_and_stretches_with_the_sample():
    low, high = interval(SKEWED)
    assert interval(5 * SKEWED + 1e6) == pytest.approx((5 * low + 1e6, 5 * high + 1e6))


def test_same_sample_same_interval():
    assert interval(SKEWED) == interval(SKEWED.copy())


def test_degenerate_samples():
    assert interval([2.0, 2.0, 2.0]) == (2, 2)
    assert np.isnan(interval([2.0])).all()
    low, high = interval([0.0] * 99 + [1.0])
    assert low < 0.01 < high < 1


@pytest.mark.parametrize(
    "arguments, message",
    [
        (([],), "sample must be a list of numbers"),
        (([1.0, np.nan],), "sample must be a list of numbers"),
        (([[1.0]],), "sample must be a list of numbers"),
        ((["a"],), "sample must be a list of numbers"),
        (([1.0, 2.0], 1.0), "level must be a number between 0 and 1, got 1.0"),
        (([1.0, 2.0], "high"), "level must be a number between 0 and 1, got 'high'"),
        (([1.0, 2.0], [0.5]), r"level must be a number between 0 and 1, got \[0.5\]"),
    ],
)
def test_bad_input_is_named(arguments, message):
    with pytest.raises(ValueError, match=message):
        interval(*arguments)


@pytest.mark.parametrize("power", [-900, -500, 500, 900])
def test_an_interval_does_not_depend_on_the_unit(power):
    """To the bit, for a unit that is a power of 2: squares would leave the floats."""
    sample = np.random.default_rng(4).pareto(1.5, size=200)
    ends = interval(sample)
    assert interval(sample * 2.0**power) == (ends[0] * 2.0**power, ends[1] * 2.0**power)
