"""What pip installs: the wheel and the source archive hold what belongs and only that."""

import re
import shutil
import subprocess
import sys
import tarfile
import zipfile
from email import message_from_bytes

import pytest
from support.paths import ROOT

import lenient

README = (ROOT / "README.md").read_text("utf-8")
PACKAGE_README = (ROOT / "lenient" / "README.md").read_text("utf-8")
NAME = f"lenient-{lenient.__version__}"
BUILD = """
import setuptools.build_meta as backend
backend.build_sdist("dist")
backend.build_wheel("dist")
"""


def modules():
    """The files of both packages, as they lie in the checkout."""
    paths = [path for top in ("lenient", "lenient_book") for path in (ROOT / top).rglob("*.py")]
    page = ROOT / "lenient_book" / "playground"  # what runs in the page is code as well
    paths += [*page.rglob("*.js"), *page.glob("*.css")]
    return {path.relative_to(ROOT).as_posix() for path in paths}


def loaded_by_chapters(top):
    """What a chapter loads, where it lies in the checkout or in the wheel."""
    kinds = {"results": "*.json", "quizzes": "*.yml", "practice": "*.yml"}
    return {
        f"{top}/{name}/{path.name}"
        for name, kind in kinds.items()
        for path in (ROOT / "chapters" / name).glob(kind)
    }


FILTER = {"filter": "data"} if hasattr(tarfile, "data_filter") else {}


@pytest.fixture(scope="module")
def dist(tmp_path_factory):
    """The folder with wheel and source archive, built from a copy of the checkout."""
    copy = tmp_path_factory.mktemp("build") / "checkout"
    ignored = shutil.ignore_patterns(".*", "_build", "build", "dist", "*.egg-info")
    shutil.copytree(ROOT, copy, ignore=ignored)
    for stray in ("lenient/notes.txt", "lenient_book/frames.png", "course/grades.csv"):
        (copy / stray).write_text("no part of the package")
    subprocess.run(
        [sys.executable, "-c", BUILD], cwd=copy, check=True, capture_output=True, text=True
    )
    return copy / "dist"


@pytest.fixture(scope="module")
def wheel(dist):
    with zipfile.ZipFile(dist / f"{NAME}-py3-none-any.whl") as archive:
        yield archive


@pytest.fixture(scope="module")
def installed(dist, tmp_path_factory):
    """A folder with the wheel alone; NumPy and SciPy come from the running environment."""
    folder = tmp_path_factory.mktemp("installed")
    command = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--no-index"]
    command += ["--disable-pip-version-check", "--target", str(folder)]
    [file] = dist.glob("*.whl")
    subprocess.run([*command, str(file)], check=True)
    return folder


def run(program, folder):
    """What a program prints that runs away from the checkout, without numba."""
    start = "import sys; sys.modules['numba'] = None\n"
    ran = subprocess.run(
        [sys.executable, "-W", "error", "-c", start + program],
        cwd=folder,
        env={"PYTHONPATH": str(folder), "PYTHONIOENCODING": "utf-8"},
        capture_output=True,
        text=True,
    )
    assert ran.returncode == 0, ran.stderr
    return ran.stdout


# ---- contents ------------------------------------------------------------------------
def test_the_wheel_holds_the_packages_and_nothing_else(wheel):
    about = {"METADATA", "WHEEL", "RECORD", "top_level.txt", "licenses/LICENSE"}
    about = {f"{NAME}.dist-info/{name}" for name in about}
    assert {*wheel.namelist()} == (
        modules() | loaded_by_chapters("lenient_book") | {"lenient/py.typed"} | about
    )


def test_the_source_archive_holds_the_tests_of_the_package_too(dist):
    """Those that run without the book, which is had by a checkout alone."""
    with tarfile.open(dist / f"{NAME}.tar.gz") as archive:
        names = {each.name.removeprefix(f"{NAME}/") for each in archive if each.isfile()}
        # From Python 3.11.4 on there are filters, and later ones ask for one.
        archive.extractall(dist, **FILTER)
    made = {"PKG-INFO", "setup.cfg"} | {name for name in names if ".egg-info/" in name}
    top = {"pyproject.toml", "MANIFEST.in", "README.md", "LICENSE", "CHANGELOG.md"}
    package = modules() | {"lenient/README.md", "lenient/py.typed"}
    package |= loaded_by_chapters("chapters")
    tests = {name for name in names if name.startswith("tests/")}
    assert names - made - tests == top | {"CITATION.cff"} | package
    assert {"tests/conftest.py", "tests/test_gaps.py", "tests/test_simulation.py"} < tests
    code = "".join((dist / NAME / name).read_text("utf-8") for name in tests)
    used = {*re.findall(r"^from support\.(\w+) import|^from support import (\w+)", code, re.M)}
    helpers = {f"tests/support/{name}.py" for pair in used for name in pair if name}
    assert {name for name in tests if "/support/" in name} == helpers | {
        "tests/support/__init__.py"
    }
    collected = subprocess.run(
        [sys.executable, "-m", "pytest", "--collect-only", "-q", "-p", "no:cacheprovider"],
        cwd=dist / NAME,
        capture_output=True,
        text=True,
    )
    assert collected.returncode == 0, collected.stdout


def test_the_wheel_says_what_it_is(wheel):
    about = message_from_bytes(wheel.read(f"{NAME}.dist-info/METADATA"))
    assert about["License-Expression"] == "MIT"
    assert "Typing :: Typed" in about.get_all("Classifier")
    always = [need for need in about.get_all("Requires-Dist") if "extra ==" not in need]
    assert [re.match(r"\w+", need)[0] for need in always] == ["numpy", "scipy"]
    assert about.get_payload(decode=True).decode("utf-8").strip() == PACKAGE_README.strip()


# ---- the page of the package ---------------------------------------------------------
def test_its_page_needs_no_file_beside_it():
    """Where a package is shown there is nothing but this text."""
    targets = re.findall(r"\]\(([^)]*)\)", PACKAGE_README)
    assert targets and all(target.startswith("https://") for target in targets)
    assert "![" not in PACKAGE_README


@pytest.mark.parametrize("language", ["python", "text", "bibtex"])
def test_its_page_shows_what_the_checkout_s_readme_shows(language):
    """Whose example is run, and whose citation compared with the literature."""
    block = rf"^```{language}\n.*?^```$"
    [ours] = re.findall(block, PACKAGE_README, re.DOTALL | re.MULTILINE)
    assert ours in README


def test_its_page_names_extras_that_exist(wheel):
    about = message_from_bytes(wheel.read(f"{NAME}.dist-info/METADATA"))
    named = {*re.findall(r"`lenient\[(\w+)\]`", PACKAGE_README)}
    assert named == {*about.get_all("Provides-Extra")} - {"book"}


# ---- installed -----------------------------------------------------------------------
def test_the_example_runs_from_the_wheel_alone(installed):
    [example] = re.findall(r"^```python\n(.*?)^```$", README, re.DOTALL | re.MULTILINE)
    program = f"{example}\nassert result.engine == 'plain'\nprint(lenient.__file__)"
    *printed, place = run(program.replace("runs=500", "runs=5"), installed).splitlines()
    assert place == str(installed / "lenient" / "__init__.py")
    assert [line.split(":")[0] for line in printed] == ["TS()", "EpsTS(eps=0.2)"]


def test_what_needs_the_book_says_so_from_the_wheel(installed):
    program = (
        "from lenient_book import outputs\n"
        "try: outputs.chapters()\n"
        "except outputs.Failed as error: print(error)"
    )
    assert "they are in a checkout of the book alone" in run(program, installed)


def test_import_is_quick(installed):
    """Less than twice what NumPy and SciPy's special functions take at the same moment, which
    is half a second in all on a quiet machine. The best of three counts."""
    program = (
        "from time import perf_counter as now; start = now()\n"
        "import numpy, scipy.special; base = now()\n"
        "import lenient; print((now() - start) / (base - start))"
    )
    assert min(float(run(program, installed)) for _ in range(3)) < 2
