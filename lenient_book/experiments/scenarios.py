"""All that is to be run at full size: the paper's scenarios, and near ties."""

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


# Chapter 8: a second arm that is g below the best, for six g. That for 0.05 is the paper's.
CROSSING = near_ties.Setting(
    "crossing",
    {str(g): (0.5, round(0.5 - g, 3), 0.2) for g in (0.03, 0.04, 0.05, 0.06, 0.07, 0.08)},
    0.2,
    (1000, 2000, 3000, 4000, 5000, 7000, 10_000, 12_000, 14_000, 17_000, 20_000)
    + (25_000, 30_000, 40_000, 50_000, 60_000, 80_000, 100_000),
    400,
)

EXPERIMENTS = {name: _of_the_paper(scenario) for name, scenario in SCENARIOS.items()}
EXPERIMENTS["crossing"] = Experiment(near_ties, CROSSING, 8_000, 8)
