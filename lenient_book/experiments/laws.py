"""The law of the regret in a scenario: its mean over time, and its tail at the end.

A scenario, with its `name`, `means`, `eps` and `horizon`, is cut into jobs of a few
seconds; what they give is combined in their order, so that it does not matter who ran them.
"""

from typing import NamedTuple

import numpy as np

from lenient.gaps import CRITERIA as EVERY_CRITERION
from lenient.gaps import costs
from lenient.simulation import log_checkpoints
from lenient_book.experiments.job import ALGORITHMS, Job, cut, simulation

SEED = 2021
CRITERIA = ("standard", "hinge")
ROUNDS_PER_JOB = 5_000_000
# Where the law of the final regret is recorded: every per cent, and closer to the top.
TOP = 50  # so many of the largest regrets are kept
LEVELS = np.unique(np.append(np.linspace(0, 1, 101), 1 - np.geomspace(0.01, 1e-5, 31)))


class Setting(NamedTuple):
    """All of a scenario that its runs depend on."""

    name: str
    means: tuple
    eps: float
    horizon: int


class Curve(NamedTuple):
    """Mean regret over the runs at each of the times, and its standard error."""

    mean: np.ndarray
    error: np.ndarray


class Statistics(NamedTuple):
    """The law of the final regret, in the numbers of the paper's tables."""

    mean: float
    std: float
    percentile99: float
    max: float
    standard_error: float


class Errors(NamedTuple):
    """Standard errors. That of the standard deviation is itself shaky for heavy tails."""

    mean: float
    std: float
    percentile99: float


class Result(NamedTuple):
    """What is kept of a scenario. Most dicts have keys (algorithm, criterion)."""

    scenario: str
    runs: int
    seed: int
    times: np.ndarray
    curves: dict  # of Curve
    statistics: dict  # of Statistics, at the last time
    errors: dict  # of Errors: how sure these numbers are
    laws: dict  # quantiles of the final regret at LEVELS
    tops: dict  # the largest final regrets, in falling order
    shares: dict  # by algorithm: the share of runs in which each arm was played most


def gap_functions(eps):
    return {name: EVERY_CRITERION[name](eps) for name in CRITERIA}


def checkpoints(horizon):
    """A hundred evenly spaced and as many evenly spaced in ln t."""
    even = np.linspace(0, horizon, 101, dtype=np.int64)[1:]
    return np.union1d(even, log_checkpoints(horizon, 100))


def jobs(scenario, runs, seed=SEED):
    """The jobs that make up a scenario, in a fixed order."""
    name, means, eps = scenario.name, tuple(scenario.means), scenario.eps
    times = tuple(checkpoints(scenario.horizon).tolist())
    size = max(ROUNDS_PER_JOB // scenario.horizon, 1)
    return [
        Job(name, algorithm, n, means, eps, times, some, seed, (*name.encode(), row, n))
        for row, algorithm in enumerate(ALGORITHMS)
        for n, some in cut(runs, size)
    ]


def run_job(job):
    """Σ and Σ² of the regret over the job's runs, at each time, and the last pull counts."""
    played = simulation(job)
    regrets = [played.regret(gap) for gap in gap_functions(job.eps).values()]
    return {
        "sums": np.array([regret.sum(axis=0) for regret in regrets]),
        "squares": np.array([(regret**2).sum(axis=0) for regret in regrets]),
        "pulls": played.pulls[:, -1],
    }


def combine(scenario, runs, seed, parts):
    """The result of a scenario from those of its jobs, (job, part) in their order."""
    curves, statistics, errors, laws, tops, shares = {}, {}, {}, {}, {}, {}
    for algorithm in ALGORITHMS:
        mine = [part for job, part in parts if job.algorithm == algorithm]
        sums, squares = (sum(part[name] for part in mine) for name in ("sums", "squares"))
        pulls = np.concatenate([part["pulls"] for part in mine])
        favourites = np.bincount(pulls.argmax(axis=1), minlength=len(scenario.means))
        shares[algorithm] = favourites / runs
        for row, (criterion, gap) in enumerate(gap_functions(scenario.eps).items()):
            mean = sums[row] / runs
            variance = (squares[row] - runs * mean**2) / max(runs - 1, 1)
            error = np.sqrt(np.maximum(variance, 0) / runs)
            final = pulls @ costs(gap, scenario.means)
            std = final.std(ddof=1) if runs > 1 else np.nan
            numbers = (final.mean(), std, np.percentile(final, 99), final.max())
            key = algorithm, criterion
            curves[key] = Curve(mean, error)
            statistics[key] = Statistics(*numbers, std / np.sqrt(runs))
            errors[key] = standard_errors(final)
            laws[key] = np.quantile(final, LEVELS)
            tops[key] = np.sort(final)[::-1][:TOP]
    times = checkpoints(scenario.horizon)
    kept = (times, curves, statistics, errors, laws, tops, shares)
    return Result(scenario.name, runs, seed, *kept)


def standard_errors(sample):
    """Of mean, standard deviation (by the fourth moment) and 99th percentile.

    The rank of the percentile among n is known to ±√(n·0.99·0.01).
    """
    n = sample.size
    away = sample - sample.mean()
    variance = (away**2).mean()
    of_variance = np.sqrt(((away**4).mean() - variance**2) / n)
    rank = np.sqrt(0.99 * 0.01 / n)
    low, high = np.quantile(sample, [max(0.99 - rank, 0), min(0.99 + rank, 1)])
    return Errors(
        np.sqrt(variance / n),
        of_variance / (2 * np.sqrt(variance)) if variance else 0.0,
        (high - low) / 2,
    )


# ---- as JSON -------------------------------------------------------------------------


def to_plain(value):
    """Dicts, lists and numbers of nine digits."""
    if isinstance(value, dict):
        return {
            key if isinstance(key, str) else ", ".join(key): to_plain(entry)
            for key, entry in value.items()
        }
    if hasattr(value, "_asdict"):
        return to_plain(value._asdict())
    if isinstance(value, (np.ndarray, list)):
        return [to_plain(entry) for entry in np.asarray(value).tolist()]
    return float(f"{value:.9g}") if isinstance(value, float) else value


def from_plain(stored):
    """The Result that was made plain."""

    def keyed(name, kind):
        return {tuple(key.split(", ")): kind(entry) for key, entry in stored[name].items()}

    return Result(
        stored["scenario"],
        stored["runs"],
        stored["seed"],
        np.array(stored["times"]),
        keyed("curves", lambda curve: Curve(*map(np.array, curve.values()))),
        keyed("statistics", lambda entry: Statistics(**entry)),
        keyed("errors", lambda entry: Errors(**entry)),
        keyed("laws", np.array),
        keyed("tops", np.array),
        {name: np.array(share) for name, share in stored["shares"].items()},
    )
