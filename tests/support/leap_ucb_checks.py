"""What the engine for index rules must hold, as checks of a module that plays them.

The rule draws no lots but for ties, so it can be compared round by round: the engine and a
plain loop over the policy are given the same table of rewards.
"""

import types
from fractions import Fraction
from itertools import product
from pathlib import Path

import numpy as np
from scipy import stats

from lenient import KLUCB, EpsKLUCB, SqueezedKLUCB, kl_ucb, leap_ucb, simulate
from lenient.exact import ceiling
from lenient.policies import Discount

SOURCE = Path(leap_ucb.__file__).read_text(encoding="utf-8")


class Multiplicative:
    """max(S/N, (1−ε)·U)."""

    def __init__(self, eps):
        self.top = ceiling(eps)

    def __call__(self, pulls, wins, t, rng):
        mean = wins / np.maximum(pulls, 1)
        return np.maximum(mean, float(self.top) * kl_ucb(mean, pulls, np.log(t)))

    def discount(self):
        return Discount("multiplicative", self.top)


class Threshold:
    """max(S/N, min(U, τ))."""

    def __init__(self, tau):
        self.tau = tau

    def __call__(self, pulls, wins, t, rng):
        mean = wins / np.maximum(pulls, 1)
        return np.maximum(mean, np.minimum(kl_ucb(mean, pulls, np.log(t)), self.tau))

    def discount(self):
        return Discount("threshold", 1 - ceiling(self.tau))


POLICIES = {
    "KL-UCB": KLUCB(),
    "shift 0": EpsKLUCB(0),
    "shift 0.2": EpsKLUCB(0.2),
    "shift 0.05": EpsKLUCB(0.05),
    "shift 0.7": EpsKLUCB(0.7),
    "squeezed": SqueezedKLUCB(0.2),
    "multiplicative": Multiplicative(0.3),
    "threshold": Threshold(0.7),
}
BANDITS = [
    (0.5, 0.2),
    (0.9, 0.6),
    (0.8, 0.5),
    (0.5, 0.45, 0.2),
    (0.7, 0.7),
    (1.0, 0.3),
    (0.0, 0.4),
]
BANDITS += [(0.6,), (0.3, 0.3, 0.1, 0.0), (1.0, 1.0)]


# --- as a loop that can be looked into ----------------------------------------------------


class FirstOrLast:
    """A generator for ties alone: the first of the tied arms, or the last."""

    def __init__(self, last):
        self.last = last

    def random(self):
        return 0.0 if self.last else 1.0


def transparent(text=SOURCE):
    """The engine not compiled, with rewards from a table: `module.table[arm][n]`."""
    plain = "njit = lambda f=None, **options: f or (lambda f: f)"
    text = text.replace("from numba import njit", plain)
    text = text.replace("version_of(*ENGINE, __name__)", "0")  # nothing is compiled
    module = types.ModuleType("transparent_leap_ucb")
    exec(compile(text, "transparent_leap_ucb", "exec"), module.__dict__)
    module.compare = leap_ucb.compare.py_func

    def draw_rounds(rng, arms, arm, f, left):
        begin = int(arms[arm]["N"])
        rewards = module.table[arm][begin : begin + left]
        zeros = np.flatnonzero(rewards == 0)
        if zeros.size >= f:
            return int(zeros[f - 1]) + 1, int(zeros[f - 1]) + 1 - f, 0
        return left, left - zeros.size, 0

    module.draw_rounds = draw_rounds
    return module


def paths(module, policy, means, table, horizon, last):
    """Pulls after each visit of the engine, as {round: counts}, and the last."""
    kind, top = policy.discount()
    rule = module.Rule(module.KINDS[kind], *top.as_integer_ratio(), horizon)
    arms = np.zeros(len(table), module.ARM).view(np.recarray)
    arms.mu = means
    module.table, t, seen = table, 1, {}
    rng = FirstOrLast(last)
    while t <= horizon:
        arm, ties = module.highest(rng, rule, arms, np.log(t))
        f, end = 1, t
        if ties == 1 and arms[arm].N > 0:
            f, end = module.choose_block(rule, arms, arm, t)
        rounds, wins, _ = module.draw_rounds(rng, arms, arm, f, end - t + 1)
        arms[arm].N += rounds
        arms[arm].S += wins
        t += rounds
        seen[t - 1] = arms.N.copy()
    return seen


def check_paths(module, policy, means, horizon=400, seeds=range(4)):
    """The same plays, in every round, as a loop over the policy's own scores."""
    for seed in seeds:
        rng = np.random.default_rng(seed)
        table = (rng.random((len(means), horizon)) < np.array(means)[:, None]).astype(int)
        last = seed % 2
        seen = paths(module, policy, means, table, horizon, last)
        pulls, wins = np.zeros((2, len(means), 1), dtype=np.int64)
        for t in range(1, horizon + 1):
            scores = np.asarray(policy(pulls, wins, t, None))[:, 0]
            arm = np.flatnonzero(scores == scores.max())[-last]
            wins[arm] += table[arm, pulls[arm, 0]]
            pulls[arm] += 1
            if t in seen:
                assert np.array_equal(seen[t], pulls[:, 0]), (policy, means, seed, t)


# --- as compiled --------------------------------------------------------------------------


def law_of_plays(means, policy, horizon):
    """{(pulls, wins): chance} after the last round, by going through all histories."""
    law = {((0,) * len(means), (0,) * len(means)): 1.0}
    for t in range(1, horizon + 1):
        after: dict = {}
        for (pulls, wins), chance in law.items():
            scores = np.asarray(policy(np.array(pulls), np.array(wins), t, None))
            best = np.flatnonzero(scores == scores.max())
            for arm, won in product(best, (0, 1)):
                share = chance / best.size * (means[arm] if won else 1 - means[arm])
                if share > 0:
                    more, gain = list(pulls), list(wins)
                    more[arm] += 1
                    gain[arm] += won
                    state = tuple(more), tuple(gain)
                    after[state] = after.get(state, 0) + share
        law = after
    return law


def check_exact_law(module, means, policy, horizon=10, runs=30_000, seed=5):
    """A chi-squared test; false alarm 1e-4."""
    times = np.array([horizon // 2, horizon])
    counts = module.play_block(list(means), policy, times, runs, np.random.SeedSequence(seed))
    for row, time in enumerate(times.tolist()):
        law = law_of_plays(means, policy, time)
        seen: dict = {}
        for pulls, wins in zip(counts.pulls[:, row].tolist(), counts.wins[:, row].tolist()):
            state = tuple(pulls), tuple(wins)
            seen[state] = seen.get(state, 0) + 1
        assert {*seen} <= {*law}
        common = [state for state, chance in law.items() if chance * runs >= 5]
        observed = [seen.get(state, 0) for state in common]
        expected = [law[state] * runs for state in common]
        rest = runs - sum(expected)
        if rest > 5:
            observed.append(runs - sum(observed))
            expected.append(rest)
        else:  # a handful of runs
            assert runs - sum(observed) <= 30
            expected = np.array(expected) * sum(observed) / sum(expected)
        if len(observed) > 1:
            assert stats.chisquare(observed, expected).pvalue > 1e-4 / 2


def check_plain_law(module, means, policy, horizon, runs=3000, seed=6):
    """Plays of each arm, and wins, against the plain engine: false alarm 1e-4 in all."""
    times = np.unique([horizon // 10, horizon])
    fast = module.play_block(list(means), policy, times, runs, np.random.SeedSequence(seed))
    slow = simulate(means, policy, horizon, runs, seed + 1, times, engine="plain")
    pairs = [
        (one[:, row, arm], other[:, row, arm])
        for one, other in ((fast.pulls, slow.pulls), (fast.wins, slow.wins))
        for row in range(times.size)
        for arm in range(len(means))
    ]
    for one, other in pairs:
        if np.ptp(one) or np.ptp(other):
            assert stats.ks_2samp(one, other, method="asymp").pvalue > 1e-4 / len(pairs)


# --- numbers ------------------------------------------------------------------------------


def check_numbers(module):
    """The index and the evidence against `kl_ucb` and mpmath."""
    import mpmath

    rng = np.random.default_rng(3)
    for _ in range(300):
        n = int(10 ** rng.uniform(0, 6))
        wins = int(rng.integers(0, n + 1))
        log_t = float(rng.uniform(0.7, 36))
        found = module.index(float(wins), float(n - wins), log_t)
        assert abs(found - kl_ucb(wins / n, n, log_t)) <= 2e-15
        q = float(rng.uniform(1e-3, 1 - 1e-3))
        with mpmath.workdps(40):
            p, exact = mpmath.mpf(wins) / n, mpmath.mpf(0)
            for share, other in ((p, mpmath.mpf(q)), (1 - p, 1 - mpmath.mpf(q))):
                exact += n * share * mpmath.log(share / other) if share else 0
        seen = module.evidence(float(wins), float(n - wins), q)
        assert abs(seen - exact) <= 1e-12 * exact


def check_block_is_safe(module, kind="additive", eps=Fraction(1, 5), cases=300):
    """In each state of a block, to its last round, the leader's score is above all others."""
    policy = {"additive": EpsKLUCB(0.2), "none": KLUCB()}[kind]
    top = 1 - eps if kind == "additive" else Fraction(1)
    rule = module.Rule(module.KINDS[kind], *top.as_integer_ratio(), 10**9)
    rng, met = np.random.default_rng(8), 0
    for _ in range(cases):
        N = np.array([rng.integers(50, 5000), rng.integers(1, 60), rng.integers(1, 60)])
        S = np.array([N[0] * rng.uniform(0.3, 0.9), *(N[1:] * rng.uniform(0, 0.5, 2))])
        S = S.astype(np.int64)
        t = int(N.sum()) + 1
        scores = policy(N, S, t, None)
        if scores.argmax() != 0 or scores[0] <= scores[1:].max():
            continue
        arms = np.zeros(3, module.ARM)
        arms["mu"], arms["N"], arms["S"] = (0.6, 0.3, 0.3), N, S
        module.highest(np.random.default_rng(1), rule, arms, np.log(t))
        f, last = module.choose_block(rule, arms, 0, t)
        met += f > 1 and last > t
        rivals = policy(N[1:], S[1:], last, None).max()
        for failures in {0, (f - 1) // 2, f - 1}:
            for wins in {0, 1, last - t - failures}:
                if 0 <= wins <= last - t - failures:
                    now = t + wins + failures
                    mine = policy(N[0] + wins + failures, S[0] + wins, now, None)
                    assert mine > rivals - 1e-13 or mine > policy(N[1:], S[1:], now, None).max()
    assert met > cases / 20
