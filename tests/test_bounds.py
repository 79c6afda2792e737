"""The asymptotic bounds against formulas typed anew in mpmath."""

from fractions import Fraction

import mpmath as mp
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.many_digits import close, d, exact

from lenient import bounds as B
from lenient.gaps import cutoff, hinge, indicator, standard

hundredths = st.integers(0, 100).map(lambda n: n / 100)


@pytest.mark.parametrize("gap", [hinge(0.2), indicator(0.2), cutoff(0.2), standard()])
def test_asymptotic_bounds_are_the_formulas(gap):
    means, eps = [0.2, 0.5, 0.05, 0.45, 0.0], mp.mpf("0.2")
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
    if gap.eps:  # else arm 0.45 counts too
        assert close(B.standard_bound(means, gap), standard_)
    else:
        arm = gap(0.05) / d(mp.mpf("0.45"), mp.mpf("0.5"))
        assert close(B.standard_bound(means, gap), standard_ + arm)
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


@pytest.mark.parametrize(
    "call, message",
    [
        (lambda: B.lower_bound((0.5, 0.2), 1.2, hinge(0.2)), "eps must be a number in"),
        (lambda: B.upper_bound((0.5, 1.2), 0.2, hinge(0.2)), "means must be numbers in"),
        (lambda: B.loose_upper_bound((), 0.2, hinge(0.2)), "means must list at least one"),
        (lambda: B.standard_bound((0.5, 0.2), 0.2), "gap must be a gap function such as"),
        (lambda: B.upper_bound((0.5, 0.2), 0.2, max), "gap must be a gap function such as"),
    ],
)
def test_bad_input_is_named(call, message):
    with pytest.raises(ValueError, match=message):
        call()
