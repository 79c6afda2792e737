"""Lenient regret for multi-armed bandits: algorithms, bounds, simulation.

    means of the arms → policy → simulate → pull counts → gap function → lenient regret

After N. Merlis and S. Mannor, "Lenient Regret for Multi-Armed Bandits" (AAAI 2021).
"""

from lenient import paper
from lenient.baselines import (
    EXP3,
    IMED,
    MOSS,
    UCB1,
    BayesUCB,
    BetaTS,
    EpsGreedy,
    ExploreThenCommit,
    Satisficing,
    SlidingWindowTS,
)
from lenient.bounds import (
    leniency_bound,
    loose_upper_bound,
    lower_bound,
    standard_bound,
    tail_exponent,
    top_bound,
    upper_bound,
)
from lenient.comparison import Comparison, compare
from lenient.divergence import kinf, kl, kl_ucb, scaled_kl
from lenient.finite_time import FiniteTimeBound, finite_time_bound
from lenient.gaps import (
    Criterion,
    GapFunction,
    cutoff,
    gap_function,
    hinge,
    indicator,
    shortfall,
    standard,
    suboptimality,
    top,
    unacceptable,
)
from lenient.laws import Sample, law_kinf
from lenient.leniency import (
    Leniency,
    LenientKLUCB,
    TopLeader,
    additive,
    multiplicative,
    threshold,
)
from lenient.policies import KLUCB, TS, EpsKLUCB, EpsTS, SqueezedKLUCB
from lenient.result import Simulation, load
from lenient.rewards import KinfUCB, LenientNPTS, kinf_ucb
from lenient.simulation import log_checkpoints, simulate
from lenient.stages import StageBound, stage_bound

__all__ = [
    "kl", "scaled_kl", "kinf", "kl_ucb",
    "hinge", "indicator", "cutoff", "standard", "gap_function", "GapFunction",
    "Criterion", "shortfall", "unacceptable", "top",
    "suboptimality",
    "additive", "multiplicative", "threshold", "Leniency", "LenientKLUCB", "TopLeader",
    "Sample", "law_kinf",
    "TS", "EpsTS", "KLUCB", "EpsKLUCB", "SqueezedKLUCB",
    "UCB1", "MOSS", "BayesUCB", "IMED", "Satisficing",
    "BetaTS", "EpsGreedy", "ExploreThenCommit", "EXP3", "SlidingWindowTS",
    "KinfUCB", "LenientNPTS", "kinf_ucb",
    "simulate", "Simulation", "load", "log_checkpoints",
    "compare", "Comparison",
    "lower_bound", "upper_bound", "loose_upper_bound", "standard_bound",
    "tail_exponent", "leniency_bound", "top_bound",
    "finite_time_bound", "FiniteTimeBound",
    "stage_bound", "StageBound",
    "paper",
]  # fmt: skip

__version__ = "0.1.0"
