"""Rewards between 0 and 1: policies that see them against policies that see them rounded.

What is kept are the mean plays of the bad arm at each time, with standard errors, and the law
of the final plays.
"""

from typing import NamedTuple

import numpy as np
from scipy import stats

from lenient.divergence import kl_ucb
from lenient.laws import Sample, means_of
from lenient.policies import EpsTS
from lenient.rewards import KinfUCB, LenientNPTS
from lenient.simulation import simulate
from lenient_book.experiments.job import cut, file_of, rounds_of


class Setting(NamedTuple):
    """Bandits of two arms by name, ε, when to look, and how many runs make a job."""

    name: str
    bandits: dict
    eps: float
    times: tuple
    batch: int


class Job(NamedTuple):
    bandit: str
    policy: str
    number: int
    arms: tuple
    eps: float
    times: tuple
    runs: int
    seed: int
    draws: tuple

    file, rounds = property(file_of), property(rounds_of)


class ShiftedKLUCB:
    """max(μ̂, U − ε), with d where K_inf would be right: U of KL-UCB on the rewards' mean.

    On rounded rewards, or (sees "rewards") on the mean of the rewards themselves.
    """

    def __init__(self, eps, sees):
        self.eps, self.sees = eps, sees

    def __call__(self, pulls, wins, t, rng):
        if t == 1:
            self.sums = np.zeros(pulls.shape)
        mean = np.minimum(self.sums / np.maximum(pulls, 1), 1)
        index = kl_ucb(mean, pulls, np.log(t))
        return np.maximum(mean, index - self.eps)

    def observe(self, arm, reward):
        self.sums[arm, np.arange(arm.size)] += reward


POLICIES = {
    "ε-TS": EpsTS,
    "ε-KL-UCB": lambda eps: ShiftedKLUCB(eps, "wins"),
    "ε-KL-UCB, d on rewards": lambda eps: ShiftedKLUCB(eps, "rewards"),
    KinfUCB.name: KinfUCB,
    LenientNPTS.name: LenientNPTS,
}


def laws(arms):
    """The arms of a setting as laws."""
    word, numbers = arms
    if word == "beta":
        return [stats.beta(a, b) for a, b in numbers]
    values, *probs = numbers
    return [Sample(values, each) for each in probs]


def jobs(setting, runs, seed):
    """A job for each batch, in a fixed order."""
    return [
        Job(name, policy, n, arms, setting.eps, setting.times, some, seed, (place, row, n))
        for place, (name, arms) in enumerate(setting.bandits.items())
        for row, policy in enumerate(POLICIES)
        for n, some in cut(runs, setting.batch)
    ]


def run_job(job):
    """The plays of the second arm, in each run and at each time."""
    arms = laws(job.arms)
    if job.policy == EpsTS.name:  # rounded rewards are 1 with the mean as their chance
        arms = means_of(arms)
    seed = np.random.SeedSequence(job.seed, spawn_key=job.draws)
    policy = POLICIES[job.policy](job.eps)
    s = simulate(arms, policy, job.times[-1], job.runs, seed, job.times)
    return {"plays": s.pulls[:, :, 1]}


def combine(setting, runs, seed, parts):
    """plays[bandit][policy]: means and standard errors at the times, and the largest plays."""
    plays = {name: {} for name in setting.bandits}
    for job, part in parts:
        plays[job.bandit].setdefault(job.policy, []).append(part["plays"])
    kept = {name: {} for name in setting.bandits}
    for name, by_policy in plays.items():
        for policy, pieces in by_policy.items():
            x = np.concatenate(pieces)
            growth = x[:, -1] - x[:, list(setting.times).index(1000)]
            root = np.sqrt(len(x))
            kept[name][policy] = {
                "mean": np.round(x.mean(axis=0), 4).tolist(),
                "error": np.round(x.std(axis=0, ddof=1) / root, 4).tolist(),
                "growth": [round(growth.mean(), 4), round(growth.std(ddof=1) / root, 4)],
                "largest": np.sort(x[:, -1])[::-1][:20].tolist(),
            }
    about = {"eps": setting.eps, "times": list(setting.times), "runs": runs, "seed": seed}
    return {**about, "bandits": setting.bandits, "plays": kept}
