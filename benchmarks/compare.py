"""Time lenient against its rivals on one core: see README.md."""

import argparse
import json
import os
import platform
import sys
import time
from importlib.metadata import version
from pathlib import Path

for library in ("OMP", "OPENBLAS", "MKL", "NUMEXPR"):  # before NumPy starts
    os.environ[f"{library}_NUM_THREADS"] = "1"

import contenders as by  # noqa: E402
import numpy as np  # noqa: E402

MEANS, HORIZON = (0.9, 0.6), 5000
MOMENTS = 50  # posteriors are taken at this many rounds; it divides the horizon

# name: (how it plays, runs in each repetition, runs of the short check). What counts is
# steps per second, so slow rivals play fewer runs, about a second's worth at a time.
PLAYERS = {
    "lenient": (by.play_lenient, 4000, 4000),
    "SMPyBandits": (by.play_smpybandits, 10, 400),
    "MABWiser": (by.play_mabwiser, 1, 100),
    "plain Python": (by.play_plain_python, 50, 1000),
}
DRAWS = "Beta draws alone"
RUNS = PLAYERS["lenient"][1]

SHORT = 300  # horizon of the short check: more runs, so a sharper comparison
# Chance alone takes one of the six comparisons beyond this for about 4 in 1000 choices
# of seeds, mostly through MABWiser's few long runs (by resampling lenient's runs; they
# are skewed, so the normal law's 6e-5 each does not hold). The seeds are fixed.
STANDARD_ERRORS = 4

FASTER_THAN_SMPYBANDITS = 100  # goal: at least
SLOWER_THAN_DRAWS = 2  # goal: at most


def main():
    options = parse_options()
    pin_to_one_core()
    short = {
        name: np.asarray(play(MEANS, SHORT, runs, seed=1))
        for name, (play, _, runs) in PLAYERS.items()
    }
    rates, pulls = measure(options.repetitions)
    ratios = {name: rates["lenient"] / rate for name, rate in rates.items()}
    report = {
        "machine": machine(),
        "means": MEANS,
        "horizon": HORIZON,
        "repetitions": options.repetitions,
        "steps_per_second": {name: rate.tolist() for name, rate in rates.items()},
        "lenient_over_rival": {name: spread(ratio) for name, ratio in ratios.items()},
        "agreement": agreement(pulls, HORIZON) + agreement(short, SHORT),
        "goals": goals(ratios),
    }
    show(report, rates)
    save(report)
    if not all(row["agrees"] for row in report["agreement"]):
        sys.exit("The contenders do not play the same game: the times mean nothing.")
    if options.check and not all(goal["met"] for goal in report["goals"]):
        sys.exit(1)


def parse_options():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repetitions", type=int, default=9)
    parser.add_argument("--check", action="store_true", help="fail if a goal is missed")
    return parser.parse_args()


def pin_to_one_core():
    if hasattr(os, "sched_setaffinity"):  # Linux
        os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})


def measure(repetitions):
    """Steps per second of everyone in each repetition, and the pulls of the players.

    Repetitions are interleaved, in an order that rotates, so that a busy spell of the
    machine hits all alike. Processor time is counted: what others use is not ours.
    """
    met = by.posteriors(MEANS, HORIZON, RUNS, seed=2, moments=MOMENTS)
    names = [*PLAYERS, DRAWS]
    rates = {name: [] for name in names}
    pulls = {name: [] for name in PLAYERS}
    for repetition in range(repetitions):
        turn = repetition % len(names)
        for name in names[turn:] + names[:turn]:
            seed = 100 + repetition
            start = time.process_time()
            if name == DRAWS:
                by.draw_betas(met, HORIZON // MOMENTS, seed)
                runs = RUNS
            else:
                play, runs, _ = PLAYERS[name]
                pulls[name].extend(play(MEANS, HORIZON, runs, seed))
            rates[name].append(runs * HORIZON / (time.process_time() - start))
        print(f"repetition {repetition + 1} of {repetitions}", file=sys.stderr)
    return (
        {name: np.array(rate) for name, rate in rates.items()},
        {name: np.array(counts) for name, counts in pulls.items()},
    )


def agreement(pulls, horizon):
    """Does each rival pull the worse arm as often as lenient, on average?

    The spread is lenient's, as a handful of runs cannot tell its own.
    """
    ours = pulls["lenient"]
    rows = []
    for name, counts in pulls.items():
        error = ours.std(ddof=1) * np.sqrt(1 / counts.size + 1 / ours.size)
        away = (counts.mean() - ours.mean()) / error
        rows.append(
            {
                "name": name,
                "horizon": horizon,
                "runs": int(counts.size),
                "mean_suboptimal_pulls": float(counts.mean()),
                "standard_errors_away": float(away),
                "agrees": bool(abs(away) <= STANDARD_ERRORS),
            }
        )
    return rows


def goals(ratios):
    faster = float(np.median(ratios["SMPyBandits"]))
    slower = float(np.median(1 / ratios[DRAWS]))
    return [
        {
            "goal": f"at least {FASTER_THAN_SMPYBANDITS} times as fast as SMPyBandits",
            "seen": faster,
            "met": faster >= FASTER_THAN_SMPYBANDITS,
        },
        {
            "goal": f"at most {SLOWER_THAN_DRAWS} times the time of the Beta draws",
            "seen": slower,
            "met": slower <= SLOWER_THAN_DRAWS,
        },
    ]


def spread(values):
    return {
        "median": float(np.median(values)),
        "min": float(np.min(values)),
        "max": float(np.max(values)),
    }


def machine():
    packages = ("numpy", "scipy", "SMPyBandits", "mabwiser")
    return {
        "processor": processor(),
        "cores": os.cpu_count(),
        "python": platform.python_version(),
        **{package: version(package) for package in packages},
    }


def processor():
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
        line = next(line for line in lines if line.startswith("model name"))
        return line.split(":")[1].strip()
    except (OSError, StopIteration):
        return platform.processor() or platform.machine()


def show(report, rates):
    print("  ".join(f"{key} {value}" for key, value in report["machine"].items()))
    print(f"\nTS on means {MEANS}, horizon {HORIZON}: medians of paired repetitions")
    print(f"{'':18}{'steps/s':>12}{'ns/step':>10}{'lenient / it':>14}   min .. max")
    for name, ratio in report["lenient_over_rival"].items():
        rate = np.median(rates[name])
        print(
            f"{name:18}{rate:12,.0f}{1e9 / rate:10,.0f}{ratio['median']:14.3g}"
            f"   {ratio['min']:.3g} .. {ratio['max']:.3g}"
        )
    print(f"\nPulls of the worse arm (agree: within {STANDARD_ERRORS} standard errors)")
    print(f"{'':18}{'horizon':>8}{'runs':>8}{'mean':>9}{'errors away':>13}")
    for row in report["agreement"]:
        print(
            f"{row['name']:18}{row['horizon']:8}{row['runs']:8}"
            f"{row['mean_suboptimal_pulls']:9.2f}{row['standard_errors_away']:+13.2f}"
            f"  {'agrees' if row['agrees'] else 'DIFFERS'}"
        )
    print()
    for goal in report["goals"]:
        verdict = "met   " if goal["met"] else "MISSED"
        print(f"{verdict}  {goal['goal']}: {goal['seen']:.3g}")


def save(report):
    folder = Path(__file__).parent / "results"
    folder.mkdir(exist_ok=True)
    file = folder / time.strftime("%Y%m%d-%H%M%S.json")
    file.write_text(json.dumps(report, indent=2) + "\n")
    print(f"\nwritten to {file}")


if __name__ == "__main__":
    main()
