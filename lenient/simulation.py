"""Simulate a policy on a bandit, in many runs.

The plain engine plays all runs at once, one round after another; `lenient.leap` and
`lenient.leap_ucb` draw from the same law and skip the rounds in which nothing happens. What
is recorded are pull counts and wins at a few checkpoints; `lenient.result` computes the rest
from them.
"""

import os
import platform
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import as_completed
from contextlib import contextmanager
from functools import partial
from importlib.metadata import PackageNotFoundError, version
from multiprocessing import parent_process
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from lenient._check import check_count, check_flag, shown
from lenient.laws import check_arms, describe, is_law, means_of
from lenient.plain import child, play_block, what_it_sees
from lenient.policies import Policy
from lenient.result import Counts, Simulation

ENGINES = ("auto", "plain", "leap")

# Runs are played in blocks of this many, each with a seed of its own. The number is part
# of what a seed means: it must depend neither on the workers nor on the machine. Larger
# blocks leave the processor's cache, smaller ones are lost in the overhead of NumPy calls.
BLOCK = 1000

# To visit so many rounds takes days.
LONGEST_PLAIN_HORIZON = 10**10
MOST_CHECKPOINTS = 10**7
MEMORY_LIMIT = 8 * 10**9  # bytes; to be raised by whoever has more


def simulate(
    means: Iterable[Any],
    policy: Policy,
    horizon: int,
    runs: int,
    seed: Any = None,
    checkpoints: Sequence[int] | NDArray[np.integer] | None = None,
    engine: str = "auto",
    executor: Any = None,
    progress: bool = False,
    common_rewards: bool = False,
) -> Simulation:
    """Play a policy on a bandit, in many independent runs.

    Parameters
    ----------
    means
        One entry an arm: a mean in [0, 1], for rewards 0 and 1, or a law on [0, 1] (a frozen
        one of `scipy.stats`, or a `Sample`), whose rewards x are rounded at random to 1 with
        probability x and else to 0. (A policy that `sees` rewards is told x itself.)
    policy
        `TS()`, `EpsTS(0.2)`, … or a function of your own as described in `lenient.policies`.
    horizon
        The number of rounds of each run.
    runs
        The number of runs.
    seed
        A whole number or a `SeedSequence`. Same seed and engine, same result, whatever the
        executor.
    checkpoints
        Increasing numbers of rounds after which to record the counts, the last of them the
        horizon. Left out: 200, evenly spaced.
    engine
        "plain" visits every round. "leap" skips the boring ones, for `TS`, `EpsTS`, `KLUCB`
        and its lenient forms on arms given by their means, and needs numba. "auto" is
        "leap" where that is possible, else "plain". The law of the result is the same.
        Rounds are boring once one arm leads: where two arms tie at the top none ever does,
        and "leap" visits every round too.
    executor
        A `concurrent.futures.Executor` to spread the runs over, such as a
        `ProcessPoolExecutor` or a Dask client's `get_executor()`.
    progress
        Show a bar (needs tqdm).
    common_rewards
        In run r the n-th play of arm a has the same reward for every policy that is
        simulated with the same seed. Differences between policies are then less noisy.
        Needs the plain engine.

    Returns
    -------
    Simulation
        Pull counts and wins at the checkpoints, and what is computed from them.

    Examples
    --------
    >>> import lenient
    >>> s = lenient.simulate([0.9, 0.6], lenient.EpsTS(0.2), horizon=1000, runs=100, seed=1)
    >>> s.pulls.shape  # runs × times × arms
    (100, 200, 2)
    >>> bool((s.pulls.sum(axis=2) == s.times).all())
    True

    In the book: chapters 1 and 2; the engine "leap" in chapter 7.
    """
    setting = check_setting(
        means, policy, horizon, runs, seed, checkpoints, engine, common_rewards
    )
    check_executor(executor)
    arms, times, runs, root = setting.arms, setting.times, setting.runs, setting.seed
    pulls, wins = _make_room(runs, times, len(arms))

    starts = range(0, runs, BLOCK)
    blocks = [
        (setting.play, arms, policy, times, min(BLOCK, runs - start), child(root, number))
        for number, start in enumerate(starts)
    ]
    with progress_bar(progress, runs * int(times[-1]), "step") as advance:
        for number, counts in _play_all(blocks, executor, advance):
            if not (counts.pulls.sum(axis=2) == times).all():
                raise RuntimeError(
                    f"the counts of {shown(policy)} do not sum to the time: it has changed "
                    "pulls, which are not its own, or this is a fault of ours"
                )
            block = slice(starts[number], starts[number] + BLOCK)
            pulls[block], wins[block] = counts
    return Simulation(
        means=means_of(arms),
        policy=policy,
        seed=root,
        times=times,
        pulls=pulls,
        wins=wins,
        engine=setting.engine,
        why_engine=setting.why_engine,
        laws=tuple(describe(arm) for arm in arms),
        versions=_versions(setting.engine),
    )


class Setting(NamedTuple):
    """What is to be played, after it has been checked."""

    arms: list
    times: NDArray[np.int64]
    runs: int
    seed: np.random.SeedSequence
    engine: str
    play: Callable[..., Counts]
    why_engine: str


def check_setting(
    means: Iterable[Any],
    policy: Policy,
    horizon: int,
    runs: int,
    seed: Any = None,
    checkpoints: Any = None,
    engine: str = "auto",
    common_rewards: bool = False,
) -> Setting:
    """All that can be wrong with the arguments of `simulate`, said before work starts."""
    horizon = _check_horizon(horizon)
    runs = check_count("runs", runs)
    arms = check_arms(means)
    if not callable(policy) or isinstance(policy, type):  # TS for TS()
        raise ValueError(f"policy must be a policy such as TS(), got {shown(policy)}")
    times = _check_checkpoints(checkpoints, horizon)
    if not isinstance(engine, str) or engine not in ENGINES:
        raise ValueError(f"engine must be one of {ENGINES}, got {shown(engine)}")
    check_flag("common_rewards", common_rewards)
    if what_it_sees(policy) == "rewards" and common_rewards and any(map(is_law, arms)):
        raise ValueError(
            "common_rewards must be False for arms given by laws and a policy that sees their "
            "rewards, got True: only 0 and 1 are common"
        )
    root = check_seed(seed)
    chosen = _choose_engine(engine, arms, policy, horizon, common_rewards)
    return Setting(arms, times, runs, root, *chosen)


def log_checkpoints(horizon: int, count: int = 200) -> NDArray[np.int64]:
    """At most `count` checkpoints evenly spaced in ln t, from 1 to the horizon.

    For a regret that grows like ln t, drawn over a logarithmic axis: evenly spaced ones
    would leave its first part out.

    Parameters
    ----------
    horizon : int
        The last checkpoint, at most 2⁵³.
    count : int
        How many; fewer where several fall on the same round.

    Returns
    -------
    ndarray of int
        In increasing order, as `simulate` takes them.

    Examples
    --------
    >>> log_checkpoints(1000, count=4).tolist()
    [1, 10, 100, 1000]
    >>> log_checkpoints(5).tolist()
    [1, 2, 3, 4, 5]

    In the book: chapters 1 and 2.
    """
    horizon, count = _check_horizon(horizon), check_count("count", count)
    if count > MOST_CHECKPOINTS:
        raise ValueError(f"count must be at most {MOST_CHECKPOINTS:,}, got {shown(count)}")
    return np.unique(np.geomspace(horizon, 1, count).round().astype(np.int64))


def _choose_engine(
    engine: str, arms: list, policy: Policy, horizon: int, common_rewards: bool
) -> tuple[str, Callable[..., Counts], str]:
    """The engine's name, its function for a block, and why it was chosen."""
    why = "asked for"
    if common_rewards:
        why = "common_rewards=True needs engine 'plain'"
        if engine == "leap":
            raise ValueError(why)
    elif engine != "plain":
        try:
            from lenient import leap, leap_ucb
        except ImportError as error:
            why = "engine='leap' needs numba: pip install 'lenient[fast]'"
            if engine == "leap":
                raise ImportError(why) from error
        else:
            for leaping in (leap, leap_ucb):
                obstacle = leaping.obstacle(arms, policy)
                if obstacle is None:
                    return "leap", leaping.play_block, "it can play this, and skips rounds"
                why = f"engine 'leap' {obstacle}"
            if engine == "leap":
                raise ValueError(why)
    if horizon > LONGEST_PLAIN_HORIZON:
        raise ValueError(
            f"horizon must be at most {LONGEST_PLAIN_HORIZON:,} where every round is visited, "
            f"got {horizon:,} ({why})"
        )
    return "plain", partial(play_block, common_rewards=common_rewards), why


def _check_horizon(horizon: Any) -> int:
    """Return the horizon as an int. Floats hold whole numbers up to 2⁵³, and no further."""
    horizon = check_count("horizon", horizon)
    if horizon > 2**53:
        raise ValueError(f"horizon must be at most 2**53, got {shown(horizon)}")
    return horizon


def check_memory(needed: int, for_what: str) -> None:
    """Refuse what needs more bytes than the limit."""
    if needed > MEMORY_LIMIT:
        raise ValueError(
            f"runs must need at most {MEMORY_LIMIT / 1e9:,.0f} GB "
            f"(lenient.simulation.MEMORY_LIMIT), got {shown(needed // 10**9)} GB for {for_what}"
        )


def _make_room(runs: int, times: NDArray[np.int64], arms: int) -> NDArray[np.integer]:
    """Two arrays for the counts, if there is memory for them."""
    kind = np.dtype(np.int32 if times[-1] < 2**31 else np.int64)
    check_memory(
        2 * runs * times.size * arms * kind.itemsize,
        f"{shown(runs)} runs × {times.size:,} checkpoints × {arms:,} arms",
    )
    return np.empty((2, runs, times.size, arms), kind)


def _versions(engine: str) -> dict[str, str]:
    """Of all that may change a number."""
    packages = ["lenient", "numpy", "scipy"] + ["numba"] * (engine == "leap")
    versions = {"python": platform.python_version()}
    for package in packages:
        try:
            versions[package] = version(package)
        except PackageNotFoundError:  # a checkout that is not installed
            versions[package] = "unknown"
    return versions


def _play_all(
    blocks: list, executor: Any, advance: Callable[[int], Any]
) -> Iterator[tuple[int, Counts]]:
    """Yield (number, counts) of every block, as they are done."""
    if executor is None:  # a block that is played here moves the bar itself
        yield from spread([(*block, advance) for block in blocks], executor)
        return
    for number, counts in spread(blocks, executor):
        yield number, counts
        *_, times, runs, _ = blocks[number]
        advance(runs * int(times[-1]))


def spread(jobs: list, executor: Any) -> Iterator[tuple[int, Any]]:
    """Yield (number, result) of every job (function, *arguments), as they are done."""
    if executor is None:
        for number, (function, *arguments) in enumerate(jobs):
            yield number, function(*arguments)
        return
    futures = {executor.submit(_work, *job): number for number, job in enumerate(jobs)}
    try:
        for future in as_completed(futures):
            yield futures[future], future.result()
    finally:  # interrupted, or a job failed: start no further one
        for future in futures:
            future.cancel()


def _work(function: Callable[..., Any], *arguments: Any) -> Any:
    """Do a job in an executor's worker."""
    try:
        return function(*arguments)
    except KeyboardInterrupt:
        if parent_process() is None:
            raise
        # Ctrl-C reaches the workers of a process pool too. To raise would end this job
        # only: the worker would take the next one from the queue and go on, unseen.
        os._exit(130)


@contextmanager
def progress_bar(wanted: bool, total: int, unit: str) -> Iterator[Callable[[int], Any]]:
    """Give a function that moves a bar on by a number of steps (or does nothing)."""
    check_flag("progress", wanted)
    if not wanted:
        yield lambda steps: None
        return
    try:
        from tqdm.auto import tqdm
    except ImportError:
        message = "progress=True needs tqdm: pip install 'lenient[progress]'"
        raise ImportError(message) from None
    with tqdm(total=total, unit=unit, unit_scale=True) as bar:
        yield bar.update


def _check_checkpoints(checkpoints: Any, horizon: int) -> NDArray[np.int64]:
    """Return the checkpoints as an increasing integer array within 1, …, horizon."""
    if checkpoints is None:
        count = min(horizon, 200)
        return np.arange(1, count + 1, dtype=np.int64) * horizon // count
    try:
        count = len(checkpoints)
    except TypeError:
        raise ValueError(
            f"checkpoints must be a list of rounds, got {shown(checkpoints)}"
        ) from None
    if count > MOST_CHECKPOINTS:
        raise ValueError(
            f"checkpoints must be at most {MOST_CHECKPOINTS:,} rounds, got {shown(checkpoints)}"
        )
    rounds = [check_count("each checkpoint", time) for time in checkpoints]
    if max(rounds, default=1) > horizon:
        raise ValueError(
            f"checkpoints must increase within 1, …, {horizon} (the horizon), "
            f"got {shown(max(rounds))}"
        )
    times = np.array(rounds, dtype=np.int64)
    if times.size == 0:
        raise ValueError("checkpoints must name at least one round, got none")
    if (np.diff(times) <= 0).any():
        raise ValueError(
            f"checkpoints must increase within 1, …, {horizon} (the horizon), got {times}"
        )
    if times[-1] < horizon:
        raise ValueError(
            f"checkpoints must end with the horizon, {horizon}, got {times[-1]} as the last"
        )
    return times


def check_executor(executor: Any) -> None:
    if executor is not None and not hasattr(executor, "submit"):
        raise ValueError(
            f"executor must be a concurrent.futures.Executor, got {shown(executor)}"
        )


def check_seed(seed: Any) -> np.random.SeedSequence:
    """Return the seed as a `SeedSequence`."""
    if isinstance(seed, np.random.SeedSequence):
        return seed
    try:
        if np.ndim(seed) < 2:  # more would bring NumPy down
            return np.random.SeedSequence(seed)
    except (TypeError, ValueError):
        pass
    raise ValueError(
        f"seed must be a whole number of at least 0, a list of them or a SeedSequence, "
        f"got {shown(seed)}"
    )
