"""A chapter downloaded alone runs wherever the package is installed, and can install it.

Each notebook, as the page gives it for download, is copied into an empty folder and run in a
fresh environment that has the built wheel and knows nothing of the checkout. `make test` runs
two of them, `make lab-test` all.
"""

import os
import shutil
import subprocess
import sys
import sysconfig
import venv
from pathlib import Path

import pytest
from support.paths import ROOT

from lenient_book import reader
from lenient_book.myst import Plain

ALL = sorted(
    page for page, file in reader.file_names(reader.pages()).items() if "ipynb" in file
)
SHORT = ["10-smaller-leniency", "playground"]
CHOSEN = ALL if os.environ.get("LENIENT_LAB") == "all" else SHORT
BUILD = "import setuptools.build_meta as backend; backend.build_wheel('dist')"
RUN = """
import nbclient, nbformat, sys
notebook = nbformat.read(sys.argv[1], as_version=4)
where = nbformat.v4.new_code_cell("import lenient_book; print(lenient_book.__file__)")
notebook.cells = notebook.cells[: int(sys.argv[2])] + [where]
nbclient.NotebookClient(notebook, timeout=600).execute()
print(notebook.cells[-1].outputs[0].text)
"""


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    copy = tmp_path_factory.mktemp("build") / "checkout"
    ignored = shutil.ignore_patterns(".*", "_build", "build", "dist", "*.egg-info", "notebooks")
    shutil.copytree(ROOT, copy, ignore=ignored)
    command = [sys.executable, "-c", BUILD]
    subprocess.run(command, cwd=copy, check=True, capture_output=True)
    [file] = (copy / "dist").glob("*.whl")
    return file


def environment(folder):
    """A fresh one, with the other packages of this one but nothing of the checkout."""
    venv.create(folder, with_pip=True, symlinks=True)
    [site] = (folder / "lib").glob("python*/site-packages")
    for entry in Path(sysconfig.get_path("purelib")).iterdir():
        ours = entry.name.startswith(("lenient", "__editable__", "__pycache__"))
        if not ours and not (site / entry.name).exists():
            (site / entry.name).symlink_to(entry)
    return folder / "bin" / "python"


@pytest.fixture(scope="module")
def python(wheel, tmp_path_factory):
    """The Python of a fresh environment with the wheel."""
    python = environment(tmp_path_factory.mktemp("fresh") / "env")
    install = [python, "-m", "pip", "install", "--quiet", "--no-deps", "--no-index", wheel]
    subprocess.run(install, check=True, env=clean())
    return python


def clean(**more):
    """The variables of a user who has no checkout."""
    kept = ("PATH", "HOME", "LANG", "TMPDIR")
    return {name: os.environ[name] for name in kept if name in os.environ} | more


def run(page, python, folder, cells=10_000, **more):
    """Run the first cells of a page, alone in a folder; where its package came from."""
    notebook = folder / f"{Path(page).name}.ipynb"
    notebook.write_text(reader.Maker(Plain()).content(page), "utf-8")
    command = [python, "-c", RUN, notebook, str(cells)]
    ran = subprocess.run(command, cwd=folder, env=clean(**more), capture_output=True, text=True)
    assert ran.returncode == 0, ran.stderr[-3000:]
    return Path(ran.stdout.strip())


@pytest.mark.parametrize("page", CHOSEN)
def test_a_chapter_runs_alone(page, python, tmp_path):
    package = run(page, python, tmp_path)
    assert python.parents[1] in package.parents


def test_the_first_cell_installs_what_is_missing(wheel, tmp_path):
    """As on Colab; here from a folder, without an index."""
    python = environment(tmp_path / "env")
    given = {"PIP_NO_INDEX": "1", "PIP_FIND_LINKS": str(wheel.parent), "PIP_NO_DEPS": "1"}
    package = run("playground", python, tmp_path, 1, **given)
    assert python.parents[1] in package.parents
