"""No statement of the paper without a check, and no check of an unknown statement."""

import importlib
import json
import os
import re
import subprocess
import sys

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
    """2 definitions, a claim, 3 theorems, a proposition, 9 lemmas, 3 facts, …"""
    kinds = [statement.claim.split(":")[0] for statement in ledger.STATEMENTS]
    counts = {kind: kinds.count(kind) for kind in kinds}
    assert counts == dict(
        definition=2, claim=1, theorem=3, algorithm=1, proposition=1, lemma=9, fact=3,
        argument=1, figure=5, table=4,
    )  # fmt: skip


@pytest.mark.parametrize("statement", ledger.STATEMENTS, ids=lambda s: s.claim)
def test_every_statement_has_a_check(statement, claims):
    assert statement.claim in claims


@pytest.mark.parametrize("statement", ledger.STATEMENTS, ids=lambda s: s.claim)
def test_the_code_named_exists(statement):
    if statement.code:
        module, _, name = statement.code.partition(".")
        package = "lenient_book" if module == "experiments" else "lenient"
        module = importlib.import_module(f"{package}.{module}")
        assert not name or hasattr(module, name)


def test_every_check_is_of_a_statement_of_the_list_or_of_a_slip(claims):
    known = {statement.claim for statement in ledger.STATEMENTS}
    assert all(claim in known or claim.startswith("slip:") for claim in claims)


def test_each_check_says_how(claims):
    ways = ("exact", "symbolic", "numerical search", "simulation:")
    for claim, hows in claims.items():
        assert all(how.startswith(ways) for how in hows), claim


def test_the_reading_notes_list_every_slip_and_no_other(claims):
    notes = (ROOT / "chapters" / "reading-notes.md").read_text("utf-8")
    listed = set(re.findall(r"`(slip:[^`]+)`", notes))
    assert listed == {claim for claim in claims if claim.startswith("slip:")}
