"""`import lenient` gives the documented names, and asks for NumPy and SciPy only."""

import inspect
import subprocess
import sys
import tomllib
from pathlib import Path

import lenient

ROOT = Path(__file__).resolve().parents[1]


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


def imports(source, name):
    return f"from lenient.{name} import" in source or f"lenient import {name}" in source


def test_imports_go_down_the_list_never_up():
    order = (
        "_check divergence gaps policies leap simulation bounds paper reproduce figures"
        " portrait explore playground"
    ).split()
    for place, module in enumerate(order):
        source = (ROOT / "lenient" / f"{module}.py").read_text()
        later = [name for name in order[place:] if imports(source, name)]
        assert not later, f"{module}.py imports {later}"
    assert {p.stem for p in (ROOT / "lenient").glob("*.py")} == {*order, "__init__"}
