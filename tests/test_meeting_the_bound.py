"""The appendix "ε-KL-UCB meets the lower bound": its lemmas on paths, by sums, in digits.

The policy is typed anew here from its definition, with the index by bisection, so that the
package is compared with the theorem and not with itself.
"""

from math import ceil, exp, expm1, log, log1p

import mpmath
import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.stats import binom
from support.leap_ucb_checks import law_of_plays

from lenient import EpsKLUCB, hinge, lower_bound, simulate

EPS = 0.2


def d(p, q):
    """Bernoulli divergence for 0 ≤ p ≤ 1, 0 < q < 1."""
    return sum(a * log(a / b) for a, b in [(p, q), (1 - p, 1 - q)] if a)


def index(mean, n, t):
    """The largest q with n·d(mean, q) ≤ ln t, by bisection."""
    if n == 0 or mean == 1:
        return 1.0
    low, high = mean, 1.0
    for _ in range(60):
        middle = (low + high) / 2
        inside = middle < 1 and (middle <= mean or n * d(mean, middle) <= log(t))
        low, high = (middle, high) if inside else (low, middle)
    return low


def play(tables, horizon, rng, eps=EPS):
    """The arms played and the pulls before each round, for one run."""
    arms = len(tables)
    N, S = np.zeros((2, arms), dtype=int)
    arm, before = np.zeros(horizon, dtype=int), np.zeros((horizon, arms), dtype=int)
    scores = np.zeros((horizon, arms))
    for t in range(1, horizon + 1):
        mean = S / np.maximum(N, 1)
        U = [index(m, n, t) for m, n in zip(mean.tolist(), N.tolist())]
        scores[t - 1] = np.maximum(mean, np.array(U) - eps)
        best = np.flatnonzero(scores[t - 1] >= scores[t - 1].max() - 1e-12)
        arm[t - 1], before[t - 1] = rng.choice(best), N
        S[arm[t - 1]] += tables[arm[t - 1], N[arm[t - 1]]]
        N[arm[t - 1]] += 1
    return arm, before, scores


def tables_of(means, horizon, rng):
    return (rng.random((len(means), horizon)) < np.array(means)[:, None]).astype(int)


def averages(table):
    """The mean of the first n entries, n = 1, 2, …"""
    return np.cumsum(table) / np.arange(1, table.size + 1)


# --- tools ------------------------------------------------------------------------------


@pytest.mark.claim("beyond:shift-rate", how="exact")
def test_three_points():
    rng = np.random.default_rng(1)
    with mpmath.workdps(40):
        for p, y, mu in rng.uniform(0, 1, (200, 3)).tolist() + [[0, 0.3, 0.5], [1, 0.3, 0.5]]:
            p, y, mu = map(mpmath.mpf, (p, y, mu))

            def D(a, b):
                terms = [(a, b), (1 - a, 1 - b)]
                return sum(u * mpmath.log(u / v) for u, v in terms if u)

            lam = mpmath.log(mu / (1 - mu)) - mpmath.log(y / (1 - y))
            assert abs(D(p, mu) - D(p, y) - D(y, mu) - (y - p) * lam) < mpmath.mpf(10) ** -35


@pytest.mark.parametrize(
    "q, mu", [(0.4, 0.5), (0.01, 0.99), (0.69, 0.7), (0.7, 0.4), (0.9, 0.2)]
)
@pytest.mark.claim("beyond:shift-tail", how="numerical search")
def test_the_ratio_of_divergences_is_monotone(q, mu):
    """It increases up to q if q < μ, and decreases up to μ if μ < q."""
    with mpmath.workdps(30):

        def D(a, b):
            return sum(u * mpmath.log(u / v) for u, v in [(a, b), (1 - a, 1 - b)] if u)

        q, mu = mpmath.mpf(q), mpmath.mpf(mu)
        grid = [min(q, mu) * k / 200 for k in range(199)]
        ratios = [D(z, mu) / D(z, q) for z in grid]
        steps = [b - a for a, b in zip(ratios, ratios[1:])]
        assert all(step > 0 for step in steps) if q < mu else all(step < 0 for step in steps)
        assert abs(ratios[0] - mpmath.log(1 - mu) / mpmath.log(1 - q)) < 1e-25


def test_a_bound_on_the_divergence():
    for p in np.linspace(0, 1, 101):
        for q in np.linspace(0.001, 0.999, 200):
            assert d(p, q) >= (1 - p) * log(1 / (1 - q)) - log(2)


def test_the_definition_is_the_package():
    rng = np.random.default_rng(2)
    for _ in range(300):
        n = int(rng.integers(0, 50))
        s, t = int(rng.integers(0, n + 1)), int(rng.integers(n + 1, 500))
        score = max(s / max(n, 1), index(s / max(n, 1), n, t) - EPS)
        assert EpsKLUCB(EPS)(n, s, t, None) == pytest.approx(score, abs=1e-12)


def test_the_leaders_own_doubt_counts():
    """Leader 1 of 2, rival 1 of 3, t = 6: the rival is in doubt, and the leader plays."""
    assert 3 * d(1 / 3, 0.7) < log(6)
    scores = EpsKLUCB(EPS)(np.array([2, 3]), np.array([1, 1]), 6, None)
    assert scores.argmax() == 0


# --- the three kinds --------------------------------------------------------------------


def kinds_exceed(means, x, runs, horizon=250):
    """How often, on a path, plays of the last arm exceed what the proof allows each kind."""
    rng, failures = np.random.default_rng(3), [0, 0, 0]
    best, a, y = int(np.argmax(means)), len(means) - 1, x + EPS
    for _ in range(runs):
        tables = tables_of(means, horizon, rng)
        arm, before, scores = play(tables, horizon, rng)
        plays = np.flatnonzero(arm == a)
        n = before[plays, a]
        mean = np.concatenate([[0], averages(tables[a])])[n]
        first = mean > x
        second = ~first & (scores[plays, a] <= x)
        third = ~first & ~second
        low = averages(tables[best])
        V = sum(
            exp((n + 1) * d(m, y)) for n, m in enumerate(low.tolist()[: before[-1, best]])
            if m <= x
        )  # fmt: skip
        failures[0] += first.sum() > (averages(tables[a]) > x).sum()
        failures[1] += second.sum() > V
        failures[2] += (n[third] * d(x, y) > np.log(plays[third] + 1) + 1e-9).any()
    return failures


@pytest.mark.parametrize("means, x", [((0.5, 0.2), 0.25), ((0.5, 0.45, 0.2), 0.25)])
@pytest.mark.claim("beyond:shift-rate", how="exact: on every path of many")
@pytest.mark.claim("beyond:shift-bounded", how="exact: on every path of many")
def test_each_kind_is_paid_for_on_every_path(means, x):
    assert kinds_exceed(means, x, 20) == [0, 0, 0]


@pytest.mark.parametrize("mu, x", [(0.5, 0.25), (0.5, 0.29), (0.9, 0.67), (0.8, 0.56)], ids=str)
@pytest.mark.claim("beyond:shift-rate", how="exact")
def test_the_second_kind_by_exact_sums(mu, x):
    y = x + EPS
    lam = log(mu / (1 - mu)) - log(y / (1 - y))
    R = d(x, mu) - d(x, y)
    assert R == pytest.approx(d(y, mu) + EPS * lam)
    total = 0.0
    for n in range(1, 4000):
        k = np.arange(int(n * x + 1e-9) + 1)
        gain = np.array([n * d(each / n, y) for each in k.tolist()])
        terms = np.exp(gain + binom.logpmf(k, n, mu)).sum()
        assert terms <= exp(-n * R) / -expm1(-lam) * (1 + 1e-9)
        total += terms
        if exp(-n * R) < 1e-7:
            break
    bound = 1 / (expm1(R) * -expm1(-lam))
    assert 0.04 * bound < total < bound


# --- the take-over ----------------------------------------------------------------------


def takeover_fails(means, c, runs=20, horizon=250, forget_start=False):
    """On how many paths L(s) exceeds the lemma's bound for some s."""
    rng, failures = np.random.default_rng(4), 0
    ceiling, best = 1 - EPS, max(means)
    H = [i for i, m in enumerate(means) if (m == best if best < ceiling else m >= ceiling)]
    others = [i for i in range(len(means)) if i not in H]
    rho, D = 1 - EPS - c, d(c, c + EPS)
    assert max(means[i] for i in others) < c < min(ceiling, min(means[i] for i in H))
    for _ in range(runs):
        tables = tables_of(means, horizon, rng)
        arm, _, _ = play(tables, horizon, rng)
        low = [np.flatnonzero(averages(tables[i]) <= c) for i in H]
        start = max((each[-1] + 1 if each.size else 0) for each in low)
        W = sum((averages(tables[b]) > c).sum() for b in others)
        K = len(others)
        s = np.arange(1, horizon + 1)
        bound = W + K + K / D * np.log(s)
        if not forget_start:
            bound = bound + min(rho ** -float(start), 1e9)
        failures += (np.cumsum(np.isin(arm, others)) > bound).any()
    return failures


@pytest.mark.parametrize(
    "means, c",
    [((0.5, 0.2), 0.35), ((0.5, 0.45, 0.2), 0.47), ((0.9, 0.8, 0.5), 0.65), ((0.8, 0.5), 0.65)],
)
@pytest.mark.claim("beyond:shift-rate", how="exact: on every path of many")
@pytest.mark.claim("beyond:shift-bounded", how="exact: on every path of many")
def test_the_good_arms_take_over_on_every_path(means, c):
    assert takeover_fails(means, c) == 0


def test_the_start_must_be_paid_for():
    assert takeover_fails((0.5, 0.45, 0.2), 0.47, runs=60, forget_start=True) > 0


# --- the finite-time bound ---------------------------------------------------------------


def shift_bound(levels, best, mu, T):
    """Equation (eq-shift-finite) for two coins, typed from the appendix."""
    x, c, delta = levels
    if not (mu < x < best - EPS and mu < c < min(best, 1 - EPS) and 0 < delta < best - x):
        return float("inf")
    y, z = x + EPS, best - delta + EPS
    lam = log(best / (1 - best)) - log(y / (1 - y))
    S1 = 1 / expm1(d(x, mu))
    S2 = 1 / (expm1(d(y, best) + EPS * lam) * (1 - exp(-lam)))
    C = 1 / d(c, c + EPS)
    Y = 1 / expm1(d(c, mu)) + 1 + C * max(log(4 * C) - 1, 0)
    log_s0 = log(4) + log(1 / (1 - EPS - c)) / expm1(d(c, best)) + log1p(Y)
    log_s = log_s0 + log(4 + 4 / expm1(d(best - delta, best)))
    return log(T) / d(x, z) + 1 + S1 + S2 + log_s / d(x, y)


@pytest.mark.parametrize("T, value", [(5000, 475), (10**9, 519)])
@pytest.mark.claim("beyond:shift-rate", how="simulation: far below the bound")
def test_the_finite_time_bound_holds(T, value):
    found = minimize(
        shift_bound, [0.25, 0.32, 0.05], args=(0.5, 0.2, T), method="Nelder-Mead"
    ).fun
    assert found == pytest.approx(value, abs=1)
    runs = simulate([0.5, 0.2], EpsKLUCB(EPS), T, 200, seed=1, checkpoints=[T])
    assert 10 < runs.pulls[:, -1, 1].mean() < found


def test_the_rate_is_that_of_the_lower_bound():
    assert lower_bound((0.5, 0.2), EPS, hinge(EPS)) == pytest.approx(0.1 / d(0.2, 0.7))


# --- the tail ---------------------------------------------------------------------------


def test_a_row_of_zeros_keeps_the_best_arm_away():
    """With n zeros it is back when t^(−1/n) ≤ 1 − μ̂_2 − ε, and not before."""
    n, mean = 5, 0.4
    back = ceil((1 - mean - EPS) ** -n)
    policy = EpsKLUCB(EPS)
    for t, who in ((back - 1, 1), (back + 1, 0)):
        scores = policy(np.array([n, 10**6]), np.array([0, 4 * 10**5]), t, None)
        assert scores.argmax() == who


@pytest.mark.parametrize("mu1, mu2", [(0.7, 0.4), (0.9, 0.5), (0.6, 0.3)])
@pytest.mark.claim("beyond:shift-price", how="exact")
def test_the_price_by_exact_laws(mu1, mu2):
    """P(N_2 ≥ T/2) ≥ exp(−w E'N_1) − exp(−wT/2), for every rule: here for three, to T = 10."""
    w = -log(1 - mu1)
    rules = [
        EpsKLUCB(EPS),
        lambda pulls, wins, t, rng: wins / np.maximum(pulls, 1),
        lambda pulls, wins, t, rng: np.array([0.0, 1.0]) if t % 3 else np.array([1.0, 0.0]),
    ]
    for rule in rules:
        for T in (6, 10):
            law, zero = law_of_plays((mu1, mu2), rule, T), law_of_plays((0.0, mu2), rule, T)
            stuck = sum(chance for (N, _), chance in law.items() if 2 * N[1] >= T)
            mean = sum(chance * N[0] for (N, _), chance in zero.items())
            assert stuck >= exp(-w * mean) - exp(-w * T / 2)
            # the step before, an equality up to what is left out
            exact = sum(
                chance * exp(-w * N[0]) for (N, _), chance in zero.items() if 2 * N[1] >= T
            )
            assert stuck >= exact - 1e-12


@pytest.mark.claim("beyond:shift-tail", how="simulation: false alarm 6e-5")
def test_the_measured_exponent():
    """From T = 100 to 1000, within four errors of κ, false alarm 6e-5; and 10 %.

    The number of zeros is whole, so that T^κ·P waves a little around a constant.
    """
    game = dict(horizon=1000, runs=100_000, seed=5, checkpoints=[100, 1000])
    run = simulate([0.5, 0.2], EpsKLUCB(EPS), **game)
    stuck = (2 * run.pulls[:, :, 1] >= run.times).sum(axis=0)
    kappa = log(0.5) / log(0.6)
    seen = log(stuck[0] / stuck[1]) / log(10)
    error = np.hypot(*(stuck**-0.5)) / log(10)
    assert kappa == pytest.approx(1.357, abs=1e-3)
    assert abs(seen - kappa) < 4 * error + 0.1 * kappa


@pytest.mark.claim("beyond:shift-tail", how="simulation: false alarm 6e-5")
def test_the_measured_exponent_of_an_arm_within_eps():
    """Not a row of zeros is cheapest there, but a long stay at the rival's mean.

    A factor of the order sqrt(ln T) in front of the power is taken out.
    """
    game = dict(horizon=10**4, runs=40_000, seed=3, checkpoints=[1000, 10**4])
    run = simulate([0.6, 0.45], EpsKLUCB(EPS), **game)
    stuck = (2 * run.pulls[:, :, 1] >= run.times).sum(axis=0)
    root = 0.5 * log(log(1e4) / log(1e3))
    seen = (log(stuck[0] / stuck[1]) - root) / log(10)
    error = np.hypot(*(stuck**-0.5)) / log(10)
    assert abs(seen - d(0.45, 0.6) / d(0.45, 0.65)) < 4 * error
    assert abs(seen - log(0.4) / log(0.35)) > 4 * error


@pytest.mark.claim("beyond:shift-tail", how="simulation: far below the bound")
def test_without_any_win_the_tie_helps():
    """μ_2 = 0: the chance to be stuck is at most (1 − μ_1/2)^(T/2 − v − 1)."""
    T, mu = 200, 0.5
    v = log(T) / log(1 / (1 - EPS))
    run = simulate([mu, 0.0], EpsKLUCB(EPS), T, 20_000, seed=6, checkpoints=[T])
    stuck = (2 * run.pulls[:, -1, 1] >= T).mean()
    assert stuck <= (1 - mu / 2) ** (T / 2 - v - 1) + 4 / 20_000
