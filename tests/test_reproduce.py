"""The reproduction: it survives being stopped in any way, and its files can be trusted."""

import json
import resource
import signal
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

from lenient import hinge, simulate, standard
from lenient.paper import SCENARIOS
from lenient_book.experiments import reproduce

ROOT = Path(__file__).resolve().parents[1]
RESULTS = ROOT / "chapters" / "results"
FEW = ["high", "low", "low-small"]  # eight jobs in all
SIZE = ["--fraction", "0.02", "--workers", "1"]


def command(folder, *names):
    wanted = [word for name in names for word in ("--scenario", name)]
    places = ["--output", folder / "results", "--parts", folder / "parts"]
    return [sys.executable, "-m", "lenient_book.experiments", *SIZE, *places, *wanted]


def run(folder, *names, **options):
    return subprocess.run(command(folder, *names), capture_output=True, text=True, **options)


def bits(folder):
    return {file.name: file.read_bytes() for file in (folder / "results").iterdir()}


def parts(folder):
    return sorted((folder / "parts").rglob("*.part"))


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory):
    folder = tmp_path_factory.mktemp("undisturbed")
    done = run(folder, *FEW)
    assert done.returncode == 0, done.stderr
    assert parts(folder) == []
    return bits(folder)


def stop_at_the_first_part(folder, how):
    """(exit code, what it said)"""
    with subprocess.Popen(
        command(folder, *FEW), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        deadline = time.monotonic() + 120
        while not parts(folder) and not (folder / "results").exists():
            assert process.poll() is None and time.monotonic() < deadline
            time.sleep(0.002)
        process.send_signal(how)
        _, said = process.communicate(timeout=60)
    return process.returncode, said


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGINT, signal.SIGTERM])
def test_stopped_and_started_again(how, undisturbed, tmp_path):
    code, said = stop_at_the_first_part(tmp_path, how)
    assert code != 0
    if how == signal.SIGINT:
        assert code == 130
        assert "The same command goes on from here" in said
    left_over = {part.name for part in parts(tmp_path)}
    again = run(tmp_path, *FEW)
    assert again.returncode == 0, again.stderr
    assert bits(tmp_path) == undisturbed
    assert parts(tmp_path) == []
    log = (tmp_path / "parts" / "log.txt").read_text()
    assert left_over or "already there" in log


def test_a_full_disk_loses_nothing_that_was_finished(undisturbed, tmp_path):
    def small_files_only():  # stands for a full disk: writing fails half-way
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (12_000, resource.RLIM_INFINITY))

    full = run(tmp_path, *FEW, preexec_fn=small_files_only)
    assert full.returncode == 1
    assert "What was finished is kept" in full.stderr and "Traceback" not in full.stderr
    assert not (tmp_path / "results").exists()
    assert run(tmp_path, *FEW).returncode == 0
    assert bits(tmp_path) == undisturbed


@pytest.mark.parametrize("damage", ["cut", "changed", "empty", "not ours"])
def test_a_damaged_result_is_noticed_and_made_again(damage, undisturbed, tmp_path):
    folder = tmp_path / "results"
    folder.mkdir()
    for name, content in undisturbed.items():
        (folder / name).write_bytes(content)
    good = undisturbed["low.json"]
    bad = {
        "cut": good[: len(good) // 2],
        "changed": good.replace(b"0", b"1", 40).replace(b"1", b"0", 1),
        "empty": b"",
        "not ours": b"{}\n{}",
    }[damage]
    (folder / "low.json").write_bytes(bad)
    with pytest.raises(reproduce.Damaged):
        reproduce.load("low", folder)
    again = run(tmp_path, *FEW)
    assert again.returncode == 0 and "low.json" in again.stderr
    assert "made again" in again.stderr
    assert bits(tmp_path) == undisturbed


def test_a_damaged_part_is_noticed_and_done_again(undisturbed, tmp_path):
    stop_at_the_first_part(tmp_path, signal.SIGKILL)
    for part in parts(tmp_path):
        part.write_bytes(part.read_bytes()[:-7])
    again = run(tmp_path, *FEW)
    assert again.returncode == 0
    assert bits(tmp_path) == undisturbed


def test_done_work_is_not_done_again(undisturbed, tmp_path):
    (tmp_path / "results").mkdir()
    for name, content in undisturbed.items():
        (tmp_path / "results" / name).write_bytes(content)
    before = {p: p.stat().st_mtime_ns for p in (tmp_path / "results").iterdir()}
    assert run(tmp_path, *FEW).returncode == 0
    assert {p: p.stat().st_mtime_ns for p in (tmp_path / "results").iterdir()} == before


def test_any_number_of_workers_gives_the_same(undisturbed, tmp_path):
    with ThreadPoolExecutor(3) as pool:
        reproduce.reproduce(
            [SCENARIOS[name] for name in FEW], 0.02, reproduce.SEED,
            tmp_path / "results", tmp_path / "parts", pool, progress=False,
        )  # fmt: skip
    assert bits(tmp_path) == undisturbed


def test_a_dask_cluster_gives_the_same(undisturbed, tmp_path):
    from distributed import LocalCluster

    with LocalCluster(
        n_workers=1, threads_per_worker=2, processes=False, dashboard_address=None
    ) as cluster:
        with reproduce.workers(cluster.scheduler_address, None) as executor:
            reproduce.reproduce(
                [SCENARIOS["low"]], 0.02, reproduce.SEED,
                tmp_path / "results", tmp_path / "parts", executor, progress=False,
            )  # fmt: skip
    assert bits(tmp_path)["low.json"] == undisturbed["low.json"]


def test_a_result_is_what_its_runs_say(tmp_path):
    """Everything in the file, recomputed from the runs of the scenario's only job."""
    scenario = SCENARIOS["low"]
    jobs = reproduce.jobs(scenario, 40)
    assert [(job.algorithm, job.runs) for job in jobs] == [("TS", 40), ("ε-TS", 40)]
    parts = [(job, reproduce.play(job)) for job in jobs]
    result = reproduce.combine(scenario, 40, reproduce.SEED, parts)
    reproduce.save(result, tmp_path)
    stored = reproduce.load("low", tmp_path)
    for place, algorithm in enumerate(reproduce.ALGORITHMS):
        key = (*b"low", place, 0)
        runs = simulate(
            scenario.means, reproduce.policy(scenario, algorithm), 5000, 40,
            np.random.SeedSequence(2021, spawn_key=key), stored.times, "leap",
        )  # fmt: skip
        for criterion, gap in [("standard", standard()), ("hinge", hinge(0.2))]:
            regret, key = runs.regret(gap), (algorithm, criterion)
            assert stored.curves[key].mean == pytest.approx(regret.mean(axis=0))
            errors = regret.std(axis=0, ddof=1) / np.sqrt(40)
            assert stored.curves[key].error == pytest.approx(errors, abs=1e-6)
            assert stored.statistics[key] == pytest.approx(runs.summary(gap))
            law = np.quantile(regret[:, -1], reproduce.LEVELS)
            assert stored.laws[key] == pytest.approx(law)
        settled = np.mean(runs.pulls[:, -1, 0] > runs.pulls[:, -1, 1])
        assert stored.shares[algorithm] == pytest.approx([settled, 1 - settled])


def test_jobs_cover_the_runs_and_have_seeds_of_their_own():
    everything = [job for s in SCENARIOS.values() for job in reproduce.jobs(s, s.runs)]
    assert len({job.file for job in everything}) == len(everything)
    for scenario in SCENARIOS.values():
        mine = [job.runs for job in everything if job.scenario == scenario.name]
        assert sum(mine) == 2 * scenario.runs
    one, two = (reproduce.jobs(SCENARIOS["high"], 2000)[i] for i in (0, 1))
    first, second = (reproduce.play(job._replace(runs=20))["pulls"] for job in (one, two))
    assert not np.array_equal(first, second)


@pytest.mark.parametrize("wrong", ["0", "1.5", "-1", "nan"])
def test_a_bad_fraction_is_refused(wrong, capsys):
    with pytest.raises(SystemExit):
        reproduce.main(["--fraction", wrong])
    assert "--fraction must be in (0, 1]" in capsys.readouterr().err


# --- the results in the book ----------------------------------------------------------


@pytest.mark.parametrize("name", SCENARIOS)
def test_the_book_s_results_are_whole_and_of_full_size(name):
    result, scenario = reproduce.load(name, RESULTS), SCENARIOS[name]
    assert result.runs == scenario.runs and result.seed == reproduce.SEED
    assert result.made_with["lenient"] == "0.1.0"
    assert np.array_equal(result.times, reproduce.checkpoints(scenario.horizon))
    for key, curve in result.curves.items():
        assert np.all(np.diff(curve.mean) >= -1e-9)
        assert curve.mean[-1] == pytest.approx(result.statistics[key].mean)
        assert np.all(np.diff(result.laws[key]) >= 0)
        assert result.laws[key][-1] == pytest.approx(result.statistics[key].max)
    assert (RESULTS / f"{name}.json").stat().st_size < 60_000


@pytest.mark.parametrize("name", ["high", "high-three", "high-small"])
def test_the_book_s_results_are_those_of_this_code(name):
    """ε-TS with a best arm above 1−ε is played anew: all runs take a second or so."""
    stored, scenario = reproduce.load(name, RESULTS), SCENARIOS[name]
    mine = [
        reproduce.play(job)
        for job in reproduce.jobs(scenario, scenario.runs)
        if job.algorithm == "ε-TS"
    ]
    for row, criterion in enumerate(reproduce.CRITERIA):
        mean = sum(part["sums"][row] for part in mine) / scenario.runs
        assert stored.curves["ε-TS", criterion].mean == pytest.approx(mean, rel=1e-8)


def test_no_machine_and_no_time_in_the_results():
    for name in SCENARIOS:
        stored = json.loads(reproduce.read(RESULTS / f"{name}.json"))
        assert {*stored} == {*reproduce.Result._fields}
        assert {*stored["made_with"]} == {"lenient", "numba", "numpy"}


# --- the paper's tables ---------------------------------------------------------------


def test_the_comparison_would_notice_a_wrong_number():
    """A mean off by a tenth of its deviation, a percentile by half, a maximum by half."""
    stored = reproduce.load("low", RESULTS)
    key = ("TS", "standard")
    ours = stored.statistics[key]
    for name, wrong in [
        ("mean", ours.mean + 0.1 * ours.std),
        ("percentile99", 1.5 * ours.percentile99),
        ("max", 2 * stored.tops[key][-1]),
    ]:
        changed = ours._replace(**{name: wrong})
        tops = stored.tops | {key: stored.tops[key] * (20 if name == "max" else 1)}
        other = stored._replace(statistics=stored.statistics | {key: changed}, tops=tops)
        [row] = [
            row for row in reproduce.compare(other)
            if (row.algorithm, row.criterion, row.number) == (*key, name)
        ]  # fmt: skip
        assert row.p < 0.01 / 192  # as many numbers are there in all tables
