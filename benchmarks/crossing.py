"""When does Thompson sampling overtake ε-TS? The runs behind chapter 8's last figure.

Near ties are played round by round, so that the crossing of two mean regrets takes
minutes to see. This script plays the bandits (0.5, 0.5−g, 0.2) with TS and ε-TS, ε = 0.2,
and stores what the chapter needs: the mean plays of the second and third arm, of each
batch of 100 runs.

    python benchmarks/crossing.py chapters/crossing.json
"""

import json
import sys
from concurrent.futures import ThreadPoolExecutor

import numpy as np

import lenient

GAPS = [0.05, 0.03, 0.04, 0.06, 0.07, 0.08]
RUNS, BATCH = 8_000, 100
TIMES = np.array([100, 200, 500, 1000, 2000, 3000, 5000, 7000, 10_000, 14_000, 20_000, 28_000,
                  40_000, 60_000])  # fmt: skip


def batches(gap, policy, seed):
    """Mean plays of arms 2 and 3 in each batch: an array batches × times × 2."""
    means = (0.5, round(0.5 - gap, 3), 0.2)
    with ThreadPoolExecutor(2) as threads:
        s = lenient.simulate(
            means, policy, TIMES[-1], RUNS, seed, TIMES, engine="leap", executor=threads
        )
    plays = s.pulls[:, :, 1:].reshape(-1, BATCH, len(TIMES), 2)
    return plays.mean(axis=1).round(1).tolist()


def main(path):
    data = {"eps": 0.2, "batch": BATCH, "times": TIMES.tolist(), "gaps": {}}
    for number, gap in enumerate(GAPS):
        data["gaps"][str(gap)] = {
            "TS": batches(gap, lenient.TS(), 2 * number),
            "ε-TS": batches(gap, lenient.EpsTS(0.2), 2 * number + 1),
        }
        print(gap, flush=True)
        with open(path, "w") as file:
            json.dump(data, file, separators=(",", ":"), ensure_ascii=False)
            file.write("\n")


if __name__ == "__main__":
    main(sys.argv[1])
