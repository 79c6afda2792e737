"""Divergences against mpmath, a convex program, and what must hold of them."""

import itertools
import warnings
from functools import cache

import mpmath
import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize

from lenient import divergence
from lenient.exact import one_minus

ACCURACY = 1e-12  # relative, promised everywhere
DIGITS = 700  # subnormal p beside q near 1: 1 - p must not round


def strictly(function):
    """The function, with every warning and floating-point flag turned into an error."""

    def call(*args):
        with np.errstate(all="raise"), warnings.catch_warnings():
            warnings.simplefilter("error")
            return function(*args)

    return call


kl, scaled_kl, kinf, kl_ucb = map(
    strictly,
    (divergence.kl, divergence.scaled_kl, divergence.kinf, divergence.kl_ucb),
)


@cache
@mpmath.workdps(DIGITS)
def exact(number, c):
    """x, ln x, c - x and ln(c - x) in many digits, for the exact value of a double."""
    x, c = mpmath.mpf(float(number)), mpmath.mpf(float(c))
    logs = [mpmath.log(a) if a > 0 else -mpmath.inf for a in (x, c - x)]
    return x, logs[0], c - x, logs[1]


@mpmath.workdps(DIGITS)
def exact_kl(p, q, c=1.0):
    """d(p/c, q/c) for the exact values of the doubles p, q, c, in many digits."""
    p, ln_p, p_bar, ln_p_bar = exact(p, c)
    q, ln_q, q_bar, ln_q_bar = exact(q, c)
    total = p * (ln_p - ln_q) if p > 0 else mpmath.mpf(0)
    return (total + (p_bar * (ln_p_bar - ln_q_bar) if p_bar > 0 else 0)) / mpmath.mpf(c)


def assert_accurate(value, truth, where):
    if truth == mpmath.inf or value == np.inf:
        assert truth == value, where
    elif truth < 1e-300:  # the result itself is about to underflow
        assert abs(value - truth) < 1e-300, where
    else:
        assert abs(value / truth - 1) < ACCURACY, (*where, value, float(truth))


def hard_points(top):
    """Numbers in [0, top] that make a careless formula lose its digits."""
    corners = [0, 5e-324, 1e-310, 1e-300, 1e-20, 1e-12, 0.1, 0.3, 0.5, 0.9, 1]
    corners += [0.5 + 1e-12, 1 - 1e-12, 1 - 2**-53, top, top / 2]
    near = [np.nextafter(c, way) for c in corners for way in (0, 2)]
    near += [c + step for c in corners for step in (1e-12, -1e-12, 1e-5, -1e-5)]
    near += [c * ratio for c in (1e-300, 1e-12, 0.3) for ratio in (0.8, 0.901, 1.11)]
    return sorted({float(c) for c in corners + near if 0 <= c <= top})


# --- kl and scaled_kl ---------------------------------------------------------------


@pytest.mark.parametrize("eps", [0, 0.3, 0.7, 0.9999999999999999])
def test_agrees_with_mpmath_at_hard_points(eps):
    c = one_minus(eps)
    points = hard_points(c)
    p, q = map(np.ravel, np.meshgrid(points, points))
    values = scaled_kl(p, q, eps)
    for where in zip(p, q, values):
        assert_accurate(where[2], exact_kl(*where[:2], c), where)


def test_agrees_with_mpmath_between_near_and_far():
    # Relative distances from 1e-17 to 1e17, through the change of formula.
    away = np.concatenate([np.logspace(-17, 0, 99), np.linspace(0.18, 0.26, 99)])
    points = np.concatenate([0.4 / (1 + away), 0.4 * np.logspace(-17, 0, 100)])
    for a, b in [(0.4, x) for x in points] + [(x, 0.4) for x in points]:
        assert_accurate(kl(a, b), exact_kl(a, b), (a, b))
        assert_accurate(kl(1 - a, 1 - b), exact_kl(1 - a, 1 - b), (1 - a, 1 - b))


def test_conventions_of_the_paper():
    assert kl(0, 0) == kl(1, 1) == kl(0.3, 0.3) == 0
    assert kl(0.3, 0) == kl(5e-324, 0) == kl(1, 0) == np.inf
    assert kl(0.3, 1) == kl(0, 1) == kl(1 - 2**-53, 1) == np.inf
    assert kl(0.3, 1.2) == kl(0, 1.2) == kl(1, 1 + 2**-52) == kl(0.3, np.inf) == np.inf
    assert kl(0, 0.3) == pytest.approx(-np.log(0.7), rel=1e-15)
    assert kl(1, 0.3) == pytest.approx(-np.log(0.3), rel=1e-15)


def test_scaled_conventions():
    assert scaled_kl(0.1, 0.3, 0.7) == np.inf  # 0.3 is 1 - 0.7, though not in doubles
    assert scaled_kl(0.3, 0.3, 0.7) == 0
    assert np.isfinite(scaled_kl(0.3, 0.2, 0.7))
    for p, q in [(0.1, 0.4), (0.3, 0.4), (0.4, 0.4), (0.4, 0.3), (0.4, 0.1)]:
        assert scaled_kl(p, q, 0.7) == np.inf  # 0.4 is the mean of no law on [0, 0.3]
    assert scaled_kl(0, 0, 0.7) == 0 and scaled_kl(0.1, 0, 0.7) == np.inf


def test_without_leniency_scaled_kl_is_kl_to_the_bit():
    p, q = np.meshgrid(hard_points(1), hard_points(1))
    for zero in (0, 0.0, np.float64(0)):
        np.testing.assert_array_equal(scaled_kl(p, q, zero), kl(p, q))


def test_broadcasts_and_keeps_scalars_scalar():
    p, q, eps = np.array([[0.1], [0.2]]), np.array([0.3, 0.4, 0.5]), np.array([0, 0.2])
    assert kl(p, q).shape == (2, 3)
    assert kl(p, q)[1, 2] == kl(0.2, 0.5)
    assert scaled_kl(p[..., None], q[:, None], eps).shape == (2, 3, 2)
    assert scaled_kl(p[..., None], q[:, None], eps)[1, 2, 1] == scaled_kl(0.2, 0.5, 0.2)
    assert kl([0, 1], 0.5).tolist() == pytest.approx([np.log(2)] * 2)
    assert kl(np.empty(0), 0.5).shape == (0,)
    scalars = kl(0.2, 0.5), scaled_kl(0, 1, 0), kinf([0, 1], None, 0.7)
    for scalar in (*scalars, kl_ucb(0, 3, 1), one_minus(0.7)):
        assert isinstance(scalar, float)


# k / 2^53: 1 - p is exact, so that a reflected pair is the same pair.
exact_reflection = st.integers(0, 2**53).map(lambda k: k / 2**53)
unit = st.floats(0, 1) | exact_reflection


@settings(deadline=None)  # a busy machine is no failure
@given(exact_reflection, exact_reflection)
def test_zero_only_for_equal_laws_and_the_same_when_reflected(p, q):
    assert (kl(p, q) == 0) == (p == q)
    assert kl(1 - p, 1 - q) == pytest.approx(kl(p, q), rel=ACCURACY)


@settings(deadline=None)
@given(unit, unit)
def test_pinsker(p, q):
    assert kl(p, q) >= 2 * (p - q) ** 2 * (1 - ACCURACY)


@settings(deadline=None)
@given(st.tuples(unit, unit, unit).map(sorted))
def test_increases_away_from_p(points):
    low, middle, high = points
    assert kl(low, middle) <= kl(low, high) * (1 + ACCURACY) + 1e-300
    assert kl(high, middle) <= kl(high, low) * (1 + ACCURACY) + 1e-300


@settings(deadline=None)
@given(unit, unit, st.sampled_from([0.05, 0.2, 0.45, 0.7, 0.9]))
def test_scaling_lemma(p, q, eps):
    """d(cp, cq) >= c d(p, q) for c = 1/(1-eps) >= 1."""
    p, q = p * one_minus(eps), q * one_minus(eps)
    assert scaled_kl(p, q, eps) * one_minus(eps) >= kl(p, q) * (1 - ACCURACY) - 1e-300


# --- kinf ---------------------------------------------------------------------------

LAWS = {
    "Bernoulli": ([0, 1], [0.7, 0.3]),
    "rare 1": ([0, 1], [1 - 1e-9, 1e-9]),
    "very rare 1": ([0, 1], [1, 1e-200]),
    "rare 0": ([0, 1], [1e-9, 1 - 1e-9]),
    "three": ([0, 0.5, 1], [0.2, 0.5, 0.3]),
    "no mass at 1": ([0.1, 0.2, 0.9, 0.95], [0.25] * 4),
    "a point": ([0.5], [1]),
    "two close points": ([0.3, 0.3 + 1e-9], [0.5, 0.5]),
    "almost 1": ([0, 1 - 2**-53], [0.5, 0.5]),
    "outlier": ([0, 0.3, 0.31], [1e-10, 0.5, 0.5 - 1e-10]),
    "sample": (np.random.default_rng(1).random(20) ** 3, None),
}


def exact_kinf(values, probs, x):
    """The maximum of the dual by bisection of its derivative, in many digits."""
    weights = [1] * len(values) if probs is None else probs
    law = [tuple(mpmath.mpf(float(x)) for x in pair) for pair in zip(weights, values)]
    total, x = sum(w for w, _ in law), mpmath.mpf(float(x))

    def derivative(lam):
        return sum(w * (x - v) / (1 - lam * (v - x)) for w, v in law)

    low, high = mpmath.mpf(0), 1 / (1 - x)
    if derivative(low) <= 0:
        return mpmath.mpf(0)
    if max(v for _, v in law) < 1 and derivative(high) >= 0:
        low = high
    while high - low > low * mpmath.mpf(10) ** -45:
        middle = (low + high) / 2
        low, high = (middle, high) if derivative(middle) > 0 else (low, middle)
    return sum(w * mpmath.log(1 - low * (v - x)) for w, v in law) / total


@pytest.mark.parametrize("values, probs", LAWS.values(), ids=LAWS.keys())
def test_kinf_agrees_with_mpmath(values, probs):
    mean = np.average(values, weights=probs)
    above = [mean + step for step in (1e-14, 1e-9, 1e-6, 1e-3, 0.03)]
    fixed = [0.1, 0.3, 0.5, 0.6, 0.9, 0.99, 1 - 1e-6, 1 - 1e-12, 1 - 2**-53]
    x = np.array([x for x in above + fixed if x < 1])
    with mpmath.workdps(80):
        for x_, value in zip(x, kinf(values, probs, x)):
            assert_accurate(value, exact_kinf(values, probs, x_), (x_,))


def primal_kinf(values, probs, x):
    """min KL(nu, nu') over nu' on the support of nu and a grid, with mean >= x."""
    support = np.union1d(values, [0, 0.25, 0.5, 0.75, 0.97, 1])
    nu = np.zeros(support.size)
    nu[np.searchsorted(support, values)] = probs
    seen = nu > 0
    mix = (x - nu @ support) / (1 - nu @ support) + 0.01  # of nu and a mass at 1
    start = (1 - mix) * nu + mix * (support == 1)
    result = minimize(
        lambda mu: nu[seen] @ np.log(nu[seen] / mu[seen]),
        start,
        jac=lambda mu: -np.divide(nu, mu, out=np.zeros_like(nu), where=seen),
        bounds=[(1e-9 if s else 0, 1) for s in seen],
        constraints=[
            {"type": "eq", "fun": lambda mu: mu.sum() - 1},
            {"type": "ineq", "fun": lambda mu: mu @ support - x},
        ],
        method="SLSQP",
        options={"ftol": 1e-13, "maxiter": 500},
    )
    law = result.x
    assert abs(law.sum() - 1) < 1e-9 and law @ support > x - 1e-9 and law.min() > -1e-9
    return result.fun


@pytest.mark.parametrize(
    "values, probs",
    [
        ([0, 1], [0.7, 0.3]),
        ([0, 0.5, 1], [0.2, 0.5, 0.3]),
        ([0.5], [1]),
        ([0.1, 0.2, 0.9, 0.95], [0.25] * 4),
        ([0, 0.2, 0.3, 0.6, 0.8], [0.1, 0.3, 0.2, 0.3, 0.1]),
    ],
)
@pytest.mark.parametrize("x", [0.55, 0.7, 0.9])
def test_kinf_is_the_infimum_over_laws(values, probs, x):
    expected = primal_kinf(values, probs, x)
    assert kinf(values, probs, x) == pytest.approx(expected, rel=1e-6)


def test_kinf_of_bernoulli_is_kl():
    x = np.array([0.001, 0.55, 0.95, 1 - 1e-9])
    for p in (0, 1e-12, 0.2, 0.5, 0.9):
        expected = pytest.approx(np.where(x > p, kl(p, x), 0), rel=ACCURACY)
        assert kinf([0, 1], [1 - p, p], x) == expected
        assert kinf([1, 0, 0.5], [p, 1 - p, 0], x) == expected


def test_kinf_with_its_optimum_at_the_edge():
    """Without mass near 1, nu' spends what it needs at 1: E ln((1-X)/(1-x))."""
    values, x = np.array([0.1, 0.2, 0.4]), 0.8
    expected = np.mean(np.log((1 - values) / (1 - x)))
    assert kinf(values, None, x) == pytest.approx(expected, rel=1e-14)
    assert kinf([0.5], None, 0.5 + 1e-9) == pytest.approx(2e-9 + 2e-18, rel=1e-6)


def test_kinf_outside_the_interesting_range():
    values, probs = [0, 0.5, 1], [0.25, 0.5, 0.25]
    x = np.array([[-np.inf, -1, 0], [0.2, 0.5, 1 - 2**-53], [1, 1.3, np.inf]])
    value = kinf(values, probs, x)
    assert value.shape == x.shape
    assert (value[x <= 0.5] == 0).all()
    assert (value[x >= 1] == np.inf).all()
    assert np.isfinite(value[1, 2]) and value[1, 2] > 10
    assert kinf([1], None, 0.9) == 0 and kinf([1], None, 1) == np.inf
    assert kinf([0], None, 0) == 0
    assert kinf([0.2], [1 + 2**-52], 0.2) == 0  # weights that sum to 1 but for rounding
    assert kinf([0, 1], [1, 1e-200], 1e-200) == 0  # x - mean = 1e-400
    assert kinf([0, 1, 0], [0.5, 0.5, 1e-310], 0.5) == 0  # x - mean = 5e-311


def test_kinf_of_a_sample_is_that_of_its_frequencies():
    sample = [0.2, 0.9, 0.2, 0.4, 0.9, 0.2, 0.0, 1.0]
    values, counts = np.unique(sample, return_counts=True)
    x = np.linspace(0.5, 0.95, 10)
    np.testing.assert_allclose(kinf(sample, None, x), kinf(values, counts / 8, x), rtol=1e-13)


laws = st.lists(st.tuples(unit, st.integers(1, 9)), min_size=1, max_size=6)


@settings(deadline=None)
@given(laws, st.floats(0, 1), st.floats(0, 1))
def test_kinf_increases_and_is_at_least_kl(law, x, y):
    values, weights = map(np.array, zip(*law))
    probs, (x, y) = weights / weights.sum(), sorted([x, y])
    assert kinf(values, probs, x) <= kinf(values, probs, y) * (1 + ACCURACY)
    mean = min(probs @ values, 1.0)
    # The mean is rounded here; where that matters the two cannot be compared.
    assume(x > mean + 1e-6)
    assert kinf(values, probs, x) >= kl(mean, x) * (1 - 1e-8)


# --- kl_ucb -------------------------------------------------------------------------

P = np.unique(
    np.concatenate(
        [
            [0, 5e-324, 1e-310, 1e-300, 1e-100, 1e-20, 1 - 2**-53, 1],
            np.logspace(-8, -1, 8),
            np.linspace(0.2, 0.8, 7),
            1 - np.logspace(-15, -1, 8),
        ]
    )
)
RATE = np.concatenate([np.logspace(-20, 6, 79), [1e-300, 1e-150, 1e-60, 1e300]])


def test_kl_ucb_is_the_root_within_rounding():
    """d(p, q-) <= level/n <= d(p, q+) for q-, q+ within 32 roundings of the result."""
    p, level = map(np.ravel, np.meshgrid(P, RATE))
    q = kl_ucb(p, 1, level)
    assert ((p <= q) & (q <= 1)).all()
    below = np.maximum(q - 32 * np.spacing(q), p)
    above = np.minimum(q + 32 * np.spacing(q), 1)
    # kl is checked above, and a result q says no more than its double can.
    assert (kl(p, below) <= level * (1 + ACCURACY)).all()
    assert (kl(p, above) >= level * (1 - ACCURACY))[p < 1].all()


def test_kl_ucb_agrees_with_mpmath():
    cases = itertools.product([1e-6, 0.02, 0.3, 0.97], [1, 40], [0.01, 3])
    with mpmath.workdps(100):
        for p, n, level in cases:
            root = mpmath.findroot(
                lambda q: n * kl_of_many_digits(mpmath.mpf(p), q) - level,
                (p, 1 - mpmath.mpf(10) ** -90),
                solver="bisect",
                maxsteps=400,
                verify=False,  # next to 1 the divergence is too steep for its test
            )
            assert abs(kl_ucb(p, n, level) / root - 1) < 1e-14
            assert abs((kl_ucb(p, n, level) - p) / (root - p) - 1) < 1e-13


def kl_of_many_digits(p, q):
    return p * mpmath.log(p / q) + (1 - p) * mpmath.log((1 - p) / (1 - q))


def test_kl_ucb_at_the_extremes():
    assert kl_ucb(0.3, 0, 5) == kl_ucb(0, 0, 0) == 1  # never played
    assert kl_ucb(0.3, 5, np.inf) == kl_ucb(0, np.inf, np.inf) == 1
    assert kl_ucb(0.3, 5, 0) == kl_ucb(0.3, np.inf, 5) == 0.3
    assert kl_ucb(0, 5, 0) == 0
    assert kl_ucb(1, 5, 0) == kl_ucb(1, 5, 1e-300) == kl_ucb(1, 5, 1e6) == 1
    assert kl_ucb(0.3, 1, 1e6) == kl_ucb(0, 1, 1e300) == 1
    level = np.logspace(-300, 2, 50)
    np.testing.assert_allclose(kl_ucb(0, 4, level), -np.expm1(-level / 4), rtol=1e-14)


def test_kl_ucb_where_q_hardly_leaves_p():
    """q - p = sqrt(2 p (1-p) level / n) there, be it less than the rounding of q."""
    rng = np.random.default_rng(0)
    p, level = rng.random(300_000), 10 ** rng.uniform(-60, -24, 300_000)
    q, expected = kl_ucb(p, 1, level), p + np.sqrt(2 * p * (1 - p) * level)
    assert (q >= p).all()
    assert (abs(q - expected) <= 8 * np.spacing(p)).all()


@settings(deadline=None)
@given(st.floats(0, 1), st.integers(1, 10**6), st.floats(0, 1))
def test_kl_ucb_inverts_kl(p, n, q):
    assume(p + 1e-3 < q < 1 - 1e-9)
    assert kl_ucb(p, n, n * kl(p, q)) == pytest.approx(q, rel=1e-12)


def test_kl_ucb_broadcasts():
    p, n = np.array([[0.1], [0.6]]), np.array([1, 10, 100])
    q = kl_ucb(p, n, 2.5)
    assert q.shape == (2, 3)
    assert q[1, 2] == kl_ucb(0.6, 100, 2.5)


# --- bad input ----------------------------------------------------------------------


UNIT, POSITIVE, EPS = r"a number in \[0, 1\]", "a number >= 0", r"a number in \[0, 1\)"


@pytest.mark.parametrize(
    "call, message",
    [
        (lambda: kl(1.2, 0.5), f"p must be {UNIT}, got 1.2"),
        (lambda: kl(-0.1, 0.5), f"p must be {UNIT}, got -0.1"),
        (lambda: kl([0.1, np.nan], 0.5), f"p must be {UNIT}, got nan"),
        (lambda: kl("x", 0.5), f"p must be {UNIT}, got 'x'"),
        (lambda: kl(0.5, -1e-9), f"q must be {POSITIVE}, got -1e-09"),
        (lambda: kl(0.5, [0.1, np.nan]), f"q must be {POSITIVE}, got nan"),
        (lambda: scaled_kl(2, 0.5, 0.1), f"p must be {UNIT}, got 2.0"),
        (lambda: scaled_kl(0.1, 0.5, 1.2), f"eps must be {EPS}, got 1.2"),
        (lambda: scaled_kl(0.1, 0.5, 1), f"eps must be {EPS}, got 1"),
        (lambda: scaled_kl(0.1, 0.5, float("nan")), f"eps must be {EPS}, got nan"),
        (lambda: scaled_kl(0.1, 0.5, [0.1, -0.1]), f"eps must be {EPS}, got -0.1"),
        (lambda: kinf([0, 1.5], None, 0.5), r"values must be .*\[0, 1\], got 1.5"),
        (lambda: kinf([], None, 0.5), "values must hold at least one number, got none"),
        (lambda: kinf([0, 1], [0.5, 0.6], 0.5), "probs must sum to 1, got .* 1.1"),
        (lambda: kinf([0, 1], [0.5, 0.5 + 2e-9], 0.5), "probs must sum to 1, got .*"),
        (lambda: kinf([0, 1], [-0.5, 1.5], 0.5), r"probs must be .*\[0, 1\], got -0.5"),
        (lambda: kinf([0, 1], [1], 0.5), "probs must hold one .* the 2 values, got 1"),
        (lambda: kinf([0, 1], None, np.nan), "x must be a number, got nan"),
        (lambda: kl_ucb(1.5, 1, 1), f"p must be {UNIT}, got 1.5"),
        (lambda: kl_ucb(0.5, -1, 1), f"n must be {POSITIVE}, got -1.0"),
        (lambda: kl_ucb(0.5, 1, -2), f"level must be {POSITIVE}, got -2.0"),
        (lambda: kl_ucb(0.5, 1, np.nan), f"level must be {POSITIVE}, got nan"),
    ],
)
def test_bad_input_is_named(call, message):
    with pytest.raises(ValueError, match=f"^{message}$"):
        call()


def test_minus_zero_is_zero():
    assert kl(0.3, -0.0) == kl(0.3, 0.0) == np.inf
    assert kl(-0.0, 0.3) == kl(0.0, 0.3)
    assert kl_ucb(-0.0, 3, 1.0) == kl_ucb(0.0, 3, 1.0)
