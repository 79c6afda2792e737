"""Which of two arms has the higher θ? One number tells the chance, and it is kept up to date.

Where two arms are close, a round of Thompson sampling has to be visited, but no θ has to be
drawn for it. For X from Beta(a, b) and Y from Beta(c, d), let

    h = P(X > Y)   and   g = B(a + c, b + d) / (B(a, b)·B(c, d)).

One more win or failure of an arm changes both by a fraction or two, and one uniform number
decides with h who is played. The chapter "Leap" has the proofs.

h is exact but for rounding. It is computed afresh before what the steps have lost can add
up to more than 1e-10; what is lost in fact is below 1e-12 (`tests/test_leap.py`).
"""

import math

import numpy as np
from numba import njit

from lenient.beta import log_density

# Two arms, the (α, β) for which h and g are known, and for how many steps more they are good.
DUEL = np.dtype(
    [("first", "i8"), ("second", "i8"), ("h", "f8"), ("g", "f8")]
    + [("a", "f8"), ("b", "f8"), ("c", "f8"), ("d", "f8"), ("good_for", "i8")]
    # of the stretch that is being played: rounds left, failures left, ⌊S/(1−ε)⌋'s remainders
    + [("left", "i8"), ("f", "i8"), ("k", "i8"), ("over", "i8"), ("over_two", "i8")]
    + [("x", "f8"), ("better_x", "f8"), ("chance", "f8")]
    + [("rest", "i8"), ("next_rest", "i8")],  # so many plain rounds until the next try
    align=True,
)

# So many steps lose less than a fresh start costs.
FEW_STEPS = 40


@njit
def forget(duel):
    """No duel is known."""
    duel.first, duel.second, duel.left = -1, -1, 0
    duel.rest, duel.next_rest = 0, 1


@njit
def meet(duel, arms, first, second):
    """Let h and g hold for these two arms as they are now."""
    a, b = arms[first].alpha, arms[first].beta
    c, d = arms[second].alpha, arms[second].beta
    if duel.first == second and duel.second == first:  # the same two, the other way round
        duel.first, duel.second, duel.h = first, second, 1 - duel.h
        duel.a, duel.b, duel.c, duel.d = duel.c, duel.d, duel.a, duel.b
    if duel.first == first and duel.second == second:
        steps = int(a - duel.a + abs(b - duel.b) + c - duel.c + abs(d - duel.d))
        if a >= duel.a and c >= duel.c and steps <= FEW_STEPS and steps < duel.good_for:
            h, g = shift(duel.h, duel.g, duel.a, duel.b, duel.c, duel.d, a, b)
            rest, g = shift(1 - h, g, duel.c, duel.d, a, b, c, d)
            duel.h, duel.g, duel.good_for = 1 - rest, g, duel.good_for - steps
            duel.a, duel.b, duel.c, duel.d = a, b, c, d
            return
    else:
        duel.x = 0
    duel.first, duel.second = first, second
    duel.a, duel.b, duel.c, duel.d = a, b, c, d
    duel.h, duel.g, terms = chance_to_win(a, b, c, d)
    duel.good_for = 1000 + 4 * terms


@njit
def shift(h, g, a, b, c, d, up, to):
    """h and g when a has grown to `up`, and then b has grown or shrunk to `to`."""
    while a < up:
        h += g / a
        g *= (a + c) * (a + b) / ((a + b + c + d) * a)
        a += 1
    while b < to:
        h -= g / b
        g *= (b + d) * (a + b) / ((a + b + c + d) * b)
        b += 1
    while b > to:
        b -= 1
        g *= (a + b + c + d) * b / ((b + d) * (a + b))
        h += g / b
    return h, g


@njit
def chance_to_win(a, b, c, d):
    """(h, g, terms): afresh, by a sum of so many terms.

    The sum has positive terms only and loses nothing. It takes the smaller of h and 1−h, and
    walks along the arm that has been played less, so that about √N terms matter.
    """
    x = (a + c) / (a + b + c + d)
    both = log_density(x, a, b) + log_density(x, c, d) - log_density(x, a + c, b + d)
    g = math.exp(both) * x * ((b + d) / (a + b + c + d))
    if a * (c + d) > c * (a + b):  # the first has the higher mean
        h, terms = _sum_down(g, c, d, a, b)
        return 1 - h, g, terms
    h, terms = _sum_down(g, a, b, c, d)
    return h, g, terms


@njit
def _sum_down(g, a, b, c, d):
    """h as the sum of the steps h(i + 1) − h(i) = g(i)/i of all i < a, from the last on."""
    if c + d < a + b:  # P(X > Y) = P(1 − Y > 1 − X)
        a, b, c, d = d, c, b, a
    i, step, total, terms = a, g / a, 0.0, 0
    while i > 0:
        i -= 1
        ratio = (i + b + c + d) * (i + 1) / ((i + c) * (i + b))
        step *= ratio
        total += step
        terms += 1
        if ratio < 1 and step * i < 1e-17 * total:  # from here on the steps only shrink
            break
    return total, terms
