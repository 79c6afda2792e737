"""Policies that see rewards: what they are told, their indices, and what they play."""

import importlib
import sys
import types
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
from scipy import optimize, stats

import lenient
from lenient import KinfUCB, LenientNPTS, Sample, kinf, kinf_ucb, kl, kl_ucb, simulate
from lenient.rewards import NEVER, REWARD_POLICIES

POLICIES = pytest.mark.parametrize("make", REWARD_POLICIES.values(), ids=REWARD_POLICIES)
BETAS = [stats.beta(5, 5), stats.beta(2, 8)]


def samples(rng, count):
    """Lists of rewards of many kinds: with and without ties, 0s and 1s."""
    for _ in range(count):
        n = int(rng.integers(1, 15))
        yield [
            lambda: rng.random(n),
            lambda: rng.integers(0, 2, n).astype(float),
            lambda: rng.integers(0, 3, n) / 2,
            lambda: rng.beta(0.1, 0.1, n),
            lambda: np.full(n, rng.random()),
        ][rng.integers(5)]()


# ---- what a policy is told ------------------------------------------------------------


class Notes:
    """Plays the arms in turn and writes down what it is told."""

    def __init__(self, sees=None):
        self.book = book = []
        if sees:
            self.sees = sees
        self.observe = lambda arm, reward: book.append((arm.copy(), reward.copy()))

    def __deepcopy__(self, memo):
        return self  # so that the test can read the notes

    def __call__(self, pulls, wins, t, rng):
        return -pulls


def told(sees, arms, **more):
    policy = Notes(sees)
    s = simulate(arms, policy, 30, 40, seed=3, **more)
    rewards = np.array([reward for _, reward in policy.book])
    assert all((arm == arm[0]).all() or len(arms) > 1 for arm, _ in policy.book)
    return s, rewards, np.array([arm for arm, _ in policy.book])


def test_who_sees_rewards_is_told_them_and_all_else_stays_the_same():
    arms = [Sample([0.2, 0.7]), 0.5, stats.uniform(0.8, 0.1)]
    blind, rounded, _ = told(None, arms)
    seeing, rewards, arm = told("rewards", arms)
    assert np.array_equal(blind.pulls, seeing.pulls)
    assert np.array_equal(blind.wins, seeing.wins)
    assert {*np.unique(rounded)} == {0, 1} and rounded.dtype == np.int64
    assert {*np.unique(rewards[arm == 0])} == {0.2, 0.7}
    assert {*np.unique(rewards[arm == 1])} == {0, 1}
    assert np.array_equal(rewards[arm == 1], rounded[arm == 1])
    assert rewards[arm == 2].min() >= 0.8 and rewards[arm == 2].max() <= 0.9
    for a in range(3):  # 400 rewards each; 4 standard errors, false alarm 6e-5
        mine = rewards[arm == a]
        assert abs(mine.mean() - blind.means[a]) < 4 * mine.std() / 20


def test_without_laws_a_reward_is_a_win():
    common = {"common_rewards": True}
    for more in ({}, common):
        _, rounded, _ = told("wins", [0.4, 0.6], **more)
        _, rewards, _ = told("rewards", [0.4, 0.6], **more)
        assert rewards.dtype == float and np.array_equal(rounded, rewards)


def test_what_cannot_be_seen_is_refused():
    with pytest.raises(ValueError, match="sees='everything'"):
        simulate([0.5], Notes("everything"), 10, 1)
    with pytest.raises(ValueError, match="common_rewards must be False"):
        simulate(BETAS, KinfUCB(0.2), 10, 1, common_rewards=True)


# ---- the index of K_inf ---------------------------------------------------------------


def index_misses(kinf_ucb):
    """Does the index miss the root of n K_inf(F, q) = level, computed by another dual?"""
    rng = np.random.default_rng(5)
    for values in samples(rng, 150):
        level = float(rng.exponential(3) * rng.choice([1, 0.01]))
        q = kinf_ucb(values, level)
        if not values.mean() - 1e-12 <= q <= 1:
            return True
        if q < 1 - 1e-9 and abs(values.size * kinf(values, None, q) - level) > 1e-7 * level:
            return True
    return False


@pytest.mark.claim("beyond:index", how="exact")
def test_the_index_is_where_the_evidence_is_as_large_as_the_level():
    assert not index_misses(kinf_ucb)


@pytest.mark.claim("beyond:index", how="numerical search")
def test_the_index_is_the_largest_mean_of_a_law_that_is_close_enough():
    """The primal problem, solved by SLSQP over laws on the rewards and 1."""
    values, level = np.array([0.1, 0.35, 0.6, 0.9]), 2.0
    support, p = np.append(values, 1), np.full(4, 0.25)

    def spare(q):
        return level / 4 - (p * np.log(p / q[:4])).sum()

    solved = optimize.minimize(
        lambda q: -q @ support,
        np.full(5, 0.2),
        bounds=[(1e-9, 1)] * 5,
        constraints=[
            {"type": "eq", "fun": lambda q: q.sum() - 1},
            {"type": "ineq", "fun": spare},
        ],
    )
    assert solved.success and abs(kinf_ucb(values, level) + solved.fun) < 1e-6


def test_for_rewards_0_and_1_the_index_is_that_of_kl_ucb():
    levels = np.array([0.01, 1, 5.0])
    for n, wins in [(1, 0), (1, 1), (7, 3), (50, 49), (400, 100)]:
        values = np.arange(n) < wins
        assert np.allclose(kinf_ucb(values, levels), kl_ucb(wins / n, n, levels), atol=1e-9)


def test_the_ends_of_the_levels():
    assert kinf_ucb([0.2, 0.4], [0, np.inf]).tolist() == [pytest.approx(0.3), 1]
    assert kinf_ucb([1, 1], [0, 1, 1e300]).tolist() == [1, 1, 1]
    assert kinf_ucb([0], 1.0) == pytest.approx(1 - np.exp(-1))
    assert kinf_ucb([0, 1], 1e-300) == pytest.approx(0.5, abs=1e-9)
    small = kinf_ucb([0.2, 0.6], 1e-12)  # mean + √(2 · variance · level / n)
    assert small - 0.4 == pytest.approx(np.sqrt(2 * 0.04 * 1e-12 / 2), rel=1e-4)


def test_bad_values_and_levels_are_refused():
    for values, level, what in [([], 1, "values"), ([2], 1, "values"), ([0.5], -1, "level")]:
        with pytest.raises(ValueError, match=what):
            kinf_ucb(values, level)


# ---- what is played -------------------------------------------------------------------


def game(policy, arms, rounds, runs, seed, look):
    """Play by hand; `look(t, scores, rewards so far by arm and run)` in every round."""
    rng, draws = np.random.default_rng(seed), np.random.default_rng(seed + 1)
    counts = np.zeros((len(arms), runs), int)
    seen = [[[] for _ in range(runs)] for _ in arms]
    for t in range(1, rounds + 1):
        scores = policy(counts, counts, t, rng)
        look(t, scores, seen)
        arm = (scores + 1e-12 * draws.random(scores.shape)).argmax(axis=0)
        reward = np.array([arms[a].rvs(random_state=draws) for a in arm])
        policy.observe(arm, reward)
        for run, a in enumerate(arm):
            counts[a, run] += 1
            seen[a][run].append(reward[run])


def naive_scores(seen, run, eps, t):
    """max(mean, U − ε) from the rewards, by `kinf` and bisection."""
    scores = []
    for arm in seen:
        x = np.array(arm[run])
        if not x.size:
            scores.append(1 - eps)
            continue
        level, low, high = np.log(t), x.mean(), 1.0
        for _ in range(45):
            middle = (low + high) / 2
            inside = x.size * kinf(x, None, middle) <= level
            low, high = (middle, high) if inside else (low, middle)
        scores.append(max(x.mean(), low - eps))
    return np.array(scores)


@pytest.mark.parametrize("eps", [0, 0.05, 0.3])
def test_k_inf_ucb_plays_the_largest_score(eps):
    arms = [stats.beta(5, 5), Sample([0, 0.5, 1]), Sample([0.2, 0.3])]
    rounds = []

    def look(t, scores, seen):
        for run in range(3):
            exact = naive_scores(seen, run, eps, t)
            best = exact.argmax()
            assert scores[best, run] == pytest.approx(exact[best], abs=1e-7)
            assert (scores[:, run] <= exact + 1e-7).all()
            rounds.append(t)

    game(KinfUCB(eps), arms, 60, 3, 7, look)
    assert len(rounds) == 180


def test_on_rewards_0_and_1_it_plays_as_kl_ucb_does():
    eps, arms = 0.2, [stats.bernoulli(p) for p in (0.5, 0.4, 0.2)]

    def look(t, scores, seen):
        for run in range(20):
            n = np.array([len(arm[run]) for arm in seen])
            mean = np.array([np.mean(arm[run]) if arm[run] else 0 for arm in seen])
            exact = np.maximum(mean, kl_ucb(mean, n, np.log(t)) - eps)
            assert scores[exact.argmax(), run] == pytest.approx(exact.max(), abs=1e-8)

    game(KinfUCB(eps), arms, 300, 20, 9, look)


@pytest.mark.claim("beyond:weights", how="simulation: false alarm 1e-4 or less")
def test_the_random_index_has_the_law_of_a_weighted_mean():
    """Beta(S + 1, N − S) on rewards 0 and 1; uniform on [x, 1] after one x.

    False alarm 1e-4 for each.
    """
    runs = 20_000
    for rewards, law in [
        ([0, 1, 0], stats.beta(2, 2)),
        ([0.4], stats.uniform(0.4, 0.6)),
        ([1, 0, 0, 0, 0], stats.beta(2, 4)),
    ]:
        policy, counts = LenientNPTS(0), np.zeros((1, runs), int)
        policy(counts, counts, 1, np.random.default_rng(0))
        for reward in rewards:
            policy.observe(np.zeros(runs, int), np.full(runs, reward))
        scores = policy(counts, counts, 9, np.random.default_rng(4))[0]
        mean = np.mean(rewards)
        drawn, floor = scores[scores > mean], law.cdf(mean)
        assert abs((scores == mean).mean() - floor) < 4 * np.sqrt(0.25 / runs)
        above = stats.kstest(drawn, lambda x: (law.cdf(x) - floor) / (1 - floor))
        assert above.pvalue > 1e-4


@pytest.mark.claim("beyond:weights", how="exact")
def test_a_weighted_mean_is_seldom_large():
    """P{D ≥ x} ≤ exp(−(n+1)·d) for coins, where D is a Beta variable; not without the 1."""
    broken = 0
    for n in (1, 2, 5, 20, 80):
        for k in range(n):
            for x in np.linspace((k + 1) / (n + 1), 0.999, 9)[1:]:
                chance = stats.beta(k + 1, n - k).sf(x)
                assert chance <= np.exp(-(n + 1) * kl((k + 1) / (n + 1), x)) * (1 + 1e-9)
                broken += chance > np.exp(-n * kl(k / n, x))
    assert broken > 10


@pytest.mark.claim("beyond:weights", how="simulation: within four errors, twenty times")
def test_what_is_not_drawn_would_hardly_ever_have_mattered():
    """The bound exp(−(N+1) 2 (x − mean')²) is above the chance that D exceeds x."""
    rng = np.random.default_rng(6)
    for values in samples(rng, 20):
        with_one = np.append(values, 1)
        x = with_one.mean() + 0.7 * (1 - with_one.mean())
        weights = rng.standard_exponential((40_000, with_one.size))
        chance = ((weights @ with_one) / weights.sum(axis=1) > x).mean()
        bound = np.exp(-2 * with_one.size * (x - with_one.mean()) ** 2)
        assert chance <= bound + 4 * np.sqrt(bound / 40_000)
    assert np.exp(-NEVER) < 1e-16 and np.log(2.0**53) < NEVER


@POLICIES
def test_no_reward_is_forgotten_that_could_matter(make):
    """A long run with all rewards kept plays the same as one that stops keeping them."""
    eps, runs = 0.3, 30
    everything = simulate(BETAS, make(eps), 900, runs, seed=2)
    module = importlib.import_module("lenient.rewards")
    kept = module._Kept
    try:
        module._Kept = lambda shape, most: kept(shape, np.inf)
        again = simulate(BETAS, make(eps), 900, runs, seed=2)
    finally:
        module._Kept = kept
    assert np.array_equal(everything.pulls, again.pulls)


@POLICIES
def test_blocks_and_workers_change_nothing(make, monkeypatch):
    monkeypatch.setattr(lenient.simulation, "BLOCK", 7)
    one = simulate(BETAS, make(0.2), 40, 20, seed=1)
    with ThreadPoolExecutor(2) as threads:
        two = simulate(BETAS, make(0.2), 40, 20, seed=1, executor=threads)
    assert np.array_equal(one.pulls, two.pulls)


@POLICIES
def test_an_eps_that_is_none_is_refused(make):
    for eps in (-0.1, 1, "0.2", None):
        with pytest.raises(ValueError, match="eps must be a number"):
            make(eps)


@pytest.mark.claim("beyond:rewards", how="simulation: false alarm 1e-6")
@pytest.mark.parametrize("make, wanted", [(KinfUCB, 0.932), (LenientNPTS, 0.909)])
def test_the_means_of_a_prototype(make, wanted):
    """Hinge regret at T = 5000, by other code; 5 standard errors of both, false alarm 1e-6."""
    error = {KinfUCB: 0.003, LenientNPTS: 0.005}[make]
    s = simulate(BETAS, make(0.2), 5000, 300, seed=8, checkpoints=[5000])
    ours = s.summary(lenient.hinge(0.2))
    assert abs(ours.mean - wanted) < 5 * np.hypot(ours.standard_error, error)


# ---- mistakes that are caught -----------------------------------------------------------

SOURCE = Path(lenient.rewards.__file__).read_text("utf-8")
MISTAKES = {
    "a level for one play": ("level.ravel() / rewards.size", "level.ravel()"),
    "only ν = 1": ("np.where(inside, np.exp(x), 0.0)", "0 * per_play"),
    "never ν = 1": ("np.where(inside, np.exp(x), 0.0)", "np.exp(x)"),
    "inside out": ("inside = ~(at_one <= per_play)", "inside = at_one <= per_play"),
    "values for logs": (
        "np.expm1(self.mean(self.logs(shift))",
        "np.expm1(self.mean(-self.values)",
    ),
}


@pytest.mark.parametrize("name", MISTAKES)
def test_a_mistake_in_the_index_is_caught(name):
    old, new = MISTAKES[name]
    assert SOURCE.count(old) == 1, f"no single {old}: name another line"
    mutant = types.ModuleType("lenient.mutant")
    sys.modules["lenient.mutant"] = mutant  # where dataclasses look for their module
    try:
        exec(compile(SOURCE.replace(old, new), "mutant", "exec"), mutant.__dict__)
        assert index_misses(mutant.kinf_ucb)
    finally:
        del sys.modules["lenient.mutant"]


@pytest.mark.parametrize("policy", [KinfUCB(0.2), LenientNPTS(0.2)], ids=lambda each: each.name)
@pytest.mark.parametrize("shape", [(), (3,), (3, 1), (3, 4)])
def test_scores_have_the_shape_of_the_counts(policy, shape):
    """One arm alone, or the arms of one run in a row, as with the other policies."""
    none = np.zeros(shape, int)
    assert np.shape(policy(none, none, 1, np.random.default_rng(0))) == shape
