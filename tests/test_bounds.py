"""The asymptotic bounds against formulas typed anew in mpmath."""

from decimal import Decimal
from fractions import Fraction

import mpmath as mp
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from support.many_digits import close, d, exact

from lenient import bounds as B
from lenient.gaps import GapFunction, cutoff, gap_function, hinge, indicator, standard
from lenient.laws import Sample, describe, law_kinf

hundredths = st.integers(0, 100).map(lambda n: n / 100)


@pytest.mark.parametrize("gap", [hinge(0.2), indicator(0.2), cutoff(0.2), standard()])
def test_asymptotic_bounds_are_the_formulas(gap):
    means, eps = [0.2, 0.5, 0.05, 0.45, 0.0], mp.mpf("0.2")
    if not gap.eps:  # which would charge the arm 0.45
        means.remove(0.45)
    bad = {0.2: 0.3, 0.05: 0.45, 0.0: 0.5}  # mean: gap
    lower = upper = standard_ = mp.mpf(0)
    for mean, delta in bad.items():
        mu, cost = exact(mean), gap(delta)
        lower += cost / d(mu, mp.mpf("0.7"))
        upper += cost / d(mu / (1 - eps), mp.mpf("0.5") / (1 - eps))
        standard_ += cost / d(mu, mp.mpf("0.5"))
    assert close(B.lower_bound(means, 0.2, gap), lower)
    assert close(B.upper_bound(means, 0.2, gap), upper)
    assert close(B.loose_upper_bound(means, 0.2, gap), 4 * (1 - eps) * lower)
    assert close(B.standard_bound(means, gap), standard_)
    if not gap.eps:  # then the arm 0.45 counts too
        arm = gap(0.05) / d(mp.mpf("0.45"), mp.mpf("0.5"))
        assert close(B.standard_bound([*means, 0.45], gap), standard_ + arm)
    for bound in (B.lower_bound, B.upper_bound, B.loose_upper_bound):
        assert type(bound(means, 0.2, gap)) is float
    assert type(B.standard_bound(means, gap)) is float


@settings(deadline=None)
@given(st.lists(hundredths, min_size=1, max_size=5), st.integers(0, 99))
def test_order_of_the_asymptotic_bounds(means, percent):
    eps = percent / 100
    gap = hinge(eps)
    lower, upper = B.lower_bound(means, eps, gap), B.upper_bound(means, eps, gap)
    loose = B.loose_upper_bound(means, eps, gap)
    standard_ = B.standard_bound(means, gap)
    room = 1 + 1e-12
    assert 0 <= lower <= upper * room
    assert upper <= loose * room  # Lemma 7
    assert upper <= (1 - eps) * standard_ * room  # Lemma 11
    if max(Fraction(str(m)) for m in means) + Fraction(percent, 100) >= 1:
        assert lower == upper == loose == 0
    elif any(round(100 * (max(means) - m)) > percent for m in means):
        assert lower > 0


@pytest.mark.parametrize(
    "means, eps",
    [
        ((0.8, 0.5), 0.2),  # μ*+ε is 1 as decimals
        ((0.3, 0.0), 0.7),  # 1−ε is 0.3 as decimals
        ((0.7, 0.5), 0.2),  # the gap is ε as decimals: nothing to pay
        ((0.9, 0.7), 0.2),
        ((0.5,), 0.2),
        ((1.0, 0.2), 0.0),
    ],
)
def test_asymptotic_bounds_vanish_at_the_decimal_edges(means, eps):
    gap = indicator(eps)
    assert B.lower_bound(means, eps, gap) == 0
    assert B.upper_bound(means, eps, gap) == 0
    assert B.loose_upper_bound(means, eps, gap) == 0


# ---- laws as arms --------------------------------------------------------------------
LAWS = [
    Sample([0.1, 0.3]),
    Sample([0, 0.2, 1], probs=[0.5, 0.4, 0.1]),
    stats.beta(2, 8),
    stats.uniform(0, 0.36),
    stats.bernoulli(0.18),
    0.2,
]


def test_bounds_of_laws_are_sums_over_kinf():
    """And for d, of the means: what ε-TS achieves does not depend on more."""
    means = [stats.beta(5, 5), *LAWS, 0.45]
    mus = [0.5, 0.2, 0.18, 0.2, 0.18, 0.18, 0.2, 0.45]
    gap = hinge(0.2)
    lower = sum(gap(round(0.5 - m, 2)) / law_kinf(a, 0.7) for a, m in zip(LAWS, mus[1:]))
    strict = sum(gap(round(0.5 - m, 2)) / law_kinf(a, 0.5) for a, m in zip(LAWS, mus[1:]))
    assert B.lower_bound(means, 0.2, gap) == pytest.approx(lower, rel=1e-12)
    assert B.standard_bound(means, gap) == pytest.approx(strict, rel=1e-12)
    for bound in (B.upper_bound, B.loose_upper_bound):
        assert bound(means, 0.2, gap) == bound(mus, 0.2, gap)
    bernoulli = 4 * 0.8 * B.lower_bound(mus, 0.2, gap)
    assert B.loose_upper_bound(means, 0.2, gap) == pytest.approx(bernoulli)


@pytest.mark.parametrize("eps", [0, 0.1, 0.25])
@pytest.mark.parametrize("law", LAWS[:4], ids=describe)
def test_laws_have_a_lower_bound_below_that_of_coins(law, eps):
    """K_inf is above d of the mean for every law that is no coin; the same if it is one."""
    gap, mean = indicator(eps), float(law.mean())
    ours, coins = (B.lower_bound([0.6, arm], eps, gap) for arm in (law, mean))
    assert 0 < ours < coins * (1 - 1e-3)
    assert B.standard_bound([0.6, law], gap) < B.standard_bound([0.6, mean], gap)
    coin = Sample([0, 1], probs=[1 - mean, mean])
    assert B.lower_bound([0.6, coin], eps, gap) == pytest.approx(coins, rel=1e-12)


def test_the_gap_of_a_law_is_read_as_a_decimal():
    """0.9 − 0.7 is 0.2, also where 0.7 is the mean of a law."""
    law = Sample([0.6, 0.8])
    assert B.lower_bound([0.9, law], 0.2, indicator(0.2)) == 0
    assert B.lower_bound([stats.beta(1, 1), Sample([0.3])], 0.2, indicator(0.2)) == 0
    assert B.lower_bound([0.5, Sample([0.29])], 0.2, indicator(0.2)) > 0
    assert B.lower_bound([stats.beta(8, 2), law, 0.1], 0.2, indicator(0.2)) == 0  # 0.8 + 0.2


# ---- which gap function goes with which ε --------------------------------------------
EVERY = [B.lower_bound, B.upper_bound, B.loose_upper_bound]
WITHIN = "gap must cost nothing up to eps = 0.2, .* got {}.* with gap.eps = {}, which charges"


@pytest.mark.parametrize("bound", EVERY)
@pytest.mark.parametrize(
    "gap, named, eps",
    [
        (standard(), "standard", "0"),
        (hinge(0.1), "hinge", "0.1"),
        (cutoff(0.1), "cut", "0.1"),
    ],
)
def test_a_cost_that_the_bound_would_leave_out_is_refused(bound, gap, named, eps):
    with pytest.raises(ValueError, match=WITHIN.format(named, eps)):
        bound([0.5, 0.1, 0.36], 0.2, gap)
    with pytest.raises(ValueError, match="for arm 1, 0.2 below the best"):
        bound([0.9, 0.7, 0.1], 0.2, gap)  # the gap is ε
    with pytest.raises(ValueError, match=WITHIN.format(named, eps)):
        bound([0.5, 0.1, Sample([0.36])], 0.2, gap)
    # Where nothing is left out it is that of an ε-gap function with the same costs.
    as_cutoff = gap_function(lambda x: gap(x) * (x > 0.2), 0.2, "the same beyond")
    assert bound([0.5, 0.1, 0.5], 0.2, gap) == bound([0.5, 0.1, 0.5], 0.2, as_cutoff) > 0


def test_what_gap_functions_claim_is_checked_where_it_counts():
    liar = GapFunction("liar", 0.2, "Δ", abs)
    for bound in EVERY:
        with pytest.raises(ValueError, match="gap must cost nothing up to eps = 0.2"):
            bound([0.5, 0.1, 0.4], 0.2, liar)
    with pytest.raises(ValueError, match="gap must cost nothing up to eps = 0.2"):
        B.standard_bound([0.5, 0.1, 0.4], liar)
    for wrong in (-1.0, float("nan"), float("inf")):
        odd = GapFunction("odd", 0.2, "?", lambda gap: wrong if gap > 0.2 else 0)
        with pytest.raises(ValueError, match="gap must give costs of at least 0, got"):
            B.upper_bound([0.5, 0.1], 0.2, odd)


def test_a_more_lenient_gap_function_has_no_lower_bound_for_eps():
    for gap in (hinge(0.3), indicator(0.21), cutoff(0.9)):
        with pytest.raises(ValueError, match=f"gap.eps at most 0.2, .* gap.eps = {gap.eps}"):
            B.lower_bound([0.75, 0.2], 0.2, gap)


def test_a_more_lenient_gap_function_has_upper_bounds():
    """Fewer costs of the same plays: they are those of an ε-gap function, or less."""
    means = [0.5, 0.25, 0.1]
    for bound in EVERY[1:]:
        plays = bound([0.5, 0.1], 0.2, indicator(0.2))
        assert bound(means, 0.2, indicator(0.3)) == plays < bound(means, 0.2, indicator(0.2))
        assert bound(means, 0.2, indicator(0.45)) == 0


def test_eps_are_compared_as_decimals():
    for same in (np.float32(0.3), Decimal("0.3"), Fraction(3, 10), 0.1 + 0.2, 3 * 0.1):
        for bound in EVERY:
            expected = bound([0.6, 0.3, 0.1], 0.3, hinge(0.3))
            assert bound([0.6, 0.3, 0.1], same, hinge(0.3)) == expected > 0
            assert bound([0.6, 0.3, 0.1], 0.3, hinge(same)) == expected
    with pytest.raises(ValueError, match="gap.eps at most 0.3"):
        B.lower_bound([0.6, 0.1], 0.3, hinge(0.300001))


@pytest.mark.parametrize(
    "call, message",
    [
        (lambda: B.lower_bound((0.5, 0.2), 1.2, hinge(0.2)), "eps must be a number in"),
        (lambda: B.upper_bound((0.5, 1.2), 0.2, hinge(0.2)), "means must be numbers in"),
        (lambda: B.loose_upper_bound((), 0.2, hinge(0.2)), "means must list at least one"),
        (lambda: B.standard_bound((0.5, 0.2), 0.2), "gap must be a gap function such as"),
        (lambda: B.upper_bound((0.5, 0.2), 0.2, max), "gap must be a gap function such as"),
        (
            lambda: B.upper_bound((0.5, stats.norm()), 0.2, hinge(0.2)),
            "means .* for arm 1",
        ),
        (lambda: B.upper_bound((stats.beta, 0.2), 0.2, hinge(0.2)), "means .* for arm 0"),
        (lambda: B.upper_bound((stats.beta(1, 1), 2), 0.2, hinge(0.2)), "means .* for arm 1"),
    ],
)
def test_bad_input_is_named(call, message):
    with pytest.raises(ValueError, match=message):
        call()


@pytest.mark.parametrize("means", [[True, False], [np.array(0.5), 0.2], [10**400], [0.5, 1j]])
def test_what_is_no_mean_is_named(means):
    with pytest.raises(ValueError, match="means must be .*numbers in"):
        B.lower_bound(means, 0.2, hinge(0.2))
    with pytest.raises(ValueError, match="mu1 must be in"):
        B.tail_exponent(means, 0.2, 0.2)
