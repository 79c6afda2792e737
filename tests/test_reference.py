"""The part on the package: its pages say what the code says, and its lines of code run."""

import inspect
import os
import re
import subprocess
import sys
from collections import Counter

import nbformat
import pytest
from docstrings import as_rst, chapters, methods, public, targets
from reference import arguments, call, described, first_sentence, of_module, thing_named
from support.notebooks import NOTEBOOKS
from support.paths import ROOT

import lenient
from lenient.simulation import ENGINES

FOLDER = ROOT / "chapters" / "package"
PAGES = {path.stem: path.read_text("utf-8") for path in FOLDER.glob("*.md")}


def directives(page, name):
    return re.findall(rf"^```{{{name}}} (.*)$", PAGES[page], re.MULTILINE)


def blocks(text):
    return re.findall(r"^```python\n(.*?)^```$", text, re.DOTALL | re.MULTILINE)


# ---- the reference is complete -------------------------------------------------------
@pytest.mark.parametrize("directive", ["reference", "names"])
def test_every_public_name_is_on_the_reference_once(directive):
    modules = directives("reference", directive)
    named = Counter(name for module in modules for name in of_module(module))
    assert named == Counter(list(public()))
    assert {f"lenient.{name}" for name in lenient.__all__} <= {*named}


# ---- docstrings ----------------------------------------------------------------------
def members():
    """{full name: object} of all that the reference describes, with methods."""
    found = public()
    for name, thing in public().items():
        found |= {f"{name}.{method}": getattr(thing, method) for method in methods(thing)}
    return found


def asked(thing):
    """Names of the arguments that a docstring has to explain."""
    if isinstance(thing, property) or inspect.ismodule(thing):
        return []
    if inspect.isclass(thing) and not described(thing):
        return []  # made by the package for its reader, or of nothing: see below
    return [name for name in inspect.signature(thing).parameters if name != "self"]


def lacks(thing):
    """What is missing in a docstring."""
    text = inspect.getdoc(thing) or ""
    summary, _, rest = text.partition("\n")
    if not summary.endswith(".") or (rest and not rest.startswith("\n")):
        yield "a summary: one line that ends with a full stop"
    if inspect.ismodule(thing):
        return
    if missing := {*asked(thing)} ^ {*described(thing)}:
        yield f"Parameters that are those of the signature: {missing}"
    if any(not sentence for sentence in described(thing).values()):
        yield "a word on each of the Parameters"
    if isinstance(thing, property):
        return
    example = text.partition("\nExamples\n--------\n")[2]
    if ">>> " not in example and not re.match(r"See `[\w.]+`\.", example):
        yield "Examples"


def place(thing):
    """Its line on where the book speaks of it, or nothing."""
    lines = (inspect.getdoc(thing) or "").splitlines()
    return next((line for line in lines if line.startswith("In the book: ")), "")


@pytest.mark.parametrize("name", public())
def test_every_public_name_has_an_example_of_its_own_and_a_place_in_the_book(name):
    thing = public()[name]
    assert ">>> " in inspect.getdoc(thing)
    assert re.search(r"chapters? \d|the recipes", place(thing)), place(thing)


@pytest.mark.parametrize("name", public())
def test_recipes_that_a_docstring_points_to_use_the_name(name):
    """Or, of a result or a function behind it, what hands it out."""
    if "the recipes" not in place(public()[name]):
        return
    short = name.rpartition(".")[2]
    by = {"Tail": "tail", "Comparison": "compare", "Row": "compare", "interval": "compare"}
    code = "\n".join(cell.source for cell in RECIPES.cells)
    assert f".{by.get(short, short)}(" in code


@pytest.mark.parametrize("name", members())
def test_docstring_is_complete(name):
    assert [*lacks(members()[name])] == []


def test_what_is_made_without_parameters_is_a_result_or_takes_none():
    for name, thing in public().items():
        if inspect.isclass(thing) and not described(thing):
            made = "\nAttributes\n" in inspect.getdoc(thing) or hasattr(thing, "_fields")
            assert made or not inspect.signature(thing).parameters, name


def _complete(x, y=0):
    """Add.

    Parameters
    ----------
    x, y : int
        Numbers.

    Examples
    --------
    >>> 1 + 1
    2
    """


@pytest.mark.parametrize(
    "old, new, complaint",
    [
        ("", "", None),
        ("Add.", "Add", "summary"),
        ("x, y", "x", "'y'"),
        ("x, y", "x, y, z", "'z'"),
        ("        Numbers.", "", "a word"),
        (">>> 1", "1", "Examples"),
        (">>> 1 + 1\n    2", "See `kl`.", None),
    ],
)
def test_what_lacks_is_found(monkeypatch, old, new, complaint):
    monkeypatch.setattr(_complete, "__doc__", _complete.__doc__.replace(old, new))
    found = [*lacks(_complete)]
    assert found == [] if complaint is None else complaint in found[0]


# ---- docstrings and chapters ---------------------------------------------------------
CHAPTERS = {int(path.name[:2]): path for path in NOTEBOOKS if path.name[:2].isdigit()}


def chapters_named(thing):
    """Numbers in the last line of a docstring, "In the book: chapters 1 and 2."."""
    return [int(number) for number in re.findall(r"\d+", place(thing))]


@pytest.mark.parametrize("name", members())
def test_named_chapters_exist(name):
    assert {*chapters_named(members()[name])} <= {*CHAPTERS} == {*chapters(ROOT)}


# ---- from docstring to page ----------------------------------------------------------
@pytest.mark.parametrize(
    "line, marked",
    [
        ("As `kl`, `pulls` and `hinge(0.2)`.",
         "As :py:obj:`kl <lenient.kl>`, ``pulls`` and :py:obj:`hinge(0.2) <lenient.hinge>`."),
        ("See `Simulation.save`.",
         "See :py:obj:`Simulation.save <lenient.Simulation.save>`."),
        ("of `TS` itself", "of ``TS`` itself"),
        ("``as it is``", "``as it is``"),
        (">>> print(`kl`)", ">>> print(`kl`)"),
        ("In the book: chapters 1 and 12.",
         "In the book: chapters :doc:`1 </one>` and :doc:`12 </twelve>`."),
        ("In the book: the recipes.",
         "In the book: the :doc:`recipes </chapters/package/recipes>`."),
        ("Of the recipes.", "Of the recipes."),
        ("Lattimore (2020, chapter 11)", "Lattimore (2020, chapter 11)"),
    ],
)  # fmt: skip
def test_marks(line, marked):
    pages = {1: "/one", 12: "/twelve"}
    assert as_rst([line], targets(), pages, self="lenient.TS") == [marked]


def test_answers_of_examples_stay_as_they_are():
    lines = [">>> f()", "`kl`", "", "`kl`"]
    assert as_rst(lines, targets(), {})[1:] == ["`kl`", "", ":py:obj:`kl <lenient.kl>`"]


@pytest.mark.parametrize("name", members())
def test_code_ends_on_the_line_where_it_begins(name):
    """Otherwise the page would show a backtick."""
    for line in inspect.getdoc(members()[name]).splitlines():
        assert line.count("`") % 2 == 0, line


# ---- cheat sheet ---------------------------------------------------------------------
def test_a_call_is_the_signature_without_types():
    written = call(lenient.simulate)
    assert written.startswith("simulate(means, policy, horizon, runs, seed=None, ")
    given = inspect.signature(lenient.simulate).parameters.values()
    wanted = [p.name if p.default is p.empty else f"{p.name}={p.default!r}" for p in given]
    assert written == f"simulate({', '.join(wanted)})"
    assert call(lenient.Simulation.regret) == "regret(gap)"


def test_arguments_have_their_first_sentence():
    rows = {name: (default, text) for name, default, text in arguments(lenient.simulate)}
    assert rows["runs"] == ("", "The number of runs.")
    assert rows["progress"] == ("False", "Show a bar (needs tqdm).")
    assert first_sentence("Up to 0.5. More is refused.") == "Up to 0.5."


def test_the_lines_of_the_cheat_sheet_run():
    [code] = blocks(PAGES["cheat-sheet"])
    space = {}
    exec(compile(code, "cheat-sheet.md", "exec"), space)
    assert space["s"].runs == 500 and len(space["table"].rows) == 4


def test_the_cheat_sheet_leaves_nothing_out():
    words = " ".join(directives("cheat-sheet", "calls")).split()
    found = {targets()[word] for word in words if not word.startswith("lenient.")}
    found |= {name for word in words if word.startswith("lenient.") for name in of_module(word)}
    for module in ("policies", "baselines", "bounds"):
        assert {*of_module(f"lenient.{module}")} <= found, module
    engines = re.findall(r'^\| `"(\w+)"` \|', PAGES["cheat-sheet"], re.MULTILINE)
    assert sorted(engines) == sorted(ENGINES)


def test_names_of_the_cheat_sheet_exist():
    simulation = lenient.simulate([0.5], lenient.TS(), 5, 2)
    named = re.findall(r"`s\.(\w+)`", PAGES["cheat-sheet"])
    assert len(named) > 8 and all(hasattr(simulation, name) for name in named)
    for name in directives("cheat-sheet", "signature"):
        assert callable(thing_named(name))


@pytest.mark.browser
def test_the_cheat_sheet_is_one_page_of_paper(browser, book_url):
    page = browser.new_page()
    page.goto(f"{book_url}/chapters/package/cheat-sheet.html", wait_until="networkidle")
    sheets = re.findall(rb"/Type\s*/Page\b", page.pdf(format="A4"))
    page.goto(f"{book_url}/chapters/package/recipes.html", wait_until="networkidle")
    more = re.findall(rb"/Type\s*/Page\b", page.pdf(format="A4"))
    page.close()
    assert len(sheets) == 1 < len(more)


# ---- recipes -------------------------------------------------------------------------
RECIPES = nbformat.read(FOLDER / "recipes.ipynb", as_version=4)
SCRIPTS = [code for cell in RECIPES.cells if cell.cell_type == "markdown"
           for code in blocks(cell.source)]  # fmt: skip


def printed_by(code, folder):
    """What a recipe that the book does not run prints, as a script of its own."""
    (folder / "recipe.py").write_text(code, "utf-8")
    command = [sys.executable, "recipe.py"]
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    ran = subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, text=True, timeout=120
    )
    assert ran.returncode == 0, ran.stderr
    return ran.stdout


def test_the_recipe_with_dask_gives_what_one_process_gives(tmp_path):
    [code] = [code for code in SCRIPTS if "dask" in code]
    alone = lenient.simulate([0.9, 0.85, 0.6], lenient.EpsTS(0.2), 2000, 4000, seed=1)
    assert printed_by(code, tmp_path) == f"{alone.summary(lenient.hinge(0.2)).mean}\n"


def test_the_recipe_with_tables_runs(tmp_path):
    [code] = [code for code in SCRIPTS if "to_frame" in code]
    shown = printed_by(code + "print(len(frame))", tmp_path)
    assert shown.endswith("\n300000\n") and "300,000" in RECIPES.cells[-1].source
    alone = lenient.simulate([0.9, 0.85, 0.6], lenient.EpsTS(0.2), 2000, 500, seed=1)
    for plays in alone.pulls[:, -1].mean(axis=0):
        assert f"{plays:.3f}" in shown


def test_no_recipe_is_left_untried():
    assert len(SCRIPTS) == 2


def test_a_recipe_has_what_for_and_what_to_mind():
    texts = "\n".join(c.source for c in RECIPES.cells if c.cell_type == "markdown")
    for recipe in re.split(r"^## ", texts, flags=re.MULTILINE)[1:]:
        title, _, text = recipe.partition("\n")
        assert re.match(r"\n\*(To|When) [^*]+\.\*", text) and "\n*Mind:* " in text, title
