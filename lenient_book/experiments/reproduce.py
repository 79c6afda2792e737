"""Do what is left to do of some experiments, in a way that can be stopped at any time.

A finished job is on disk before it counts, so a run that is stopped, killed or out of disk
space loses only the jobs in hand: started again it goes on, and the result is the same to
the bit. Unfinished work lies in a folder named by its key, so that parts made by other code
or from other data are never mixed in.
"""

import logging
import shutil
from concurrent.futures import as_completed
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from lenient_book.experiments.key import key_digest
from lenient_book.experiments.scenarios import Experiment
from lenient_book.experiments.store import (
    Damaged,
    examine,
    key_of,
    load_part,
    save,
    save_part,
)


class Plan(NamedTuple):
    """An experiment that is to be made, and what has been done of it."""

    experiment: Experiment
    why: str
    key: dict
    folder: Path
    parts: dict  # by job, None where it is still to be run


def reproduce(experiments, output, folder, executor, progress=True):
    """Write a file for each experiment that has none that fits.

    Gives a line for each: what was kept, what was made and why.
    """
    plans, report = [], []
    for experiment in experiments:
        _, why = examine(experiment, output)
        if why:
            plans.append(_make_plan(experiment, why, folder))
        said = f"made {experiment.name}: {why}" if why else f"kept {experiment.name}"
        report.append(said)
        logging.info(said.replace("made", "to make", 1))
    for each in plans:  # all parts may have been there
        _finish(each, output)
    left = [(job, each) for each in plans for job, part in each.parts.items() if part is None]
    with _progress_bar(progress, left) as advance:
        futures = {
            executor.submit(each.experiment.maker.run_job, job): (job, each)
            for job, each in left
        }
        try:
            for future in as_completed(futures):
                job, each = futures[future]
                each.parts[job] = future.result()
                save_part(each.parts[job], each.folder / job.file)
                advance(job, each)
                _finish(each, output)
        finally:
            for future in futures:
                future.cancel()
    return report


def _make_plan(experiment, why, folder):
    """What is to be done, with the key of the code as it is now, when the work begins."""
    key = key_of(experiment)
    mine = Path(folder, key_digest(key))
    parts = {job: _part_of(job, mine) for job in experiment.jobs()}
    return Plan(experiment, why, key, mine, parts)


def _part_of(job, folder):
    """What the job gave if it has been done before, or None."""
    try:
        return load_part(folder / job.file)
    except FileNotFoundError:
        return None
    except (Damaged, OSError) as error:
        logging.warning("%s is damaged (%s): done again", folder / job.file, error)
        return None


def _finish(plan, output):
    """Write the result if all parts are there."""
    if all(part is not None for part in plan.parts.values()):
        result = plan.experiment.combine(list(plan.parts.items()))
        save(plan.experiment, plan.key, result, output)
        logging.info("made %s: %s", plan.experiment.name, plan.why)
        shutil.rmtree(plan.folder, ignore_errors=True)


@contextmanager
def _progress_bar(wanted, left):
    if not wanted:
        yield lambda job, plan: None
        return
    from tqdm import tqdm

    total = sum(job.rounds for job, _ in left)
    with tqdm(total=total, unit="round", unit_scale=True) as bar:

        def advance(job, plan):
            bar.set_description(plan.experiment.name)
            bar.update(job.rounds)

        yield advance
