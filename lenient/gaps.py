"""What one play of an arm costs: ε-gap functions, and criteria that look at all means.

A function f on [0, 1] is an ε-gap function when f(Δ) = 0 for Δ ≤ ε and f(Δ) > 0 beyond,
where Δ = μ* − μ is the gap of an arm. The lenient regret of a run is Σ f(Δ) over its plays.

A criterion is anything with a name and a method `costs(means)`, the cost of one play of each
arm. Every gap function is one. `Criterion` makes others: `shortfall` and `unacceptable` are
those of any leniency (`lenient.leniency`), `top` charges all arms but the best m.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lenient._check import check_count, check_eps, check_means, floats, shown
from lenient.exact import decimal, gaps_between, one_minus
from lenient.leniency import Leniency, multiplicative, threshold


@dataclass(frozen=True, repr=False)
class GapFunction:
    """An ε-gap function that knows its ε, its name and its formula.

    f(Δ) = 0 for Δ ≤ ε and f(Δ) > 0 beyond. `hinge`, `indicator`, `cutoff` and `standard` make
    the usual ones, `gap_function` one of your own after checking that it is one.

    Parameters
    ----------
    name : str
        As tables show it.
    eps : float
        ε, in [0, 1).
    formula : str
        f(Δ), for a reader.
    function : callable
        From an array of gaps to the array of costs.

    Examples
    --------
    >>> f = hinge(0.2)
    >>> f
    hinge: f(Δ) = max(Δ − 0.2, 0)
    >>> f.eps, f(0.2), round(f(0.5), 10)
    (0.2, 0.0, 0.3)

    In the book: chapter 2.
    """

    name: str
    eps: float
    formula: str
    function: Callable[[Any], Any]

    def __post_init__(self) -> None:
        check_eps(self.eps)
        _check_callable("function", self.function)

    def __call__(self, gap: Any) -> Any:
        """The cost of one play, for a gap or an array of gaps in [0, 1].

        Parameters
        ----------
        gap : float or array_like
            Δ, in [0, 1].

        Returns
        -------
        float or ndarray

        Examples
        --------
        >>> indicator(0.2)([0.1, 0.2, 0.3]).tolist()
        [0.0, 0.0, 1.0]
        """
        try:
            gaps = floats(gap)
        except ValueError:
            gaps = np.array(np.nan)
        if not np.all((0 <= gaps) & (gaps <= 1)):
            raise ValueError(f"gap must be in [0, 1], got {shown(gap)}")
        cost = np.asarray(self.function(gaps), dtype=float)
        return float(cost) if cost.ndim == 0 else cost

    def costs(self, means: Any) -> Any:
        """The cost of one play of each arm.

        Parameters
        ----------
        means : array_like
            The arms' means.

        Returns
        -------
        ndarray

        Examples
        --------
        >>> indicator(0.2).costs([0.9, 0.7, 0.6]).tolist()
        [0.0, 0.0, 1.0]
        """
        return self(suboptimality(means))

    def __repr__(self) -> str:
        return f"{self.name}: f(Δ) = {self.formula}"


@dataclass(frozen=True)
class Criterion:
    """A cost of plays that is no function of the gap alone.

    Whatever takes a gap function to weigh plays (`simulate`'s result, `compare`) takes a
    criterion as well. The bounds do not: they are about gap functions.

    Parameters
    ----------
    name : str
        As tables show it.
    costs : callable
        From the array of all means to the cost of one play of each arm.

    Examples
    --------
    Every play but of the two best arms costs 1:

    >>> rank = lambda means: np.argsort(np.argsort(-means))
    >>> top_two = Criterion("top two", lambda means: rank(means) >= 2)
    >>> import lenient
    >>> s = lenient.simulate([0.3, 0.9, 0.8], lenient.TS(), horizon=100, runs=5, seed=1)
    >>> bool((s.regret(top_two) == s.pulls[:, :, 0]).all())
    True

    In the book: the recipes.
    """

    name: str
    costs: Callable[[Any], Any]

    def __post_init__(self) -> None:
        _check_callable("costs", self.costs)


def _check_callable(name: str, function: Any) -> None:
    if not callable(function):
        raise ValueError(f"{name} must be a function, got {shown(function)}")


def costs(criterion: Any, means: Any) -> NDArray[np.float64]:
    """The cost of one play of each arm, by a criterion or by a plain function of the gap."""
    function = getattr(criterion, "costs", None)
    forgotten = any(criterion is made for made in (hinge, indicator, cutoff, standard))
    if forgotten or not (callable(criterion) or callable(function)):
        raise ValueError(
            f"gap must be a gap function such as hinge(0.2), got {shown(criterion)}"
        )
    means = check_means(means)
    given = function(means) if callable(function) else criterion(suboptimality(means))
    try:
        paid = floats(given)
        accepted = paid.shape == means.shape and np.isfinite(paid).all()
    except ValueError:
        accepted = False
    if not accepted:
        raise ValueError(
            f"gap must give one finite cost for each of the {means.size} arms, "
            f"got {shown(given)}"
        )
    return paid


@dataclass(frozen=True)
class _At:
    """A formula at its ε; unlike a lambda it can be sent to another process, and compared."""

    formula: Callable[[Any, float], Any]
    eps: float

    def __call__(self, gap: Any) -> Any:
        return self.formula(gap, self.eps)


def _hinge(d: Any, e: float) -> Any:
    return np.maximum(d - e, 0)


def _indicator(d: Any, e: float) -> Any:
    return d > e


def _cutoff(d: Any, e: float) -> Any:
    return d * (d > e)


def _standard(d: Any) -> Any:
    return d


def hinge(eps: float) -> GapFunction:
    """max(Δ − ε, 0): pay for what the gap exceeds ε by.

    Parameters
    ----------
    eps : float
        ε, in [0, 1), as a decimal: an arm whose gap *is* ε costs nothing.

    Returns
    -------
    GapFunction

    Examples
    --------
    >>> hinge(0.2)([0, 0.2, 0.5]).round(10).tolist()
    [0.0, 0.0, 0.3]

    In the book: chapter 2.
    """
    at = _At(_hinge, _read(eps))
    return GapFunction("hinge", eps, f"max(Δ − {eps}, 0)", at)


def indicator(eps: float) -> GapFunction:
    """1{Δ > ε}: count the plays of arms that are not ε-optimal.

    Parameters
    ----------
    eps : float
        ε, in [0, 1), as a decimal: an arm whose gap *is* ε costs nothing.

    Returns
    -------
    GapFunction

    Examples
    --------
    >>> indicator(0.2)([0, 0.2, 0.5]).tolist()
    [0.0, 0.0, 1.0]

    In the book: chapter 2.
    """
    at = _At(_indicator, _read(eps))
    return GapFunction("indicator", eps, f"1{{Δ > {eps}}}", at)


def cutoff(eps: float) -> GapFunction:
    """Δ·1{Δ > ε}: pay the whole gap, but only beyond ε.

    Parameters
    ----------
    eps : float
        ε, in [0, 1), as a decimal: an arm whose gap *is* ε costs nothing.

    Returns
    -------
    GapFunction

    Examples
    --------
    >>> cutoff(0.2)([0, 0.2, 0.5]).tolist()
    [0.0, 0.0, 0.5]

    In the book: chapter 2.
    """
    at = _At(_cutoff, _read(eps))
    return GapFunction("cutoff", eps, f"Δ·1{{Δ > {eps}}}", at)


def standard() -> GapFunction:
    """Δ: the usual regret, the 0-gap function.

    Returns
    -------
    GapFunction

    Examples
    --------
    >>> standard()([0, 0.2, 0.5]).tolist()
    [0.0, 0.2, 0.5]

    In the book: chapters 1 and 2.
    """
    return GapFunction("standard", 0, "Δ", _standard)


def _read(eps: float) -> float:
    """The float next to ε as it was written."""
    return float(decimal(check_eps(eps)))


@dataclass(frozen=True)
class _Shortfall:
    """max(g(μ*) − μ, 0); unlike a lambda it can be sent to another process, and compared."""

    leniency: Leniency

    def __call__(self, means: Any) -> Any:
        return np.maximum(self.leniency.missing(means), 0)


@dataclass(frozen=True)
class _Unacceptable:
    leniency: Leniency

    def __call__(self, means: Any) -> Any:
        return self.leniency.missing(means) > 0


@dataclass(frozen=True)
class _Top:
    m: int

    def __call__(self, means: Any) -> Any:
        means = np.asarray(means)
        return (means[:, None] > means).sum(axis=0) >= self.m


def shortfall(leniency: Leniency) -> Criterion:
    """max(g(μ*) − μ, 0): pay for what an arm lacks to be acceptable.

    That of `additive(eps)` costs what `hinge(eps)` does.

    Parameters
    ----------
    leniency : Leniency
        What is forgiven, such as `multiplicative(0.2)`.

    Returns
    -------
    Criterion

    Examples
    --------
    >>> shortfall(multiplicative(0.2)).costs([0.5, 0.4, 0.3]).tolist()
    [0.0, 0.0, 0.1]
    >>> shortfall(threshold(0.7)).costs([0.9, 0.8, 0.5]).tolist()
    [0.0, 0.0, 0.2]

    In the book: chapter 15.
    """
    return Criterion(_check_leniency(leniency).kind, _Shortfall(leniency))


def unacceptable(leniency: Leniency) -> Criterion:
    """1{μ < g(μ*)}: count the plays of arms that are not acceptable.

    That of `additive(eps)` costs what `indicator(eps)` does.

    Parameters
    ----------
    leniency : Leniency
        What is forgiven, such as `multiplicative(0.2)`.

    Returns
    -------
    Criterion

    Examples
    --------
    >>> unacceptable(multiplicative(0.2)).costs([0.5, 0.4, 0.3]).tolist()
    [False, False, True]

    In the book: chapter 15.
    """
    name = f"{_check_leniency(leniency).kind} indicator"
    return Criterion(name, _Unacceptable(leniency))


def top(m: int) -> Criterion:
    """Count the plays of arms that are not among the best m.

    An arm is free if fewer than m arms are better, so that all arms that tie for the last
    place are.

    Parameters
    ----------
    m : int
        Any of the m best arms will do.

    Returns
    -------
    Criterion

    Examples
    --------
    >>> top(2).costs([0.9, 0.3, 0.8, 0.3]).tolist()
    [False, True, False, True]

    In the book: chapter 15.
    """
    count = check_count("m", m)
    return Criterion(f"top {shown(count)}", _Top(count))


def _check_leniency(leniency: Any) -> Leniency:
    if not isinstance(leniency, Leniency):
        raise ValueError(f"leniency must be one such as additive(0.2), got {shown(leniency)}")
    return leniency


#: The criteria by name, each a function of ε. The threshold is the ceiling 1−ε.
CRITERIA: dict[str, Callable[[float], GapFunction | Criterion]] = {
    "standard": lambda eps: standard(),
    "hinge": hinge,
    "indicator": indicator,
    "cutoff": cutoff,
    "multiplicative": lambda eps: shortfall(multiplicative(eps)),
    "threshold": lambda eps: shortfall(threshold(one_minus(check_eps(eps)))),
    "top 3": lambda eps: top(3),
}


def gap_function(
    function: Callable[[Any], Any], eps: float, name: str, formula: str | None = None
) -> GapFunction:
    """Make an ε-gap function of your own, after checking that it is one.

    The defining property (0 on [0, ε], positive beyond) is checked on a fine grid and on the
    two sides of ε, where a wrong < or ≤ would show.

    Parameters
    ----------
    function : callable
        From an array of gaps to the array of costs. One that is defined in a module, and is
        no lambda, can be sent to other processes.
    eps : float
        ε, in [0, 1).
    name : str
        As tables show it.
    formula : str, optional
        f(Δ), for a reader; without it name(Δ).

    Returns
    -------
    GapFunction

    Examples
    --------
    >>> squared = gap_function(lambda d: np.maximum(d - 0.1, 0) ** 2, 0.1, "squared hinge")
    >>> squared(0.6)
    0.25
    >>> gap_function(lambda d: d >= 0.1, 0.1, "a wrong one")
    Traceback (most recent call last):
        ...
    ValueError: function must be 0 on [0, 0.1], got f(0.1) = 1.0

    In the book: chapter 2.
    """
    e = _read(eps)
    if not isinstance(name, str):
        raise ValueError(f"name must be a text, got {shown(name)}")
    gap = GapFunction(name, eps, f"{name}(Δ)" if formula is None else formula, function)
    free = np.linspace(0, e, 1001)
    paid = np.concatenate([[np.nextafter(e, 1)], np.linspace(e, 1, 1001)[1:]])
    for gaps, accepted, want in [
        (free, lambda cost: cost == 0, f"0 on [0, {eps}]"),
        (paid, lambda cost: (cost > 0) & (cost < np.inf), f"positive beyond {eps}"),
    ]:
        try:
            costs = floats(function(gaps))
        except ValueError:
            raise ValueError("function must return numbers, got something else") from None
        if np.shape(costs) != gaps.shape:
            raise ValueError(
                f"function must return one cost for each gap of an array, got shape "
                f"{np.shape(costs)} for {gaps.shape}"
            )
        wrong = ~accepted(costs)
        if wrong.any():
            at = int(np.argmax(wrong))
            raise ValueError(
                f"function must be {want}, got f({float(gaps[at])!r}) = {costs[at]}"
            )
    return gap


def suboptimality(means: Any) -> NDArray[np.float64]:
    """The gaps Δ = μ* − μ of all arms.

    Means are read as decimals: 0.9 and 0.7 are 0.2 apart, exactly, so that an arm whose
    gap *is* ε costs nothing (in plain floats, 0.9 − 0.7 > 0.2).

    Parameters
    ----------
    means : array_like
        Numbers in [0, 1].

    Returns
    -------
    ndarray

    Examples
    --------
    >>> suboptimality([0.9, 0.7, 0.6]).tolist()
    [0.0, 0.2, 0.3]
    >>> 0.9 - 0.7
    0.20000000000000007

    In the book: chapters 1 and 2.
    """
    return gaps_between(check_means(means))
