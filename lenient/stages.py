"""A bound on the lenient regret of ε-TS that one can use, by the stage argument.

A stage is the time between two plays of a best arm, arm 1. Within a stage the law of its score
does not change, so the rounds in which every score is below a level y are waited out like the
failures before a first success (after S. Agrawal and N. Goyal). With r = 1−ε, q = y/r and
B ~ Bin(n+1, q), an arm with n plays and s successes scores above y with probability

    π(n, s; y) = P{B ≤ ⌊s/r⌋},  or 1 if s > rn,

and everything below is a sum over the rows n and, in a row, over s ~ Bin(n, μ). The letters
are those of chapter 13 of the book.

What is returned is an upper bound, floats included:

- a probability is computed from positive terms, with a relative error far below ROUNDING, and
  moved by ROUNDING to the side that raises the bound;
- in a row only a band of states s is summed; those outside cost at most e^−LOST by Bernstein's
  inequality, or less than the others in the row;
- after the last row that is summed, Chernoff's bound pays for all that follow.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from math import ceil, exp, expm1, floor, inf, lgamma, log, log1p, log10, nan
from typing import Any, NamedTuple

import numpy as np
import scipy
from numpy.typing import NDArray

from lenient._check import check_count, check_eps, check_means, shown
from lenient.divergence import kl
from lenient.exact import ceiling, floor_ratio
from lenient.gaps import GapFunction, costs
from lenient.laws import Law, check_arms, means_of

ROUNDING = 1e-9
LOST = 24.0
MOST_ROWS = 6000
SMALL = 1e-4  # a rest, in plays, for which no further row is summed
LOG_FACTORIAL = np.array([lgamma(n + 1) for n in range(MOST_ROWS + 2)])


# ------------------------------------------------------------------- the states of an arm
class _Band:
    """The states (n, s) of an arm: a line for each of the rows n, from s = low[n] on."""

    def __init__(self, n: NDArray, mean: float, r: Fraction, low: NDArray) -> None:
        high = _ends(n, mean, LOST)[1]
        s = low[:, None] + np.arange((high - low).max() + 1)
        inside = s <= high[:, None]
        self.n, s = n[:, None], np.minimum(s, n[:, None])
        log_weight = _log_choices(self.n, s) + _log_powers(self.n, s, mean)
        self.log_weight = np.where(inside, log_weight + ROUNDING, -inf)
        self.sure = s > floor_ratio(self.n, 1 / r)
        self.k = np.minimum(floor_ratio(s, r), self.n)
        self.log_choices = _log_choices(self.n + 1, self.k)

    def log_chance(self, q: float, upper: bool) -> NDArray:
        """ln π(n, s; qr), rounded up or down."""
        if q == 1:  # the level 1−ε itself
            return np.where(self.sure, 0.0, -inf)
        n, first = self.n[:, 0], self.k[:, 0]
        if not upper:  # from where B has its mass; what is left out makes π smaller
            low, high = _ends(n + 1, q, LOST)
            if (first > high).all():
                return np.where(self.sure, 0.0, log1p(-exp(-LOST)) - ROUNDING)
            first = np.minimum(first, low)
        # h = P{B ≤ k} / P{B = k}, for k = first, first+1, … by its recursion
        odds = (1 - q) / q
        h = np.ones((int((self.k[:, -1] - first).max()) + 1, n.size))
        up, down = odds * first, n + 2.0 - first
        if upper:  # P{B = k−1} / P{B = k} = up/down grows with k: a geometric sum
            h[0] = np.where(up < down, down / (down - up), inf)
        for i in range(1, len(h)):
            up += odds
            down -= 1
            h[i] += h[i - 1] * up / down
        log_p = np.log(h[self.k - first[:, None], np.arange(n.size)[:, None]])
        log_p += self.log_choices + _log_powers(self.n + 1, self.k, q)
        log_p = np.minimum(log_p + ROUNDING, 0) if upper else np.minimum(log_p, 0) - ROUNDING
        return np.where(self.sure, 0.0, log_p)

    def above(self, q: float, delta: float) -> NDArray:
        """1 where π(n, s; qr) > δ."""
        return self.log_chance(q, upper=True) > log(delta)


class _Sample:
    """Some of the states, with weights that stand for the others: to compare levels."""

    def __init__(self, rows: int, mean: float, r: Fraction, level: float) -> None:
        n = np.unique(np.append(1.1 ** np.arange(log(rows) / log(1.1)), rows) - 1).astype(int)
        width = np.r_[np.diff(n) + 1, 2] / 2 + np.r_[0, np.diff(n) - 1] / 2
        low, high = _ends(n, mean, level)
        step = (high - low) // 40 + 1
        row = np.repeat(np.arange(n.size), (high - low) // step + 1)
        s = low[row] + step[row] * (np.arange(row.size) - np.searchsorted(row, row))
        self.n = n[row]
        log_weight = _log_choices(self.n, s) + _log_powers(self.n, s, mean)
        self.log_weight = log_weight + np.log(step[row] * width[row])
        self.sure = s > floor_ratio(self.n, 1 / r)
        # between the rows ⌊s/r⌋ and a chance above δ are smooth, on average
        self.step = np.where(width[row] > 1, step[row] / float(r), 0)
        smooth = s / float(r) - (1 - 1 / r.numerator) / 2
        k = np.where(self.step > 0, smooth, floor_ratio(s, r))
        self.k = np.clip(k, 0, self.n)
        self.known: dict[float, NDArray] = {}

    def log_chance(self, q: float, upper: bool) -> NDArray:
        """ln π(n, s; qr), nearly."""
        if q not in self.known:
            chance = scipy.special.betainc(
                self.n + 1 - self.k, self.k + 1, 1 - q
            )  # P{B ≤ k}; 0 for q = 1
            self.known[q] = np.log(np.where(self.sure, 1, chance))
        return self.known[q]

    def above(self, q: float, delta: float) -> NDArray:
        """How much of a state is above δ: its ln π is spread over a step of s."""
        slope = np.log((self.n + 1 - self.k) * q / ((self.k + 1) * (1 - q)))
        spread = self.step * np.maximum(slope, 0.01) + 1e-9
        return np.clip((self.log_chance(q, True) - log(delta)) / spread + 0.5, 0, 1)


def _log_choices(n: NDArray, k: NDArray) -> NDArray:
    return LOG_FACTORIAL[n] - LOG_FACTORIAL[k] - LOG_FACTORIAL[n - k]


def _log_powers(n: NDArray, k: NDArray, p: float) -> NDArray:
    """ln p^k (1−p)^(n−k)."""
    if 0 < p < 1:
        return k * (log(p) - log1p(-p)) + n * log1p(-p)
    return np.where(k == n * p, 0.0, -inf)


def _ends(n: NDArray, p: float, level: float) -> tuple[NDArray, NDArray]:
    """a and b with P{Bin(n, p) < a} ≤ e^−level and P{Bin(n, p) > b} ≤ e^−level (Bernstein)."""
    reach = level / 3 + np.sqrt(level**2 / 9 + 2 * level * p * (1 - p) * n)
    low, high = np.floor(n * p - reach), np.floor(n * p + reach)
    return np.maximum(low, 0).astype(int), np.minimum(high, n).astype(int)


def _bands(n: NDArray, mean: float, r: Fraction, low: NDArray) -> Iterator[_Band]:
    """The rows n in portions of about the same width."""
    start = 0
    while start < n.size:
        stop = min(ceil(1.25 * start) + 32, n.size)
        yield _Band(n[start:stop], mean, r, low[start:stop])
        start = stop


# ------------------------------------------------------------------------- sums over states
def _rounds(log_weight: NDArray, log_p: NDArray, left: NDArray) -> NDArray:
    """Weight times ξ_m(p) = Σ (1−p)^i over 1 ≤ i ≤ m, that is (1 − (1−p)^m) (1−p)/p."""
    p = np.exp(log_p)
    rounds = np.exp(log_weight - log_p) * (1 - p)
    left = np.broadcast_to(left, p.shape)
    soon = left * p < 40
    rounds[soon] *= -np.expm1(left[soon] * np.log1p(-p[soon]))
    tiny = log_p < -690  # too small for a double; but ξ ≤ 1/p and ξ ≤ m
    rounds[tiny] = np.exp(log_weight[tiny] + np.minimum(-log_p[tiny], np.log(left[tiny])))
    rounds[log_weight == -inf] = 0
    return rounds


def _sums_of_best(
    states: Iterable[Any], q0: float, q1: float, c: float, T: float
) -> tuple[float, float]:
    """Z and Γ; a state is bad if that is the cheaper, c being e/(1−e)."""
    Z = Gamma = 0.0
    for some in states:
        weight, left = np.exp(some.log_weight), T - some.n
        rounds = _rounds(some.log_weight, some.log_chance(q1, False), left)
        if c > 0:
            if_bad = _rounds(some.log_weight, some.log_chance(q0, False), left)
            bad = rounds > (1 + c) * if_bad + c * weight
            rounds = np.where(bad, if_bad, rounds)
            Gamma += float((weight + rounds)[bad].sum())
        Z += float(rounds.sum())
    return Z, Gamma


def _sum_of_other(states: Iterable[Any], q0: float, q1: float, delta: float, T: float) -> float:
    """W; with delta = 1, V at the level of q1."""
    W = 0.0
    for some in states:
        p = np.exp(some.log_chance(q1, True))
        ever = np.where(p > 0, -np.expm1((T - some.n) * np.log1p(-p)), 0)
        if delta < 1:
            ever = np.maximum(ever, some.above(q0, delta))
        W += float((np.exp(some.log_weight) * ever).sum())
    return W


# ------------------------------------------------------- what the rows after the last one cost
def _geometric(first: int, rate: Any) -> Any:
    """Σ e^(−n rate) over n ≥ first."""
    return np.exp(-first * rate) / -np.expm1(-rate)


def _rest_of_misses(first: int, q: float, mu: float, r: float) -> float:
    """At least Σ E[1 − p_j] over j ≥ first: P{rB > S} by Markov's inequality for λ^(rB−S)."""
    log_lam = np.geomspace(1e-3, 50, 300)
    up = np.log(q * np.exp(r * log_lam) + 1 - q)
    rate = -up - np.log(mu * np.exp(-log_lam) + 1 - mu)
    best = np.argmax(rate)
    return float(np.exp(up[best]) * _geometric(first, rate[best])) if rate[best] > 0 else inf


def _rest_of_unlikely(first: int, z: float, mu: float) -> float:
    """At least Σ P{S_j ≤ zj} over j ≥ first, for z < μ."""
    return float(_geometric(first, kl(z, mu))) if z < mu else inf


def _rest_of_waits(first: int, q: float, mu: float, r: float) -> float:
    """At least Σ E[1/p_j − 1] over j ≥ first, as in the lemma of the sum, for q < μ."""
    if not q < mu:
        return inf
    unlucky = mu / (mu - q) * _rest_of_unlikely(first, q, mu)
    return 2 / (1 - q) * _rest_of_misses(first, q, mu, r) + unlucky


def _rests_of_best(
    first: int, q0: float, q1: float, c: float, T: float, mu: float, r: float
) -> tuple[float, float]:
    """Bounds on the rows of Z and Γ from `first` on, states being good or bad as is best."""
    if first >= T:
        return 0.0, 0.0
    choices = [(_rest_of_waits(first, q1, mu, r), 0.0)]  # all good
    if T < inf:
        choices.append(((T - first) * (T - first + 1) / 2, 0.0))
    if c > 0:
        waits = _rest_of_waits(first, q0, mu, r)
        # good: sure; or ⌊s/r⌋ ≥ q₁(j+1), where p_j ≥ 1/2, and else s < q₁rj + 2
        misses = 0.0 if q1 == 1 else 2 * _rest_of_misses(first, q1, mu, r)
        z = r if q1 == 1 else q1 * r + 2 / first
        choices.append((misses + waits, _rest_of_unlikely(first, z, mu) + waits))
    return min(choices, key=lambda rest: rest[0] + (c * rest[1] if c > 0 else 0))


def _rest_of_other(
    first: int, q0: float, q1: float, delta: float, T: float, mu: float, r: float
) -> float:
    """A bound on the rows of W from `first` on."""
    if first >= T:
        return 0.0
    x = mu + (q0 * r - mu) * np.linspace(0, 1, 42)[1:-1]
    # if s ≤ xn, then π(y₀) ≤ e^(−(n+1) d₀), soon below δ, and π(y₁) ≤ e^(−(n+1) d₁)
    d0, d1 = kl(x / r, q0), kl(np.minimum(x / r, 1), q1)
    until = np.maximum(np.ceil(-log(delta) / d0) - 1 - first, 0)
    if T < inf:
        last = np.maximum(np.ceil(log(T) / d1) - 1, first)
        ever = last - first + T * _geometric(last + 1, d1)
    else:
        ever = np.where(d1 < inf, inf, 0)
    rests = _geometric(first, kl(x, mu)) + until + ever
    return min(float(rests.min()), T - first)


# ---------------------------------------------------------------------------- the theorems
class _Game(NamedTuple):
    """What the theorems look at."""

    best: float  # μ₁
    r: Fraction  # 1−ε
    others: tuple[tuple[float, float, int], ...]  # mean, cost, number of such arms
    T: float

    @property
    def rivals(self) -> int:
        return sum(many for *_, many in self.others)

    @property
    def f_max(self) -> float:
        return max(cost for _, cost, _ in self.others)


class _Levels(NamedTuple):
    """y₀ ≤ y₁ and δ. A single level has y₀ = y₁, δ = 1, and no bad states."""

    y0: float
    y1: float
    delta: float = 1.0

    def c(self, game: _Game) -> float:
        """e/(1−e) with e = (K−1)δ; 0 for a single level."""
        e = self.delta * game.rivals if self.delta < 1 else 0.0
        return e / (1 - e)


class _Parts(NamedTuple):
    """Z, Γ, and W for each of game.others; for a single level G, 0 and V."""

    Z: float
    Gamma: float
    W: tuple[float, ...]

    def total(self, game: _Game, at: _Levels) -> float:
        """Σ f W + f_max (Z + c (Γ + Σ W))."""
        c = at.c(game)
        plays = [W * many for W, (*_, many) in zip(self.W, game.others)]
        paid = sum(N * cost for N, (_, cost, _) in zip(plays, game.others) if cost > 0)
        again = c * (self.Gamma + sum(plays)) if c > 0 else 0.0
        return (paid + game.f_max * (self.Z + again)) * (1 + ROUNDING)


class _Sums:
    """The parts of a game: of all states; or of some, fast, to compare levels."""

    @np.errstate(all="ignore")
    def __init__(self, game: _Game, fast: bool = False) -> None:
        self.game = game
        self.most = int(min(game.T, MOST_ROWS))
        self.samples: dict[float, _Sample] = {}
        if fast:
            level = LOST + log(min(game.T, 1e12))
            for mean in [game.best, *(mean for mean, *_ in game.others)]:
                self.samples[mean] = _Sample(self.most, mean, game.r, level)

    def total(self, at: _Levels) -> float:
        return self.parts(at).total(self.game, at)

    @np.errstate(all="ignore")
    def parts(self, at: _Levels) -> _Parts:
        r, c = float(self.game.r), at.c(self.game)
        q0, q1 = (min(y / r, 1.0) for y in (at.y0, at.y1))
        Z, Gamma = self._of_best(q0, q1, c)
        W = [
            self._of_other(mean, q0, q1, at.delta) if cost > 0 or c > 0 else 0.0
            for mean, cost, _ in self.game.others
        ]
        return _Parts(Z, Gamma, tuple(W))

    def _of_best(self, q0: float, q1: float, c: float) -> tuple[float, float]:
        mu, r, T = self.game.best, self.game.r, self.game.T

        def rests(first: int) -> tuple[float, float]:
            return _rests_of_best(first, q0, q1, c, T, mu, float(r))

        rows = self._rows(lambda first: max(rests(first)))
        states = self._states(mu, rows, lambda n: _low(n, mu, T, q0))
        sums = _sums_of_best(states, q0, q1, c, T)
        Z, Gamma = (_outward(s, rows) + rest for s, rest in zip(sums, rests(rows)))
        return Z, Gamma

    def _of_other(self, mu: float, q0: float, q1: float, delta: float) -> float:
        r, T = self.game.r, self.game.T
        if mu >= q0 * float(r):
            return T

        def rest(first: int) -> float:
            return _rest_of_other(first, q0, q1, delta, T, mu, float(r))

        rows = self._rows(rest)
        states = self._states(mu, rows, lambda n: _ends(n, mu, LOST)[0])
        W = _sum_of_other(states, q0, q1, delta, T)
        return min(_outward(W, rows) + rest(rows), T)

    def _rows(self, rest: Callable[[int], float]) -> int:
        """How many of them to sum: until the rest is small."""
        rows = self.most if self.samples else min(64, self.most)
        while rows < self.most and rest(rows) > SMALL:
            rows = min(ceil(1.2 * rows), self.most)
        return rows

    def _states(
        self, mu: float, rows: int, low: Callable[[NDArray], NDArray]
    ) -> Iterable[_Sample] | Iterable[_Band]:
        if self.samples:
            return [self.samples[mu]]
        n = np.arange(rows)
        return _bands(n, mu, self.game.r, low(n))


def _outward(total: float, rows: int) -> float:
    """With what states outside the bands may cost: e^−LOST, or no more than the others."""
    lost = exp(-LOST)
    return total * (1 + ROUNDING) / (1 - 2 * lost) + 2 * rows * lost


def _low(n: NDArray, mean: float, T: float, q: float) -> NDArray:
    """The first state of each row of arm 1: those below it cost at most e^−LOST.

    By Bernstein, as no state costs more than T; or, for q < μ, as the sum of P{S = s}/π over
    s < low is at most ((1−μ)/(1−q))^n / (1−q) times that of R^s, R = μ(1−q)/((1−μ)q).
    """
    low = _ends(n, mean, LOST + log(T))[0] if T < inf else 0 * n
    if q < mean < 1:
        log_R = log(mean / q) + log((1 - q) / (1 - mean))
        room = n * log((1 - q) / (1 - mean)) + log(1 - q) + log(-expm1(-log_R)) - LOST
        low = np.maximum(low, np.floor(room / log_R).astype(int))
    return low


# --------------------------------------------------------------------- the choice of levels
def _choose(game: _Game, two: bool) -> _Levels | None:
    """Levels of a small bound: steps along each axis from a first guess, halved in turn."""
    r = float(game.r)
    bottom, top = max(mean for mean, cost, _ in game.others if cost > 0), min(game.best, r)
    if not bottom < top:
        return None
    sums = _Sums(game, fast=True)
    span = (r * game.best if bottom < r * game.best else top) - bottom
    places = 3 - floor(log10(span))

    def levels(y0: float, y1: float, log_delta: float) -> _Levels:
        y0, y1 = (min(round(y, places), r) for y in (y0, y1 if two else y0))
        return _Levels(y0, y1, float(f"{exp(log_delta):.3g}") if two else 1.0)

    def cost(point: tuple[float, float, float]) -> float:
        at = levels(*point)
        allowed = bottom < at.y0 < top and at.y0 <= at.y1
        small = not two or at.delta * game.rivals < 1
        return sums.total(at) if allowed and small else inf

    best = min(
        (
            (float(y0), float(y1), log(share / game.rivals))
            for y0 in bottom + span * np.array([0.4, 0.6, 0.8])
            for y1 in ([y0 + 0.6 * (top - y0), r] if two else [0])
            for share in ([0.01, 0.1] if two else [1])
        ),
        key=cost,
    )
    least = cost(best)
    steps = np.diag([span / 10, (top - bottom) / 10, 1])[: 3 if two else 1]
    for halving in range(5):
        for step in np.concatenate([steps, -steps]) / 2**halving:
            while (here := cost(trial := tuple((best + step).tolist()))) < least:
                best, least = trial, here
    return levels(*best) if least < inf else None


def _closed_form(game: _Game) -> float:
    """Σ f (ln T / d(x/r, y/r) + 1/d(x, μ) + 1) + f_max Λ(y/r, μ₁), by a search for x and y."""
    r, bad = float(game.r), [other for other in game.others if other[1] > 0]
    bottom, top = max(mean for mean, *_ in bad), r * game.best
    if not (bottom < top and game.T < inf):
        return inf
    share = np.linspace(0, 1, 202)[1:-1]
    y = bottom + (top - bottom) * share
    bound = game.f_max * _sum_of_waits(y / r, game.best)
    for mean, cost, many in bad:
        x = mean + (y - mean) * share[:, None]
        plays = log(game.T) / kl(x / r, y / r) + 1 / kl(x, mean) + 1
        bound = bound + cost * many * plays.min(axis=0)
    return float(bound.min()) * (1 + ROUNDING)


def _sum_of_waits(q: NDArray, mu: float) -> NDArray:
    """Λ(q, μ) = 2/((1−q)(1−β²)) + μ/((μ−q)(1−e^(−d(q, μ)))) ≥ Σ E[1/p_j − 1] over all j.

    β = √(qμ) + √((1−q)(1−μ)).
    """
    # 1−β as a sum of squares: for small means, where β is nearly 1, nothing cancels
    apart = (mu - q) / (np.sqrt(mu) + np.sqrt(q)), (mu - q) / (np.sqrt(1 - mu) + np.sqrt(1 - q))
    a = (apart[0] ** 2 + apart[1] ** 2) / 2
    with np.errstate(divide="ignore"):  # means that a double can hardly hold: ∞
        return 2 / ((1 - q) * a * (2 - a)) + mu / ((mu - q) * -np.expm1(-kl(q, mu)))


# ------------------------------------------------------------------------------- in public
@dataclass(frozen=True)
class StageBound:
    """What `stage_bound` returns: R_f(T) ≤ value, and all that it was made of.

    V, W, G, Z and Γ count plays and rounds; the bounds are regrets.

    Attributes
    ----------
    horizon : float
        T, or inf.
    means : tuple of floats
        μ₁ of a best arm, then those of the others in decreasing order.
    costs : tuple of floats
        What a play of each of the others costs.
    one_level : float
        Σ f_b V_b + f_max G, for any bandit.
    y : float
        The level; nan if there is none.
    V : tuple of floats
        For each of the others, its plays with a score above y; 0 where they cost nothing, as
        they are not needed.
    G : float
        Rounds in which another arm than arm 1 is played with a score of at most y.
    two_levels : float
        Σ f_b W_b + f_max (Z + e/(1−e) (Γ + Σ W_b)).
    y0, y1, delta : float
        The levels y₀ ≤ y₁ and δ; nan and 0 if there are none.
    W : tuple of floats
        For each of the others, plays with a score above y₁, or with a chance of more than δ
        of one above y₀.
    Z, Gamma : float
        Rounds below the level that belongs to the state of arm 1, and rounds in its bad
        states (without the plays that W counts).
    closed_form : float
        The bound without sums.

    Examples
    --------
    >>> from lenient import hinge, stage_bound
    >>> bound = stage_bound([0.9, 0.6], 0.2, hinge(0.2), horizon=None)
    >>> round(bound.value, 1), bound.y1
    (9.8, 0.8)
    >>> again = bound.e / (1 - bound.e) * (bound.Gamma + bound.W[0])
    >>> round(0.1 * (bound.W[0] + bound.Z + again), 1)
    9.8

    In the book: chapter 13.
    """

    horizon: float
    means: tuple[float, ...]
    costs: tuple[float, ...]
    one_level: float
    y: float
    V: tuple[float, ...]
    G: float
    two_levels: float
    y0: float
    y1: float
    delta: float
    W: tuple[float, ...]
    Z: float
    Gamma: float
    closed_form: float

    @property
    def e(self) -> float:
        """(K−1) δ, the chance of a play between the levels that W does not count."""
        return len(self.costs) * self.delta

    @property
    def trivial(self) -> float:
        """T · f_max, which no policy exceeds."""
        f_max = max(self.costs, default=0.0)
        return self.horizon * f_max if f_max > 0 else 0.0

    @property
    def value(self) -> float:
        """The bound on the lenient regret, the least of the four."""
        return min(self.one_level, self.two_levels, self.closed_form, self.trivial)


def stage_bound(
    means: Iterable[float | Law],
    eps: float,
    gap: GapFunction,
    horizon: float | None,
) -> StageBound:
    """A bound on the lenient regret of ε-TS at every horizon T, by the stage argument.

    One level: Σ f_b V_b + f_max G, on every bandit; arms that cost nothing do not change it.
    Two levels: Σ f_b W_b + f_max (Z + e/(1−e) (Γ + Σ W_b)), mostly smaller if there are no
    such arms; if μ* > 1−ε and all other means are below (1−ε)μ*, it holds for all T at once.
    The closed form is of the order of ln T for any bandit whose costly arms have means below
    (1−ε)μ*. Also for TS, which is ε-TS with ε = 0.

    Levels are found by a search. The sums over binomial laws are rounded up, and stop where
    what follows is below 10⁻⁴ plays, or after 6000 rows; in either case a Chernoff bound for
    what follows is added, so that the result is an upper bound in any case. It is loose where
    6000 plays do not tell the arms apart.

    Parameters
    ----------
    means : list of numbers and laws
        The arms. Only the mean of a law counts, as ε-TS rounds rewards to 0 and 1.
    eps : float
        The leniency ε of ε-TS, in [0, 1).
    gap : GapFunction
        f; or any criterion with costs of at least 0 that does not charge for a best arm.
    horizon : int or None
        T. None or inf: a bound for all T.

    Returns
    -------
    StageBound
        The bound as `value`, with its parts by name.

    Examples
    --------
    >>> from lenient import hinge
    >>> bound = stage_bound([0.5, 0.2], 0.1, hinge(0.1), horizon=1000)
    >>> round(bound.closed_form, 1), round(bound.one_level, 1), round(bound.two_levels, 1)
    (157.6, 24.1, 16.8)

    Arms with gaps of at most ε do not change the bound of one level:

    >>> bound.one_level == stage_bound([0.5, 0.47, 0.2], 0.1, hinge(0.1), 1000).one_level
    True

    In the book: chapter 13.
    """
    T = inf if horizon is None or _is_inf(horizon) else _count(horizon)
    r = ceiling(check_eps(eps))
    mus = check_means(np.clip(means_of(check_arms(means)), 0, 1))
    paid = costs(gap, mus)
    best = int(np.lexsort((-paid, mus))[-1])
    if paid.min() < 0 or paid[best] != 0:
        raise ValueError(
            f"gap must give costs of at least 0, and 0 for a best arm, got {paid.tolist()}"
        )
    rest = sorted(
        zip(np.delete(mus, best).tolist(), np.delete(paid, best).tolist()), reverse=True
    )
    names = (T, (float(mus[best]), *(mu for mu, _ in rest)), tuple(f for _, f in rest))
    if not paid.any():
        none = (0.0,) * len(rest)
        return StageBound(*names, 0.0, nan, none, 0.0, 0.0, nan, nan, 0.0, none, 0.0, 0.0, 0.0)
    others = tuple((mu, f, many) for (mu, f), many in Counter(rest).items())
    game = _Game(float(mus[best]), r, others, T)
    (one, y, _, _, V, G, _), (two, y0, y1, delta, W, Z, Gamma) = (
        _best_bound(game, two) for two in (False, True)
    )
    closed = _closed_form(game)
    return StageBound(*names, one, y, V, G, two, y0, y1, delta, W, Z, Gamma, closed)


def _best_bound(game: _Game, two: bool) -> tuple[Any, ...]:
    """The bound, its levels and its parts, one for each arm."""
    at = _choose(game, two) if two or game.T < inf else None
    if at is None:
        return inf, nan, nan, 0.0, (inf,) * game.rivals, inf, inf
    parts = _Sums(game).parts(at)
    W = [W for W, (*_, many) in zip(parts.W, game.others) for _ in range(many)]
    return parts.total(game, at), *at, tuple(W), parts.Z, parts.Gamma


def _is_inf(horizon: Any) -> bool:
    return isinstance(horizon, (float, np.floating)) and bool(horizon == inf)


def _count(horizon: Any) -> float:
    """T as a float, as the sums need it."""
    try:
        return float(check_count("horizon", horizon))
    except ValueError:
        raise ValueError(
            f"horizon must be a whole number of at least 1, or None, got {shown(horizon)}"
        ) from None
    except OverflowError:  # T > 1e308
        return inf
