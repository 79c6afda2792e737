"""All that is to be run at full size: the paper's scenarios, and two near ties."""

from types import ModuleType
from typing import NamedTuple

from lenient.paper import SCENARIOS
from lenient_book.experiments import laws, near_ties


class Experiment(NamedTuple):
    """`maker` is the module that cuts it into jobs, runs one, and combines what they give."""

    maker: ModuleType
    setting: NamedTuple  # all that the jobs depend on, but for their number and seed
    runs: int
    seed: int

    @property
    def name(self):
        return self.setting.name

    def jobs(self):
        return self.maker.jobs(self.setting, self.runs, self.seed)

    def combine(self, parts):
        return self.maker.combine(self.setting, self.runs, self.seed, parts)

    def resized(self, fraction, seed=None):
        """The same with a part of the runs, or with other draws."""
        runs = max(round(self.runs * fraction), 1)
        return self._replace(runs=runs, seed=self.seed if seed is None else seed)


def _of_the_paper(scenario):
    setting = laws.Setting(scenario.name, scenario.means, scenario.eps, scenario.horizon)
    return Experiment(laws, setting, scenario.runs, laws.SEED)


# Chapter 8: a second arm that is g below the best, for six g.
CROSSING = near_ties.Setting(
    "crossing",
    {str(g): (0.5, round(0.5 - g, 3), 0.2) for g in (0.05, 0.03, 0.04, 0.06, 0.07, 0.08)},
    0.2,
    (100, 200, 500, 1000, 2000, 3000, 5000, 7000)
    + (10_000, 14_000, 20_000, 28_000, 40_000, 60_000),
    100,
)
# Chapter 11: the paper's long run, with eight times its runs.
LONG_RUN = near_ties.Setting(
    "long-run",
    {"0.05": (0.5, 0.45, 0.2)},
    0.2,
    (*range(1000, 9000, 1000), *range(10_000, 22_000, 2000))
    + (25_000, 30_000, 40_000, 50_000, 70_000, 100_000),
    400,
)

EXPERIMENTS = {name: _of_the_paper(scenario) for name, scenario in SCENARIOS.items()}
EXPERIMENTS["crossing"] = Experiment(near_ties, CROSSING, 8_000, 8)
EXPERIMENTS["long-run"] = Experiment(near_ties, LONG_RUN, 40_000, 11)
