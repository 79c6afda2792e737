"""The finite-time theorem and its constants, by formulas typed anew and by brute force."""

from fractions import Fraction
from math import ceil, exp, floor, inf, isnan, log

import mpmath as mp
import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy.stats import binom
from support.many_digits import close, d, exact

from lenient import finite_time as F
from lenient.finite_time import Problem
from lenient.gaps import cutoff, hinge, indicator, standard
from lenient.policies import EpsTS
from lenient.simulation import simulate

# (μ₁, μ₂, ε): both cases of the theorem, the edges of each, λ₀ from 1.001 to infinity
TRIPLES = [
    (0.9, 0.6, 0.2),
    (0.5, 0.2, 0.2),
    (0.8, 0.5, 0.2),
    (1, 0.5, 0.2),
    (1, 0, 0.9),
    (0.99, 0.1, 0.2),
    (0.3, 0.0, 0.29),
    (0.5, 0.47, 0.02),
    (0.6, 0.5, 0),
    (0.8, 0, 0.4),
]


@st.composite
def triples(draw):
    """(μ₁, μ₂, ε) in hundredths with μ₂ < μ₁−ε, as the theorem wants."""
    eps = draw(st.integers(0, 98))
    mu1 = draw(st.integers(eps + 1, 100))
    mu2 = draw(st.integers(0, mu1 - eps - 1))
    return mu1 / 100, mu2 / 100, eps / 100


# ------------------------------------------------------------------------- Lemma 8


@pytest.mark.parametrize("mu1, mu2, eps", TRIPLES)
def test_constants_of_lemma_8(mu1, mu2, eps):
    m1, m2, e = exact(mu1), exact(mu2), exact(eps)
    y = (m1 + m2 - e) / (2 * (1 - e))
    entropy = y * mp.log(1 / y) + (1 - y) * mp.log(1 / (1 - y))
    lambda_0 = 1 + d(y, m1) / entropy
    assert close(F.y_point(mu1, mu2, eps), y)
    assert close(F.u_base(mu1, mu2, eps), mp.mpf(1) / 2 ** (1 - y))
    lam = 1.5 if mu1 == 1 else 1 + 0.6 * float(lambda_0 - 1)
    if mu1 == 1:
        assert F.lambda_zero(mu1, mu2, eps) == inf == F.d_lambda(lam, mu1, mu2, eps)
        assert F.log_R_lambda(lam, mu1, mu2, eps) == inf
        share = 1
    else:
        assert close(F.lambda_zero(mu1, mu2, eps), lambda_0)
        d_lam = lam * (y * mp.log(y) + (1 - y) * mp.log(1 - y))
        d_lam -= y * mp.log(m1) + (1 - y) * mp.log(1 - m1)
        assert abs(F.d_lambda(lam, mu1, mu2, eps) / d_lam - 1) < 1e-9
        R = m1 * (1 - y) ** lam / (y**lam * (1 - m1))
        assert abs(F.log_R_lambda(lam, mu1, mu2, eps) / mp.log(R) - 1) < 1e-9
        share = R / (R - 1)
    C = (lam / mp.e) ** lam / (1 - y) ** lam * share
    assert close(F.log_C_lambda(lam, mu1, mu2, eps), mp.log(C), 1e-9)


@settings(deadline=None)
@given(triples(), st.floats(0.001, 0.999))
def test_signs_that_lemma_8_promises(triple, place):
    mu1, mu2, eps = triple
    lambda_0 = F.lambda_zero(*triple)
    assert lambda_0 > 1
    assert 0 < F.y_point(*triple) < mu1
    assert 0 < F.u_base(*triple) < 1
    lam = 1 + place / (1 - place) if lambda_0 == inf else 1 + place * (lambda_0 - 1)
    assume(1 < lam < lambda_0)
    assert F.d_lambda(lam, *triple) > 0
    assert F.log_R_lambda(lam, *triple) > 0
    if lambda_0 < inf:
        assert abs(F.d_lambda(lambda_0, *triple)) < 1e-14
        assert F.d_lambda(2 * lambda_0, *triple) < 0


@pytest.mark.parametrize("mu1, mu2, eps", TRIPLES)
def test_inequality_of_lemma_8_holds(mu1, mu2, eps):
    triple = mu1, mu2, eps
    y, u, lambda_0 = F.y_point(*triple), F.u_base(*triple), F.lambda_zero(*triple)
    for place in (0.05, 0.5, 0.95):
        lam = 1 / (1 - place) if lambda_0 == inf else 1 + place * (lambda_0 - 1)
        C, d_lam = exp(F.log_C_lambda(lam, *triple)), F.d_lambda(lam, *triple)
        for j in [0, 1, 2, 3, 5, 8, 13, 21, 55, 144]:
            n = np.arange(j + 1)
            above, weight = binom.sf(n, j + 1, y), binom.pmf(n, j, mu1)
            for x in [1, 2, 5, 10, 100, 1000]:
                right = u**x + C * x**-lam * (1 if j == 0 else exp(-j * d_lam))
                assert above**x @ weight <= right * (1 + 1e-12)


# ------------------------------------------------------------------- Proposition 2


def length(t, b, pigeonhole):
    """z(t), in plain words of the paper and of its repair."""
    return t ** (1 - b) - 1 if pigeonhole == "printed" else (t - t**b) / (t**b + 1)


def longest_pause(t, plays):
    """The shortest that the longest of plays+1 pauses in t−plays rounds can be."""
    return ceil(Fraction(t - plays, plays + 1))


def test_the_pause_is_as_long_as_the_repaired_length_says():
    for b in (0.1, 0.3, 0.5, 0.9):
        for t in [2, 3, 10, 99, 1000, 54321]:
            worst = min(longest_pause(t, n) for n in range(floor(t**b) + 1))
            repaired = exp(F.log_interval_length(log(t), b))
            assert worst >= repaired - 1e-9
            assert repaired == pytest.approx(length(t, b, "repaired"), rel=1e-9)
            printed = exp(F.log_interval_length(log(t), b, "printed"))
            assert printed == pytest.approx(length(t, b, "printed"), rel=1e-9)


def test_the_pause_can_be_shorter_than_the_printed_length():
    # 1000^(1/3) = 10 plays leave 990 rounds to 11 pauses: 90 each, not 99.
    assert longest_pause(1000, 10) == 90
    assert exp(F.log_interval_length(log(1000), 1 / 3, "printed")) > 98.9


def test_saturation_level():
    assert F.saturation_level(50, 0.9, 0.6, 0.2) == pytest.approx(3200 * log(50))
    levels = F.saturation_level(np.array([1, 10]), 0.5, 0.1, 0.2)
    assert levels == pytest.approx([0, 800 * log(10)])


@pytest.mark.parametrize("pigeonhole", ["repaired", "printed"])
@pytest.mark.parametrize("b", [0.05, 0.4, 0.8])
def test_L0g(b, pigeonhole):
    for arms in (2, 5):
        L = exp(F.log_L0g(b, arms, pigeonhole))
        if pigeonhole == "printed":
            assert L == pytest.approx((arms + 1) ** (1 / (1 - b)))
        t = L * np.geomspace(1.000001, 1e6, 1000)
        assert np.all(length(t, b, pigeonhole) >= arms)


def scan(L, holds):
    """Does `holds` turn true at the whole number L and stay so to 20 L?"""
    t = np.arange(1, 20 * L)
    true_at = holds(t)
    return bool(np.all(true_at[t >= L])) and not true_at[t == L - 1][0]


@pytest.mark.parametrize("pigeonhole", ["repaired", "printed"])
@pytest.mark.parametrize(
    "triple, b, arms",
    [
        ((1, 0, 0.01), 0.1, 2), ((1, 0, 0.1), 0.02, 4), ((0.9, 0, 0.05), 0.3, 2),
    ],
)  # fmt: skip
def test_L0h_by_scanning(triple, b, arms, pigeonhole):
    mu1, mu2, eps = triple
    L = round(exp(F.log_L0h(b, Problem(*triple, arms, pigeonhole))))

    def level(t):
        return 32 * np.log(t) / (mu1 - mu2 - eps) ** 2

    def share(t):
        return length(t.astype(float), b, pigeonhole) / arms**2

    assert scan(L, lambda t: share(t) - 1 >= level(t))
    t = np.arange(2, 20 * L)
    holds = np.floor(share(t)) >= level(t)  # as the proposition has it
    assert holds[t >= L].all()
    assert t[~holds].max() > 0.9 * L  # ⌊w⌋ > w−1 costs little


@pytest.mark.parametrize(
    "mu1, eps, b",
    [
        (0.99, 0.5, 0.8), (0.95, 0.4, 0.6), (0.999, 0.9, 0.3), (1, 0.2, 0.1),
        (0.9999, 0.99, 0.15), (0.99999, 0.99, 0.9),
    ],
)  # fmt: skip
def test_L1_by_scanning(mu1, eps, b):
    L = round(exp(F.log_L1(b, mu1, eps)))
    rate = float(2 / d(1 - exact(eps), exact(mu1)))
    assert scan(L, lambda t: (t - 1.0) ** b >= rate * np.log(t) + 1)


@pytest.mark.parametrize("eps, b", [(0.9, 0.8), (0.5, 0.7), (0.3, 0.95), (0.99, 0.6)])
def test_L2_by_scanning(eps, b):
    L = round(exp(F.log_L2(b, eps)))
    assert scan(L, lambda t: 24 * np.log(t) < eps**2 * (t - 1.0) ** b)
    t = np.arange(2, 10 * L)
    lowest = float(exact(0.999) - exact(eps))
    assert np.array_equal(F.eta(t, 0.999, eps, b) > lowest, t >= L)


@pytest.mark.parametrize("b", [0.003, 0.06, 0.2])
def test_large_L_solve_their_equations(b):
    def residual(log_L, difference):
        """Zero at L, positive beyond it, up to 1e300 times as far in ln t."""
        t = mp.exp(mp.mpf(log_L))
        assert abs(difference(t)) < 1e-9
        return all(difference(t ** mp.mpf(k)) > 0 for k in ("1.001", "1.1", "2", "1e3"))

    rate = 2 / d(mp.mpf("0.8"), mp.mpf("0.9"))
    assert residual(
        F.log_L1(b, 0.9, 0.2), lambda t: b * mp.log(t - 1) / mp.log(rate * mp.log(t) + 1) - 1
    )
    assert residual(
        F.log_L2(b, 0.05), lambda t: b * mp.log(t - 1) / mp.log(24 * mp.log(t) / 0.05**2) - 1
    )
    b = 1 - b  # now L₀ʰ is large

    def enough(t):  # K = 3, Δ₂−ε = 1/10
        return mp.log((t - t**b) / (t**b + 1)) / mp.log(9 * (3200 * mp.log(t) + 1)) - 1

    assert residual(F.log_L0h(b, Problem(0.5, 0.2, 0.2, 3)), enough)


def test_saturated_but_high():
    t = np.arange(1.0, 1e6)
    for b, arms in [(0.1, 2), (0.6, 4)]:
        tail = 1e6 ** (b - 1) / (1 - b) + 1e-6  # ∫ (t^b+1)/t²
        wanted = 2 * (arms - 1) ** 2 * (((t**b + 1) / t**2).sum() + tail)
        assert F.saturated_but_high(b, arms) == pytest.approx(wanted, rel=1e-5)


@pytest.mark.parametrize("pigeonhole", ["repaired", "printed"])
def test_g_and_h_are_at_least_what_lemma_8_says(pigeonhole):
    triple, b, lam, arms = (0.99, 0, 0.05), 0.3, 2.0, 3
    u, d_lam = F.u_base(*triple), F.d_lambda(lam, *triple)
    C = exp(F.log_C_lambda(lam, *triple))
    for t in (10**6, 10**7, 10**8):
        z, level = length(t, b, pigeonhole), 32 * log(t) / 0.94**2
        for log_f, factor, w in [
            (F.log_g, 1, z / arms),
            (F.log_h, arms * level, z / (arms**2 * level)),
        ]:

            def over_j(x):
                return sum(
                    factor * (u**x + C * x**-lam * exp(-j * d_lam))
                    for j in range(floor(t**b) + 1)
                )

            found = exp(log_f(log(t), b, lam, Problem(*triple, arms, pigeonhole)))
            # at most one term of the sum over j and one unit of x too much
            assert over_j(floor(w)) <= found <= over_j(w - 1) * (1 + t**-b)
            problem = Problem(*triple, arms, pigeonhole)
            later = log_f(log(2 * t), b, lam, problem, log_s=log(t))
            assert found * (1 - 1e-12) <= exp(later) < 2 * found  # x as it was


def c_b_summands(t, log_C, u, lam, d_lam, b, arms, rate, x_h, x_g):
    """K h + g, summed over j ≤ count−1, in the letters of the proposition."""
    count = t**b + 1

    def lemma8(x):
        geometric = (1 - np.exp(-d_lam * count)) / (1 - np.exp(-d_lam))
        return count * u**x + np.exp(log_C) * x**-lam * geometric

    return arms * (arms * rate * np.log(t)) * lemma8(x_h) + lemma8(x_g)


@pytest.mark.parametrize("pigeonhole", ["repaired", "printed"])
@pytest.mark.parametrize(
    "triple, b, lam, arms",
    [
        ((0.99, 0, 0.05), 0.1, 3.0, 2), ((0.999, 0, 0.02), 0.05, 4.0, 3),
        ((1, 0, 0.1), 0.2, 5.0, 2), ((0.98, 0.3, 0.01), 0.05, 2.0, 2),
    ],
)  # fmt: skip
def test_C_b_against_brute_force(triple, b, lam, arms, pigeonhole):
    mu1, mu2, eps = triple
    rate = 32 / float(exact(mu1) - exact(mu2) - exact(eps)) ** 2
    u, d_lam = F.u_base(*triple), F.d_lambda(lam, *triple)
    log_C = F.log_C_lambda(lam, *triple)
    L0 = round(exp(F.log_L0h(b, Problem(*triple, arms, pigeonhole))))
    assert L0 > exp(F.log_L0g(b, arms, pigeonhole))

    def summands(t, floored):
        z = length(t, b, pigeonhole)
        w = z / (arms**2 * rate * np.log(t))
        x_h, x_g = floored(w), floored(z / arms)
        return c_b_summands(t, log_C, u, lam, d_lam, b, arms, rate, x_h, x_g)

    far = 50 * L0
    t = np.arange(L0, far, dtype=float)
    true_sum = summands(t, np.floor).sum()
    majorant = summands(t, lambda w: np.maximum(1, w - 1)).sum()
    grid = np.geomspace(far, far * 1e40, 20_001)  # what lies beyond, to a thousandth
    tail = np.trapezoid(summands(grid, lambda w: w - 1), grid)
    saturated = 2 * (arms - 1) ** 2 * float(mp.zeta(2 - b) + mp.zeta(2))

    C_b = exp(F.log_C_b(b, lam, Problem(*triple, arms, pigeonhole)))
    found = exp(F._log_sum_of_g_and_h(log(L0), b, lam, Problem(*triple, arms, pigeonhole)))
    assert C_b == pytest.approx(L0 + saturated + found, rel=1e-12)
    assert found >= true_sum
    assert found == pytest.approx(majorant + tail, rel=2e-3)
    assert found < 3 * (true_sum + tail)


@pytest.mark.parametrize(
    "triple, places, arms",
    [
        ((0.9, 0.6, 0.2), (0.5, 0.5), 2), ((0.5, 0.2, 0.2), (0.99, 0.2), 3),
        ((0.5, 0.2, 0.2), (0.01, 0.9), 2), ((0.99, 0.1, 0.2), (0.3, 0.3), 4),
    ],
)  # fmt: skip
def test_C_b_is_integrated_accurately(triple, places, arms):
    """The integral of the docstring, by mpmath, for constants of the usual size."""
    mu1, mu2, eps = map(exact, triple)
    b_max = 1 - 1 / F.lambda_zero(*triple)
    b = places[0] * b_max
    lam = 1 / (1 - b - places[1] * (b_max - b))
    found = F.log_C_b(b, lam, Problem(*triple, arms))
    b, lam = mp.mpf(b), mp.mpf(lam)
    y = (mu1 + mu2 - eps) / (2 * (1 - eps))
    u, C = mp.mpf(2) ** (y - 1), mp.exp(F.log_C_lambda(float(lam), *triple))
    d_lam = mp.mpf(F.d_lambda(float(lam), *triple))
    rate = 32 / (mu1 - mu2 - eps) ** 2
    log_L0 = mp.mpf(F.log_L0h(float(b), Problem(*triple, arms)))

    def integrand(s):
        t = mp.exp(s)
        before = max(t - 1, mp.exp(log_L0))
        z = (before - before**b) / (before**b + 1)
        total = mp.mpf(0)
        w_h = z / (arms**2 * rate * mp.log(before))
        for factor, w in [(arms * arms * rate * s, w_h), (1, z / arms)]:
            x = max(mp.mpf(1), w - 1)
            decay = min(d_lam * (t**b + 1), 200)  # mpmath is slow at e^(−e¹⁰⁰⁰)
            geometric = mp.expm1(-decay) / mp.expm1(-d_lam)
            long = (t**b + 1) * u**x if x < 10**6 else 0
            total += factor * (long + C * x**-lam * geometric)
        return t * total

    rho = lam * (1 - b) - 1

    def excess(t):  # of w over 2, where max(1, w−1) has its kink
        return (t - t**b) / (t**b + 1) / (arms**2 * rate * mp.log(t)) - 2

    kink = mp.log(mp.findroot(excess, (mp.exp(log_L0), 9 * mp.exp(log_L0))) + 1)
    panels = [log_L0 + (kink - log_L0) * k / 5 for k in range(5)]
    panels += [kink + k for k in (0, 0.2, 0.5, 1, 1.5, 2, 3, 4, 6, 9, 14, 20, 40)]
    panels += [panels[-1] + k / rho for k in (0.5, 2, 5, 10, 20, 40, 80, 120)]
    with mp.workdps(20):
        integral = mp.quad(integrand, panels, method="gauss-legendre", maxdegree=4)
    saturated = 2 * (arms - 1) ** 2 * (mp.zeta(2 - b) + mp.zeta(2))
    assert found == pytest.approx(
        float(mp.log(mp.exp(log_L0) + saturated + integral)), abs=1e-7
    )


# -------------------------------------------------------------------- Lemmas 5 and 6


def test_eta():
    for t in (2, 17, 10**6, 10**15):
        for mu1, eps, b in [(0.5, 0.2, 0.9), (0.8, 0.2, 0.6), (0.6, 0.3, 0.05)]:
            drop = 2 * mp.sqrt(6 * mp.log(t) / mp.mpf(t - 1) ** mp.mpf(b))
            wanted = max(exact(mu1) - exact(eps), exact(mu1) - drop)
            assert close(F.eta(t, mu1, eps, b), wanted)
    assert F.eta(1, 0.9, 0.7, 0.5) == 0.2
    assert F.eta(np.array([1, 2, 1e9]), 0.5, 0.2, 0.9) == pytest.approx(
        [0.3, 0.3, 0.5 - 2 * np.sqrt(6 * log(1e9) / 1e9**0.9)]
    )


@pytest.mark.parametrize(
    "mu1, mu_a, eps",
    [
        (0.5, 0.2, 0.2), (0.8, 0.0, 0.2), (0.3, 0.0, 0.29), (0.6, 0.5, 0), (0.8, 0.59, 0.2),
    ],
)  # fmt: skip
def test_x_ac_solves_its_equation(mu1, mu_a, eps):
    c = np.array([1e-3, 0.1, 1, 30.0])
    m1, m_a, e = exact(mu1), exact(mu_a), exact(eps)
    for c_, x in zip(c, F.x_ac(c, mu1, mu_a, eps)):
        left = d(mp.mpf(x) / (1 - e), (m1 - e) / (1 - e))
        right = d(m_a / (1 - e), (m1 - e) / (1 - e)) / (1 + c_)
        assert abs(left / right - 1) < 1e-8
        assert mu_a < x < m1 - e
        assert x <= (c_ * (m1 - e) + m_a) / (1 + c_) + 1e-15  # Lemma 10
    assert float(F.x_ac(0.1, mu1, mu_a, eps)) == F.x_ac(c, mu1, mu_a, eps)[1]


def test_x_ac_where_the_divergence_is_infinite():
    limit = F.x_ac(2.0, 1, 0.5, 0)
    assert limit == pytest.approx((0.5 + 2) / 3)
    almost = [F.x_ac(2.0, 1 - 10.0**-k, 0.5, 0) for k in (4, 8, 15)]
    assert np.all(np.diff([*almost, limit]) > 0) and almost[-1] > limit - 0.03


def ratios_by_hand(t, mu1, mu_a, eps, b):
    drop = 2 * np.sqrt(6 * np.log(t[1:]) / (t[1:] - 1) ** b)
    q = np.append(mu1 - eps, np.maximum(mu1 - eps, mu1 - drop)) / (1 - eps)
    p = mu_a / (1 - eps)
    left = p * np.log(p / q) if p else 0
    return np.log(t) / (left + (1 - p) * np.log((1 - p) / (1 - q)))


@pytest.mark.parametrize(
    "mu1, mu_a, eps, b",
    [
        (0.55, 0.1, 0.4, 0.9), (0.6, 0.0, 0.4, 0.8), (0.5, 0.05, 0.4, 0.95),
        (0.6, 0.19, 0.4, 0.9),
    ],
)  # fmt: skip
def test_max_ratio_against_all_whole_t(mu1, mu_a, eps, b):
    t = np.arange(1, 200_001, dtype=float)
    running = np.maximum.accumulate(ratios_by_hand(t, mu1, mu_a, eps, b))
    from_L2 = round(exp(F.log_L2(b, eps)))
    assert from_L2 < 50_000
    around = [from_L2 - 1, from_L2, from_L2 + 1, 2 * from_L2]
    for T in [1, 2, 100, *around, 60_000, 200_000]:
        value = F.max_ratio(T, mu1, mu_a, eps, b)
        assert running[T - 1] * (1 - 1e-12) <= value <= running[T - 1] * (1 + 1e-6)


def test_max_ratio_finds_a_maximum_inside(monkeypatch):
    """None was ever seen inside; the search must not rely on that."""
    monkeypatch.setattr(F, "_kl_to_eta", lambda s, *_: (1 + (s / 20) ** 3) / 10)
    assert F.log_L2(0.95, 0.4) < 9
    highest = 10 * 20 * 0.5 ** (1 / 3) / 1.5  # where (s/20)³ = 1/2
    value = F.max_ratio(10**20, 0.59, 0.0, 0.4, 0.95)
    assert highest <= value <= highest * (1 + 3e-8)


def test_divergence_to_eta_where_eta_rounds_to_its_limit():
    p, b = mp.mpf("0.1") / mp.mpf("0.8"), mp.mpf("0.9")
    for s in (20, 100, 1000, 3000):
        with mp.workdps(1500):
            drop = 2 * mp.sqrt(6 * s / (mp.exp(s) - 1) ** b)
            wanted = d(p, 1 - drop / mp.mpf("0.8"))
        assert close(float(F._kl_to_eta(s, 0.8, 0.1, 0.2, 0.9)), wanted, 1e-9)


@pytest.mark.parametrize(
    "mu1, mu_a, eps, b",
    [
        (0.6, 0.1, 0.4, 0.9), (0.8, 0.5, 0.2, 0.05), (0.7, 0.0, 0.2, 0.5),
    ],
)  # fmt: skip
def test_max_ratio_at_enormous_horizons(mu1, mu_a, eps, b):
    m1, m_a, e, b_ = exact(mu1), exact(mu_a), exact(eps), mp.mpf(b)
    values = []
    for T in (10**30, 10**300):
        seen = 0
        for s in mp.linspace(mp.log(2), mp.log(T), 200):
            with mp.workdps(200):
                drop = 2 * mp.sqrt(6 * s) * mp.exp(-b_ * s / 2)  # (t−1)^b ≤ t^b
                q = max(m1 - e, m1 - drop) / (1 - e)
                seen = max(seen, s / d(m_a / (1 - e), q))
        values.append(F.max_ratio(T, mu1, mu_a, eps, b))
        assert values[-1] >= seen * (1 - mp.mpf("1e-9"))
        assert values[-1] <= seen * 1.05  # the grid misses the peak at L₂ a little
    assert values == sorted(values)


# ---------------------------------------------------------------------- Theorem 3


def test_first_case_is_the_sum_of_its_parts():
    means = (0.6, 0.99, 0.9, 0.1)
    r = F.finite_time_bound(means, 0.2, cutoff(0.2), 1000, b=0.05, lam=1.2)
    assert (r.case, r.c, r.horizon) == (1, None, 1000)
    assert r.means == (0.99, 0.6, 0.1)  # 0.9 is good enough, and left out
    costs = mp.mpf("0.39"), mp.mpf("0.89")
    level = mp.mpf("0.8")
    A = [f / d(level, mu) for f, mu in zip(costs, (mp.mpf("0.6"), mp.mpf("0.1")))]
    L1 = mp.exp(F.log_L1(0.05, 0.99, 0.2))
    low = costs[1] * (L1 + mp.pi**2 / 6 / d(level, mp.mpf("0.99")))
    C = costs[1] * mp.exp(F.log_C_b(0.05, 1.2, Problem(0.99, 0.6, 0.2, 3)))
    assert r.A == pytest.approx([float(a) for a in A])
    assert close(r.log_B, mp.log(low)) and close(r.log_C, mp.log(C))
    assert close(r.log_total, mp.log(sum(A) + low + C))
    assert r.constants["log_L1"] == F.log_L1(0.05, 0.99, 0.2)
    assert r.trivial == pytest.approx(890)


def test_second_case_is_the_sum_of_its_parts():
    r = F.finite_time_bound(
        (0.2, 0.5, 0.45, 0.1), 0.2, hinge(0.2), 5000, b=0.05, lam=1.1, c=0.5
    )
    assert (r.case, r.b, r.lam, r.c) == (2, 0.05, 1.1, 0.5)
    assert r.means == (0.5, 0.2, 0.1)
    A = []
    for f, mu in [(mp.mpf("0.1"), mp.mpf("0.2")), (mp.mpf("0.2"), mp.mpf("0.1"))]:
        ratio = mp.log(5000) / d(mu / mp.mpf("0.8"), mp.mpf("0.375"))  # T < L₂
        x = F.x_ac(0.5, 0.5, float(mu), 0.2)
        A.append(f * (mp.mpf("2.25") * ratio + 2 + 2 + 1 / d(x, mu)))
    low = mp.mpf("0.2") * (mp.exp(F.log_L2(0.05, 0.2)) + 6)
    C = mp.mpf("0.2") * mp.exp(F.log_C_b(0.05, 1.1, Problem(0.5, 0.2, 0.2, 3)))
    assert r.A == pytest.approx([float(a) for a in A])
    assert close(r.log_B, mp.log(low)) and close(r.log_C, mp.log(C))
    assert close(r.log_total, mp.log(sum(A) + low + C))


def test_parts_with_small_numbers():
    """Where L₁ and L₂ are small enough for what is added to them to be seen."""
    r = F.finite_time_bound((0.99, 0), 0.05, indicator(0.05), 10, b=0.6, lam=2.8)
    assert r.case == 1
    rest = mp.pi**2 / 6 / d(mp.mpf("0.95"), mp.mpf("0.99"))
    assert r.B == pytest.approx(exp(F.log_L1(0.6, 0.99, 0.05)) + float(rest), rel=1e-12)
    r = F.finite_time_bound((0.5, 0.0), 0.49, indicator(0.49), 10, b=0.7, lam=4.0)
    assert r.case == 2
    assert r.B == pytest.approx(exp(F.log_L2(0.7, 0.49)) + 6, rel=1e-12)
    assert r.total == pytest.approx(sum(r.A) + r.B + r.C)


def test_the_case_is_decided_on_decimals():
    def case(mu1, eps):
        r = F.finite_time_bound((mu1, 0.0), eps, hinge(eps), 10, b=0.01, lam=1.02)
        return r.case

    assert case(0.8, 0.2) == 2 and case(0.9, 0.1) == 2 and case(0.7, 0.3) == 2
    assert case(0.93, 0.07) == 2 and case(0.68, 0.32) == 2  # 1 - 0.07 < 0.93 in floats
    assert case(0.81, 0.2) == 1 and case(0.71, 0.3) == 1


def test_no_arm_beyond_eps():
    for means in [(0.5,), (0.5, 0.3), (0.9, 0.7, 0.8)]:
        r = F.finite_time_bound(means, 0.2, hinge(0.2), 100)
        assert (r.case, r.total, r.log_total, r.trivial) == (None, 0, -inf, 0)
        assert r.A == () and r.B == r.C == 0 and isnan(r.b)


def test_eps_zero_says_nothing():
    for means in [(0.6, 0.5), (1, 0.5), (0.6, 0.6, 0.5)]:
        r = F.finite_time_bound(means, 0, standard(), 100)
        assert r.case == 2 and r.B == inf == r.total
        assert r.C < inf or r.log_C < inf
        ratio = log(100) / float(d(0.5, exact(means[0])))
        assert r.constants["max_ratio"] == pytest.approx((ratio,))


def test_edges_of_the_means():
    perfect = F.finite_time_bound((1, 0.5), 0.2, hinge(0.2), 100)
    assert perfect.case == 1 and perfect.constants["lambda_0"] == inf
    assert perfect.B == pytest.approx(0.3 * 2)  # L₁ = 2, and no deviations
    empty = F.finite_time_bound((0.9, 0.0), 0.2, hinge(0.2), 100)
    assert empty.A == (0,)
    at_the_rim = F.finite_time_bound((0.8, 0.0), 0.2, hinge(0.2), 100)
    assert at_the_rim.case == 2 and 0 < at_the_rim.A[0] < inf
    far = F.finite_time_bound((0.8, 0.0), 0.2, hinge(0.2), 10**2000)
    assert far.A[0] < 0.6 * log(10) * 2000 * 10 and far.trivial == inf


def test_bound_does_not_depend_on_the_order_or_on_good_arms():
    def total(*means):
        return F.finite_time_bound(means, 0.2, hinge(0.2), 5000).log_total

    assert total(0.5, 0.2) == total(0.2, 0.5) == total(0.2, 0.45, 0.5, 0.5, 0.3)


def test_bound_grows_with_the_horizon():
    for means in [(0.5, 0.2), (0.9, 0.6), (0.8, 0.5)]:
        found = [
            F.finite_time_bound(means, 0.2, hinge(0.2), T)
            for T in (1, 2, 10, 5000, 10**9, 10**60, 10**300)
        ]
        for small, large in zip(found, found[1:]):
            assert small.A[0] <= large.A[0] * (1 + 1e-7)
            assert small.log_total <= large.log_total + 1e-12
            assert (small.b, small.lam) == (large.b, large.lam)


@settings(max_examples=5, deadline=None)
@given(triples())
def test_no_other_b_and_lambda_are_noticeably_better(triple):
    mu1, mu2, eps = triple
    gap = indicator(eps)
    chosen = F.finite_time_bound((mu1, mu2), eps, gap, 5000)

    def cost(r):
        return r.log_C if eps == 0 else r.log_total

    b_max = 1 - 1 / F.lambda_zero(*triple)
    for place_b in (0.001, 0.2, 0.5, 0.8, 0.97, 0.999):
        for place_lam in (0.01, 0.3, 0.7, 0.99):
            b = place_b * b_max
            lam = 1 / (1 - b - place_lam * (b_max - b))
            other = F.finite_time_bound((mu1, mu2), eps, gap, 5000, b=b, lam=lam, c=1)
            assert cost(chosen) <= cost(other) + 1e-3


@pytest.mark.parametrize(
    "means, T", [((0.5, 0.2), 5000), ((0.5, 0.2, 0.0), 10**40), ((0.8, 0.5), 1)]
)
def test_no_other_c_is_noticeably_better(means, T):
    chosen = F.finite_time_bound(means, 0.2, hinge(0.2), T)
    for c in np.geomspace(1e-3, 1e3, 30):
        other = F.finite_time_bound(means, 0.2, hinge(0.2), T, b=chosen.b, lam=chosen.lam, c=c)
        assert sum(chosen.A) <= sum(other.A) * (1 + 1e-6)


def test_bound_exceeds_the_regret():
    """Trivially so: the bound is far above T. Even its part (A) alone is above here."""
    for means in [(0.9, 0.6), (0.5, 0.2)]:
        run = simulate(means, EpsTS(0.2), 300, 50, seed=1)
        bound = F.finite_time_bound(means, 0.2, hinge(0.2), 300)
        assert bound.total > bound.trivial >= run.regret(hinge(0.2)).max()


# ---------------------------------------------------------------------- bad input


@pytest.mark.parametrize(
    "call, message",
    [
        (lambda: F.y_point(0.5, 0.3, 0.2), "mu2 must be below mu1 - eps = 0.3, got 0.3"),
        (lambda: F.lambda_zero(1.5, 0.3, 0.2), "means must be numbers in .*1.5"),
        (lambda: F.log_C_lambda(1.2, 0.5, 0.2, 0.2), r"lam must be in \(1, lambda_0\) ="),
        (lambda: F.log_C_lambda(1, 0.5, 0.2, 0.2), "lam must be .* got 1$"),
        (
            lambda: F.log_C_b(0.1, 1.1, Problem(0.5, 0.2, 0.2, 2)),
            r"b must be in \(0, 1 - 1/lam\)",
        ),
        (lambda: F.log_L0g(1, 2), r"b must be in \(0, 1\), got 1"),
        (lambda: F.log_L1(0.5, 0.8, 0.2), "mu1 must be above 1 - eps = 0.8, got 0.8"),
        (lambda: F.log_L2(0, 0.2), r"b must be in \(0, 1\), got 0"),
        (lambda: F.eta(3, 0.5, 0.2, -1), r"b must be in \(0, 1\), got -1"),
        (lambda: F.x_ac(0, 0.5, 0.2, 0.2), "c must be a positive number, got 0"),
        (lambda: F.log_interval_length(3, 0.5, "both"), "pigeonhole must be .* got 'both'"),
    ],
)
def test_bad_input_of_the_constants(call, message):
    with pytest.raises(ValueError, match=message):
        call()


@pytest.mark.parametrize(
    "change, message",
    [
        ({"means": (0.5, float("nan"))}, "means must be numbers in"),
        ({"eps": 1}, "eps must be a number in"),
        ({"horizon": 0}, "horizon must be a whole number of at least 1, got 0"),
        ({"gap": "hinge"}, "gap must be a gap function such as .* got 'hinge'"),
        ({"b": 0.05}, "b and lam must be given together, got b=0.05, lam=None"),
        ({"b": 0.05, "lam": 3}, "lam must be in .* got 3"),
        ({"b": 0.5, "lam": 1.1}, "b must be in .* got 0.5"),
        ({"c": -1}, "c must be a positive number, got -1"),
        ({"pigeonhole": "none"}, "pigeonhole must be"),
        ({"eps": 1e-7, "means": (0.5, 0.4999995)}, "b must be below 1 - 1/lambda_0"),
    ],
)
def test_bad_input_of_the_finite_time_bound(change, message):
    call = {"means": (0.5, 0.2), "eps": 0.2, "gap": hinge(0.2), "horizon": 10} | change
    with pytest.raises(ValueError, match=message):
        F.finite_time_bound(**call)
