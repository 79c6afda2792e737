"""Run the paper's experiments at their full size, and keep what the book shows of them.

    python -m lenient_book.experiments            (or: make reproduce)

A scenario is cut into jobs of a few seconds, each with a seed of its own. A finished job is
on disk before it counts, so a run that is stopped, killed or out of disk space loses only
the jobs in hand: started again it goes on, and the result is the same to the bit. Every
file carries a checksum; one that does not match is made again, never used.
"""

import argparse
import hashlib
import io
import json
import logging
import os
import platform
import shutil
import sys
import time
from concurrent.futures import ThreadPoolExecutor, as_completed
from contextlib import contextmanager
from importlib.metadata import version
from pathlib import Path
from typing import NamedTuple

import numpy as np
from scipy.stats import norm

from lenient.gaps import hinge, standard
from lenient.paper import SCENARIOS
from lenient.policies import TS, EpsTS
from lenient.simulation import Summary, log_checkpoints, simulate

SEED = 2021
ALGORITHMS = ("TS", "ε-TS")
CRITERIA = ("standard", "hinge")
ROUNDS_PER_JOB = 5_000_000
# Where the law of the final regret is recorded: every per cent, and closer to the top.
TOP = 50  # so many of the largest regrets are kept
LEVELS = np.unique(np.append(np.linspace(0, 1, 101), 1 - np.geomspace(0.01, 1e-5, 31)))


class Curve(NamedTuple):
    """Mean regret over the runs at each of the times, and its standard error."""

    mean: np.ndarray
    error: np.ndarray


class Errors(NamedTuple):
    """Standard errors. That of the standard deviation is itself shaky for heavy tails."""

    mean: float
    std: float
    percentile99: float


class Result(NamedTuple):
    """What is kept of a scenario. Most dicts have keys (algorithm, criterion)."""

    scenario: str
    runs: int
    seed: int
    made_with: dict
    times: np.ndarray
    curves: dict  # of Curve
    statistics: dict  # of Summary, at the last time
    errors: dict  # of Errors: how sure these numbers are
    laws: dict  # quantiles of the final regret at LEVELS
    tops: dict  # the largest final regrets, in falling order
    shares: dict  # by algorithm: the share of runs in which each arm was played most


class Job(NamedTuple):
    scenario: str
    algorithm: str
    number: int
    runs: int
    seed: int

    @property
    def file(self):
        return f"{self.scenario}-{self.algorithm}-{self.number}-{self.runs}.part"


# ---- jobs ----------------------------------------------------------------------------


def policy(scenario, algorithm):
    return TS() if algorithm == "TS" else EpsTS(scenario.eps)


def gap_functions(scenario):
    return {"standard": standard(), "hinge": hinge(scenario.eps)}


def checkpoints(horizon):
    """A hundred evenly spaced and as many evenly spaced in ln t."""
    even = np.linspace(0, horizon, 101, dtype=np.int64)[1:]
    return np.union1d(even, log_checkpoints(horizon, 100))


def jobs(scenario, runs, seed=SEED):
    """The jobs that make up a scenario, in a fixed order."""
    size = max(ROUNDS_PER_JOB // scenario.horizon, 1)
    return [
        Job(scenario.name, algorithm, number, min(size, runs - start), seed)
        for algorithm in ALGORITHMS
        for number, start in enumerate(range(0, runs, size))
    ]


def play(job):
    """Σ and Σ² of the regret over the job's runs, at each time, and the last pull counts."""
    scenario = SCENARIOS[job.scenario]
    key = (*job.scenario.encode(), ALGORITHMS.index(job.algorithm), job.number)
    played = simulate(
        scenario.means,
        policy(scenario, job.algorithm),
        scenario.horizon,
        job.runs,
        np.random.SeedSequence(job.seed, spawn_key=key),
        checkpoints(scenario.horizon),
        engine="leap",
    )
    regrets = [played.regret(gap) for gap in gap_functions(scenario).values()]
    return {
        "sums": np.array([regret.sum(axis=0) for regret in regrets]),
        "squares": np.array([(regret**2).sum(axis=0) for regret in regrets]),
        "pulls": played.pulls[:, -1],
    }


def combine(scenario, runs, seed, parts):
    """The result of a scenario from those of its jobs, in their order."""
    curves, statistics, errors, laws, tops, shares = {}, {}, {}, {}, {}, {}
    for algorithm in ALGORITHMS:
        mine = [part for job, part in parts if job.algorithm == algorithm]
        sums, squares = (sum(part[name] for part in mine) for name in ("sums", "squares"))
        pulls = np.concatenate([part["pulls"] for part in mine])
        favourites = np.bincount(pulls.argmax(axis=1), minlength=len(scenario.means))
        shares[algorithm] = favourites / runs
        gaps = max(scenario.means) - np.array(scenario.means)
        for row, (criterion, gap) in enumerate(gap_functions(scenario).items()):
            mean = sums[row] / runs
            variance = (squares[row] - runs * mean**2) / max(runs - 1, 1)
            error = np.sqrt(np.maximum(variance, 0) / runs)
            final = pulls @ gap(gaps)
            std = final.std(ddof=1) if runs > 1 else np.nan
            numbers = (final.mean(), std, np.percentile(final, 99), final.max())
            key = algorithm, criterion
            curves[key] = Curve(mean, error)
            statistics[key] = Summary(*numbers, std / np.sqrt(runs))
            errors[key] = standard_errors(final)
            laws[key] = np.quantile(final, LEVELS)
            tops[key] = np.sort(final)[::-1][:TOP]
    return Result(
        scenario.name,
        runs,
        seed,
        made_with(),
        checkpoints(scenario.horizon),
        curves,
        statistics,
        errors,
        laws,
        tops,
        shares,
    )


def standard_errors(sample):
    """Of mean, standard deviation (by the fourth moment) and 99th percentile.

    The rank of the percentile among n is known to ±√(n·0.99·0.01).
    """
    n = sample.size
    away = sample - sample.mean()
    variance = (away**2).mean()
    of_variance = np.sqrt(((away**4).mean() - variance**2) / n)
    rank = np.sqrt(0.99 * 0.01 / n)
    low, high = np.quantile(sample, [max(0.99 - rank, 0), min(0.99 + rank, 1)])
    return Errors(
        np.sqrt(variance / n),
        of_variance / (2 * np.sqrt(variance)) if variance else 0.0,
        (high - low) / 2,
    )


def made_with():
    return {name: version(name) for name in ("lenient", "numba", "numpy")}


class Comparison(NamedTuple):
    """One number of the paper's tables beside ours; p = 1 where nothing can be told."""

    algorithm: str
    criterion: str
    number: str
    ours: float
    error: float
    paper: float
    paper_error: float
    p: float


def compare(result):
    """Each number of the paper's table for this scenario against ours.

    Mean, deviation and percentile: a two-sided normal test of the difference, less the half
    unit of the paper's last digit and, for the percentile, less the step between values
    that the regret can take. Maximum: how many of our runs exceed the paper's one; if both
    are samples of one law, k or more do with probability about 2^−k (k ≤ 50 is recorded).
    """
    scenario = SCENARIOS[result.scenario]
    gaps = max(scenario.means) - np.array(scenario.means)
    rows = []
    for key, ours in result.statistics.items():
        theirs, errors = scenario.statistics[key], result.errors[key]
        costs = gap_functions(scenario)[key[1]](gaps)
        unknown = {"percentile99": costs[costs > 0].min()}
        paper_errors = published_errors(theirs, errors, scenario.runs)
        for name in Errors._fields:
            mine, printed = getattr(ours, name), getattr(theirs, name)
            error, paper_error = getattr(errors, name), getattr(paper_errors, name)
            difference = abs(mine - printed) - unknown.get(name, 0) - 0.005
            p = 2 * norm.sf(max(difference, 0) / max(np.hypot(error, paper_error), 1e-12))
            rows.append((*key, name, mine, error, printed, paper_error, p))
        above = int((result.tops[key] > theirs.max + 0.005).sum())
        rows.append((*key, "max", ours.max, np.nan, theirs.max, np.nan, 0.5**above))
    return [Comparison(*row) for row in rows]


def published_errors(published, ours, runs):
    """What the paper's four numbers tell of their own errors.

    That of the deviation needs the fourth moment, which is at least maximum⁴/runs; else
    ours is taken, and for the percentile always.
    """
    fourth = max(published.max**4 / runs - published.std**4, 0)
    of_std = np.sqrt(fourth / runs) / (2 * published.std)
    return Errors(published.std / np.sqrt(runs), max(of_std, ours.std), ours.percentile99)


# ---- files ---------------------------------------------------------------------------


class Damaged(Exception):
    """A file is not what was written."""


def write(path, payload):
    """Write all or nothing, with a checksum in the first line."""
    path.parent.mkdir(parents=True, exist_ok=True)
    digest = hashlib.sha256(payload).hexdigest().encode()
    draft = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        with open(draft, "wb") as file:
            file.write(b'{"sha256": "' + digest + b'"}\n' + payload)
            file.flush()
            os.fsync(file.fileno())
        os.replace(draft, path)
    finally:
        draft.unlink(missing_ok=True)


def read(path):
    """What was written; raises Damaged if that cannot be told."""
    head, _, payload = path.read_bytes().partition(b"\n")
    try:
        digest = json.loads(head)["sha256"]
    except (ValueError, KeyError, TypeError):
        raise Damaged(f"{path} has no checksum") from None
    if hashlib.sha256(payload).hexdigest() != digest:
        raise Damaged(f"{path} does not match its checksum")
    return payload


def to_bytes(part):
    buffer = io.BytesIO()
    np.savez(buffer, **part)
    return buffer.getvalue()


def from_bytes(payload):
    with np.load(io.BytesIO(payload)) as arrays:
        return dict(arrays)


def save(result, folder):
    """Write the result as text: JSON, nine digits a number."""

    def plain(value):
        if isinstance(value, dict):
            return {
                key if isinstance(key, str) else ", ".join(key): plain(entry)
                for key, entry in value.items()
            }
        if hasattr(value, "_asdict"):
            return plain(value._asdict())
        if isinstance(value, (np.ndarray, list)):
            return [plain(entry) for entry in np.asarray(value).tolist()]
        return float(f"{value:.9g}") if isinstance(value, float) else value

    text = json.dumps(plain(result), ensure_ascii=False, separators=(",", ":"))
    path = Path(folder) / f"{result.scenario}.json"
    write(path, text.replace('],"', '],\n"').encode() + b"\n")
    return path


def load(name, folder="results"):
    """The stored result of a scenario; raises Damaged if the file is not whole."""
    stored = json.loads(read(Path(folder) / f"{name}.json"))

    def keyed(entries, kind):
        return {tuple(key.split(", ")): kind(entry) for key, entry in entries.items()}

    return Result(
        stored["scenario"],
        stored["runs"],
        stored["seed"],
        stored["made_with"],
        np.array(stored["times"]),
        keyed(stored["curves"], lambda c: Curve(*map(np.array, c.values()))),
        keyed(stored["statistics"], lambda s: Summary(**s)),
        keyed(stored["errors"], lambda e: Errors(**e)),
        keyed(stored["laws"], np.array),
        keyed(stored["tops"], np.array),
        {name: np.array(share) for name, share in stored["shares"].items()},
    )


def is_done(scenario, runs, seed, folder):
    """Is there a whole result of this size, made with these versions?"""
    try:
        result = load(scenario.name, folder)
    except FileNotFoundError:
        return False
    except (Damaged, ValueError, KeyError, TypeError) as error:
        logging.warning("%s: made again", error)
        return False
    same = (result.runs, result.seed, result.made_with) == (runs, seed, made_with())
    return same and np.array_equal(result.times, checkpoints(scenario.horizon))


def stored_part(job, folder):
    """The result of a job that has been done before, or None."""
    path = folder / job.file
    try:
        return from_bytes(read(path))
    except FileNotFoundError:
        return None
    except (Damaged, ValueError, OSError) as error:
        logging.warning("%s: done again", error)
        return None


def source_digest():
    """Parts made by other code must not be mixed in."""
    here = Path(__file__).parent
    names = ("leap", "simulation", "policies", "gaps", "paper", "reproduce")
    text = b"".join((here / f"{name}.py").read_bytes() for name in names)
    return hashlib.sha256(text + str(made_with()).encode()).hexdigest()[:12]


# ---- all of it -----------------------------------------------------------------------


def reproduce(scenarios, fraction, seed, output, parts, executor, progress=True):
    """Do what is left to do, and write a file for each scenario that is finished."""
    parts = Path(parts) / source_digest()
    plans, left = {}, []
    for scenario in scenarios:
        runs = max(round(scenario.runs * fraction), 1)
        if is_done(scenario, runs, seed, output):
            logging.info("%s: already there", scenario.name)
            continue
        plan = {job: stored_part(job, parts) for job in jobs(scenario, runs, seed)}
        plans[scenario.name] = (scenario, runs, plan)
        left += [job for job, part in plan.items() if part is None]

    def finish(name):
        scenario, runs, plan = plans[name]
        if all(part is not None for part in plan.values()):
            result = combine(scenario, runs, seed, list(plan.items()))
            logging.info("%s: written to %s", name, save(result, output))
            for job in plan:
                (parts / job.file).unlink(missing_ok=True)

    for name in plans:  # all parts may have been there
        finish(name)
    with progress_bar(progress, left) as advance:
        futures = {executor.submit(play, job): job for job in left}
        try:
            for future in as_completed(futures):
                job, part = futures[future], future.result()
                write(parts / job.file, to_bytes(part))
                plans[job.scenario][2][job] = part
                advance(job)
                finish(job.scenario)
        finally:
            for future in futures:
                future.cancel()
    if parts.exists() and not any(parts.iterdir()):
        shutil.rmtree(parts)


@contextmanager
def progress_bar(wanted, left):
    if not wanted:
        yield lambda job: None
        return
    from tqdm import tqdm

    def rounds(job):
        return job.runs * SCENARIOS[job.scenario].horizon

    with tqdm(total=sum(map(rounds, left)), unit="round", unit_scale=True) as bar:

        def advance(job):
            bar.set_description(job.scenario)
            bar.update(rounds(job))

        yield advance


@contextmanager
def workers(scheduler, count):
    """An executor: threads of this machine, or the cluster of a Dask scheduler."""
    if scheduler is None:
        pool = ThreadPoolExecutor(count)
        try:
            yield pool
        finally:
            pool.shutdown(wait=True, cancel_futures=True)
        return
    try:
        from distributed import Client
    except ImportError:
        sys.exit("--scheduler needs Dask: pip install distributed")
    with Client(scheduler) as client:
        yield client.get_executor()


def main(arguments=None):
    parser = argparse.ArgumentParser(
        prog="python -m lenient_book.experiments", description=__doc__.split("\n")[0]
    )
    add = parser.add_argument
    add("--scenario", action="append", choices=SCENARIOS, help="only this one (repeatable)")
    add("--fraction", type=float, default=1.0, help="of the paper's number of runs")
    add("--scheduler", metavar="ADDRESS", help="of a Dask cluster to run on")
    add("--workers", type=int, default=os.cpu_count(), help="threads (default: all cores)")
    add("--seed", type=int, default=SEED)
    add("--output", type=Path, help="folder for the result files")
    add("--parts", type=Path, default=Path("_build/reproduce"), help="for unfinished work")
    options = parser.parse_args(arguments)
    if not 0 < options.fraction <= 1:
        parser.error(f"--fraction must be in (0, 1], got {options.fraction}")
    output = options.output
    if output is None:  # a quick look must not replace the book's results
        whole = options.fraction == 1 and options.seed == SEED
        output = Path("chapters/results") if whole else options.parts / "quick"
    names = options.scenario or list(SCENARIOS)
    start_log(options.parts)
    start = time.perf_counter()
    try:
        with workers(options.scheduler, options.workers) as executor:
            reproduce(
                [SCENARIOS[name] for name in names],
                options.fraction,
                options.seed,
                output,
                options.parts,
                executor,
            )
    except KeyboardInterrupt:
        print("\nStopped. The same command goes on from here.", file=sys.stderr)
        sys.exit(130)
    except OSError as error:
        sys.exit(f"\n{error}\nWhat was finished is kept: the same command goes on from here.")
    logging.info("all done in %.1f s", time.perf_counter() - start)
    for name in names:
        print(table(load(name, output)))
    print(f"The results are in {output}")


def start_log(folder):
    """Times and the machine go to a file of their own, beside the parts."""
    folder.mkdir(parents=True, exist_ok=True)
    log, screen = logging.FileHandler(folder / "log.txt"), logging.StreamHandler()
    screen.setLevel(logging.WARNING)
    logging.basicConfig(
        level=logging.INFO,
        format="%(asctime)s %(message)s",
        handlers=[log, screen],
        force=True,
    )
    logging.info(
        "%s, %s cores, Python %s", platform.platform(), os.cpu_count(), sys.version.split()[0]
    )


def table(result):
    """Ours beside the paper's, as text."""
    lines = [f"{result.scenario} ({result.runs} runs)"]
    for (algorithm, criterion), ours in result.statistics.items():
        theirs = SCENARIOS[result.scenario].statistics[algorithm, criterion]
        lines.append(
            f"  {algorithm:5}{criterion:9} mean {ours.mean:8.2f} ± {ours.standard_error:.2f}"
            f"  std {ours.std:8.2f}  99 % {ours.percentile99:8.2f}  max {ours.max:8.2f}"
            f"   paper {theirs.mean:g}, {theirs.std:g}, {theirs.percentile99:g}, {theirs.max:g}"
        )
    return "\n".join(lines)


if __name__ == "__main__":
    main()
