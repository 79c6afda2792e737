"""Chapters 9 and 10 against the stored runs: the paper's main experiment and its repetition.

Every number of the two tables is set beside ours. Where the stated test calls one of them
different, the list below says so, and a test of its own looks into the reason.
"""

import numpy as np
import pytest

from lenient import TS, EpsTS, hinge, simulate, standard
from lenient.bounds import lower_bound, standard_bound, upper_bound
from lenient.paper import SCENARIOS
from lenient_book import experiments

MAIN = ["low", "high", "low-three", "high-three"]
SMALL = [name + "-small" for name in MAIN]
LEVELS = experiments.LEVELS

# What compare() calls different at 5 % over the 64 numbers of a table.
ALARMS = {
    ("high-three", "TS", "standard", "max"),  # a misprint, by the paper's own deviation
}


@pytest.fixture(scope="module")
def results():
    return {name: experiments.load(name) for name in MAIN + SMALL}


def mean(result, algorithm, criterion="hinge"):
    return result.statistics[algorithm, criterion].mean


def curve(result, algorithm, criterion="hinge"):
    return result.curves[algorithm, criterion].mean


@pytest.mark.claim("table:main", how="simulation: 50,000 runs, joint error rate 5 %")
def test_the_main_table(results):
    check_table(results, MAIN)


@pytest.mark.claim("table:smaller-eps", how="simulation: 5,000 runs, joint error rate 5 %")
def test_the_table_of_smaller_leniency(results):
    check_table(results, SMALL)


def check_table(results, names):
    rows = [(name, row) for name in names for row in experiments.compare(results[name])]
    assert len(rows) == 64
    alarms = {(name, *row[:3]) for name, row in rows if row.p < 0.05 / len(rows)}
    assert alarms == {alarm for alarm in ALARMS if alarm[0] in names}


def test_the_test_notices_a_wrong_table(results):
    """Neighbouring scenarios are told apart by most of their means."""
    for wrong, right in [("high", "low"), ("high-three", "low-three")]:
        rows = experiments.compare(results[wrong]._replace(scenario=right))
        assert sum(row.p < 0.05 / 64 for row in rows if row.number == "mean") == 4


def test_a_percentile_is_off_by_one_play(results):
    paper = SCENARIOS["high"].statistics["TS", "standard"].percentile99
    ours = results["high"].statistics["TS", "standard"].percentile99
    assert abs(paper - ours) == pytest.approx(0.3)


@pytest.mark.claim("slip:printed-maximum", how="simulation: 50,000 runs")
def test_a_maximum_contradicts_the_deviation_beside_it(results):
    """Without the runs above 176.15 the deviation would be 16.1 ± 0.3, printed is 17.8."""
    paper = SCENARIOS["high-three"].statistics["TS", "standard"]
    result = results["high-three"]
    law = result.laws["TS", "standard"]
    error = result.errors["TS", "standard"].std
    assert abs(spread(law) - paper.std) < 3 * error
    assert paper.std - spread(np.minimum(law, paper.max)) > 4.5 * error
    above = 50_000 * (1 - np.interp(paper.max, law, LEVELS))
    assert above > 100  # with as many expected, none has a chance of e^-100
    assert result.tops["TS", "standard"][0] < paper.max + 100  # 276.15 would fit


@pytest.mark.claim("slip:printed-maximum", how="simulation: false alarm below 1e-2")
def test_the_plain_engine_exceeds_the_printed_maximum_too():
    """Of 3000 runs about 8 do; fewer than 2 have a probability of 0.3 %."""
    run = simulate([0.9, 0.85, 0.6], TS(), 5000, 3000, 5, [5000], engine="plain")
    assert (run.regret(standard())[:, 0] > 176.15).sum() >= 2


def spread(law):
    m = np.trapezoid(law, LEVELS)
    return np.sqrt(np.trapezoid(law**2, LEVELS) - m**2)


def test_deviations_of_a_heavy_tail_scatter_more_than_their_errors_say(results):
    """The paper's is 2.016. Of sets of 5,000 runs seven in a hundred are above, and half are
    below 1.5: none of a hundred above, or the median of them, errs once in a thousand times.
    """
    pulls = simulate(
        [0.975, 0.9625, 0.9], EpsTS(0.05), 100_000, 500_000, 10, checkpoints=[100_000]
    ).pulls[:, 0, 2]
    stds = (0.025 * pulls).reshape(100, 5000).std(axis=1, ddof=1)
    assert stds.max() > 2.016 > 1.7 > np.median(stds)


@pytest.mark.claim("figure:main", how="simulation: 50,000 runs, errors below 2 %")
@pytest.mark.parametrize("name", MAIN)
def test_main_figure_lenient_regret(results, name):
    """ε-TS is lower; between the bounds below the ceiling, constant above it."""
    result, scenario = results[name], SCENARIOS[name]
    f = hinge(scenario.eps)
    ours, theirs = mean(result, "ε-TS"), mean(result, "TS")
    assert ours < 0.7 * theirs
    half = np.searchsorted(result.times, 2500)
    growth = curve(result, "ε-TS")[-1] - curve(result, "ε-TS")[half]
    if name.startswith("high"):
        assert growth < 2 * 2500 * 0.1 / 50_000 + 1e-9  # two of 50,000 runs at most are stuck
    else:
        low = lower_bound(scenario.means, scenario.eps, f)
        up = upper_bound(scenario.means, scenario.eps, f)
        assert low * np.log(5000) < ours < up * np.log(5000)
        assert low * np.log(2) < growth < up * np.log(2)
    growth = curve(result, "TS")[-1] - curve(result, "TS")[half]
    bound = standard_bound(scenario.means, f)
    assert 0.6 * bound * np.log(2) < growth < bound * np.log(2)


@pytest.mark.claim("figure:main", how="simulation: 50,000 runs, errors below 2 %")
@pytest.mark.claim("figure:smaller-eps", how="simulation: 5,000 runs")
@pytest.mark.parametrize("name", ["high-three", "high-three-small"])
def test_linear_standard_regret_with_two_arms_above_the_ceiling(results, name):
    """It grows by the small gap times the share of runs that have locked in."""
    result, means = results[name], SCENARIOS[name].means
    half = np.searchsorted(result.times, result.times[-1] / 2)
    rounds = result.times[-1] - result.times[half]
    growth = np.ptp(curve(result, "ε-TS", "standard")[[half, -1]]) / rounds
    stuck = result.shares["ε-TS"][1]
    assert 0.35 < stuck < 0.42
    assert growth == pytest.approx((means[0] - means[1]) * stuck, rel=1e-3)
    assert mean(result, "ε-TS", "standard") > 5 * mean(result, "TS", "standard")


@pytest.mark.claim("figure:main", how="simulation: 50,000 runs, errors below 2 %")
def test_standard_regret_elsewhere(results):
    """With large gaps ε-TS gains a third and more; below the ceiling it is still ahead."""
    assert mean(results["high"], "ε-TS", "standard") < 0.5 * mean(
        results["high"], "TS", "standard"
    )
    assert mean(results["low"], "ε-TS", "standard") < 0.7 * mean(
        results["low"], "TS", "standard"
    )
    ours, theirs = (results["low-three"].statistics[a, "standard"] for a in ("ε-TS", "TS"))
    error = np.hypot(ours.standard_error, theirs.standard_error)
    assert theirs.mean - ours.mean > 5 * error


@pytest.mark.claim("figure:smaller-eps", how="simulation: 5,000 runs")
@pytest.mark.parametrize("name", SMALL)
def test_smaller_leniency_lenient_regret(results, name):
    """Lower than TS: clearly with three arms, within the errors with two."""
    ours, theirs = (results[name].statistics[a, "hinge"] for a in ("ε-TS", "TS"))
    error = np.hypot(ours.standard_error, theirs.standard_error)
    assert ours.mean < theirs.mean
    if "three" in name:
        assert theirs.mean - ours.mean > 8 * error
    if name == "high-three-small":
        late = results[name].times >= 50_000
        assert np.ptp(curve(results[name], "ε-TS")[late]) < 1e-9


@pytest.mark.claim("figure:smaller-eps", how="exact")
def test_how_the_bounds_scale():
    """Gaps four times smaller: four times the regret, and ε-TS comes close to TS."""
    f, g = hinge(0.2), hinge(0.05)
    ts = standard_bound((0.5, 0.425), g) / standard_bound((0.5, 0.2), f)
    low = lower_bound((0.5, 0.425), 0.05, g) / lower_bound((0.5, 0.2), 0.2, f)
    assert ts == pytest.approx(4, rel=0.08) and low == pytest.approx(4, rel=0.08)
    saving = [
        1 - upper_bound(m, e, h) / standard_bound(m, h)
        for m, e, h in [((0.5, 0.2), 0.2, f), ((0.5, 0.425), 0.05, g)]
    ]
    assert saving[0] > 0.33 and saving[1] < 0.1
    high = standard_bound((0.975, 0.9), standard()) / standard_bound((0.9, 0.6), standard())
    assert 1 < high < 1.25


@pytest.mark.claim("figure:smaller-eps", how="simulation: 5,000 runs, errors below 2 %")
@pytest.mark.parametrize("name", SMALL)
def test_for_ts_it_is_the_main_experiment_with_a_slower_clock(results, name):
    """After 16 times the rounds (low) about 4 times the regret; after 4 times (high) 1.1."""
    new, old = results[name], results[name.removesuffix("-small")]
    rounds, factor = (80_000, 4.15) if name.startswith("low") else (20_000, 1.13)
    at = np.searchsorted(new.times, rounds)
    assert curve(new, "TS")[at] / curve(old, "TS")[-1] == pytest.approx(factor, rel=0.06)


@pytest.mark.claim("table:smaller-eps", how="simulation: 100,000 runs")
def test_means_over_5000_runs_are_skewed():
    """The law behind the paper's 3.69: low means come with small errors."""
    plays = simulate(
        [0.975, 0.9], EpsTS(0.05), 100_000, 100_000, 77, checkpoints=[100_000]
    ).pulls[:, 0, 1]
    sets = (0.075 * plays).reshape(20, 5000)
    means, errors = sets.mean(axis=1), sets.std(axis=1) / 5000**0.5
    assert 4.7 < sets.mean() < 6  # 5.28 ± 0.2
    assert means.min() > 3.69
    assert np.corrcoef(means, errors)[0, 1] > 0.5
    worst = np.sort(sets, axis=None)[-1000:].sum() / sets.sum()
    assert 0.4 < worst < 0.6
