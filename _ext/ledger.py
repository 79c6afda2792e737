"""The ledger: every numbered statement of the paper, and what checks it.

The directive `{ledger}` on the page `chapters/ledger.md` becomes a table: the statement,
its place in the book, the code that computes it, and the tests that are marked
`@pytest.mark.claim("…", how="…")` for it. Which those are, and how they ended, is written
to `chapters/ledger.json` by the tests themselves, whenever `make test` runs them all.
"""

import json
from pathlib import Path
from typing import NamedTuple

from docutils import nodes
from sphinx.util.docutils import SphinxDirective

RESULTS = "chapters/ledger.json"


class Statement(NamedTuple):
    claim: str  # the name that tests use
    paper: str  # its number in the paper
    title: str
    label: str  # where it is in the book: the label of a block, section or figure
    code: str  # the function that computes it


STATEMENTS = [
    Statement("definition:gap-function", "Definition 1", "ε-gap functions and lenient regret",
              "def-gap-function", "gaps.GapFunction"),
    Statement("claim:average", "Claim 1", "standard regret is average indicator regret",
              "clm-average", "gaps.indicator"),
    Statement("theorem:lower-bound", "Theorem 1", "the lower bound",
              "thm-lower-bound", "bounds.lower_bound"),
    Statement("algorithm:eps-ts", "Algorithm 1", "ε-TS",
              "alg-eps-ts", "policies.EpsTS"),
    Statement("theorem:upper-bound-asymptotic", "Theorem 2", "the asymptotic upper bound",
              "thm-upper-bound", "bounds.upper_bound"),
    Statement("theorem:finite-time", "Theorem 3", "the finite-time upper bound",
              "thm-finite-time", "finite_time.finite_time_bound"),
    Statement("proposition:optimal-arm-count", "Proposition 2", "the best arm is played often",
              "prop-optimal-arm-count", "finite_time.log_C_b"),
    Statement("lemma:mean-deviation", "Lemma 3", "plays at too high an empirical mean",
              "lem-mean-deviation", "divergence.kl"),
    Statement("lemma:optimal-low-high", "Lemma 4", "a high best arm that looks low",
              "lem-optimal-low-high", "finite_time.log_L1"),
    Statement("lemma:theta-high", "Lemma 5", "plays of a bad arm beside a good draw",
              "lem-theta-high", "finite_time.max_ratio"),
    Statement("lemma:theta-low", "Lemma 6", "low draws of the best arm",
              "lem-theta-low", "finite_time.log_L2"),
    Statement("lemma:comparison", "Lemma 7", "the two divergences compared",
              "lem-comparison", "divergence.scaled_kl"),
    Statement("definition:saturated", "Definition 2", "saturated arms and interruptions",
              "def-saturated", "finite_time.saturation_level"),
    Statement("lemma:long-interval", "Lemma 8", "the best arm's draws in a long interval",
              "lem-long-interval", "finite_time.log_C_lambda"),
    Statement("lemma:saturated-theta", "Lemma 9", "draws of a saturated arm",
              "lem-saturated-theta", "finite_time.saturation_level"),
    Statement("lemma:x-increases", "Lemma 10", "the solution x_c(p, q)",
              "lem-x-increases", "finite_time.x_ac"),
    Statement("lemma:scaling", "Lemma 11", "the divergence under scaling",
              "lem-scaling", "divergence.scaled_kl"),
    Statement("fact:beta-binomial", "Fact 1", "Beta and Binomial tails",
              "fact-beta-binomial", ""),
    Statement("fact:hoeffding", "Fact 2", "Hoeffding's inequality",
              "fact-hoeffding", ""),
    Statement("fact:chernoff", "Fact 3", "the Chernoff–Hoeffding bound",
              "fact-chernoff", "divergence.kl"),
    Statement("argument:small-gap-arms", "Appendix D.1", "adding arms with small gaps",
              "arg-small-gap-arms", "policies.EpsTS"),
    Statement("figure:gap-functions", "Figure 1", "the gap functions",
              "fig-gap-functions", "gaps"),
    Statement("figure:ratio", "Figure 2", "the ratio of the bounds",
              "fig-ratio", "bounds.standard_bound"),
    Statement("figure:main", "Figure 3", "the main experiment",
              "fig-main-hinge", "experiments.load"),
    Statement("figure:smaller-eps", "Figure 4", "smaller ε",
              "fig-small-hinge", "experiments.load"),
    Statement("figure:additional", "Figure 5", "edge cases, long run, twenty arms",
              "fig-edge-transition", "experiments.load"),
    Statement("table:main", "Table 1", "statistics of Figure 3",
              "fig-main-tails", "experiments.compare"),
    Statement("table:smaller-eps", "Table 2", "statistics of Figure 4",
              "fig-small-scatter", "experiments.compare"),
    Statement("table:arms", "Table 3", "the twenty arms",
              "fig-edge-arms", "paper.TWENTY_ARMS"),
    Statement("table:additional", "Table 4", "statistics of Figure 5",
              "fig-edge-p", "experiments.compare"),
]  # fmt: skip


def checks(root):
    """{claim: [(test, how, outcome), …]} of the last run of all tests."""
    found = {}
    for test, record in json.loads(Path(root, RESULTS).read_text("utf-8")).items():
        for claim, how in record["claims"].items():
            found.setdefault(claim, []).append((test, how, record["outcome"]))
    return found


def table(root):
    """The ledger as the lines of a MyST table."""
    found = checks(root)
    yield from ["::::{list-table}", ":header-rows: 1", ":widths: 15 30 55", ""]
    yield from ["* - In the paper", "  - Statement and code", "  - Checked by"]
    for statement in STATEMENTS:
        role = "numref" if statement.label.startswith("fig-") else "prf:ref"
        yield f"* - {statement.paper}"
        yield f"  - {statement.title}" + (
            f", {{{role}}}`{statement.label}`" if statement.label else ""
        )
        if statement.code:
            yield from ["", f"    `{statement.code}`"]
        yield from _checked_by(found.get(statement.claim, []))
    yield "::::"


def _checked_by(tests):
    """How many tests there are of each kind, and each of them, folded."""
    outcomes = [outcome for _, _, outcome in tests]
    passed = outcomes.count("passed")
    yield f"  - {passed} of {len(tests)} tests passed"
    yield from ["", "    :::{dropdown} Which"]
    yield from (f"    - `{test}`: {how}; {outcome}" for test, how, outcome in tests)
    yield "    :::"


class Ledger(SphinxDirective):
    """Put the table in the place of the directive."""

    def run(self):
        root = Path(self.env.srcdir)
        self.env.note_dependency(str(root / RESULTS))
        container = nodes.container(classes=["ledger"])
        self.state.nested_parse(list(table(root)), self.content_offset, container)
        return container.children


def setup(app):
    app.add_directive("ledger", Ledger)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
