"""Our numbers beside those of the paper's tables."""

from typing import NamedTuple

import numpy as np
from scipy import stats

from lenient.gaps import costs
from lenient.paper import SCENARIOS
from lenient_book.experiments.laws import Errors, gap_functions

# Of a difference, divided by its error.
LAWS = {"mean": stats.norm, "std": stats.t(4), "percentile99": stats.t(4)}


class Comparison(NamedTuple):
    """One number of the paper's tables beside ours; p = 1 where nothing can be told."""

    algorithm: str
    criterion: str
    number: str
    ours: float
    error: float
    paper: float
    paper_error: float
    p: float


def compare(result, scenario=None):
    """Each number of the paper's table for this scenario (or of another's) against ours.

    Mean, deviation and percentile: a two-sided test of the difference, less the half unit of
    the paper's last digit and, for the percentile, less the step between values that the
    regret can take. For a mean it is a normal test. The errors of a deviation and of a high
    percentile are known from few large runs only, and such a difference scatters as Student's
    law of four degrees of freedom, or less: found by trying it where nothing differs
    (`tests/test_experiments_comparison.py`). Maximum: how many of our runs exceed the paper's
    one; if both are samples of one law, k or more do with probability about 2^−k (k ≤ 50 is
    recorded).
    """
    scenario = scenario or SCENARIOS[result.scenario]
    rows = []
    for key, ours in result.statistics.items():
        theirs, errors = scenario.statistics[key], result.errors[key]
        steps = costs(gap_functions(scenario.eps)[key[1]], scenario.means)
        unknown = {"percentile99": steps[steps > 0].min()}
        paper_errors = _published_errors(theirs, errors, scenario.runs)
        for name in Errors._fields:
            mine, printed = getattr(ours, name), getattr(theirs, name)
            error, paper_error = getattr(errors, name), getattr(paper_errors, name)
            difference = abs(mine - printed) - unknown.get(name, 0) - 0.005
            z = max(difference, 0) / max(np.hypot(error, paper_error), 1e-12)
            p = 2 * LAWS[name].sf(z)
            rows.append((*key, name, mine, error, printed, paper_error, p))
        above = int((result.tops[key] > theirs.max + 0.005).sum())
        rows.append((*key, "max", ours.max, np.nan, theirs.max, np.nan, 0.5**above))
    return [Comparison(*row) for row in rows]


def _published_errors(published, ours, runs):
    """What the paper's four numbers tell of their own errors.

    That of the deviation needs the fourth moment, which is at least maximum⁴/runs; else
    ours is taken, and for the percentile always.
    """
    fourth = max(published.max**4 / runs - published.std**4, 0)
    of_std = np.sqrt(fourth / runs) / (2 * published.std)
    return Errors(published.std / np.sqrt(runs), max(of_std, ours.std), ours.percentile99)


def table(result):
    """Ours beside the paper's, as text."""
    lines = [f"{result.scenario} ({result.runs} runs)"]
    for (algorithm, criterion), ours in result.statistics.items():
        theirs = SCENARIOS[result.scenario].statistics[algorithm, criterion]
        lines.append(
            f"  {algorithm:5}{criterion:9} mean {ours.mean:8.2f} ± {ours.standard_error:.2f}"
            f"  std {ours.std:8.2f}  99 % {ours.percentile99:8.2f}  max {ours.max:8.2f}"
            f"   paper {theirs.mean:g}, {theirs.std:g}, {theirs.percentile99:g}, {theirs.max:g}"
        )
    return "\n".join(lines)
