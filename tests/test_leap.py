"""The leap engine: the same law as the plain engine, and the right numbers."""

import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from support import leap_checks as checks

from lenient import TS, UCB1, EpsTS, leap, simulate, standard
from lenient.simulation import BLOCK

TWENTY = tuple(np.linspace(0.1, 0.7, 20))
SMALL = [((0.9, 0.6), 2), ((0.5, 0.2), 2), ((0.7, 0.7), 0), ((1.0, 0.0), 0)]
SMALL += [((1.0, 1.0), 2), ((0.0, 0.4), 7), ((0.8, 0.3), 0)]


# --- the law of a run ---------------------------------------------------------------


@pytest.mark.parametrize("tuning", checks.TUNINGS)
@pytest.mark.parametrize("means, tenths", SMALL)
@pytest.mark.claim("beyond:leap", how="exact: all histories, a chi-square test")
def test_against_every_history(means, tenths, tuning):
    checks.check_exact_law(leap, means, tenths, 9, checks.TUNINGS[tuning])


@pytest.mark.parametrize(
    "means, policy, horizon",
    [
        ((0.9, 0.6), TS(), 600),
        ((0.5, 0.2), TS(), 600),
        ((0.9, 0.6), EpsTS(0.2), 600),  # an arm above 1−ε
        ((0.5, 0.2), EpsTS(0.2), 600),  # none
        ((0.9, 0.85, 0.6), EpsTS(0.2), 300),  # two above
        ((0.8, 0.5), EpsTS(0.2), 300),  # on the edge
        ((0.5, 0.5, 0.5), TS(), 200),
        ((1.0, 0.3, 0.0), TS(), 300),
        ((0.6, 0.0), EpsTS(0.3), 300),
        (TWENTY, TS(), 60),
        (TWENTY, EpsTS(0.2), 60),
    ],
)
@pytest.mark.parametrize("tuning", ["usual", "low threshold"])
def test_against_the_plain_engine(means, policy, horizon, tuning):
    checks.check_plain_law(leap, means, policy, horizon, checks.TUNINGS[tuning])


@pytest.mark.parametrize("case, tuning", checks.CASES)
def test_from_a_given_state(case, tuning):
    checks.check_from_state(leap, *checks.STATES[case], checks.TUNINGS[tuning])


@pytest.mark.parametrize("tuning", ["usual", "never", "duel", "short duels", "eager"])
@pytest.mark.parametrize(
    "means, policy, N, S",
    [
        ((0.6, 0.5), TS(), (14, 13), (9, 8)),
        ((0.6, 0.5, 0.3), TS(), (14, 13, 11), (9, 8, 3)),
        ((0.6, 0.5, 0.3), EpsTS(0.2), (14, 13, 11), (9, 8, 3)),
        ((0.9, 0.7, 0.3), EpsTS(0.2), (9, 8, 9), (7, 6, 1)),  # soon above 1−ε
        ((0.3, 0.2, 0.1), EpsTS(0.7), (20, 18, 12), (4, 4, 0)),  # α jumps by 3 or 4
        ((0.5, 0.5, 0.4, 0.3), TS(), (12, 11, 12, 12), (9, 8, 2, 1)),
    ],
)
def test_against_every_history_from_a_given_state(means, policy, N, S, tuning):
    checks.check_histories(leap, means, policy, N, S, 4, checks.TUNINGS[tuning])


@pytest.mark.parametrize("turn", range(24))
def test_every_eps_on_many_bandits_to_any_horizon(turn):
    checks.check_sweep(leap, turn=turn)


# --- the duel -----------------------------------------------------------------------


@pytest.mark.parametrize("case", checks.DUELS)
@pytest.mark.claim("beyond:leap", how="exact: quadrature, a chi-square test")
def test_who_plays_a_round_of_a_duel(case):
    checks.check_duel_round(leap, **checks.DUELS[case])


@settings(max_examples=60, deadline=None)
@given(numbers=st.tuples(*[st.integers(1, 400)] * 4))
def test_the_chance_to_win(numbers):
    checks.check_chance_to_win(leap, *numbers)


@pytest.mark.parametrize(
    "numbers",
    [(1, 1, 1, 1), (3000, 3000, 2900, 3100), (2, 9000, 3, 9000), (9000, 2, 8000, 1)]
    + [(1000, 10, 5, 4), (5, 4, 1000, 10), (20_000, 10, 19_000, 12), (1, 5000, 5000, 1)],
)
def test_the_chance_to_win_of_lopsided_arms(numbers):
    checks.check_chance_to_win(leap, *numbers)


@pytest.mark.parametrize("n, far", [(10**6, 1), (10**9, 1), (10**12, 1), (10**9, 5)])
def test_the_chance_to_win_of_arms_with_many_plays(n, far):
    """Against the normal law with its next term, which is exact to 1/n.

    As a + b = c + d, X − Y has no skewness to the first order.
    """
    shift = far * int(n**0.5)
    h, g, terms = leap.chance_to_win(n / 2, n / 2, n / 2 + shift, n / 2 - shift)
    z = (2 * shift / n) / np.sqrt(2 / (4.0 * n) * (1 - 2 * (shift / n) ** 2)) / 2
    assert abs(h - stats.norm.sf(z * 1.0)) < 20 / n**0.5 * max(h, 1e-12) + 1e-10
    assert terms < 20 * n**0.5


@pytest.mark.parametrize("eps", [0, 0.2, 0.45, 0.7, 0.05])
@pytest.mark.parametrize("seed", range(3))
def test_steps_keep_their_digits(eps, seed):
    """3000 steps lose less than 1e-12; the engine starts afresh after 1000 to some 10,000."""
    checks.check_steps(leap, eps, 3000, seed=seed)


@pytest.mark.parametrize("eps", [0, 0.2, 0.7])
def test_h_is_that_of_the_arms_that_meet(eps):
    checks.check_meet(leap, eps)


def test_ten_thousand_steps_from_many_plays():
    checks.check_steps(leap, 0, 10_000, start=(4000, 4100, 4050, 4000))


# --- one block ----------------------------------------------------------------------


@pytest.mark.parametrize("f, chance", [(1, 0.05), (3, 0.05), (3, 0.4), (9, 0.02)])
def test_how_a_block_ends(f, chance):
    checks.check_block(leap, f=f, chance=chance)


@pytest.mark.parametrize("f, mean", [(1, 0.3), (5, 0.9), (40, 0.5), (3, 0.0)])
def test_rounds_until_the_f_th_failure(f, mean):
    checks.check_rounds_until_failure(leap, f, mean)


def test_a_failure_that_never_comes():
    rng = checks.generator(1)
    assert leap.rounds_until_failure(rng, 3, 1.0, 1000) == 1001
    assert leap.rounds_until_failure(rng, 3, 1 - 1e-16, 1000) == 1001


@pytest.mark.parametrize(
    "some, rounds, wins",
    [(1, 2, 1), (3, 9, 4), (5, 6, 5), (20, 100, 3), (90, 100, 50), (40, 1000, 999)]
    + [(300, 10**9, 10**8), (10**9, 10**12, 5 * 10**11), (7 * 10**11, 10**12, 10**11)],
)
def test_wins_before_a_checkpoint(some, rounds, wins):
    checks.check_wins_among(leap, some, rounds, wins)


# --- one round --------------------------------------------------------------


@pytest.mark.parametrize("case", checks.HIGHEST)
def test_who_plays_an_ordinary_round(case):
    checks.check_highest(leap, *checks.HIGHEST[case])


@pytest.mark.parametrize("case", checks.CANDIDATES)
@pytest.mark.claim("beyond:leap", how="exact: quadrature, a chi-square test")
def test_who_plays_a_candidate_round(case):
    checks.check_candidate(leap, **checks.CANDIDATES[case])


@settings(max_examples=300, deadline=None)
@given(
    alpha=st.integers(1, 300),
    beta=st.integers(1, 300),
    f=st.integers(1, 40),
    x=st.floats(0.01, 0.99),
    wins=st.integers(0, 60),
    failures=st.integers(0, 39),
)
@pytest.mark.claim("beyond:leap", how="numerical search")
def test_the_envelope_covers_every_state_of_the_block(alpha, beta, f, x, wins, failures):
    checks.check_envelope(leap, alpha, beta, f, x, wins, min(failures, f - 1))


# --- numbers ------------------------------------------------------------------------

COUNT = st.one_of(st.integers(0, 60), st.integers(0, 2**53))
ABOVE_ZERO = st.one_of(st.integers(1, 60), st.integers(1, 2**53))


@given(a=COUNT, b=ABOVE_ZERO, c=COUNT, d=ABOVE_ZERO)
def test_fractions_are_compared_exactly(a, b, c, d):
    checks.check_compare(leap, a, b, c, d)
    checks.check_compare(leap, a, b, a, b)
    checks.check_compare(leap, a, b, a + 1, b)


EDGES = [2**bits + more for bits in (31, 32, 33) for more in (-1, 0, 1)]


@pytest.mark.parametrize("a", EDGES)
@pytest.mark.parametrize("b", EDGES)
def test_numbers_around_32_bits(a, b):
    """Where the short way by products ends, and where one of 32 bits would."""
    for c in (1, 3, 2**31, b // 2, b):
        checks.check_quotient(leap, a, b, c)
        checks.check_compare(leap, a, b, c, a)
        checks.check_compare(leap, c, b, a, 2**33)
    for eps in (0, 0.2, 0.7, 1 / 3):
        checks.check_posterior(leap, EpsTS(eps), max(a, b), min(a, b))
        checks.check_posterior(leap, EpsTS(eps), a, a // 3)


@given(a=COUNT, p=st.integers(1, 2**60), more=st.integers(0, 2**60), b=ABOVE_ZERO)
def test_quotients_are_exact(a, p, more, b):
    """⌊S·q/p⌋ for 1−ε = p/q, and ⌊S·N/S'⌋ for the barrier, where they are counts."""
    q = p + more
    checks.check_quotient(leap, a, q, p)
    if 0 < b <= a:
        checks.check_quotient(leap, a, b, b)


@given(
    eps=st.sampled_from([0, 0.2, 0.45, 0.7, 0.9, 0.05, 1 / 3, 1e-12, 0.123456789]),
    N=COUNT,
    share=st.floats(0, 1),
)
def test_posteriors_are_exact(eps, N, share):
    checks.check_posterior(leap, EpsTS(eps), N, min(round(share * N), N))


@pytest.mark.parametrize("S, N", [(1, 1), (8, 10), (9, 10), (0, 0), (0, 5), (4, 5)])
def test_posterior_at_and_above_the_ceiling(S, N):
    checks.check_posterior(leap, EpsTS(0.2), N, S)
    checks.check_posterior(leap, TS(), N, S)


@pytest.mark.parametrize("n", [1, 2, 3, 15, 16, 17, 1000, 10**6, 10**9, 10**12, 10**15])
@pytest.mark.parametrize("share", [0.5, 0.02, 0.999])
@pytest.mark.parametrize("deviations", [-7, 0, 0.3, 4])
def test_log_density_keeps_its_digits(n, share, deviations):
    alpha = max(round(share * n), 1)
    beta = max(n - alpha, 1)
    mean, sd = leap.moments(float(alpha), float(beta))
    x = min(max(mean + deviations * sd, 1e-3), 1 - 1e-3)
    checks.check_log_density(leap, x, alpha, beta)


# --- as an engine -------------------------------------------------------------------


def test_the_rate_of_false_alarms_of_the_checks():
    """Chi-square with cells down to FEW, under the null: 1.0e-3 by name."""
    rng, law = checks.generator(1), np.array([0.5, 0.3, 0.1, 0.06, 0.03, 0.007, 0.002, 0.001])
    seen = rng.multinomial(20_000, law, size=20_000)
    p_values = np.array([checks.chi_square(s, 20_000 * law) for s in seen])
    alarms = (p_values < 1e-3).sum()  # expects 20, and 40 or more with a chance of 5e-5
    assert alarms < 40


@pytest.mark.parametrize("name", ["a light tail", "a heavy tail", "a rare accident"])
def test_the_rate_of_false_alarms_for_two_samples(name):
    """Two samples of the same law, 10,000 runs each as in the checks: at most 1 in 100."""
    rng = checks.generator(2)
    draw = {
        "a light tail": lambda size: rng.poisson(20, size),
        "a heavy tail": lambda size: (10 * rng.pareto(1.2, size)).astype(int).clip(0, 5000),
        "a rare accident": lambda size: (
            rng.geometric(0.3, size) + 600 * (rng.random(size) < 0.002)
        ),
    }[name]
    alarms = sum(checks.p_of_same_law(*draw((2, 10_000))) < 1e-2 for _ in range(500))
    assert alarms < 17  # expects at most 5, and 17 or more with a chance below 3e-5


def test_auto_leaps_where_it_can():
    def engine(means, policy, horizon=10):
        return simulate(means, policy, horizon, 1, seed=0).engine

    assert engine([0.9, 0.6], TS()) == engine([0.9, 0.6], EpsTS(0.2)) == "leap"
    assert engine([0.9, 0.6], UCB1()) == "plain"
    assert engine([0.9, stats.beta(2, 3)], TS()) == "plain"
    assert engine([0.9, 0.6], EpsTS(1e-300)) == "leap"  # ε is read to 18 places

    class Bold(TS):
        def __call__(self, pulls, wins, t, rng):
            return wins

    assert engine([0.9, 0.6], Bold()) == "plain"


@pytest.mark.parametrize(
    "arguments, message",
    [
        (([0.9], UCB1(), 10, 1), "'leap' knows only TS, EpsTS and index rules such as KLUCB"),
        (([stats.beta(2, 3)], TS(), 10, 1), "'leap' needs arms with rewards 0 and 1"),
        (([0.9], TS(), 2**54, 1), r"horizon must be at most 2\*\*53"),
    ],
)
def test_what_it_cannot_play_is_said(arguments, message):
    with pytest.raises(ValueError, match=message):
        simulate(*arguments, engine="leap")


def test_without_numba_the_plain_engine_plays():
    code = """
import sys
sys.modules["numba"] = None
import lenient
assert lenient.simulate([0.9], lenient.TS(), 5, 1).engine == "plain"
try:
    lenient.simulate([0.9], lenient.TS(), 5, 1, engine="leap")
except ImportError as error:
    print(error)
"""
    result = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    assert result.stdout == "engine='leap' needs numba: pip install 'lenient[fast]'\n"
    assert result.stderr == ""


def test_threads_change_nothing():
    arguments = dict(means=[0.5, 0.2], policy=EpsTS(0.2), horizon=10**6, seed=4)
    alone = simulate(runs=2 * BLOCK + 7, **arguments)
    with ThreadPoolExecutor(2) as pool:
        together = simulate(runs=2 * BLOCK + 7, executor=pool, **arguments)
    assert np.array_equal(alone.pulls, together.pulls)
    assert alone.engine == together.engine == "leap"


def test_neither_checkpoints_nor_pauses_change_a_run(monkeypatch):
    every = simulate([0.6, 0.3, 0.1], TS(), 500, 20, seed=3, checkpoints=range(1, 501))
    monkeypatch.setattr(leap, "VISITS", 7)
    few = simulate([0.6, 0.3, 0.1], TS(), 500, 20, seed=3, checkpoints=[77, 500])
    assert np.array_equal(every.pulls[:, [76, 499]], few.pulls)
    assert np.all(every.pulls.sum(axis=2) == every.times)
    assert np.all(np.diff(every.pulls, axis=1) >= 0)


def test_progress_adds_up():
    steps = []
    times, seed = np.array([50, 3000]), np.random.SeedSequence(1)
    leap.play_block([0.5, 0.5], TS(), times, 300, seed, steps.append)
    assert sum(steps) == 300 * 3000 and len(steps) > 1 and min(steps) > 0


@pytest.mark.parametrize("policy", [TS(), EpsTS(0.2)])
@pytest.mark.parametrize("means", [[1.0], [0.0, 0.0], [1.0, 0.0], [0.5, 0.2, 0.0]])
def test_edges(means, policy):
    pulls = simulate(means, policy, 3000, 50, seed=1, engine="leap").pulls
    assert np.all(pulls.sum(axis=2) == np.arange(15, 3001, 15))
    if means == [1.0, 0.0]:
        assert pulls[:, -1, 1].max() < 60


def test_a_trillion_rounds():
    """The regret of TS grows by the rate of Lai and Robbins, within four errors.

    From 10^11 to 10^12 the slope is a little below the rate (see the chapter on the limit),
    hence the 5 %. False alarm: 6e-5.
    """
    means = [0.5, 0.2]
    run = simulate(means, TS(), 10**12, 1000, seed=2, checkpoints=[10**11, 10**12])
    regret = run.regret(standard())
    growth = regret[:, 1] - regret[:, 0]
    error = growth.std() / np.sqrt(growth.size)
    rate = 0.3 / (0.2 * np.log(0.2 / 0.5) + 0.8 * np.log(0.8 / 0.5)) * np.log(10)
    assert abs(growth.mean() - 0.975 * rate) < 4 * error + 0.025 * rate
