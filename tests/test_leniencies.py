"""The experiment on other leniencies: its jobs, and what is kept of them."""

import numpy as np
import pytest

from lenient_book.experiments import leniencies


def test_plays_and_slopes_are_put_together():
    """Two runs on two arms by hand: means, errors, growth per ln t, and who is bad."""
    case = leniencies.Case("multiplicative", 0.2, (0.5, 0.3), 10**3, 10**2)
    setting = leniencies.Setting("two", {"case": case})
    [job] = leniencies.jobs(setting, 2, seed=1)
    assert job.times == (100, 1000) and job.runs == 2 and job.rounds == 2000
    pulls = np.array([[[90, 10], [980, 20]], [[80, 20], [940, 60]]])
    found = leniencies.combine(setting, 2, 1, [(job, {"pulls": pulls})])["cases"]["case"]
    assert found["plays"][0] == [[85, 15], [960, 40]]
    assert found["plays"][1][1] == [20, 20]  # half the difference of two numbers
    assert found["bad slope"][0] == pytest.approx(25 / np.log(10), abs=1e-4)
    assert found["slope"][0][1] == found["bad slope"][0]
    assert found["most"] == [980, 60]


def test_a_job_plays_what_its_case_says():
    cases = {
        "share": leniencies.Case("multiplicative", 0.2, (0.9, 0.1), 10**3, 10**2),
        "any": leniencies.Case("top", 2, (0.9, 0.8, 0.1), 10**2, 10**2),
    }
    for job in leniencies.jobs(leniencies.Setting("small", cases), 3, seed=1):
        pulls = leniencies.run_job(job)["pulls"]
        assert (pulls.sum(axis=2) == job.times).all() and pulls.shape[0] == 3
