"""Policies that see rewards anywhere in [0, 1], and not only a 0 or 1 in their place.

The engine rounds a reward x at random, to 1 with probability x. That keeps its mean and
throws the rest away: a kitchen that always cooks a 0.5 looks like a coin. A policy with

    sees = "rewards"

is told x itself by `observe(arm, reward)`. It is a policy as in `lenient.policies` in all
else; the wins that it is also given are the rounded ones, and it need not look at them.

Both policies of this file have the form of chapter 14, max(μ̂, index − ε): optimism, discounted
by ε, and never below the mean. They differ in the index that they make of the rewards.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from lenient._check import check_array, check_eps
from lenient.exact import decimal

Floats = NDArray[np.float64]
Integers = NDArray[np.integer]

# What has a smaller chance is not drawn: less than the rounding of a float.
NEVER = 37.0  # −ln(8.5e-17), and a little more than ln(2⁵³), the logarithm of any round


def kinf_ucb(values: ArrayLike, level: ArrayLike) -> Any:
    """The largest q with n K_inf(F, q) <= level, where F is the law of n observed rewards.

    It is to rewards in [0, 1] what `kl_ucb` is to rewards 0 and 1: the largest mean of a law
    on [0, 1] that n rewards do not rule out. It takes the minimum of one function of one
    variable,

        min over ν >= 1 of  ν − exp(−level/n) · (geometric mean of the ν − values),

    and each ν gives a bound from above (chapter 17 has the proof).

    Parameters
    ----------
    values
        The rewards, numbers in [0, 1]; at least one.
    level
        How much evidence rules a mean out, such as ln t; a number >= 0, or an array.

    Returns
    -------
    float or ndarray
        Of the shape of level.

    Examples
    --------
    >>> q = kinf_ucb([0.1, 0.3], 2.0)
    >>> from lenient import kinf, kl_ucb
    >>> print(q.round(4), (2 * kinf([0.1, 0.3], None, q)).round(4))
    0.708 2.0

    Rewards 0 and 1 have the index of KL-UCB:

    >>> print(kinf_ucb([0, 1, 0, 0, 1], 3.0).round(6), kl_ucb(0.4, 5, 3.0).round(6))
    0.868346 0.868346

    In the book: chapter 17.
    """
    rewards = np.ravel(check_array("values", values, 0, 1, "numbers in [0, 1]"))
    if rewards.size == 0:
        raise ValueError("values must hold at least one number, got none")
    level = check_array("level", level, 0, np.inf, "a number >= 0")
    copies = level.size
    several = _Several(np.tile(rewards, copies), np.full(copies, rewards.size))
    per_play = level.ravel() / rewards.size
    index = several.bound(several.best_shift(per_play, np.ones(copies)), per_play)
    index = np.where(per_play > 0, index, rewards.mean())  # which ν = ∞ would give
    return index.reshape(level.shape)[()]


class _Several:
    """Several lists of rewards, one behind the other, and ν = 1 + shift for each of them."""

    def __init__(self, values: Floats, lengths: Integers) -> None:
        self.values, self.lengths = values, lengths
        self.starts = np.cumsum(lengths) - lengths

    def mean(self, numbers: Floats) -> Floats:
        """Of each list. (None of them is empty.)"""
        if not self.lengths.size:
            return np.zeros(0)
        return np.add.reduceat(numbers, self.starts) / self.lengths

    def logs(self, shift: Floats) -> Floats:
        """ln(1 − value/ν) for every value, exact for large ν and for values next to 1."""
        shift = np.repeat(shift, self.lengths)
        near = np.log((shift + (1 - self.values)) / (1 + shift))
        return np.where(shift > 1, np.log1p(-self.values / (1 + shift)), near)

    def bound(self, shift: Floats, per_play: Floats) -> Floats:
        """ν − exp(−level/n) · (geometric mean of ν − values): never below the index."""
        with np.errstate(divide="ignore"):
            return -(1 + shift) * np.expm1(self.mean(self.logs(shift)) - per_play)

    def best_shift(self, per_play: Floats, start: Floats) -> Floats:
        """The shift of the least bound: its slope there, 1 − exp(f − level/n), is 0.

        f = E ln(ν − X) + ln E 1/(ν − X) falls in ν. By Hoeffding's lemma it is at most
        ln(ν/(ν−1))²/8, which says how far its root can be. If f is below level/n already at
        ν = 1, the minimum is there. Newton's method in ln(ν − 1), kept between two ends by
        halving. At its minimum the bound is flat: an error of 1e-7 is none.
        """
        with np.errstate(all="ignore"):
            at_one, _ = self.f_and_slope(np.zeros(self.lengths.size))
            inside = ~(at_one <= per_play)  # NaN where a value is 1
            high = np.clip(-np.log(np.expm1(np.sqrt(8 * per_play))), -40, 23)
            low = np.full(per_play.size, -40.0)
            x = np.clip(np.log(start), low, high)
            for _ in range(60):
                f, slope = self.f_and_slope(np.exp(x))
                low, high = np.where(f > per_play, x, low), np.where(f > per_play, high, x)
                step = x - (f - per_play) / slope
                step = np.where((low < step) & (step < high), step, (low + high) / 2)
                step = np.where(inside, step, x)
                done = np.abs(step - x) < 1e-7
                x = step
                if done.all():
                    break
        return np.where(inside, np.exp(x), 0.0)

    def f_and_slope(self, shift: Floats) -> tuple[Floats, Floats]:
        """f of `best_shift`, and its derivative by ln(ν − 1); f is 0 if all values are 1."""
        y = -self.logs(shift)
        centre = self.mean(y)
        ratio = np.exp(y - np.repeat(centre, self.lengths))  # GM / (ν − value)
        first, second = self.mean(ratio), self.mean(ratio**2)
        f = np.log1p(self.mean(np.expm1(y - np.repeat(centre, self.lengths))))
        return f, shift / (1 + shift) * np.exp(centre) * (first - second / first)


class _Kept:
    """The rewards of a block of runs, by arm and run, as far as they can matter."""

    def __init__(self, shape: tuple[int, ...], most: float) -> None:
        self.pulls = np.zeros(shape, np.int64)
        self.sums = np.zeros(shape)
        self.shift = np.ones(shape)  # the ν − 1 with which an arm was last looked at
        self.values = np.zeros((*shape, 16))
        self.most = most
        self.run = np.arange(shape[1])

    def add(self, arm: Integers, reward: Floats) -> None:
        n = self.pulls[arm, self.run]
        if n.max() >= self.values.shape[2] and self.values.shape[2] < self.most:
            self.values = np.concatenate([self.values, np.zeros_like(self.values)], axis=2)
        fits = n < self.values.shape[2]
        self.values[arm[fits], self.run[fits], n[fits]] = reward[fits]
        self.pulls[arm, self.run] += 1
        self.sums[arm, self.run] += reward

    def mean(self) -> Floats:
        return self.sums / np.maximum(self.pulls, 1)

    def several(self, arm: Integers, run: Integers) -> _Several:
        n = self.pulls[arm, run]
        place = np.arange(n.sum()) - np.repeat(np.cumsum(n) - n, n)
        values = self.values[np.repeat(arm, n), np.repeat(run, n), place]
        return _Several(values, n)


@dataclass(frozen=True)
class _SeesRewards:
    """What the two policies share: ε, a memory, and the score max(μ̂, index − ε)."""

    sees: ClassVar[str] = "rewards"
    eps: float

    def __post_init__(self) -> None:
        check_eps(self.eps)

    @cached_property
    def memory(self) -> list[_Kept]:
        """The rewards of the block that is played; no part of what the policy is."""
        return []

    def __call__(self, pulls: Any, wins: Any, t: int, rng: Any) -> Floats:
        eps = float(decimal(self.eps))
        if t == 1:
            # An arm with more plays than this is left to its mean, see `_index`.
            most = NEVER / (2 * eps**2) + 2 / eps + 1 if eps else np.inf
            arms = np.reshape(
                pulls, (*np.shape(pulls)[:1], -1)
            )  # one run, if they are in a row
            self.memory[:] = [_Kept(np.atleast_2d(arms).shape, most)]
        [kept] = self.memory
        mean = kept.mean()
        best = mean.max(axis=0)
        score = np.where(kept.pulls > 0, mean, np.maximum(mean, 1 - eps))
        arm, run, index = self._index(kept, best + eps, t, rng)
        score[arm, run] = np.maximum(mean[arm, run], index - eps)
        return score.reshape(np.shape(pulls))

    def observe(self, arm: Integers, reward: Floats) -> None:
        """Keep the rewards of a round.

        Parameters
        ----------
        arm : ndarray of int
            For each run, the arm that was played.
        reward : ndarray of float
            For each run, the reward it gave, in [0, 1].

        Examples
        --------
        See `KinfUCB`.
        """
        self.memory[0].add(arm, np.asarray(reward, float))

    def _index(self, kept: _Kept, x: Floats, t: int, rng: Any) -> tuple[Any, Any, Any]:
        """(arm, run, index) of all arms that were played and whose index may exceed x.

        x is the largest mean plus ε, in each run. That of other arms is below x for sure.
        """
        raise NotImplementedError


@dataclass(frozen=True)
class KinfUCB(_SeesRewards):
    """ε-KL-UCB for rewards in [0, 1]: the index is made of the rewards, by K_inf.

    The score is max(μ̂, U − ε), where U is the largest mean of a law on [0, 1] that the
    rewards of the arm do not rule out yet: the largest q with N K_inf(F̂, q) ≤ ln t, F̂ being
    their empirical law (`kinf_ucb`). For rewards 0 and 1 this is `EpsKLUCB`, and for ε = 0
    the empirical KL-UCB of Cappé, Garivier, Maillard, Munos and Stoltz (2013).

    By Pinsker's inequality an arm with 2 N (μ̂* + ε − μ̂)² ≥ ln t has U − ε below the largest
    mean μ̂*, and the rewards need not be looked at. Scores that cannot be the largest are
    left at μ̂.

    Parameters
    ----------
    eps : float
        The leniency ε, in [0, 1): gaps up to it are forgiven.

    Examples
    --------
    Rewards 0.4 and 0.5 of one arm, 0.5 of another, which has been tried less:

    >>> policy, counts = KinfUCB(0.2), np.zeros((2, 1), int)
    >>> _ = policy(counts, counts, t=1, rng=None)
    >>> for arm, reward in [(0, 0.4), (1, 0.5), (0, 0.5)]:
    ...     policy.observe(np.array([arm]), np.array([reward]))
    >>> print(policy(counts, counts, t=4, rng=None).ravel().round(3))
    [0.526 0.675]
    >>> print((kinf_ucb([0.5], np.log(4)) - 0.2).round(3))
    0.675

    In the book: chapter 17.
    """

    name: ClassVar[str] = "ε-Kinf-UCB"

    def _index(self, kept: _Kept, x: Floats, t: int, rng: Any) -> tuple[Any, Any, Any]:
        level = np.log(t)
        evidence = 2 * kept.pulls * (x - kept.mean()) ** 2  # at most N K_inf(F̂, x)
        arm, run = np.nonzero((kept.pulls > 0) & (evidence < level) & (x < 1))
        several = kept.several(arm, run)
        # Any ν will do to see that an arm is ruled out; most often that of last time does.
        shift, per_play = kept.shift[arm, run], level / several.lengths
        left = several.bound(shift, per_play) > x[run]
        arm, run = arm[left], run[left]
        several, per_play = kept.several(arm, run), per_play[left]
        shift = several.best_shift(per_play, shift[left])
        kept.shift[arm, run] = np.maximum(shift, 1e-12)
        return arm, run, several.bound(shift, per_play)


@dataclass(frozen=True)
class LenientNPTS(_SeesRewards):
    """Lenient non-parametric Thompson sampling: the index is a randomly weighted mean.

    The score is max(μ̂, D − ε), where D = w₀ + w₁X₁ + … + w_N X_N is a mean of 1 and the
    rewards X₁, …, X_N of the arm, with weights drawn uniformly from all that sum to 1. So the
    arm with the largest mean μ̂* is played unless some D exceeds μ̂* + ε. D is that of
    non-parametric Thompson sampling (Riou and Honda, 2020), which plays the largest D.

    That D exceeds x has a chance of at most exp(−(N + 1) K_inf(F', x)), F' being the law of 1
    and the rewards; where Pinsker's inequality puts this below 1e-16, nothing is drawn.

    Parameters
    ----------
    eps : float
        The leniency ε, in [0, 1): gaps up to it are forgiven.

    Examples
    --------
    An arm never played has D = 1:

    >>> policy, counts = LenientNPTS(0.2), np.zeros((2, 1), int)
    >>> rng = np.random.default_rng(2)
    >>> policy(counts, counts, t=1, rng=rng).ravel().tolist()
    [0.8, 0.8]
    >>> policy.observe(np.array([0]), np.array([0.4]))  # now D is uniform on [0.4, 1]
    >>> print(policy(counts, counts, t=2, rng=rng).ravel().round(3))
    [0.577 0.8  ]

    In the book: chapter 17.
    """

    name: ClassVar[str] = "ε-NPTS"

    def _index(self, kept: _Kept, x: Floats, t: int, rng: Any) -> tuple[Any, Any, Any]:
        with_one = (kept.sums + 1) / (kept.pulls + 1)
        evidence = 2 * (kept.pulls + 1) * np.maximum(x - with_one, 0) ** 2
        arm, run = np.nonzero((kept.pulls > 0) & (evidence < NEVER) & (x < 1))
        several = kept.several(arm, run)
        # Exponential variables, divided by their sum, are such weights.
        weights = rng.standard_exponential(several.values.size)
        of_one = rng.standard_exponential(arm.size) / several.lengths
        total = of_one + several.mean(weights)
        return arm, run, (of_one + several.mean(weights * several.values)) / total


#: The policies of this file by name, each a function of ε.
REWARD_POLICIES: dict[str, Callable[[float], Any]] = {
    KinfUCB.name: KinfUCB,
    LenientNPTS.name: LenientNPTS,
}
