"""ε-KL-UCB against the lower bound, its rivals and its price: the numbers of chapter 14.

One job is one policy on one bandit. What is kept of its runs are the plays of each arm at
each time and their growth from there to the end, the regret at the end, and how often a
run was stuck with arms that are not the best.
"""

from typing import NamedTuple

import numpy as np

from lenient.divergence import kl
from lenient.exact import decimal
from lenient.gaps import hinge, standard
from lenient.policies import POLICIES
from lenient.simulation import simulate
from lenient_book.experiments.job import Job


class EpsIMED:
    """IMED with ε: the leader plays unless N·d(S/N, μ̂*+ε) + ln N is below its ln N."""

    name = "ε-IMED"

    def __init__(self, eps):
        self.eps = eps

    def __call__(self, pulls, wins, t, rng):
        mean = wins / np.maximum(pulls, 1)
        best = mean.max(axis=0)
        doubt = kl(mean, np.minimum(best + self.eps, 1))
        with np.errstate(invalid="ignore", divide="ignore"):
            index = pulls * np.where(mean == best, 0, doubt) + np.log(pulls)
        never = np.where(best + self.eps > 1, np.inf, -np.inf)  # an arm never played
        return -np.where(pulls == 0, never, index)


class ShiftedTS:
    """max(S/N, θ − ε), θ drawn as in Thompson sampling: the same shift, at random."""

    name = "shifted TS"

    def __init__(self, eps):
        self.eps = eps

    def __call__(self, pulls, wins, t, rng):
        theta = rng.beta(wins + 1, pulls - wins + 1)
        return np.maximum(wins / np.maximum(pulls, 1), theta - self.eps)


#: Designs that were not chosen, and are played round by round.
OTHERS = {each.name: each for each in (EpsIMED, ShiftedTS)}


class Line(NamedTuple):
    """One policy on one bandit: when to look, and how many runs for each of the setting's."""

    group: str
    algorithm: str
    means: tuple
    eps: float
    times: tuple
    share: float

    @property
    def bandit(self):
        return ", ".join(f"{mean:g}" for mean in self.means)


class Setting(NamedTuple):
    name: str
    lines: tuple


def jobs(setting, runs, seed):
    """A job for each line."""
    made = []
    for place, line in enumerate(map(Line._make, setting.lines)):
        some = max(round(runs * line.share), 2)
        label = f"{line.group}-{place}"
        job = Job(label, line.algorithm, 0, tuple(line.means), line.eps, tuple(line.times))
        made.append(job._replace(runs=some, seed=seed, draws=(14, place)))
    return made


def run_job(job):
    """Means and standard errors over the runs."""
    known = job.algorithm in POLICIES
    policy = (POLICIES if known else OTHERS)[job.algorithm](job.eps)
    played = simulate(
        job.means,
        policy,
        job.times[-1],
        job.runs,
        np.random.SeedSequence(job.seed, spawn_key=job.draws),
        job.times,
        engine="leap" if known else "plain",
    )
    growth = played.pulls[:, -1:] - played.pulls
    exact = [decimal(mean) for mean in job.means]
    bad = [max(exact) - mean > decimal(job.eps) for mean in exact]
    taken = played.pulls[:, :, bad].sum(axis=2)
    part = {
        "plays": played.pulls.mean(axis=0),
        "plays_error": _error(played.pulls),
        "growth": growth.mean(axis=0),
        "growth_error": _error(growth),
        "bad": taken.mean(axis=0),
        "bad_error": _error(taken),
        "stuck": (2 * taken >= played.times).mean(axis=0),
    }
    for name, gap in (("hinge", hinge(job.eps)), ("standard", standard())):
        last = played.regret(gap)[:, -1]
        top = np.percentile(last, 99), last.max()
        part[name] = np.array([last.mean(), _error(last), *top])
    return part


def _error(sample):
    """The standard error of the mean over the runs."""
    return sample.std(axis=0, ddof=1) / np.sqrt(len(sample))


def combine(setting, runs, seed, parts):
    """{group: {bandit: {algorithm: what its job gave}}}, and the sizes."""
    lines = map(Line._make, setting.lines)
    groups: dict = {}
    for line, (job, part) in zip(lines, parts, strict=True):
        place = groups.setdefault(line.group, {}).setdefault(line.bandit, {})
        numbers = {name: _short(value) for name, value in part.items()}
        about = {"eps": line.eps, "times": list(line.times), "runs": job.runs}
        place[line.algorithm] = about | {"means": list(line.means)} | numbers
    return {"runs": runs, "seed": seed, "groups": groups}


def _short(value):
    """Lists of numbers of six digits."""
    if np.ndim(value):
        return [_short(entry) for entry in value]
    return float(f"{float(value):.6g}")
