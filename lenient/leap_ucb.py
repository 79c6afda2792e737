"""Leaping for index rules: KL-UCB and its lenient forms, without visiting every round.

The rule plays the arm with the highest score max(S/N, g(U)), where U is the largest mean q
with N·d(S/N, q) ≤ ln t and g says what a mean of q is worth (`lenient.policies.Discount`).
Nothing is drawn at random but the rewards, and lots between equal scores. While one arm
plays, the others' counts stand still, and their scores grow with ln t alone; when they
reach a given height can be computed.

So a block is: the leader plays until its f-th failure, or up to the last round in which all
rivals are still below m. Here m is the leader's score after f−1 failures with no further
win, at the present t. Another win, and a later round, can only raise the score, and with
them it is at least m during the whole block; a failure more would be needed to end that.
The leader's score is above all others in each round of the block: that is no approximation.
Scores that are means are compared as fractions, indices are computed to 1e-13.

The letters are the paper's: N pulls, S wins, and F = N − S failures.
"""

import math
from typing import NamedTuple

import numpy as np
from numba import njit

from lenient.beta import KEPT, version_of
from lenient.exact import in_places
from lenient.laws import is_law
from lenient.leap import (
    ENGINE,
    VISITS,
    compare,
    new_record,
    rounds_until_failure,
    wins_among,
    wins_before_failure,
)
from lenient.policies import discount_of
from lenient.result import Counts

KINDS = {"none": 0, "additive": 1, "multiplicative": 2, "threshold": 3, "squeezed": 4}
NONE, ADDITIVE, MULTIPLICATIVE, THRESHOLD, SQUEEZED = KINDS.values()

# A block stops short of the round in which a rival may catch up, by this in ln t: its score
# then decides, as in the plain engine, and not the inverse that is used here.
MARGIN = 1e-12

# A block of at most about this many rounds: beyond, NumPy's Poisson draws are off by more
# than 1e-5 (in the logarithm of a chance).
LONGEST = 2.0**32


class Rule(NamedTuple):
    """What g is, with g(1) = p/q, and when to stop."""

    kind: int
    p: int
    q: int
    horizon: int


# What is known of an arm. A score that is a mean or g(1) is known exactly, as num/den.
ARM = np.dtype(
    [("mu", "f8"), ("N", "i8"), ("S", "i8")]
    + [("score", "f8"), ("exact", "b1"), ("num", "i8"), ("den", "i8")],
    align=True,
)


def play_block(arms, policy, times, runs, seed, advance=lambda steps: None):
    """Play one block of runs; return pull counts and wins (each runs × times × arms)."""
    if not isinstance(seed, np.random.SeedSequence):
        seed = np.random.SeedSequence(seed)
    kind, top = discount_of(policy)
    rule = Rule(KINDS[kind], *in_places(top).as_integer_ratio(), int(times[-1]))
    means, arms = arms, np.zeros(len(arms), ARM)
    arms["mu"] = means
    rng = np.random.Generator(np.random.SFC64(seed))
    record = new_record(times, runs, arms.size, seed)
    done, clock, before = 0, np.zeros(2, dtype=np.int64), 0
    while done < runs:
        done = play_runs(rng, rule, arms, clock, record, done, VISITS)
        steps = done * rule.horizon + int(clock[ROUND])
        advance(steps - before)
        before = steps
    return Counts(record.pulls, record.wins)


def obstacle(arms, policy):
    """Why this engine cannot play it, or None."""
    if any(map(is_law, arms)):
        return "needs arms with rewards 0 and 1, given by their means"
    if discount_of(policy) is None:
        return f"knows only TS, EpsTS and index rules such as KLUCB, got {policy!r}"
    return None


# ---- a run ---------------------------------------------------------------------------

ROUND, RECORD = 0, 1  # the clock: rounds played and records made


def compiled(version):
    """`play_runs`, kept as that of `lenient.leap` is."""

    @njit(nogil=True, cache=KEPT)
    def play_runs(rng, rule, arms, clock, record, done, visits):
        """Go on with run number `done` and play the next ones, until the visits are used up.

        Between visits the counts are all there is to know, so a run may stop anywhere.
        """
        _ = version
        while done < record.pulls.shape[0]:
            if clock[ROUND] == 0:
                for a in range(arms.size):
                    arms[a].N = arms[a].S = 0
            while clock[ROUND] < rule.horizon:
                if visits == 0:
                    return done
                visits -= 1
                t = clock[ROUND] + 1
                arm, ties = highest(rng, rule, arms, math.log(t))
                f, last = 1, t
                if ties == 1 and arms[arm].N > 0:
                    f, last = choose_block(rule, arms, arm, t)
                rounds, wins, alike = draw_rounds(rng, arms, arm, f, last - t + 1)
                count_plays(arms, arm, rounds, wins, alike, record, done, clock)
            clock[:] = 0
            done += 1
        return done

    return play_runs


play_runs = compiled(version_of(*ENGINE, __name__))


@njit
def draw_rounds(rng, arms, arm, f, left):
    """(rounds, wins, alike): the arm plays until its f-th failure, at most `left` rounds.

    Of several rounds the first `alike` hold the wins, and every order is equally likely.
    """
    mean = arms[arm].mu
    if left == 1:
        return 1, int(rng.random() < mean), 1
    rounds = rounds_until_failure(rng, f, mean, left)
    if rounds > left:
        return left, wins_before_failure(rng, f, mean, left), left
    return rounds, rounds - f, rounds - 1


@njit
def count_plays(arms, arm, rounds, wins, alike, record, run, clock):
    """The arm is played for so many rounds, with so many wins: count and record them."""
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


# ---- a round -------------------------------------------------------------------------


@njit
def highest(rng, rule, arms, log_t):
    """The arm with the highest score (one at random of several), and how many there are."""
    best, ties = 0, 0
    for a in range(arms.size):
        set_score(rule, arms[a], log_t)
        order = 1 if a == 0 else _order(arms[a], arms[best])
        if order > 0:
            best, ties = a, 1
        elif order == 0:
            ties += 1
            if rng.random() * ties < 1:
                best = a
    return best, ties


@njit
def _order(one, other):
    """The sign of the difference of two scores."""
    if one.exact and other.exact:
        return compare(one.num, one.den, other.num, other.den)
    return int(one.score > other.score) - int(one.score < other.score)


@njit
def set_score(rule, arm, log_t):
    """max(S/N, g(U)); g(1) for an arm never played, which KL-UCB itself plays first."""
    if arm.N == 0:
        arm.exact, arm.num, arm.den = True, rule.p, rule.q
        if rule.kind == NONE:
            arm.num = 2 * rule.q
        arm.score = arm.num / arm.den
        return
    mean, top = arm.S / arm.N, rule.p / rule.q
    worth = worth_of_index(rule, arm.S, arm.N - arm.S, log_t)
    capped = rule.kind >= THRESHOLD and worth >= top  # then it is g(1) itself
    arm.exact = capped or mean >= worth
    arm.num, arm.den = arm.S, arm.N
    if capped and compare(arm.S, arm.N, rule.p, rule.q) < 0:
        arm.num, arm.den = rule.p, rule.q
    arm.score = max(mean, worth)


# ---- a block -------------------------------------------------------------------------


@njit
def choose_block(rule, arms, leader, t):
    """(f, last): the leader plays until its f-th failure, and not beyond round `last`.

    A large f lowers m, and rivals reach it sooner. So f is the largest power of √2 whose
    failures are expected in the rounds that the rivals leave. A matter of speed only, but
    the choice must depend on nothing but the counts.
    """
    loss, log_t = 1 - arms[leader].mu, math.log(t)
    low, high = 0, int(2 * math.log2(1 + loss * LONGEST)) + 1
    chosen = 1, t
    while low < high:
        middle = (low + high) // 2
        f = int(2.0 ** (middle / 2))
        m = lowest_score(rule, arms[leader], f, log_t)
        last = last_below(rule, arms, leader, m)
        if last >= t and (f == 1 or loss * (last - t + 1) >= f):
            chosen, low = (f, last), middle + 1
        else:
            high = middle
    return chosen


@njit
def lowest_score(rule, leader, f, log_t):
    """m: the leader's score is at least this, up to its f-th failure."""
    mean = leader.S / (leader.N + f - 1)
    return max(mean, worth_of_index(rule, leader.S, leader.N - leader.S + f - 1, log_t))


@njit
def last_below(rule, arms, leader, m):
    """Up to this round every rival's score is below m; 0 if that is not known."""
    u = index_worth(rule, m)
    log_time = math.inf
    for a in range(arms.size):
        if a != leader:
            arm = arms[a]
            if arm.N == 0:
                if arm.score >= m:
                    return 0
            elif arm.S / arm.N >= m:
                return 0
            elif u < 1:
                wins = squeezed(rule, arm.S)
                if wins >= u * arm.N:
                    return 0
                log_time = min(log_time, evidence(wins, arm.N - wins, u))
    if log_time > math.log(rule.horizon) + 1:
        return rule.horizon
    return min(int(math.exp(log_time - MARGIN)), rule.horizon)


# ---- the index, and g ----------------------------------------------------------------


@njit
def squeezed(rule, wins):
    """S, or S/(1−ε) where the mean is squeezed."""
    return wins * (rule.q / rule.p) if rule.kind == SQUEEZED else float(wins)


@njit
def worth_of_index(rule, S, F, log_t):
    """g(U) after S wins and F failures."""
    if rule.kind == SQUEEZED:
        if compare(S, S + F, rule.p, rule.q) >= 0:
            return rule.p / rule.q
        wins = squeezed(rule, S)
        return rule.p / rule.q * index(wins, max(S + F - wins, 0.0), log_t)
    u = index(float(S), float(F), log_t)
    if rule.kind == ADDITIVE:
        return rule.p / rule.q - (1 - u)
    if rule.kind == MULTIPLICATIVE:
        return rule.p / rule.q * u
    if rule.kind == THRESHOLD:
        return min(u, rule.p / rule.q)
    return u


@njit
def index_worth(rule, m):
    """The least u with g(u) ≥ m; more than 1 if there is none."""
    top = rule.p / rule.q
    if rule.kind == ADDITIVE:
        return m + (1 - top)
    if rule.kind == MULTIPLICATIVE or rule.kind == SQUEEZED:
        return m / top
    if rule.kind == THRESHOLD and m > top:
        return 2.0
    return m


@njit
def index(wins, failures, log_t):
    """U: the largest q with N·d(S/N, q) ≤ ln t. As `lenient.kl_ucb`, for one arm."""
    n = wins + failures
    p, p_bar = wins / n, failures / n
    if failures == 0 or log_t == 0:
        return p
    rho = min(log_t / failures, 100.0)
    z = (rho + math.sqrt(rho) * math.sqrt(rho + 8 * p)) / 2
    for _ in range(2):
        step = -p_bar * math.expm1(-z)
        q = p + step
        excess = p_bar * (z - rho)
        if p > 0:
            excess -= p * math.log1p(step / p)
        halley = 1 - excess / step * (p * (1 - q) / step) / 2
        z = max(z - excess / step * q / max(halley, 0.5), z / 2)
    return min(p - p_bar * math.expm1(-z), 1.0)


@njit
def evidence(wins, failures, q):
    """N·d(S/N, q), the evidence that the mean is not q, for 0 < q < 1."""
    more = (wins + failures) * q - wins
    return _term(wins, more) + _term(failures, -more)


@njit
def _term(a, diff):
    """a·ln(a/b) + b − a, where b = a + diff, without cancellation."""
    if a == 0:
        return diff
    v = diff / (2 * a + diff)
    if abs(v) >= 0.1:
        return diff - a * math.log1p(diff / a)
    # ln(b/a) = 2 artanh(v), and 2·a·v = diff·(1 − v)
    v2, tail = v * v, 1 / 15
    for odd in (13, 11, 9, 7, 5, 3):
        tail = 1 / odd + v2 * tail
    return v * (diff - 2 * a * v2 * tail)
