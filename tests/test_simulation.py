"""The simulator against exact enumeration, published means, and its own promises."""

import inspect
import itertools
import os
import signal
import subprocess
import sys
import time
import tracemalloc
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from fractions import Fraction

import numpy as np
import pytest
from scipy import stats
from support.exact import exact_law_of_first_arm
from support.signals import hear_ctrl_c

from lenient import (
    KLUCB,
    TS,
    UCB1,
    EpsTS,
    hinge,
    indicator,
    log_checkpoints,
    simulate,
    standard,
)
from lenient.plain import best_arms
from lenient.simulation import BLOCK

# --- the law of the pull counts, exactly -------------------------------------------


CASES = list(
    itertools.product([(0.9, 0.6), (0.5, 0.2), (1.0, 0.0), (0.7, 0.7)], [0, 2, 7], [1, 2, 4, 6])
)


@pytest.mark.parametrize("means, tenths, horizon", CASES)
def test_pull_counts_have_their_exact_law(means, tenths, horizon):
    """Chi-square on 20,000 runs; all cases together raise a false alarm once in 1000."""
    law = exact_law_of_first_arm(means, tenths, horizon)
    assert law.sum() == pytest.approx(1, abs=1e-9)
    policy = EpsTS(tenths / 10) if tenths else TS()
    simulation = simulate(means, policy, horizon, 20_000, seed=77, engine="plain")
    seen = np.bincount(simulation.pulls[:, -1, 0], minlength=horizon + 1)
    possible = law > 1e-12
    assert seen[~possible].sum() == 0
    expected = law[possible] * 20_000
    common = expected >= 5  # the usual condition; the rare counts are taken together
    seen, expected = seen[possible], expected
    seen = np.append(seen[common], seen[~common].sum())
    expected = np.append(expected[common], expected[~common].sum())
    seen, expected = seen[expected > 0], expected[expected > 0]
    if seen.size > 1:
        p_value = stats.chisquare(seen, expected, sum_check=False).pvalue
        assert p_value > 1e-3 / len(CASES)


def test_the_chi_square_test_would_notice_a_small_mistake():
    """ε-TS that forgets to round down S/(1−ε) is told from the real one."""

    def careless(pulls, wins, t, rng):
        above = wins > 0.8 * pulls
        alpha = wins / 0.8 + 1
        theta = 0.8 * rng.beta(alpha, np.maximum(pulls + 2 - alpha, 1))
        return np.where(above, wins / np.maximum(pulls, 1), theta)

    law = exact_law_of_first_arm((0.5, 0.2), 2, 6)
    pulls = simulate((0.5, 0.2), careless, 6, 20_000, seed=77).pulls
    seen = np.bincount(pulls[:, -1, 0], minlength=7)
    assert stats.chisquare(seen, law * 20_000, sum_check=False).pvalue < 1e-6


@pytest.mark.parametrize(
    "means, policy, mean, std",
    [  # the paper's statistics table: standard regret at T = 5000 over 50,000 runs
        ((0.9, 0.6), TS(), 5.01, 3.44),
        ((0.9, 0.6), EpsTS(0.2), 2.16, 9.13),
        ((0.5, 0.2), TS(), 8.26, 4.09),
        ((0.5, 0.2), EpsTS(0.2), 5.5, 3.97),
    ],
)
@pytest.mark.claim("figure:main", how="simulation: 4 standard errors, false alarm 6e-5")
@pytest.mark.claim("table:main", how="simulation: 4 standard errors, false alarm 6e-5")
def test_means_of_the_paper_within_4_standard_errors(means, policy, mean, std):
    """False alarm for each: 6e-5 (and a little more where the law is skewed)."""
    simulation = simulate(means, policy, 5000, 2000, seed=11, checkpoints=[5000])
    ours = simulation.summary(standard())
    error = np.hypot(ours.standard_error, std / np.sqrt(50_000))
    assert abs(ours.mean - mean) < 4 * error + 0.005  # the paper rounds to 0.01


# --- what a simulation records ------------------------------------------------------


def test_counts_grow_and_sum_to_the_time():
    simulation = simulate([0.3, 0.8, 0.5], EpsTS(0.3), 1000, 30, seed=2)
    assert simulation.pulls.shape == (30, 200, 3)
    assert np.array_equal(simulation.times, np.arange(5, 1001, 5))
    assert np.all(simulation.pulls.sum(axis=2) == simulation.times)
    assert np.all(np.diff(simulation.pulls, axis=1) >= 0)


def test_short_horizons_record_every_round():
    assert np.array_equal(simulate([0.5], TS(), 3, 1, seed=0).times, [1, 2, 3])
    assert simulate([0.5], TS(), 333, 1, seed=0).times[-1] == 333


def test_the_checkpoints_do_not_change_the_runs():
    every = simulate([0.6, 0.4], TS(), 50, 20, seed=3, checkpoints=range(1, 51))
    few = simulate([0.6, 0.4], TS(), 50, 20, seed=3, checkpoints=[7, 50])
    assert np.array_equal(every.pulls[:, [6, 49]], few.pulls)


@pytest.mark.parametrize("horizon, count", [(1, 200), (10, 200), (10**12, 50)])
def test_log_checkpoints_go_from_1_to_the_horizon(horizon, count):
    times = log_checkpoints(horizon, count)
    assert times[0] == 1 and times[-1] == horizon
    assert times.size <= count and np.all(np.diff(times) > 0)


def test_regret_is_the_weighted_sum_of_the_pulls():
    simulation = simulate([0.9, 0.7, 0.4], TS(), 100, 40, seed=4)
    by_hand = simulation.pulls[:, :, 1] * 0.2 + simulation.pulls[:, :, 2] * 0.5
    assert np.allclose(simulation.regret(standard()), by_hand)
    # the gap of the middle arm is exactly ε: it costs nothing
    assert np.array_equal(
        simulation.regret(indicator(0.2)), simulation.pulls[:, :, 2].astype(float)
    )


def test_summary():
    simulation = simulate([0.9, 0.6], TS(), 300, 500, seed=4)
    final = simulation.regret(hinge(0.2))[:, -1]
    summary = simulation.summary(hinge(0.2))
    assert summary.mean == pytest.approx(np.sum(final) / 500)
    assert summary.std == pytest.approx(stats.tstd(final))
    assert summary.percentile99 == pytest.approx(np.quantile(final, 0.99))
    assert summary.max == final.max()
    assert summary.standard_error == pytest.approx(stats.sem(final))
    assert np.isnan(simulate([0.9, 0.6], TS(), 9, 1, seed=4).summary(standard()).std)


def test_a_policy_is_any_function():
    def always_last(pulls, wins, t, rng):
        return np.arange(len(pulls))[:, None] + 0.0 * pulls

    assert np.all(simulate([0.5, 0.5, 0.5], always_last, 10, 5).pulls[:, -1, 2] == 10)


def test_ties_are_broken_uniformly():
    scores = np.tile([[1.0], [2.0], [2.0], [0.0], [2.0]], 30_000)
    played = best_arms(scores, scores.shape, np.random.default_rng(1))
    assert np.all(played.sum(axis=0) == 1)
    seen = played.sum(axis=1)
    assert seen[0] == seen[3] == 0
    # false alarm: one in a thousand
    assert stats.chisquare(seen[[1, 2, 4]]).pvalue > 1e-3


def test_ties_of_infinite_scores_and_single_winners_side_by_side():
    scores = np.array([[np.inf, 1.0], [np.inf, 2.0]])
    first = {
        tuple(best_arms(scores, (2, 2), np.random.default_rng(seed))[0]) for seed in range(30)
    }
    assert first == {(True, False), (False, False)}


# --- rewards that are not 0 or 1 ----------------------------------------------------


def test_a_law_on_the_unit_interval_is_rounded_at_random():
    """Rounded rewards of mean μ are Bernoulli(μ): the exact law holds again."""
    arms = [stats.beta(9, 1), stats.uniform(0.2, 0.8)]  # means 0.9 and 0.6
    simulation = simulate(arms, EpsTS(0.2), 4, 20_000, seed=8)
    assert np.allclose(simulation.means, [0.9, 0.6])
    law = exact_law_of_first_arm((0.9, 0.6), 2, 4)
    seen = np.bincount(simulation.pulls[:, -1, 0], minlength=5)
    assert stats.chisquare(seen, law * 20_000, sum_check=False).pvalue > 1e-3


def test_laws_and_numbers_may_be_mixed():
    simulation = simulate([0.5, stats.bernoulli(0.25)], TS(), 20, 10, seed=1)
    assert np.array_equal(simulation.gaps, [0, 0.25])


# --- same seed, same numbers, on any number of workers --------------------------------

PROBLEM = dict(means=[0.7, 0.5], policy=EpsTS(0.1), horizon=60, runs=2 * BLOCK + 17)


@pytest.fixture(scope="module")
def alone():
    return simulate(**PROBLEM, seed=123)


def test_same_seed_same_numbers(alone):
    assert np.array_equal(simulate(**PROBLEM, seed=123).pulls, alone.pulls)
    assert not np.array_equal(simulate(**PROBLEM, seed=124).pulls, alone.pulls)


def test_blocks_are_independent(alone):
    first, second = alone.pulls[:BLOCK], alone.pulls[BLOCK : 2 * BLOCK]
    assert not np.array_equal(first, second)


def test_the_seed_of_an_unseeded_simulation_is_kept():
    chance = simulate([0.7, 0.5], TS(), 30, 10)
    again = simulate([0.7, 0.5], TS(), 30, 10, seed=chance.seed)
    assert np.array_equal(chance.pulls, again.pulls)


@pytest.mark.parametrize("workers", [1, 2])
def test_a_process_pool_changes_nothing(alone, workers):
    with ProcessPoolExecutor(workers) as pool:
        pooled = simulate(**PROBLEM, seed=123, executor=pool)
    assert np.array_equal(pooled.pulls, alone.pulls)


def test_a_dask_cluster_changes_nothing(alone):
    from dask.distributed import Client, LocalCluster

    with (
        LocalCluster(
            n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None
        ) as cluster,
        Client(cluster) as client,
        client.get_executor() as executor,
    ):
        spread = simulate(**PROBLEM, seed=123, executor=executor)
    assert np.array_equal(spread.pulls, alone.pulls)


def test_a_failure_in_a_worker_reaches_the_caller():
    def broken(pulls, wins, t, rng):
        raise RuntimeError("this policy is broken")

    with ThreadPoolExecutor(2) as pool, pytest.raises(RuntimeError, match="broken"):
        simulate([0.5], broken, 10, 5 * BLOCK, executor=pool)


LONG_WORK = """
import sys
from concurrent.futures import ProcessPoolExecutor
import lenient
policy, size = lenient.TS(), dict(horizon=10**7, runs=20_000)
with ProcessPoolExecutor(2) as pool:
    print("started", flush=True)
    {}
"""


@pytest.mark.parametrize(
    "call",
    [
        "lenient.simulate([0.6, 0.5], policy, **size, executor=pool)",
        "lenient.compare([policy] * 9, [[0.6, 0.5]], lenient.hinge(0), **size, executor=pool)",
    ],
)
def test_interrupting_leaves_no_stray_workers(call):
    with subprocess.Popen(
        [sys.executable, "-c", LONG_WORK.format(call)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,  # a process group of its own, as a terminal gives
        preexec_fn=hear_ctrl_c,
    ) as work:
        work.stdout.readline()
        time.sleep(2)
        at_work = _group(work.pid)
        os.killpg(work.pid, signal.SIGINT)  # what Ctrl-C does
        try:
            _, errors = work.communicate(timeout=60)
        finally:
            left = _group(work.pid)
            for pid in left:
                os.kill(int(pid), signal.SIGKILL)
    assert len(at_work) == 3  # the caller and its two workers
    assert b"KeyboardInterrupt" in errors
    assert not left


def _group(group):
    """The living processes of a process group."""
    listing = subprocess.run(
        ["ps", "-eo", "pgid=,stat=,pid="], capture_output=True, text=True, check=True
    )
    rows = [line.split() for line in listing.stdout.splitlines()]
    return [pid for pgid, state, pid in rows if int(pgid) == group and state[0] != "Z"]


def test_memory_of_50_000_runs_is_below_1_GB():
    """200 checkpoints are kept whatever the horizon, so a short one tells."""

    def at_random(pulls, wins, t, rng):
        return rng.random(pulls.shape)

    tracemalloc.start()
    try:
        s = simulate([0.9, 0.85, 0.6], at_random, 200, 50_000, seed=0)
        s.summary(hinge(0.2)), s.regret(standard())
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert s.pulls.nbytes < peak < 1e9  # NumPy's arrays are counted


@pytest.mark.parametrize("pooled", [False, True])
def test_progress_bar_goes_to_the_end(capfd, pooled):
    with ThreadPoolExecutor(2) as pool:
        simulate(**PROBLEM, seed=1, progress=True, executor=pool if pooled else None)
    bar = capfd.readouterr().err
    assert "100%" in bar and "step" in bar


def test_progress_without_tqdm_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "tqdm.auto", None)
    with pytest.raises(ImportError, match=r"pip install 'lenient\[progress\]'"):
        simulate(**PROBLEM, progress=True)


# --- bad input ------------------------------------------------------------------------


@pytest.mark.parametrize(
    "change, message",
    [
        (dict(means=[]), r"means must list at least one arm, got \[\]"),
        (dict(means=0.5), r"means must list at least one arm, got 0.5"),
        (dict(means=[[0.5, 0.2]]), r"means must"),
        (dict(means=[0.5, 1.2]), r"means must be .* in \[0, 1\], got 1.2 for arm 1"),
        (dict(means=[-0.1]), r"means must be .* in \[0, 1\], got -0.1 for arm 0"),
        (dict(means=[np.nan]), r"means must be .* in \[0, 1\], got nan for arm 0"),
        (dict(means=["high"]), r"means must be a list of numbers in \[0, 1\]"),
        (dict(means=[stats.norm(0, 1)]), r"means must be numbers or laws on \[0, 1\]"),
        (dict(policy="TS"), r"policy must be a policy such as TS\(\), got 'TS'"),
        (dict(policy=TS), r"policy must be a policy such as TS\(\), got <class"),
        (dict(horizon=0), r"horizon must be a whole number of at least 1, got 0"),
        (dict(horizon=2.5), r"horizon must be a whole number of at least 1, got 2.5"),
        (dict(horizon=np.nan), r"horizon must be a whole number .* got nan"),
        (dict(runs=-3), r"runs must be a whole number of at least 1, got -3"),
        (dict(runs="many"), r"runs must be a whole number .* got 'many'"),
        (dict(checkpoints=[5, 3]), r"checkpoints must increase within 1, …, 60"),
        (dict(checkpoints=[5, 5]), r"checkpoints must increase within 1, …, 60"),
        (dict(checkpoints=[0, 5]), r"checkpoint must be a whole number of at least 1, got 0"),
        (dict(checkpoints=[61]), r"checkpoints must increase within 1, …, 60"),
        (dict(checkpoints=[]), r"checkpoints must name at least one round, got none"),
        (dict(checkpoints=[1.5]), r"checkpoint must be a whole number .* got 1.5"),
        (dict(checkpoints=[np.nan]), r"checkpoint must be a whole number .* got nan"),
        (dict(engine="warp"), r"engine must be one of .*'plain'.* got 'warp'"),
        (dict(seed=-1), r"seed must be a whole number .* got -1"),
        (dict(seed="x"), r"seed must be a whole number .* got 'x'"),
        (dict(executor=2), r"executor must be a concurrent.futures.Executor, got 2"),
    ],
)
def test_bad_input_is_named(change, message):
    with pytest.raises(ValueError, match=message):
        simulate(**{**PROBLEM, **change})


@pytest.mark.parametrize(
    "scores, message",
    [
        (lambda pulls, *_: pulls[0], r"policy must return scores of shape \(arms, runs\)"),
        (lambda pulls, *_: pulls * np.nan, r"policy must return numbers .* got NaN"),
    ],
)
def test_bad_scores_are_named(scores, message):
    with pytest.raises(ValueError, match=message):
        simulate([0.5, 0.2], scores, 10, 3)


def test_signature_is_the_documented_one():
    names = list(inspect.signature(simulate).parameters)
    assert names == [
        *"means policy horizon runs seed checkpoints engine executor progress".split(),
        "common_rewards",
    ]


def test_kl_ucb_runs_and_learns():
    simulation = simulate([0.9, 0.5], KLUCB(), 500, 200, seed=6)
    assert simulation.pulls[:, -1, 0].mean() > 450


# ---- no silent wrong count -----------------------------------------------------------
def test_a_score_that_is_no_number_is_seen_beside_a_tie():
    """No winner in one run and two in another are as many as one in each."""

    def policy(pulls, wins, t, rng):
        scores = np.zeros(pulls.shape)
        scores[0, 2:], scores[0, 1] = 1, np.nan
        return scores

    with pytest.raises(ValueError, match="policy must return numbers as scores, got NaN"):
        simulate([0.5, 0.2], policy, 10, 4, engine="plain")


def test_a_policy_may_look_at_the_counts_and_not_touch_them():
    def policy(pulls, wins, t, rng):
        pulls[0] = 7
        return rng.random(pulls.shape)

    with pytest.raises(ValueError, match="read-only"):
        simulate([0.5, 0.2], policy, 10, 4)


def test_a_policy_that_gets_at_the_counts_all_the_same_is_found_out():
    def policy(pulls, wins, t, rng):
        pulls.base[0] += 1
        return rng.random(pulls.shape)

    with pytest.raises(RuntimeError, match="do not sum to the time: it has changed pulls"):
        simulate([0.5, 0.2], policy, 10, 4)


def test_scores_may_be_a_list():
    played = simulate([0.5, 0.2], lambda pulls, *_: [[1.0] * 3, [0.0] * 3], 10, 3)
    assert (played.pulls[:, -1] == [10, 0]).all()


# ---- engines -------------------------------------------------------------------------
@pytest.mark.parametrize(
    "policy, engine, why",
    [
        (EpsTS(1e-5 / 3), "leap", "skips rounds"),  # an ε of many decimals
        (KLUCB(), "leap", "skips rounds"),
        (UCB1(), "plain", "knows only"),
    ],
)
def test_a_simulation_says_which_engine_was_used_and_why(policy, engine, why):
    played = simulate([0.5, 0.2], policy, 20, 2)
    assert played.engine == engine and why in played.why_engine


@pytest.mark.parametrize("policy", [TS(), KLUCB()])
def test_what_cannot_end_is_refused(policy):
    with pytest.raises(ValueError, match=r"horizon must be at most 2\*\*53, got"):
        simulate([0.5, 0.2], policy, 2**53 + 1, 1)
    with pytest.raises(ValueError, match="horizon must be at most 10,000,000,000 where"):
        simulate([0.5, 0.2], policy, 10**11, 1, engine="plain")


@pytest.mark.parametrize("checkpoints", [[10], range(1, 60), [59]])
def test_checkpoints_must_end_with_the_horizon(checkpoints):
    with pytest.raises(ValueError, match="checkpoints must end with the horizon, 60, got"):
        simulate([0.5, 0.2], TS(), 60, 1, checkpoints=checkpoints)


@pytest.mark.parametrize("engine", ["plain", "leap"])
@pytest.mark.parametrize("power", [12, 15, 16, 17, 18, 19, 30])
def test_an_eps_next_to_one(power, engine):
    """Every arm that has won is good enough; ⌊S/(1−ε)⌋ is beyond 64 bits."""
    policy = EpsTS(1 - Fraction(1, 10**power))
    played = simulate([0.5, 0.2], policy, 10**4, 30, seed=1, engine=engine)
    assert (played.pulls.sum(axis=2) == played.times).all()
    assert (played.pulls[:, -1].max(axis=1) > 5000).all()


# --- policies with memory -------------------------------------------------------------


class Diary:
    """Plays at random and writes down what it is told."""

    def __call__(self, pulls, wins, t, rng):
        if t == 1:
            self.pulls, self.wins = np.zeros(pulls.shape, int), np.zeros(pulls.shape, int)
        assert np.array_equal(self.pulls, pulls) and np.array_equal(self.wins, wins)
        return rng.random(pulls.shape)

    def observe(self, arm, reward):
        assert set(np.unique(reward)) <= {0, 1}
        self.pulls[arm, np.arange(arm.size)] += 1
        self.wins[arm, np.arange(arm.size)] += reward


@pytest.mark.parametrize("common", [False, True])
def test_a_policy_is_told_what_was_played_and_won(common):
    policy = Diary()
    arms = [0.7, stats.beta(2, 3), 0.0]
    setting = dict(horizon=30, runs=BLOCK + 20, seed=2, common_rewards=common)
    alone = simulate(arms, policy, **setting)
    assert not vars(policy)  # each block had a copy
    with ThreadPoolExecutor(2) as pool:
        assert np.array_equal(simulate(arms, policy, **setting, executor=pool).wins, alone.wins)


def test_one_arm_takes_no_time():
    assert simulate([0.5], TS(), 10**12, 3, seed=1).pulls[:, -1].tolist() == [[10**12]] * 3


@pytest.mark.parametrize("horizon", [2**63, 10**300])
def test_checkpoints_beyond_whole_floats_are_refused(horizon):
    with pytest.raises(ValueError, match="horizon must be at most"):
        log_checkpoints(horizon)


class Odd:
    """A law that does not keep to its support."""

    def __init__(self, value):
        self.value = value

    def support(self):
        return 0, 1

    def mean(self):
        return 0.5

    def rvs(self, size, random_state):
        return np.full(size, self.value)


@pytest.mark.parametrize(
    "change, message",
    [
        ({"runs": 10**9}, r"runs must need at most 8 GB .* got 6400 GB"),
        ({"checkpoints": range(1, 10**12)}, r"checkpoints must .* got range"),
        ({"checkpoints": 5}, "checkpoints must be a list of rounds, got 5"),
        ({"seed": [[1, 2]]}, "seed must be a whole number"),
        ({"means": [Odd(2.0), 0.5]}, r"means must be .*\[0, 1\], got a reward of 2.0"),
        ({"means": [Odd(np.nan), 0.5]}, r"means must be .*\[0, 1\], got a reward of nan"),
    ],
)
def test_what_would_eat_memory_or_count_wrongly_is_named(change, message):
    call = {"means": [0.5, 0.2], "policy": TS(), "horizon": 10**12, "runs": 2} | change
    if "means" in change:
        call["horizon"] = 10
    with pytest.raises(ValueError, match=message):
        simulate(**call)


def test_new_laws_of_scipy_are_arms_too():
    law = stats.Uniform(a=0.2, b=0.4)
    played = simulate([law, 0.9], TS(), 200, 50, seed=1)
    assert played.means == pytest.approx([0.3, 0.9]) and played.engine == "plain"
    assert played.pulls[:, -1, 1].mean() > 150
