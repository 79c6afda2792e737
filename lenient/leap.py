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

from lenient.beta import KEPT, log_density, log_slope, moments, version_of
from lenient.borrow import borrowed
from lenient.duel import DUEL, chance_to_win, forget, meet, shift  # noqa: F401
from lenient.exact import ceiling
from lenient.laws import is_law
from lenient.plain import child
from lenient.policies import TS, EpsTS
from lenient.result import Counts

# Ctrl-C is heard, and the progress bar moves, after so many visited rounds.
VISITS = 100_000

# The logarithm of no envelope is lower, so that no chance underflows to 0: an envelope may
# be higher than it need be.
FAINTEST = -600.0


class Tuning(NamedTuple):
    """When to skip rounds, and how many. Any values are exact; these are fast."""

    clear: float = 1.6  # no box unless the leader is so many deviations ahead
    likely: float = 0.1  # no box whose rounds are candidates more often than this
    rare: float = 0.01  # only a box with fewer candidates is better than a duel
    even: float = 0.0005  # no duel in which either arm wins less often than this
    aside: float = 0.9  # no duel with a larger W, as a part of the rarer winner's chance
    stretch: int = 1000  # a duel lasts for at most so many rounds
    rests: int = 16  # at most so many plain rounds after a try that came to nothing
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
    + [("tail_height", "f8"), ("tail_slope", "f8")]  # at 1.5 deviations above the center
    + [("crowd", "b1")]
    + [("crowd_weight", "f8"), ("crowd_height", "f8"), ("crowd_slope", "f8")],
    align=True,
)

# Arms far behind: that one of them is above y has a chance of at most `weight`.
CROWD = np.dtype([("y", "f8"), ("weight", "f8"), ("rounds", "i8")], align=True)


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
    duel, crowd = np.zeros(1, DUEL), np.zeros(1, CROWD)
    while done < runs:
        done = play_runs(
            rng, game, tuning, start, arms, duel, crowd, clock, record, done, VISITS
        )
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
    arms["center"], arms["spread"] = moments.py_func(1.0, 1.0)
    return arms


# ---- a run ---------------------------------------------------------------------------

ROUND, RECORD = 0, 1  # the clock: rounds played and records made
CUT = -1.0
ENDLESS = 2**62


def compiled(version):
    """`play_runs`. It is compiled with all that it calls, and that is kept as a whole."""

    @njit(nogil=True, cache=KEPT)
    def play_runs(rng, game, tuning, start, arms, duel, crowd, clock, record, done, visits):
        """Go on with run number `done` and play the next ones, until the visits are used up.

        Between visits the counts and the duel are all there is to know, so a run may stop
        anywhere.
        """
        _ = version
        rng, start, arms, duel = borrowed(rng), borrowed(start), borrowed(arms), borrowed(duel)
        clock, crowd = borrowed(clock), borrowed(crowd)
        record = Record(
            borrowed(record.times),
            borrowed(record.pulls),
            borrowed(record.wins),
            borrowed(record.draws),
        )
        return _go_on(rng, game, tuning, start, arms, duel, crowd, clock, record, done, visits)

    return play_runs


ENGINE = (moments.__module__, borrowed.__module__, meet.__module__, __name__)
play_runs = compiled(version_of(*ENGINE))


@njit
def _go_on(rng, game, tuning, start, arms, duel, crowd, clock, record, done, visits):
    while done < record.pulls.shape[0]:
        if clock[ROUND] == 0:
            arms[:] = start
            forget(duel[0])
            crowd[0].rounds = 0
        while clock[ROUND] < game.horizon:
            if visits <= 0:
                return done
            begin, due = clock[ROUND], _next_time(record, clock)
            stop = min(game.horizon, due, begin + visits)
            now, leader, f, x, chance = play_singly(
                rng, game, tuning, arms, duel, crowd, begin, stop
            )
            clock[ROUND] = now
            visits -= now - begin
            if now == due:
                _write_down(arms, record, done, clock)
            if leader >= 0:
                visits -= 1
                left = game.horizon - now
                arm, rounds, wins, x = _block(
                    rng, record.draws, game, arms, tuning, leader, f, x, chance, left
                )
                alike = rounds - 1 if x == 0 else rounds
                _count_plays(game, arms, arm, rounds, wins, alike, record, done, clock)
                if x > 0:  # a round follows that may be outside the box
                    arm = candidate(rng, arms, arm, x)
                    won = int(rng.random() < arms[arm].mean)
                    _count_plays(game, arms, arm, 1, won, 0, record, done, clock)
        clock[:] = 0
        done += 1
    return done


@njit
def _count_plays(game, arms, arm, rounds, wins, alike, record, run, clock):
    """The arm is played for so many rounds, with so many wins: count and record them.

    If there are several, the wins are spread over the first `alike` of them, and every
    order is equally likely; what follows is at most one failure.
    """
    begin, end = clock[ROUND], clock[ROUND] + rounds
    passed, won = 0, 0
    while _next_time(record, clock) <= end:
        some = _next_time(record, clock) - begin - passed
        passed += some
        if passed == rounds:
            won = wins
        else:
            won += wins_among(record.draws, some, alike - passed + some, wins - won)
        row = _write_down(arms, record, run, clock)
        record.pulls[run, row, arm] += passed
        record.wins[run, row, arm] += won
    clock[ROUND] = end
    arms[arm].N += rounds
    arms[arm].S += wins
    update(game, arms[arm])


@njit
def _next_time(record, clock):
    """When something is to be written down next."""
    return record.times[clock[RECORD]] if clock[RECORD] < record.times.size else ENDLESS


@njit
def _write_down(arms, record, run, clock):
    """Write down the counts; return the row into which they went."""
    row = clock[RECORD]
    for a in range(arms.size):
        record.pulls[run, row, a], record.wins[run, row, a] = arms[a].N, arms[a].S
    clock[RECORD] += 1
    return row


@njit
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


@njit
def _log_chance_among(guess, some, rounds, wins):
    """ln P that a random order has `guess` of the wins in the first `some` of the rounds."""
    rest, p = rounds - some, wins / rounds
    chance = _log_binomial(guess, some, p) + _log_binomial(wins - guess, rest, p)
    return chance - _log_binomial(wins, rounds, p)


@njit
def _log_binomial(wins, rounds, p):
    """ln P of so many wins in so many rounds."""
    return log_density(p, wins + 1.0, rounds - wins + 1.0) - math.log(rounds + 1.0)


@njit
def update(game, arm):
    """The posterior from the counts."""
    arm.tail_slope, arm.crowd = 0, False
    arm.sure = compare(arm.S, arm.N, game.p, game.q) > 0
    if arm.sure:  # no θ is drawn, and α may be beyond all numbers
        return
    arm.alpha = quotient(arm.S, game.q, game.p) + 1
    arm.beta = arm.N + 2 - arm.alpha
    arm.center, arm.spread = moments(arm.alpha, arm.beta)


@njit
def play_singly(rng, game, tuning, arms, duels, crowd, t, stop):
    """Play single rounds up to time `stop`, or until many rounds can be skipped.

    (t, leader, f, x, chance): leader < 0 if it is time to stop, f = 0 if it is above 1−ε.
    Between rounds the counts and the duel are all there is to know.
    """
    duel = duels[0]
    while t < stop:
        if duel.left > 0:
            t = duel_rounds(rng, game, tuning, arms, duels, t, stop)
            continue
        leader, sure = _highest_mean(arms)
        if arms.size == 1:
            return t, 0, 0, 0.0, 0.0
        if sure:
            leader, ties = _highest_sure(rng, arms)
            if ties == 1:
                return t, leader, 0, 0.0, 0.0
        elif duel.rest > 0:
            duel.rest -= 1
            leader = highest(rng, arms, crowd, leader)
        else:
            rival, ahead = _nearest_rival(arms, leader)
            f, x, chance = 0, 0.0, math.inf
            if ahead > tuning.clear:
                f, x = _choose_box(arms, tuning, leader, rival, ahead)
                if f > 0:
                    chance = fill_box(arms, leader, f, x)
                    if chance <= tuning.rare:
                        duel.next_rest = 1
                        return t, leader, f, x, chance
            if challenge(game, tuning, arms, duels, leader, rival):
                duel.next_rest = 1
                continue
            if chance <= tuning.likely:
                duel.next_rest = 1
                return t, leader, f, x, fill_box(arms, leader, f, x)
            duel.rest = min(duel.next_rest, tuning.rests)
            duel.next_rest = 2 * duel.rest
            leader = highest(rng, arms, crowd, leader)
        arm = arms[leader]
        arm.N += 1
        arm.S += rng.random() < arm.mean
        update(game, arm)
        t += 1
    return t, -1, 0, 0.0, 0.0


@njit
def _block(rng, draws, game, arms, tuning, leader, f, x, chance, left):
    """(arm, rounds, wins, x): the arm is played for so many rounds in a row.

    x > 0: a candidate round for the box with leader `arm` and threshold x follows. x = 0:
    the last of the rounds was a failure. x < 0: the horizon cut them.
    """
    if arms.size == 1:  # all rounds are the same
        return 0, left, draws.binomial(left, arms[0].mean), CUT
    if f == 0:
        return _sure_rounds(rng, draws, game, arms, tuning, leader, left)
    return boring_rounds(rng, draws, arms[leader].mean, leader, f, x, chance, left)


@njit
def highest(rng, arms, crowd, leader):
    """The arm with the highest θ, in one ordinary round.

    The arms of the crowd are far behind. That one of them is above y is drawn at once, like
    a candidate; else all are below, and none matters unless all others are below, too.
    """
    if crowd[0].rounds == 0 or arms[leader].crowd:
        gather_crowd(arms, crowd, leader)
    crowd[0].rounds -= 1
    best, top, y = -1, 0.0, crowd[0].y
    if rng.random() < crowd[0].weight:
        best, top = _highest_of_crowd(rng, arms, crowd)
    below = best < 0
    theta = rng.beta(arms[leader].alpha, arms[leader].beta)
    if theta > top:
        best, top = leader, theta
    for a in range(arms.size):
        if a != leader and not arms[a].crowd:
            theta = _draw_above(rng, arms[a], top)
            if theta > top:
                best, top = a, theta
    if below and top < y:
        for a in range(arms.size):
            if arms[a].crowd:
                theta = 1.0
                while theta > y:
                    theta = rng.beta(arms[a].alpha, arms[a].beta)
                if theta > top:
                    best, top = a, theta
    return best


@njit
def gather_crowd(arms, crowd, leader):
    """Which arms are hardly ever above y, and never matter when they are below."""
    y = arms[leader].center - 2 * arms[leader].spread
    total = 0.0
    for a in range(arms.size):
        arm = arms[a]
        arm.crowd = False
        if a != leader and 0 < arm.center + 2 * arm.spread < y:
            slope = -log_slope(y, arm.alpha, arm.beta)
            height = log_density(y, arm.alpha, arm.beta)
            weight = math.exp(height) / slope if slope > 0 else math.inf
            if weight < 0.02 and total + weight < 0.5:
                arm.crowd = True
                arm.crowd_weight, arm.crowd_height, arm.crowd_slope = weight, height, slope
                total += weight
    crowd[0].y, crowd[0].weight, crowd[0].rounds = y, total, 64


@njit
def _highest_of_crowd(rng, arms, crowd):
    """(arm, θ) of the highest in the crowd if it is above y; else (−1, 0).

    An arm that has been played since has left the crowd: its part of the weight is void.
    """
    y, pick, first = crowd[0].y, rng.random() * crowd[0].weight, -1
    for a in range(arms.size):
        if arms[a].crowd:
            if pick < arms[a].crowd_weight:
                first = a
                break
            pick -= arms[a].crowd_weight
    if first < 0:
        return -1, 0.0
    arm = arms[first]
    best, top = first, draw_beyond(rng, arm, y, 1, arm.crowd_height, arm.crowd_slope)
    if top == 0:
        return -1, 0.0
    above = 1
    for a in range(arms.size):
        if arms[a].crowd and a != first:
            theta = rng.beta(arms[a].alpha, arms[a].beta)
            above += theta > y
            if theta > top:
                best, top = a, theta
    if rng.random() * above >= 1:
        return -1, 0.0
    return best, top


@njit
def _draw_above(rng, arm, top):
    """The arm's θ if it is above `top`; else it does not matter, and need not be drawn."""
    edge = arm.center + 1.5 * arm.spread
    if top < edge or edge >= 1:
        return rng.beta(arm.alpha, arm.beta)
    if arm.tail_slope == 0:  # not known since the arm was played last
        arm.tail_slope = -log_slope(edge, arm.alpha, arm.beta)
        arm.tail_height = log_density(edge, arm.alpha, arm.beta)
    height = arm.tail_height - arm.tail_slope * (top - edge)
    density = math.exp(height)
    if not density < arm.tail_slope:  # the envelope's mass is no chance
        return rng.beta(arm.alpha, arm.beta)
    if rng.random() * arm.tail_slope >= density:
        return 0.0
    return draw_beyond(rng, arm, top, 1, height, arm.tail_slope)


@njit
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


@njit
def _highest_mean(arms):
    """The arm whose posterior has the highest mean; and whether any arm is above 1−ε."""
    leader, sure = 0, False
    for a in range(arms.size):
        sure |= arms[a].sure
        if arms[a].center > arms[leader].center:
            leader = a
    return leader, sure


# ---- above 1−ε -----------------------------------------------------------------------


@njit
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


@njit
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


@njit
def rounds_until_failure(rng, f, mean, left):
    """How many rounds until the f-th failure; left + 1 if it does not come in time."""
    if mean == 1:
        return left + 1
    wins = rng.standard_gamma(f) * (mean / (1 - mean))
    if wins > 2.0 * left + 1000:  # a Poisson count below left has a chance under e^-150
        return left + 1
    return min(f + rng.poisson(wins), left + 1)


@njit
def wins_before_failure(rng, f, mean, rounds):
    """How many of the rounds are won, where it is known that fewer than f are not."""
    failures = f
    while failures >= f:
        failures = rng.binomial(rounds, 1 - mean)
    return rounds - failures


# ---- the box -------------------------------------------------------------------------


@njit
def _choose_box(arms, tuning, leader, rival, ahead):
    """(f, x): a block lasts until the leader's f-th failure; x is the threshold.

    f = 0 if no arm leads clearly. A matter of speed only, but the choice must depend on
    nothing but the counts.
    """
    alpha, beta = arms[leader].alpha, arms[leader].beta
    mean, sd = arms[leader].center, arms[leader].spread
    x = mean - ahead * sd  # as far from the leader as from the rival
    a, b = arms[rival].alpha, arms[rival].beta
    falls, rises = -log_slope(x, a, b), log_slope(x, alpha, beta)
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


@njit
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


@njit
def fill_box(arms, leader, f, x):
    """Fill in the box; return the chance that a round is a candidate, ∞ if it is no box.

    The leader's weight holds for all states of the block, from (α, β) to the worst,
    (α, β + f − 1): where x is below the worst mean, its density below x is the largest.
    """
    if not 0 < x < 1:
        return math.inf
    total = 0.0
    for a in range(arms.size):
        if a == leader:
            total += low_tail(arms[a], f, x)
        else:
            total += high_tail(arms[a], x)
    return total if 0 < total < 1 else math.inf


@njit
def low_tail(arm, f, x):
    """Fill in the envelope at or below x, for fewer than f failures more; return its mass."""
    beta = arm.beta + f - 1
    if not x < arm.alpha / (arm.alpha + beta):
        return math.inf
    return _fill_tail(arm, log_slope(x, arm.alpha, beta), log_density(x, arm.alpha, beta))


@njit
def high_tail(arm, x):
    """Fill in the envelope above x, for an arm that is not played; return its mass."""
    slope = -log_slope(x, arm.alpha, arm.beta)
    return _fill_tail(arm, slope, log_density(x, arm.alpha, arm.beta))


@njit
def _fill_tail(arm, slope, height):
    if not slope > 0:
        return math.inf
    arm.slope, arm.height = slope, max(height, FAINTEST)
    arm.weight = math.exp(arm.height) / slope
    return arm.weight


@njit
def boring_rounds(rng, draws, mean, leader, f, x, chance, left):
    """The leader plays until its f-th failure or the next candidate round."""
    boring = rng.standard_exponential() / -math.log1p(-chance)  # geometric, when floored
    rounds = left + 1
    if boring >= f:  # f failures take as many rounds at least
        rounds = rounds_until_failure(rng, f, mean, left)
    if boring < min(rounds, left):  # the f-th failure has not come yet
        rounds = int(boring)
        return leader, rounds, wins_before_failure(rng, f, mean, rounds), x
    if rounds > left:
        return leader, left, wins_before_failure(draws, f, mean, left), CUT
    return leader, rounds, rounds - f, 0.0


@njit
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


# ---- the duel ------------------------------------------------------------------------


@njit
def challenge(game, tuning, arms, duels, first, second):
    """Let the two arms that are hardest to tell apart play it out, if that is worth it."""
    duel = duels[0]
    if tuning.even > 0.5:
        return False
    meet(duel, arms, first, second)
    least = min(duel.h, 1 - duel.h)
    if least < tuning.even:
        return False
    duel.chance = 0.0
    duel.f = duel.k = ENDLESS
    if arms.size > 2:
        duel.chance = fill_duel(arms, tuning, duels)
    if not duel.chance <= tuning.aside * least:
        duel.x = duel.better_x if duel.x > 0 else 0.0
        return False
    duel.left = min(duel.good_for, tuning.stretch)
    one, two = arms[first], arms[second]
    duel.over = one.S * game.q - quotient(one.S, game.q, game.p) * game.p
    duel.over_two = two.S * game.q - quotient(two.S, game.q, game.p) * game.p
    return True


@njit
def fill_duel(arms, tuning, duels):
    """Fill in the box of a duel with bystanders; return the chance of a candidate."""
    duel = duels[0]
    first, second, x = duel.first, duel.second, duel.x
    if x == 0:
        x = _threshold(arms, tuning, first, second)
    duel.x = 0
    duel.f, low = _fill_leader(arms[first], tuning, x)
    duel.k, also = _fill_leader(arms[second], tuning, x)
    if low == also == 1:
        return math.inf
    high, falls = 0.0, 0.0
    for a in range(arms.size):
        if a != first and a != second:
            weight = high_tail(arms[a], x)
            high += weight
            falls += weight * arms[a].slope
    if not high < 1:
        return math.inf
    duel.x = x
    rises = (arms[first].slope if low < 1 else 0) + (arms[second].slope if also < 1 else 0)
    # For the next time, where the two parts are alike: Newton's step.
    step = math.log(max(high, 1e-300) / max(low * also, 1e-300))
    duel.better_x = x + max(min(step, 2), -2) / (rises + falls / max(high, 1e-300))
    return high + low * also


@njit
def _threshold(arms, tuning, first, second):
    """Between the bystanders and the better of the two."""
    best = arms[first] if arms[first].center > arms[second].center else arms[second]
    x, least = 0.0, np.inf
    for a in range(arms.size):
        if a != first and a != second:
            ahead = (best.center - arms[a].center) / (best.spread + arms[a].spread)
            if ahead < least:
                least, x = ahead, best.center - ahead * best.spread
    return x + tuning.tilt * best.spread


@njit
def _fill_leader(arm, tuning, x):
    """(f, weight): the envelope at or below x; (ENDLESS, 1) if none is better than that."""
    if x < arm.center:
        f = 1 + int(tuning.slack * (1 - arm.center) / (arm.center - x))
        weight = low_tail(arm, f, x)
        if weight < 1:
            return f, weight
    arm.weight = 1
    return ENDLESS, 1.0


@njit
def duel_rounds(rng, game, tuning, arms, duels, t, stop):
    """Play the duel up to time `stop`, or until it ends; return the time."""
    duel = duels[0]
    one, two = arms[duel.first], arms[duel.second]
    mean, mean_two, chance = one.mean, two.mean, duel.chance
    h, g, a, b, c, d = duel.h, duel.g, duel.a, duel.b, duel.c, duel.d
    p, jump, part = game.p, game.q // game.p, game.q % game.p
    over, over_two, f, k = duel.over, duel.over_two, duel.f, duel.k
    begin, end = t, min(stop, t + duel.left)
    low = max(chance, tuning.even)
    # Divisions are slow, so they are made a round ahead.
    part_a, part_b, part_c, part_d, n = 1 / a, 1 / b, 1 / c, 1 / d, a + b + c + d
    part_n = 1 / n
    ended = False
    while t < end and not ended:
        if not low <= h <= 1 - low:
            ended = True
            break
        t += 1
        n += 1  # of the counts before and those after the round
        u = rng.random()
        first = u < h
        if u < chance or u >= 1 - chance:
            one.alpha, one.beta, two.alpha, two.beta = a, b, c, d
            arm = duel_candidate(rng, arms, duel, chance, first)
            won = rng.random() < arms[arm].mean
            if arm != duel.first and arm != duel.second:
                arms[arm].N += 1
                arms[arm].S += won
                update(game, arms[arm])
                ended = True
                break
            first = arm == duel.first
        elif first:
            won = u - chance < mean * (h - chance)
        else:
            won = u - h < mean_two * (1 - chance - h)
        if first:
            one.N += 1
            if won:
                one.S += 1
                over += part
                up, to = a + jump, b + 1 - jump
                if over >= p:
                    over -= p
                    up, to = up + 1, to - 1
                if to < 1 or (to == 1 and over > 0) or up > a + 8:
                    ended = True
                    break
                if to == b:  # a step of one, as `shift` makes it
                    h += g * part_a
                    g *= (a + c) * (a + b) * part_a * part_n
                else:
                    h, g = shift(h, g, a, b, c, d, up, to)
                a, b = up, to
                part_a, part_b = 1 / a, 1 / b
            else:
                h -= g * part_b
                g *= (b + d) * (a + b) * part_b * part_n
                b += 1
                part_b = 1 / b
                f -= 1
                ended = f == 0
        else:
            two.N += 1
            if won:
                two.S += 1
                over_two += part
                up, to = c + jump, d + 1 - jump
                if over_two >= p:
                    over_two -= p
                    up, to = up + 1, to - 1
                if to < 1 or (to == 1 and over_two > 0) or up > c + 8:
                    ended = True
                    break
                if to == d:
                    h -= g * part_c
                    g *= (a + c) * (c + d) * part_c * part_n
                else:
                    rest, g = shift(1 - h, g, c, d, a, b, up, to)
                    h = 1 - rest
                c, d = up, to
                part_c, part_d = 1 / c, 1 / d
            else:
                h += g * part_d
                g *= (b + d) * (c + d) * part_d * part_n
                d += 1
                part_d = 1 / d
                k -= 1
                ended = k == 0
        part_n = 1 / n
    duel.h, duel.g, duel.a, duel.b, duel.c, duel.d = h, g, a, b, c, d
    duel.over, duel.over_two, duel.f, duel.k = over, over_two, f, k
    duel.good_for -= t - begin
    duel.left = 0 if ended else duel.left - (t - begin)
    if duel.left == 0:
        duel.x = duel.better_x
    update(game, one)
    update(game, two)
    return t


@njit
def _draw_low(rng, arm, x):
    """The arm's θ at or below x, from its envelope if it has one; 0 if there is none."""
    if arm.weight < 1:
        return draw_beyond(rng, arm, x, -1, arm.height, arm.slope)
    theta = rng.beta(arm.alpha, arm.beta)
    return theta if theta <= x else 0.0


@njit
def duel_candidate(rng, arms, duel, chance, first_wins):
    """The arm of a candidate round of a duel."""
    winner = duel.first if first_wins else duel.second
    x = duel.x
    one, two = arms[duel.first], arms[duel.second]
    pick, first = rng.random() * chance, -1
    for a in range(arms.size):
        if a != duel.first and a != duel.second:
            if pick < arms[a].weight:
                first = a
                break
            pick -= arms[a].weight
    if first >= 0:
        top = draw_beyond(rng, arms[first], x, 1, arms[first].height, arms[first].slope)
        if top == 0:
            return winner
        mine, his = rng.beta(one.alpha, one.beta), rng.beta(two.alpha, two.beta)
    else:
        mine = _draw_low(rng, one, x)
        if mine == 0:
            return winner
        his = _draw_low(rng, two, x)
        if his == 0:
            return winner
        top = 0.0
    if (mine > his) != first_wins:
        return winner
    best, ways = first, int(max(mine, his) <= x) + int(first >= 0)
    for a in range(arms.size):
        if a != duel.first and a != duel.second and a != first:
            theta = rng.beta(arms[a].alpha, arms[a].beta)
            ways += theta > x
            if theta > top:
                best, top = a, theta
    if rng.random() * ways >= 1 or max(mine, his) > top:
        return winner
    return best


# ---- whole numbers -------------------------------------------------------------------


@njit
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


@njit
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
