"""The runs behind two figures: when does Thompson sampling overtake ε-TS?

Near ties are played round by round, so the crossing of two mean regrets takes minutes to
see, which is too long for a chapter. What the chapters need is stored: the mean plays of
the second and third arm in each batch of runs.

    python benchmarks/near_ties.py crossing chapters/crossing.json    (chapter 8)
    python benchmarks/near_ties.py long-run chapters/long-run.json    (chapter 11)
"""

import json
import os
import sys
from concurrent.futures import ThreadPoolExecutor

import numpy as np

import lenient

EPS = 0.2
POLICIES = {"TS": lenient.TS(), "ε-TS": lenient.EpsTS(EPS)}
GAPS = [0.05, 0.03, 0.04, 0.06, 0.07, 0.08]
THOUSANDS = {
    "crossing": [0.1, 0.2, 0.5, 1, 2, 3, 5, 7, 10, 14, 20, 28, 40, 60],
    "long-run": [1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 14, 16, 18, 20, 25, 30, 40, 50, 70, 100],
}


def plays(means, times, runs, batches, seed, key=()):
    """{policy: batches × times × (plays of arm 2, of arm 3)}, means over `runs` each."""

    def batch(row, number):
        policy = [*POLICIES.values()][row]
        seeds = np.random.SeedSequence(seed, spawn_key=(*key, row, number))
        played = lenient.simulate(means, policy, times[-1], runs, seeds, times, "leap")
        return played.pulls[:, :, 1:].mean(axis=0).round(2).tolist()

    print(f"{means}: {batches} batches of {runs} runs for each policy", file=sys.stderr)
    with ThreadPoolExecutor(os.cpu_count()) as threads:
        return {
            name: [*threads.map(batch, [row] * batches, range(batches))]
            for row, name in enumerate(POLICIES)
        }


def crossing(times):
    """The bandits (0.5, 0.5−g, 0.2), 8,000 runs of each."""
    gaps = {
        str(gap): plays((0.5, round(0.5 - gap, 3), 0.2), times, 100, 80, 8, (number,))
        for number, gap in enumerate(GAPS)
    }
    return {"eps": EPS, "batch": 100, "times": times, "gaps": gaps}


def long_run(times):
    """The paper's bandit (0.5, 0.45, 0.2), with eight times its 5,000 runs."""
    means = (0.5, 0.45, 0.2)
    about = {"means": means, "eps": EPS, "runs of a batch": 400, "times": times}
    return about | {"plays": plays(means, times, 400, 100, 11)}


def main(what, path):
    times = [round(1000 * t) for t in THOUSANDS[what]]
    data = {"crossing": crossing, "long-run": long_run}[what](times)
    with open(path, "w", encoding="utf-8") as file:
        json.dump(data, file, separators=(",", ":"), ensure_ascii=False)
        file.write("\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
