"""The experiments of the book at full size: made by `make reproduce`, shown by chapters.

scenarios → jobs (of `laws` or `near_ties`) → key → store → comparison with the paper
"""

from lenient_book.experiments.comparison import compare
from lenient_book.experiments.job import ALGORITHMS
from lenient_book.experiments.laws import (
    CRITERIA,
    LEVELS,
    TOP,
    checkpoints,
    combine,
    jobs,
    run_job,
)
from lenient_book.experiments.store import load

__all__ = [
    "load", "compare",
    "jobs", "run_job", "combine", "checkpoints",
    "ALGORITHMS", "CRITERIA", "LEVELS", "TOP",
]  # fmt: skip
