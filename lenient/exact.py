"""ε, means and counts as the decimals that were written, without a float's slip.

⌊S/(1−ε)⌋, S/N > 1−ε and Δ > ε are statements about rationals that floats get wrong for some
ε: with ε = 0.7, 3/(1−ε) is 9.999999999999998, and 0.9 − 0.7 > 0.2. With 1−ε = p/q the first
two are about integers, and gaps are differences of decimals.

A float stands for the decimal of 15 digits next to it (7 for a `float32`), so that numbers
that were computed, such as `0.1 * 7` or those of `linspace`, are read as they were meant.
Whole numbers, fractions and decimals are taken as they are. ε is read to 18 places.
"""

from fractions import Fraction
from functools import lru_cache

import numpy as np

DIGITS = {np.float32: 7, np.float16: 3}  # that a float remembers; all others 15
PLACES = 10**18  # so that 1−ε is a fraction of whole numbers of 64 bits


@lru_cache(typed=True)  # a policy asks for its ε in every round
def decimal(number):
    """The number as the decimal its writer saw: 0.1 is 1/10, not 0.1000…055."""
    if isinstance(number, (float, np.floating)):
        read = f"{number:.{DIGITS.get(type(number), 15)}g}"
        if not float(read) == 1 > number:  # what is below 1 stays there
            number = read
    return Fraction(str(number))


def ceiling(eps):
    """1−ε as an exact fraction."""
    exact = 1 - decimal(eps)
    if exact.denominator > PLACES:
        exact = Fraction(round(exact * PLACES), PLACES)
    return exact


def one_minus(eps):
    """The double nearest to 1−ε, also for an array of ε.

    0.3 for ε = 0.7, although 1 - 0.7 gives 0.30000000000000004 in doubles.
    """
    if np.ndim(eps):
        return np.array([one_minus(e) for e in eps], dtype=float)
    return float(ceiling(eps))


def gaps_between(means):
    """Δ = μ* − μ for each of the means."""
    exact = [decimal(mean) for mean in means]
    best = max(exact)
    return np.array([float(best - mean) for mean in exact])


def floor_ratio(count, ratio: Fraction):
    """⌊count / ratio⌋, exactly."""
    p, q = ratio.as_integer_ratio()
    return np.asarray(_product(count, q) // p, dtype=np.int64)


def exceeds(count, ratio: Fraction, total):
    """Is count > ratio·total? Exactly."""
    p, q = ratio.as_integer_ratio()
    return _product(count, q) > _product(total, p)


def _product(count, factor):
    """count·factor, in Python's unlimited integers where 64 bits would not do."""
    count = np.asarray(count)
    fits = max(int(count.max()), 1) * factor < 2**63
    return count * factor if fits else count.astype(object) * factor
