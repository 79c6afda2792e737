"""The packages: their public names, what they ask for, and which file may know which."""

import ast
import inspect
import subprocess
import sys
import tomllib

import pytest
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
    extras.add("lenient_book")
    result = subprocess.run(
        [sys.executable, "-c", "import sys, lenient; print(*sys.modules)"],
        capture_output=True,
        text=True,
        check=True,
    )
    assert not extras & set(result.stdout.split())


# ---- layers --------------------------------------------------------------------------
# Imports go down this list, never up. `lenient` never imports `lenient_book`, and neither
# knows the classroom.
LAYERS = """
    lenient.exact lenient._check lenient.divergence lenient.gaps lenient.policies lenient.leap
    lenient.simulation lenient.bounds lenient.finite_time lenient.paper lenient

    lenient_book lenient_book.figures lenient_book.portrait lenient_book.explore
    lenient_book.playground
""".split()
PACKAGES = ["lenient", "lenient_book"]


def modules():
    """{name: path} of all modules of the packages."""
    found = {}
    for package in PACKAGES:
        for path in (ROOT / package).rglob("*.py"):
            parts = path.relative_to(ROOT).with_suffix("").parts
            found[".".join(parts).removesuffix(".__init__")] = path
    return found


def imported(source, known):
    """The modules among the known that a source imports, anywhere in it."""
    found = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            # `from lenient import leap` is about the module lenient.leap
            inner = [f"{node.module}.{alias.name}" for alias in node.names]
            names = [name if name in known else node.module for name in inner]
        else:
            continue
        found |= {name for name in names if name in known}
    return found


def test_every_module_has_its_layer():
    assert {*modules()} == {*LAYERS}


@pytest.mark.parametrize("name", LAYERS)
def test_imports_go_down_the_list_never_up(name):
    below = LAYERS[: LAYERS.index(name)]
    uses = imported(modules()[name].read_text("utf-8"), {*LAYERS}) - {name}
    assert uses <= {*below}, f"{name} imports {uses - {*below}}"


def test_imports_are_found_wherever_they_stand():
    source = "import lenient.paper\ndef f():\n    from lenient import (\n leap, kl)\n"
    assert imported(source, {*LAYERS}) == {"lenient.paper", "lenient.leap", "lenient"}
    assert imported("# from lenient import leap", {*LAYERS}) == set()
