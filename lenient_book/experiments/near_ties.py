"""When does Thompson sampling overtake ε-TS? The mean plays of near ties, batch by batch.

Near ties are played round by round, so the crossing of two mean regrets takes minutes to
see, which is too long for a chapter. Whole batches are kept because all points of a curve
come from the same runs: to say how well a crossing is known, one resamples batches.
"""

from typing import NamedTuple

from lenient_book.experiments.job import ALGORITHMS, Job, cut, simulation


class Setting(NamedTuple):
    """Bandits by name, when to look, and how many runs to take together."""

    name: str
    bandits: dict  # of means
    eps: float
    times: tuple
    batch: int


def jobs(setting, runs, seed):
    """A job for each batch, in a fixed order."""
    eps, times = setting.eps, setting.times
    return [
        Job(name, algorithm, n, tuple(means), eps, times, some, seed, (place, row, n))
        for place, (name, means) in enumerate(setting.bandits.items())
        for row, algorithm in enumerate(ALGORITHMS)
        for n, some in cut(runs, setting.batch)
    ]


def run_job(job):
    """The mean plays of all arms but the first, at each time."""
    return {"plays": simulation(job).pulls[:, :, 1:].mean(axis=0).round(2)}


def combine(setting, runs, seed, parts):
    """plays[bandit][algorithm]: batches × times × (plays of arm 2, of arm 3)."""
    plays = {name: {algorithm: [] for algorithm in ALGORITHMS} for name in setting.bandits}
    for job, part in parts:
        plays[job.bandit][job.algorithm].append(part["plays"].tolist())
    about = {"eps": setting.eps, "batch": setting.batch, "times": list(setting.times)}
    return {**about, "bandits": setting.bandits, "runs": runs, "seed": seed, "plays": plays}
