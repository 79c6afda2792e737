"""What the chapters show of stored results: tables, tails and crossings."""

import numpy as np
import pytest

from lenient import TS, EpsTS, simulate, standard
from lenient_book import experiments
from lenient_book.experiments import laws
from lenient_book.shown import Crossing, crossing, difference, stored_tail
from lenient_book.tables import Table, plus_minus


def test_a_table_is_html_on_a_page_and_text_elsewhere():
    table = Table(["policy", "plays"], [["TS", plus_minus(13.04, 0.2, 1)], ["<ε>", "–"]])
    assert repr(table) == "policy       plays\nTS      13.0 ± 0.2\n<ε>              –"
    html = table._repr_html_()
    assert html.count("<tr>") == 3 and "&lt;ε&gt;" in html and "<ε>" not in html
    assert '<td style="text-align: right">13.0 ± 0.2</td>' in html
    assert '<th scope="col" style="text-align: left; white-space: normal">policy</th>' in html


def test_numbers_stand_on_the_right_and_words_on_the_left():
    rows = [["0.5, 0.2", "1,000", "10^6", "8% ± 1%", "–"], ["0.9, 0.6", "7", "-3.2", "6%", "1"]]
    assert Table("abcde", rows)._right == [False, True, True, True, True]
    assert plus_minus(1.7531, 0.0042) == "1.753 ± 0.004" and plus_minus(1, 0) == "1.00 ± 0.00"


def test_a_row_that_is_too_short_is_refused():
    with pytest.raises(ValueError, match="2 cells"):
        Table(["a", "b"], [["1"]])


def test_a_stored_tail_is_that_of_the_runs():
    """Kept from quantiles, it is within a step of them the share that one counts."""
    scenario = laws.Setting("tie", (0.5, 0.4), 0.2, 300)
    parts = [(job, laws.run_job(job)) for job in laws.jobs(scenario, 500)]
    result = laws.combine(scenario, 500, laws.SEED, parts)
    pulls = np.concatenate([part["pulls"] for job, part in parts if job.algorithm == "TS"])
    regret = pulls[:, 1] * 0.1
    x, share = stored_tail(result, "TS")
    assert (np.diff(x) >= 0).all() and (np.diff(share) < 0).all()
    counted = (regret[:, None] >= x - 1e-9).mean(axis=0)
    top = x >= result.tops["TS", "standard"][-1]
    assert share[-1] == 1 / 500 and x[-1] == pytest.approx(regret.max())
    # without ties the i-th largest is reached by exactly i runs, with ties by more
    assert (counted[top] >= share[top] - 1e-12).all()
    assert np.abs(counted - share).max() < 0.05


def test_the_difference_is_that_of_the_regrets():
    """Of two batches, against the regret that the simulations report themselves."""
    means, times = (0.5, 0.4, 0.2), [50, 90]
    runs = {
        label: [simulate(means, policy, 90, 30, seed, times) for seed in (1, 2)]
        for label, policy in [("TS", TS()), ("ε-TS", EpsTS(0.2))]
    }
    plays = {
        label: [s.pulls[:, :, 1:].mean(axis=0).tolist() for s in batches]
        for label, batches in runs.items()
    }
    got = difference({"bandits": {"a": means}, "plays": {"a": plays}}, "a")
    regrets = {
        label: np.array([s.regret(standard()).mean(axis=0) for s in batches])
        for label, batches in runs.items()
    }
    mean = regrets["ε-TS"].mean(axis=0) - regrets["TS"].mean(axis=0)
    assert got.mean == pytest.approx(mean)
    assert got.parts.sum(axis=1) == pytest.approx(mean)
    # two batches x and y have the standard error |x − y|/2
    halves = [np.ptp(x, axis=0) / 2 for x in regrets.values()]
    assert got.error == pytest.approx(np.hypot(*halves))


TIMES = np.array([1000, 10_000, 100_000])


@pytest.mark.parametrize(
    "mean, expected",
    [
        ([-10, 0, 10], (10_000, 10_000 / 10**0.196, 10_000 * 10**0.196)),
        ([-10, -5, 1], (10 ** (4 + 5 / 6), 10 ** (4 + 3.04 / 6), np.inf)),
        ([-10, -5, -1], (np.inf, 10 ** (4 + 3.04 / 4), np.inf)),
        ([-10, -9, -8], (np.inf, np.inf, np.inf)),
    ],
)
def test_a_crossing_and_its_interval(mean, expected):
    assert crossing(TIMES, mean, np.ones(3)) == pytest.approx(Crossing(*expected))


def test_the_interval_holds_the_crossing_in_95_per_cent():
    """A random walk below and then above 0: 1000 times, 5 % ± 0.7 %, at 4 errors."""
    rng = np.random.default_rng(4)
    times = np.arange(1, 41)
    truth = 0.5 * (times - 20.5)
    missed = 0
    for _ in range(1000):
        noise = rng.normal(size=40).cumsum()
        found = crossing(times, truth + noise, np.sqrt(times))
        missed += not found.first <= 20.5 <= found.last
    assert 20 < missed < 78


def test_the_stored_experiment_can_be_shown():
    stored = experiments.load("crossing")
    times = stored["times"]
    for bandit in stored["bandits"]:
        mean, error = difference(stored, bandit)[:2]
        found = crossing(times, mean, error)
        assert mean[0] < -2 * error[0] and found.first > times[0]
        assert found.first <= found.time <= found.last


def test_formats_are_those_of_the_columns():
    table = Table(["a", "b", "c"], [("x", 0.5, (8.218, 0.021))], ["", ".0%", ".2f"])
    assert table.rows == [["x", "50%", "8.22 ± 0.02"]]
    with pytest.raises(ValueError, match="formats must have 2 items"):
        Table(["a", "b"], [], [".1f"])
