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
from typing import Any

import numpy as np
from numpy.typing import NDArray

DIGITS = {np.float32: 7, np.float16: 3}  # that a float remembers; all others 15
PLACES = 10**18  # so that 1−ε is a fraction of whole numbers of 64 bits


@lru_cache(typed=True)  # a policy asks for its ε in every round
def decimal(number: Any) -> Fraction:
    """The number as the decimal its writer saw: 0.1 is 1/10, not 0.1000…055.

    Parameters
    ----------
    number : float, int, Fraction or Decimal
        A float is read to 15 digits, a `float32` to 7.

    Returns
    -------
    Fraction

    Examples
    --------
    >>> decimal(0.1), decimal(0.1 * 7)
    (Fraction(1, 10), Fraction(7, 10))
    """
    if isinstance(number, (float, np.floating)):
        read = f"{number:.{DIGITS.get(type(number), 15)}g}"
        if not float(read) == 1 > number:  # what is below 1 stays there
            number = read
    return Fraction(str(number))


def ceiling(eps: Any) -> Fraction:
    """1−ε as an exact fraction.

    Parameters
    ----------
    eps : float
        ε, in [0, 1).

    Returns
    -------
    Fraction

    Examples
    --------
    >>> ceiling(0.7)
    Fraction(3, 10)
    """
    return in_places(1 - decimal(eps))


def in_places(exact: Fraction) -> Fraction:
    """A positive fraction to 18 places, and never 0.

    Parameters
    ----------
    exact : Fraction
        In (0, 1].

    Returns
    -------
    Fraction

    Examples
    --------
    >>> in_places(Fraction(2, 5)), in_places(Fraction(1, 10**300))
    (Fraction(2, 5), Fraction(1, 1000000000000000000))
    """
    if exact.denominator > PLACES:
        exact = Fraction(max(round(exact * PLACES), 1), PLACES)
    return exact


def one_minus(eps: Any) -> Any:
    """The double nearest to 1−ε, also for an array of ε.

    Parameters
    ----------
    eps : float or array_like
        ε, in [0, 1).

    Returns
    -------
    float or ndarray

    Examples
    --------
    >>> one_minus(0.7), 1 - 0.7
    (0.3, 0.30000000000000004)
    """
    if np.ndim(eps):
        return np.array([one_minus(e) for e in eps], dtype=float)
    return float(ceiling(eps))


def gaps_between(means: Any) -> NDArray[np.float64]:
    """Δ = μ* − μ for each of the means.

    Parameters
    ----------
    means : list of numbers

    Returns
    -------
    ndarray

    Examples
    --------
    >>> gaps_between([0.9, 0.7]).tolist()
    [0.0, 0.2]
    """
    exact = [decimal(mean) for mean in means]
    best = max(exact)
    return np.array([float(best - mean) for mean in exact])


def floor_ratio(count: Any, ratio: Fraction) -> NDArray[np.int64]:
    """⌊count / ratio⌋, exactly; 2⁶² stands for all that is more.

    Parameters
    ----------
    count : int or ndarray of int
        Not negative.
    ratio : Fraction
        Positive.

    Returns
    -------
    ndarray of int

    Examples
    --------
    >>> int(floor_ratio(3, Fraction(3, 10))), int(3 / (1 - 0.7))
    (10, 9)
    """
    p, q = ratio.as_integer_ratio()
    ratios = np.asarray(_product(count, q) // p)
    if ratios.dtype == object:
        ratios = np.minimum(ratios, np.array(2**62, dtype=object))
    return np.asarray(ratios, dtype=np.int64)


def exceeds(count: Any, ratio: Fraction, total: Any) -> NDArray[np.bool_]:
    """Is count > ratio·total? Exactly.

    Parameters
    ----------
    count, total : int or ndarray of int
        Not negative.
    ratio : Fraction
        Positive.

    Returns
    -------
    bool or ndarray of bool

    Examples
    --------
    One win in ten pulls is not above 1 − 0.9, but floats say so:

    >>> bool(exceeds(1, ceiling(0.9), 10)), 1 / 10 > 1 - 0.9
    (False, True)
    """
    p, q = ratio.as_integer_ratio()
    return _product(count, q) > _product(total, p)


def _product(count: Any, factor: int) -> NDArray:
    """count·factor, in Python's unlimited integers where 64 bits would not do."""
    count = np.asarray(count)
    fits = max(int(count.max()), 1) * factor < 2**63
    return count.astype(np.int64 if fits else object) * factor
