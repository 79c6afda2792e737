"""Time every policy of the package against KL-UCB, round by round: see README.md."""

import argparse
import sys
import time

import numpy as np

import lenient
from lenient.baselines import ALL_POLICIES

BANDITS = {"two arms": (0.9, 0.6), "five arms": (0.5, 0.45, 0.4, 0.3, 0.2)}
EPS, HORIZON, RUNS = 0.1, 2000, 1000
SLOWEST = 6  # goal: at most so many times the time of KL-UCB


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repetitions", type=int, default=3)
    parser.add_argument("--check", action="store_true", help="fail if the goal is missed")
    options = parser.parse_args()
    met = True
    for title, means in BANDITS.items():
        ratios = {name: [] for name in ALL_POLICIES}
        for repetition in range(options.repetitions):
            times = {name: seconds(name, means, repetition) for name in ALL_POLICIES}
            for name, spent in times.items():
                ratios[name].append(spent / times[lenient.KLUCB.name])
        print(f"{title}, {HORIZON} rounds: processor time over that of KL-UCB")
        for name, seen in ratios.items():
            median = np.median(seen)
            met &= bool(median <= SLOWEST)
            print(f"  {name:10} {median:5.2f}   {min(seen):.2f} .. {max(seen):.2f}")
    print(f"{'met' if met else 'MISSED'}: none above {SLOWEST}")
    if options.check and not met:
        sys.exit(1)


def seconds(name, means, seed):
    start = time.process_time()
    policy = ALL_POLICIES[name](EPS)
    lenient.simulate(means, policy, HORIZON, RUNS, seed, [HORIZON], engine="plain")
    return time.process_time() - start


if __name__ == "__main__":
    main()
