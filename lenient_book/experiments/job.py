"""A job: some runs of one policy on one bandit, with draws of their own.

It carries all that it needs, so that it can be run anywhere, and depends on no table of
published numbers.
"""

from typing import NamedTuple

import numpy as np

from lenient.policies import POLICIES, TS, EpsTS
from lenient.simulation import simulate

ALGORITHMS = (TS.name, EpsTS.name)


def file_of(job):
    """The file of what it gave. Its first three fields set a job apart from all others."""
    return "-".join(map(str, job[:3])).replace("/", "_") + ".part"


def rounds_of(job):
    return job.runs * job.times[-1]


class Job(NamedTuple):
    bandit: str
    algorithm: str
    number: int
    means: tuple
    eps: float
    times: tuple
    runs: int = 1
    seed: int = 0
    draws: tuple = ()  # numbers that set these draws apart from all others of the seed

    file, rounds = property(file_of), property(rounds_of)


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
