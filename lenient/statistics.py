"""Many runs in a few numbers: their mean and how sure it is, their quantiles, their tail.

Runs are independent, but their regrets may have a heavy tail: most are small, a few are a
hundred times larger. Then the normal law's "mean ± 2 standard errors" misses the true mean
too often, nearly always because that is higher. `interval` takes the skew into account.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from lenient._check import check_array, floats, shown

RESAMPLES = 1000
MOST_BATCHES = 5000  # more runs than this are first averaged in batches
QUANTILES = (0.05, 0.25, 0.5, 0.75, 0.95)


class Summary(NamedTuple):
    """The law of a number over many runs.

    mean, std, percentile99, max
        of the runs; `std` with n − 1 in the denominator
    standard_error
        of the mean, std/√n
    median
        half of the runs are below
    quantiles
        {level: quantile} for the levels of `lenient.statistics.QUANTILES`
    interval
        of 95 % confidence for the mean, see `interval`

    Examples
    --------
    >>> regret = summarize(np.array([0.0, 1.0, 1.0, 2.0, 6.0]))
    >>> regret.mean, regret.median, regret.max, regret.quantiles[0.75]
    (2.0, 1.0, 6.0, 2.0)

    In the book: chapters 1 and 2.
    """

    mean: float
    std: float
    percentile99: float
    max: float
    standard_error: float
    median: float
    quantiles: dict[float, float]
    interval: tuple[float, float]


class Curve(NamedTuple):
    """The mean of many runs over time, with one standard error.

    times, mean, standard_error
        arrays of one length

    Examples
    --------
    Two runs, seen after 10 and after 20 rounds:

    >>> times, mean, error = curve(np.array([10, 20]), np.array([[0.0, 1.0], [2.0, 5.0]]))
    >>> mean.tolist(), error.tolist()
    ([1.0, 3.0], [1.0, 2.0])

    In the book: chapters 1 and 8.
    """

    times: NDArray[np.int64]
    mean: NDArray[np.float64]
    standard_error: NDArray[np.float64]


class Tail(NamedTuple):
    """P(R ≥ r), as the share of runs.

    values
        the different values r that were seen, in increasing order
    chance
        the share of runs with R ≥ r
    standard_error
        of that share

    Examples
    --------
    >>> seen = tail(np.array([0.0, 1.0, 1.0, 4.0]))
    >>> seen.values.tolist(), seen.chance.tolist()
    ([0.0, 1.0, 4.0], [1.0, 0.75, 0.25])

    In the book: chapters 1 and 8, and the recipes.
    """

    values: NDArray[np.float64]
    chance: NDArray[np.float64]
    standard_error: NDArray[np.float64]

    def at_least(self, r: ArrayLike) -> NDArray[np.float64]:
        """The share of runs with R ≥ r, for any r.

        Parameters
        ----------
        r : float or array_like
            Also values that no run had.

        Returns
        -------
        ndarray

        Examples
        --------
        >>> tail(np.array([0.0, 1.0, 1.0, 4.0])).at_least([0.5, 1, 2, 9]).tolist()
        [0.75, 0.75, 0.25, 0.0]
        """
        at = check_array("r", r, -np.inf, np.inf, "a number")
        chance = np.append(self.chance, 0.0)
        return chance[np.searchsorted(self.values, at, side="left")]


def summarize(sample: NDArray[np.float64]) -> Summary:
    """The law of a number over runs, of which `sample` holds one each."""
    std = float(sample.std(ddof=1)) if sample.size > 1 else np.nan
    levels = np.quantile(sample, QUANTILES)
    return Summary(
        mean=float(sample.mean()),
        std=std,
        percentile99=float(np.percentile(sample, 99)),
        max=float(sample.max()),
        standard_error=std / float(np.sqrt(sample.size)),
        median=float(np.median(sample)),
        quantiles={level: float(value) for level, value in zip(QUANTILES, levels)},
        interval=interval(sample),
    )


def curve(times: NDArray[np.int64], samples: NDArray[np.float64]) -> Curve:
    """The mean over runs (rows) at each of the times (columns)."""
    runs = len(samples)
    error = samples.std(axis=0, ddof=1) / np.sqrt(runs) if runs > 1 else samples[0] * np.nan
    return Curve(times, samples.mean(axis=0), error)


def tail(sample: NDArray[np.float64]) -> Tail:
    """P(R ≥ r) at every r that was seen."""
    values, counts = np.unique(sample, return_counts=True)
    chance = counts[::-1].cumsum()[::-1] / sample.size
    return Tail(values, chance, np.sqrt(chance * (1 - chance) / sample.size))


def interval(sample: ArrayLike, level: float = 0.95) -> tuple[float, float]:
    """A confidence interval for the mean of the law that the sample comes from.

    It is the bootstrap-t interval: the sample is drawn again from itself, 1000 times, to see
    how the error of a mean *in units of its own standard error* is distributed, which for a
    skewed law is far from normal. (More than 5000 numbers are first averaged in batches.) On
    samples of 30 to 5000 regrets of TS and ε-TS, an interval of 95 % held the true mean in 88
    to 95 % of the cases, mean ± 1.96 standard errors in 73 to 95 %. No interval can know
    of a tail of which the sample shows nothing; where all numbers are the same, it is a
    point. The draws have a fixed seed.

    Parameters
    ----------
    sample
        Independent numbers, at least two; of one alone nothing is known: (nan, nan).
    level
        The confidence, between 0 and 1.

    Returns
    -------
    tuple
        The two ends.

    Examples
    --------
    >>> low, high = interval([0, 0, 0, 1, 0, 0, 0, 0, 9, 0])
    >>> print(f"{low:.1f} to {high:.1f}")  # the mean is 1, its standard error 0.9
    -0.2 to 4.2

    In the book: the recipes; why the usual interval fails is in chapters 10 and 12.
    """
    try:
        numbers = floats(sample)
    except ValueError:
        numbers = np.empty(0)
    if numbers.ndim != 1 or numbers.size == 0 or not np.isfinite(numbers).all():
        raise ValueError(f"sample must be a list of numbers, got {shown(sample)}")
    confidence = check_array("level", level, 0, 1, "a number between 0 and 1")
    if confidence.ndim or confidence in (0, 1):
        raise ValueError(f"level must be a number between 0 and 1, got {shown(level)}")
    if numbers.size == 1:
        return np.nan, np.nan
    # In units of a power of 2, which costs no digit, no square is too large or too small.
    unit = np.frexp(np.abs(numbers).max())[1]
    numbers = np.ldexp(numbers, -unit)
    size = -(-numbers.size // MOST_BATCHES)
    means = numbers[: numbers.size // size * size].reshape(-1, size).mean(axis=1)
    values, counts = np.unique(means, return_counts=True)
    center, spread = numbers.mean(), means.std()
    if spread == 0:
        return float(np.ldexp(center, unit)), float(np.ldexp(center, unit))
    away = values - means.mean()  # small numbers: no cancellation in the variance
    weights = np.random.default_rng(0).multinomial(
        means.size, counts / means.size, size=RESAMPLES
    )
    shift = weights @ away / means.size
    variance = weights @ away**2 / means.size - shift**2
    # A draw without any of the rare values has next to no spread: it is given some.
    errors = shift / np.sqrt(np.maximum(variance, spread**2 / means.size))
    low, high = np.quantile(errors, [(1 - confidence) / 2, (1 + confidence) / 2])
    with np.errstate(over="ignore"):  # to inf, from numbers next to the largest float
        ends = np.ldexp([center - high * spread, center - low * spread], unit)
    return float(ends[0]), float(ends[1])
