"""Other leniencies: how often each arm is played, decade by decade, case by case.

Runs to 10⁹ rounds leap. Those of the top-m rule visit every round, which is too long for a
chapter. Kept are means with their standard errors, and the growth from `first` to the end
per unit of ln t, which is computed run by run.
"""

from typing import NamedTuple

import numpy as np

from lenient.gaps import indicator, top, unacceptable
from lenient.leniency import LenientKLUCB, TopLeader, multiplicative, threshold
from lenient.policies import KLUCB, TS
from lenient.simulation import simulate
from lenient_book.experiments.job import cut, file_of, rounds_of

RULES = {
    "multiplicative": lambda value: LenientKLUCB(multiplicative(value)),
    "threshold": lambda value: LenientKLUCB(threshold(value)),
    "top": TopLeader,
    "KL-UCB": lambda value: KLUCB(),
    "TS": lambda value: TS(),
}
# What counts as a bad play.
CRITERIA = {
    "multiplicative": lambda value: unacceptable(multiplicative(value)),
    "threshold": lambda value: unacceptable(threshold(value)),
    "top": top,
    "KL-UCB": lambda value: indicator(0),
    "TS": lambda value: indicator(0),
}
PIECE = 200  # runs of a job


class Case(NamedTuple):
    """Who plays on what, how long, and from when on the growth is measured."""

    rule: str
    value: float | None
    means: tuple
    horizon: int
    first: int
    share: float = 1.0  # of the experiment's runs


class Setting(NamedTuple):
    name: str
    cases: dict  # of Case


class Job(NamedTuple):
    case: str
    number: int
    rule: str
    value: float | None
    means: tuple
    times: tuple
    runs: int
    seed: int
    draws: tuple

    file, rounds = property(file_of), property(rounds_of)


def decades(horizon):
    return tuple(10**k for k in range(2, len(str(horizon))))


def jobs(setting, runs, seed):
    """A job for each piece of a case, in a fixed order."""
    return [
        Job(name, n, *case[:3], decades(case.horizon), some, seed, (place, n))
        for place, (name, case) in enumerate(setting.cases.items())
        for n, some in cut(max(round(runs * case.share), 2), PIECE)
    ]


def run_job(job):
    """Plays of every arm in every run, after each decade."""
    played = simulate(
        job.means,
        RULES[job.rule](job.value),
        job.times[-1],
        job.runs,
        np.random.SeedSequence(job.seed, spawn_key=job.draws),
        job.times,
        engine="plain" if job.rule == "top" else "leap",
    )
    return {"pulls": played.pulls}


def combine(setting, runs, seed, parts):
    """By case: plays and slopes of every arm, each a list of means and one of errors."""
    found = {}
    for name, case in setting.cases.items():
        pulls = np.concatenate([part["pulls"] for job, part in parts if job.case == name])
        times = decades(case.horizon)
        growth = (pulls[:, -1] - pulls[:, times.index(case.first)]).astype(float)
        slope = growth / np.log(case.horizon / case.first)
        bad = np.asarray(CRITERIA[case.rule](case.value).costs(case.means)) > 0
        found[name] = {
            "means": list(case.means),
            "times": list(times),
            "first": case.first,
            "runs": len(pulls),
            "plays": _mean_and_error(pulls),
            "slope": _mean_and_error(slope),
            "bad slope": _mean_and_error(slope[:, bad].sum(axis=1)),
            "bad plays": _mean_and_error(pulls[:, :, bad].sum(axis=2)),
            "most": pulls[:, -1].max(axis=0).tolist(),
        }
    return {"runs": runs, "seed": seed, "cases": found}


def _mean_and_error(sample):
    error = sample.std(axis=0, ddof=1) / np.sqrt(len(sample))
    return [np.round(sample.mean(axis=0), 5).tolist(), np.round(error, 5).tolist()]
