"""The same law of runs as the plain engine, without visiting every round.

Once one arm leads clearly, almost every round is boring: the leader is played again. The
chance of anything else is small and can be bounded over a whole block of rounds, so the
next round that *may* be otherwise (a candidate) is drawn at once, and only candidates are
looked at. That skips rounds exactly, it approximates nothing; the chapter "Leap" proves
it. The letters are the paper's: N pulls, S wins, θ a draw from Beta(α, β).

Thompson sampling is ε-TS with ε = 0, so there is one engine. 1−ε is a fraction p/q, and
all statements about means are made in whole numbers.

What keeps the law exact: leader, threshold and length of a block depend on nothing but the
present counts, and what has been drawn is never drawn again.
"""

import math
from typing import NamedTuple

import numpy as np
from numba import njit

from lenient.exact import ceiling
from lenient.laws import is_law
from lenient.plain import child
from lenient.policies import TS, EpsTS
from lenient.result import Counts

# What was compiled is kept beside this file or in the user's cache. Where neither may be
# written, it is compiled in each session.
try:
    KEPT = True
    njit(cache=KEPT)(lambda: None)
except RuntimeError:
    KEPT = False

# Ctrl-C is heard, and the progress bar moves, after so many visited rounds.
VISITS = 100_000

# The logarithm of no envelope is lower, so that no chance underflows to 0: an envelope may
# be higher than it need be.
FAINTEST = -600.0


class Tuning(NamedTuple):
    """When to skip rounds, and how many. Any values are exact; these are fast."""

    clear: float = 1.3  # no box unless the leader is so many deviations ahead
    likely: float = 0.3  # no box whose rounds are candidates more often than this
    slack: float = 1.0  # by how much a longer block may raise the rival's tail (logarithm)
    patience: float = 1.0  # how long a block may be, in waiting times for a candidate
    tilt: float = 0.0  # raise the threshold by so many of the leader's deviations
    # A block of at most about this many rounds: beyond, NumPy's Poisson draws are off by
    # more than 1e-5 (in the logarithm of a chance).
    rounds: float = 2.0**32


class Game(NamedTuple):
    """1−ε = p/q, and when to stop."""

    p: int
    q: int
    horizon: int


# What is known of an arm, and its side of the box. A round is boring if the leader's θ is
# above x and no other θ is. `weight` bounds the chance that the arm's θ is on the wrong
# side of x: it is the mass there of the envelope exp(height − slope·|θ − x|) of its density.
ARM = np.dtype(
    [("mean", "f8"), ("N", "i8"), ("S", "i8")]
    + [("alpha", "f8"), ("beta", "f8"), ("center", "f8"), ("spread", "f8")]
    + [("sure", "b1")]  # is S/N > 1−ε, so that the score is S/N itself?
    + [("weight", "f8"), ("height", "f8"), ("slope", "f8")]
    + [("tail_height", "f8"), ("tail_slope", "f8")],  # at 1.5 deviations above the center
    align=True,
)


class Record(NamedTuple):
    """What is written down: at each time, how often each arm was played and won.

    `draws` are for this alone. How many of the rounds before a checkpoint were won does not
    matter to the run, so that the run is the same whatever is written down.
    """

    times: np.ndarray
    pulls: np.ndarray
    wins: np.ndarray
    draws: np.random.Generator


def play_block(arms, policy, times, runs, seed, advance=lambda steps: None, tuning=Tuning()):
    """Play one block of runs; return pull counts and wins (each runs × times × arms)."""
    if not isinstance(seed, np.random.SeedSequence):
        seed = np.random.SeedSequence(seed)
    game = Game(*ceiling_of(policy).as_integer_ratio(), int(times[-1]))
    start = new_arms(arms)
    arms = start.copy()
    rng, record = _generator(seed), new_record(times, runs, arms.size, seed)
    done, clock, before = 0, np.zeros(2, dtype=np.int64), 0
    while done < runs:
        done = play_runs(rng, game, tuning, start, arms, clock, record, done, VISITS)
        steps = done * game.horizon + int(clock[ROUND])
        advance(steps - before)
        before = steps
    return Counts(record.pulls, record.wins)


def new_record(times, runs, arms, seed):
    """Room for what is to be written down, and a generator that is not the runs'."""
    counts = np.zeros((2, runs, times.size, arms), dtype=np.int64)
    return Record(times, counts[0], counts[1], _generator(child(seed, 0)))


def _generator(seed):
    return np.random.Generator(np.random.SFC64(seed))


def obstacle(arms, policy):
    """Why this engine cannot play it, or None."""
    if type(policy) not in (TS, EpsTS):  # a subclass may play otherwise
        return f"knows only TS and EpsTS, got {policy!r}"
    if any(map(is_law, arms)):
        return "needs arms with rewards 0 and 1, given by their means"
    return None


def ceiling_of(policy):
    """1−ε as an exact fraction; TS has ε = 0."""
    return ceiling(getattr(policy, "eps", 0))


def new_arms(means):
    """Arms that have not been played: all posteriors are uniform."""
    arms = np.zeros(len(means), ARM)
    arms["mean"] = means
    arms["alpha"] = arms["beta"] = 1
    arms["center"], arms["spread"] = moments(1.0, 1.0)
    return arms


# ---- a run ---------------------------------------------------------------------------

ROUND, RECORD = 0, 1  # the clock: rounds played and records made
CUT = -1.0


@njit(nogil=True, cache=KEPT)
def play_runs(rng, game, tuning, start, arms, clock, record, done, visits):
    """Go on with run number `done` and play the next ones, until the visits are used up.

    Between visits the counts are all there is to know, so a run may stop anywhere.
    """
    while done < record.pulls.shape[0]:
        if clock[ROUND] == 0:
            arms[:] = start
        while clock[ROUND] < game.horizon:
            if visits == 0:
                return done
            visits -= 1
            left = game.horizon - clock[ROUND]
            arm, rounds, wins, x = _next_rounds(rng, record.draws, game, arms, tuning, left)
            alike = rounds - 1 if x == 0 else rounds
            _count_plays(game, arms, arm, rounds, wins, alike, record, done, clock)
            if x > 0:  # a round follows that may be outside the box
                arm = candidate(rng, arms, arm, x)
                won = int(rng.random() < arms[arm].mean)
                _count_plays(game, arms, arm, 1, won, 0, record, done, clock)
        clock[:] = 0
        done += 1
    return done


@njit(cache=KEPT)
def _count_plays(game, arms, arm, rounds, wins, alike, record, run, clock):
    """The arm is played for so many rounds, with so many wins: count and record them.

    If there are several, the wins are spread over the first `alike` of them, and every
    order is equally likely; what follows is at most one failure.
    """
    begin, end = clock[ROUND], clock[ROUND] + rounds
    passed, won = 0, 0
    while clock[RECORD] < record.times.size and record.times[clock[RECORD]] <= end:
        row = clock[RECORD]
        some = record.times[row] - begin - passed
        passed += some
        if passed == rounds:
            won = wins
        else:
            won += wins_among(record.draws, some, alike - passed + some, wins - won)
        for a in range(arms.size):
            record.pulls[run, row, a], record.wins[run, row, a] = arms[a].N, arms[a].S
        record.pulls[run, row, arm] += passed
        record.wins[run, row, arm] += won
        clock[RECORD] += 1
    clock[ROUND] = end
    arms[arm].N += rounds
    arms[arm].S += wins
    update(game, arms[arm])


@njit(cache=KEPT)
def wins_among(rng, some, rounds, wins):
    """How many of the wins fall into the first `some` of the rounds, in a random order.

    Devroye's rejection for log-concave laws (1987), from the mode; NumPy's hypergeometric
    draws end at 10^9.
    """
    if wins == 0 or some == 0:
        return 0
    if wins == rounds:
        return some
    mode = quotient(some + 1, wins + 1, rounds + 2)
    top = _log_chance_among(mode, some, rounds, wins)
    p = math.exp(top)
    w = 1 + p / 2
    while True:
        if rng.random() * (1 + w) <= w:
            y = rng.random() * w / p
        else:
            y = (w + rng.standard_exponential()) / p
        guess = mode + int(y + 0.5) * (1 if rng.random() < 0.5 else -1)
        if max(0, wins - rounds + some) <= guess <= min(wins, some):
            chance = _log_chance_among(guess, some, rounds, wins) - top
            if min(0.0, w - p * y) - rng.standard_exponential() <= chance:
                return guess


@njit(cache=KEPT)
def _log_chance_among(guess, some, rounds, wins):
    """ln P that a random order has `guess` of the wins in the first `some` of the rounds."""
    rest, p = rounds - some, wins / rounds
    chance = _log_binomial(guess, some, p) + _log_binomial(wins - guess, rest, p)
    return chance - _log_binomial(wins, rounds, p)


@njit(cache=KEPT)
def _log_binomial(wins, rounds, p):
    """ln P of so many wins in so many rounds."""
    return log_density(p, wins + 1.0, rounds - wins + 1.0) - math.log(rounds + 1.0)


@njit(cache=KEPT)
def update(game, arm):
    """The posterior from the counts."""
    arm.sure = compare(arm.S, arm.N, game.p, game.q) > 0
    if arm.sure:  # no θ is drawn, and α may be beyond all numbers
        return
    arm.alpha = quotient(arm.S, game.q, game.p) + 1
    arm.beta = arm.N + 2 - arm.alpha
    arm.center, arm.spread = moments(arm.alpha, arm.beta)
    arm.tail_slope = 0


@njit(cache=KEPT)
def _next_rounds(rng, draws, game, arms, tuning, left):
    """(arm, rounds, wins, x): which arm is played next, for how many rounds in a row.

    x > 0: a candidate round for the box with leader `arm` and threshold x follows. x = 0:
    the last of the rounds was a failure, or the only one. x < 0: the horizon cut them.
    """
    if arms.size == 1:  # all rounds are the same
        return 0, left, draws.binomial(left, arms[0].mean), CUT
    best, ties = _highest_sure(rng, arms)
    if ties == 1:
        return _sure_rounds(rng, draws, game, arms, tuning, best, left)
    if ties == 0:
        leader = _highest_mean(arms)
        f, x = _choose_box(arms, tuning, leader)
        if f > 0:
            chance = fill_box(arms, leader, f, x)
            if chance <= tuning.likely:
                mean = arms[leader].mean
                return boring_rounds(rng, draws, mean, leader, f, x, chance, left)
        best = highest(rng, arms, leader)
    return best, 1, int(rng.random() < arms[best].mean), 0.0


@njit(cache=KEPT)
def highest(rng, arms, leader):
    """The arm with the highest θ, in one ordinary round."""
    best, top = leader, rng.beta(arms[leader].alpha, arms[leader].beta)
    for a in range(arms.size):
        if a != leader:
            theta = _draw_above(rng, arms[a], top)
            if theta > top:
                best, top = a, theta
    return best


@njit(cache=KEPT)
def _draw_above(rng, arm, top):
    """The arm's θ if it is above `top`; else it does not matter, and need not be drawn."""
    edge = arm.center + 1.5 * arm.spread
    if top < edge or edge >= 1:
        return rng.beta(arm.alpha, arm.beta)
    if arm.tail_slope == 0:  # not known since the arm was played last
        arm.tail_slope = -_log_slope(edge, arm.alpha, arm.beta)
        arm.tail_height = log_density(edge, arm.alpha, arm.beta)
    height = arm.tail_height - arm.tail_slope * (top - edge)
    density = math.exp(height)
    if not density < arm.tail_slope:  # the envelope's mass is no chance
        return rng.beta(arm.alpha, arm.beta)
    if rng.random() * arm.tail_slope >= density:
        return 0.0
    return draw_beyond(rng, arm, top, 1, height, arm.tail_slope)


@njit(cache=KEPT)
def draw_beyond(rng, arm, x, side, height, slope):
    """From the envelope exp(height − slope·|θ − x|) beyond x, thinned to the arm's density.

    0 if thinned out.
    """
    theta = x + side * rng.standard_exponential() / slope
    if not 0 < theta < 1:
        return 0.0
    density = log_density(theta, arm.alpha, arm.beta)
    envelope = height - slope * abs(theta - x)  # at the θ that is rounded, as above
    if -rng.standard_exponential() > density - envelope:
        return 0.0
    return theta


@njit(cache=KEPT)
def _highest_mean(arms):
    """The arm whose posterior has the highest mean."""
    leader = 0
    for a in range(arms.size):
        if arms[a].center > arms[leader].center:
            leader = a
    return leader


# ---- above 1−ε -----------------------------------------------------------------------


@njit(cache=KEPT)
def _highest_sure(rng, arms):
    """The arm with the highest mean above 1−ε (one at random of several), and how many."""
    best, ties = 0, 0
    for a in range(arms.size):
        if arms[a].sure:
            order = 1
            if ties > 0:
                order = compare(arms[a].S, arms[a].N, arms[best].S, arms[best].N)
            if order > 0:
                best, ties = a, 1
            elif order == 0:
                ties += 1
                if rng.random() * ties < 1:
                    best = a
    return best, ties


@njit(cache=KEPT)
def _sure_rounds(rng, draws, game, arms, tuning, leader, left):
    """The leader plays until the failure that could take its mean down to the barrier."""
    S, N = game.p, game.q  # the barrier: 1−ε, or the best other mean above it
    for a in range(arms.size):
        if a != leader and arms[a].sure and compare(arms[a].S, arms[a].N, S, N) > 0:
            S, N = arms[a].S, arms[a].N
    # With fewer than f failures more, the mean stays above: S_L/(N_L + f − 1) > S/N.
    f = max(quotient(arms[leader].S, N, S) - arms[leader].N, 1)
    mean = arms[leader].mean
    f = min(f, 1 + int((1 - mean) * tuning.rounds))
    rounds = rounds_until_failure(rng, f, mean, left)
    if rounds > left:
        return leader, left, wins_before_failure(draws, f, mean, left), CUT
    return leader, rounds, rounds - f, 0.0


@njit(cache=KEPT)
def rounds_until_failure(rng, f, mean, left):
    """How many rounds until the f-th failure; left + 1 if it does not come in time."""
    if mean == 1:
        return left + 1
    wins = rng.standard_gamma(f) * (mean / (1 - mean))
    if wins > 2.0 * left + 1000:  # a Poisson count below left has a chance under e^-150
        return left + 1
    return min(f + rng.poisson(wins), left + 1)


@njit(cache=KEPT)
def wins_before_failure(rng, f, mean, rounds):
    """How many of the rounds are won, where it is known that fewer than f are not."""
    failures = f
    while failures >= f:
        failures = rng.binomial(rounds, 1 - mean)
    return rounds - failures


# ---- the box -------------------------------------------------------------------------


@njit(cache=KEPT)
def _choose_box(arms, tuning, leader):
    """(f, x): a block lasts until the leader's f-th failure; x is the threshold.

    f = 0 if no arm leads clearly. A matter of speed only, but the choice must depend on
    nothing but the counts.
    """
    alpha, beta = arms[leader].alpha, arms[leader].beta
    mean, sd = arms[leader].center, arms[leader].spread
    rival, ahead = _nearest_rival(arms, leader)
    if ahead < tuning.clear:
        return 0, 0.0
    x = mean - ahead * sd  # as far from the leader as from the rival
    a, b = arms[rival].alpha, arms[rival].beta
    falls, rises = -_log_slope(x, a, b), _log_slope(x, alpha, beta)
    if not (falls > 0 and rises > 0):
        return 0, 0.0
    # The chance of leaving the box is least where the two densities cross: Newton's step.
    height = log_density(x, alpha, beta)
    step = (log_density(x, a, b) - height) / (falls + rises)
    chance = math.exp(max(height + rises * step, FAINTEST)) * (1 / falls + 1 / rises)
    if not chance < tuning.likely:
        return 0, 0.0
    # A failure more moves the leader's mean down by mean/(α+β), and x with it. The rival's
    # tail above x then grows by `falls` times that, which may not be much. And there is no
    # use in a block that goes far beyond the next candidate.
    growth = tuning.slack * (alpha + beta) / (mean * falls)
    candidate_failures = tuning.patience * (1 - mean) / chance
    longest = (1 - arms[leader].mean) * tuning.rounds
    f = 1 + int(min(growth, candidate_failures, longest))
    lowest = alpha / (alpha + beta + f - 1)
    return f, x + step + tuning.tilt * sd - (mean - lowest)


@njit(cache=KEPT)
def _nearest_rival(arms, leader):
    """The arm from which the leader is fewest deviations away, and how many."""
    rival, least = leader, np.inf
    mean, sd = arms[leader].center, arms[leader].spread
    for a in range(arms.size):
        if a != leader:
            ahead = (mean - arms[a].center) / (sd + arms[a].spread)
            if ahead < least:
                rival, least = a, ahead
    return rival, least


@njit(cache=KEPT)
def fill_box(arms, leader, f, x):
    """Fill in the box; return the chance that a round is a candidate, ∞ if it is no box.

    The leader's weight holds for all states of the block, from (α, β) to the worst,
    (α, β + f − 1): where x is below the worst mean, its density below x is the largest.
    """
    if not 0 < x < 1:
        return math.inf
    total = 0.0
    for a in range(arms.size):
        arm = arms[a]
        beta, side = arm.beta, 1.0
        if a == leader:
            beta, side = beta + f - 1, -1.0
            if not x < arm.alpha / (arm.alpha + beta):
                return math.inf
        arm.slope = -side * _log_slope(x, arm.alpha, beta)
        if not arm.slope > 0:
            return math.inf
        arm.height = max(log_density(x, arm.alpha, beta), FAINTEST)
        arm.weight = math.exp(arm.height) / arm.slope
        total += arm.weight
    return total if 0 < total < 1 else math.inf


@njit(cache=KEPT)
def boring_rounds(rng, draws, mean, leader, f, x, chance, left):
    """The leader plays until its f-th failure or the next candidate round."""
    rounds = rounds_until_failure(rng, f, mean, left)
    boring = rng.standard_exponential() / -math.log1p(-chance)  # geometric, when floored
    if boring < min(rounds, left):  # the f-th failure has not come yet
        rounds = int(boring)
        return leader, rounds, wins_before_failure(rng, f, mean, rounds), x
    if rounds > left:
        return leader, left, wins_before_failure(draws, f, mean, left), CUT
    return leader, rounds, rounds - f, 0.0


@njit(cache=KEPT)
def candidate(rng, arms, leader, x):
    """The arm of a candidate round: the leader if the round turns out to be boring."""
    if arms[leader].sure:
        return leader
    total = 0.0
    for arm in arms:
        total += arm.weight
    pick, first = rng.random() * total, 0
    while first < arms.size - 1 and pick >= arms[first].weight:
        pick -= arms[first].weight
        first += 1
    # One arm's θ on the wrong side of x …
    arm, side = arms[first], -1 if first == leader else 1
    top = draw_beyond(rng, arm, x, side, arm.height, arm.slope)
    if top == 0:
        return leader
    # … and the others free. A round with n arms on the wrong side has n ways to be found.
    best, wrong = first, 1
    for a in range(arms.size):
        if a != first:
            theta = rng.beta(arms[a].alpha, arms[a].beta)
            wrong += (theta > x) != (a == leader)
            if theta > top:
                best, top = a, theta
    return leader if rng.random() * wrong >= 1 else best


# ---- Beta laws with counts up to 10^15 -----------------------------------------------


@njit(cache=KEPT)
def moments(alpha, beta):
    """Mean and standard deviation of Beta(α, β)."""
    n = alpha + beta
    mean = alpha / n
    return mean, math.sqrt(mean * (beta / n) / (n + 1))


@njit(cache=KEPT)
def _log_slope(x, alpha, beta):
    """The derivative of the log-density of Beta(α, β)."""
    return (alpha - 1) / x - (beta - 1) / (1 - x)


@njit(cache=KEPT)
def log_density(x, alpha, beta):
    """The log-density of Beta(α, β), by Loader's saddle-point form of the binomial law.

    Differences of log-gamma functions would lose 1e-6 and more from 10^9 on.
    """
    wins, losses = alpha - 1, beta - 1
    n = wins + losses
    if wins == 0:
        return math.log(n + 1) + losses * math.log1p(-x)
    if losses == 0:
        return math.log(n + 1) + wins * math.log(x)
    scale = math.log((n + 1) * (n + 1) * n / (2 * math.pi * wins * losses)) / 2
    error = _stirling_error(n) - _stirling_error(wins) - _stirling_error(losses)
    return scale + error - deviance(wins, n * x) - deviance(losses, n * (1 - x))


@njit(cache=KEPT)
def deviance(count, expected):
    """count·ln(count/expected) + expected − count, without cancellation."""
    d = (count - expected) / expected
    return expected * ((1 + d) * math.log1p(d) - d)


_SMALL = np.array(
    [0.0]
    + [
        math.lgamma(n + 1) - (n + 0.5) * math.log(n) + n - math.log(2 * math.pi) / 2
        for n in range(1, 16)
    ]
)


@njit(cache=KEPT)
def _stirling_error(n):
    """ln n! minus Stirling's formula for it."""
    if n < _SMALL.size:
        return _SMALL[int(n)]
    s = 1 / (n * n)
    return (1 / 12 - s * (1 / 360 - s * (1 / 1260 - s * (1 / 1680 - s / 1188)))) / n


# ---- whole numbers -------------------------------------------------------------------


@njit(cache=KEPT)
def quotient(a, b, c):
    """⌊a·b/c⌋, also where a·b needs more than 64 bits; from 2^61 on, at least 2^61."""
    if a < 2**31 and b < 2**31:
        return a * b // c
    whole, rest = 0, 0  # from the highest bit of a on: so far, (bits of a)·b = whole·c + rest
    for bit in range(53, -1, -1):
        if whole >= 2**61:
            break
        whole, rest = 2 * whole, 2 * rest
        if a >> bit & 1:
            whole, rest = whole + b // c, rest + b % c
        while rest >= c:
            whole, rest = whole + 1, rest - c
    return whole


@njit(cache=KEPT)
def compare(a, b, c, d):
    """The sign of a/b − c/d, from their continued fractions: no product, no overflow."""
    if b == 0:  # an arm never played has mean 0
        return -1
    if max(a, b) < 2**31 and max(c, d) < 2**31:
        return int(a * d > c * b) - int(a * d < c * b)
    sign = 1
    while True:
        m, n = a // b, c // d
        if m != n:
            return sign if m > n else -sign
        a, c = a - m * b, c - n * d
        if a == 0 or c == 0:
            return sign * (int(a > 0) - int(c > 0))
        a, b, c, d, sign = b, a, d, c, -sign
