"""Statements about decimals that floats get wrong."""

from fractions import Fraction

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from lenient.exact import ceiling, decimal, exceeds, floor_ratio, gaps_between, one_minus


def test_a_number_is_the_decimal_that_was_written():
    assert decimal(0.1) == decimal("0.1") == decimal(np.float64(0.1)) == Fraction(1, 10)
    assert decimal(1) == 1


@settings(deadline=None)
@given(st.integers(1, 15), st.integers(0, 10**15 - 1))
def test_one_minus_is_the_nearest_double(digits, k):
    # Up to 15 digits a double remembers the decimal it was read from.
    unit, k = 10**digits, k % 10**digits
    assert one_minus(float(f"{k}e-{digits}")) == float(f"{unit - k}e-{digits}")


def test_one_minus_where_floats_go_wrong():
    assert one_minus(0.7) == 0.3 != 1 - 0.7
    assert one_minus(0.9) == 0.1 != 1 - 0.9
    assert one_minus(np.float64(0.7)) == one_minus(Fraction(7, 10)) == 0.3
    assert one_minus([[0, 0.7], [0.9, 0.8]]).tolist() == [[1, 0.3], [0.1, 0.2]]


def test_ceiling_is_a_fraction():
    assert [ceiling(eps) for eps in (0, 0.7, "0.25")] == [1, Fraction(3, 10), Fraction(3, 4)]


def test_gaps_are_differences_of_decimals():
    assert gaps_between([0.9, 0.7, 0.9, 0.6]).tolist() == [0, 0.2, 0, 0.3]
    assert 0.9 - 0.7 > 0.2  # what floats say


@given(
    count=st.integers(0, 10**12),
    total=st.integers(0, 10**12),
    eps=st.floats(0, 0.999999),
)
def test_exact_where_64_bits_overflow(count, total, eps):
    ratio = 1 - Fraction(str(eps))
    assert floor_ratio(count, ratio) == count / ratio // 1
    assert exceeds(count, ratio, total) == (count > ratio * total)
