"""The reproduction: it survives being stopped in any way, and its files can be trusted."""

import resource
import signal
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor

import pytest
from support.signals import hear_ctrl_c

from lenient_book.experiments.__main__ import main, workers
from lenient_book.experiments.reproduce import reproduce
from lenient_book.experiments.scenarios import EXPERIMENTS
from lenient_book.experiments.store import Unfit, load

FEW = ["high", "low", "low-small"]  # eight jobs in all
FRACTION = 0.02


def command(folder, *names):
    wanted = [word for name in names for word in ("--scenario", name)]
    places = ["--output", folder / "results", "--parts", folder / "parts"]
    size = ["--fraction", str(FRACTION), "--workers", "1"]
    return [sys.executable, "-m", "lenient_book.experiments", *size, *places, *wanted]


def few(*names):
    return [EXPERIMENTS[name].resized(FRACTION) for name in names]


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
        command(folder, *FEW),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=hear_ctrl_c,
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
    assert left_over or "kept" in log


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
    with pytest.raises(Unfit, match=r"low\.json cannot be shown: damaged"):
        load(*few("low"), folder)
    again = run(tmp_path, *FEW)
    assert again.returncode == 0
    assert "kept high\nmade low: damaged" in again.stdout
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
        folders = tmp_path / "results", tmp_path / "parts"
        reproduce(few(*FEW), *folders, pool, progress=False)
    assert bits(tmp_path) == undisturbed


def test_a_dask_cluster_gives_the_same(undisturbed, tmp_path):
    from distributed import LocalCluster

    with LocalCluster(
        n_workers=1, threads_per_worker=2, processes=False, dashboard_address=None
    ) as cluster:
        folders = tmp_path / "results", tmp_path / "parts"
        with workers(cluster.scheduler_address, None) as executor:
            reproduce(few("low"), *folders, executor, progress=False)
    assert bits(tmp_path)["low.json"] == undisturbed["low.json"]


@pytest.mark.parametrize("wrong", ["0", "1.5", "-1", "nan"])
def test_a_bad_fraction_is_refused(wrong, capsys):
    with pytest.raises(SystemExit):
        main(["--fraction", wrong])
    assert "--fraction must be in (0, 1]" in capsys.readouterr().err


def test_what_is_missing_is_said_in_one_line():
    program = "import sys; sys.modules['numba'] = None\n"
    program += "from lenient_book.experiments.__main__ import main; main([])"
    ran = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert ran.stderr == "This needs numba: pip install 'lenient[fast,progress]'\n"
