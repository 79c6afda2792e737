"""Numbers of many digits for the tests of bounds."""

from fractions import Fraction

import mpmath as mp

mp.mp.dps = 40


def exact(x):
    """The decimal that was written, at full precision."""
    fraction = Fraction(str(x))
    return mp.mpf(fraction.numerator) / fraction.denominator


def d(p, q):
    p, q = mp.mpf(p), mp.mpf(q)
    if q >= 1 or q <= 0:
        return mp.mpf(0) if p == q else mp.inf
    left = p * mp.log(p / q) if p else mp.mpf(0)
    return left + ((1 - p) * mp.log((1 - p) / (1 - q)) if p < 1 else 0)


def close(value, wanted, rel=1e-12):
    return abs(mp.mpf(value) - wanted) <= rel * max(1, abs(wanted))
