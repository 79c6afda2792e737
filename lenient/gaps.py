"""What one play of an arm costs: ε-gap functions, and criteria that look at all means.

A function f on [0, 1] is an ε-gap function when f(Δ) = 0 for Δ ≤ ε and f(Δ) > 0 beyond,
where Δ = μ* − μ is the gap of an arm. The lenient regret of a run is Σ f(Δ) over its plays.

A criterion is anything with a name and a method `costs(means)`, the cost of one play of each
arm. Every gap function is one; `Criterion` makes others, such as one that charges all arms
but the best three.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from lenient._check import check_eps, check_means
from lenient.exact import decimal, gaps_between


@dataclass(frozen=True, repr=False)
class GapFunction:
    """An ε-gap function that knows its ε, its name and its formula."""

    name: str
    eps: float
    formula: str
    function: Callable

    def __call__(self, gap):
        """The cost of one play, for a gap or an array of gaps in [0, 1]."""
        gap = np.asarray(gap, dtype=float)
        if not np.all((0 <= gap) & (gap <= 1)):
            raise ValueError(f"gap must be in [0, 1], got {gap}")
        cost = np.asarray(self.function(gap), dtype=float)
        return float(cost) if cost.ndim == 0 else cost

    def costs(self, means):
        """The cost of one play of each arm."""
        return self(suboptimality(means))

    def __repr__(self):
        return f"{self.name}: f(Δ) = {self.formula}"


@dataclass(frozen=True)
class Criterion:
    """A cost of plays that is no function of the gap alone.

    `costs` takes the array of all means and returns the cost of one play of each arm.
    """

    name: str
    costs: Callable


def costs(criterion, means):
    """The cost of one play of each arm, by a criterion or by a plain function of the gap."""
    if not (callable(criterion) or hasattr(criterion, "costs")):
        raise ValueError(f"gap must be a gap function such as hinge(0.2), got {criterion!r}")
    if hasattr(criterion, "costs"):
        return np.asarray(criterion.costs(check_means(means)), dtype=float)
    return np.asarray(criterion(suboptimality(means)), dtype=float)


@dataclass(frozen=True)
class _At:
    """A formula at its ε; unlike a lambda it can be sent to another process, and compared."""

    formula: Callable
    eps: float

    def __call__(self, gap):
        return self.formula(gap, self.eps)


def _hinge(d, e):
    return np.maximum(d - e, 0)


def _indicator(d, e):
    return d > e


def _cutoff(d, e):
    return d * (d > e)


def _standard(d):
    return d


def hinge(eps):
    """max(Δ − ε, 0): pay for what the gap exceeds ε by."""
    return GapFunction("hinge", eps, f"max(Δ − {eps}, 0)", _At(_hinge, _read(eps)))


def indicator(eps):
    """1{Δ > ε}: count the plays of arms that are not ε-optimal."""
    return GapFunction("indicator", eps, f"1{{Δ > {eps}}}", _At(_indicator, _read(eps)))


def cutoff(eps):
    """Δ·1{Δ > ε}: pay the whole gap, but only beyond ε."""
    return GapFunction("cutoff", eps, f"Δ·1{{Δ > {eps}}}", _At(_cutoff, _read(eps)))


def standard():
    """Δ: the usual regret, the 0-gap function."""
    return GapFunction("standard", 0, "Δ", _standard)


def _read(eps):
    """The float next to ε as it was written."""
    return float(decimal(check_eps(eps)))


#: The criteria by name, each a function of ε.
CRITERIA = {
    "standard": lambda eps: standard(),
    "hinge": hinge,
    "indicator": indicator,
    "cutoff": cutoff,
}


def gap_function(function, eps, name, formula=None):
    """Make an ε-gap function of your own, after checking that it is one.

    `function` takes an array of gaps and returns an array of costs. The defining
    property (0 on [0, ε], positive beyond) is checked on a fine grid and on the two
    sides of ε, where a wrong < or ≤ would show.
    """
    e = _read(eps)
    gap = GapFunction(name, eps, formula or f"{name}(Δ)", function)
    free = np.linspace(0, e, 1001)
    paid = np.concatenate([[np.nextafter(e, 1)], np.linspace(e, 1, 1001)[1:]])
    for gaps, accepted, want in [
        (free, lambda cost: cost == 0, f"0 on [0, {eps}]"),
        (paid, lambda cost: (cost > 0) & (cost < np.inf), f"positive beyond {eps}"),
    ]:
        costs = gap(gaps)
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


def suboptimality(means):
    """The gaps Δ = μ* − μ of all arms.

    Means are read as decimals: 0.9 and 0.7 are 0.2 apart, exactly, so that an arm whose
    gap *is* ε costs nothing (in plain floats, 0.9 − 0.7 > 0.2).
    """
    return gaps_between(check_means(means))
