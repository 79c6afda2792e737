"""The engine for index rules: the same plays as the plain one, and a horizon of 10^9."""

from concurrent.futures import ThreadPoolExecutor
from fractions import Fraction

import numpy as np
import pytest
from scipy import stats
from support import leap_ucb_checks as checks

from lenient import (
    KLUCB,
    TS,
    UCB1,
    EpsKLUCB,
    LenientKLUCB,
    SqueezedKLUCB,
    kl,
    leap_ucb,
    simulate,
    threshold,
)
from lenient.policies import discount_of


@pytest.fixture(scope="module")
def transparent():
    return checks.transparent()


@pytest.mark.parametrize("policy", checks.POLICIES)
@pytest.mark.parametrize("means", checks.BANDITS)
def test_the_same_rewards_give_the_same_plays(transparent, means, policy):
    checks.check_paths(transparent, checks.POLICIES[policy], means)


@pytest.mark.parametrize("policy", ["shift 0.2", "threshold"])
def test_the_same_plays_for_long(transparent, policy):
    checks.check_paths(transparent, checks.POLICIES[policy], (0.5, 0.45, 0.2), 4000, range(2))


SMALL = [(0.5, 0.2), (0.9, 0.6), (0.8, 0.5), (0.7, 0.7), (1.0, 0.0), (0.6, 0.3, 0.1)]


@pytest.mark.parametrize("policy", checks.POLICIES)
@pytest.mark.parametrize("means", SMALL)
def test_against_every_history(means, policy):
    checks.check_exact_law(leap_ucb, means, checks.POLICIES[policy], 9 - len(means))


@pytest.mark.parametrize(
    "means, policy, horizon",
    [
        ((0.5, 0.2), "shift 0.2", 600),
        ((0.9, 0.6), "shift 0.2", 600),
        ((0.5, 0.45, 0.2), "shift 0.2", 600),
        ((0.5, 0.4), "shift 0.05", 600),
        ((0.5, 0.2), "KL-UCB", 400),
        ((0.9, 0.6), "squeezed", 400),
        ((0.5, 0.3), "multiplicative", 400),
        ((0.8, 0.6, 0.5), "threshold", 400),
        (tuple(np.linspace(0.1, 0.7, 20)), "shift 0.2", 100),
    ],
)
def test_against_the_plain_engine(means, policy, horizon):
    checks.check_plain_law(leap_ucb, means, checks.POLICIES[policy], horizon)


@pytest.mark.parametrize("tau", [1e-300, 5e-324, 1 / 3])
def test_a_threshold_of_many_decimals(tau):
    """g(1) goes into 64 bits, to 18 places; within 5 errors of the plain engine (1e-6)."""
    policy = LenientKLUCB(threshold(tau))
    for means in [(0.0, 1.0), (0.5, 0.2), (1.0, 1.0)]:
        leap, plain = (
            simulate(means, policy, 60, 1000, 1, engine=engine).pulls[:, -1, 1]
            for engine in ("leap", "plain")
        )
        error = np.sqrt((leap.var() + plain.var()) / 1000)
        assert abs(leap.mean() - plain.mean()) <= 5 * error


def test_numbers():
    checks.check_numbers(leap_ucb)


@pytest.mark.parametrize("kind", ["additive", "none"])
def test_a_block_ends_in_time(kind):
    checks.check_block_is_safe(leap_ucb, kind)


def test_a_tie_of_an_index_with_a_mean():
    """0 of 3 and 1 of 4 at t = 8, ε = 1/4: U − ε = 1 − 8^(−1/3) − 1/4 is the mean 1/4."""
    scores = EpsKLUCB(0.25)(np.array([3, 400]), np.array([0, 100]), 8, None)
    assert scores[0] == pytest.approx(scores[1], abs=1e-15)


# --- as an engine -----------------------------------------------------------------------


@pytest.mark.parametrize("policy", [KLUCB(), EpsKLUCB(0.2), SqueezedKLUCB(0.2)])
def test_auto_leaps_with_index_rules(policy):
    run = simulate([0.9, 0.6], policy, 10, 2, seed=0)
    assert run.engine == "leap" and run.why_engine == "it can play this, and skips rounds"
    assert simulate([0.9, stats.beta(2, 3)], policy, 10, 2, seed=0).engine == "plain"


def test_who_offers_a_discount():
    class Bold(EpsKLUCB):
        def __call__(self, pulls, wins, t, rng):
            return wins

    class Renamed(EpsKLUCB):
        name = "another"

    assert (
        discount_of(EpsKLUCB(0.2)) == discount_of(Renamed(0.2)) == ("additive", Fraction(4, 5))
    )
    assert discount_of(Bold(0.2)) is discount_of(TS()) is discount_of(UCB1()) is None
    why = simulate([0.9, 0.6], Bold(0.2), 10, 1).why_engine
    assert why.startswith("engine 'leap' knows only TS, EpsTS and index rules such as KLUCB")


def test_threads_checkpoints_and_pauses_change_nothing(monkeypatch):
    game = dict(means=[0.5, 0.45, 0.2], policy=EpsKLUCB(0.2), horizon=10**5, seed=4)
    alone = simulate(runs=1007, checkpoints=[77, 5000, 10**5], **game)
    monkeypatch.setattr(leap_ucb, "VISITS", 7)
    with ThreadPoolExecutor(2) as pool:
        together = simulate(runs=1007, executor=pool, checkpoints=[10**5], **game)
    assert np.array_equal(alone.pulls[:, -1:], together.pulls)
    assert np.all(alone.wins <= alone.pulls) and np.all(np.diff(alone.wins, axis=1) >= 0)


def test_progress_adds_up(monkeypatch):
    monkeypatch.setattr(leap_ucb, "VISITS", 1000)
    steps = []
    seed = np.random.SeedSequence(1)
    leap_ucb.play_block([0.5, 0.5], KLUCB(), np.array([50, 1000]), 300, seed, steps.append)
    assert sum(steps) == 300 * 1000 and len(steps) > 1


def test_a_billion_rounds():
    """Below 1−ε a bad arm is played 1/d(μ_a, μ*+ε) times for each unit of ln T.

    From 10^6 to 10^9, within four errors and 5 %. False alarm: 6e-5.
    """
    times = [10**6, 10**9]
    run = simulate([0.5, 0.2], EpsKLUCB(0.2), 10**9, 200, seed=2, checkpoints=times)
    growth = (run.pulls[:, 1, 1] - run.pulls[:, 0, 1]) / np.log(1000)
    error = growth.std() / np.sqrt(growth.size)
    rate = 1 / kl(0.2, 0.7)
    assert abs(growth.mean() - rate) < 4 * error + 0.05 * rate


@pytest.mark.parametrize("means", [[1.0], [0.0, 0.0], [1.0, 0.0], [0.5, 0.2, 0.0]])
def test_edges(means):
    pulls = simulate(means, EpsKLUCB(0.2), 3000, 50, seed=1, engine="leap").pulls
    assert np.all(pulls.sum(axis=2) == np.arange(15, 3001, 15))


# --- deliberate mistakes ------------------------------------------------------------------

SHIFT = checks.POLICIES["shift 0.2"]


def path(policy, *bandits):
    def check(module):
        for means in bandits:
            checks.check_paths(module, checks.POLICIES[policy], means, seeds=range(8))

    return check


MISTAKES = {
    "more failures than the leader can bear": (
        [("leader.S / (leader.N + f - 1)", "leader.S / (leader.N + f // 4)")],
        path("shift 0.2", (0.82, 0.8), (0.85, 0.8, 0.8)),
    ),
    "rivals stand still": (
        [("log_time = min(log_time, evidence(wins, arm.N - wins, u))", "pass")],
        path("shift 0.2", (0.5, 0.2)),
    ),
    "only the last rival is looked at": (
        [("log_time = min(log_time, evidence", "log_time = (evidence")],
        path("shift 0.2", (0.5, 0.2, 0.2), (0.6, 0.4, 0.1)),
    ),
    "rivals need not be ε better": (
        [("return m + (1 - top)", "return m + 1.5 * (1 - top)")],
        path("shift 0.2", (0.5, 0.2)),
    ),
    "the leader's optimism is forgotten": (
        [("arm.score = max(mean, worth)", "arm.score = mean"),
         ("arm.exact = capped or mean >= worth", "arm.exact = True")],
        path("shift 0.2", (0.5, 0.2)),
    ),
    "an arm never played waits": (
        [("if arm.score >= m:", "if False:")],
        path("shift 0.2", (0.5, 0.2), (0.9, 0.6), (0.8, 0.5)),
    ),
    "a rival's mean is forgotten": (
        [("elif arm.S / arm.N >= m:", "elif False:")],
        path("shift 0.2", (0.82, 0.8), (0.85, 0.8, 0.8)),
    ),
    "KL-UCB leaves an arm out": (
        [("arm.num = 2 * rule.q", "arm.num = rule.q")],
        path("KL-UCB", (1.0, 0.3), (1.0, 1.0)),
    ),
    "the cap is not exact": (
        [("capped = rule.kind >= THRESHOLD and worth >= top", "capped = False"),
         ("return min(u, rule.p / rule.q)", "return min(u, rule.p / rule.q + 1e-9)")],
        path("threshold", (0.5, 0.45, 0.2), (0.8, 0.5)),
    ),
    "the multiplicative inverse": (
        [("return m / top", "return m / top / top")],
        path("multiplicative", (0.5, 0.45, 0.2), (0.5, 0.2)),
    ),
}  # fmt: skip


@pytest.mark.parametrize("mistake", MISTAKES)
def test_a_mistake_is_caught(mistake):
    edits, check = MISTAKES[mistake]
    text = checks.SOURCE
    for old, new in edits:
        assert old in text, f"the engine has no line {old!r}"
        text = text.replace(old, new)
    module = checks.transparent(text)
    with pytest.raises(AssertionError):
        check(module)


def test_draws_that_are_not_those_of_the_rewards_are_caught(monkeypatch):
    """Failures are not conditioned; and wins of a block are drawn again."""
    checks.check_plain_law(leap_ucb, (0.5, 0.2), SHIFT, 300)

    class Wrong:
        @staticmethod
        def play_block(*arguments):
            counts = leap_ucb.play_block(*arguments)
            rng = np.random.default_rng(1)
            return counts._replace(wins=rng.binomial(counts.pulls, 0.45))

    with pytest.raises(AssertionError):
        checks.check_plain_law(Wrong, (0.5, 0.2), SHIFT, 300)
