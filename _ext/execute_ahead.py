"""Run the notebooks that have to be run on all cores, before Sphinx reads its pages.

Sphinx would run them one after another, each when its page is read. What is run here goes
into the same cache, where the page finds it. A notebook that fails is left to Sphinx, which
runs it again and reports it as it always does.
"""

import os
from concurrent.futures import ThreadPoolExecutor, as_completed
from pathlib import Path

import nbformat
from jupyter_cache import get_cache
from jupyter_cache.base import CacheBundleIn
from jupyter_cache.executors.utils import single_nb_execution
from sphinx.util import logging

LOGGER = logging.getLogger(__name__)

# Those that take longest start first, so that no core works on alone at the end.
LONGEST = ("07-leap", "16-choosing-eps", "12-try-it-yourself", "recipes", "17-rewards-between")


def execute_ahead(app, env, docnames):
    """Put the results of all notebooks among these pages into the cache."""
    config = env.mystnb_config
    if config.execution_mode != "cache":
        return
    cache = get_cache(config.execution_cache_path)
    paths = long_ones_first(Path(env.doc2path(name)) for name in docnames)
    notebooks = {path: _read(path) for path in paths if path.suffix == ".ipynb"}
    missing = {path: nb for path, nb in notebooks.items() if not _is_known(cache, nb)}
    if len(missing) < 2:  # nothing to gain
        return
    with ThreadPoolExecutor(cores()) as pool:
        futures = {
            pool.submit(_run, nb, path.parent, config.execution_timeout): path
            for path, nb in missing.items()
        }
        try:
            for future in as_completed(futures):
                if future.exception() is None and future.result().err is None:
                    path, seconds = futures[future], future.result().time
                    _keep(cache, path, missing[path], seconds)
        finally:  # interrupted: start no further one
            pool.shutdown(cancel_futures=True)


def long_ones_first(paths):
    place = {name: number for number, name in enumerate(LONGEST)}
    return sorted(paths, key=lambda path: place.get(path.stem, len(LONGEST)))


def cores():
    """How many this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _read(path):
    return nbformat.read(path, as_version=4)


def _is_known(cache, notebook):
    try:
        cache.match_cache_notebook(notebook)
    except KeyError:
        return False
    return True


def _keep(cache, path, notebook, seconds):
    bundle = CacheBundleIn(notebook, str(path), data={"execution_seconds": seconds})
    cache.cache_notebook_bundle(bundle, check_validity=False, overwrite=True)
    LOGGER.info("%s: run ahead in %.0f seconds", path.name, seconds)


def _run(notebook, folder, timeout):
    return single_nb_execution(
        notebook, cwd=str(folder), timeout=timeout, allow_errors=False, meta_override=True
    )


def setup(app):
    app.connect("env-before-read-docs", execute_ahead)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
