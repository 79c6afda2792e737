"""Stored numbers are those of the present code: mistakes are put into a copy of the tree."""

import os
import re
import shutil
import subprocess
import sys

import numpy as np
import pytest
from support.book import hook
from support.paths import ROOT

from lenient_book import experiments
from lenient_book.experiments import key, laws
from lenient_book.experiments.scenarios import EXPERIMENTS
from lenient_book.experiments.store import RESULTS, examine, key_of

chapter_key = hook("fresh_results").chapter_key
NAMES = ["low", "crossing"]
SMALL = ["--fraction", "0.001", "--workers", "1", "--output", "chapters/results"]
CHAPTERS = ["01-why-regret-fails", "08-seeing-the-limit", "11-edges-and-long-runs"]
SHOW_RESULTS = CHAPTERS[1:]


def python(tree, *arguments):
    """Run the copy's own code."""
    command = [sys.executable, *arguments]
    place = {"cwd": tree, "env": os.environ | {"PYTHONPATH": str(tree)}}
    return subprocess.run(command, capture_output=True, text=True, **place)


def reproduce(tree):
    """What was said of each experiment."""
    wanted = [word for name in NAMES for word in ("--scenario", name)]
    ran = python(tree, "-m", "lenient_book.experiments", *SMALL, *wanted)
    assert ran.returncode == 0, ran.stderr
    return re.findall(r"^(?:kept|made) .*", ran.stdout, re.MULTILINE)


def results(tree):
    return {name: (tree / f"chapters/results/{name}.json").read_bytes() for name in NAMES}


def chapter_keys(tree):
    return {name: chapter_key(tree / f"chapters/{name}.ipynb", tree) for name in CHAPTERS}


def change(file, old, new):
    text = file.read_text("utf-8")
    assert old in text, f"{file.name} has no {old}: name another line to change"
    file.write_text(text.replace(old, new, 1), "utf-8")


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """A copy of what the results depend on, with results of a small size."""
    tree = tmp_path_factory.mktemp("made") / "tree"
    for package in key.PACKAGES:  # with what numba has compiled
        shutil.copytree(ROOT / package, tree / package)
    shutil.copytree(ROOT / "_static", tree / "_static")
    (tree / "chapters").mkdir()
    for name in ["requirements.txt", *(f"chapters/{name}.ipynb" for name in CHAPTERS)]:
        shutil.copy2(ROOT / name, tree / name)
    assert reproduce(tree) == [f"made {name}: no file yet" for name in NAMES]
    return tree


@pytest.fixture
def tree(made, tmp_path):
    return shutil.copytree(made, tmp_path / "tree")


MISTAKES = {
    "a mean": (
        "lenient/paper.py", '"low", (0.5, 0.2)', '"low", (0.5, 0.25)',
        ["made low: means changed", "kept crossing"], CHAPTERS,
    ),
    "ε": (
        "lenient/paper.py", '"low", (0.5, 0.2), 0.2', '"low", (0.5, 0.2), 0.25',
        ["made low: eps changed", "kept crossing"], CHAPTERS,
    ),
    "a mean of a near tie": (
        "lenient_book/experiments/scenarios.py", "round(0.5 - g, 3), 0.2)",
        "round(0.5 - g, 3), 0.25)",
        ["kept low", "made crossing: bandits changed"], SHOW_RESULTS,
    ),
    "a constant": (
        "lenient/simulation.py", "BLOCK = 1000", "BLOCK = 5",
        [f"made {name}: lenient.simulation changed" for name in NAMES], CHAPTERS,
    ),
    "a line of the engine": (
        "lenient/leap.py", "patience: float = 1.0", "patience: float = 0.5",
        [f"made {name}: lenient.leap changed" for name in NAMES], CHAPTERS,
    ),
    "a line of the evaluation": (
        "lenient_book/experiments/laws.py", "np.percentile(final, 99)",
        "np.percentile(final, 98)",
        ["made low: lenient_book.experiments.laws changed", "kept crossing"], SHOW_RESULTS,
    ),
}  # fmt: skip


@pytest.mark.parametrize("mistake", MISTAKES)
def test_a_change_is_noticed_named_and_redone(mistake, tree):
    file, old, new, said, outdated = MISTAKES[mistake]
    before, keys = results(tree), chapter_keys(tree)
    change(tree / file, old, new)
    assert {n for n, k in chapter_keys(tree).items() if k != keys[n]} == {*outdated}
    assert reproduce(tree) == said
    for name, line in zip(NAMES, said):
        assert (results(tree)[name] == before[name]) == line.startswith("kept")
    assert reproduce(tree) == [f"kept {name}" for name in NAMES]


HARMLESS = {
    "a comment": ("lenient/leap.py", "\nVISITS = ", "\n# A comment.\nVISITS = "),
    "a docstring": ("lenient/simulation.py", '"""Simulate', '"""We simulate'),
    "line breaks": ("lenient_book/experiments/job.py", "(runs, size):", "(\n  runs, size\n):"),
    "a style sheet": ("_static/book.css", "}", "}\np { color: red }\n"),
}


@pytest.mark.parametrize("edit", HARMLESS)
def test_what_changes_no_number_redoes_nothing(edit, tree):
    before, keys = results(tree), chapter_keys(tree)
    file, old, new = HARMLESS[edit]
    change(tree / file, old, new)
    assert chapter_keys(tree) == keys
    assert reproduce(tree) == [f"kept {name}" for name in NAMES]
    assert results(tree) == before


def test_a_corrected_published_number_redoes_no_run(tree):
    change(tree / "lenient/paper.py", "(8.26, 4.09,", "(8.27, 4.09,")
    assert reproduce(tree) == [f"kept {name}" for name in NAMES]


def test_a_changed_byte_is_noticed_and_mended(tree):
    before, keys = results(tree), chapter_keys(tree)
    damaged = before["low"].replace(b'"runs":50,', b'"runs":60,')
    assert damaged != before["low"]
    (tree / "chapters/results/low.json").write_bytes(damaged)
    assert {n for n, k in chapter_keys(tree).items() if k != keys[n]} == {*SHOW_RESULTS}
    assert reproduce(tree) == ["made low: damaged: checksum", "kept crossing"]
    assert results(tree) == before and chapter_keys(tree) == keys


def test_a_number_whose_key_does_not_fit_is_not_shown(tree):
    """Even if its checksum is right; the message says what to do."""
    change(tree / "lenient/leap.py", "patience: float = 1.0", "patience: float = 0.5")
    show = "from lenient_book.experiments.scenarios import EXPERIMENTS\n"
    show += "from lenient_book.experiments import load\n"
    show += "load(EXPERIMENTS['low'].resized(0.001))"
    ran = python(tree, "-c", show)
    assert ran.returncode == 1
    assert ran.stderr.endswith(
        "chapters/results/low.json cannot be shown: lenient.leap changed; "
        "make reproduce makes it anew\n"
    )


# ---- the results in the book ---------------------------------------------------------
EACH = pytest.mark.parametrize("experiment", EXPERIMENTS.values(), ids=lambda each: each.name)


def test_every_stored_result_is_of_an_experiment():
    assert {path.stem for path in RESULTS.iterdir()} == {*EXPERIMENTS}


@EACH
def test_the_book_s_results_have_the_key_of_this_code(experiment):
    stored, fault = examine(experiment, RESULTS)
    assert fault is None
    # and nothing else, such as the machine or the time
    assert {*stored} == {"key", "result"}
    assert {*stored["key"]} == {*key_of(experiment)}


@pytest.mark.parametrize("name", [n for n, each in EXPERIMENTS.items() if each.maker is laws])
def test_the_book_s_results_agree_with_themselves(name):
    result = experiments.load(name)
    for place, curve in result.curves.items():
        assert np.all(np.diff(curve.mean) >= -1e-9)
        assert curve.mean[-1] == pytest.approx(result.statistics[place].mean)
        assert np.all(np.diff(result.laws[place]) >= 0)
        assert result.laws[place][-1] == pytest.approx(result.statistics[place].max)
    assert (RESULTS / f"{name}.json").stat().st_size < 60_000


@pytest.mark.parametrize("name", ["high", "high-three", "high-small"])
def test_the_book_s_results_are_those_of_this_code(name):
    """ε-TS with a best arm above 1−ε is played anew: all runs take a second or so."""
    stored, experiment = experiments.load(name), EXPERIMENTS[name]
    mine = [laws.run_job(job) for job in experiment.jobs() if job.algorithm == "ε-TS"]
    for row, criterion in enumerate(laws.CRITERIA):
        mean = sum(part["sums"][row] for part in mine) / experiment.runs
        assert stored.curves["ε-TS", criterion].mean == pytest.approx(mean, rel=1e-8)


# ---- the paper's tables --------------------------------------------------------------
def test_the_comparison_would_notice_a_wrong_number():
    """A mean off by a tenth of its deviation, a percentile by half, a maximum by half."""
    stored = experiments.load("low")
    place = ("TS", "standard")
    ours = stored.statistics[place]
    for name, wrong in [
        ("mean", ours.mean + 0.1 * ours.std),
        ("percentile99", 1.5 * ours.percentile99),
        ("max", 2 * stored.tops[place][-1]),
    ]:
        changed = ours._replace(**{name: wrong})
        tops = stored.tops | {place: stored.tops[place] * (20 if name == "max" else 1)}
        other = stored._replace(statistics=stored.statistics | {place: changed}, tops=tops)
        [row] = [
            row for row in experiments.compare(other)
            if (row.algorithm, row.criterion, row.number) == (*place, name)
        ]  # fmt: skip
        assert row.p < 0.01 / 192  # as many numbers are there in all tables
