"""Simulate a policy on a bandit, in many runs.

The plain engine plays all runs at once, one round after another; `lenient.leap` draws from
the same law and skips the rounds in which nothing happens. The only thing recorded are pull
counts, at a few checkpoints: every regret is a weighted sum of them, so one simulation
serves every gap function.
"""

import os
from concurrent.futures import as_completed
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from multiprocessing import parent_process
from typing import NamedTuple

import numpy as np

from lenient._check import check_count, check_means
from lenient.gaps import costs, suboptimality

ENGINES = ("auto", "plain", "leap")

# Runs are played in blocks of this many, each with a seed of its own. The number is part
# of what a seed means: it must depend neither on the workers nor on the machine. Larger
# blocks leave the processor's cache, smaller ones are lost in the overhead of NumPy calls.
BLOCK = 1000


# To visit so many rounds takes days.
LONGEST_PLAIN_HORIZON = 10**10
MOST_CHECKPOINTS = 10**7
MEMORY_LIMIT = 8 * 10**9  # bytes; to be raised by whoever has more


class Summary(NamedTuple):
    """The law of the regret over runs, in five numbers."""

    mean: float
    std: float
    percentile99: float
    max: float
    standard_error: float


@dataclass(frozen=True, eq=False)
class Simulation:
    """Pull counts of many runs of one policy on one bandit.

    means: the arms' means;  policy: who played;  seed and engine: what to pass to get the
    same again;  why_engine: why "auto" chose it;  times: the checkpoints;  pulls[r, i, a]:
    how often run r played arm a in its first times[i] rounds.
    """

    means: np.ndarray
    policy: object
    seed: object
    times: np.ndarray
    pulls: np.ndarray = field(repr=False)
    engine: str = "plain"
    why_engine: str = ""

    @property
    def gaps(self):
        """Δ of each arm."""
        return suboptimality(self.means)

    def regret(self, gap):
        """Σ f(Δ) over the plays so far: an array of runs × times.

        `gap` is a gap function or another criterion, see `lenient.gaps`.
        """
        regret = np.zeros(self.pulls.shape[:2])
        for arm, cost in enumerate(costs(gap, self.means)):
            if cost:
                regret += cost * self.pulls[:, :, arm]
        return regret

    def summary(self, gap):
        """Mean, std, 99th percentile, maximum and standard error at the last time."""
        final = self._last().regret(gap)[:, 0]
        std = final.std(ddof=1) if final.size > 1 else np.nan
        return Summary(
            float(final.mean()),
            float(std),
            float(np.percentile(final, 99)),
            float(final.max()),
            float(std / np.sqrt(final.size)),
        )

    def _last(self):
        times, pulls = self.times[-1:], self.pulls[:, -1:]
        return replace(self, times=times, pulls=pulls)


def simulate(
    means,
    policy,
    horizon,
    runs,
    seed=None,
    checkpoints=None,
    engine="auto",
    executor=None,
    progress=False,
):
    """Play `policy` for `horizon` rounds in each of `runs` independent runs.

    means        one entry an arm: a mean in [0, 1], for rewards 0 and 1, or a frozen
                 `scipy.stats` law on [0, 1], whose rewards x are rounded at random to
                 1 with probability x and else to 0
    policy       `TS()`, `EpsTS(0.2)`, … or a function as described in `lenient.policies`
    seed         a whole number or a `SeedSequence`; same seed and engine, same result,
                 whatever the executor
    checkpoints  increasing numbers of rounds after which to record the pull counts
                 (default: 200 evenly spaced, the last being the horizon)
    engine       "plain" visits every round; "leap" skips the boring ones, for `TS` and
                 `EpsTS` on arms given by their means, and needs numba; "auto" is "leap"
                 where that is possible, else "plain". The law of the result is the same.
    executor     a `concurrent.futures.Executor` to spread the runs over, such as a
                 `ProcessPoolExecutor` or a Dask client's `get_executor()`
    progress     show a bar (needs tqdm)
    """
    horizon = check_count("horizon", horizon)
    runs = check_count("runs", runs)
    arms = _check_arms(means)
    if not callable(policy) or isinstance(policy, type):  # TS for TS()
        raise ValueError(f"policy must be a policy such as TS(), got {policy!r}")
    times = _check_checkpoints(checkpoints, horizon)
    if engine not in ENGINES:
        raise ValueError(f"engine must be one of {ENGINES}, got {engine!r}")
    if executor is not None and not hasattr(executor, "submit"):
        raise ValueError(f"executor must be a concurrent.futures.Executor, got {executor!r}")
    root = _check_seed(seed)
    engine, play, why_engine = _choose_engine(engine, arms, policy, horizon)

    dtype = np.int32 if times[-1] < 2**31 else np.int64
    needed = runs * times.size * len(arms) * np.dtype(dtype).itemsize
    if needed > MEMORY_LIMIT:
        raise ValueError(
            f"runs must need at most {MEMORY_LIMIT / 1e9:,.0f} GB for their counts "
            f"(lenient.simulation.MEMORY_LIMIT), got {needed / 1e9:,.0f} GB: "
            f"{runs:,} runs × {times.size:,} checkpoints × {len(arms):,} arms"
        )
    pulls = np.empty((runs, times.size, len(arms)), dtype)
    starts = range(0, runs, BLOCK)
    blocks = [
        (play, arms, policy, times, min(BLOCK, runs - start), _child(root, number))
        for number, start in enumerate(starts)
    ]
    with _progress_bar(progress, runs * int(times[-1])) as advance:
        for number, counts in _play_all(blocks, executor, advance):
            if not (counts.sum(axis=2) == times).all():
                raise RuntimeError(f"{policy!r} was not played once a round: a fault of ours")
            start = starts[number]
            pulls[start : start + BLOCK] = counts
    return Simulation(_means(arms), policy, root, times, pulls, engine, why_engine)


def log_checkpoints(horizon, count=200):
    """At most `count` checkpoints evenly spaced in ln t, from 1 to the horizon."""
    horizon, count = check_count("horizon", horizon), check_count("count", count)
    if horizon > 2**53:  # the last whole number up to which floats hold them all
        raise ValueError(f"horizon must be at most 2**53, got {horizon}")
    return np.unique(np.geomspace(horizon, 1, count).round().astype(np.int64))


def play_block(arms, policy, times, runs, seed, advance=lambda steps: None):
    """Play one block of runs and return its pull counts (runs × times × arms)."""
    rng = np.random.Generator(np.random.SFC64(seed))
    pulls = np.zeros((len(arms), runs), dtype=np.int64)
    wins = np.zeros_like(pulls)
    seen = _read_only(pulls), _read_only(wins)  # a policy may look, not touch
    counts = np.empty((times.size, *pulls.shape), dtype=np.int64)
    draw_rewards = _reward_sampler(arms, runs)
    done = 0
    for checkpoint, time in enumerate(times):
        for t in range(done + 1, time + 1):
            played = best_arms(policy(*seen, t, rng), pulls.shape, rng)
            pulls += played
            wins += played & draw_rewards(played, rng)
        counts[checkpoint] = pulls
        advance(runs * int(time - done))
        done = time
    return counts.transpose(2, 0, 1)


def _read_only(array):
    view = array.view()
    view.flags.writeable = False
    return view


def best_arms(scores, shape, rng):
    """Mark the arm with the highest score in each run; ties are broken uniformly."""
    scores = np.asarray(scores)
    if np.shape(scores) != shape:
        raise ValueError(
            f"policy must return scores of shape (arms, runs) = {shape}, got {np.shape(scores)}"
        )
    best = scores.max(axis=0)
    if np.isnan(best).any():
        raise ValueError("policy must return numbers as scores, got NaN")
    is_best = scores == best
    if np.count_nonzero(is_best) == best.size:  # one winner a run, as almost always
        return is_best
    lottery = np.where(is_best, rng.random(shape), -1)
    return np.arange(shape[0])[:, None] == lottery.argmax(axis=0)


def _reward_sampler(arms, runs):
    """A function (played, rng) -> the rewards, 0 or 1, that the arms would give."""
    chance = _means(arms)[:, None]
    laws = [(a, arm) for a, arm in enumerate(arms) if is_law(arm)]
    if laws:  # the chance of a 1 is the reward itself, drawn anew in each round
        chance = np.repeat(chance, runs, axis=1)

    def draw(played, rng):
        for a, law in laws:
            chosen = np.flatnonzero(played[a])
            chance[a, chosen] = _rewards(law, chosen.size, rng)
        return rng.random(runs) < chance

    return draw


def is_law(arm):
    """Is the arm a law of rewards, of the older or the newer kind in `scipy.stats`?"""
    return hasattr(arm, "rvs") or hasattr(arm, "sample")


def _rewards(law, size, rng):
    if hasattr(law, "rvs"):
        drawn = law.rvs(size=size, random_state=rng)
    else:
        drawn = law.sample(size, rng=rng)
    inside = (0 <= drawn) & (drawn <= 1)
    if not np.all(inside):
        wrong = drawn[~inside][0]
        raise ValueError(f"means must be laws on [0, 1], got a reward of {wrong} from {law!r}")
    return drawn


def _choose_engine(engine, arms, policy, horizon):
    """The engine's name, its function for a block, and why it was chosen."""
    why = "asked for"
    if engine != "plain":
        try:
            from lenient import leap
        except ImportError as error:
            why = "engine='leap' needs numba: pip install 'lenient[fast]'"
            if engine == "leap":
                raise ImportError(why) from error
        else:
            obstacle = leap.obstacle(arms, policy, horizon)
            if obstacle is None:
                return "leap", leap.play_block, "it can play this, and skips rounds"
            why = f"engine 'leap' {obstacle}"
            if engine == "leap":
                raise ValueError(why)
    if horizon > LONGEST_PLAIN_HORIZON:
        raise ValueError(
            f"horizon must be at most {LONGEST_PLAIN_HORIZON:,} where every round is visited, "
            f"got {horizon:,} ({why})"
        )
    return "plain", play_block, why


def _play_all(blocks, executor, advance):
    """Yield (number, counts) of every block, as they are done."""
    if executor is None:
        for number, block in enumerate(blocks):
            play, *job = block
            yield number, play(*job, advance)
        return
    futures = {executor.submit(_work, *b): n for n, b in enumerate(blocks)}
    try:
        for future in as_completed(futures):
            number = futures[future]
            yield number, future.result()
            *_, times, runs, _ = blocks[number]
            advance(runs * int(times[-1]))
    finally:  # interrupted, or a block failed: start no further one
        for future in futures:
            future.cancel()


def _work(play, *job):
    """Play a block in an executor's worker."""
    try:
        return play(*job)
    except KeyboardInterrupt:
        if parent_process() is None:
            raise
        # Ctrl-C reaches the workers of a process pool too. To raise would end this block
        # only: the worker would take the next one from the queue and go on, unseen.
        os._exit(130)


@contextmanager
def _progress_bar(wanted, total):
    """Give a function that moves a bar on by a number of steps (or does nothing)."""
    if not wanted:
        yield lambda steps: None
        return
    try:
        from tqdm.auto import tqdm
    except ImportError:
        message = "progress=True needs tqdm: pip install 'lenient[progress]'"
        raise ImportError(message) from None
    with tqdm(total=total, unit="step", unit_scale=True) as bar:
        yield bar.update


def _child(root, number):
    """The seed of block `number`; unlike `root.spawn`, it leaves no trace in `root`."""
    return np.random.SeedSequence(root.entropy, spawn_key=(*root.spawn_key, number))


def _means(arms):
    return np.array([arm.mean() if is_law(arm) else arm for arm in arms], float)


def _check_arms(means):
    """Return the arms as a list of means and laws, if all live on [0, 1]."""
    try:
        arms = list(means)
    except TypeError:
        raise ValueError(f"means must list at least one arm, got {means!r}") from None
    for number, arm in enumerate(arms):
        if is_law(arm) and not (arm.support()[0] >= 0 and arm.support()[1] <= 1):
            raise ValueError(
                f"means must be numbers or laws on [0, 1], got a law on "
                f"{arm.support()} for arm {number}"
            )
    numbers = check_means([0.5 if is_law(arm) else arm for arm in arms]).tolist()
    return [arm if is_law(arm) else mean for arm, mean in zip(arms, numbers)]


def _check_checkpoints(checkpoints, horizon):
    """Return the checkpoints as an increasing integer array within 1, …, horizon."""
    if checkpoints is None:
        count = min(horizon, 200)
        return np.arange(1, count + 1, dtype=np.int64) * horizon // count
    try:
        count = len(checkpoints)
    except TypeError:
        raise ValueError(f"checkpoints must be a list of rounds, got {checkpoints!r}") from None
    if count > MOST_CHECKPOINTS:
        raise ValueError(
            f"checkpoints must be at most {MOST_CHECKPOINTS:,} rounds, got {checkpoints!r}"
        )
    times = np.array([check_count("each checkpoint", time) for time in checkpoints])
    if times.size == 0:
        raise ValueError("checkpoints must name at least one round, got none")
    if times[-1] > horizon or (np.diff(times) <= 0).any():
        raise ValueError(
            f"checkpoints must increase within 1, …, {horizon} (the horizon), got {times}"
        )
    return times


def _check_seed(seed):
    """Return the seed as a `SeedSequence`."""
    if isinstance(seed, np.random.SeedSequence):
        return seed
    if np.ndim(seed) > 1:  # which would bring NumPy down
        raise ValueError(f"seed must be a whole number or a list of them, got {seed!r}")
    try:
        return np.random.SeedSequence(seed)
    except (TypeError, ValueError):
        raise ValueError(
            f"seed must be a whole number of at least 0 or a SeedSequence, got {seed!r}"
        ) from None
