"""Run the book's experiments at their full size, and keep what the book shows of them.

    python -m lenient_book.experiments            (or: make reproduce)

What has been done before, by the same code from the same data, is kept.
"""

import argparse
import logging
import os
import platform
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path

from lenient_book.experiments import laws
from lenient_book.experiments.comparison import table
from lenient_book.experiments.reproduce import reproduce
from lenient_book.experiments.scenarios import EXPERIMENTS
from lenient_book.experiments.store import load


def main(arguments=None):
    if missing := [name for name in ("numba", "tqdm") if find_spec(name) is None]:
        sys.exit(f"This needs {' and '.join(missing)}: pip install 'lenient[fast,progress]'")
    parser = argparse.ArgumentParser(
        prog="python -m lenient_book.experiments", description=__doc__.split("\n")[0]
    )
    add = parser.add_argument
    add("--scenario", action="append", choices=EXPERIMENTS, help="only this one (repeatable)")
    add("--fraction", type=float, default=1.0, help="of the full number of runs")
    add("--scheduler", metavar="ADDRESS", help="of a Dask cluster to run on")
    add("--workers", type=int, default=os.cpu_count(), help="threads (default: all cores)")
    add("--seed", type=int, help="instead of the book's")
    add("--output", type=Path, help="folder for the result files")
    add("--parts", type=Path, default=Path("_build/reproduce"), help="for unfinished work")
    options = parser.parse_args(arguments)
    if not 0 < options.fraction <= 1:
        parser.error(f"--fraction must be in (0, 1], got {options.fraction}")
    output = options.output
    if output is None:  # a quick look must not replace the book's results
        whole = options.fraction == 1 and options.seed is None
        output = Path("chapters/results") if whole else options.parts / "quick"
    names = options.scenario or EXPERIMENTS
    wanted = [EXPERIMENTS[name].resized(options.fraction, options.seed) for name in names]
    _start_log(options.parts)
    start = time.perf_counter()
    try:
        with workers(options.scheduler, options.workers) as executor:
            report = reproduce(wanted, output, options.parts, executor)
    except KeyboardInterrupt:
        print("\nStopped. The same command goes on from here.", file=sys.stderr)
        sys.exit(130)
    except OSError as error:
        sys.exit(f"\n{error}\nWhat was finished is kept: the same command goes on from here.")
    logging.info("all done in %.1f s", time.perf_counter() - start)
    for experiment in wanted:
        if experiment.maker is laws:
            print(table(load(experiment, output)))
    print(*report, f"The results are in {output}", sep="\n")


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


def _start_log(folder):
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


if __name__ == "__main__":
    main()
