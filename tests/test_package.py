"""`import lenient` gives the documented names, and asks for NumPy and SciPy only."""

import inspect
import subprocess
import sys
import tomllib

from support.paths import ROOT

import lenient


def test_every_public_name_exists_and_is_explained():
    for name in lenient.__all__:
        assert inspect.getdoc(getattr(lenient, name)), name


def test_version_is_that_of_the_distribution():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    assert lenient.__version__ == project["version"]


def test_import_needs_numpy_and_scipy_only():
    """The extras' packages, though installed here, must not be imported."""
    extras = {"matplotlib", "PIL", "ipywidgets", "IPython", "tqdm", "numba", "dask"}
    result = subprocess.run(
        [sys.executable, "-c", "import sys, lenient; print(*sys.modules)"],
        capture_output=True,
        text=True,
        check=True,
    )
    assert not extras & set(result.stdout.split())
