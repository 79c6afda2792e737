"""Arms with rewards anywhere in [0, 1]: laws of `scipy.stats`, samples, and their K_inf.

An arm is a number, the mean of rewards 0 and 1, or a law: an object that knows its
`mean()`, its `support()` and how to draw (`rvs` or `sample`), such as `scipy.stats.beta(9, 1)`,
a law of the newer kind in `scipy.stats`, or a `Sample`.
"""

import re
from collections.abc import Iterable
from math import fsum
from typing import Any, Protocol, runtime_checkable
from zlib import crc32

import numpy as np
from numpy.typing import ArrayLike, NDArray

from lenient._check import check_array, check_means, shown
from lenient.divergence import check_law, kinf, kl
from lenient.exact import decimal

ROUNDING = 1e-12  # by which scipy may miss the ends of a support, as of truncnorm
LONGEST_LIST = 8  # of numbers in a text


@runtime_checkable
class Law(Protocol):
    """What every law of rewards can say of itself; it also has `rvs` or `sample`."""

    def mean(self) -> float: ...

    def support(self) -> tuple[float, float]: ...


class Sample:
    """A law on finitely many numbers in [0, 1], such as observed rewards, as an arm.

    A draw is one of `values`, with chances `probs`. What was observed of a slot machine, a
    restaurant or a page can so be played again: the arm is its empirical law.

    Parameters
    ----------
    values : array_like
        The possible rewards, numbers in [0, 1]. They may repeat.
    probs : array_like, optional
        The probability of each value, with sum 1. Without it all have the same, as the
        rewards of a sample have.

    Attributes
    ----------
    values, probs : ndarray
        As given, flat and read-only.

    Examples
    --------
    >>> ratings = Sample([0.2, 0.9, 1.0, 0.9])
    >>> ratings.mean(), ratings.support()
    (0.75, (0.2, 1.0))
    >>> Sample([0, 1], probs=[0.3, 0.7])
    Sample([0, 1], probs=[0.3, 0.7])

    It stands among the arms like any other:

    >>> import lenient
    >>> run = lenient.simulate([ratings, 0.5], lenient.TS(), horizon=100, runs=3, seed=1)
    >>> run.means.tolist()
    [0.75, 0.5]

    In the book: chapter 4, on random rounding, and the recipes.
    """

    values: NDArray[np.float64]
    probs: NDArray[np.float64]
    _cumulated: NDArray[np.float64]
    _mean: float
    _support: tuple[float, float]

    def __init__(self, values: ArrayLike, probs: ArrayLike | None = None) -> None:
        numbers, weights = check_law(values, probs)
        weights = weights / fsum(weights)
        cumulated = np.cumsum(weights)
        possible = numbers[weights > 0]
        mean = fsum(numbers) / numbers.size if probs is None else fsum(weights * numbers)
        known: dict[str, Any] = {
            "values": numbers,
            "probs": weights,
            "_cumulated": cumulated / cumulated[-1],
            "_mean": float(decimal(mean)),
            "_support": (float(possible.min()), float(possible.max())),
        }
        for name, value in known.items():
            if isinstance(value, np.ndarray):
                value.flags.writeable = False
            object.__setattr__(self, name, value)

    def mean(self) -> float:
        """The mean reward, Σ probs · values.

        Returns
        -------
        float

        Examples
        --------
        >>> Sample([0.1, 0.2, 0.9]).mean()
        0.4
        """
        return self._mean

    def support(self) -> tuple[float, float]:
        """The smallest and the largest value of positive probability.

        Returns
        -------
        tuple of two floats

        Examples
        --------
        >>> Sample([0.1, 0.2, 0.9], probs=[0.5, 0.5, 0]).support()
        (0.1, 0.2)
        """
        return self._support

    def rvs(self, size: Any = None, random_state: Any = None) -> Any:
        """Draw rewards.

        Parameters
        ----------
        size : int or tuple of ints, optional
            How many, or the shape of the array of them. Without it, a single number.
        random_state : optional
            A NumPy generator, or what `numpy.random.default_rng` makes one of.

        Returns
        -------
        ndarray or float

        Examples
        --------
        >>> Sample([0.2, 0.9]).rvs(4, random_state=1).tolist()
        [0.9, 0.9, 0.2, 0.9]
        """
        try:
            if np.ndim(random_state) > 1:  # which would bring NumPy down
                raise ValueError
            rng = np.random.default_rng(random_state)
        except (TypeError, ValueError):
            raise ValueError(
                f"random_state must be a NumPy generator or a seed, got {shown(random_state)}"
            ) from None
        try:
            chance = rng.random(size)
        except (TypeError, ValueError, OverflowError, MemoryError):
            raise ValueError(
                f"size must be a whole number or a tuple of them, got {shown(size)}"
            ) from None
        return self.values[np.searchsorted(self._cumulated, chance, side="right")]

    def __setattr__(self, name: str, value: Any) -> None:
        raise AttributeError(f"a Sample does not change: make another one for other {name}")

    def __delattr__(self, name: str) -> None:
        raise AttributeError(f"a Sample does not change: {name} stays")

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Sample):
            return NotImplemented
        return self._key() == other._key()

    def __hash__(self) -> int:
        return hash(self._key())

    def __reduce__(self) -> tuple[type["Sample"], tuple[Any, ...]]:
        return Sample, (self.values, None if self._is_even() else self.probs)

    def __repr__(self) -> str:
        if self.values.size > LONGEST_LIST:
            (low, high), mark = self._support, crc32(b"".join(self._key()))
            return (
                f"Sample({self.values.size} values from {_text(low)} to {_text(high)}, "
                f"mean {self._mean:.4g}, checksum {mark:08x})"
            )
        probs = "" if self._is_even() else f", probs={_list(self.probs)}"
        return f"Sample({_list(self.values)}{probs})"

    def _key(self) -> tuple[bytes, bytes]:
        return self.values.tobytes(), self.probs.tobytes()

    def _is_even(self) -> bool:
        return bool((self.probs == self.probs[0]).all())


def is_law(arm: Any) -> bool:
    """Is the arm a law of rewards, and not the number that stands for a Bernoulli law?

    Parameters
    ----------
    arm : object
        An entry of a list of arms.

    Returns
    -------
    bool
        True for whatever can draw: it has `rvs`, as the older kind of `scipy.stats` laws
        and `Sample` do, or `sample`, as the newer kind does.

    Examples
    --------
    >>> is_law(Sample([0.2, 0.9])), is_law(0.55)
    (True, False)
    """
    return hasattr(arm, "rvs") or hasattr(arm, "sample")


def check_arms(means: Iterable[float | Law]) -> list[Any]:
    """Return the arms as a list of floats and laws, if all of them live on [0, 1].

    Parameters
    ----------
    means : list of numbers and laws
        Numbers are read as decimals, see `lenient.exact`.

    Returns
    -------
    list

    Examples
    --------
    >>> check_arms([0.1 * 7, Sample([1])])
    [0.7, Sample([1])]
    >>> check_arms([0.5, 1.5])
    Traceback (most recent call last):
        ...
    ValueError: means must be numbers in [0, 1], got 1.5 for arm 1
    """
    arms = np.asarray(means, dtype=object)
    if arms.ndim != 1 or not any(map(is_law, arms)):
        return check_means(means).tolist()
    for number, arm in enumerate(arms):
        if is_law(arm):
            _check_one_law("means", arm, f" for arm {number}")
    numbers = check_means([0.5 if is_law(arm) else arm for arm in arms]).tolist()
    return [arm if is_law(arm) else number for arm, number in zip(arms, numbers)]


def means_of(arms: Iterable[Any]) -> NDArray[np.float64]:
    """The mean of each arm of a list that `check_arms` has seen.

    Parameters
    ----------
    arms : list of floats and laws

    Returns
    -------
    ndarray of float

    Examples
    --------
    >>> means_of([0.5, Sample([0.2, 0.9])]).tolist()
    [0.5, 0.55]
    """
    return np.array([arm.mean() if is_law(arm) else arm for arm in arms], dtype=float)


def describe(arm: Any) -> str:
    """The arm as a short text, the same in every process.

    Parameters
    ----------
    arm : number or law

    Returns
    -------
    str

    Examples
    --------
    >>> describe(0.9)
    'Bernoulli(0.9)'
    >>> from scipy import stats
    >>> describe(stats.beta(9, 1)), describe(stats.uniform(loc=0.2, scale=0.5))
    ('beta(9, 1)', 'uniform(loc=0.2, scale=0.5)')
    >>> describe(Sample([0.2, 0.9]))
    'Sample([0.2, 0.9])'
    """
    if not is_law(arm):
        return f"Bernoulli({_text(decimal(arm))})"
    if (atoms := _listed_atoms(arm)) is not None and not isinstance(arm, Sample):
        return repr(Sample(*atoms))
    if hasattr(arm, "dist") and hasattr(arm, "args"):  # frozen, of the older kind
        given = [_text(value) for value in arm.args]
        given += [f"{name}={_text(value)}" for name, value in arm.kwds.items()]
        return f"{arm.dist.name or type(arm.dist).__name__}({', '.join(given)})"
    text = re.sub(r"np\.\w+\(([^()]*)\)", r"\1", repr(arm))  # np.float64(0.2) is 0.2
    if re.search(r" at 0x\w+", text):  # no name of its own, but an address
        low, high = arm.support()
        mean = _text(arm.mean())
        text = f"{type(arm).__name__} on [{_text(low)}, {_text(high)}] with mean {mean}"
    return " ".join(text.split())


def law_kinf(law: float | Law, x: ArrayLike) -> Any:
    """K_inf(ν, x) = inf {KL(ν, ν') : ν' on [0, 1] with mean above x}, of the law of an arm.

    How hard it is to tell ν from a law on [0, 1] whose mean exceeds x: what `kl` is for
    Bernoulli laws, and at least kl(mean of ν, x) for every other.

    Exact up to rounding, as `kinf` is, for a number and for finitely many rewards. A law
    with a density becomes such a law first, of a few thousand points, by Gauss' rule on
    panels that crowd at the ends of its support and wherever the density is not smooth.
    The relative error is then below 1e-10, unless x is closer to the mean or to 1 than
    1e-4 of the way between them.

    Parameters
    ----------
    law : number or law
        A number is the mean of a Bernoulli law. Laws are a `Sample`, a discrete law of
        `scipy.stats` with finite support, or one with a density, of both kinds.
    x : array_like
        Numbers, or one. The value is 0 up to the mean of the law and inf from 1 on.

    Returns
    -------
    float or ndarray
        Of the shape of x.

    Examples
    --------
    >>> from lenient import kl
    >>> float(law_kinf(0.5, 0.8)), float(kl(0.5, 0.8))
    (0.22314355131421001, 0.22314355131421001)

    A law with the same mean that varies less is told from a better one more easily:

    >>> from scipy import stats
    >>> laws = [0.5, stats.beta(0.5, 0.5), stats.uniform(), Sample([0.4, 0.6])]
    >>> [round(float(law_kinf(law, 0.8)), 4) for law in laws]
    [0.2231, 0.4463, 0.6169, 0.8959]
    >>> law_kinf(stats.uniform(), [0.3, 1]).tolist()
    [0.0, inf]

    In the book: chapter 3.
    """
    at = check_array("x", x, -np.inf, np.inf, "a number")
    if is_law(law):
        _check_one_law("law", law)
        mean = min(max(float(means_of([law])[0]), 0.0), 1.0)
    else:
        number = check_array("law", law, 0, 1, "a number in [0, 1] or a law of rewards")
        if number.ndim:
            raise ValueError(f"law must be a single number or a law, got {shown(law)}")
        mean = float(number)
    value = kl(mean, np.maximum(at, mean))
    if is_law(law):
        atoms = _atoms(law)
        if atoms is None:  # just above the mean rounding might say 0: K_inf is at least d
            value = np.maximum(kinf(*_as_finite_law(law), at), value)
        else:
            value = kinf(*atoms, at)
    return np.where(at >= 1, np.inf, np.where(at <= mean, 0.0, value))[()]


def _check_one_law(name: str, law: Any, where: str = "") -> None:
    """The law must know a support within [0, 1] and a mean there."""
    accepted = f"{name} must be numbers or laws on [0, 1]"
    try:
        low, high = map(float, law.support())
        mean = float(law.mean())
    except (AttributeError, TypeError, ValueError) as error:  # as of scipy.stats.beta itself
        raise ValueError(
            f"{accepted} with a support and a mean, got {shown(law)}{where} ({error})"
        ) from None
    if not (-ROUNDING <= low <= high <= 1 + ROUNDING):
        raise ValueError(f"{accepted}, got a law on {(low, high)}{where}")
    if not (low - ROUNDING <= mean <= high + ROUNDING):  # NaN too
        raise ValueError(f"{accepted}, got a law with a mean of {mean}{where}")


# ---- laws as finitely many values and their probabilities ----------------------------


def _listed_atoms(law: Any) -> tuple[Any, Any] | None:
    """Values and probabilities of a law that lists them, as `rv_discrete(values=…)` does."""
    if hasattr(law, "values") and hasattr(law, "probs"):
        return law.values, law.probs
    parent = getattr(law, "dist", law)
    if hasattr(parent, "xk") and hasattr(parent, "pk"):
        shift = 0.0
        if parent is not law:  # frozen: at most shifted
            shift = law.kwds.get("loc", law.args[0] if law.args else 0.0)
        return np.clip(parent.xk + shift, 0, 1), parent.pk
    return None


def _atoms(law: Any) -> tuple[Any, Any] | None:
    """Values and probabilities of a discrete law, None for any other."""
    if (listed := _listed_atoms(law)) is not None:
        return listed
    # Laws of the newer kind have a pmf also where they have a density, and it may fail.
    frozen = hasattr(law, "dist") and hasattr(law, "pmf")
    if not frozen and "DiscreteDistribution" not in {kind.__name__ for kind in type(law).mro()}:
        return None
    low, high = map(float, law.support())
    steps = low + np.arange(int(high - low) + 1)  # of 1: other laws would list their values
    return np.clip(steps, 0, 1), law.pmf(steps)


NODES, WEIGHTS = np.polynomial.legendre.leggauss(12)


def _as_finite_law(law: Any) -> tuple[Any, Any]:
    """Values and probabilities with Σ probs·g(values) = E g(X), for a law with a density.

    And for every g of K_inf, v ↦ ln(1 − λ(v−x)): smooth up to its pole, at 1 or beyond. So
    the panels shrink by half towards the ends of the support, where the density itself may
    be singular; quantiles are edges too, so that no narrow law falls between two nodes; and
    panels are halved until that no longer moves their centre of mass. Each panel has
    exactly the probability that the law gives it.
    """
    try:
        edges = _edges(law)
    except (AttributeError, TypeError) as error:
        raise ValueError(
            f"law must have finitely many values or a density (`pdf` and `cdf`), "
            f"got {describe(law)} ({error})"
        ) from None
    left, right = edges[:-1], edges[1:]
    values, probs = [], []
    for _ in range(60):
        middle = (left + right) / 2
        v, p = _panels(law, left, right)
        moment = _moment(left, v, p)
        for half in ((left, middle), (middle, right)):
            moment -= _moment(left, *_panels(law, *half))
        # |g'| is at most 1/(1−v), and at most of the order of 1/(mass of the panel).
        missed = np.abs(moment) / np.maximum(1 - middle, np.maximum(p.sum(axis=1), 1e-300))
        coarse = missed > 1e-14
        values.append(v[~coarse].ravel())
        probs.append(p[~coarse].ravel())
        left, middle, right = left[coarse], middle[coarse], right[coarse]
        left, right = np.concatenate([left, middle]), np.concatenate([middle, right])
        if not left.size:
            break
    probability = np.concatenate(probs)
    total = probability.sum()
    if not abs(total - 1) < 1e-6:
        raise ValueError(f"law must have a density with integral 1, got {total}")
    return np.clip(np.concatenate(values), 0, 1), probability / total


def _edges(law: Any) -> NDArray[np.float64]:
    """Edges of panels: halving towards both ends of the support, and at quantiles."""
    low, high = map(float, law.support())
    shrinking = (high - low) * 2.0 ** -np.arange(1, 53)
    tails = np.concatenate([[0.25, 0.5], 10.0 ** -np.arange(1, 16)])
    lower, upper = (law.ppf, law.isf) if hasattr(law, "ppf") else (law.icdf, law.iccdf)
    inner = [low + shrinking, high - shrinking, lower(tails), upper(tails)]
    return np.unique(np.clip(np.concatenate([[low, high], *inner]), low, high))


def _panels(law: Any, left: Any, right: Any) -> tuple[Any, Any]:
    """The nodes of each panel and their probabilities."""
    half = (right - left)[:, None] / 2
    v = np.minimum(left[:, None] + half * (1 + NODES), right[:, None])
    with np.errstate(all="ignore"):
        share = WEIGHTS * law.pdf(v)
        total = share.sum(axis=1, keepdims=True)
        usable = (total > 0) & (total < np.inf)  # else a panel of next to no width or mass
        share = np.where(usable, share / total, WEIGHTS / 2)
    mass = np.maximum(law.cdf(right) - law.cdf(left), 0)
    return v, share * mass[:, None]


def _moment(left: Any, v: Any, p: Any) -> Any:
    return (p * (v - left[:, None])).sum(axis=1)


# ---- numbers as text -------------------------------------------------------------------


def _text(number: Any) -> str:
    """The shortest that reads back as the same float: 9 for 9.0."""
    if np.ndim(number):
        return _list(np.ravel(number))
    return repr(float(number)).removesuffix(".0")


def _list(numbers: Any) -> str:
    return f"[{', '.join(map(_text, numbers))}]"
