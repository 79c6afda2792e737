"""No statement of the paper without a check, and no check of an unknown statement."""

import importlib
import json
import os
import re
import subprocess
import sys

import nbformat
import pytest
from support.book import hook
from support.paths import ROOT

ledger = hook("ledger")


@pytest.fixture(scope="module")
def claims():
    """{statement: {how, …}} as marked in all tests, which are collected and not run."""
    listing = subprocess.run(
        [sys.executable, "-m", "pytest", "tests", "--collect-only", "-q", "-p", "no:xdist"],
        cwd=ROOT,
        env={**os.environ, "LENIENT_LIST_CLAIMS": "1"},
        capture_output=True,
        text=True,
        check=True,
    )
    found = {}
    for line in listing.stdout.splitlines():
        if line.startswith("claims: "):
            for claim, how in json.loads(line.removeprefix("claims: ")).items():
                found.setdefault(claim, set()).add(how)
    return found


def test_the_list_is_complete():
    """2 definitions, a claim, 3 theorems, a proposition, 9 lemmas, 3 facts, …

    And two that have no number, and are false as they are printed.
    """
    kinds = [statement.claim.split(":")[0] for statement in ledger.STATEMENTS]
    counts = {kind: kinds.count(kind) for kind in kinds}
    assert counts == dict(
        definition=2, claim=1, theorem=3, algorithm=1, proposition=1, lemma=9, corollary=1,
        fact=3, argument=1, figure=5, table=4, slip=2,
    )  # fmt: skip


ALL = [*ledger.STATEMENTS, *ledger.BEYOND]


def test_no_statement_stands_twice():
    assert len({statement.claim for statement in ALL}) == len(ALL)


@pytest.mark.parametrize("statement", ALL, ids=lambda s: s.claim)
def test_every_statement_has_a_check(statement, claims):
    assert statement.claim in claims


@pytest.mark.parametrize("statement", ALL, ids=lambda s: s.claim)
def test_the_code_named_exists(statement):
    if statement.code:
        module, _, name = statement.code.partition(".")
        package = "lenient_book" if module == "experiments" else "lenient"
        module = importlib.import_module(f"{package}.{module}")
        assert not name or hasattr(module, name)


def test_every_check_is_of_a_statement_of_the_list_or_of_a_slip(claims):
    known = {statement.claim for statement in ALL}
    assert all(claim in known or claim.startswith("slip:") for claim in claims)


def test_each_check_says_how(claims):
    ways = ("exact", "numerical search", "simulation:")
    for claim, hows in claims.items():
        assert all(how.startswith(ways) for how in hows), claim


def test_the_reading_notes_list_every_slip_and_no_other(claims):
    notes = (ROOT / "chapters" / "reading-notes.md").read_text("utf-8")
    listed = set(re.findall(r"`(slip:[^`]+)`", notes))
    assert listed == {claim for claim in claims if claim.startswith("slip:")}


def test_every_slip_stands_at_a_statement(claims):
    named = {name for statement in ledger.STATEMENTS for name in statement.slips}
    assert {f"slip:{name}" for name in named} == {c for c in claims if c.startswith("slip:")}


def book_text():
    """All that a reader of the sources sees, page by page."""
    pages = [*(ROOT / "chapters").glob("*.ipynb"), *(ROOT / "chapters").rglob("*.md")]
    for page in pages:
        text = page.read_text("utf-8")
        if page.suffix == ".ipynb":
            cells = nbformat.reads(text, as_version=4).cells
            text = "\n".join(cell.source for cell in cells if cell.cell_type == "markdown")
        yield text


def has_proof(label, pages):
    """A proof before the next statement, one that names it, or a page that is referred to."""
    named = re.compile(rf"[Pp]roof[^\n]*`{label}`")
    home = next(page for page in pages if f":label: {label}\n" in page)
    after = home.split(f":label: {label}\n", 1)[1]
    upto = re.split(r":::\{prf:(?:theorem|lemma|proposition|corollary)\}", after)[0]
    return "{prf:proof}" in upto or "`app-" in upto or any(map(named.search, pages))


def test_what_is_green_has_a_proof_in_the_book():
    """A block with a proof after it, or a page that proves it; and the open is not green."""
    pages = list(book_text())
    for statement in ALL:
        if statement.status in (ledger.PROVED, ledger.CONDITION, ledger.REPAIRED):
            if statement.label.startswith("alg-"):  # a listing
                continue
            where = statement.proof or statement.label
            page = any(f"({where})=" in page for page in pages)
            assert page or has_proof(where, pages), where


def test_a_statement_without_a_proof_is_found():
    one = ":::{prf:lemma} One\n:label: lem-one\n\nA.\n:::\n\n"
    proof = "::::{dropdown} Proof\n:::{prf:proof}\nB.\n:::\n"
    assert has_proof("lem-one", [one + proof])
    assert not has_proof("lem-one", [one + ":::{prf:lemma} Two\n:::\n" + proof])
    assert has_proof("lem-one", [one, "## Proof of {prf:ref}`lem-one`\n"])


def test_the_page_explains_every_status():
    page = (ROOT / "chapters" / "ledger.md").read_text("utf-8")
    assert {*re.findall(r"\{status\}`([^`]+)`", page)} == {*ledger.CLASSES}
