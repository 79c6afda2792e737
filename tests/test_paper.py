"""The paper's numbers as data: consistent within themselves, and with simulation."""

from math import floor

import numpy as np
import pytest

from lenient import TS, hinge, simulate, standard, suboptimality
from lenient.paper import SCENARIOS

ALL = pytest.mark.parametrize("scenario", SCENARIOS.values(), ids=SCENARIOS)
TWO_ARMED = pytest.mark.parametrize(
    "scenario", [s for s in SCENARIOS.values() if len(s.means) == 2], ids=lambda s: s.name
)
ALGORITHMS = ["TS", "ε-TS"]


@pytest.mark.claim("figure:main", how="exact")
@pytest.mark.claim("figure:smaller-eps", how="exact")
@pytest.mark.claim("figure:additional", how="exact")
def test_every_panel_of_the_paper_is_there():
    assert len(SCENARIOS) == 12  # 4 in the main text, 4 with smaller ε, 4 more
    sizes = [(s.horizon, s.runs) for s in SCENARIOS.values()]
    assert sizes.count((5_000, 50_000)) == 6
    assert sizes.count((100_000, 5_000)) == 5
    assert sizes.count((100_000, 1_000)) == 1


@pytest.mark.claim("table:main", how="exact")
@pytest.mark.claim("table:smaller-eps", how="exact")
@pytest.mark.claim("table:additional", how="exact")
@TWO_ARMED
@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_two_armed_rows_differ_by_the_ratio_of_the_costs(scenario, algorithm):
    """Standard = Δ·N and hinge = (Δ−ε)·N: confirms the means, also the derived ones."""
    gap = suboptimality(scenario.means).max()
    ratio = gap / (gap - scenario.eps)
    rows = [scenario.statistics[algorithm, c] for c in ["standard", "hinge"]]
    for plain, lenient in zip(*rows):
        # both are printed to at most two decimals, some to fewer
        assert plain == pytest.approx(ratio * lenient, abs=0.06 * ratio)


@TWO_ARMED
@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_the_derived_gap_is_the_only_one_that_fits_the_maxima(scenario, algorithm):
    """A maximum is a whole number of plays times the gap, at most the horizon."""
    gap = suboptimality(scenario.means).max()
    plays = scenario.statistics[algorithm, "standard"].max / gap
    assert plays == pytest.approx(round(plays), abs=0.005 / gap + 1e-6)
    assert plays <= scenario.horizon


@pytest.mark.claim("table:main", how="exact")
@pytest.mark.claim("table:smaller-eps", how="exact")
@pytest.mark.claim("table:additional", how="exact")
@ALL
@pytest.mark.parametrize("algorithm", ALGORITHMS)
@pytest.mark.parametrize("criterion, make", [("standard", standard), ("hinge", hinge)])
def test_rows_are_possible(scenario, algorithm, criterion, make):
    row = scenario.statistics[algorithm, criterion]
    gap = make(scenario.eps) if criterion == "hinge" else make()
    worst = gap(suboptimality(scenario.means)).max() * scenario.horizon
    assert 0 < row.mean < row.max <= worst
    assert row.mean < row.percentile99 <= row.max
    # a maximum among `runs` values is at most √runs standard deviations off the mean
    assert row.max - row.mean <= row.std * np.sqrt(scenario.runs) * 1.01


@pytest.mark.claim("figure:smaller-eps", how="exact")
def test_gaps_relative_to_eps_are_kept_in_the_smaller_scenarios():
    for name in ["high", "high-three", "low", "low-three"]:
        large, small = SCENARIOS[name], SCENARIOS[f"{name}-small"]
        assert np.allclose(
            suboptimality(large.means) / large.eps, suboptimality(small.means) / small.eps
        )


@pytest.mark.claim("table:arms", how="exact")
def test_twenty_arms_were_drawn_as_the_paper_says():
    means = SCENARIOS["twenty"].means
    assert len(means) == 20 and max(means) == 0.6
    assert sum(floor(mean / 0.4) == 0 for mean in means) == 10  # in [0, 0.4)
    assert list(means) == sorted(means)


@pytest.mark.claim("figure:additional", how="simulation: 4 standard errors, false alarm 6e-5")
@pytest.mark.parametrize("name", ["transition", "near-eps"])
def test_derived_means_reproduce_the_published_law(name):
    """Thompson sampling's mean within 4 standard errors (false alarm 6e-5 each)."""
    scenario = SCENARIOS[name]
    row = scenario.statistics["TS", "standard"]
    ours = simulate(scenario.means, TS(), 5000, 1500, seed=21, checkpoints=[5000])
    summary = ours.summary(standard())
    error = np.hypot(summary.standard_error, row.std / np.sqrt(scenario.runs))
    assert abs(summary.mean - row.mean) < 4 * error
    # and the other optimal arms the paper uses are ruled out by it
    if name == "near-eps":
        other = simulate((0.8, 0.59), TS(), 5000, 5000, seed=22, checkpoints=[5000])
        wrong = other.summary(standard())
        assert abs(wrong.mean - row.mean) > 4 * wrong.standard_error
