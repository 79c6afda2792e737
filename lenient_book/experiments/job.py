"""A job: some runs of one policy on one bandit, with draws of their own.

It carries all that it needs, so that it can be run anywhere, and depends on no table of
published numbers.
"""

from typing import NamedTuple

import numpy as np

from lenient.policies import POLICIES, TS, EpsTS
from lenient.simulation import simulate

ALGORITHMS = (TS.name, EpsTS.name)


class Job(NamedTuple):
    bandit: str
    algorithm: str
    number: int
    means: tuple
    eps: float
    times: tuple
    runs: int
    seed: int
    draws: tuple  # numbers that set these draws apart from all others of the seed

    @property
    def file(self):
        return f"{self.bandit}-{self.algorithm}-{self.number}.part"

    @property
    def rounds(self):
        return self.runs * self.times[-1]


def cut(runs, size):
    """(number, runs) of pieces of at most this size."""
    return [(n, min(size, runs - start)) for n, start in enumerate(range(0, runs, size))]


def simulation(job):
    """The runs of a job."""
    return simulate(
        job.means,
        POLICIES[job.algorithm](job.eps),
        job.times[-1],
        job.runs,
        np.random.SeedSequence(job.seed, spawn_key=job.draws),
        job.times,
        engine="leap",
    )
