"""The law of the pull counts of TS and ε-TS, exactly, for two arms and few rounds."""

from functools import cache

import numpy as np
from scipy import special


def chance_below(first, second, top):
    """P(X < Y < top) for X and Y of the Beta laws (α, β) given, in whole numbers."""
    (a, b), (c, d) = first, second
    nodes, weights = np.polynomial.legendre.leggauss((a + b + c + d) // 2 + 1)
    y = top * (nodes + 1) / 2  # exact, as the integrand is a polynomial
    density = np.exp(special.xlogy(c - 1, y) + special.xlog1py(d - 1, -y))
    values = density * special.betainc(a, b, y) / special.beta(c, d)
    return float(values @ weights) * top / 2


@cache
def chance_first_beats_second(first, second):
    """P(θ₁ > θ₂), given each arm's law of θ: ("at", x) or ("beta", α, β, scale)."""
    if first[0] == second[0] == "at":
        return 0.5 if first[1] == second[1] else float(first[1] > second[1])
    if first[0] == "at":  # above 1−ε, hence above every scaled Beta
        return 1.0
    if second[0] == "at":
        return 0.0
    return chance_below(second[1:3], first[1:3], 1.0)


def theta_law(pulls, wins, tenths):
    """The law of θ for ε = tenths/10, from the paper's algorithm, in integers."""
    if 10 * wins > (10 - tenths) * pulls:
        return ("at", wins / pulls)
    alpha = 10 * wins // (10 - tenths) + 1
    return ("beta", alpha, pulls + 2 - alpha, 1 - tenths / 10)


def following_states(state, first, means):
    """The states after a round in which arm 1 is played with chance `first`."""
    n1, s1, n2, s2 = state
    for following, chance in [
        ((n1 + 1, s1 + 1, n2, s2), first * means[0]),
        ((n1 + 1, s1, n2, s2), first * (1 - means[0])),
        ((n1, s1, n2 + 1, s2 + 1), (1 - first) * means[1]),
        ((n1, s1, n2 + 1, s2), (1 - first) * (1 - means[1])),
    ]:
        if chance:
            yield following, chance


def exact_law_of_first_arm(means, tenths, horizon):
    """P(N₁ = n after `horizon` rounds), by following every history."""
    states = {(0, 0, 0, 0): 1.0}  # (N₁, S₁, N₂, S₂) -> probability
    for _ in range(horizon):
        following = {}
        for (n1, s1, n2, s2), mass in states.items():
            first = chance_first_beats_second(
                theta_law(n1, s1, tenths), theta_law(n2, s2, tenths)
            )
            for state, chance in following_states((n1, s1, n2, s2), first, means):
                following[state] = following.get(state, 0) + mass * chance
        states = following
    law = np.zeros(horizon + 1)
    for (n1, *_), mass in states.items():
        law[n1] += mass
    return law


@cache
def chance_second_wins_below(first, second, level):
    """P(θ₂ > θ₁, θ₂ ≤ level), laws as above; ties go to either with chance ½."""
    if second[0] == "at":
        below = second[1] <= level
        return below * (1 - chance_first_beats_second(first, second))
    if first[0] == "at":
        return 0.0
    return chance_below(first[1:3], second[1:3], min(level / second[3], 1.0))


def expected_rounds(means, tenths, horizon, level):
    """{(j, s): mean number of rounds with N₁ = j, S₁ = s, arm 2 played and θ₂ ≤ level}."""
    states, rounds = {(0, 0, 0, 0): 1.0}, {}
    for _ in range(horizon):
        following = {}
        for (n1, s1, n2, s2), mass in states.items():
            laws = theta_law(n1, s1, tenths), theta_law(n2, s2, tenths)
            first = chance_first_beats_second(*laws)
            below = chance_second_wins_below(*laws, level)
            rounds[n1, s1] = rounds.get((n1, s1), 0) + mass * below
            for state, chance in following_states((n1, s1, n2, s2), first, means):
                following[state] = following.get(state, 0) + mass * chance
        states = following
    return rounds
