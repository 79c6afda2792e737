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
"""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from lenient._check import check_eps
from lenient.divergence import kl_ucb
from lenient.exact import ceiling, exceeds, floor_ratio


@dataclass(frozen=True)
class TS:
    """Thompson sampling: score an arm by a draw from its Beta posterior."""

    name: ClassVar = "TS"

    def __call__(self, pulls, wins, t, rng):
        alpha = wins + 1
        beta = pulls + 2 - alpha
        return rng.beta(alpha, beta)


@dataclass(frozen=True)
class EpsTS:
    """ε-TS: the posterior squeezed into [0, 1−ε], and no doubt left above 1−ε.

    The lines marked ε are those in which the algorithm differs from `TS`; with ε = 0 they
    change nothing, to the bit.
    """

    name: ClassVar = "ε-TS"
    eps: float

    def __post_init__(self):
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

    That is the largest q with N·d(S/N, q) ≤ ln t. An arm never played comes first.
    """

    name: ClassVar = "KL-UCB"

    def __call__(self, pulls, wins, t, rng):
        index = kl_ucb(wins / np.maximum(pulls, 1), pulls, np.log(t))
        return np.where(np.equal(pulls, 0), np.inf, index)


@dataclass(frozen=True)
class EpsKLUCB:
    """KL-UCB squeezed as ε-TS squeezes TS: an index in [0, 1−ε], and no doubt above 1−ε.

    The index is the largest q ≤ 1−ε with N·d(S/N/(1−ε), q/(1−ε)) ≤ ln t; it is 1−ε for an
    arm never played, which comes first unless an arm is known to be good enough.
    """

    name: ClassVar = "ε-KL-UCB"
    eps: float

    def __post_init__(self):
        check_eps(self.eps)

    def __call__(self, pulls, wins, t, rng):
        top = ceiling(self.eps)
        above = exceeds(wins, top, pulls)
        mean = wins / np.maximum(pulls, 1)
        squeezed = np.minimum(mean / float(top), 1)
        index = float(top) * kl_ucb(squeezed, pulls, np.log(t))
        return np.where(above, mean, index)


#: The policies by name, each a function of ε.
POLICIES = {
    TS.name: lambda eps: TS(),
    EpsTS.name: EpsTS,
    KLUCB.name: lambda eps: KLUCB(),
    EpsKLUCB.name: EpsKLUCB,
}
