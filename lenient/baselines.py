"""Policies to compare with: what a researcher expects to find beside TS and KL-UCB.

They are policies as in `lenient.policies`, from (pulls, wins, t, rng) to a score per arm. In
the formulas N is an arm's number of pulls, S its wins, μ̂ = S/N, K the number of arms, and t
the round about to be played. An arm that was never played comes first where nothing else is
said, and ties are broken uniformly at random, by the engine.

`EXP3` and `SlidingWindowTS` remember more than the counts. Such a policy also has a method

    observe(arm, reward)

that is called after every round with the arm played in each run and the reward seen, 0 or 1.
It makes its memory new in round t = 1. One object plays one block of runs at a time: the
engine gives each block a copy.
"""

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from numbers import Real
from types import SimpleNamespace
from typing import Any, ClassVar

import numpy as np
import scipy
from numpy.typing import NDArray

from lenient._check import check_count, shown
from lenient.divergence import kl
from lenient.exact import ceiling, decimal, exceeds, one_minus
from lenient.policies import POLICIES

Counts = NDArray[np.integer]  # arms × runs; plain numbers do as well
Scores = NDArray[np.floating]

TINY = 1e-300  # instead of a zero below a fraction line


# ---- indices -------------------------------------------------------------------------


@dataclass(frozen=True)
class UCB1:
    """UCB1: score an arm by its mean plus the radius of a Hoeffding confidence interval.

    The index is μ̂ + √(2 ln t / N) (Auer, Cesa-Bianchi and Fischer, 2002). It treats every
    mean as if its variance were the largest possible; compare `KLUCB`.

    Examples
    --------
    >>> print(UCB1()(pulls=10, wins=5, t=100, rng=None).round(3))
    1.46

    In the book: chapter 12, in its form.
    """

    name: ClassVar[str] = "UCB1"

    def __call__(self, pulls: Counts, wins: Counts, t: int, rng: Any) -> Scores:
        radius = np.sqrt(2 * np.log(t) / np.maximum(pulls, 1))
        return _unplayed_first(pulls, _mean(pulls, wins) + radius)


@dataclass(frozen=True)
class MOSS:
    """MOSS: UCB with a bonus that ends once an arm had its share of the rounds.

    The index is μ̂ + √(max(ln(T / (K N)), 0) / N) (Audibert and Bubeck, 2009). Without a
    horizon T, the round t stands in its place: the anytime form of the same index.

    Parameters
    ----------
    horizon : int, optional
        T, the number of rounds to be played. None: T = t.

    Examples
    --------
    One arm (K = 1) with and without a horizon:

    >>> print(MOSS()(pulls=10, wins=5, t=100, rng=None).round(3))
    0.98
    >>> print(MOSS(horizon=1000)(pulls=10, wins=5, t=100, rng=None).round(3))
    1.179

    In the book: chapter 12, in its form.
    """

    name: ClassVar[str] = "MOSS"
    horizon: int | None = None

    def __post_init__(self) -> None:
        if self.horizon is not None:
            check_count("horizon", self.horizon)

    def __call__(self, pulls: Counts, wins: Counts, t: int, rng: Any) -> Scores:
        arms, played = np.atleast_1d(pulls).shape[0], np.maximum(pulls, 1)
        rounds = t if self.horizon is None else self.horizon
        level = np.maximum(np.log(rounds / (arms * played)), 0)
        return _unplayed_first(pulls, _mean(pulls, wins) + np.sqrt(level / played))


@dataclass(frozen=True)
class BayesUCB:
    """Bayes-UCB: score an arm by a high quantile of its posterior.

    The index is the quantile of order 1 − 1/t of Beta(S + 1, N − S + 1), the posterior after
    a uniform prior (Kaufmann, Cappé and Garivier, 2012). That is the form of their
    experiments; their theorem takes 1 − 1/(t (ln T)^c) with c ≥ 5. No arm comes first by
    rule: one that was never played has the index 1 − 1/t.

    Examples
    --------
    >>> print(BayesUCB()(pulls=10, wins=5, t=100, rng=None).round(3))
    0.806

    In the book: chapter 12, in its form.
    """

    name: ClassVar[str] = "Bayes-UCB"

    def __call__(self, pulls: Counts, wins: Counts, t: int, rng: Any) -> Scores:
        pulls, wins = np.asarray(pulls, np.int64), np.asarray(wins, np.int64)
        # A quantile takes long and many runs are in the same state, so each pair S ≤ N is
        # looked at once; N (N+1) / 2 + S numbers the pairs.
        number = pulls * (pulls + 1) // 2 + wins
        _, first, back = np.unique(number, return_index=True, return_inverse=True)
        n, s = pulls.ravel()[first], wins.ravel()[first]
        return scipy.special.betainccinv(s + 1, n - s + 1, 1 / t)[back]


@dataclass(frozen=True)
class IMED:
    """IMED: play the arm whose being the best would be the least surprising.

    It minimises N d(μ̂, μ̂*) + ln N, where μ̂* is the largest of the empirical means (Honda
    and Takemura, 2015); the score is minus that. Like `KLUCB` it is asymptotically optimal,
    and it solves no equation.

    Examples
    --------
    The leader pays for its many plays, the other for its lower mean:

    >>> print(IMED()(pulls=np.array([40, 10]), wins=np.array([32, 6]), t=51, rng=None).round(3))
    [-3.689 -3.349]

    In the book: chapter 12, in its form.
    """

    name: ClassVar[str] = "IMED"

    def __call__(self, pulls: Counts, wins: Counts, t: int, rng: Any) -> Scores:
        mean, played = _mean(pulls, wins), np.maximum(pulls, 1)
        best = np.atleast_1d(mean).max(axis=0)
        index = played * kl(mean, best) + np.log(played)
        # Between (N, S) = (1, 0) and any (n, n − 1) there is a tie, which floats would lose.
        return _unplayed_first(pulls, -index.round(12))


@dataclass(frozen=True)
class Satisficing:
    """Sat-UCB: look for an arm whose mean is at least a given level, and stay with it.

    After Michel, Hajiabolhassan and Ortner (2023), with the radius r = √(2 ln f(t) / N),
    f(t) = 1 + t ln² t. Each arm is played once. Then, in every round:

    1. if some μ̂ ≥ level: the arm with the largest (μ̂ − level) / r, where all values from 1
       on count as 1 (the level is below the whole confidence interval);
    2. else, if some μ̂ + r ≥ level: one of these arms, chosen uniformly;
    3. else: the arm with the largest μ̂ + r.

    Is S/N ≥ level is decided exactly, for the level as a decimal.

    Parameters
    ----------
    level : float
        The mean that is good enough, in [0, 1].

    Examples
    --------
    An arm that is good enough, one that may be, and one that is not:

    >>> pulls, wins = np.array([20, 20, 2000]), np.array([16, 13, 600])
    >>> print(Satisficing(0.7)(pulls, wins, t=2041, rng=None).round(3))
    [2.093 1.    0.408]

    In the book: chapter 12, in its form, and the recipes.
    """

    name: ClassVar[str] = "Sat-UCB"
    level: float

    def __post_init__(self) -> None:
        _check_number("level", self.level, lambda x: 0 <= x <= 1, "[0, 1]")

    def __call__(self, pulls: Counts, wins: Counts, t: int, rng: Any) -> Scores:
        mean, level = _mean(pulls, wins), float(decimal(self.level))
        # μ̂ ≥ level: the losses are at most a share of 1 − level
        losses = np.subtract(pulls, wins)
        enough = np.logical_not(exceeds(losses, ceiling(self.level), pulls))
        radius = np.sqrt(2 * np.log1p(t * np.log(t) ** 2) / np.maximum(pulls, 1))
        certainty = np.clip((mean - level) / np.maximum(radius, TINY), 0, 1)
        # The three cases one above the other: from 2 on, 1 (a tie), and below 1.
        hopeful = np.where(mean + radius >= level, 1, mean + radius)
        # 1 win of 1 and 6 of 9 are a tie above ½, which floats would lose without rounding.
        return _unplayed_first(pulls, np.where(enough, 2 + certainty.round(12), hopeful))


# ---- chance and order ----------------------------------------------------------------


@dataclass(frozen=True)
class BetaTS:
    """Thompson sampling with a prior of one's own: a draw from Beta(S + α, N − S + β).

    `BetaTS(1, 1)` draws what `TS()` draws; `BetaTS(0.5, 0.5)` has Jeffreys' prior, and
    `BetaTS(9, 1)` expects arms of mean 0.9.

    Parameters
    ----------
    alpha, beta : float
        Wins and losses that the prior pretends to have seen, each in [1e-9, 1e9].

    Examples
    --------
    >>> draw = BetaTS(0.5, 0.5)(pulls=10, wins=5, t=11, rng=np.random.default_rng(1))
    >>> draw == np.random.default_rng(1).beta(5.5, 5.5)
    True

    In the book: chapter 12, in its form.
    """

    name: ClassVar[str] = "Beta-TS"
    alpha: float
    beta: float

    def __post_init__(self) -> None:
        for name in ("alpha", "beta"):
            value = getattr(self, name)
            _check_number(name, value, lambda x: 1e-9 <= x <= 1e9, "[1e-9, 1e9]")

    def __call__(self, pulls: Counts, wins: Counts, t: int, rng: Any) -> Scores:
        return rng.beta(wins + self.alpha, np.subtract(pulls, wins) + self.beta)


@dataclass(frozen=True)
class EpsGreedy:
    """ε-greedy: now and then any arm, else the one with the best empirical mean.

    In each round and run a coin falls: with probability `rate` every arm has the same
    chance, else the largest μ̂ is played. The ε of its name is this rate; it has nothing to
    do with the ε of lenient regret.

    Parameters
    ----------
    rate : float
        The probability of a round of exploration, in [0, 1].

    Examples
    --------
    Without exploration the score is the mean:

    >>> print(EpsGreedy(0)(pulls=10, wins=5, t=11, rng=np.random.default_rng(0)))
    0.5

    In the book: chapter 12, in its form.
    """

    name: ClassVar[str] = "ε-greedy"
    rate: float

    def __post_init__(self) -> None:
        _check_number("rate", self.rate, lambda x: 0 <= x <= 1, "[0, 1]")

    def __call__(self, pulls: Counts, wins: Counts, t: int, rng: Any) -> Scores:
        explore = rng.random(np.shape(pulls)[1:]) < self.rate  # one coin a run
        greedy = _unplayed_first(pulls, _mean(pulls, wins))
        return np.where(explore, 0, greedy)  # all arms the same: the tie is the draw


@dataclass(frozen=True)
class ExploreThenCommit:
    """Explore, then commit: each arm a number of times, then the best of them for ever.

    The arms are played in turns, in random order. The best is the one with the largest μ̂ at
    the end of the exploration; what it gives afterwards changes nothing.

    Parameters
    ----------
    plays : int
        How often each arm is played before the choice, at least 1.

    Examples
    --------
    After the exploration one arm has been played again, and will be:

    >>> pulls, wins = np.array([5, 9, 5]), np.array([3, 3, 1])
    >>> print(ExploreThenCommit(5)(pulls, wins, t=20, rng=None).argmax())
    1

    In the book: chapter 12, in its form.
    """

    name: ClassVar[str] = "ETC"
    plays: int

    def __post_init__(self) -> None:
        check_count("plays", self.plays)

    def __call__(self, pulls: Counts, wins: Counts, t: int, rng: Any) -> Scores:
        chosen = np.where(np.greater(pulls, self.plays), 2, _mean(pulls, wins))
        missing = np.subtract(self.plays, pulls)
        return np.where(missing > 0, 2 + missing, chosen)


# ---- with a memory -------------------------------------------------------------------


class _WithMemory:
    @cached_property
    def memory(self) -> SimpleNamespace:
        """What a block of runs has shown. It is no part of what the policy is."""
        return SimpleNamespace()


@dataclass(frozen=True)
class EXP3(_WithMemory):
    """EXP3: exponential weights on estimated losses, for rewards that an enemy may choose.

    An arm is drawn with probability P proportional to exp(−η L̂), and its loss 1 − reward is
    divided by P before it is added to its L̂: so every L̂ is right on average, although only
    one loss is seen. This is Exp3 as in Lattimore and Szepesvári (2020, chapter 11), without
    the uniform exploration that Auer, Cesa-Bianchi, Freund and Schapire (2002) mix in.

    Parameters
    ----------
    rate : float
        The learning rate η, in (0, 1]; √(2 ln K / (K T)) suits a horizon T.

    Examples
    --------
    After one loss of the first of two arms, drawn with probability ½, its weight has fallen
    by the factor exp(−η / ½):

    >>> policy, none = EXP3(0.1), np.zeros((2, 1), int)
    >>> _ = policy(none, none, t=1, rng=np.random.default_rng(0))
    >>> policy.observe(arm=np.array([0]), reward=np.array([0]))
    >>> print(policy.memory.log_weights.ravel())
    [-0.2  0. ]

    In the book: chapter 12, in its form.
    """

    name: ClassVar[str] = "EXP3"
    rate: float

    def __post_init__(self) -> None:
        _check_number("rate", self.rate, lambda x: 0 < x <= 1, "(0, 1]")

    def __call__(self, pulls: Counts, wins: Counts, t: int, rng: Any) -> Scores:
        now = self.memory
        if t == 1:
            now.log_weights = np.zeros(np.shape(pulls))
        weights = np.exp(now.log_weights)
        now.chance = weights / weights.sum(axis=0)
        # Gumbel noise on its logarithm makes each weight the largest in its proportion.
        return now.log_weights + rng.gumbel(size=now.log_weights.shape)

    def observe(self, arm: Counts, reward: Counts) -> None:
        """Add the loss, divided by its probability, to what is held against the arm.

        Parameters
        ----------
        arm, reward : ndarray of int
            For each run, the arm that was played and the reward it gave, 0 or 1.

        Examples
        --------
        See `EXP3`.
        """
        now, run = self.memory, np.arange(len(arm))
        now.log_weights[arm, run] -= self.rate * (1 - reward) / now.chance[arm, run]
        now.log_weights -= now.log_weights.max(axis=0)  # so that no weight overflows


@dataclass(frozen=True)
class SlidingWindowTS(_WithMemory):
    """Thompson sampling on the last rounds only, for means that change.

    A draw from Beta(S + 1, N − S + 1), with N and S counted over the last `window` rounds.
    The window is that of Garivier and Moulines (2011), who have it with UCB; with Thompson
    sampling it is in Trovò, Paladino, Restelli and Gatti (2020). An arm that was not played
    in the window is unknown again, so exploration never ends: with means that do not change,
    regret grows linearly.

    Parameters
    ----------
    window : int
        The number of rounds to remember, at least 1.

    Examples
    --------
    With a window of one round, nothing is left of the first after the second:

    >>> policy, none = SlidingWindowTS(1), np.zeros((2, 1), int)
    >>> _ = policy(none, none, t=1, rng=np.random.default_rng(0))
    >>> policy.observe(arm=np.array([0]), reward=np.array([1]))
    >>> policy.observe(arm=np.array([1]), reward=np.array([0]))
    >>> print(policy.memory.pulls.ravel(), policy.memory.wins.ravel())
    [0 1] [0 0]

    In the book: chapter 12, in its form.
    """

    name: ClassVar[str] = "SW-TS"
    window: int

    def __post_init__(self) -> None:
        check_count("window", self.window)

    def __call__(self, pulls: Counts, wins: Counts, t: int, rng: Any) -> Scores:
        now = self.memory
        if t == 1:
            now.pulls, now.wins = np.zeros((2, *np.shape(pulls)), np.int64)
            now.rounds = deque()
        return rng.beta(now.wins + 1, now.pulls - now.wins + 1)

    def observe(self, arm: Counts, reward: Counts) -> None:
        """Count the newest round, and no longer the one that leaves the window.

        Parameters
        ----------
        arm, reward : ndarray of int
            For each run, the arm that was played and the reward it gave, 0 or 1.

        Examples
        --------
        See `SlidingWindowTS`.
        """
        now = self.memory
        now.rounds.append((np.array(arm), np.array(reward)))
        self._count(now.rounds[-1], +1)
        if len(now.rounds) > self.window:
            self._count(now.rounds.popleft(), -1)

    def _count(self, one_round: tuple[Counts, Counts], sign: int) -> None:
        arm, reward = one_round
        run = np.arange(len(arm))
        self.memory.pulls[arm, run] += sign
        self.memory.wins[arm, run] += sign * reward


# ---- what they share -----------------------------------------------------------------


def _mean(pulls: Counts, wins: Counts) -> Scores:
    return wins / np.maximum(pulls, 1)


def _unplayed_first(pulls: Counts, scores: Scores) -> Scores:
    return np.where(np.equal(pulls, 0), np.inf, scores)


def _check_number(name: str, value: Any, inside: Callable[[Any], bool], accepted: str) -> None:
    number = isinstance(value, Real) and not isinstance(value, (bool, np.timedelta64))
    if not number or not inside(value):  # NaN is inside of nothing
        raise ValueError(f"{name} must be a number in {accepted}, got {shown(value)}")


#: The baselines by name, each a function of ε, with usual values for what else they need.
BASELINES: dict[str, Callable[[float], Any]] = {
    UCB1.name: lambda eps: UCB1(),
    MOSS.name: lambda eps: MOSS(),
    BayesUCB.name: lambda eps: BayesUCB(),
    IMED.name: lambda eps: IMED(),
    Satisficing.name: lambda eps: Satisficing(one_minus(eps)),
    BetaTS.name: lambda eps: BetaTS(0.5, 0.5),
    EpsGreedy.name: lambda eps: EpsGreedy(0.1),
    ExploreThenCommit.name: lambda eps: ExploreThenCommit(20),
    EXP3.name: lambda eps: EXP3(0.05),
    SlidingWindowTS.name: lambda eps: SlidingWindowTS(500),
}

#: All policies of the package by name: those of the book, then the baselines.
ALL_POLICIES: dict[str, Callable[[float], Any]] = POLICIES | BASELINES
