"""The law of the pull counts of TS and ε-TS, exactly, for two arms and few rounds."""

from functools import cache

import numpy as np
from scipy import integrate, stats


@cache
def chance_first_beats_second(first, second):
    """P(θ₁ > θ₂), given each arm's law of θ: ("at", x) or ("beta", α, β, scale)."""
    if first[0] == second[0] == "at":
        return 0.5 if first[1] == second[1] else float(first[1] > second[1])
    if first[0] == "at":  # above 1−ε, hence above every scaled Beta
        return 1.0
    if second[0] == "at":
        return 0.0
    one, two = stats.beta(*first[1:3]), stats.beta(*second[1:3])
    return integrate.quad(lambda y: one.pdf(y) * two.cdf(y), 0, 1, epsabs=1e-12)[0]


def theta_law(pulls, wins, tenths):
    """The law of θ for ε = tenths/10, from the paper's algorithm, in integers."""
    if 10 * wins > (10 - tenths) * pulls:
        return ("at", wins / pulls)
    alpha = 10 * wins // (10 - tenths) + 1
    return ("beta", alpha, pulls + 2 - alpha, 1 - tenths / 10)


def exact_law_of_first_arm(means, tenths, horizon):
    """P(N₁ = n after `horizon` rounds), by following every history."""
    states = {(0, 0, 0, 0): 1.0}  # (N₁, S₁, N₂, S₂) -> probability
    for _ in range(horizon):
        following = {}
        for (n1, s1, n2, s2), mass in states.items():
            first = chance_first_beats_second(
                theta_law(n1, s1, tenths), theta_law(n2, s2, tenths)
            )
            for state, chance in [
                ((n1 + 1, s1 + 1, n2, s2), first * means[0]),
                ((n1 + 1, s1, n2, s2), first * (1 - means[0])),
                ((n1, s1, n2 + 1, s2 + 1), (1 - first) * means[1]),
                ((n1, s1, n2 + 1, s2), (1 - first) * (1 - means[1])),
            ]:
                if chance:
                    following[state] = following.get(state, 0) + mass * chance
        states = following
    law = np.zeros(horizon + 1)
    for (n1, *_), mass in states.items():
        law[n1] += mass
    return law
