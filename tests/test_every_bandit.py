"""The appendix "ε-TS on every bandit": its lemmas against exact binomial sums.

Every inequality is checked where it is (nearly) tight, so that a wrong constant is caught.
Only the last two tests use the package; in the others the score's law is typed anew from
the algorithm, with 1−ε as a fraction.
"""

from fractions import Fraction
from functools import lru_cache
from math import comb, exp, floor, inf, log, log1p, sqrt

import numpy as np
import pytest
from scipy.optimize import minimize_scalar
from scipy.special import logsumexp
from scipy.stats import binom

import lenient

UPPER_BOUND = "theorem:upper-bound-asymptotic"


def d(p, q):
    """Bernoulli divergence for 0 ≤ p ≤ 1, 0 < q < 1."""
    return sum(a * log(a / b) for a, b in [(p, q), (1 - p, 1 - q)] if a)


def score_tails(n, s, y, r):
    """ln P{score > y} and ln P{score ≤ y} after s wins in n plays, for an array s."""
    law = binom.logpmf(np.arange(n + 2), n + 1, float(y / r))
    at_most = np.logaddexp.accumulate(law)  # scipy's own logcdf underflows
    above = np.append(np.logaddexp.accumulate(law[::-1])[::-1], -inf)[1:]
    shown = np.minimum(s * r.denominator // r.numerator, n)  # ⌊s/r⌋
    sure = s * r.denominator > r.numerator * n
    return np.where(sure, 0.0, at_most[shown]), np.where(sure, -inf, above[shown])


def log_pass(n, s, y, r):
    """ln P{score > y}."""
    return score_tails(n, np.asarray(s), y, r)[0]


def log_fail(n, s, y, r):
    """ln P{score ≤ y}."""
    return score_tails(n, np.asarray(s), y, r)[1]


def log_cost(n, mu, y, r, weight=1.0):
    """ln E[(1−p_n) / p_n^weight], n plays of an arm of mean mu."""
    s = np.arange(n + 1)
    passes, fails = score_tails(n, s, y, r)
    return logsumexp(binom.logpmf(s, n, mu) + fails - weight * passes)


def Lambda(q, mu):
    """Λ(q, μ), the bound of the waiting sum."""
    beta = sqrt(q * mu) + sqrt((1 - q) * (1 - mu))
    return 2 / ((1 - q) * (1 - beta**2)) + mu / ((mu - q) * (1 - exp(-d(q, mu))))


# ---- a high score of a bad arm ------------------------------------------------------
def test_high_scores_of_a_bad_arm():
    """P{score > y} ≤ e^{−(n+1) d(x/r, y/r)} in every state with mean ≤ x; tight in n."""
    r, worst = Fraction(4, 5), []
    for x, y in [(0, 0.4), (0.25, 0.3), (0.25, 0.5), (0.6, 0.75), (0.7, 0.72)]:
        x, y = Fraction(str(x)), Fraction(str(y))
        rate = d(float(x / r), float(y / r))
        for n in [0, 1, 2, 7, 40, 320, 2560]:
            s = np.arange(int(x * n) + 1)
            highest = log_pass(n, s, y, r).max()
            assert highest <= -(n + 1) * rate * (1 - 1e-12)
            worst.append(-highest / ((n + 1) * rate) if x and n == 2560 else inf)
    assert min(worst) < 1.03  # the exponent could be no 3 % larger; at x = 0 it is exact


# ---- the sum that has to converge ---------------------------------------------------
@pytest.mark.claim(UPPER_BOUND, how="exact")
@pytest.mark.parametrize(
    "mu, eps, y",
    [(0.5, 0.1, 0.35), (0.5, 0.2, 0.35), (0.9, 0.2, 0.66), (0.5, 0.45, 0.22), (0.5, 0, 0.35)],
)
@pytest.mark.claim("beyond:every-rate", how="exact")
@pytest.mark.claim("beyond:closed-form", how="exact")
def test_the_sum_is_below_its_constant(mu, eps, y):
    y, r = Fraction(str(y)), 1 - Fraction(str(eps))
    q = float(y / r)
    terms = [exp(log_cost(j, mu, y, r)) for j in range(400)]
    assert terms[-1] < 1e-2
    assert sum(terms) < Lambda(q, mu) < 60 * sum(terms)


def test_low_records_of_the_good_arm_are_bounded_tightly():
    """Σ_{s ≤ qj} f_μ(s)/f_q(s) ≤ (1−q)·μ/(μ−q)·e^{−j d(q, μ)}: nearly equal at whole qj."""
    for q, mu in [(0.25, 0.5), (0.5, 0.8), (0.375, 0.4)]:
        for j in [0, 8, 16, 80, 400]:
            s = np.arange(int(q * j) + 1)
            ratio = logsumexp(binom.logpmf(s, j, mu) - binom.logpmf(s, j, q))
            bound = log((1 - q) * mu / (mu - q)) - j * d(q, mu)
            assert ratio <= bound + 1e-9 * (1 + j)
        assert ratio > bound - 0.01  # at j = 400: no smaller constant would do


def test_a_good_record_passes_with_half_the_chance_of_one_failure():
    """P{Bin(j+1, q) ≤ s} ≥ (1−q)/2 for s > qj, and no constant above 0.63 would do."""
    quotients = [
        binom.cdf(floor(q * j + 1e-9) + 1, j + 1, q) / (1 - q)
        for q in np.linspace(0.01, 0.99, 99)
        for j in (1, 2, 5, 20, 100, 199, 999)
        if q * j + 1e-9 < j
    ]
    assert 0.5 <= min(quotients) < 0.63


def test_high_records_of_the_good_arm_are_bounded_tightly():
    """P{Bin(j+1, q) > Bin(j, μ)} ≤ β^{2j}, with the right exponent."""
    for q, mu in [(0.25, 0.5), (0.5, 0.8), (0.1, 0.3)]:
        rate = -2 * log(sqrt(q * mu) + sqrt((1 - q) * (1 - mu)))
        for j in [1, 2, 5, 40, 640]:
            s = np.arange(j + 1)
            p = logsumexp(binom.logpmf(s, j, mu) + binom.logsf(s, j + 1, q))
            assert p <= -j * rate
        assert -p / (j * rate) < 1.2


@pytest.mark.claim(UPPER_BOUND, how="exact")
def test_the_sum_diverges_from_the_scaled_mean_on():
    """At y = (1−ε)μ the terms stay away from 0; below they vanish, above they explode."""
    for mu, eps in [(0.5, 0.2), (0.5, 0.45), (0.9, 0.2)]:
        mu_exact, r = Fraction(str(mu)), 1 - Fraction(str(eps))
        at, below, above = (
            [log_cost(j, mu, f * r * mu_exact, r) for j in (200, 800)]
            for f in (Fraction(1), Fraction(9, 10), Fraction(51, 50))
        )
        floor = log(1 / (1 - mu) - (1 - mu) ** 200)
        assert all(floor <= term < floor + 2 for term in at)
        assert below[1] < below[0] - 1 and below[1] < at[1] - 3
        assert above[1] > above[0] + 5


# ---- good states --------------------------------------------------------------------
@pytest.mark.claim("beyond:every-rate", how="exact")
def test_good_states_seldom_score_low():
    """1 − p_j ≤ e^{−cj}, c = (z−y)²/(4r²), if S ≥ zj and j ≥ 2y/(z−y)."""
    r, nearest = Fraction(4, 5), inf
    for y, z in [(0.02, 0.06), (0.05, 0.7), (0.3, 0.4), (0.42, 0.46), (0.6, 0.8)]:
        y, z = Fraction(str(y)), Fraction(str(z))
        c = float((z - y) ** 2 / (4 * r**2))
        first = max(1, -int(-2 * y / (z - y) // 1))
        for j in [first, first + 1, 2 * first, 10 * first, 100 * first]:
            s = -int(-z * j // 1)  # the least S that is allowed
            low = log_fail(j, np.array([s]), y, r)[0]
            assert low <= -c * j
            nearest = min(nearest, -low / (c * j))
    assert nearest < 10  # c could be no 10 times larger


# ---- stages -------------------------------------------------------------------------
NODES, WEIGHTS = np.polynomial.legendre.leggauss(250)  # exact for polynomials up to 499


@lru_cache(None)
def outcomes(state, y, r):
    """[P{arm is played with a score ≤ y}], [P{it is played}]: integrals of polynomials."""
    means = [Fraction(s, n) if n else Fraction(0) for n, s in state]
    if max(means) > r:
        top = [m == max(means) for m in means]
        return np.zeros(len(state)), np.array(top) / sum(top)

    def integrals(limit):
        x = (NODES + 1) / 2 * float(limit)
        laws = [(int(s / r) + 1, n + 1) for n, s in state]
        cdf = np.array([binom.sf(a - 1, m, x) for a, m in laws])
        pdf = np.array([a * comb(m, a) * x ** (a - 1) * (1 - x) ** (m - a) for a, m in laws])
        others = [np.delete(cdf, i, axis=0).prod(axis=0) for i in range(len(state))]
        return (pdf * others) @ WEIGHTS * float(limit) / 2

    return integrals(y / r), integrals(1)


def counted(start, means, y, r, rounds):
    """{state of g: E #{t: g is in it, a_t ≠ g, θ ≤ y}}, g the first arm, all histories."""
    found, law = {}, {tuple(start): 1.0}
    for _ in range(rounds):
        later = {}
        for state, chance in law.items():
            low, played = outcomes(state, y, r)
            found[state[0]] = found.get(state[0], 0.0) + chance * low[1:].sum()
            for arm, p in enumerate(played):
                for win, q in [(1, means[arm]), (0, 1 - means[arm])]:
                    n, s = state[arm]
                    new = (*state[:arm], (n + 1, s + win), *state[arm + 1 :])
                    later[new] = later.get(new, 0.0) + chance * p * q
        law = later
    assert abs(sum(law.values()) - 1) < 1e-9
    return found


def stage_bounds(mu, y, r, rounds, first=1):
    """{state (j, s): P{S_j = s} Σ_{i=first}^{T−j} (1−p)^i}: the lemma, A = {S_j = s}."""
    return {
        (j, s): binom.pmf(s, j, mu)
        * sum(exp(i * log_fail(j, s, y, r)) for i in range(first, rounds - j + 1))
        for j in range(rounds)
        for s in range(j + 1)
    }


@pytest.mark.claim(UPPER_BOUND, how="exact")
@pytest.mark.claim("beyond:every-rate", how="exact")
@pytest.mark.claim("beyond:every-bounded", how="exact")
def test_stages_by_enumeration():
    """The stage lemma on all histories of five rounds, in every state, any other arms."""
    rounds = 5
    for means in [(0.5, 0.45, 0.2), (0.9, 0.85, 0.6), (0.3, 0.7, 0.1)]:
        for eps, y in [("0.2", "0.4"), ("0.2", "0.75"), ("0.4", "0.3")]:
            r, y = 1 - Fraction(eps), Fraction(y)
            bounds = stage_bounds(means[0], y, r, rounds)
            for state, value in counted([(0, 0)] * 3, means, y, r, rounds).items():
                assert value <= bounds[state] + 1e-12


def test_stages_are_tight():
    """A rival known to score just below y: without its first term the sum is too small."""
    r, y, rounds = Fraction(4, 5), Fraction(42, 100), 6
    left = counted([(0, 0), (200, 72)], (0.5, 0.36), y, r, rounds)[0, 0]
    assert 0.6 * stage_bounds(0.5, y, r, rounds)[0, 0] < left
    assert stage_bounds(0.5, y, r, rounds, first=2)[0, 0] < left
    assert left < stage_bounds(0.5, y, r, rounds)[0, 0]


# ---- exactly at the ceiling ---------------------------------------------------------
@pytest.mark.claim("beyond:every-bounded", how="exact")
def test_an_arm_at_the_ceiling_scores_near_it():
    """P{θ ≤ r(1−v)} ≤ e^{−m^{3/4}/8} for S ≥ r(m − m^{3/4}/4), v = m^{−1/4}, m ≥ 16."""
    nearest = inf
    for eps in ["0.2", "0.5", "0.07"]:
        r = 1 - Fraction(eps)
        for m in [16, 17, 40, 200, 1000, 20_000]:
            s = int(np.ceil(float(r) * (m - m**0.75 / 4) - 1e-9))
            y = r * (1 - Fraction(m**-0.25))
            low = log_fail(m, np.array([s]), y, r)[0]
            assert low <= -(m**0.75) / 8 <= -1 + 1e-9
            nearest = min(nearest, -low / (m**0.75 / 8))
    assert nearest < 4


def test_divergence_near_one():
    """d(p, q) ≥ (1−p) ln(1/(1−q)) − ln 2, with equality in the limit at p = ½."""
    grid = np.linspace(0.01, 0.99, 99)
    excess = [d(p, q) - (1 - p) * log(1 / (1 - q)) + log(2) for p in grid for q in grid]
    assert min(excess) >= 0 and min(excess) < 0.01


# ---- the exact boundary -------------------------------------------------------------
def rho(mu, y, r):
    """inf over 0 ≤ z < y of d(z, μ)/d(z/r, y/r), on a grid and then refined."""
    mu, y, r = float(mu), float(y), float(r)

    def quotient(z):
        return d(z, mu) / d(z / r, y / r)

    grid = np.linspace(0, 0.999 * y, 400)
    at = grid[np.argmin([quotient(z) for z in grid])]
    step = grid[1]
    near = minimize_scalar(
        quotient, bounds=(max(at - step, 0), min(at + step, 0.9999 * y)), method="bounded"
    )
    return min(quotient(at), near.fun)


def test_rho_exceeds_one_below_the_scaled_mean():
    for mu, eps in [(0.5, 0.2), (0.5, 0.45), (0.9, 0.2), (0.97, 0.1)]:
        assert rho(mu, 0.999 * (1 - eps) * mu, 1 - eps) > 1
        assert rho(mu, 1.001 * (1 - eps) * mu, 1 - eps) < 1


def test_examples_of_the_boundary():
    assert f"{rho(0.5, 0.3, 0.55):.2f} {rho(0.4, 0.3, 0.55):.2f}" == "0.88 0.65"
    kappa = log1p(-0.5) / log1p(-0.48 / 0.55)
    assert f"{rho(0.5, 0.48, 0.55):.3f} {kappa:.3f}" == "0.253 0.336"


@pytest.mark.claim("beyond:boundary", how="exact")
@pytest.mark.claim("beyond:converse", how="exact")
def test_rho_is_the_exponent_of_the_waiting_times():
    """E[(1−p_j) p_j^{−w}] falls like e^{−jm}, m = min_z d(z, μ) − w·d(z/r, y/r), z ≤ y."""
    mu, r, y = 0.5, Fraction(11, 20), Fraction(2, 5)
    edge, low = rho(mu, y, r), np.linspace(0, float(y), 2001)
    high = np.linspace(float(y), 0.54, 2001)  # there it is 1−p that is small
    for w in (0.6 * edge, 1.3 * edge):
        margin = min(d(z, mu) - w * d(z / float(r), float(y / r)) for z in low)
        assert (margin > 0) == (w < edge)
        other = min(d(z, mu) + d(z / float(r), float(y / r)) for z in high)
        fall = log_cost(1000, mu, y, r, w) - log_cost(3000, mu, y, r, w)
        assert fall == pytest.approx(2000 * min(margin, other), rel=0.06)


@pytest.mark.claim("beyond:boundary", how="exact")
def test_several_good_arms_need_only_share_the_burden():
    """w_b < ρ_b with Σ w_b = 1 exist on (0.5, 0.4, 0.3), ε = 0.45: both sums converge."""
    r, y = Fraction(11, 20), Fraction(31, 100)
    weights = {0.5: 0.58, 0.4: 0.42}
    assert all(w < rho(mu, y, r) for mu, w in weights.items())
    for mu, w in weights.items():
        logs = [log_cost(j, mu, y, r, w) for j in (500, 1500)]
        assert logs[1] < logs[0] - 1
    assert log_cost(1500, 0.5, y, r) > log_cost(500, 0.5, y, r)  # arm 1 alone: no


# ---- leniency by a factor -----------------------------------------------------------
@pytest.mark.claim("beyond:factor", how="numerical search")
def test_a_factor_of_four_for_leniency_by_a_factor():
    quotients = [
        d(mu_a, best / (1 - eps)) / d(mu_a / (1 - eps), best / (1 - eps))
        for eps in (0.005, 0.05, 0.2, 0.5)
        for best in np.linspace(0.02, 0.98, 49) * (1 - eps)
        for mu_a in np.linspace(0.01, 1 - 1e-6, 99) * (1 - eps) * best
    ]
    assert 1 <= min(quotients) and 3.9 < max(quotients) < 4


# ---- the theorems, played -----------------------------------------------------------
@pytest.mark.claim(UPPER_BOUND, how="simulation: false alarm below 1e-4 in all")
@pytest.mark.claim("beyond:every-rate", how="simulation: false alarm below 1e-4 in all")
@pytest.mark.claim("beyond:attained", how="simulation: false alarm below 1e-4 in all")
def test_free_arms_do_not_change_the_rate():
    """Plays of the bad arm per ln T, beside free arms: at most the rate of the theorem."""
    for means, eps in [((0.5, 0.47, 0.2), 0.1), ((0.5, 0.4, 0.2), 0.45)]:
        runs = lenient.simulate(
            means, lenient.EpsTS(eps), horizon=10**6, runs=200, seed=14,
            checkpoints=[10**3, 10**6], engine="leap",
        )  # fmt: skip
        gained = np.diff(runs.pulls[:, :, 2], axis=1)[:, 0] / log(10**3)
        rate = 1 / d(0.2 / (1 - eps), 0.5 / (1 - eps))
        error = gained.std() / sqrt(len(gained))
        assert gained.mean() < rate + 4.5 * error
        assert gained.mean() > 0.45 * rate


@pytest.mark.claim(UPPER_BOUND, how="simulation: false alarm below 1e-4 in all")
@pytest.mark.claim("beyond:every-bounded", how="simulation: false alarm below 1e-4 in all")
def test_free_arms_do_not_unbound_the_plays():
    """Best arm above or at the ceiling: hardly a play of the bad arm after 10⁴ rounds."""

    def late_plays(means, seed):
        runs = lenient.simulate(
            means, lenient.EpsTS(0.2), horizon=10**6, runs=200, seed=seed,
            checkpoints=[10**4, 10**6], engine="leap",
        )  # fmt: skip
        late = np.diff(runs.pulls[:, :, -1], axis=1)[:, 0]
        return late.mean(), late.std() / sqrt(len(late))

    growing, _ = late_plays((0.5, 0.2), 16)  # below the ceiling
    for means in [(0.9, 0.85, 0.8, 0.75, 0.6), (0.8, 0.75, 0.5)]:
        plays, error = late_plays(means, 15)
        assert plays + 4 * error < growing / 4
