"""Bandit policies: each is one function from what has been seen to a score per arm.

    policy(pulls, wins, t, rng) -> scores

`pulls` and `wins` (N and S in the paper) are integer arrays with one row an arm and one
column a run, `t` is the round about to be played (1, 2, …), `rng` a NumPy generator. In
every run the arm with the highest score is played; ties are broken uniformly at random.
Rewards are 0 or 1. A policy works element by element, so plain numbers do as well:

    >>> print(KLUCB()(pulls=10, wins=5, t=100, rng=None).round(3))
    0.888

Any function with these four arguments is a policy. Those of the book also know their `name`,
as figures and tables show it.

A policy that needs to remember more than counts has a method `observe(arm, reward)`. After
each round it is told, in two arrays with one entry a run, which arm was played and what
reward, 0 or 1, that gave. (A policy with `sees = "rewards"` is told the reward itself, a number
in [0, 1]: see `lenient.rewards`.) Runs are played in blocks; each block gets a fresh copy of
the policy (`copy.deepcopy`), and t = 1 is the moment to set up the memory:

    class LastReward:
        "Stay with an arm as long as it wins."

        def __call__(self, pulls, wins, t, rng):
            if t == 1:
                self.scores = np.zeros(pulls.shape)
            return self.scores

        def observe(self, arm, reward):
            self.scores[arm, np.arange(arm.size)] = 2 * reward - 1

A policy whose score is the larger of the mean and a discounted KL-UCB index says so by a
method `discount()`, and the engine "leap" can then play it: see `Discount`.
"""

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar, NamedTuple, Protocol

import numpy as np

from lenient._check import check_eps
from lenient.divergence import kl_ucb
from lenient.exact import ceiling, exceeds, floor_ratio


class Policy(Protocol):
    """Anything that can be called as described above; `simulate` takes it."""

    def __call__(self, pulls: Any, wins: Any, t: int, rng: np.random.Generator, /) -> Any:
        """A score for each arm (row) in each run (column)."""


class Discount(NamedTuple):
    """How an index rule discounts its index: its score is max(S/N, g(U)), exactly.

    U is the KL-UCB index at level ln t, the largest q with N·d(S/N, q) ≤ ln t, and 1 for an
    arm never played. g is a function that never exceeds its argument, by kind:

    =================  ==========================  =======
    kind               g(u)                        `top`
    =================  ==========================  =======
    "additive"         u − ε                       1 − ε
    "multiplicative"   (1−ε)·u                     1 − ε
    "threshold"        min(u, τ)                   τ
    "none"             u, and an arm never played  1
                       comes before all others
    "squeezed"         (1−ε)·u, and U is the       1 − ε
                       index of S/(1−ε) wins
    =================  ==========================  =======

    A policy offers its discount by a method of this name:

        def discount(self):
            return Discount("additive", ceiling(self.eps))

    Parameters
    ----------
    kind : str
        One of the five.
    top : Fraction
        g(1), more than 0 and at most 1: what an arm of mean 1 is worth.
    """

    kind: str
    top: Fraction


def discount_of(policy: Any) -> Discount | None:
    """The discount that the policy offers, None if it has none.

    A class that only inherits `discount`, but has a `__call__` of its own, may play
    otherwise: it offers nothing.
    """
    for cls in type(policy).__mro__:
        if "discount" in vars(cls):
            return policy.discount()
        if "__call__" in vars(cls):
            return None
    return None


@dataclass(frozen=True)
class TS:
    """Thompson sampling: score an arm by a draw from its Beta posterior.

    The draw is from Beta(S + 1, N − S + 1), what is known of a mean after S wins in N pulls
    when every value was as likely before (Thompson, 1933).

    Examples
    --------
    >>> draw = TS()(pulls=10, wins=5, t=11, rng=np.random.default_rng(1))
    >>> draw == np.random.default_rng(1).beta(6, 6)
    True

    In the book: chapters 1 and 4.
    """

    name: ClassVar[str] = "TS"

    def __call__(self, pulls, wins, t, rng):
        alpha = wins + 1
        beta = pulls + 2 - alpha
        return rng.beta(alpha, beta)


@dataclass(frozen=True)
class EpsTS:
    """ε-TS: the posterior squeezed into [0, 1−ε], and no doubt left above 1−ε.

    Algorithm 1 of the paper. Where the empirical mean S/N is at most 1−ε, the score is a
    draw from (1−ε)·Beta(⌊S/(1−ε)⌋ + 1, N − ⌊S/(1−ε)⌋ + 1); above 1−ε it is S/N itself. Both
    ⌊S/(1−ε)⌋ and S/N > 1−ε are decided exactly, for ε as the decimal that was written.

    The lines marked ε are those in which the algorithm differs from `TS`; with ε = 0 they
    change nothing, to the bit.

    Parameters
    ----------
    eps : float
        The leniency ε, in [0, 1): gaps up to it are forgiven.

    Examples
    --------
    With 9 wins in 10 pulls an arm is above 1 − 0.2, and is known by its mean:

    >>> float(EpsTS(0.2)(pulls=10, wins=9, t=11, rng=np.random.default_rng(1)))
    0.9

    In the book: chapter 4.
    """

    name: ClassVar[str] = "ε-TS"
    eps: float

    def __post_init__(self) -> None:
        check_eps(self.eps)

    def __call__(self, pulls, wins, t, rng):
        top = ceiling(self.eps)  # 1−ε as an exact fraction
        above = exceeds(wins, top, pulls)  # ε: is S/N > 1−ε ?
        alpha = floor_ratio(wins, top) + 1  # ε: S becomes ⌊S/(1−ε)⌋
        beta = np.maximum(pulls + 2 - alpha, 1)  # (< 1 only above 1−ε: not used there)
        theta = float(top) * rng.beta(alpha, beta)  # ε: scaled to 1−ε
        return np.where(above, wins / np.maximum(pulls, 1), theta)  # ε: the mean itself


@dataclass(frozen=True)
class KLUCB:
    """KL-UCB: score an arm by the largest mean that its rewards do not rule out yet.

    That is the largest q with N·d(S/N, q) ≤ ln t (Garivier and Cappé, 2011). An arm never
    played comes first.

    Examples
    --------
    >>> print(KLUCB()(pulls=10, wins=5, t=100, rng=None).round(3))
    0.888
    >>> from lenient import kl
    >>> print((10 * kl(0.5, 0.888)).round(1), np.log(100).round(1))
    4.6 4.6

    In the book: chapters 1, 12 and 14.
    """

    name: ClassVar[str] = "KL-UCB"

    def __call__(self, pulls, wins, t, rng):
        index = kl_ucb(wins / np.maximum(pulls, 1), pulls, np.log(t))
        return np.where(np.equal(pulls, 0), np.inf, index)

    def discount(self) -> Discount:
        return Discount("none", Fraction(1))


@dataclass(frozen=True)
class EpsKLUCB:
    """ε-KL-UCB: optimism, discounted by ε, but never below the mean.

    The score is max(S/N, U − ε), where U is the index of `KLUCB`, the largest q with
    N·d(S/N, q) ≤ ln t, and 1 for an arm never played. So the arm with the highest mean
    plays, unless some arm cannot be ruled out yet to be more than ε better. The rule
    meets the lower bound on lenient regret, on every bandit.

    Two arms that are never played, or have equal means, are tied exactly; so are an arm
    never played and one of mean 1−ε.

    Parameters
    ----------
    eps : float
        The leniency ε, in [0, 1): gaps up to it are forgiven.

    Examples
    --------
    An arm never played, one with 5 wins in 10 pulls, and one with 50 in 100:

    >>> pulls, wins = np.array([0, 10, 100]), np.array([0, 5, 50])
    >>> print(EpsKLUCB(0.2)(pulls, wins, t=111, rng=None).round(3))
    [0.8   0.691 0.5  ]

    In the book: chapter 14.
    """

    name: ClassVar[str] = "ε-KL-UCB"
    eps: float

    def __post_init__(self) -> None:
        check_eps(self.eps)

    def __call__(self, pulls, wins, t, rng):
        top = float(ceiling(self.eps))  # 1−ε
        mean = wins / np.maximum(pulls, 1)
        index = kl_ucb(mean, pulls, np.log(t))
        return np.maximum(mean, top - (1 - index))  # U − ε, and 1−ε to the bit if U is 1

    def discount(self) -> Discount:
        return Discount("additive", ceiling(self.eps))


@dataclass(frozen=True)
class SqueezedKLUCB:
    """KL-UCB squeezed as ε-TS squeezes TS: an index in [0, 1−ε], and no doubt above 1−ε.

    The index is the largest q ≤ 1−ε with N·d(S/N/(1−ε), q/(1−ε)) ≤ ln t; it is 1−ε for an
    arm never played, which comes first unless an arm is known to be good enough. It looks
    like the counterpart of ε-TS, and is as far from the lower bound: `EpsKLUCB` meets it.

    Parameters
    ----------
    eps : float
        The leniency ε, in [0, 1): gaps up to it are forgiven.

    Examples
    --------
    An arm never played, one with 5 wins in 10 pulls, and one above 1 − 0.2:

    >>> pulls, wins = np.array([0, 10, 10]), np.array([0, 5, 9])
    >>> print(SqueezedKLUCB(0.2)(pulls, wins, t=100, rng=None).round(3))
    [0.8   0.756 0.9  ]

    In the book: chapter 14.
    """

    name: ClassVar[str] = "squeezed KL-UCB"
    eps: float

    def __post_init__(self) -> None:
        check_eps(self.eps)

    def __call__(self, pulls, wins, t, rng):
        top = ceiling(self.eps)
        above = exceeds(wins, top, pulls)
        mean = wins / np.maximum(pulls, 1)
        squeezed = np.minimum(mean / float(top), 1)
        index = float(top) * kl_ucb(squeezed, pulls, np.log(t))
        return np.where(above, mean, index)

    def discount(self) -> Discount:
        return Discount("squeezed", ceiling(self.eps))


#: The policies by name, each a function of ε.
POLICIES: dict[str, Callable[[float], Policy]] = {
    TS.name: lambda eps: TS(),
    EpsTS.name: EpsTS,
    KLUCB.name: lambda eps: KLUCB(),
    EpsKLUCB.name: EpsKLUCB,
    SqueezedKLUCB.name: SqueezedKLUCB,
}
