"""The experiments of the book at full size: made by `make reproduce`, shown by chapters."""

from lenient_book.experiments.reproduce import (  # noqa: F401
    ALGORITHMS,
    CRITERIA,
    LEVELS,
    TOP,
    checkpoints,
    combine,
    compare,
    jobs,
    load,
    play,
    table,
)
