"""All that is to be run at full size: the paper's scenarios, and what the book adds."""

from types import ModuleType
from typing import NamedTuple

from lenient.paper import SCENARIOS
from lenient_book.experiments import (
    laws,
    leniencies,
    many_arms,
    meeting,
    near_ties,
    seen_rewards,
)
from lenient_book.experiments.leniencies import Case


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

# Chapter 15: a share of the best, a threshold, the top m.
LENIENCIES = leniencies.Setting(
    "leniencies",
    {
        "multiplicative 0.5": Case("multiplicative", 0.2, (0.5, 0.3), 10**9, 10**4),
        "multiplicative 0.05": Case("multiplicative", 0.2, (0.05, 0.03), 10**9, 10**4, 0.15),
        "multiplicative three": Case(
            "multiplicative", 0.2, (0.6, 0.45, 0.3), 10**9, 10**4, 0.6
        ),
        "multiplicative ceiling": Case("multiplicative", 0.2, (0.9, 0.6), 10**9, 10**4),
        "threshold": Case("threshold", 0.7, (0.9, 0.6, 0.5), 10**9, 10**4),
        "threshold two good": Case("threshold", 0.7, (0.9, 0.7, 0.5), 10**9, 10**4),
        "threshold at": Case("threshold", 0.7, (0.7, 0.5), 10**9, 10**4, 0.4),
        "threshold none": Case("threshold", 0.7, (0.6, 0.5, 0.4), 10**5, 10**3),
        "KL-UCB": Case("KL-UCB", None, (0.9, 0.6, 0.5), 10**5, 10**3),
        "KL-UCB none": Case("KL-UCB", None, (0.6, 0.5, 0.4), 10**5, 10**3),
        "TS": Case("TS", None, (0.9, 0.6, 0.5), 10**5, 10**3),
        "top 2": Case("top", 2, (0.7, 0.6, *[0.3] * 4), 10**5, 10**3, 0.2),
        "top 3": Case("top", 3, (0.7, 0.65, 0.6, *[0.3] * 6), 10**5, 10**3, 0.2),
        "top 2 of 4": Case("top", 2, (0.7, 0.6, 0.5, 0.3), 10**5, 10**3, 0.2),
    },
)

# Chapter 16: priors with their number of arms and horizon, and policies with their constant,
# which is ε or, for those on some of the arms, their number divided by √T.
MANY_ARMS = many_arms.Setting(
    "many-arms",
    "priors",
    {
        "uniform": ("uniform", 0, 1, 100, 300),
        "[0, ½]": ("uniform", 0, 0.5, 100, 300),
        "near-equal": ("uniform", 0.45, 0.55, 100, 300),
        "Beta(2, 5)": ("beta", 2, 5, 100, 300),
        "Beta(5, 2)": ("beta", 5, 2, 100, 300),
        "uniform, T = 1000": ("uniform", 0, 1, 100, 1000),
        "uniform, K = 10": ("uniform", 0, 1, 10, 1000),
        "[0, ½], K = 10": ("uniform", 0, 0.5, 10, 1000),
        "near-equal, K = 10": ("uniform", 0.45, 0.55, 10, 1000),
    },
    ("TS 0",)
    + tuple(f"ε-TS {e}" for e in (0.02, 0.05, 0.1, 0.15, 0.2, 0.3, 0.4, 0.5))
    + tuple(f"ε-KL-UCB {e}" for e in (0.05, 0.1, 0.15, 0.2, 0.3, 0.4))
    + tuple(f"{word} on {c}" for word in ("TS", "greedy") for c in (0.25, 0.5, 1, 2, 4)),
    (),
    200,
)
EPS_MAP = many_arms.Setting(
    "eps-map",
    "map",
    {str(g): (0.5, round(0.5 - g, 2)) for g in (0.02, 0.05, 0.1, 0.2, 0.3, 0.4)},
    ("TS 0",) + tuple(f"ε-TS {e}" for e in (0.05, 0.1, 0.2, 0.3, 0.4)),
    (100, 1000, 10_000),
    1000,
)
KNOWN_GAP = many_arms.Setting(
    "known-gap",
    "known",
    {"0.5, 0.2": (0.5, 0.2), "0.9, 0.6": (0.9, 0.6)},
    ("TS 0", "ε-TS 0.2", "ε-TS 0.29", "ε-KL-UCB 0.2", "ε-KL-UCB 0.29")
    + ("optimism, gap 0", "optimism, both 0", "sweep 0"),
    (100, 1000, 10_000),
    1000,
)

# Chapter 17: arms with rewards between 0 and 1, as parameters of Beta laws or lists of values.
SEEN_REWARDS = seen_rewards.Setting(
    "seen-rewards",
    {
        "Beta(5, 5), Beta(2, 8)": ("beta", ((5, 5), (2, 8))),
        "0, ½ or 1": ("values", ((0, 0.5, 1), (0.25, 0.5, 0.25), (0.65, 0.3, 0.05))),
        "Beta(18, 2), Beta(12, 8)": ("beta", ((18, 2), (12, 8))),
    },
    0.2,
    (100, 300, 1000, 3000, 5000, 10_000),
    500,
)

# Chapter 14: ε-KL-UCB on bandits below and above 1−ε, on those of the paper, on a scan.
_DECADES = tuple(10**k for k in range(2, 10))
_FIVE = ((0.5, 0.2), (0.3, 0.05), (0.7, 0.4), (0.6, 0.3, 0.35), (0.5, 0.29))
_ABOVE = ((0.9, 0.6), (0.9, 0.85, 0.6), (0.85, 0.64), (0.8, 0.5))
_SCAN = tuple(
    (best, *[round(best - gap, 2)] * rivals)
    for rivals in (1, 5)
    for best in (0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95)
    for gap in (0.22, 0.25, 0.3, 0.4, 0.6)
    if best - gap > 0.001
)
_DESIGNS = ("ε-TS", "ε-KL-UCB", "squeezed KL-UCB", "ε-IMED", "shifted TS")
MEETING = meeting.Setting(
    "meeting",
    (
        *(("slope", "ε-KL-UCB", means, 0.2, _DECADES, 3) for means in _FIVE),
        ("slope", "squeezed KL-UCB", (0.5, 0.2), 0.2, _DECADES, 0.8),
        *(("bounded", "ε-KL-UCB", means, 0.2, _DECADES, 4) for means in _ABOVE),
        *(
            (f"paper {each.horizon}", "ε-KL-UCB", each.means, each.eps, (each.horizon,), share)
            for each in SCENARIOS.values()
            for share in [0.1 if len(each.means) > 3 else 2 if each.horizon > 9999 else 10]
        ),
        *(
            ("scan", algorithm, means, 0.2, (5000,), 1)
            for means in _SCAN
            for algorithm in ("ε-TS", "ε-KL-UCB")
        ),
        ("tail", "ε-KL-UCB", (0.5, 0.2), 0.2, (10, 30, 100, 300, 1000), 200),
        *(
            ("designs", algorithm, means, 0.2, (1000,), 4)
            for means in ((0.5, 0.2), (0.9, 0.6), (0.5, 0.45, 0.2))
            for algorithm in _DESIGNS
        ),
    ),
)

EXPERIMENTS = {name: _of_the_paper(scenario) for name, scenario in SCENARIOS.items()}
EXPERIMENTS["crossing"] = Experiment(near_ties, CROSSING, 40_000, 8)
EXPERIMENTS["leniencies"] = Experiment(leniencies, LENIENCIES, 1_000, 15)
EXPERIMENTS["many-arms"] = Experiment(many_arms, MANY_ARMS, 400, 16)
EXPERIMENTS["eps-map"] = Experiment(many_arms, EPS_MAP, 2_000, 16)
EXPERIMENTS["known-gap"] = Experiment(many_arms, KNOWN_GAP, 2_000, 16)
EXPERIMENTS["seen-rewards"] = Experiment(seen_rewards, SEEN_REWARDS, 1_000, 17)
EXPERIMENTS["meeting"] = Experiment(meeting, MEETING, 1_000, 14)
