"""Time the leap engine against the plain ones and against itself: see README.md."""

import argparse
import importlib.util
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
from compare import machine, pin_to_one_core, save, spread

import lenient
from lenient import TS, EpsKLUCB, EpsTS, leap, leap_ucb
from lenient.paper import SCENARIOS
from lenient_book.portrait import portrait

NEVER = leap.Tuning(clear=np.inf, even=1.0)  # no box, no duel: a loop over every round

# The last engine without duels, from the history of the repository.
WITHOUT_DUELS = "dc53e94"


def engine_of(commit):
    """The engine as it was, when it was one file."""
    root = Path(__file__).resolve().parents[1]
    command = ["git", "show", f"{commit}:lenient/leap.py"]
    source = subprocess.run(command, cwd=root, capture_output=True, check=True).stdout
    file = Path(tempfile.mkdtemp()) / "leap_before.py"
    file.write_bytes(source)
    spec = importlib.util.spec_from_file_location(file.stem, file)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


BEFORE = engine_of(WITHOUT_DUELS)


def before(means, policy, horizon):
    def play(runs, seed):
        BEFORE.play_block(means, policy, np.array([horizon]), runs, seed)

    return play


def against_before(means, policy, horizon, runs, goal):
    """A row of the table below: the engine without duels over the one with them."""
    old, new = before(means, policy, horizon), leaping(means, policy, horizon)
    return old, runs, new, runs, goal, "least"


def plain(means, policy, horizon):
    def play(runs, seed):
        lenient.simulate(means, policy, horizon, runs, seed, [horizon], engine="plain")

    return play


def leaping(means, policy, horizon, tuning=leap.Tuning()):
    def play(runs, seed):
        leap.play_block(means, policy, np.array([horizon]), runs, seed, tuning=tuning)

    return play


def leaping_index(means, policy, horizon):
    def play(runs, seed):
        leap_ucb.play_block(means, policy, np.array([horizon]), runs, seed)

    return play


SMALL, LOW, HIGH, CLOSE = (0.975, 0.9), (0.5, 0.2), (0.9, 0.6), (0.5, 0.49)
TRIO = (0.5, 0.4875, 0.425)

# what: (numerator, its runs, denominator, its runs, goal, at least or at most). A ratio of
# processor times per run, both of one core and in one repetition.
RATIOS = {
    "plain / leap: TS, (0.9, 0.6), T = 5000": (
        plain(HIGH, TS(), 5000), 1000, leaping(HIGH, TS(), 5000), 3000, 10, "least"),
    "plain / leap: ε-TS 0.2, (0.9, 0.6), T = 5000": (
        plain(HIGH, EpsTS(0.2), 5000), 1000,
        leaping(HIGH, EpsTS(0.2), 5000), 30_000, 100, "least"),
    "plain / leap: ε-TS 0.05, (0.975, 0.9), T = 1e5": (
        plain(SMALL, EpsTS(0.05), 100_000), 200,
        leaping(SMALL, EpsTS(0.05), 100_000), 20_000, 1000, "least"),
    "T = 1e12 / T = 1e5: TS, (0.5, 0.2)": (
        leaping(LOW, TS(), 10**12), 300, leaping(LOW, TS(), 10**5), 1000, 8, "most"),
    "T = 1e12 / T = 1e5: ε-TS 0.2, (0.5, 0.2)": (
        leaping(LOW, EpsTS(0.2), 10**12), 300,
        leaping(LOW, EpsTS(0.2), 10**5), 1000, 8, "most"),
    "numba loop / leap: TS, near tie (0.5, 0.49), T = 5000": (
        leaping(CLOSE, TS(), 5000, NEVER), 200,
        leaping(CLOSE, TS(), 5000), 200, 0.9, "least"),
    "numba loop / leap: TS, three arms 0.0125 apart, T = 1e5": (
        leaping(TRIO, TS(), 100_000, NEVER), 10,
        leaping(TRIO, TS(), 100_000), 10, 0.9, "least"),
    "numba loop / leap: ε-TS 0.2, (0.5, 0.49), T = 5000": (
        leaping(CLOSE, EpsTS(0.2), 5000, NEVER), 200,
        leaping(CLOSE, EpsTS(0.2), 5000), 200, 0.9, "least"),
    "plain / leap: ε-KL-UCB 0.2, (0.5, 0.2), T = 1e6": (
        plain(LOW, EpsKLUCB(0.2), 10**6), 100,
        leaping_index(LOW, EpsKLUCB(0.2), 10**6), 1000, 100, "least"),
    "T = 1e9 / T = 1e5: ε-KL-UCB 0.2, (0.5, 0.2)": (
        leaping_index(LOW, EpsKLUCB(0.2), 10**9), 300,
        leaping_index(LOW, EpsKLUCB(0.2), 10**5), 1000, 16, "most"),
}  # fmt: skip

RUNS = {5_000: 400, 100_000: 120}
RATIOS["without duels / with: TS, (0.5, 0.45), T = 5000"] = against_before(
    (0.5, 0.45), TS(), 5000, 400, 8
)
for _name, _scenario in SCENARIOS.items():
    for _policy in (TS(), EpsTS(_scenario.eps)):
        _runs, _goal = RUNS[_scenario.horizon], 0.9
        if len(_scenario.means) == 2:
            _runs *= 10
        elif len(_scenario.means) == 3:
            _goal = 2.5
        else:
            _runs, _goal = 20, 1.5
        if _scenario.means[0] > 1 - _scenario.eps and _policy.name != "TS":
            _runs, _goal = 50 * _runs, 0.9  # an arm above 1−ε: no duel
        RATIOS[f"without duels / with: {_policy.name}, {_name}"] = against_before(
            _scenario.means, _policy, _scenario.horizon, _runs, _goal
        )


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repetitions", type=int, default=7)
    parser.add_argument("--only", default="", help="ratios whose name has this in it")
    parser.add_argument("--check", action="store_true", help="fail if a goal is missed")
    options = parser.parse_args()
    threads = (
        [] if options.only else two_threads(options.repetitions)
    )  # before this process is pinned
    pin_to_one_core()
    for engine in (leap, BEFORE):
        engine.play_block(HIGH, TS(), np.array([10]), 10, 0)  # compiles, if need be
    rows = []
    for what, (above, many, below, few, goal, kind) in RATIOS.items():
        if options.only not in what:
            continue
        ratios = []
        for repetition in range(options.repetitions):
            times = {}
            pair = [(above, many), (below, few)]
            for play, runs in pair[:: 1 if repetition % 2 else -1]:
                start = time.process_time()
                play(runs, 100 + repetition)
                times[play] = (time.process_time() - start) / runs
            ratios.append(times[above] / times[below])
        rows.append(row(what, ratios, goal, kind))
    if options.only:
        return
    rows.append(row("one thread / two, on the clock: TS, (0.5, 0.2)", threads, 1.7, "least"))
    trillion = time.process_time()
    leap.play_block(LOW, TS(), np.array([10**12]), 1000, 1)
    trillion = time.process_time() - trillion
    print(f"1000 runs of TS on (0.5, 0.2) to T = 1e12: {trillion:.2f} s of processor time")
    waiting = time.perf_counter()
    portrait(HIGH, 0.2, horizon=5000, runs=500, seed=1)._repr_png_()
    waiting = time.perf_counter() - waiting
    print(f"portrait of (0.9, 0.6), 500 runs of 5000 rounds: {waiting:.2f} s on the clock")
    save({"machine": machine(), "ratios": rows, "trillion_seconds": trillion})
    if options.check and not all(entry["met"] for entry in rows):
        sys.exit(1)


def row(what, ratios, goal, kind):
    seen = spread(ratios)
    met = seen["median"] >= goal if kind == "least" else seen["median"] <= goal
    print(
        f"{'met   ' if met else 'MISSED'}  {what}: {seen['median']:.3g} "
        f"({seen['min']:.3g} .. {seen['max']:.3g}), goal: at {kind} {goal}"
    )
    return {"ratio": what, **seen, "goal": f"at {kind} {goal}", "met": bool(met)}


def two_threads(repetitions):
    """Time on the clock with one worker thread over that with two."""
    ratios = []
    for repetition in range(repetitions):
        times = []
        for workers in (1, 2):
            with ThreadPoolExecutor(workers) as pool:
                lenient.simulate(LOW, TS(), 10, 2000, 0, executor=pool)
                start = time.perf_counter()
                lenient.simulate(LOW, TS(), 10**6, 8000, repetition, [10**6], "leap", pool)
                times.append(time.perf_counter() - start)
        ratios.append(times[0] / times[1])
    return ratios


if __name__ == "__main__":
    main()
