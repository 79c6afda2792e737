"""Lenient regret for multi-armed bandits: algorithms, bounds, simulation.

    means of the arms → policy → simulate → pull counts → gap function → lenient regret

After N. Merlis and S. Mannor, "Lenient Regret for Multi-Armed Bandits" (AAAI 2021).
"""

from lenient import paper
from lenient.bounds import (
    loose_upper_bound,
    lower_bound,
    standard_bound,
    tail_exponent,
    upper_bound,
)
from lenient.divergence import kinf, kl, kl_ucb, scaled_kl
from lenient.finite_time import FiniteTimeBound, finite_time_bound
from lenient.gaps import (
    Criterion,
    GapFunction,
    cutoff,
    gap_function,
    hinge,
    indicator,
    standard,
    suboptimality,
)
from lenient.policies import KLUCB, TS, EpsKLUCB, EpsTS
from lenient.simulation import Simulation, log_checkpoints, simulate

__all__ = [
    "kl", "scaled_kl", "kinf", "kl_ucb",
    "hinge", "indicator", "cutoff", "standard", "gap_function", "GapFunction",
    "Criterion",
    "suboptimality",
    "TS", "EpsTS", "KLUCB", "EpsKLUCB",
    "simulate", "Simulation", "log_checkpoints",
    "lower_bound", "upper_bound", "loose_upper_bound", "standard_bound",
    "tail_exponent",
    "finite_time_bound", "FiniteTimeBound",
    "paper",
]  # fmt: skip

__version__ = "0.1.0"
