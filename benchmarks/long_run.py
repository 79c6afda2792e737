"""When does Thompson sampling overtake ε-TS in the long run? The runs behind chapter 11.

The paper's 5,000 runs on the bandit (0.5, 0.45, 0.2) are too few to tell. This script
plays eight times as many, and stores what the chapter needs: the mean plays of the second
and third arm, of each batch of 400 runs.

    python benchmarks/long_run.py chapters/long-run.json
"""

import json
import sys

import numpy as np

import lenient

MEANS, EPS = (0.5, 0.45, 0.2), 0.2
BATCHES, BATCH = 100, 400
TIMES = np.array([1000, 2000, 3000, 4000, 5000, 6000, 7000, 8000, 10_000, 12_000, 14_000,
                  16_000, 18_000, 20_000, 25_000, 30_000, 40_000, 50_000, 70_000,
                  100_000])  # fmt: skip
SEED = 11


def batch(policy, key):
    """Mean plays of arms 2 and 3 over the runs of a batch: an array times × 2."""
    seed = np.random.SeedSequence(SEED, spawn_key=key)
    s = lenient.simulate(MEANS, policy, TIMES[-1], BATCH, seed, TIMES, engine="leap")
    return s.pulls[:, :, 1:].mean(axis=0).round(2).tolist()


def main(path):
    data = {"means": MEANS, "eps": EPS, "runs of a batch": BATCH, "times": TIMES.tolist()}
    data["plays"] = {"TS": [], "ε-TS": []}
    for number in range(BATCHES):
        for row, policy in enumerate([lenient.TS(), lenient.EpsTS(EPS)]):
            data["plays"][list(data["plays"])[row]].append(batch(policy, (row, number)))
        print(number, flush=True)
        with open(path, "w") as file:
            json.dump(data, file, separators=(",", ":"), ensure_ascii=False)
            file.write("\n")


if __name__ == "__main__":
    main(sys.argv[1])
