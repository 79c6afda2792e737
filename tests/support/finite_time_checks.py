"""The constants of the finite-time theorem, typed anew from the paper, and what they must be.

Every check takes the module `lenient.finite_time`, or a copy of it with a mistake in it. What
it compares with is computed here, with 30 digits and none of the package's formulas.
"""

from functools import cache
from itertools import combinations, pairwise
from math import exp, inf, log

import mpmath as mp
import numpy as np
from scipy.optimize import brentq

from lenient.gaps import cutoff, hinge, indicator
from support.many_digits import close, d, exact

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


# ------------------------------------------ Lemma 8, from the list at the end of its proof


@cache
def lemma8(mu1, mu2, eps, lam):
    """y, u, λ₀, d_λ, R_λ and C_λ.

    d_λ is −ln(R_λ^y (1−μ₁)/(1−y)^λ), from the last step of the proof, and λ₀ its zero.
    """
    m1, m2, e, lam = exact(mu1), exact(mu2), exact(eps), mp.mpf(lam)
    y = (m2 + (m1 - m2 - e) / 2) / (1 - e)
    u = mp.mpf(2) ** (y - 1)
    front = (lam / mp.e / (1 - y)) ** lam
    if m1 == 1:  # the terms with n ≤ yj are not there: all j plays were won
        return y, u, mp.inf, mp.inf, mp.inf, front
    lambda_0 = mp.log(m1**y * (1 - m1) ** (1 - y)) / mp.log(y**y * (1 - y) ** (1 - y))
    R = m1 / (1 - m1) * ((1 - y) / y) ** lam
    d_lam = -mp.log(R**y * (1 - m1) / (1 - y) ** lam)
    return y, u, lambda_0, d_lam, R, front / (1 - 1 / R)


def between(mu1, mu2, eps, place):
    """λ at this place of (1, λ₀), of (1, ∞) on its own scale if λ₀ = ∞."""
    lambda_0 = lemma8(mu1, mu2, eps, 1.5)[2]
    return float(1 / (1 - place) if lambda_0 == mp.inf else 1 + place * (lambda_0 - 1))


def check_lemma8(F):
    for triple in TRIPLES:
        for place in (0.1, 0.6):
            lam = between(*triple, place)
            y, u, lambda_0, d_lam, R, C = lemma8(*triple, lam)
            assert close(F.y_point(*triple), y)
            assert close(F.u_base(*triple), u)
            assert close(F.log_C_lambda(lam, *triple), mp.log(C), 1e-9)
            if lambda_0 == mp.inf:
                assert F.lambda_zero(*triple) == inf == F.d_lambda(lam, *triple)
                assert F.log_R_lambda(lam, *triple) == inf
                continue
            assert close(F.lambda_zero(*triple), lambda_0)
            assert abs(F.lambda_zero(*triple) - 1 - (lambda_0 - 1)) < 1e-9 * (lambda_0 - 1)
            assert abs(F.d_lambda(lam, *triple) / d_lam - 1) < 1e-9
            assert abs(F.log_R_lambda(lam, *triple) / mp.log(R) - 1) < 1e-9


# --------------------------------------------------------------------------- Proposition 2


def length(t, b, pigeonhole="repaired"):
    """z(t), as printed and as repaired."""
    return t ** (1 - b) - 1 if pigeonhole == "printed" else (t - t**b) / (t**b + 1)


def rate(mu1, mu_a, eps):
    """C_a(t)/ln t, from Lemma 9: 8/δ_a² with δ_a = (Δ_a−ε)/2."""
    return 8 / ((exact(mu1) - exact(mu_a) - exact(eps)) / 2) ** 2


@cache
def shortest_longest_pause(t, plays):
    """The longest pause, made as short as t rounds and so many plays allow; all are tried."""
    return min(
        max(np.diff([0, *rounds, t + 1]) - 1) for rounds in combinations(range(1, t + 1), plays)
    )


def check_pause(F):
    """With N = t^b plays the longest pause is at least z(t); (N+1) | (t−N) makes it equal."""
    met = 0
    for t in range(3, 15):
        for plays in range(2, min(t, 5)):
            b = log(plays) / log(t) * (1 + 1e-14)
            z = exp(F.log_interval_length(log(t), b))
            longest = min(shortest_longest_pause(t, n) for n in range(plays + 1))
            assert longest >= z * (1 - 1e-9)
            met += longest < z * (1 + 1e-9)
    assert met >= 8
    for b in (0.003, 0.2, 0.5, 0.99):
        for t in (2, 10, 1000, 10**30):
            for pigeonhole in ("repaired", "printed"):
                z = length(mp.mpf(t), mp.mpf(b), pigeonhole)
                found = F.log_interval_length(mp.log(t), b, pigeonhole)
                assert close(found, mp.log(z), 1e-9)


def check_saturation_level(F):
    for mu1, mu_a, eps in [(0.9, 0.6, 0.2), (0.5, 0.1, 0.2), (1, 0, 0.9), (0.6, 0.1, 0)]:
        for t in (2, 50, 10**40):
            wanted = mp.log(t) * rate(mu1, mu_a, eps)
            assert close(float(F.saturation_level(t, mu1, mu_a, eps)), wanted, 1e-12)


def check_L0g(F):
    """From there on z(t) ≥ K, and for small b no earlier."""
    for arms in (2, 5):
        for b in (1e-5, 0.05, 0.4, 0.8):
            for pigeonhole, base in [("printed", arms + 1), ("repaired", 2 * arms + 1)]:
                L = mp.mpf(base) ** (1 / (1 - mp.mpf(b)))
                assert close(F.log_L0g(b, arms, pigeonhole), mp.log(L))
                for t in (L, L * 1.001, L * 2, L**3):
                    assert length(t, mp.mpf(b), pigeonhole) >= arms * (1 - mp.mpf("1e-20"))
                if b == 1e-5 or pigeonhole == "printed":
                    assert length(L * 0.999, mp.mpf(b), pigeonhole) < arms


def last_turn(difference):
    """ln of the smallest whole t from which on difference(t) ≥ 0; it grows for large t."""
    s = mp.mpf(1)
    while difference(mp.exp(s)) < 0 or difference(mp.exp(2 * s)) < 0:
        s *= 2
    while s > mp.log(2) and difference(mp.exp(s * mp.mpf("0.99"))) >= 0:
        s *= mp.mpf("0.99")
    if s <= mp.log(2):
        return mp.log(2)
    low, high = s * mp.mpf("0.99"), s
    for _ in range(80):
        middle = (low + high) / 2
        low, high = (low, middle) if difference(mp.exp(middle)) >= 0 else (middle, high)
    return mp.log(mp.ceil(mp.exp(high) - mp.mpf("1e-15"))) if high < 36 else high


@cache
def log_L0h(b, mu1, mu2, eps, arms, pigeonhole="repaired"):
    """⌊z/K²⌋ ≥ C₂(t) by way of ⌊w⌋ > w−1: z ≥ K²(C₂(t)+1)."""
    b = mp.mpf(b)

    def spare(t):
        enough = arms**2 * (rate(mu1, mu2, eps) * mp.log(t) + 1)
        return length(t, b, pigeonhole) - enough

    return last_turn(spare)


def check_L0h(F):
    for triple, b, arms in [
        ((1, 0, 0.01), 0.1, 2), ((1, 0, 0.1), 0.02, 4), ((0.9, 0, 0.05), 0.3, 2),
        ((0.5, 0.2, 0.2), 0.05, 3), ((0.5, 0.2, 0.2), 0.94, 3),
    ]:  # fmt: skip
        for pigeonhole in ("repaired", "printed"):
            found = F.log_L0h(b, F.Problem(*triple, arms, pigeonhole))
            assert close(found, log_L0h(b, *triple, arms, pigeonhole), 1e-12)


def check_saturated_but_high(F):
    """2(K−1)² Σ (t^b+1)/t²: the first terms, and what is left by Euler and Maclaurin."""
    for b, arms in [(0.1, 2), (0.6, 4), (0.003, 3)]:
        t = np.arange(1, 1000.0)
        head, far = ((t**b + 1) / t**2).sum(), 1000.0
        tail = sum(
            far ** (p + 1) / -(p + 1) + far**p / 2 - p * far ** (p - 1) / 12
            for p in (b - 2, -2)
        )
        wanted = 2 * (arms - 1) ** 2 * (head + tail)
        assert abs(F.saturated_but_high(b, arms) / wanted - 1) < 1e-11


def over_j(count, x, factor, u, C, lam, d_lam):
    """factor · Σ_{j<count} (u^x + C_λ x^−λ e^(−j d_λ)), the second sum in closed form."""
    return factor * (count * u**x + C * x**-lam * mp.expm1(-d_lam * count) / mp.expm1(-d_lam))


def pieces(t, before, b, triple, lam, arms, pigeonhole, shorten):
    """Σ_j g and Σ_j h at time t, with the lengths x of an earlier time, ⌊x⌋ by `shorten`."""
    _, u, _, d_lam, _, C = lemma8(*triple, lam)
    d_lam = min(d_lam, mp.mpf(10**4))  # of an infinite one the first term alone is left
    b, lam = mp.mpf(b), mp.mpf(lam)
    z, C_2 = length(before, b, pigeonhole), rate(*triple) * mp.log(before)
    count = t**b + 1
    g = over_j(count, shorten(z / arms), 1, u, C, lam, d_lam)
    plays = arms * rate(*triple) * mp.log(t)
    return g, over_j(count, shorten(z / (arms**2 * C_2)), plays, u, C, lam, d_lam)


def at_least_one(w):
    return max(mp.mpf(1), w - 1)


def check_g_and_h(F):
    """At three times after L₀, where x is small; and above the sums with whole x and j."""
    for triple, b, lam, arms in [
        ((0.99, 0, 0.05), 0.3, 2.0, 3), ((0.9, 0.6, 0.2), 0.03, 1.05, 2),
    ]:  # fmt: skip
        for pigeonhole in ("repaired", "printed"):
            problem = F.Problem(*triple, arms, pigeonhole)
            start = log_L0h(b, *triple, arms, pigeonhole)
            for t in (mp.exp(start), mp.floor(3 * mp.exp(start)), mp.exp(2 * start)):
                given = t, t, b, triple, lam, arms, pigeonhole
                for log_f, wanted, least in zip(
                    (F.log_g, F.log_h), pieces(*given, at_least_one), pieces(*given, mp.floor)
                ):
                    found = log_f(float(mp.log(t)), b, lam, problem)
                    assert abs(float(found - mp.log(wanted))) < 1e-8
                    whole = (mp.floor(t ** mp.mpf(b)) + 1) / (t ** mp.mpf(b) + 1)
                    assert found >= mp.log(least * whole) - 1e-8
                later = pieces(2 * t, *given[1:], at_least_one)
                for log_f, wanted in zip((F.log_g, F.log_h), later):
                    s = float(mp.log(t))
                    found = log_f(float(mp.log(2 * t)), b, lam, problem, log_s=s)
                    assert abs(float(found - mp.log(wanted))) < 1e-8


@cache
def log_sum_of_g_and_h(b, lam, triple, arms, pigeonhole="repaired"):
    """ln ∫ Σ_j (K h + g) dt from L₀ on, with the lengths of t−1 (of L₀ at the start).

    In s = ln t, by Simpson's rule on pieces between the points where the formula changes.
    """
    _, u, _, d_lam, _, C = map(float, lemma8(*triple, lam))
    start, K = float(log_L0h(b, *triple, arms, pigeonhole)), arms
    per_log, first = float(rate(*triple)), exp(start)

    def log_z(s):
        far = np.exp(-(1 - b) * s)
        shorter = 0 if pigeonhole == "printed" else np.log1p(np.exp(-b * s))
        return (1 - b) * s + np.log1p(-far) - shorter

    def over_all_j(s, log_w):
        x = np.maximum(1, np.exp(np.minimum(log_w, 300)) - 1)
        count = np.exp(np.minimum(b * s, 500)) + 1
        geometric = np.log(np.expm1(-d_lam * count) / np.expm1(-d_lam))
        rare = log(C) - lam * np.where(log_w < 300, np.log(x), log_w) + geometric
        return np.logaddexp(np.log(count) + x * log(u), rare)

    def log_integrand(s):
        before = np.where(s < 30, np.log(np.maximum(np.exp(np.minimum(s, 30)) - 1, first)), s)
        g = over_all_j(s, log_z(before) - log(K))
        h = over_all_j(s, log_z(before) - np.log(K**2 * per_log * before))
        return s + np.logaddexp(log(K) + np.log(K * per_log * s) + h, g)

    # x stays 1 until z/(K²C₂) = 2; far out the integrand falls like e^(−(λ(1−b)−1)s).
    def longer(s):
        return log_z(s) - log(K**2 * per_log * s) - log(2)

    flat = brentq(longer, start, 3 * start, xtol=1e-14)
    decay = lam * (1 - b) - 1
    turn = max(start, -log(d_lam) / b) if d_lam < inf else start
    last = turn + 200 * (1 + lam) / decay
    edges = [start, log(first + 1), log(exp(flat) + 1)]
    edges += list(edges[-1] + np.geomspace(0.01, last - edges[-1], 60))
    logs = []
    for left, right in pairwise(dict.fromkeys(edges)):
        s = np.linspace(left, right, 801)
        weight = np.full(801, 4 / 3)
        weight[::2] = 2 / 3
        weight[[0, -1]] = 1 / 3
        inside = s.copy()
        inside[0] += 1e-13 * left  # on the right side of a change
        logs.append(np.logaddexp.reduce(log_integrand(inside) + np.log(weight)))
        logs[-1] += log((right - left) / 800)
    return mp.mpf(np.logaddexp.reduce(logs))


SMALL = [
    ((0.99, 0, 0.05), 0.1, 3.0, 2), ((0.999, 0, 0.02), 0.05, 4.0, 3),
    ((1, 0, 0.1), 0.2, 5.0, 2), ((0.98, 0.3, 0.01), 0.05, 2.0, 2),
]  # fmt: skip


def check_C_b(F):
    """C_b = L₀ + 2(K−1)² Σ(t^b+1)/t² + Σ Σ (K h + g), its last part as an integral."""
    usual = [
        (triple, b, between(*triple, place), arms)
        for triple, b, place, arms in [
            ((0.9, 0.6, 0.2), 0.03, 0.5, 2), ((0.5, 0.2, 0.2), 0.08, 0.9, 3),
            ((0.99, 0.1, 0.2), 0.1, 0.5, 4),
        ]
    ]  # fmt: skip
    for triple, b, lam, arms in SMALL + usual:
        log_L0g = mp.log(2 * arms + 1) / (1 - mp.mpf(b))
        L0 = mp.exp(max(log_L0g, log_L0h(b, *triple, arms)))
        high = 2 * (arms - 1) ** 2 * (mp.zeta(2 - mp.mpf(b)) + mp.zeta(2))
        wanted = L0 + high + mp.exp(log_sum_of_g_and_h(b, lam, triple, arms))
        found = F.log_C_b(b, lam, F.Problem(*triple, arms))
        assert abs(float(found - mp.log(wanted))) < 1e-12, (triple, b, lam, arms)


@cache
def brute_force(triple, b, lam, arms, pigeonhole, far=50):
    """The very sum, with whole x and j, from L₀ to far·L₀."""
    _, u, _, d_lam, _, C = map(float, lemma8(*triple, lam))
    L0 = round(float(mp.exp(log_L0h(b, *triple, arms, pigeonhole))))
    t = np.arange(L0, far * L0, dtype=float)
    z, C_2 = length(t, b, pigeonhole), float(rate(*triple)) * np.log(t)
    count = np.floor(t**b) + 1

    def over(x):
        geometric = -np.expm1(-d_lam * count) / -np.expm1(-d_lam)
        return count * u**x + C * x**-lam * geometric

    h = arms * C_2 * over(np.floor(z / (arms**2 * C_2)))
    return (arms * h + over(np.floor(z / arms))).sum()


def check_C_b_is_a_bound(F):
    """C_b is above the sum that it stands for, and not above twice its terms up to 50 L₀."""
    for triple, b, lam, arms in SMALL:
        for pigeonhole in ("repaired", "printed"):
            sum_ = brute_force(triple, b, lam, arms, pigeonhole)
            C_b = exp(F.log_C_b(b, lam, F.Problem(*triple, arms, pigeonhole)))
            assert sum_ < C_b < 3 * sum_, (triple, pigeonhole, C_b / sum_)


# ------------------------------------------------------------------ Lemmas 4, 5 and 6


@cache
def log_L1(b, mu1, eps):
    D = d(1 - exact(eps), exact(mu1))
    return last_turn(lambda t: (t - 1) ** mp.mpf(b) - 2 * mp.log(t) / D - 1)


@cache
def log_L2(b, eps):
    """η(t) > μ₁−ε, that is 2√(6 ln t/(t−1)^b) < ε."""
    return last_turn(lambda t: exact(eps) - 2 * mp.sqrt(6 * mp.log(t) / (t - 1) ** mp.mpf(b)))


def check_L1(F):
    for mu1, eps, b in [
        (0.95, 0.4, 0.6), (0.99, 0.5, 0.8), (0.999, 0.9, 0.3), (0.9999, 0.99, 0.15),
        (0.9, 0.2, 0.06), (0.9, 0.2, 0.003), (1, 0.2, 0.1),
    ]:  # fmt: skip
        assert close(F.log_L1(b, mu1, eps), log_L1(b, mu1, eps)), (mu1, eps, b)


def check_L2(F):
    for eps, b in [
        (0.9, 0.8), (0.5, 0.7), (0.3, 0.95), (0.99, 0.6), (0.05, 0.06), (0.2, 0.003),
    ]:  # fmt: skip
        assert close(F.log_L2(b, eps), log_L2(b, eps)), (eps, b)
    assert F.log_L2(0.3, 0) == inf


def level(t, mu1, eps, b):
    """η(t) of Lemma 6, and μ₁−ε in the first round."""
    m1, e, t = exact(mu1), exact(eps), mp.mpf(t)
    if t == 1:
        return m1 - e
    return max(m1 - e, m1 - 2 * mp.sqrt(6 * mp.log(t) / (t - 1) ** mp.mpf(b)))


def check_eta(F):
    for mu1, eps, b in [(0.5, 0.2, 0.3), (0.8, 0.2, 0.9), (0.3, 0.29, 0.6)]:
        for t in (1, 2, 3, 100, 10**6, 10**12, 10**40):
            assert close(float(F.eta(t, mu1, eps, b)), level(t, mu1, eps, b), 1e-12)


def squeezed(p, q, eps):
    return d(p / (1 - exact(eps)), q / (1 - exact(eps)))


@cache
def x_ac(c, mu1, mu_a, eps):
    """The solution of Lemma 5, by halving."""
    low, high = exact(mu_a), exact(mu1) - exact(eps)
    top, wanted = high, squeezed(low, high, eps) / (1 + mp.mpf(c))
    for _ in range(100):
        middle = (low + high) / 2
        low, high = (middle, high) if squeezed(middle, top, eps) > wanted else (low, middle)
    return low


def check_x_ac(F):
    for mu1, mu_a, eps in [(0.5, 0.2, 0.2), (0.9, 0.1, 0.2), (0.8, 0.0, 0.2), (0.6, 0.5, 0)]:
        for c in (1e-3, 0.1, 1, 30.0):
            assert close(float(F.x_ac(c, mu1, mu_a, eps)), x_ac(c, mu1, mu_a, eps), 1e-8)


@cache
def ratios(mu1, mu_a, eps, b, last):
    """The running maximum of ln t / d(μ_a/(1−ε), η(t)/(1−ε)) over t = 1, …, last."""
    t = np.arange(1.0, last + 1)
    with np.errstate(divide="ignore", invalid="ignore"):
        drop = 2 * np.sqrt(6 * np.log(t) / (t - 1) ** b)
    drop[0] = inf
    q = np.maximum(mu1 - eps, mu1 - drop) / (1 - eps)
    p = mu_a / (1 - eps)
    left = p * np.log(p / q) if p else 0
    return np.maximum.accumulate(np.log(t) / (left + (1 - p) * np.log((1 - p) / (1 - q))))


def check_max_ratio(F):
    """At whole t before L₂, around it and far beyond."""
    for mu1, mu_a, eps, b in [
        (0.55, 0.1, 0.4, 0.9), (0.6, 0.0, 0.4, 0.8), (0.5, 0.05, 0.4, 0.95),
        (0.6, 0.19, 0.4, 0.9),
    ]:  # fmt: skip
        running = ratios(mu1, mu_a, eps, b, 200_000)
        from_L2 = round(float(mp.exp(log_L2(b, eps))))
        assert from_L2 < 50_000
        around = [from_L2 - 1, from_L2, from_L2 + 1, 2 * from_L2]
        for T in [1, 2, 100, *around, 60_000, 200_000]:
            value = F.max_ratio(T, mu1, mu_a, eps, b)
            assert running[T - 1] * (1 - 1e-12) <= value <= running[T - 1] * (1 + 1e-6)
    # where the divergence has all but reached its limit, the last t counts
    for T in (10**900, 10**3000):
        wanted = mp.log(T) / squeezed(exact(0.1), level(T, 0.55, 0.4, 0.9), 0.4)
        assert close(F.max_ratio(T, 0.55, 0.1, 0.4, 0.9), wanted, 1e-6)


# ------------------------------------------------------------------------- Theorem 3


def put_together(means, eps, gap, T, b, lam, c):
    """ln of A for each bad arm, of B and of C: the theorem's two displays."""
    mu1, *bad = sorted(means, reverse=True)
    bad = [mu for mu in bad if exact(mu1) - exact(mu) > exact(eps)]
    f = [exact(round(float(gap(mu1 - mu)), 10)) for mu in bad]
    K, level_ = 1 + len(bad), 1 - exact(eps)
    C = mp.exp(max(mp.log(2 * K + 1) / (1 - mp.mpf(b)), log_L0h(b, mu1, bad[0], eps, K)))
    C += 2 * (K - 1) ** 2 * (mp.zeta(2 - mp.mpf(b)) + mp.zeta(2))
    C += mp.exp(log_sum_of_g_and_h(b, lam, (mu1, bad[0], eps), K))
    if exact(mu1) > level_:
        plays = [1 / d(level_, exact(mu)) for mu in bad]
        B = mp.exp(log_L1(b, mu1, eps)) + mp.pi**2 / 6 / d(level_, exact(mu1))
    else:
        plays = []
        for mu in bad:
            if mp.log(T) < log_L2(b, eps):
                M = mp.log(T) / squeezed(exact(mu), exact(mu1) - exact(eps), eps)
            else:
                M = mp.mpf(ratios(mu1, mu, eps, b, T)[-1])
            far = 1 / d(x_ac(c, mu1, mu, eps), exact(mu))
            plays.append((1 + mp.mpf(c)) ** 2 * M + 2 + 1 / mp.mpf(c) + far)
        B = mp.exp(log_L2(b, eps)) + 6
    A = [mp.log(cost * n) for cost, n in zip(f, plays)]
    return A, mp.log(max(f) * B), mp.log(max(f) * C)


FIRST = [  # in the first L₁ is so small that what is added to it shows
    ((0.99, 0.0), 0.05, indicator(0.05), 10, 0.6, 2.8, None),
    ((0.6, 0.99, 0.9, 0.1), 0.2, cutoff(0.2), 1000, 0.05, 1.2, None),
    ((0.9, 0.1, 0.6), 0.2, hinge(0.2), 10**6, 0.03, 1.05, None),
]
SECOND = [  # in the first L₂ is so small that the 6 shows; the last has T > L₂
    ((0.5, 0.0), 0.49, indicator(0.49), 10, 0.7, 4.0, 3.0),
    ((0.2, 0.5, 0.45, 0.1), 0.2, hinge(0.2), 5000, 0.05, 1.1, 0.5),
    ((0.5, 0.01), 0.48, cutoff(0.48), 50_000, 0.77, 5.0, 0.2),
]


def check_theorem(F, cases=None):
    """Every part of the bound, and their sum."""
    for means, eps, gap, T, b, lam, c in FIRST + SECOND if cases is None else cases:
        r = F.finite_time_bound(means, eps, gap, T, b=b, lam=lam, c=c)
        A, B, C = put_together(means, eps, gap, T, b, lam, c)
        assert len(r.A) == len(A)
        for found, a in zip(r.log_A, A):
            assert found == a or abs(float(found - a)) < 3e-7, means
        assert close(r.log_B, B, 1e-11), means
        assert abs(float(r.log_C - C)) < 1e-11, means
        total = mp.log(sum(map(mp.exp, [*A, B, C])))
        assert abs(float(r.log_total - total)) < 1e-11, means


def check_first_case(F):
    check_theorem(F, FIRST)


def check_second_case(F):
    check_theorem(F, SECOND)


def check_edge_is_second_case(F):
    """μ₁ = 1−ε belongs to the second case, also where floats disagree (1−0.07 < 0.93)."""
    for mu1, eps in [(0.8, 0.2), (0.9, 0.1), (0.7, 0.3), (0.93, 0.07), (0.68, 0.32)]:
        for above, case in [(0, 2), (0.01, 1)]:
            means = round(mu1 + above, 2), 0.0
            r = F.finite_time_bound(means, eps, hinge(eps), 10, b=0.01, lam=1.02)
            assert r.case == case, (means, eps)


ALL = [
    check_lemma8, check_pause, check_saturation_level, check_L0g, check_L0h,
    check_saturated_but_high, check_g_and_h, check_C_b, check_C_b_is_a_bound, check_L1,
    check_L2, check_eta, check_x_ac, check_max_ratio, check_first_case, check_second_case,
    check_theorem, check_edge_is_second_case,
]  # fmt: skip
