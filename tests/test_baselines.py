"""The baselines against formulas by hand, exact laws of whole runs, and mistakes put in."""

import copy
import importlib.util
import inspect
import math
import pickle
import re
from concurrent.futures import ThreadPoolExecutor
from fractions import Fraction
from functools import cache
from itertools import product
from pathlib import Path

import mpmath
import numpy as np
import pytest
from scipy import integrate, stats

import lenient
from lenient import (
    EXP3,
    MOSS,
    TS,
    BetaTS,
    EpsGreedy,
    ExploreThenCommit,
    Satisficing,
    SlidingWindowTS,
    baselines,
    simulate,
)
from lenient.baselines import ALL_POLICIES, BASELINES
from lenient.policies import POLICIES

# ---- indices by hand, a number at a time ---------------------------------------------

STATES = [(1, 0), (1, 1), (2, 1), (7, 0), (7, 7), (10, 3), (50, 44), (400, 100), (9999, 9998)]
ROUNDS = [1, 2, 17, 5000, 10**9]


def ucb1_by_hand(n, s, t):
    return mpmath.mpf(s) / n + mpmath.sqrt(2 * mpmath.log(t) / n)


def moss_by_hand(n, s, rounds, arms):
    bonus = mpmath.log(mpmath.mpf(rounds) / (arms * n)) if rounds > arms * n else 0
    return mpmath.mpf(s) / n + mpmath.sqrt(bonus / n)


def check_ucb1(module):
    for (n, s), t in product(STATES, ROUNDS):
        assert module.UCB1()(n, s, t, None) == pytest.approx(float(ucb1_by_hand(n, s, t)))


def check_moss(module):
    pulls, wins = np.array(STATES).T
    for horizon, t in product([None, 10, 10**6], ROUNDS):
        index = module.MOSS(horizon)(pulls, wins, t, None)
        for (n, s), seen in zip(STATES, index):
            by_hand = moss_by_hand(n, s, horizon or t, len(STATES))
            assert seen == pytest.approx(float(by_hand))


def tail(n, s, x):
    """P(Beta(s+1, n−s+1) > x) = P(at most s of n+1 throws win), summed up."""
    x = mpmath.mpf(x)
    return sum(mpmath.binomial(n + 1, k) * x**k * (1 - x) ** (n + 1 - k) for k in range(s + 1))


def check_bayes_ucb(module):
    for (n, s), t in product([(0, 0), *STATES[:8]], ROUNDS[1:]):
        with mpmath.workdps(50):
            index = module.BayesUCB()(n, s, t, None)
            # of 1 − index, 1e-16 cannot be told; what that does to the tail is allowed
            low, high = (tail(n, s, index + slip) for slip in (1e-15, -1e-15))
            assert low * (1 - 1e-9) <= mpmath.mpf(1) / t <= high * (1 + 1e-9)


def _mpf(number):
    return mpmath.mpf(number.numerator) / number.denominator


def kl_by_hand(p, q):
    terms = [(_mpf(x), _mpf(y)) for x, y in ((p, q), (1 - p, 1 - q))]
    return sum(a * (mpmath.log(a / b) if b else mpmath.inf) for a, b in terms if a)


def check_imed(module):
    rng = np.random.default_rng(1)
    pulls = rng.integers(1, 60, (4, 300))
    wins = rng.binomial(pulls, 0.6)
    scores = module.IMED()(pulls, wins, 1, None)
    for n, s, score in zip(pulls.T.tolist(), wins.T.tolist(), scores.T):
        means = [Fraction(b, a) for a, b in zip(n, s)]
        index = [a * kl_by_hand(p, max(means)) + mpmath.log(a) for a, p in zip(n, means)]
        np.testing.assert_allclose(score, [-float(i) for i in index], atol=1e-12)


def sat_ucb_by_hand(pulls, wins, t, level):
    """The arms that Sat-UCB may play in this round: the three cases as in the paper."""
    if unplayed := {a for a, n in enumerate(pulls) if n == 0}:
        return unplayed
    means = [Fraction(s, n) for n, s in zip(pulls, wins)]
    radius = [math.sqrt(2 * math.log(1 + t * math.log(t) ** 2) / n) for n in pulls]
    upper = [float(m) + r for m, r in zip(means, radius)]
    if max(means) >= level:
        # their index (UCB − max(LCB, level)) / radius, between 0 and 2
        lower = [max(float(m) - r, float(level)) for m, r in zip(means, radius)]
        return arms_with_largest([(u - w) / r for u, w, r in zip(upper, lower, radius)])
    if max(upper) >= level:
        return {a for a, u in enumerate(upper) if u >= level}
    return arms_with_largest(upper)


def arms_with_largest(values):
    return {a for a, value in enumerate(values) if value >= max(values) - 1e-12}


def check_sat_ucb(module):
    rng, cases = np.random.default_rng(2), []
    for most, level in product([3, 30, 3000, 10**6], [0, 0.3, 0.7, 0.9, 1]):
        pulls = rng.integers(0, most, (3, 100))
        wins = rng.binomial(pulls, rng.choice([0.1, 0.3, 0.7, 0.9, 1], (3, 100)))
        pulls[:, :3], wins[:, :3] = 10, [[3, 7, 9], [1, 2, 8], [2, 6, 3]]  # means at a level
        scores = module.Satisficing(level)(pulls, wins, 4 * most, None)
        for n, s, score in zip(pulls.T.tolist(), wins.T.tolist(), scores.T):
            allowed = sat_ucb_by_hand(n, s, 4 * most, Fraction(str(level)))
            assert arms_with_largest(score) == allowed
            cases.append(math.floor(min(score.max(), 3)))
    assert {*cases} == {0, 1, 2, 3}  # every case of the algorithm was met


INDICES = [check_ucb1, check_moss, check_bayes_ucb, check_imed, check_sat_ucb]


@pytest.mark.parametrize("check", INDICES)
def test_index_is_that_of_its_formula(check):
    check(baselines)


@pytest.mark.parametrize("mean", [0.001, 0.5, 0.97])
def test_bayes_ucb_after_a_billion_pulls(mean):
    """There the posterior is normal, up to 1/N."""
    n = 10**9
    normal = stats.norm(mean, math.sqrt(mean * (1 - mean) / n))
    index = baselines.BayesUCB()(n, int(n * mean), 10**9, None)
    assert index == pytest.approx(normal.isf(1e-9), abs=3e-8)


def check_ties_of_sat_ucb(module):
    """(μ̂ − ½) √N is ½ for each of these."""
    pulls, wins = np.array([1, 4, 9, 25, 49, 81]), np.array([1, 3, 6, 15, 28, 45])
    for t in range(2, 60):
        assert np.unique(module.Satisficing(0.5)(pulls, wins, t, None)).size == 1


def test_exact_ties_of_sat_ucb_are_ties():
    check_ties_of_sat_ucb(baselines)


def test_many_runs_at_once_are_those_runs_one_by_one():
    rng = np.random.default_rng(3)
    pulls = rng.integers(0, 40, (3, 200))
    wins = rng.binomial(pulls, 0.8)
    for name in ("UCB1", "MOSS", "Bayes-UCB", "IMED", "Sat-UCB", "ETC"):
        policy = BASELINES[name](0.2)
        one_by_one = [policy(n, s, 121, None) for n, s in zip(pulls.T, wins.T)]
        np.testing.assert_array_equal(policy(pulls, wins, 121, None), np.transpose(one_by_one))


# ---- exact laws of whole runs --------------------------------------------------------
# A rule gives the chances of two arms from the history, the list of (arm, reward) so far.


def counts(history):
    """(N, S) of the first arm and of the second."""
    return [
        (sum(a == arm for a, _ in history), sum(r for a, r in history if a == arm))
        for arm in (0, 1)
    ]


def shared(values):
    """The chances of the arms if the largest value is played."""
    best = [value == max(values) for value in values]
    return [b / sum(best) for b in best]


def by_index(index):
    """The rule that plays unplayed arms first, then the largest index(n, s, t)."""

    def rule(history):
        t = len(history) + 1
        return shared([index(n, s, t) if n else math.inf for n, s in counts(history)])

    return rule


@cache
def bayes_index(n, s, t):
    """The quantile by bisection, to 60 bits."""
    low, high = mpmath.mpf(0), mpmath.mpf(1)
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if tail(n, s, middle) > mpmath.mpf(1) / t else (low, middle)
    return low


def bayes_rule(history):
    t = len(history) + 1
    return shared([bayes_index(n, s, t) if t > 1 else 0 for n, s in counts(history)])


def imed_rule(history):
    (n1, s1), (n2, s2) = counts(history)
    if not n1 or not n2:
        return shared([-n1, -n2])
    best = max(Fraction(s1, n1), Fraction(s2, n2))
    with mpmath.workdps(40):  # N = 1, S = 0 against S = N − 1 is a tie
        index = [n * kl_by_hand(Fraction(s, n), best) for n, s in counts(history)]
        index = [i + mpmath.log(n) for i, n in zip(index, (n1, n2))]
        return shared(
            [-mpmath.nint(i * mpmath.mpf(10) ** 30) if i < 1e9 else -i for i in index]
        )


def sat_rule(history):
    pulls, wins = zip(*counts(history))
    allowed = sat_ucb_by_hand(pulls, wins, len(history) + 1, Fraction(6, 10))
    return [(arm in allowed) / len(allowed) for arm in (0, 1)]


def greedy_rule(history):
    best = by_index(lambda n, s, t: Fraction(s, n))(history)
    return [0.3 / 2 + 0.7 * chance for chance in best]


def etc_rule(history):
    if len(history) < 4:  # two turns, each in random order
        turn = history[2 * (len(history) // 2) :]
        return [0.5, 0.5] if not turn else [turn[0][0], 1 - turn[0][0]]
    if len(history) == 4:
        return shared([s for _, s in counts(history)])
    return [1 - history[4][0], history[4][0]]


@cache
def chance_of_larger(first, second):
    """P(X > Y) for Beta laws, by quadrature over the quantiles of X."""
    x, y = stats.beta(*first), stats.beta(*second)
    return integrate.quad(lambda u: y.cdf(x.ppf(u)), 0, 1, epsabs=1e-10, limit=200)[0]


def thompson(history, alpha=1.0, beta=1.0):
    chance = chance_of_larger(*((s + alpha, n - s + beta) for n, s in counts(history)))
    return [chance, 1 - chance]


def exp3_rule(history, rate=0.4):
    losses = [0.0, 0.0]
    for arm, reward in history:
        losses[arm] += (1 - reward) / exp3_chances(losses, rate)[arm]
    return exp3_chances(losses, rate)


def exp3_chances(losses, rate):
    first = 1 / (1 + math.exp(min(rate * (losses[0] - losses[1]), 700)))
    return [first, 1 - first] if first > 1e-30 else [0, 1]


# name: (the policy, its rule)
RULES = {
    "UCB1": (lambda m: m.UCB1(), by_index(ucb1_by_hand)),
    "MOSS": (lambda m: m.MOSS(), by_index(lambda n, s, t: moss_by_hand(n, s, t, 2))),
    "MOSS to 6": (lambda m: m.MOSS(6), by_index(lambda n, s, t: moss_by_hand(n, s, 6, 2))),
    "Bayes-UCB": (lambda m: m.BayesUCB(), bayes_rule),
    "IMED": (lambda m: m.IMED(), imed_rule),
    "Sat-UCB": (lambda m: m.Satisficing(0.6), sat_rule),
    "Beta-TS": (lambda m: m.BetaTS(3, 0.5), lambda h: thompson(h, 3.0, 0.5)),
    "ε-greedy": (lambda m: m.EpsGreedy(0.3), greedy_rule),
    "ETC": (lambda m: m.ExploreThenCommit(2), etc_rule),
    "EXP3": (lambda m: m.EXP3(0.4), exp3_rule),
    "SW-TS": (lambda m: m.SlidingWindowTS(2), lambda h: thompson(h[-2:])),
}
BANDITS = [(0.9, 0.6), (0.5, 0.2), (1.0, 0.0), (0.7, 0.7)]
RUNS, LENGTH = 20_000, 6


def law_of_choices(rule, means, rounds, history=()):
    """{the arms played: probability}, by following every history."""
    if not rounds:
        return {tuple(arm for arm, _ in history): 1.0}
    law = {}
    for arm, chance in enumerate(rule(list(history))):
        for reward, given in enumerate([1 - means[arm], means[arm]]):
            if chance * given:
                rest = law_of_choices(rule, means, rounds - 1, (*history, (arm, reward)))
                for arms, mass in rest.items():
                    law[arms] = law.get(arms, 0) + float(chance) * given * mass
    return law


def check_law(policy, rule, means):
    """Chi-square on 20,000 runs; all cases together raise a false alarm once in 1000."""
    law = law_of_choices(rule, means, LENGTH)
    assert sum(law.values()) == pytest.approx(1, abs=1e-9)
    every = range(1, LENGTH + 1)
    pulls = simulate(means, policy, LENGTH, RUNS, 5, every, engine="plain").pulls
    second = np.diff(pulls[:, :, 1], axis=1, prepend=0)  # 1 where the second arm was played
    arms, seen = np.unique(second, axis=0, return_counts=True)
    seen = dict(zip(map(tuple, arms.tolist()), seen.tolist()))
    assert {*seen} <= {arms for arms, mass in law.items() if mass > 1e-12}
    common = [arms for arms in law if law[arms] * RUNS >= 5]
    found = [seen.get(arms, 0) for arms in common]
    expected = [law[arms] * RUNS for arms in common]
    found, expected = [*found, RUNS - sum(found)], [*expected, RUNS - sum(expected)]
    if expected[-1] < 1e-6 * RUNS:  # nothing is rare
        assert found.pop() == 0
        expected.pop()
    if len(found) > 1:
        p_value = stats.chisquare(found, expected, sum_check=False).pvalue
        assert p_value > 1e-3 / (len(RULES) * len(BANDITS))


@pytest.mark.parametrize("means", BANDITS)
@pytest.mark.parametrize("name", RULES)
def test_choices_have_their_exact_law(name, means):
    make, rule = RULES[name]
    check_law(make(baselines), rule, means)


# ---- mistakes ------------------------------------------------------------------------


def mistaken(tmp_path, old, new):
    """The module with its text edited."""
    text = Path(baselines.__file__).read_text("utf-8")
    assert old in text, f"the baselines have no line {old!r}"
    file = tmp_path / "mistaken_baselines.py"
    file.write_text(text.replace(old, new), "utf-8")
    spec = importlib.util.spec_from_file_location(file.stem, file)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def law(name, means=(0.5, 0.2)):
    make, rule = RULES[name]
    return lambda module: check_law(make(module), rule, means)


MISTAKES = {
    "UCB1, half the bonus": ("2 * np.log(t) /", "np.log(t) /", check_ucb1),
    "an unplayed arm comes last": ("0), np.inf", "0), -np.inf", law("UCB1")),
    "MOSS that forgets the arms": ("(arms * played)", "played", check_moss),
    "MOSS, runs for arms": ("(pulls).shape[0]", "(pulls).shape[-1]", law("MOSS")),
    "MOSS without a floor": ("rounds / (arms * played)), 0)", "9), 0)", check_moss),
    "MOSS, another horizon": ("is None else self.horizon", "else t", law("MOSS to 6")),
    "Bayes-UCB, another quantile": ("1 / t)[back]", "1 / (t + 1))[back]", check_bayes_ucb),
    "Bayes-UCB, another prior": ("betainccinv(s + 1", "betainccinv(s + 0.5", law("Bayes-UCB")),
    "IMED that loses its ties": ("-index.round(12)", "-index", law("IMED")),
    "IMED without ln N": (" + np.log(played)", "", check_imed),
    "IMED, the best of all runs": ("(mean).max(axis=0)", "(mean).max()", check_imed),
    "IMED, d the wrong way round": ("kl(mean, best)", "kl(best, mean)", check_imed),
    "Sat-UCB, a narrow radius": ("2 * np.log1p", "np.log1p", check_sat_ucb),
    "Sat-UCB, no case 2": ("level, 1, mean + radius)", "level, mean + radius, 0)",
                           check_sat_ucb),
    "Sat-UCB, no limit to certainty": ("TINY), 0, 1)", "TINY), 0, 9)", check_sat_ucb),
    "Sat-UCB that loses its ties": ("certainty.round(12)", "certainty", check_ties_of_sat_ucb),
    "Sat-UCB in floats": (
        "np.logical_not(exceeds(losses, ceiling(self.level), pulls))",
        "wins >= pulls * (1 - (1 - self.level))", check_sat_ucb),
    "Beta-TS, prior exchanged": ("rng.beta(wins + self.alpha", "rng.beta(wins + self.beta",
                                 law("Beta-TS")),
    "ε-greedy, a coin for each arm": ("(pulls)[1:]", "(pulls)", law("ε-greedy")),
    "ETC that changes its mind": ("self.plays), 2, ", "self.plays), 0.5, ", law("ETC")),
    "ETC, not in turns": ("2 + missing", "2", law("ETC")),
    "ETC, one more": ("self.plays, pulls)", "self.plays + 1, pulls)", law("ETC")),
    "EXP3 without weights": ("reward) / now.chance[arm, run]", "reward)", law("EXP3")),
    "EXP3 on rewards": ("-= self.rate * (1 - reward)", "+= self.rate * reward", law("EXP3")),
    "EXP3, normal noise": ("rng.gumbel", "rng.normal", law("EXP3")),
    "SW-TS, a round too long": ("> self.window", "> self.window + 1", law("SW-TS")),
    "SW-TS that keeps the pulls": ("[arm, run] += sign\n", "[arm, run] += 1\n", law("SW-TS")),
}  # fmt: skip


@pytest.mark.parametrize("mistake", MISTAKES)
def test_mistake_is_caught(mistake, tmp_path):
    old, new, check = MISTAKES[mistake]
    module = mistaken(tmp_path, old, new)
    with pytest.raises(AssertionError):
        check(module)


# ---- what they promise ---------------------------------------------------------------


def fresh(policy, arms=2, runs=1):
    """The policy in round 1, with its memory made."""
    policy(np.zeros((arms, runs), int), np.zeros((arms, runs), int), 1, _rng())
    return policy


def _rng():
    return np.random.default_rng(20)


@pytest.mark.parametrize("arms", [1, 3])
@pytest.mark.parametrize("name", ALL_POLICIES)
def test_scores_are_numbers_at_the_edges(name, arms):
    """And nothing warns: warnings are errors in these tests."""
    most = [0, 1, 20, 21, 10**9]
    pulls = np.array([*product(most, repeat=arms)]).T
    for wins in (0 * pulls, pulls, pulls // 2):
        for eps in (0, 0.2, 0.99):
            policy = ALL_POLICIES[name](eps)
            for t in (1, 2, 10**10):
                scores = policy(pulls, wins, t, _rng())
                assert scores.shape == pulls.shape and not np.isnan(scores).any()


@pytest.mark.parametrize("name", ["UCB1", "MOSS", "IMED", "Sat-UCB", "ε-greedy"])
def test_an_arm_never_played_comes_first(name):
    policy = EpsGreedy(0) if name == "ε-greedy" else BASELINES[name](0.2)
    scores = policy(np.array([[9], [0]]), np.array([[9], [0]]), 10, _rng())
    assert scores[0] < scores[1] == np.inf


def test_flat_prior_is_thompson_sampling_to_the_bit():
    state = np.array([[3, 9], [0, 4]]), np.array([[3, 2], [0, 4]])
    assert np.array_equal(TS()(*state, 5, _rng()), BetaTS(1, 1)(*state, 5, _rng()))


def test_a_window_that_is_never_full_is_thompson_sampling_to_the_bit():
    setting = dict(means=[0.6, 0.5, 0.3], horizon=100, runs=50, seed=2, engine="plain")
    all_of_it = simulate(policy=SlidingWindowTS(100), **setting)
    assert np.array_equal(all_of_it.pulls, simulate(policy=TS(), **setting).pulls)
    less = simulate(policy=SlidingWindowTS(50), **setting)
    assert np.array_equal(all_of_it.pulls[:, :50], less.pulls[:, :50])
    assert not np.array_equal(all_of_it.pulls, less.pulls)


def test_window_counts_the_last_rounds():
    rng, policy = _rng(), fresh(SlidingWindowTS(7), arms=3, runs=20)
    arms, rewards = rng.integers(0, 3, (60, 20)), rng.integers(0, 2, (60, 20))
    for t in range(60):
        policy.observe(arms[t], rewards[t])
        last = slice(max(t - 6, 0), t + 1)
        for arm in range(3):
            mine = arms[last] == arm
            assert np.array_equal(policy.memory.pulls[arm], mine.sum(axis=0))
            assert np.array_equal(policy.memory.wins[arm], (mine * rewards[last]).sum(axis=0))


def test_weights_of_exp3_stay_within_bounds():
    """An enemy who lets every play lose, over many rounds with the largest rate."""
    rng, policy = _rng(), EXP3(1)
    none = np.zeros((3, 50), int)
    for t in range(1, 3000):
        arm = policy(none, none, t, rng).argmax(axis=0)
        policy.observe(arm, np.zeros(50, int))
        assert np.isfinite(policy.memory.log_weights).all()
        assert np.array_equal(policy.memory.log_weights.max(axis=0), np.zeros(50))


def test_a_policy_is_what_its_parameters_are():
    """Memory is no part of it: portraits are kept by policy, and blocks play copies."""
    for make in (lambda: EXP3(0.1), lambda: SlidingWindowTS(5)):
        used, new = fresh(make()), make()
        assert used == new and hash(used) == hash(new) and repr(used) == repr(new)
        assert "memory" not in repr(used)
        other = copy.deepcopy(used)
        other.observe(np.array([0]), np.array([0]))
        pulls = [str(vars(policy.memory)) for policy in (used, other)]
        assert pulls[0] != pulls[1]
        assert pickle.loads(pickle.dumps(used)) == used


@pytest.mark.parametrize("name", ALL_POLICIES)
def test_a_simulation_comes_back_from_its_file_with_its_policy(name, tmp_path):
    played = simulate([0.6, 0.4], ALL_POLICIES[name](0.3), 5, 3, seed=1)
    played.save(tmp_path / "one.npz")
    assert lenient.load(tmp_path / "one.npz").policy == played.policy


@pytest.mark.parametrize("name", BASELINES)
def test_same_seed_same_runs_in_any_number_of_blocks(name):
    policy, setting = BASELINES[name](0.2), dict(horizon=40, seed=3, checkpoints=[10, 40])
    first = simulate([0.7, 0.5], policy, runs=2100, **setting)
    again = simulate([0.7, 0.5], policy, runs=2100, **setting)
    assert np.array_equal(first.pulls, again.pulls)
    alone = simulate([0.7, 0.5], policy, runs=1000, **setting)
    assert np.array_equal(first.pulls[:1000], alone.pulls)
    with ThreadPoolExecutor(2) as pool:
        spread = simulate([0.7, 0.5], policy, runs=2100, executor=pool, **setting)
    assert np.array_equal(first.pulls, spread.pulls)


@pytest.mark.parametrize(
    "make, words",
    [
        (lambda: MOSS(0), "horizon must be a whole number of at least 1, got 0"),
        (lambda: MOSS("long"), "horizon must be a whole number of at least 1, got 'long'"),
        (lambda: Satisficing(1.1), "level must be a number in [0, 1], got 1.1"),
        (lambda: Satisficing("0.5"), "level must be a number in [0, 1], got '0.5'"),
        (lambda: BetaTS(0, 1), "alpha must be a number in [1e-9, 1e9], got 0"),
        (lambda: BetaTS(1, math.inf), "beta must be a number in [1e-9, 1e9], got inf"),
        (lambda: EpsGreedy(math.nan), "rate must be a number in [0, 1], got nan"),
        (lambda: EpsGreedy(-0.1), "rate must be a number in [0, 1], got -0.1"),
        (lambda: EpsGreedy(True), "rate must be a number in [0, 1], got True"),
        (lambda: ExploreThenCommit(2.5), "plays must be a whole number of at least 1, got 2.5"),
        (lambda: EXP3(0), "rate must be a number in (0, 1], got 0"),
        (lambda: EXP3(None), "rate must be a number in (0, 1], got None"),
        (lambda: SlidingWindowTS(0), "window must be a whole number of at least 1, got 0"),
    ],
)
def test_bad_parameters_are_refused(make, words):
    with pytest.raises(ValueError, match=f"^{re.escape(words)}$"):
        make()


# ---- the registry --------------------------------------------------------------------


def is_policy(thing):
    signature = inspect.signature(thing.__call__) if isinstance(thing, type) else None
    return signature and [*signature.parameters] == ["self", "pulls", "wins", "t", "rng"]


# Not in the registry, whose policies are functions of ε on coins: these need a leniency or a
# number of arms, or see rewards.
APART = {"LenientKLUCB", "TopLeader", "KinfUCB", "LenientNPTS"}
PUBLIC = [
    cls
    for name, cls in ((name, vars(lenient)[name]) for name in lenient.__all__)
    if is_policy(cls) and name not in APART
]


def test_every_public_policy_is_in_the_registry():
    assert len(PUBLIC) == 15 and {cls.name for cls in PUBLIC} == {*ALL_POLICIES}
    assert ALL_POLICIES == POLICIES | BASELINES and not {*POLICIES} & {*BASELINES}
    for name, make in ALL_POLICIES.items():
        policy = make(0.3)
        assert policy.name == name and type(policy) in PUBLIC
    assert ALL_POLICIES["Sat-UCB"](0.7) == Satisficing(0.3)  # 1 - 0.7 is 0.30000000000000004


def test_every_public_policy_is_offered_by_the_portrait():
    pytest.importorskip("matplotlib")
    from lenient_book.portrait import simulations

    played = simulations([0.5, 0.2], 0.1, horizon=30, runs=5, policies=[*ALL_POLICIES])
    assert {type(simulation.policy) for simulation in played.values()} == {*PUBLIC}
