"""Keys: every change that may change a number is named, and none that may not."""

import subprocess
import sys
from pathlib import Path

import pytest
from support.pythons import VERSIONS, interpreter

from lenient_book.experiments import key
from lenient_book.experiments.key import changes, closure, imported_modules, syntax_digest

SOURCE = '''"""A module."""
import math

RATE = 0.5


def double(x, *, by=2):
    """Twice x."""
    return f"{x * by:>{by}}" + u"text"
'''


@pytest.mark.parametrize(
    "old, new",
    [
        ('"""A module."""', '"""Another docstring."""'),
        ('    """Twice x."""\n', ""),
        ("RATE = 0.5", "RATE = 0.50  # a comment"),
        ("def double(x, *, by=2):", "def double(\n    x,\n    *,\n    by=2,\n):"),
        ('u"text"', "'text'"),
    ],
)
def test_the_looks_of_code_do_not_matter(old, new):
    assert syntax_digest(SOURCE) == syntax_digest(SOURCE.replace(old, new)) != ""


@pytest.mark.parametrize(
    "old, new",
    [
        ("0.5", "0.25"),
        ("0.5", "None"),
        ("RATE", "RATES"),
        ("*, by", "by"),
        ("x * by", "x / by"),
        (":>", ":<"),
        ("by=2", "by=2.0"),
        ('"text"', '"texts"'),
        ('u"text"', 'b"text"'),
        ("import math", "import cmath"),
    ],
)
def test_what_code_says_does(old, new):
    assert syntax_digest(SOURCE) != syntax_digest(SOURCE.replace(old, new, 1))


def test_every_python_gives_the_same_digests():
    """Written down once; on other versions of Python this must hold as well."""
    assert syntax_digest(SOURCE) == "dde50fbce6490d14"


@pytest.mark.parametrize("version", VERSIONS)
def test_other_pythons_give_the_same_digests(version):
    """The file of the keys runs alone, on any Python that happens to be there."""
    code = "import key; print(key.closure(['lenient_book.experiments.__main__']).code)"
    folder = Path(key.__file__).parent
    command = [interpreter(version), "-c", code]
    ran = subprocess.run(command, cwd=folder, capture_output=True, text=True)
    assert ran.stdout.strip() == str(closure(["lenient_book.experiments.__main__"]).code)


# ---- the closure ---------------------------------------------------------------------
@pytest.fixture
def root(tmp_path):
    """A package with a part that is asked for only in a function, and one that is not."""
    files = {
        "lenient/__init__.py": "from lenient.gaps import gap\n",
        "lenient/gaps.py": "import numpy as np\n",
        "lenient/simulation.py": "def play():\n    from lenient import leap\n",
        "lenient/leap.py": "from numba import njit\nfrom .gaps import gap\n",
        "lenient_book/__init__.py": "",
        "lenient_book/deep/__init__.py": "from . import inner\n",
        "lenient_book/deep/inner.py": "import scipy.stats\nfrom ..other import x\n",
        "lenient_book/other.py": "",
    }
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    return tmp_path


@pytest.mark.parametrize(
    "source, expected",
    [
        ("from lenient import leap", "lenient.leap lenient.gaps"),
        ("from lenient import gap", "lenient lenient.gaps"),
        ("from lenient import *", "lenient lenient.gaps"),
        ("import lenient", "lenient lenient.gaps"),
        ("import lenient.leap", "lenient lenient.gaps lenient.leap"),
        ("import lenient.leap as engine", "lenient.gaps lenient.leap"),
        ("import lenient.simulation as s", "lenient.gaps lenient.leap lenient.simulation"),
        (
            "from lenient_book import deep",
            "lenient_book.deep lenient_book.deep.inner lenient_book.other",
        ),
        ("import lenient_art, os", ""),
        ("if 1:\n    from lenient.gaps import x", "lenient.gaps"),
    ],
)
def test_imports_are_followed(source, expected, root):
    code = closure(imported_modules(source, root=root), root).code
    assert set(code) == set(expected.split())


def test_versions_are_those_of_what_is_imported(root):
    made = key.make_key("lenient.simulation", {"means": (0.5, 0.2)}, root, runs=3, seed=1)
    assert set(made["versions"]) == {"numpy", "numba"}
    assert made["data"] == {"means": [0.5, 0.2]}
    assert key.installed("no-such-package") is None


def test_changes_are_named(root):
    def make(runs=3, **data):
        return key.make_key("lenient.simulation", {"eps": 0.2} | data, root, runs=runs)

    old = make()
    assert changes(old, make()) == []
    assert changes(old, make(eps=0.3)) == ["eps"]
    assert changes(old, make(runs=4)) == ["runs"]
    (root / "lenient" / "gaps.py").write_text("import numpy as np\nx = 1\n")
    assert changes(old, make()) == ["lenient.gaps"]
    (root / "lenient" / "simulation.py").write_text("import scipy\n")
    gone = ["lenient.gaps", "lenient.leap", "lenient.simulation"]
    assert changes(old, make()) == [*gone, "numba", "numpy", "scipy"]


def test_the_code_that_plays_knows_no_published_number():
    for name in ("laws", "near_ties"):
        code = closure([f"lenient_book.experiments.{name}"]).code
        assert {"lenient.leap", "lenient.simulation", "lenient_book.experiments.job"} < {*code}
        assert not {"lenient", "lenient.paper", "lenient_book.experiments.store"} & {*code}


def test_it_is_quick():
    """All keys together in less than a second, even on a busy machine."""
    run = "from lenient_book.experiments import store, scenarios\n"
    run += "import time; start = time.process_time()\n"
    run += "[store.key_of(each) for each in scenarios.EXPERIMENTS.values()]\n"
    run += "print(time.process_time() - start)"
    ran = subprocess.run([sys.executable, "-c", run], capture_output=True, text=True)
    assert float(ran.stdout) < 1
