"""Jobs and what is made of them: the law of the regret, and the plays of near ties."""

from collections import Counter

import numpy as np
import pytest

from lenient import hinge, simulate, standard
from lenient.gaps import costs
from lenient.paper import SCENARIOS
from lenient.policies import POLICIES
from lenient_book.experiments import laws, meeting, near_ties
from lenient_book.experiments.job import ALGORITHMS
from lenient_book.experiments.scenarios import EXPERIMENTS


def test_a_result_is_what_its_runs_say():
    """Everything in the file, recomputed from the runs of the scenario's only job."""
    scenario = SCENARIOS["low"]
    jobs = laws.jobs(scenario, 40)
    assert [(job.algorithm, job.runs) for job in jobs] == [("TS", 40), ("ε-TS", 40)]
    parts = [(job, laws.run_job(job)) for job in jobs]
    stored = laws.from_plain(laws.to_plain(laws.combine(scenario, 40, laws.SEED, parts)))
    for place, algorithm in enumerate(ALGORITHMS):
        key = (*b"low", place, 0)
        runs = simulate(
            scenario.means, POLICIES[algorithm](0.2), 5000, 40,
            np.random.SeedSequence(2021, spawn_key=key), stored.times, "leap",
        )  # fmt: skip
        for criterion, gap in [("standard", standard()), ("hinge", hinge(0.2))]:
            regret, key = runs.regret(gap), (algorithm, criterion)
            assert stored.curves[key].mean == pytest.approx(regret.mean(axis=0))
            errors = regret.std(axis=0, ddof=1) / np.sqrt(40)
            assert stored.curves[key].error == pytest.approx(errors, abs=1e-6)
            assert stored.statistics[key] == pytest.approx(runs.summary(gap)[:5])
            law = np.quantile(regret[:, -1], laws.LEVELS)
            assert stored.laws[key] == pytest.approx(law)
        settled = np.mean(runs.pulls[:, -1, 0] > runs.pulls[:, -1, 1])
        assert stored.shares[algorithm] == pytest.approx([settled, 1 - settled])


def test_near_ties_are_the_mean_plays_of_batches():
    setting = near_ties.Setting("tie", {"a": (0.5, 0.4), "b": (0.5, 0.3)}, 0.2, (50, 90), 30)
    jobs = near_ties.jobs(setting, 60, 8)
    result = near_ties.combine(setting, 60, 8, [(job, near_ties.run_job(job)) for job in jobs])
    for place, name in enumerate("ab"):
        for row, algorithm in enumerate(ALGORITHMS):
            assert np.shape(result["plays"][name][algorithm]) == (2, 2, 1)
            seed = np.random.SeedSequence(8, spawn_key=(place, row, 1))
            means, who = setting.bandits[name], POLICIES[algorithm](0.2)
            pulls = simulate(means, who, 90, 30, seed, [50, 90], "leap").pulls
            expected = pulls[:, :, 1:].mean(axis=0)
            assert result["plays"][name][algorithm][1] == pytest.approx(expected, abs=0.005)


def test_an_arm_at_eps_costs_nothing():
    """In floats, 0.9 − 0.7 > 0.2."""
    assert costs(hinge(0.2), (0.9, 0.7)).tolist() == [0, 0]
    borderline = laws.Setting("border", (0.9, 0.7), 0.2, 200)
    parts = [(job, laws.run_job(job)) for job in laws.jobs(borderline, 5)]
    result = laws.combine(borderline, 5, laws.SEED, parts)
    assert result.statistics["TS", "hinge"].max == 0
    assert result.curves["TS", "hinge"].mean.max() == 0


@pytest.mark.parametrize("experiment", EXPERIMENTS.values(), ids=lambda each: each.name)
def test_jobs_cover_the_runs_and_have_draws_of_their_own(experiment):
    jobs = experiment.jobs()
    for same in ({job.file for job in jobs}, {job.draws for job in jobs}):
        assert len(same) == len(jobs)
    runs = Counter()  # of one policy on one bandit, all pieces together
    for job in jobs:
        runs[job._replace(number=0, runs=0, draws=())] += job.runs
    shares = shares_of(experiment.setting) or [1] * len(runs)
    assert sorted(runs.values()) == sorted(round(experiment.runs * each) for each in shares)


def shares_of(setting):
    """Where a setting gives its cases more or fewer runs than the others: how many times."""
    lines = [meeting.Line(*each) for each in getattr(setting, "lines", ())]
    return [each.share for each in [*getattr(setting, "cases", {}).values(), *lines]]


def test_jobs_differ():
    one, two = laws.jobs(SCENARIOS["high"], 2000)[:2]
    first, second = (laws.run_job(job._replace(runs=20))["pulls"] for job in (one, two))
    assert not np.array_equal(first, second)
