"""Clear errors for bad input, raised before any work starts."""

from numbers import Integral

import numpy as np

from lenient.exact import decimal


def check_eps(eps):
    """Return ε unchanged if it is a number in [0, 1)."""
    try:
        accepted = 0 <= decimal(eps) < 1
    except (ValueError, TypeError):  # not a number, NaN, infinite, an array
        accepted = False
    if not accepted:
        raise ValueError(f"eps must be a number in [0, 1), got {eps!r}")
    return eps


def check_means(means):
    """Return the means as a float array if there is at least one, all in [0, 1].

    Numbers are read as decimals, see `lenient.exact`.
    """
    try:
        array = np.asarray(means, dtype=float)
    except (ValueError, TypeError):
        raise ValueError(f"means must be a list of numbers in [0, 1], got {means!r}") from None
    if array.ndim != 1 or array.size == 0:
        raise ValueError(f"means must list at least one arm, got {means!r}")
    outside = ~((0 <= array) & (array <= 1))  # written so that NaN counts as outside
    if outside.any():
        arm = int(np.argmax(outside))
        raise ValueError(f"means must be numbers in [0, 1], got {array[arm]} for arm {arm}")
    return np.array([float(decimal(mean)) for mean in means])


def check_count(name, value):
    """Return a whole number of at least 1 as an int."""
    whole = isinstance(value, Integral) or (isinstance(value, float) and value.is_integer())
    if not whole or isinstance(value, bool) or value < 1:
        raise ValueError(f"{name} must be a whole number of at least 1, got {value!r}")
    return int(value)
