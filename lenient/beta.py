"""Beta laws with counts up to 10^15, compiled: what all parts of the leap engine use."""

import inspect
import math
import sys
import zlib

import numpy as np
from numba import njit

# What was compiled is kept beside the engine's files or in the user's cache. Where neither
# may be written, it is compiled in each session.
try:
    KEPT = True
    njit(cache=KEPT)(lambda: None)
except RuntimeError:
    KEPT = False


def version_of(*modules):
    """A number that changes with the text of these modules, given by their names.

    Numba looks only at the file of the function that it keeps, and would go on using what
    it has compiled of other files before they were changed. But a number from around a
    function is part of what it is kept by.
    """
    text = "".join(inspect.getsource(sys.modules[name]) for name in modules)
    return zlib.crc32(text.encode())


@njit
def moments(alpha, beta):
    """Mean and standard deviation of Beta(α, β)."""
    n = alpha + beta
    mean = alpha / n
    return mean, math.sqrt(mean * (beta / n) / (n + 1))


@njit
def log_slope(x, alpha, beta):
    """The derivative of the log-density of Beta(α, β)."""
    return (alpha - 1) / x - (beta - 1) / (1 - x)


@njit
def log_density(x, alpha, beta):
    """The log-density of Beta(α, β), by Loader's saddle-point form of the binomial law.

    Differences of log-gamma functions would lose 1e-6 and more from 10^9 on.
    """
    wins, losses = alpha - 1, beta - 1
    n = wins + losses
    if wins == 0:
        return math.log(n + 1) + losses * math.log1p(-x)
    if losses == 0:
        return math.log(n + 1) + wins * math.log(x)
    scale = math.log((n + 1) * (n + 1) * n / (2 * math.pi * wins * losses)) / 2
    error = _stirling_error(n) - _stirling_error(wins) - _stirling_error(losses)
    return scale + error - deviance(wins, n * x) - deviance(losses, n * (1 - x))


@njit
def deviance(count, expected):
    """count·ln(count/expected) + expected − count, without cancellation."""
    d = (count - expected) / expected
    return expected * ((1 + d) * math.log1p(d) - d)


_SMALL = np.array(
    [0.0]
    + [
        math.lgamma(n + 1) - (n + 0.5) * math.log(n) + n - math.log(2 * math.pi) / 2
        for n in range(1, 16)
    ]
)


@njit
def _stirling_error(n):
    """ln n! minus Stirling's formula for it."""
    if n < _SMALL.size:
        return _SMALL[int(n)]
    s = 1 / (n * n)
    return (1 / 12 - s * (1 / 360 - s * (1 / 1260 - s * (1 / 1680 - s / 1188)))) / n
