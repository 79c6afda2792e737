"""The finite-time theorem as a function: edges, choices, bad input, and L by scanning.

That its constants are the paper's is checked in `test_claims_regret_analysis.py`.
"""

from math import exp, inf, isnan, log

import mpmath as mp
import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy.stats import beta
from support.finite_time_checks import length
from support.many_digits import close, d, exact

from lenient import finite_time as F
from lenient.finite_time import Problem
from lenient.gaps import hinge, indicator, standard
from lenient.laws import Sample


@st.composite
def triples(draw):
    """(μ₁, μ₂, ε) in hundredths with μ₂ < μ₁−ε, as the theorem wants."""
    eps = draw(st.integers(0, 98))
    mu1 = draw(st.integers(eps + 1, 100))
    mu2 = draw(st.integers(0, mu1 - eps - 1))
    return mu1 / 100, mu2 / 100, eps / 100


# ------------------------------------------------------------------------- Lemma 8


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


# ------------------------------------------------------------------- Proposition 2


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


def test_no_arm_beyond_eps():
    for means in [(0.5,), (0.5, 0.3), (0.9, 0.7, 0.8)]:
        r = F.finite_time_bound(means, 0.2, hinge(0.2), 100)
        assert (r.case, r.total, r.log_total, r.trivial) == (None, 0, -inf, 0)
        assert r.A == () and r.B == r.C == 0 and isnan(r.b)


def test_a_more_lenient_gap_function():
    """f ≥ 0 beyond ε is all that the proof needs: the plays are the same, some are free."""
    strict = F.finite_time_bound((0.5, 0.25, 0.1), 0.2, indicator(0.2), 100)
    lenient = F.finite_time_bound((0.5, 0.25, 0.1), 0.2, indicator(0.3), 100, c=strict.c)
    assert lenient.costs == (0, 1) and lenient.A == (0, strict.A[1])
    assert (lenient.log_B, lenient.log_C) == (strict.log_B, strict.log_C)
    for eps in (0, 0.2):  # with no cost at all there is nothing to bound
        r = F.finite_time_bound((0.5, 0.25, 0.1), eps, indicator(0.4), 100)
        assert (r.case, r.total, r.means) == (None, 0, (0.5,))


def test_only_the_mean_of_a_law_counts():
    laws = (Sample([0.4, 0.6]), beta(2, 8), 0.1)
    with_laws = F.finite_time_bound(laws, 0.2, hinge(0.2), 100)
    assert with_laws == F.finite_time_bound((0.5, 0.2, 0.1), 0.2, hinge(0.2), 100)


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


# ---------------------------------------------------------------------- bad input


@pytest.mark.parametrize(
    "call, message",
    [
        (lambda: F.y_point(0.5, 0.3, 0.2), "mu2 must be below mu1 - eps = 0.3, got 0.3"),
        (lambda: F.lambda_zero(1.5, 0.3, 0.2), "mu1 must be a number in .*1.5"),
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


PROBLEM = Problem(0.5, 0.2, 0.2, 2)
TRIPLE = {"mu1": 0.5, "mu2": 0.2, "eps": 0.2}
CALLS = [
    (F.y_point, TRIPLE),
    (F.u_base, TRIPLE),
    (F.lambda_zero, TRIPLE),
    (F.d_lambda, {"lam": 1.01, **TRIPLE}),
    (F.log_R_lambda, {"lam": 1.01, **TRIPLE}),
    (F.log_C_lambda, {"lam": 1.01, **TRIPLE}),
    (F.saturation_level, {"t": 10, "mu1": 0.5, "mu_a": 0.2, "eps": 0.2}),
    (F.log_interval_length, {"log_t": 3, "b": 0.5, "pigeonhole": "printed"}),
    (F.log_L0g, {"b": 0.5, "arms": 2, "pigeonhole": "printed"}),
    (F.log_L0h, {"b": 0.05, "problem": PROBLEM}),
    (F.log_C_b, {"b": 0.001, "lam": 1.01, "problem": PROBLEM}),
    (F.saturated_but_high, {"b": 0.5, "arms": 2}),
    (F.log_g, {"log_t": 30, "b": 0.001, "lam": 1.01, "problem": PROBLEM}),
    (F.log_h, {"log_t": 30, "b": 0.001, "lam": 1.01, "problem": PROBLEM}),
    (F.log_L1, {"b": 0.5, "mu1": 0.9, "eps": 0.2}),
    (F.log_L2, {"b": 0.5, "eps": 0.2}),
    (F.eta, {"t": 10, "mu1": 0.5, "eps": 0.2, "b": 0.5}),
    (F.x_ac, {"c": 1, "mu1": 0.5, "mu_a": 0.2, "eps": 0.2}),
    (F.max_ratio, {"horizon": 9, "mu1": 0.5, "mu_a": 0.2, "eps": 0.2, "b": 0.5}),
    (F.choose_b_and_lambda, {"problem": PROBLEM}),
    (F.finite_time_bound, {"means": (0.5, 0.2), "eps": 0.2, "gap": hinge(0.2), "horizon": 10}),
]
HOSTILE = [
    "many", float("nan"), -1, 1j, object(), {0.5}, {"a": 0.5}, float, b"x",
    [[0.5], [0.1, 0.2]], [None], -(10**5000), np.array([0.5 + 0j]),
]  # fmt: skip


@pytest.mark.parametrize(
    "function, right", CALLS, ids=lambda each: getattr(each, "__name__", "")
)
def test_whatever_is_no_number_is_named(function, right):
    function(**right)
    for name in right:
        for wrong in [None, (0.5 for _ in "12"), *HOSTILE]:
            if name == "lam" and isinstance(wrong, int):
                continue  # any λ has a d_λ
            with pytest.raises(ValueError, match=rf"\b{name} must "):
                function(**right | {name: wrong})


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
        (
            {"eps": 1e-7, "means": (0.5, 0.4999995), "gap": hinge(1e-7)},
            "b must be below 1 - 1/lambda_0",
        ),
        ({"means": (0.5, 0.4, 0.2), "gap": standard()}, "gap must cost nothing up to eps"),
        ({"means": (0.5, 0.36, 0.2), "gap": hinge(0.1)}, "gap must cost .* gap.eps = 0.1"),
    ],
)
def test_bad_input_of_the_finite_time_bound(change, message):
    call = {"means": (0.5, 0.2), "eps": 0.2, "gap": hinge(0.2), "horizon": 10} | change
    with pytest.raises(ValueError, match=message):
        F.finite_time_bound(**call)
