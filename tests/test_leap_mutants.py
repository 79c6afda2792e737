"""Every known way to lose exactness, put into the leap engine on purpose, is caught.

A mistake is an edit of the source text. The engine with the mistake must fail a check
that the real one passes.
"""

import ast
import importlib.util
import re
import sys
from itertools import chain, count
from pathlib import Path

import pytest
from support import leap_checks as checks

from lenient import EpsTS, leap

FILES = ("beta", "borrow", "duel", "leap")  # of the engine, each imports those before it
SOURCES = {name: Path(leap.__file__).with_stem(name).read_text("utf-8") for name in FILES}
NUMBER = count()


def parts(texts):
    """{name: (its definition, the names that it uses)} of all that the files define."""
    found = {}
    for statement in chain.from_iterable(ast.parse(text).body for text in texts.values()):
        names = [node for node in ast.walk(statement) if isinstance(node, ast.Name)]
        made = {node.id for node in names if isinstance(statement, ast.Assign)}
        made &= {node.id for node in names if isinstance(node.ctx, ast.Store)}
        made |= {statement.name} if hasattr(statement, "name") else set()
        used = {node.id for node in names}
        found |= {name: (ast.unparse(statement), used) for name in made}
    return found


def touched(texts):
    """The names whose definition is edited, or that use such a name, directly or not."""
    before, after = parts(SOURCES), parts(texts)
    found = {name for name in after if name not in before or after[name][0] != before[name][0]}
    while more := {name for name, (_, used) in after.items() if used & found} - found:
        found |= more
    return found


def mistaken(tmp_path, *edits):
    """The engine with its text edited, and not kept. Every edit must fit.

    What an edit does not touch is that of the engine itself, which is compiled already.
    """
    texts, number = dict(SOURCES), next(NUMBER)
    for old, new in [("KEPT = True", "KEPT = False"), *edits]:
        assert any(old in text for text in texts.values()), f"the engine has no line {old!r}"
        texts = {name: text.replace(old, new) for name, text in texts.items()}
    anew = touched(texts)
    for name, text in texts.items():
        alias = f"mistaken_{number}_"
        text = re.sub(rf"from lenient\.({'|'.join(FILES)}) ", rf"from {alias}\1 ", text)
        file = tmp_path / f"{alias}{name}.py"
        file.write_text(text, encoding="utf-8")
        spec = importlib.util.spec_from_file_location(alias + name, file)
        module = importlib.util.module_from_spec(spec)
        sys.modules[alias + name] = module
        spec.loader.exec_module(module)
        real = vars(sys.modules[f"lenient.{name}"])
        shared = (parts({name: SOURCES[name]}).keys() & real.keys()) - anew
        vars(module).update({each: real[each] for each in shared})
    return module


def candidate(name):
    return lambda module: checks.check_candidate(module, **checks.CANDIDATES[name])


def highest(name):
    return lambda module: checks.check_highest(module, *checks.HIGHEST[name])


def state(name, tuning="usual"):
    return lambda module: checks.check_from_state(
        module, *checks.STATES[name], checks.TUNINGS[tuning]
    )


def duel(name):
    return lambda module: checks.check_duel_round(module, **checks.DUELS[name])


def steps(eps):
    return lambda module: checks.check_steps(module, eps, 3000)


def envelope(*numbers):
    return lambda module: checks.check_envelope(module, *numbers)


SLOPE_CHECK = "    if not slope > 0:"
LOG_GAMMA = [
    ("    scale = math.log(", "    return (\n"
     "        wins * math.log(x) + losses * math.log1p(-x) + math.lgamma(n + 2)\n"
     "        - math.lgamma(alpha) - math.lgamma(beta)\n    )\n"
     "    scale = math.log("),
]  # fmt: skip

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
        [("    if boring < min(", "    if rounds < f + 2:\n"
          "        rounds = rounds_until_failure(rng, f, mean, left)\n    if boring < min(")],
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
        [("    return leader, rounds, rounds - f, 0.0\n\n\n@njit\ndef candidate",
          "    wins = rng.binomial(rounds, mean)\n"
          "    return leader, rounds, wins, 0.0\n\n\n@njit\ndef candidate")],
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
        state("a clear leader", "eager"),
    ),
    # the candidate round
    "the leader is never low": (
        [("            total += low_tail(arms[a], f, x)\n",
          "            low_tail(arms[a], f, x)\n            arms[a].weight = 0.0\n")],
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
        [("                    arm = candidate(rng, arms, arm, x)",
          "                    arm = candidate(rng, arms, leader, x)\n"
          "                    if arm == leader:\n"
          "                        continue")],
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
        [("    arm.tail_slope, arm.crowd = 0, False\n", "    arm.crowd = False\n")],
        highest("not far behind"),
    ),
    # the envelope
    "the bound is taken at the start of the block": (
        [("    beta = arm.beta + f - 1\n", "    beta = arm.beta\n")],
        envelope(40, 30, 12, 0.45, 0, 11),
    ),
    "x above the worst mean": (
        [("    if not x < arm.alpha / (arm.alpha + beta):\n        return math.inf\n", "")],
        envelope(20, 1, 1, 0.96, 5, 0),
    ),
    "x below another arm's mode": (
        [(SLOPE_CHECK, "    slope = abs(slope)\n    if slope == 0:")],
        lambda module: checks.check_no_box(module, (200, 60), (8, 9), 1, 0.2),
    ),
    "a slope of 0": (
        [(SLOPE_CHECK, "    if not slope >= 0:")],
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
    # the duel
    "h falls with a win": ([("        h += g / a\n", "        h -= g / a\n")], steps(0)),
    "g is not kept up to date": (
        [("        g *= (b + d) * (a + b) / ((a + b + c + d) * b)\n", "")], steps(0)),
    "α and β change places in g": (
        [("g *= (a + c) * (a + b) / ((a + b", "g *= (b + d) * (a + b) / ((a + b")], steps(0)),
    "β does not go back": (
        [("b / ((b + d) * (a + b))\n        h += g / b\n", "b / ((b + d) * (a + b))\n")],
        steps(0.2)),
    "the sum stops too early": (
        [("step * i < 1e-17 * total", "step < 1e-6 * total")],
        lambda module: checks.check_chance_to_win(module, 300, 200, 310, 190)),
    "h of other arms": (
        [("    if duel.first == first and duel.second == second:", "    if duel.first >= 0:")],
        checks.check_meet),
    "h is stale": (
        [("h, g = shift(duel.h, duel.g, duel.a, duel.b, duel.c, duel.d, a, b)",
          "h, g = duel.h, duel.g")],
        checks.check_meet),
    "the second arm's steps are taken from the first's old state": (
        [("rest, g = shift(1 - h, g, duel.c, duel.d, a, b, c, d)",
          "rest, g = shift(1 - h, g, duel.c, duel.d, duel.a, duel.b, c, d)")],
        checks.check_meet),
    "the winner is found the wrong way round": (
        [("duel.first, duel.second, duel.h = first, second, 1 - duel.h",
          "duel.first, duel.second = first, second")],
        checks.check_meet),
    "a candidate in which the other leader wins is accepted": (
        [("    if (mine > his) != first_wins:\n        return winner\n", "")],
        duel("two bystanders")),
    "a duel's candidates are not thinned": (
        [("if -rng.standard_exponential() > density - envelope:", "if False:")],
        duel("one bystander")),
    "a duel's round with two ways is found twice": (
        [("if rng.random() * ways >= 1 or", "if")], duel("two bystanders")),
    "both leaders are never low": (
        [("    return high + low * also", "    return high")], duel("a high threshold")),
    "half of the candidates are forgotten": (
        [("if u < chance or u >= 1 - chance:", "if u < chance:")], duel("one bystander")),
    "in a duel, h rises with the second arm's win": (
        [("h -= g * part_c", "h += g * part_c")], state("two close", "duel")),
    "in a duel, g takes the wrong arm's plays": (
        [("g *= (b + d) * (c + d) * part_d", "g *= (b + d) * (a + b) * part_d")],
        state("two close", "long duels")),
    "in a duel, a fraction is not made anew": (
        [("                part_b = 1 / b\n", "")], state("two close", "long duels")),
    "the wrong reward of a duel": (
        [("won = u - h < mean_two * (1 - chance - h)", "won = u - h < mean_two * (1 - h)")],
        state("three bystanders", "duel")),
    "a duel goes on above 1−ε": (
        [("if to < 1 or (to == 1 and over > 0) or up > a + 8:", "if to < 1 or up > a + 8:")],
        state("a duel up to 1−ε", "duel")),
    "the remainder of ⌊S/(1−ε)⌋ is forgotten": (
        [("                over += part\n", "")], state("a duel up to 1−ε", "duel")),
    "a bystander that has been played keeps its old tail": (
        [("                update(game, arms[arm])\n                ended = True\n"
          "                break\n",
          "                update(game, arms[arm])\n                continue\n")],
        state("an underrated bystander", "long duels")),
    "the box of a duel outlives its failures": (
        [("                ended = f == 0\n", ""),
         ("                ended = k == 0\n", ""),
         ("    beta = arm.beta + f - 1\n", "    beta = arm.beta\n")],
        state("two falling leaders", "long duels")),
    # the crowd
    "the crowd is never above y": (
        [("    if rng.random() < crowd[0].weight:", "    if False:")], highest("a crowd")),
    "the crowd does not matter below y": (
        [("    if below and top < y:", "    if False:")], highest("a low leader and a crowd")),
    "the crowd is drawn without the condition": (
        [("                while theta > y:", "                for _ in range(1):")],
        highest("a low leader and a wide crowd")),
    "two of the crowd above y are found twice": (
        [("    if rng.random() * above >= 1:", "    if False:")], highest("a crowd")),
    # numbers
    "log-gamma": (
        LOG_GAMMA,
        lambda module: checks.check_log_density(module, 0.5, 10**10, 10**10),
    ),
    "log-gamma, in a round": (LOG_GAMMA, candidate("as many as there can be")),
    "products up to 33 bits": (
        [("if max(a, b) < 2**31 and max(c, d) < 2**31:",
          "if max(a, b) < 2**33 and max(c, d) < 2**33:")],
        lambda module: checks.check_compare(module, 2**32, 2**31, 2**31 - 1, 2**31),
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
