"""What the chapters on experiments show of stored results: tables, tails, crossings."""

from typing import NamedTuple

import numpy as np

from lenient.paper import SCENARIOS
from lenient_book.experiments import LEVELS, compare
from lenient_book.tables import Table, plus_minus


def by_means(name):
    """A scenario by its means, as in "0.9, 0.85, 0.6"."""
    means = SCENARIOS[name].means
    return ", ".join(f"{mean:g}" for mean in means) if len(means) < 5 else "twenty arms"


# ---- ours beside the paper's ---------------------------------------------------------


def means_beside(results):
    """The mean regrets of some results beside those of the paper."""
    return Table(
        ["means", "policy", "regret", "ours", "paper", "p"],
        [
            [by_means(name), row.algorithm, row.criterion]
            + [plus_minus(row.ours, row.error), plus_minus(row.paper, row.paper_error)]
            + [f"{row.p:.2f}"]
            for name, result in results.items()
            for row in compare(result)
            if row.number == "mean"
        ],
    )


def spreads_beside(results):
    """Deviations, 99th percentiles and maxima beside those of the paper."""
    lines = []
    for name, result in results.items():
        rows = {tuple(row[:3]): row for row in compare(result)}
        for key in result.statistics:
            cells = [by_means(name), *key]
            for number in ("std", "percentile99", "max"):
                row = rows[(*key, number)]
                ours = f"{row.ours:.1f}"
                if number != "max":  # which has no standard error
                    ours = plus_minus(row.ours, row.error, 1)
                cells += [ours, f"{row.paper:.1f}"]
            lines.append(cells)
    numbers = ["std", "paper", "99 %", "paper", "max", "paper"]
    return Table(["means", "policy", "regret", *numbers], lines)


# ---- tails ---------------------------------------------------------------------------


def stored_tail(result, algorithm, criterion="standard"):
    """(x, share of the runs with a final regret of at least x), in rising order of x.

    The quantiles, and at the top every single run that is kept.
    """
    law, top = (kept[algorithm, criterion] for kept in (result.laws, result.tops))
    body = LEVELS < 1 - len(top) / result.runs
    x = np.append(law[body], top[::-1])
    counts = np.arange(len(top), 0, -1)
    return x, np.append(1 - LEVELS[body], counts / result.runs)


# ---- when does one policy overtake the other? ----------------------------------------


class Difference(NamedTuple):
    """ε-TS minus TS in standard regret, at each time: in all, and at arms 2 and 3."""

    mean: np.ndarray
    error: np.ndarray
    parts: np.ndarray
    part_errors: np.ndarray


class Crossing(NamedTuple):
    """When the mean difference changes its sign; ∞ is beyond the end of the runs.

    first, last     the ends of an interval of 95 % confidence
    """

    time: float
    first: float
    last: float


def difference(stored, bandit):
    """Of two policies that have played the same bandit in independent runs."""
    means = np.array(stored["bandits"][bandit])
    cost = {
        label: np.array(plays) * (means[0] - means[1:])
        for label, plays in stored["plays"][bandit].items()
    }
    wholes = {label: x.sum(axis=2) for label, x in cost.items()}
    numbers = []
    for x in (wholes, cost):
        ours, theirs = x["ε-TS"], x["TS"]
        errors = [y.std(axis=0, ddof=1) / np.sqrt(len(y)) for y in (ours, theirs)]
        numbers += [ours.mean(axis=0) - theirs.mean(axis=0), np.hypot(*errors)]
    return Difference(*numbers)


def crossing(times, mean, error, z=1.96):
    """Where a difference that begins below 0 comes up through it, and how sure that is.

    The interval has all times at which a test at the level of 5 % finds no difference. It
    misses the true crossing only if the test at that one time errs, however the points of
    the curve depend on each other.
    """
    score = np.asarray(mean) / error
    ups = [_ups(times, score - level) for level in (-z, 0, z)]
    first, middle, last = (x[0] if x else np.inf for x in (ups[0], ups[1], ups[2][-1:]))
    if score[-1] <= z:  # there is no telling at the end
        last = np.inf
    return Crossing(middle, first, last)


def _ups(times, curve):
    """Where a curve comes up through 0, on a logarithmic axis of time."""
    up = np.flatnonzero((curve[:-1] < 0) & (curve[1:] >= 0))
    part = -curve[up] / (curve[up + 1] - curve[up])
    x = np.log(times)
    return np.exp(x[up] + part * (x[up + 1] - x[up])).tolist()
