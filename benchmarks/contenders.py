"""Thompson sampling as each contender plays it.

    play(means, horizon, runs, seed) -> how often each run pulled the second arm

Every one starts from the flat prior Beta(1, 1) and plays from the first round on.
"""

import contextlib
import io
import random

import numpy as np
import scipy.special

import lenient

# SMPyBandits 0.9.7 is older than the SciPy that lenient runs on. It imports a function
# that is gone since, and that Thompson sampling never calls; this is its new name.
scipy.special.btdtri = scipy.special.betaincinv

with contextlib.redirect_stdout(io.StringIO()):  # it greets with a page of warnings
    from SMPyBandits.Arms import Bernoulli
    from SMPyBandits.Policies import Thompson

from mabwiser.mab import MAB, LearningPolicy  # noqa: E402


def play_lenient(means, horizon, runs, seed):
    """The engine that visits every step: nothing is won by leaving steps out."""
    result = lenient.simulate(means, lenient.TS(), horizon, runs, seed, engine="plain")
    return result.pulls[:, -1, 1]


def play_smpybandits(means, horizon, runs, seed):
    """Its policy in a bare loop, on rewards drawn ahead by its arms (`cache_rewards`).

    Of the ways tried the one with the lowest times: its Evaluator does the same and
    also keeps records, which seems to cost it a few per cent (README.md).
    """
    np.random.seed(seed)
    random.seed(seed)
    arms = [Bernoulli(mean) for mean in means]
    rewards = np.stack([arm.draw_nparray((runs, horizon)) for arm in arms])
    pulls = []
    for run in range(runs):
        policy = Thompson(len(means))
        policy.startGame()
        second = 0
        for t in range(horizon):
            arm = policy.choice()
            second += arm
            policy.getReward(arm, rewards[arm, run, t])
        pulls.append(second)
    return pulls


def play_mabwiser(means, horizon, runs, seed):
    """`predict` and `partial_fit` each round, with arrays to spare it a conversion."""
    rng = random.Random(seed)
    pulls = []
    for _ in range(runs):
        policy = LearningPolicy.ThompsonSampling()
        bandit = MAB([0, 1], policy, seed=rng.getrandbits(32))
        bandit.fit(np.array([], dtype=int), np.array([]))  # no data: the prior
        second = 0
        for _ in range(horizon):
            arm = bandit.predict()
            second += arm
            reward = int(rng.random() < means[arm])
            bandit.partial_fit(np.array([arm]), np.array([reward]))
        pulls.append(second)
    return pulls


def play_plain_python(means, horizon, runs, seed):
    """The loop one would write with nothing but the standard library."""
    rng = random.Random(seed)
    draw, uniform = rng.betavariate, rng.random
    pulls = []
    for _ in range(runs):
        alpha, beta = [1, 1], [1, 1]
        for _ in range(horizon):
            arm = draw(alpha[0], beta[0]) < draw(alpha[1], beta[1])
            if uniform() < means[arm]:
                alpha[arm] += 1
            else:
                beta[arm] += 1
        pulls.append(alpha[1] + beta[1] - 2)
    return pulls


def posteriors(means, horizon, runs, seed, moments=50):
    """(α, β) as lenient meets them at evenly spaced rounds, block by block."""
    rounds = set(np.linspace(1, horizon, moments, dtype=int).tolist())
    met = []

    def watched(pulls, wins, t, rng):
        if t in rounds:
            met.append((wins + 1.0, pulls - wins + 1.0))
        return lenient.TS()(pulls, wins, t, rng)

    lenient.simulate(means, watched, horizon, runs, seed, engine="plain")
    return met


def draw_betas(met, times, seed):
    """Draw Beta variates `times` times from each array of posteriors, no more."""
    rng = np.random.Generator(np.random.SFC64(seed))  # lenient's generator
    for alpha, beta in met:
        for _ in range(times):
            rng.beta(alpha, beta)
