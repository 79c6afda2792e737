"""The plain engine: all runs of a block at once, one round after another."""

from collections.abc import Callable
from copy import deepcopy
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lenient._check import shown
from lenient.laws import ROUNDING, is_law, means_of
from lenient.policies import Policy
from lenient.result import Counts

GOLDEN = np.uint64(0x9E3779B97F4A7C15)  # the step of SplitMix64

Draw = Callable[[Any, Any, np.random.Generator], NDArray[np.bool_]]
AsDrawn = Callable[[Any, Any], NDArray[np.float64]]


def play_block(
    arms: list,
    policy: Policy,
    times: NDArray[np.int64],
    runs: int,
    seed: Any,
    advance: Callable[[int], Any] = lambda steps: None,
    common_rewards: bool = False,
) -> Counts:
    """Play one block of runs and return its counts (each runs × times × arms)."""
    rng = np.random.Generator(np.random.SFC64(seed))
    observe = getattr(policy, "observe", None)
    if observe is not None:  # a policy with memory starts each block without
        policy = deepcopy(policy)
        observe = policy.observe  # type: ignore[attr-defined]
    pulls = np.zeros((len(arms), runs), dtype=np.int64)
    wins = np.zeros_like(pulls)
    seen = _read_only(pulls), _read_only(wins)  # a policy may look, not touch
    counts = np.empty((2, times.size, *pulls.shape), dtype=np.int64)
    sampler = _common_rewards if common_rewards else _fresh_rewards
    draw_rewards, as_drawn = sampler(arms, runs, seed)
    sees_rewards = what_it_sees(policy) == "rewards"
    done = 0
    for checkpoint, time in enumerate(times):
        for t in range(done + 1, time + 1):
            played = best_arms(policy(*seen, t, rng), pulls.shape, rng)
            pulls += played
            won = played & draw_rewards(played, seen[0], rng)
            wins += won
            if observe is not None:
                arm, reward = played.argmax(axis=0), won.any(axis=0).astype(np.int64)
                observe(arm, as_drawn(arm, reward) if sees_rewards else reward)
        counts[0, checkpoint], counts[1, checkpoint] = pulls, wins
        advance(runs * int(time - done))
        done = time
    return Counts(*counts.transpose(0, 3, 1, 2))


def what_it_sees(policy: Policy) -> str:
    """Whether `observe` is told a reward in [0, 1] itself, or 0 or 1 in its place."""
    what = getattr(policy, "sees", "wins")
    if what not in ("wins", "rewards"):
        raise ValueError(f"policy must see 'wins' or 'rewards', got sees={shown(what)}")
    return what


def _read_only(array: NDArray[np.int64]) -> NDArray[np.int64]:
    view = array.view()
    view.flags.writeable = False
    return view


def best_arms(
    scores: Any, shape: tuple[int, int], rng: np.random.Generator
) -> NDArray[np.bool_]:
    """Mark the arm with the highest score in each run; ties are broken uniformly."""
    scores = np.asarray(scores)
    if scores.dtype.kind not in "fiub":
        raise ValueError(f"policy must return numbers as scores, got {shown(scores)}")
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


def _fresh_rewards(arms: list, runs: int, seed: Any) -> tuple[Draw, AsDrawn]:
    """A function (played, pulls, rng) -> the rewards, 0 or 1, that the arms would give.

    And a function (arm, reward) -> the rewards of the same round before they were rounded.
    """
    chance = means_of(arms)[:, None]
    has_law = np.array([is_law(arm) for arm in arms])
    column = np.arange(runs)
    laws = [(a, arm) for a, arm in enumerate(arms) if is_law(arm)]
    if laws:  # the chance of a 1 is the reward itself, drawn anew in each round
        chance = np.repeat(chance, runs, axis=1)

    def draw(played: Any, pulls: Any, rng: np.random.Generator) -> NDArray[np.bool_]:
        for a, law in laws:
            chosen = np.flatnonzero(played[a])
            chance[a, chosen] = _rewards(law, chosen.size, rng)
        return rng.random(runs) < chance

    def as_drawn(arm: Any, reward: Any) -> NDArray[np.float64]:
        before = np.clip(chance[arm, column], 0, 1) if laws else 0.0
        return np.where(has_law[arm], before, reward)

    return draw, as_drawn


def _common_rewards(arms: list, runs: int, seed: Any) -> tuple[Draw, AsDrawn]:
    """The same, where the n-th play of an arm has the reward it has for every policy.

    Each arm of each run has a stream of its own, SplitMix64 (Steele, Lea and Flood, 2014),
    of which any number can be computed without those before. A reward that is rounded to 1
    with probability x is 1 with the mean of x: the law of the rewards does not matter.
    """
    mean = means_of(arms)
    keys = np.array(
        [child(child(seed, 0), arm).generate_state(runs, np.uint64) for arm in range(len(arms))]
    )
    column = np.arange(runs)

    def draw(played: Any, pulls: Any, rng: np.random.Generator) -> NDArray[np.bool_]:
        arm = played.argmax(axis=0)
        bits = keys[arm, column] + pulls[arm, column].astype(np.uint64) * GOLDEN
        bits = (bits ^ (bits >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        bits = (bits ^ (bits >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        bits = bits ^ (bits >> np.uint64(31))
        return (bits >> np.uint64(11)) * 2.0**-53 < mean[arm]

    return draw, lambda arm, reward: reward.astype(float)


def _rewards(law: Any, size: int, rng: np.random.Generator) -> NDArray[np.float64]:
    if hasattr(law, "rvs"):
        drawn = law.rvs(size=size, random_state=rng)
    else:
        drawn = law.sample(size, rng=rng)
    inside = (-ROUNDING <= drawn) & (drawn <= 1 + ROUNDING)
    if not np.all(inside):
        wrong = drawn[~inside][0]
        raise ValueError(f"means must be laws on [0, 1], got a reward of {wrong} from {law!r}")
    return drawn


def child(seed: np.random.SeedSequence, number: int) -> np.random.SeedSequence:
    """The seed with this number; unlike `seed.spawn`, it leaves no trace in `seed`."""
    return np.random.SeedSequence(seed.entropy, spawn_key=(*seed.spawn_key, number))
