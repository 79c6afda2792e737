"""Lenient regret for multi-armed bandits: algorithms, bounds, simulation.

    means of the arms → policy → simulate → pull counts → gap function → lenient regret

After N. Merlis and S. Mannor, "Lenient Regret for Multi-Armed Bandits" (AAAI 2021).
"""

from lenient.divergence import kinf, kl, kl_ucb, scaled_kl
from lenient.gaps import (
    GapFunction,
    cutoff,
    gap_function,
    hinge,
    indicator,
    standard,
    suboptimality,
)
from lenient import paper
from lenient.policies import TS, KLUCB, EpsTS
from lenient.simulation import Simulation, log_checkpoints, simulate

__version__ = "0.1.0"
