"""Statements about decimals that floats get wrong."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lenient import indicator
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


@pytest.mark.parametrize(
    "computed, meant",
    [(0.1 * 7, "0.7"), (1 - 0.9, "0.1"), (np.float32(0.7), "0.7"), (np.float16(0.3), "0.3")],
)
def test_what_was_computed_is_read_as_it_was_meant(computed, meant):
    assert decimal(computed) == Fraction(meant)


def test_what_is_below_one_stays_below():
    assert decimal(np.nextafter(1, 0)) < 1


def test_a_gap_of_computed_means_is_not_charged():
    computed = [0.1 * 3, 0.1], np.array([0.9, 0.7], np.float32), np.linspace(0, 1, 11)[[8, 6]]
    for means in computed:
        assert indicator(0.2).costs(means).tolist() == [0, 0]


def test_eps_is_read_to_eighteen_places():
    assert ceiling(1e-5 / 3) == 1 - Fraction(3333333333333, 10**18)
    assert ceiling(1e-20) == 1
