"""The paper's experiments as data: every scenario, and every number of its tables.

Two panels of the paper's last figure come without their means; the tables tell them.
All plays of a two-armed problem's worse arm cost Δ by the standard and Δ − ε by the hinge
regret, so any two numbers of a row, most sharply the maxima, give Δ/(Δ − ε):

  transition   280.2/93.4 = 1344.9/448.3 = 3, so Δ = 0.3; the caption gives
               μ* = 1 − ε = 0.8: means (0.8, 0.5).
  near-eps     549.15/26.15 = 1046.64/49.84 = 21, so Δ = 0.21. μ* is not printed; it is
               one of the optimal arms used elsewhere, and only 0.5 (means (0.5, 0.29))
               fits: 0.8 and 0.9 miss Thompson sampling's mean of 10.69 by 2 and more,
               and with 0.6 too many runs of ε-TS (1.47 ± 0.09 % in 20,000; 1.11 ± 0.07 %
               with 0.5) exceed its printed 99th percentile of 34.02.

Maxima near 0.3·5000 and 0.21·5000 confirm the horizon of 5000 for both; a standard regret
of 5017.9 with gaps 0.05 and 0.3 asks for 100,000 rounds in the long run.

Examples
--------
>>> high = SCENARIOS["high"]
>>> high.means, high.eps, high.horizon, high.statistics["ε-TS", "hinge"].mean
((0.9, 0.6), 0.2, 5000, 0.72)

In the book: chapters 9, 10 and 11.
"""

from dataclasses import dataclass
from typing import NamedTuple

from lenient.policies import TS, EpsTS

ALGORITHMS = (TS.name, EpsTS.name)


class Published(NamedTuple):
    """One row of a statistics table, for one algorithm: its regret over the runs.

    Parameters
    ----------
    mean, std, percentile99, max : float
        Mean, standard deviation, 99th percentile and maximum of the regret at the horizon.

    Examples
    --------
    >>> SCENARIOS["high"].statistics["TS", "hinge"]
    Published(mean=1.67, std=1.15, percentile99=5.4, max=32.3)

    In the book: chapters 9 to 11.
    """

    mean: float
    std: float
    percentile99: float
    max: float


@dataclass(frozen=True)
class Scenario:
    """One panel: the bandit, the leniency, the size, and what the paper's table says.

    Parameters
    ----------
    name : str
        A short name, the key in `SCENARIOS`.
    means : tuple of floats
        The means of the arms.
    eps : float
        The leniency ε.
    horizon, runs : int
        How many rounds a run has, and how many runs there were.
    statistics : dict
        statistics[algorithm, criterion] is a `Published`, for an algorithm of `ALGORITHMS`
        and the criterion "standard" or "hinge".

    Examples
    --------
    >>> low = SCENARIOS["low"]
    >>> low.means, low.eps, low.horizon, low.runs
    ((0.5, 0.2), 0.2, 5000, 50000)

    In the book: chapters 9 to 11.
    """

    name: str
    means: tuple[float, ...]
    eps: float
    horizon: int
    runs: int
    statistics: dict[tuple[str, str], Published]


TWENTY_ARMS = (
    0.153, 0.169, 0.175, 0.218, 0.22, 0.241, 0.258, 0.286, 0.357, 0.385,
    0.404, 0.414, 0.417, 0.506, 0.514, 0.55, 0.558, 0.567, 0.585, 0.6,
)  # fmt: skip


def _scenario(
    name: str, means: tuple, eps: float, horizon: int, runs: int, standard: tuple, hinge: tuple
) -> Scenario:
    """`standard` and `hinge`: a row of the table, TS's four numbers, then ε-TS's."""
    statistics = {}
    for criterion, row in [("standard", standard), ("hinge", hinge)]:
        for algorithm, numbers in zip(ALGORITHMS, (row[:4], row[4:])):
            statistics[algorithm, criterion] = Published(*numbers)
    return Scenario(name, means, eps, horizon, runs, statistics)


# fmt: off
_ALL = [
    # The main experiment: optimal arm above or below 1−ε, smallest gap above or below ε.
    _scenario("high", (0.9, 0.6), 0.2, 5_000, 50_000,
              (5.01, 3.44, 16.2, 96.9, 2.16, 9.13, 25.8, 749.4),
              (1.67, 1.15, 5.4, 32.3, 0.72, 3.04, 8.6, 249.8)),
    _scenario("high-three", (0.9, 0.85, 0.6), 0.2, 5_000, 50_000,
              (18.18, 17.8, 80.85, 176.15, 94.53, 120.78, 255.5, 307.65),
              (1.6, 1.01, 4.8, 11, 0.33, 0.89, 3.8, 63)),
    _scenario("low", (0.5, 0.2), 0.2, 5_000, 50_000,
              (8.26, 4.09, 20.7, 180, 5.5, 3.97, 18.6, 180.3),
              (2.75, 1.36, 6.9, 60, 1.83, 1.32, 6.2, 60.1)),
    _scenario("low-three", (0.5, 0.45, 0.2), 0.2, 5_000, 50_000,
              (33.85, 27.94, 151.3, 271.75, 31.86, 44.6, 252.8, 277.45),
              (2.71, 1.23, 6.5, 12.8, 1.76, 1, 5.2, 20)),
    # The same with ε and all gaps four times smaller.
    _scenario("high-small", (0.975, 0.9), 0.05, 100_000, 5_000,
              (7.09, 5.97, 24.68, 184.72, 3.69, 19.86, 53.51, 889.35),
              (2.36, 2, 8.26, 61.57, 1.23, 6.62, 17.84, 296.45)),
    _scenario("high-three-small", (0.975, 0.9625, 0.9), 0.05, 100_000, 5_000,
              (27.91, 45.13, 116.326, 1259.04, 479.72, 607.32, 1258.877, 1474.4),
              (2.22, 1.42, 6.45, 11.3, 0.49, 2.016, 6.55, 89.8)),
    _scenario("low-small", (0.5, 0.425), 0.05, 100_000, 5_000,
              (35.7, 28.81, 108, 719.93, 34.37, 63.15, 132.24, 2469.08),
              (11.9, 9.6, 36, 239.98, 11.46, 21.05, 44.08, 823.03)),
    _scenario("low-three-small", (0.5, 0.4875, 0.425), 0.05, 100_000, 5_000,
              (148.31, 132.58, 746.26, 1314.18, 146.8, 160.21, 1124.04, 1309.69),
              (11.39, 6.38, 30.28, 51.7, 10.17, 6.1, 28.6, 50.83)),
    # Edge cases, the long run, twenty arms.
    _scenario("transition", (0.8, 0.5), 0.2, 5_000, 50_000,
              (6.88, 4.57, 20.4, 280.2, 2.99, 12.7, 26.1, 1344.9),
              (2.3, 1.52, 6.8, 93.4, 1, 4.23, 8.7, 448.3)),
    _scenario("near-eps", (0.5, 0.29), 0.2, 5_000, 50_000,
              (10.69, 7.48, 30.66, 549.15, 7.66, 13.68, 34.02, 1046.64),
              (0.51, 0.36, 1.46, 26.15, 0.36, 0.65, 1.62, 49.84)),
    _scenario("low-three-long", (0.5, 0.45, 0.2), 0.2, 100_000, 5_000,
              (59.55, 50.16, 164.55, 1550.35, 71.34, 322.73, 597.33, 5017.9),
              (4.08, 1.6, 8.6, 11.6, 2.58, 1.23, 6.3, 10)),
    _scenario("twenty", TWENTY_ARMS, 0.2, 100_000, 1_000,
              (472.64, 165.14, 1110.64, 1948.38, 331.02, 272.78, 1739.39, 2060.39),
              (42.26, 5.24, 55.57, 58.48, 24.31, 3.78, 34.91, 38.54)),
]
# fmt: on

SCENARIOS = {scenario.name: scenario for scenario in _ALL}
