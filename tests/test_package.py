"""The packages: their public names, what they ask for, and which file may know which."""

import doctest
import importlib
import inspect
import shutil
import subprocess
import sys
import tomllib

import pytest
from support.paths import ROOT
from support.pythons import VERSIONS, interpreter

import lenient
from lenient_book.experiments.key import imported_modules


def test_every_public_name_exists_and_is_explained():
    for name in lenient.__all__:
        assert inspect.getdoc(getattr(lenient, name)), name


def test_version_is_that_of_the_distribution():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    assert lenient.__version__ == project["version"]


def test_import_needs_numpy_and_scipy_only():
    """The extras' packages, though installed here, must not be imported."""
    extras = {"matplotlib", "PIL", "ipywidgets", "IPython", "tqdm", "numba", "dask"}
    extras.add("lenient_book")
    result = subprocess.run(
        [sys.executable, "-c", "import sys, lenient; print(*sys.modules)"],
        capture_output=True,
        text=True,
        check=True,
    )
    assert not extras & set(result.stdout.split())
    # Slow to import, and first needed when something is computed.
    assert not {"scipy.special", "scipy.optimize"} & set(result.stdout.split())


@pytest.mark.parametrize("version", VERSIONS)
def test_every_supported_python_can_read_every_file(version):
    """Not run, for which NumPy would have to be there too."""
    folders = [str(ROOT / "lenient"), str(ROOT / "lenient_book")]
    program = (
        "import sys, pathlib\n"
        "for folder in sys.argv[1:]:\n"
        "    for path in pathlib.Path(folder).rglob('*.py'):\n"
        "        compile(path.read_text('utf-8'), path, 'exec')\n"
    )
    command = [interpreter(version), "-W", "error", "-c", program, *folders]
    ran = subprocess.run(command, capture_output=True, text=True)
    assert ran.returncode == 0, ran.stderr


def test_the_pythons_that_are_tried_are_those_that_are_promised():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    named = [name.rpartition(":: ")[2] for name in project["classifiers"]]
    assert [name for name in named if name.startswith("3.")] == VERSIONS
    assert project["requires-python"] == f">={VERSIONS[0]}"


MODULES_OF_THE_PACKAGE = sorted(path.stem for path in (ROOT / "lenient").glob("[a-z]*.py"))


@pytest.mark.parametrize("name", MODULES_OF_THE_PACKAGE)
def test_examples_in_docstrings_are_true(name):
    module = importlib.import_module(f"lenient.{name}")
    tried = doctest.testmod(module)
    assert tried.failed == 0


def test_leap_works_where_nothing_compiled_can_be_kept():
    """As in a read-only install of a user without a home."""
    program = (
        "from numba.core.caching import CompileResultCacheImpl as cache\n"
        "cache._locator_classes = []\n"
        "from lenient import TS, leap, simulate\n"
        "print(leap.KEPT, simulate([0.5], TS(), 9, 1).engine)"
    )
    ran = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert ran.stdout == "False leap\n", ran.stderr


def test_what_is_kept_is_compiled_anew_when_another_file_of_the_engine_changes(tmp_path):
    """Numba alone looks only at the file of the function that it keeps."""
    shutil.copytree(ROOT / "lenient", tmp_path / "lenient", ignore=lambda *_: ["__pycache__"])
    program = (
        "from lenient import EpsKLUCB, leap_ucb, simulate\n"
        "print(leap_ucb.KEPT, simulate([0.5, 0.2], EpsKLUCB(0.1), 999, 1, seed=1).wins.sum())"
    )

    def played():
        command = [sys.executable, "-c", program]
        ran = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
        assert ran.returncode == 0, ran.stderr
        kept, wins = ran.stdout.split()
        assert kept == "True"
        return int(wins)

    file = tmp_path / "lenient" / "leap.py"
    first, text = played(), file.read_text("utf-8")
    head = "def rounds_until_failure(rng, f, mean, left):\n"
    assert head in text
    file.write_text(text.replace(head, f"{head}    return min(f, left)\n"), encoding="utf-8")
    assert played() < first / 2  # since no round before the f-th failure is won


# ---- layers --------------------------------------------------------------------------
# Imports go down these lists, never up. `lenient` never imports `lenient_book`, and nothing
# imports the classroom.
LAYERS = """
    lenient.exact lenient._check lenient.divergence lenient.policies lenient.leniency
    lenient.gaps lenient.laws lenient.baselines lenient.rewards lenient.statistics
    lenient.result lenient.plain lenient.beta lenient.borrow lenient.duel lenient.leap
    lenient.leap_ucb lenient.simulation lenient.comparison lenient.bounds lenient.stages
    lenient.finite_time lenient.paper lenient

    lenient_book lenient_book.narrow lenient_book.figures lenient_book.portrait
    lenient_book.pictures
    lenient_book.living lenient_book.explore lenient_book.playground.bundle
    lenient_book.playground lenient_book.kinds lenient_book.normal lenient_book.outputs
    lenient_book.stored
    lenient_book.experiments.key lenient_book.experiments.job lenient_book.experiments.laws
    lenient_book.experiments.near_ties lenient_book.experiments.meeting
    lenient_book.experiments.leniencies
    lenient_book.experiments.many_arms lenient_book.experiments.seen_rewards
    lenient_book.experiments.scenarios
    lenient_book.experiments.store lenient_book.experiments.comparison
    lenient_book.experiments.reproduce lenient_book.experiments
    lenient_book.experiments.__main__ lenient_book.tables lenient_book.shown
    lenient_book.warm lenient_book.quiz lenient_book.exercise lenient_book.myst
    lenient_book.reader

    classroom classroom.answering classroom.lms classroom.folders classroom.disk
    classroom.limits classroom.page classroom.formulas classroom.talk classroom.questions
    classroom.reading classroom.run_all classroom.checking classroom.roll classroom.tables
    classroom.sources classroom.marking_server classroom.box classroom.safe_view
    classroom.slides classroom.moodle_xml classroom.qti classroom.report classroom.private_tests
    classroom.mending classroom.alike classroom.late classroom.watch classroom.checker
    classroom.exam classroom.told classroom.assignments classroom.intake classroom.boxed_execute
    classroom.submission classroom.handback classroom.results classroom.class_report
    classroom.mark_folder classroom.feedback classroom.grade
""".split()
FILES = [
    path
    for top in {name.split(".")[0] for name in LAYERS}
    for path in (ROOT / top).rglob("*.py")
]
MODULES = {".".join(path.relative_to(ROOT).with_suffix("").parts): path for path in FILES}
MODULES = {name.removesuffix(".__init__"): path for name, path in MODULES.items()}


def test_every_module_has_its_layer():
    assert {*MODULES} == {*LAYERS}


@pytest.mark.parametrize("name", LAYERS)
def test_imports_go_down_the_list_never_up(name):
    below = {*LAYERS[: LAYERS.index(name)]}
    uses = {*imported_modules(MODULES[name].read_text("utf-8"), name)} & {*LAYERS}
    assert uses <= below, f"{name} imports {uses - below}"
