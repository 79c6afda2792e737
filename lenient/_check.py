"""Clear errors for bad input, raised before any work starts."""

import warnings
from numbers import Integral
from reprlib import Repr
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lenient.exact import decimal

_SHORT = Repr()
_SHORT.maxother = _SHORT.maxstring = _SHORT.maxlong = 200


def shown(value: Any) -> str:
    """repr(value) for a message: short, and without fail."""
    try:
        return _SHORT.repr(value)
    except ValueError:  # a whole number of more digits than Python prints
        return f"a {type(value).__name__} too long to show"


def floats(value: Any) -> NDArray[np.float64]:
    """An array of floats; ValueError for what is none, in whatever way.

    Not for what NumPy would make one of with a warning only: complex numbers, hidden entries.
    """
    array = type(value) is np.ndarray and value.dtype.kind in "fiub" and value.itemsize <= 8
    if array or isinstance(value, float):  # the rest is too slow for every round of a policy
        return np.asarray(value, dtype=float)
    if np.ma.is_masked(value):
        raise ValueError("a hidden entry")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            return np.asarray(value, dtype=float)
    except (ValueError, TypeError, OverflowError, Warning) as error:
        raise ValueError(str(error)) from None


def check_eps(eps: Any) -> Any:
    """Return ε unchanged if it is a number in [0, 1)."""
    try:
        accepted = not isinstance(eps, str) and bool(0 <= decimal(eps) < 1)
    except (ValueError, TypeError, OverflowError):  # no number, NaN, infinite, an array
        accepted = False
    if not accepted:
        raise ValueError(f"eps must be a number in [0, 1), got {shown(eps)}")
    return eps


def check_means(means: Any) -> NDArray[np.float64]:
    """Return the means as a float array if there is at least one, all in [0, 1].

    Numbers are read as decimals, see `lenient.exact`.
    """
    accepted = "means must be a list of numbers in [0, 1], got"
    try:
        array = floats(means)
    except ValueError:
        raise ValueError(f"{accepted} {shown(means)}") from None
    if array.ndim != 1 or array.size == 0:
        raise ValueError(f"means must list at least one arm, got {shown(means)}")
    outside = ~((0 <= array) & (array <= 1))  # written so that NaN counts as outside
    if outside.any():
        arm = int(np.argmax(outside))
        raise ValueError(f"means must be numbers in [0, 1], got {array[arm]} for arm {arm}")
    try:
        return np.array([float(decimal(mean)) for mean in means])
    except (ValueError, TypeError):  # what NumPy takes for numbers: True, a hidden entry
        raise ValueError(f"{accepted} {shown(means)}") from None


def check_count(name: str, value: Any) -> int:
    """Return a whole number of at least 1 as an int."""
    whole = isinstance(value, Integral) or (isinstance(value, float) and value.is_integer())
    other = isinstance(value, (bool, np.timedelta64))  # which say that they are whole
    if other or not whole or value < 1:
        raise ValueError(f"{name} must be a whole number of at least 1, got {shown(value)}")
    return int(value)


def check_flag(name: str, value: Any) -> None:
    """Only True and False."""
    if not isinstance(value, (bool, np.bool_)):
        raise ValueError(f"{name} must be True or False, got {shown(value)}")


def check_array(
    name: str, value: Any, low: float, high: float, accepted: str
) -> NDArray[np.float64]:
    """value as an array of floats, all of them in [low, high] (so none is NaN)."""
    try:
        array = floats(value)
    except ValueError:
        array = None
    if array is None or value is None:
        raise ValueError(f"{name} must be {accepted}, got {shown(value)}")
    wrong = ~((array >= low) & (array <= high))
    if wrong.any():
        raise ValueError(f"{name} must be {accepted}, got {array[wrong][0]}")
    return array + 0.0  # −0.0 would turn signs of what is divided by it
