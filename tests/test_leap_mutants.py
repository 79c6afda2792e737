"""Every known way to lose exactness, put into the leap engine on purpose, is caught.

A mistake is an edit of the source text. The engine with the mistake must fail a check
that the real one passes.
"""

import importlib.util
from pathlib import Path

import pytest
from support import leap_checks as checks

from lenient import EpsTS, leap

SOURCE = Path(leap.__file__).read_text(encoding="utf-8")


def mistaken(tmp_path, *edits):
    """The engine's module with its text edited; compiled anew, and not kept."""
    text = SOURCE.replace("KEPT = True", "KEPT = False")
    for old, new in edits:
        assert old in text, f"the engine has no line {old!r}"
        text = text.replace(old, new)
    file = tmp_path / "mistaken_leap.py"
    file.write_text(text, encoding="utf-8")
    spec = importlib.util.spec_from_file_location("mistaken_leap", file)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def candidate(name):
    return lambda module: checks.check_candidate(module, **checks.CANDIDATES[name])


def highest(name):
    return lambda module: checks.check_highest(module, *checks.HIGHEST[name])


def state(name, tuning="usual"):
    return lambda module: checks.check_from_state(
        module, *checks.STATES[name], checks.TUNINGS[tuning]
    )


def envelope(*numbers):
    return lambda module: checks.check_envelope(module, *numbers)


SLOPE_CHECK = "if not arm.slope > 0:"

MISTAKES = {
    # the end of a run, and the end of the numbers
    "wins of a block that the horizon cut short": (
        [("wins_before_failure(draws, f, mean, left), CUT", "left - f, CUT")],
        lambda module: checks.check_sweep(module, percents=[83, 90]),
    ),
    "a chance that underflows": (
        [("FAINTEST = -600.0", "FAINTEST = -math.inf")],
        lambda module: checks.check_sweep(module, percents=range(40, 56), turn=1),
    ),
    # what a block remembers
    "an unlucky block is drawn again": (
        [("    boring = rng", "    if rounds < f + 2:\n"
          "        rounds = rounds_until_failure(rng, f, mean, left)\n    boring = rng")],
        checks.check_block,
    ),
    "a block that would be empty is drawn again": (
        [("    if boring < min(",
          "    if boring < 1:\n"
          "        boring = rng.standard_exponential() / -math.log1p(-chance)\n"
          "    if boring < min(")],
        lambda module: checks.check_block(module, f=3, chance=0.4),
    ),
    "rewards already looked at are drawn again": (
        [("    return leader, rounds, rounds - f, 0.0\n\n\n@njit(cache=KEPT)\ndef candidate",
          "    wins = rng.binomial(rounds, mean)\n"
          "    return leader, rounds, wins, 0.0\n\n\n@njit(cache=KEPT)\ndef candidate")],
        checks.check_block,
    ),
    "the failures before a candidate are not conditioned": (
        [("    failures = f\n    while failures >= f:", "    for _ in range(1):")],
        checks.check_block,
    ),
    "a failure may be before the last round": (
        [("alike = rounds - 1 if x == 0 else rounds", "alike = rounds")],
        state("until the first failure"),
    ),
    "wins are spread evenly": (
        [("won += wins_among(record.draws, some, alike - passed + some, wins - won)",
          "won += some * (wins - won) // (alike - passed + some)")],
        state("a clear leader"),
    ),
    # the candidate round
    "the leader is never low": (
        [("        total += arm.weight\n    return total",
          "        if a == leader:\n            arm.weight = 0.0\n"
          "        total += arm.weight\n    return total")],
        candidate("the leader low"),
    ),
    "no thinning": (
        [("if -rng.standard_exponential() > density - envelope:", "if False:")],
        candidate("after wins"),
    ),
    "thinned to the leader's chance at the start of the block": (
        [("density = log_density(theta, arm.alpha, arm.beta)",
          "density = log_density(theta, arm.alpha, arm.beta - 5.0)")],
        candidate("after failures"),
    ),
    "a round with two arms outside is found twice": (
        [("rng.random() * wrong >= 1", "False")],
        candidate("four arms"),
    ),
    "a rejected candidate is no round": (
        [("                arm = candidate(rng, arms, arm, x)",
          "                leader = arm\n"
          "                arm = candidate(rng, arms, leader, x)\n"
          "                if arm == leader:\n"
          "                    continue")],
        state("below 1−ε", "low threshold"),
    ),
    "an arm above 1−ε can lose a candidate round": (
        [("    if arms[leader].sure:\n        return leader\n", "")],
        candidate("risen above 1−ε"),
    ),
    # an ordinary round
    "an arm's tail is not thinned": (
        [("return draw_beyond(rng, arm, top, 1, height, arm.tail_slope)",
          "return top + rng.standard_exponential() / arm.tail_slope")],
        highest("one far behind"),
    ),
    "an arm's old tail is kept": (
        [("    arm.tail_slope = 0\n", "")],
        highest("one far behind"),
    ),
    # the envelope
    "the bound is taken at the start of the block": (
        [("beta, side = beta + f - 1, -1.0", "side = -1.0")],
        envelope(40, 30, 12, 0.45, 0, 11),
    ),
    "x above the worst mean": (
        [("            if not x < arm.alpha / (arm.alpha + beta):\n"
          "                return math.inf\n", "")],
        envelope(20, 1, 1, 0.96, 5, 0),
    ),
    "x below another arm's mode": (
        [(SLOPE_CHECK, "arm.slope = abs(arm.slope)\n        if arm.slope == 0:")],
        lambda module: checks.check_no_box(module, (200, 60), (8, 9), 1, 0.2),
    ),
    "a slope of 0": (
        [(SLOPE_CHECK, "if not arm.slope >= 0:")],
        lambda module: checks.check_no_box(module, (20, 1), (1, 1), 1, 0.5),
    ),
    # above 1−ε
    "sure if β < 1": (
        [("arm.sure = compare(arm.S, arm.N, game.p, game.q) > 0", "arm.sure = arm.beta < 1")],
        lambda module: checks.check_posterior(module, EpsTS(0.2), 1, 1),
    ),
    "sure at 1−ε": (
        [("game.p, game.q) > 0", "game.p, game.q) >= 0")],
        lambda module: checks.check_posterior(module, EpsTS(0.2), 10, 8),
    ),
    "⌊S/(1−ε)⌋ in floats": (
        [("quotient(arm.S, game.q, game.p)", "int(arm.S / (1 - (1 - game.p / game.q)))")],
        lambda module: checks.check_posterior(module, EpsTS(0.7), 12, 3),
    ),
    "ties go to the first": (
        [("if rng.random() * ties < 1:", "if False:")],
        state("a tie above 1−ε"),
    ),
    "one failure too many before the barrier": (
        [("arms[leader].N, 1)\n    mean", "arms[leader].N + 2, 1)\n    mean")],
        state("soon below 1−ε"),
    ),
    "the barrier is always 1−ε": (
        [("if a != leader and arms[a].sure and", "if False and")],
        state("two above 1−ε"),
    ),
    # numbers
    "log-gamma": (
        [("    scale = math.log(", "    return (\n"
          "        wins * math.log(x) + losses * math.log1p(-x) + math.lgamma(n + 2)\n"
          "        - math.lgamma(alpha) - math.lgamma(beta)\n    )\n"
          "    scale = math.log(")],
        lambda module: checks.check_log_density(module, 0.5, 10**10, 10**10),
    ),
    "means compared by products": (
        [("    sign = 1\n    while True:",
          "    sign = 1\n    return int(a * d > c * b) - int(a * d < c * b)\n    while True:")],
        lambda module: checks.check_compare(
            module, 24 * 10**8, 4 * 10**9, 23 * 10**8, 4 * 10**9
        ),
    ),
    "⌊S·q/p⌋ by a product": (
        [("if a < 2**31 and b < 2**31:", "if True:")],
        lambda module: checks.check_quotient(module, 10**12, 10**9 + 7, 10**9),
    ),
}  # fmt: skip


@pytest.mark.parametrize("mistake", MISTAKES)
def test_a_mistake_is_caught(mistake, tmp_path):
    edits, check = MISTAKES[mistake]
    check(leap)
    module = mistaken(tmp_path, *edits)  # outside: an edit that no longer fits is no catch
    with pytest.raises((AssertionError, ZeroDivisionError)):
        check(module)


@pytest.mark.parametrize("case", ["a clear leader", "three arms", "below 1−ε"])
def test_a_higher_envelope_keeps_the_law(case, tmp_path):
    """The floor under all envelopes, set so high that it is met in every box."""
    module = mistaken(tmp_path, ("FAINTEST = -600.0", "FAINTEST = -0.5"))
    checks.check_from_state(module, *checks.STATES[case], checks.TUNINGS["eager"])
