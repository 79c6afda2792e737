"""Which arms are good enough: one function g for every leniency, and policies that use it.

An arm of mean m is acceptable beside a best arm of mean u when m ≥ g(u). What the player
forgives is all in g:

    additive        g(u) = u − ε          the paper's
    multiplicative  g(u) = (1−ε)·u        a share of the best
    threshold       g(u) = min(u, τ)      whatever is at least τ, if there is such an arm

G(m), the largest u with g(u) ≤ m, answers the question from the other side: how good must
another arm be before an arm of mean m is no longer acceptable? Better than G(m). It is the
target of the lower bound (`lenient.bounds.leniency_bound`), and
"play argmax max(μ̂, g(U))" is the policy that reaches it.

What a play costs is a criterion (`lenient.gaps.shortfall`, `unacceptable`, `top`).
"""

from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from lenient._check import check_array, check_count, check_eps, check_means, shown
from lenient.divergence import kl, kl_ucb
from lenient.exact import ceiling, decimal
from lenient.policies import Discount

KINDS = ("additive", "multiplicative", "threshold")


@dataclass(frozen=True)
class Leniency:
    """What a player forgives: an arm of mean m is acceptable beside a best arm u if m ≥ g(u).

    Made by `additive`, `multiplicative` and `threshold`.

    Parameters
    ----------
    kind : str
        "additive", "multiplicative" or "threshold".
    value : float
        ε in [0, 1), or the threshold τ in [0, 1], as a decimal.

    Examples
    --------
    >>> for leniency in [additive(0.2), multiplicative(0.2), threshold(0.7)]:
    ...     print(f"{leniency.name}: g(0.9) = {leniency.g(0.9):.2f}")
    additive, ε = 0.2: g(0.9) = 0.70
    multiplicative, ε = 0.2: g(0.9) = 0.72
    threshold, τ = 0.7: g(0.9) = 0.70

    In the book: chapter 15.
    """

    kind: str
    value: Any

    def __post_init__(self) -> None:
        if not isinstance(self.kind, str) or self.kind not in KINDS:
            raise ValueError(f"kind must be one of {', '.join(KINDS)}, got {shown(self.kind)}")
        _check_value("value", self.value, self.kind == "threshold")

    @property
    def name(self) -> str:
        """As tables show it."""
        return f"{self.kind}, {'τ' if self.kind == 'threshold' else 'ε'} = {self.value}"

    def g(self, best: Any) -> Any:
        """The smallest mean that is acceptable beside a best arm; broadcasts.

        Parameters
        ----------
        best : float or array_like
            u, in [0, 1].

        Returns
        -------
        float or ndarray
            At most u. Below 0 where everything is acceptable.

        Examples
        --------
        >>> multiplicative(0.2).g([0, 0.5, 1]).tolist()
        [0.0, 0.4, 0.8]
        """
        u = check_array("best", best, 0, 1, "a number in [0, 1]")
        if self.kind == "threshold":
            return np.minimum(u, float(decimal(self.value)))[()]
        top = float(ceiling(self.value))  # g(1), to the last digit: 1 − 0.7 is not 0.3
        return (top - (1 - u) if self.kind == "additive" else top * u)[()]

    def G(self, mean: Any) -> Any:
        """The largest u in [0, 1] with g(u) ≤ m: only arms above it make m unacceptable.

        Parameters
        ----------
        mean : float or array_like
            m, in [0, 1], each read as a decimal.

        Returns
        -------
        float or ndarray
            At least m.

        Examples
        --------
        >>> additive(0.2).G([0.1, 0.8, 0.9]).tolist()
        [0.3, 1.0, 1.0]
        >>> threshold(0.7).G([0.6, 0.7]).tolist()
        [0.6, 1.0]
        """
        m = check_array("mean", mean, 0, 1, "a number in [0, 1]")
        exact = [float(self._target(decimal(each))) for each in m.ravel().tolist()]
        return np.array(exact).reshape(m.shape)[()]

    def acceptable(self, means: Any) -> NDArray[np.bool_]:
        """Which arms are good enough, decided in exact decimals.

        Parameters
        ----------
        means : array_like
            The arms' means.

        Returns
        -------
        ndarray of bool

        Examples
        --------
        >>> additive(0.2).acceptable([0.9, 0.7, 0.6]).tolist()
        [True, True, False]
        """
        return self.missing(means) <= 0

    def missing(self, means: Any) -> NDArray[np.float64]:
        """g(μ*) − μ of each arm: what it lacks to be acceptable, negative where it is.

        Parameters
        ----------
        means : array_like
            The arms' means.

        Returns
        -------
        ndarray

        Examples
        --------
        >>> multiplicative(0.2).missing([0.5, 0.4, 0.3]).tolist()
        [-0.1, 0.0, 0.1]
        """
        exact = [decimal(mean) for mean in check_means(means).tolist()]
        least = self._least(max(exact))
        return np.array([float(least - mean) for mean in exact])

    def _least(self, best: Fraction) -> Fraction:
        """g, in fractions."""
        if self.kind == "threshold":
            return min(best, decimal(self.value))
        top = ceiling(self.value)
        return best - (1 - top) if self.kind == "additive" else best * top

    def _target(self, mean: Fraction) -> Fraction:
        """G, in fractions."""
        if self.kind == "threshold":
            return mean if mean < decimal(self.value) else Fraction(1)
        top = ceiling(self.value)
        return min(mean + (1 - top) if self.kind == "additive" else mean / top, Fraction(1))


def additive(eps: float) -> Leniency:
    """Forgive up to ε: g(u) = u − ε, the leniency of the paper.

    Parameters
    ----------
    eps : float
        ε, in [0, 1), as a decimal.

    Returns
    -------
    Leniency

    Examples
    --------
    >>> additive(0.2).acceptable([0.9, 0.7, 0.6]).tolist()
    [True, True, False]

    In the book: chapter 15.
    """
    return Leniency("additive", check_eps(eps))


def multiplicative(eps: float) -> Leniency:
    """Forgive a share ε of the best mean: g(u) = (1−ε)u.

    Parameters
    ----------
    eps : float
        ε, in [0, 1), as a decimal.

    Returns
    -------
    Leniency

    Examples
    --------
    Beside small means little is forgiven:

    >>> multiplicative(0.2).acceptable([0.05, 0.04, 0.03]).tolist()
    [True, True, False]

    In the book: chapter 15.
    """
    return Leniency("multiplicative", check_eps(eps))


def threshold(tau: float) -> Leniency:
    """Be content with a mean of τ: g(u) = min(u, τ).

    If no arm reaches τ, only the best will do.

    Parameters
    ----------
    tau : float
        τ, in [0, 1], as a decimal.

    Returns
    -------
    Leniency

    Examples
    --------
    >>> threshold(0.7).acceptable([0.9, 0.7, 0.6]).tolist()
    [True, True, False]
    >>> threshold(0.7).acceptable([0.6, 0.5]).tolist()
    [True, False]

    In the book: chapter 15.
    """
    return Leniency("threshold", _check_value("tau", tau, True))


def _check_value(name: str, value: Any, one_too: bool) -> Any:
    """Return the value unchanged if it is a number in [0, 1), or in [0, 1]."""
    try:
        number = decimal(value)
        accepted = not isinstance(value, str) and (0 <= number < 1 or one_too and number == 1)
    except (ValueError, TypeError, OverflowError):  # no number, NaN, infinite, an array
        accepted = False
    if not accepted:
        interval = "[0, 1]" if one_too else "[0, 1)"
        raise ValueError(f"{name} must be a number in {interval}, got {shown(value)}")
    return value


@dataclass(frozen=True)
class LenientKLUCB:
    """Optimism, discounted by g, never below the mean: score max(μ̂, g(U)).

    U is the index of KL-UCB, the largest q with N·d(S/N, q) ≤ ln t, and 1 for an arm never
    played. With `additive(eps)` this is `EpsKLUCB(eps)`, with `additive(0)` KL-UCB.

    Parameters
    ----------
    leniency : Leniency
        What is forgiven, such as `multiplicative(0.2)`.

    Examples
    --------
    An arm never played, one with 5 wins in 10 pulls, and one above 1 − 0.2:

    >>> pulls, wins = np.array([0, 10, 10]), np.array([0, 5, 9])
    >>> policy = LenientKLUCB(multiplicative(0.2))
    >>> print(policy(pulls, wins, t=100, rng=None).round(3))
    [0.8  0.71 0.9 ]

    In the book: chapter 15.
    """

    leniency: Leniency

    def __post_init__(self) -> None:
        if not isinstance(self.leniency, Leniency):
            raise ValueError(
                f"leniency must be one such as additive(0.2), got {shown(self.leniency)}"
            )

    @property
    def name(self) -> str:
        """As figures and tables show it."""
        return f"KL-UCB, {self.leniency.name}"

    def __call__(self, pulls: Any, wins: Any, t: int, rng: Any) -> Any:
        mean = wins / np.maximum(pulls, 1)
        U = kl_ucb(mean, pulls, np.log(t))
        return np.maximum(mean, self.leniency.g(U))

    def discount(self) -> Discount | None:
        """g as the engine "leap" takes it; None for a threshold of 0, which forgives all.

        Examples
        --------
        >>> LenientKLUCB(multiplicative(0.2)).discount()
        Discount(kind='multiplicative', top=Fraction(4, 5))
        """
        top = self.leniency._least(Fraction(1))
        return Discount(self.leniency.kind, top) if top > 0 else None


@dataclass(frozen=True)
class TopLeader:
    """For the top-m criterion: play the leader unless m rivals together are too little refuted.

    The leader is the arm with the best empirical mean μ̂*. The evidence against a rival is
    N·d(μ̂, μ̂*). While the m smallest evidences add up to less than ln t, it is possible that m
    arms are better than the leader, and the least refuted rival is played. A heuristic: it
    is read off the lower bound `top_bound`, and nothing is proved of it.

    It looks at all arms together: `pulls` and `wins` need one row an arm.

    Parameters
    ----------
    m : int
        Any of the m best arms will do.

    Examples
    --------
    The leader 0.9, a rival of which little is known, and one that is refuted:

    >>> pulls, wins = np.array([[20], [4], [40]]), np.array([[18], [2], [10]])
    >>> TopLeader(1)(pulls, wins, t=64, rng=None).ravel().tolist()
    [1.0, 2.0, 0.0]
    >>> TopLeader(2)(pulls, wins, t=64, rng=None).ravel().tolist()
    [1.0, 0.0, 0.0]

    In the book: chapter 15.
    """

    name: ClassVar[str] = "top-m leader"
    m: int

    def __post_init__(self) -> None:
        check_count("m", self.m)

    def __call__(self, pulls: Any, wins: Any, t: int, rng: Any) -> Any:
        pulls = np.asarray(pulls)
        mean = wins / np.maximum(pulls, 1)
        best = mean.max(axis=0)
        leads = np.arange(len(mean)).reshape(-1, *[1] * (mean.ndim - 1)) == mean.argmax(axis=0)
        with np.errstate(invalid="ignore"):  # 0·∞, of an arm never played beside a mean of 1
            evidence = np.where(pulls == 0, 0.0, pulls * kl(mean, best))
        evidence = np.where(leads, np.inf, evidence)
        least = np.sort(evidence, axis=0)[: self.m]
        doubt = (least.sum(axis=0) < np.log(t)) if len(mean) > self.m else np.False_
        return np.where(leads, 1.0, np.where(doubt & (evidence == least[0]), 2.0, 0.0))
