"""The ledger: every numbered statement of the paper, how it stands, and what checks it.

The directive `{ledger}` on the page `chapters/ledger.md` becomes a table: the statement,
its place in the book, the code that computes it, how it stands, its slips, and the tests
that are marked `@pytest.mark.claim("…", how="…")` for it. Which those are, and how they
ended, is written to `chapters/ledger.json` by the tests themselves, whenever `make test`
runs them all. How a statement stands is said here, by hand: no test proves a theorem.
`{ledger} beyond` is the same for what the book adds to the paper.
"""

import json
from pathlib import Path
from typing import NamedTuple

from docutils import nodes
from sphinx.util.docutils import SphinxDirective, SphinxRole

RESULTS = "chapters/ledger.json"
NOTES = "chapters/reading-notes"

PROVED = "proved here and checked"
CONDITION = "holds under a stated condition"
REPAIRED = "slip, repaired"
REFUTED = "refuted"
OPEN = "open"
DEFINED = "definition"
MEASURED = "measured again"
CLASSES = {
    PROVED: "proved", CONDITION: "condition", REPAIRED: "repaired", REFUTED: "refuted",
    OPEN: "open", DEFINED: "plain", MEASURED: "plain",
}  # fmt: skip


class Statement(NamedTuple):
    claim: str  # the name that tests use
    paper: str  # its number in the paper; beyond it, the chapter that tells it
    title: str
    label: str  # where it is in the book: the label of a block, section or figure
    code: str  # the function that computes it
    status: str
    slips: tuple = ()  # of the reading notes: in the statement, in its proof, beside it
    proof: str = ""  # the label of the block or page whose proof it rests on, if another


STATEMENTS = [
    Statement("definition:gap-function", "Definition 1", "ε-gap functions and lenient regret",
              "def-gap-function", "gaps.GapFunction", DEFINED),
    Statement("claim:average", "Claim 1", "standard regret is average indicator regret",
              "clm-average", "gaps.indicator", PROVED, ("missing-expectation",)),
    Statement("theorem:lower-bound", "Theorem 1", "the lower bound",
              "thm-lower-bound", "bounds.lower_bound", PROVED,
              ("liminf-with-T", "supremum-is-one-over-kinf")),
    Statement("slip:no-free-lunch-range", "After Theorem 1",
              "who meets the bound for ε is inconsistent for every ε′ < ε: if ε + ε′ < 1",
              "prop-no-free-lunch", "", CONDITION, ("no-free-lunch-range",)),
    Statement("algorithm:eps-ts", "Algorithm 1", "ε-TS",
              "alg-eps-ts", "policies.EpsTS", REPAIRED, ("update-of-other-arms",)),
    Statement("theorem:upper-bound-asymptotic", "Theorem 2", "the asymptotic upper bound",
              "thm-upper-bound", "bounds.upper_bound", PROVED, ("index-of-the-maximum",),
              "app-every-bandit"),
    Statement("theorem:finite-time", "Theorem 3",
              "the finite-time upper bound: if 0 < ε and no other gap is ε or less",
              "thm-finite-time", "finite_time.finite_time_bound", CONDITION,
              ("eta-power", "C-b-depends-on-K", "epsilon-zero"), "prop-decomposition"),
    Statement("proposition:optimal-arm-count", "Proposition 2", "the best arm is played often",
              "prop-optimal-arm-count", "finite_time.log_C_b", REPAIRED,
              ("pigeonhole", "last-pause", "count-of-j", "number-of-stretches",
               "saturated-at-time-s", "free-index", "C-b-depends-on-K")),
    Statement("lemma:mean-deviation", "Lemma 3", "plays at too high an empirical mean",
              "lem-mean-deviation", "divergence.kl", PROVED),
    Statement("lemma:optimal-low-high", "Lemma 4", "a high best arm that looks low",
              "lem-optimal-low-high", "finite_time.log_L1", PROVED, (), "app-known-looks-good"),
    Statement("lemma:theta-high", "Lemma 5", "plays of a bad arm beside a good draw",
              "lem-theta-high", "finite_time.max_ratio", PROVED, ("decomposition-reference",),
              "app-theta-high"),
    Statement("lemma:theta-low", "Lemma 6", "low draws of the best arm",
              "lem-theta-low", "finite_time.log_L2", PROVED,
              ("hoeffding-factor", "misplaced-division", "double-count-L2")),
    Statement("lemma:comparison", "Lemma 7", "the two divergences compared",
              "lem-comparison", "divergence.scaled_kl", PROVED, ("equality-in-h",),
              "thm-comparison-by-gap"),
    Statement("definition:saturated", "Definition 2", "saturated arms and interruptions",
              "def-saturated", "finite_time.saturation_level", DEFINED),
    Statement("lemma:long-interval", "Lemma 8", "the best arm's draws in a long interval",
              "lem-long-interval", "finite_time.log_C_lambda", PROVED,
              ("posterior-index", "y-below-mu1")),
    Statement("lemma:saturated-theta", "Lemma 9", "draws of a saturated arm",
              "lem-saturated-theta", "finite_time.saturation_level", PROVED,
              ("beta-binomial-parameter", "misplaced-square", "equality-signs")),
    Statement("lemma:x-increases", "Lemma 10", "the solution x_c(p, q)",
              "lem-x-increases", "finite_time.x_ac", PROVED, ("x-derivative",)),
    Statement("lemma:scaling", "Lemma 11", "the divergence under scaling",
              "lem-scaling", "divergence.scaled_kl", PROVED),
    Statement("corollary:both-bounds", "Appendix E.4", "both comparisons at once",
              "cor-both-bounds", "divergence.scaled_kl", PROVED, (), "lem-scaling"),
    Statement("fact:beta-binomial", "Fact 1", "Beta and Binomial tails",
              "fact-beta-binomial", "", PROVED),
    Statement("fact:hoeffding", "Fact 2", "Hoeffding's inequality",
              "fact-hoeffding", "", PROVED),
    Statement("fact:chernoff", "Fact 3", "the Chernoff–Hoeffding bound",
              "fact-chernoff", "divergence.kl", PROVED, (), "fact-hoeffding"),
    Statement("slip:coupling-of-small-gap-arms", "Appendix D.1",
              "after every history, a further arm with a small gap cannot hurt",
              "arg-small-gap-arms", "policies.EpsTS", REFUTED,
              ("coupling-of-small-gap-arms",)),
    Statement("argument:small-gap-arms", "Appendix D.1",
              "on average, a further arm with a small gap cannot raise the lenient regret",
              "arg-small-gap-arms", "policies.EpsTS", OPEN, ("coupling-of-small-gap-arms",)),
    Statement("figure:gap-functions", "Figure 1", "the gap functions",
              "fig-gap-functions", "gaps", MEASURED),
    Statement("figure:ratio", "Figure 2", "the ratio of the bounds",
              "fig-ratio", "bounds.standard_bound", MEASURED, ("expectation-in-comparison",)),
    Statement("figure:main", "Figure 3", "the main experiment",
              "fig-main-hinge", "experiments.load", MEASURED),
    Statement("figure:smaller-eps", "Figure 4", "smaller ε",
              "fig-small-hinge", "experiments.load", MEASURED),
    Statement("figure:additional", "Figure 5", "edge cases, long run, twenty arms",
              "fig-edge-transition", "experiments.load", MEASURED, ("panel-cited-twice",)),
    Statement("table:main", "Table 1", "statistics of Figure 3",
              "fig-main-tails", "experiments.compare", MEASURED, ("printed-maximum",)),
    Statement("table:smaller-eps", "Table 2", "statistics of Figure 4",
              "fig-small-scatter", "experiments.compare", MEASURED),
    Statement("table:arms", "Table 3", "the twenty arms",
              "fig-edge-arms", "paper.TWENTY_ARMS", MEASURED),
    Statement("table:additional", "Table 4", "statistics of Figure 5",
              "fig-edge-p", "experiments.compare", MEASURED),
]  # fmt: skip

BEYOND = [
    Statement("beyond:by-gap", "Chapter 5", "the two divergences compared, gap by gap",
              "thm-comparison-by-gap", "divergence.scaled_kl", PROVED),
    Statement("beyond:best-constant", "Chapter 5", "the best constant for each ε",
              "thm-best-constant", "divergence.scaled_kl", PROVED, (), "app-kl-best-constant"),
    Statement("beyond:leap", "Chapter 7", "rounds are skipped, and the law stays",
              "thm-leap", "leap", PROVED, (), "app-leap-theorem"),
    Statement("beyond:attained", "Chapter 8", "ε-TS attains its upper bound",
              "prop-attained", "bounds.upper_bound", PROVED, (), "app-attained"),
    Statement("beyond:every-rate", "Chapter 13", "the rate of ε-TS on every bandit",
              "thm-every-rate", "bounds.upper_bound", PROVED, (), "app-every-bandit"),
    Statement("beyond:every-bounded", "Chapter 13", "bounded plays of ε-TS on every bandit",
              "thm-every-bounded", "policies.EpsTS", PROVED, (), "app-every-bandit"),
    Statement("beyond:boundary", "Chapter 13", "several good arms share the burden",
              "thm-every-boundary", "bounds.tail_exponent", PROVED),
    Statement("beyond:converse", "Chapter 13", "below the boundary, a power of T",
              "prop-every-converse", "bounds.tail_exponent", PROVED),
    Statement("beyond:one-level", "Chapter 13", "a finite-time bound with one level",
              "thm-one-level", "stages.stage_bound", PROVED),
    Statement("beyond:closed-form", "Chapter 13", "a closed form of it",
              "thm-closed-form", "stages.stage_bound", PROVED),
    Statement("beyond:two-levels", "Chapter 13", "a finite-time bound with two levels",
              "thm-two-levels", "stages.stage_bound", PROVED),
    Statement("beyond:shift-rate", "Chapter 14", "ε-KL-UCB meets the lower bound",
              "thm-shift-rate", "policies.EpsKLUCB", PROVED, (), "app-eps-kl-ucb"),
    Statement("beyond:shift-bounded", "Chapter 14", "ε-KL-UCB above the ceiling: bounded",
              "thm-shift-bounded", "policies.EpsKLUCB", PROVED, (), "app-eps-kl-ucb"),
    Statement("beyond:shift-tail", "Chapter 14", "the exponent of its tail",
              "thm-shift-tail", "policies.EpsKLUCB", PROVED, (), "app-eps-kl-ucb"),
    Statement("beyond:shift-price", "Chapter 14", "every rule at the bound has such a tail",
              "thm-shift-price", "", PROVED, (), "app-eps-kl-ucb"),
    Statement("beyond:g-lower", "Chapter 15", "the lower bound for any leniency",
              "thm-g-lower", "bounds.leniency_bound", PROVED),
    Statement("beyond:g-rate", "Chapter 15", "the rate of discounted optimism",
              "thm-g-rate", "leniency.LenientKLUCB", PROVED, (), "app-every-leniency"),
    Statement("beyond:g-bounded", "Chapter 15", "its plays above the ceiling: bounded",
              "thm-g-bounded", "leniency.LenientKLUCB", PROVED, (), "app-every-leniency"),
    Statement("beyond:threshold", "Chapter 15", "a threshold within reach: bounded plays",
              "thm-threshold-bounded", "leniency.LenientKLUCB", PROVED),
    Statement("beyond:factor", "Chapter 15", "ε-TS and leniency by a factor: within 4",
              "cor-every-factor", "policies.EpsTS", PROVED),
    Statement("beyond:top", "Chapter 15", "the lower bound for the top m",
              "thm-top-bound", "bounds.top_bound", PROVED),
    Statement("beyond:search", "Chapter 16", "search, then stay",
              "prop-search-stay", "", PROVED),
    Statement("beyond:sweep", "Chapter 16", "sweeping: bounded regret",
              "prop-sweep", "", PROVED),
    Statement("beyond:index", "Chapter 17", "the index of rewards is a minimum",
              "prop-index-minimum", "rewards.kinf_ucb", PROVED),
    Statement("beyond:weights", "Chapter 17", "a weighted mean is seldom large",
              "prop-weighted-tail", "rewards.LenientNPTS", PROVED),
    Statement("beyond:rewards", "Chapter 17", "policies that see rewards meet the lower bound",
              "ex-rewards-proof", "rewards.KinfUCB", OPEN),
    Statement("beyond:hedge", "Chapter 18", "Hedge with a fixed leniency",
              "prop-hedge", "", PROVED),
]  # fmt: skip


def checks(root):
    """{claim: [(test, how, outcome), …]} of the last run of all tests."""
    found = {}
    for test, record in json.loads(Path(root, RESULTS).read_text("utf-8")).items():
        for claim, how in record["claims"].items():
            found.setdefault(claim, []).append((test, how, record["outcome"]))
    return found


def table(root, statements=STATEMENTS, where="In the paper"):
    """The ledger as the lines of a MyST table."""
    found = checks(root)
    yield from ["::::{list-table}", ":header-rows: 1", ":widths: 14 34 22 30", ""]
    yield from [f"* - {where}", "  - Statement and code"]
    yield from ["  - How it stands", "  - Checked by"]
    for statement in statements:
        yield f"* - {statement.paper}"
        yield f"  - {statement.title}, {_place(statement.label)}"
        if statement.code:
            yield from ["", f"    `{statement.code}`"]
        yield f"  - {{status}}`{statement.status}`"
        if statement.proof:
            yield from ["", f"    by {_place(statement.proof)}"]
        if statement.slips:
            links = ", ".join(f"{{slip}}`{name}`" for name in statement.slips)
            yield from ["", f"    notes: {links}"]
        yield from _checked_by(found.get(statement.claim, []))
    yield "::::"


def _place(label):
    kinds = {"fig": "numref", "app": "ref", "ex-": "ref"}
    return f"{{{kinds.get(label[:3], 'prf:ref')}}}`{label}`"


def _checked_by(tests):
    """How many tests there are, and each of them, folded."""
    outcomes = [outcome for _, _, outcome in tests]
    passed = outcomes.count("passed")
    yield f"  - {passed} of {len(tests)} tests passed"
    yield from ["", "    :::{dropdown} Which"]
    yield from (f"    - `{test}`: {how}; {outcome}" for test, how, outcome in tests)
    yield "    :::"


class Ledger(SphinxDirective):
    """Put the table in the place of the directive."""

    optional_arguments = 1

    def run(self):
        root = Path(self.env.srcdir)
        self.env.note_dependency(str(root / RESULTS))
        chosen = (BEYOND, "In the book") if self.arguments else (STATEMENTS, "In the paper")
        container = nodes.container(classes=["ledger"])
        self.state.nested_parse(list(table(root, *chosen)), self.content_offset, container)
        return [container]


class Status(SphinxRole):
    """The words of a status, with a class for their colour."""

    def run(self):
        classes = ["ledger-status", f"ledger-{CLASSES[self.text]}"]
        return [nodes.inline("", self.text, classes=classes)], []


class Slip(SphinxRole):
    """A link to the slip in the reading notes."""

    def run(self):
        address = f"{Path(NOTES).name}.html#slip-{self.text}"
        return [nodes.reference("", self.text, refuri=address, internal=True)], []


def name_slips(app, doctree):
    """In the reading notes, `slip:…` is a place that the ledger links to."""
    if app.env.docname == NOTES:
        named = set()
        for literal in doctree.findall(nodes.literal):
            name = literal.astext().replace("slip:", "slip-")
            if literal.astext().startswith("slip:") and name not in named:
                literal["ids"].append(name)
                named.add(name)


def setup(app):
    app.add_directive("ledger", Ledger)
    app.add_role("status", Status())
    app.add_role("slip", Slip())
    app.connect("doctree-read", name_slips)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
