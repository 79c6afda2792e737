"""What a newcomer reads first, README.md and the landing page, is true."""

import contextlib
import importlib.util
import io
import json
import re
import tomllib

import numpy as np
import pytest
import yaml
from support.paths import ROOT

import lenient
from lenient.bounds import standard_bound

README = (ROOT / "README.md").read_text("utf-8")
DOOR = (ROOT / "CONTRIBUTING.md").read_text("utf-8")
LANDING = (ROOT / "chapters" / "index.md").read_text("utf-8")
CHAPTER = json.loads((ROOT / "chapters/01-why-regret-fails.ipynb").read_text("utf-8"))
MADE_BY_BUILD = {"_build/html/index.html", "_build/html", ".venv", "notebooks/"}


def blocks(text, language):
    """Contents of the fenced blocks of a language."""
    return re.findall(rf"^```{language}\n(.*?)^```$", text, re.DOTALL | re.MULTILINE)


def draw_cover():
    """The module that draws the cover."""
    path = ROOT / "_ext" / "draw_cover.py"
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


# ---- README ------------------------------------------------------------------------
def test_example_prints_what_is_shown():
    [example], [shown] = blocks(README, "python"), blocks(README, "text")
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(compile(example, "README.md", "exec"), {})
    assert printed.getvalue() == shown


def named_paths(text):
    """Files and folders that a text names, in `code` or as the target of a link."""
    prose = re.sub(r"^```.*?^```$", "", text, flags=re.DOTALL | re.MULTILINE)
    code = re.findall(r"`([^`\n]+)`", prose)
    top = {path.name for path in ROOT.iterdir()}
    for name in code:
        if re.fullmatch(r"[\w.-]+(/[\w.-]*)*", name) and ("/" in name or "." in name):
            if not name.startswith(("result.", "lenient.", "experiments.")):
                yield name
        elif name in top:
            yield name
    yield from re.findall(r"\]\(((?!https?:)[^)#]+)\)", prose)


def test_named_paths_exist():
    names = set(named_paths(README))
    assert {"LICENSE", "LICENSE-text", "chapters/cover.svg", "lenient/"} <= names
    missing = [name for name in names - MADE_BY_BUILD if not (ROOT / name).exists()]
    assert missing == []


def test_the_door_names_what_exists():
    """But for patterns such as chapters/NN-topic.ipynb, and what is made."""
    names = {name for name in named_paths(DOOR) if "NN" not in name}
    assert {"lenient/leap.py", "chapters/ledger.json", "classroom/box.py"} <= names
    assert [name for name in names - MADE_BY_BUILD if not (ROOT / name).exists()] == []


def test_citation_file_has_the_version_of_the_package():
    cited = yaml.safe_load((ROOT / "CITATION.cff").read_text("utf-8"))
    assert cited["version"] == lenient.__version__
    [paper] = cited["references"]
    assert f"{paper['title']}" in README and str(paper["year"]) in README


def test_table_leaves_no_part_of_the_project_out():
    table = " ".join(line for line in README.splitlines() if line.startswith("|"))
    folders = ["chapters", "lenient", "lenient_book", "classroom", "tests", "benchmarks"]
    for folder in [*folders, "_ext", "_static"]:
        assert f"`{folder}/`" in table


@pytest.mark.parametrize("text", [README, LANDING, DOOR], ids=["README", "landing", "door"])
def test_named_make_targets_exist(text):
    makefile = (ROOT / "Makefile").read_text("utf-8")
    targets = set(re.findall(r"^([a-z-]+):", makefile, re.MULTILINE))
    named = set(re.findall(r"(?:^|`)make ([a-z-]+)", text, re.MULTILINE))
    assert "book" in named and named <= targets


@pytest.mark.parametrize("text", [README, LANDING], ids=["README", "landing page"])
def test_named_names_exist_in_the_package(text):
    names = set(re.findall(r"\blenient\.(\w+)\(", text))
    assert [name for name in names if not hasattr(lenient, name)] == []


def test_named_extras_exist():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    named = ",".join(re.findall(r"pip install '\.\[([\w,]+)\]'", README)).split(",")
    assert "fast" in named and set(named) <= set(project["optional-dependencies"])


@pytest.mark.parametrize("text", [README, LANDING], ids=["README", "landing page"])
def test_citation_agrees_with_the_bibliography(text):
    def fields(entry):
        entry = re.sub(r"\s+", " ", entry)
        return dict(re.findall(r"(\w+) = \{([^}]*)\}", entry))

    library = (ROOT / "references.bib").read_text("utf-8")
    entry = r"^@inproceedings\{merlis2021lenient,.*?^\}"
    stored = re.search(entry, library, re.MULTILINE | re.DOTALL)
    [shown] = blocks(text, "bibtex")
    assert fields(shown).items() <= fields(stored[0]).items()
    assert {"author", "title", "year"} <= fields(shown).keys()


# ---- cover and landing page --------------------------------------------------------
def test_cover_is_up_to_date():
    module = draw_cover()
    assert module.COVER.read_text("utf-8") == module.cover()


def test_cover_shows_the_street_of_the_first_chapter():
    sources = ["".join(cell["source"]) for cell in CHAPTER["cells"]]
    [street] = [source for source in sources if source.startswith("street = {")]
    scope = {"np": np}
    exec(street, scope)
    assert list(scope["means"]) == draw_cover().MEANS


def test_descriptions_of_the_cover_give_its_counts():
    cover = draw_cover().COVER.read_text("utf-8")
    usual, forgiving = re.findall(r">(\d+) bad lunch", cover)
    assert forgiving == "1"
    [described] = re.findall(r":alt: (.*)", LANDING)
    assert f"{usual} squares are orange" in described and "one square" in described
    assert f"{usual} of them are in bad restaurants, under ε-TS one" in README


def claim(pattern):
    """The number that the landing page claims where the pattern has its group."""
    flat = re.sub(r"\s+", " ", LANDING)
    [number] = re.findall(pattern, flat)
    return int(number)


CARD = r"grid-item-card\} (\d+) % :link: \S+ :link-type: doc "


def test_share_of_the_regret_due_to_good_restaurants():
    means = draw_cover().MEANS
    good = [mean for mean in means if mean >= 0.83]
    both = [standard_bound(arms, lenient.standard()) for arms in (good, means)]
    claimed = claim(CARD + "of the long-run regret on the street")
    assert claimed == round(100 * both[0] / both[1])


VISITS_OF_TS = r"on average: Thompson sampling makes (\d+), ε-TS"
VISITS_OF_EPS_TS = r"ε-TS with ε = 0.2 makes (\d+)\."
SETTLED = CARD + "of the runs of ε-TS settle on the second-best arm"
VISITS = r" +([\d.]+) ± [\d.]+ +\d+ +\d+ +\d+$"


@pytest.mark.parametrize(
    "claimed, printed",
    [
        (VISITS_OF_TS, "^TS" + VISITS),
        (VISITS_OF_EPS_TS, "^ε-TS" + VISITS),
        (SETTLED, r"^ε-TS .* (\d+)%$"),
    ],
    ids=["TS", "ε-TS", "settled"],
)
def test_claims_are_what_the_chapter_prints(claimed, printed):
    outputs = [out for cell in CHAPTER["cells"] for out in cell.get("outputs", [])]
    tables = [out.get("data", {}).get("text/plain", []) for out in outputs]
    text = "\n".join(map("".join, tables))
    [number] = re.findall(printed, text, re.MULTILINE)
    assert claim(claimed) == round(float(number))


# The same claims with another seed, within rounding and four standard errors of the
# difference (√2 for two samples): for a random seed the chance of a false alarm would
# be below 1e-4 each.
def close(claimed, sample):
    error = np.std(sample, ddof=1) / len(sample) ** 0.5
    return abs(np.mean(sample) - claimed) <= 0.5 + 4 * np.sqrt(2) * error


@pytest.mark.parametrize(
    "policy, pattern",
    [
        (lenient.TS(), VISITS_OF_TS),
        (lenient.EpsTS(0.2), VISITS_OF_EPS_TS),
    ],
    ids=["TS", "ε-TS"],
)
def test_visits_to_bad_restaurants(policy, pattern):
    result = lenient.simulate(draw_cover().MEANS, policy, 1000, 1000, seed=2021)
    assert close(claim(pattern), result.regret(lenient.indicator(0.2))[:, -1])


def test_share_of_runs_that_settle_on_the_second_best_arm():
    result = lenient.simulate(
        [0.90, 0.85, 0.60],
        lenient.EpsTS(0.2),
        horizon=3000,
        runs=1000,
        seed=2021,
        checkpoints=[2000, 3000],
    )
    settled = result.pulls[:, 1, 1] - result.pulls[:, 0, 1] == 1000
    assert close(claim(SETTLED), 100 * settled)
