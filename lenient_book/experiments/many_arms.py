"""Standard regret where the means are drawn anew for every run, or the gap is known.

Three kinds of setting, by `kind`:

    priors   many arms, whose means come from a prior; policies with a constant to choose
    map      two arms; ε-TS with several ε, at several horizons
    known    two arms; policies that were told the gap, or the best mean and the gap

What is kept of each policy is its mean regret at a few times, with its standard error. A
policy is named by a word and a number, as in "ε-TS 0.15".
"""

from typing import NamedTuple

import numpy as np

from lenient.divergence import kl_ucb
from lenient.plain import best_arms
from lenient.policies import KLUCB, TS, EpsKLUCB, EpsTS
from lenient.simulation import simulate
from lenient_book.experiments.job import cut, file_of, rounds_of


class Setting(NamedTuple):
    """Bandits by name, policies by name, and when to look.

    Of kind "priors" a bandit is a prior (a word, its numbers, the number of arms) with a
    horizon of its own; of the other kinds it is a list of means.
    """

    name: str
    kind: str
    bandits: dict
    policies: tuple
    times: tuple
    batch: int


class Job(NamedTuple):
    bandit: str
    policy: str
    number: int
    kind: str
    arms: tuple  # a prior, or means
    times: tuple
    runs: int
    seed: int
    draws: tuple

    file, rounds = property(file_of), property(rounds_of)


def jobs(setting, runs, seed):
    """A job for each batch, in a fixed order. All policies of a batch meet the same means."""
    made = []
    for place, (name, arms) in enumerate(setting.bandits.items()):
        times = setting.times
        if setting.kind == "priors":
            *arms, horizon = arms
            times = (horizon,)
        for row, policy in enumerate(setting.policies):
            for n, some in cut(runs, setting.batch):
                draws = (place, n, row)
                job = (name, policy, n, setting.kind, tuple(arms), times, some, seed, draws)
                made.append(Job(*job))
    return made


def run_job(job):
    """Σ and Σ² of the regret over the runs, at each time."""
    if job.kind == "priors":
        regret = regret_on_a_prior(job)
    else:
        s = simulate(
            job.arms,
            policy(job.policy, job.arms),
            job.times[-1],
            job.runs,
            np.random.SeedSequence(job.seed, spawn_key=job.draws),
            job.times,
        )
        regret = s.pulls @ (max(job.arms) - np.array(job.arms))
    return {"sums": regret.sum(axis=0), "squares": (regret**2).sum(axis=0)}


def combine(setting, runs, seed, parts):
    """regret[bandit][policy]: means, and their standard errors, at the times."""
    sums = {}
    for job, part in parts:
        so_far = sums.setdefault((job.bandit, job.policy), np.zeros((2, len(job.times))))
        so_far += [part["sums"], part["squares"]]
    regret = {name: {} for name in setting.bandits}
    for (bandit, name), (first, second) in sums.items():
        mean = first / runs
        variance = np.maximum(second / runs - mean**2, 0) * runs / max(runs - 1, 1)
        error = np.sqrt(variance / runs)
        regret[bandit][name] = [np.round(x, 4).tolist() for x in (mean, error)]
    return {"runs": runs, "seed": seed, "times": list(setting.times), "regret": regret}


# ---- many arms -------------------------------------------------------------------------


def draw_means(prior, shape, rng):
    """Means of a prior: uniform on [a, b], or Beta(a, b)."""
    word, a, b = prior
    return rng.uniform(a, b, shape) if word == "uniform" else rng.beta(a, b, shape)


def regret_on_a_prior(job):
    """Of each run, against the best of all its arms; (runs × 1)."""
    *prior, arms = job.arms
    horizon, runs = job.times[-1], job.runs
    seed = np.random.SeedSequence(job.seed, spawn_key=job.draws[:2])
    means = draw_means(prior, (arms, runs), np.random.default_rng(seed))
    best = means.max(axis=0)
    seed = np.random.SeedSequence(job.seed, spawn_key=(*job.draws, 1))
    rng = np.random.Generator(np.random.SFC64(seed))
    word, constant = job.policy.rsplit(" ", 1)
    play = {"TS": TS(), "ε-TS": EpsTS, "ε-KL-UCB": eps_kl_ucb, "greedy": greedy}
    if "on" in word:  # "TS on": only so many arms, which are as good as any
        some = min(arms, max(2, round(float(constant) * np.sqrt(horizon))))
        means = means[:some]
        chosen = play[word.removesuffix(" on")]
    else:
        chosen = play[word] if word == "TS" else play[word](float(constant))
    pulls = np.zeros(means.shape, np.int64)
    wins = np.zeros_like(pulls)
    for t in range(1, horizon + 1):
        played = best_arms(chosen(pulls, wins, t, rng), pulls.shape, rng)
        pulls += played
        wins += played & (rng.random(runs) < means)
    return ((best - means) * pulls).sum(axis=0)[:, None]


def greedy(pulls, wins, t, rng):
    """Each arm once, then the largest empirical mean."""
    return np.where(pulls == 0, 2, wins / np.maximum(pulls, 1))


def eps_kl_ucb(eps):
    """The plays of `EpsKLUCB`, with U only of the arms that may win: quick with many arms."""

    def scores(pulls, wins, t, rng):
        mean = wins / np.maximum(pulls, 1)
        best, level = mean.max(axis=0), np.log(t)
        # By Pinsker's inequality all others are below the best mean, whatever their U is.
        unsure = (2 * pulls * (best + eps - mean) ** 2 < level) | (pulls == 0)
        index = kl_ucb(mean[unsure], pulls[unsure], level) - eps
        mean[unsure] = np.maximum(mean[unsure], index)
        return mean

    return scores


# ---- what is known beforehand ------------------------------------------------------------


def policy(name, means):
    """The policy of that name; those of a known gap read it off the means."""
    word, _, constant = name.rpartition(" ")
    best, gap = max(means), max(means) - min(means)
    return {
        "TS": lambda: TS(),
        "KL-UCB": lambda: KLUCB(),
        "ε-TS": lambda: EpsTS(float(constant)),
        "ε-KL-UCB": lambda: EpsKLUCB(float(constant)),
        "sweep": lambda: Sweep(best, gap),
        "optimism, gap": lambda: optimism(gap),
        "optimism, both": lambda: optimism(gap, best),
    }[word]()


class Sweep:
    """Knows both: stay with a mean above best − gap/2, else play every arm once."""

    def __init__(self, best, gap):
        self.level = best - gap / 2

    def __call__(self, pulls, wins, t, rng):
        if t == 1:
            self.left = np.ones(pulls.shape, bool)  # arms to be played in the present sweep
        mean = wins / np.maximum(pulls, 1)
        doubt = ~self.left.any(axis=0) & (mean.max(axis=0) < self.level)
        self.left |= doubt
        return np.where(self.left.any(axis=0), self.left, mean)

    def observe(self, arm, reward):
        self.left[arm, np.arange(arm.size)] = False


def optimism(gap, best=None):
    """Two arms a known gap apart: play what is best in the best world not yet ruled out.

    A world is (m, m − gap) or (m − gap, m), and m is `best` where that is known. It is ruled
    out if it leaves the interval mean ± √(2 ln t / N) of an arm.
    """

    def scores(pulls, wins, t, rng):
        mean = wins / np.maximum(pulls, 1)
        radius = np.sqrt(2 * np.log(t) / np.maximum(pulls, 1)) + 1e-9
        radius = np.where(pulls == 0, np.inf, radius)
        low, high = mean - radius, mean + radius
        other = [1, 0]
        least = np.maximum(low, low[other] + gap)  # of the m for which the arm is the best
        most = np.minimum(high, high[other] + gap).clip(max=1)
        if best is not None:
            least, most = np.maximum(least, best), np.minimum(most, best)
        score = np.where(least <= most, most, -1)
        return np.where((score == -1).all(axis=0), 0, score)  # none is left: any arm

    return scores
