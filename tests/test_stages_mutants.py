"""Every known way to make the stage bound too low or simply wrong is caught.

A mistake is an edit of the source text. The module with the mistake must fail a check that
the real one passes.
"""

import importlib.util
import sys
from pathlib import Path

import pytest
from support import stage_checks as checks

from lenient import stages

SOURCE = Path(stages.__file__).read_text(encoding="utf-8")


@pytest.fixture
def mistaken(tmp_path, monkeypatch):
    def made(*edits):
        text = SOURCE
        for old, new in edits:
            assert text.count(old) == 1, f"{text.count(old)} times in the module: {old!r}"
            text = text.replace(old, new)
        file = tmp_path / "mistaken_stages.py"
        file.write_text(text, encoding="utf-8")
        spec = importlib.util.spec_from_file_location("mistaken_stages", file)
        module = importlib.util.module_from_spec(spec)
        monkeypatch.setitem(sys.modules, "mistaken_stages", module)  # dataclasses look there
        spec.loader.exec_module(module)
        return module

    return made


def parts(module):
    checks.check_parts(module, 5)


def many_parts(module):
    checks.check_parts(module, 70, checks.in_doubles, checks.BANDITS[:2])


def cut(module):
    checks.check_cut(module)


MISTAKES = {
    # the chance of a high score
    "no rescaling": ([("np.minimum(floor_ratio(s, r), self.n)", "s")], parts),
    "the floor is rounded up": (
        [("np.minimum(floor_ratio(s, r), self.n)",
          "np.minimum(-(-s * r.denominator // r.numerator), self.n)")], parts),
    "the floor in floats": (
        [("np.minimum(floor_ratio(s, r), self.n)",
          "np.minimum((s / (1 - (1 - float(r)))).astype(int), self.n)")],
        lambda module: checks.check_parts(module, 12, checks.in_doubles, [([0.9, 0.1], 7)])),
    "sure at 1−ε": (
        [("        self.sure = s > floor_ratio(self.n, 1 / r)\n        self.k",
          "        self.sure = (s > floor_ratio(self.n, 1 / r)) | (s == self.n * float(r))\n"
          "        self.k")],
        lambda module: checks.check_parts(module, 6, bandits=[([0.8, 0.2], 5)])),
    "one coin too few": ([("up, down = odds * first, n + 2.0 - first",
                           "up, down = odds * first, n + 1.0 - first")], parts),
    "rounded inward": ([("ROUNDING = 1e-9", "ROUNDING = -1e-9")], checks.check_chances),
    "not rounded": ([("ROUNDING = 1e-9", "ROUNDING = 0.0")], checks.check_chances),
    "upper chances start too low": (
        [("h[0] = np.where(up < down, down / (down - up), inf)", "h[0] = 1")],
        checks.check_chances),
    # rounds
    "ξ one term short": ([("weight, left = np.exp(some.log_weight), T - some.n",
                           "weight, left = np.exp(some.log_weight), T - some.n - 1")], parts),
    "ξ one term long": ([("weight, left = np.exp(some.log_weight), T - some.n",
                          "weight, left = np.exp(some.log_weight), T - some.n + 1")], parts),
    "ξ from i = 0": ([("np.exp(log_weight - log_p) * (1 - p)",
                       "np.exp(log_weight - log_p)")], parts),
    "the stage lemma without its first round": (
        [("np.expm1(left[soon] * np.log1p(-p[soon]))",
          "np.expm1((left[soon] - 1) * np.log1p(-p[soon]))")], checks.check_stage_lemma),
    "V with T draws at every count": ([("(T - some.n) * np.log1p(-p)",
                                        "T * np.log1p(-p)")], parts),
    "V with the mean number of draws": ([("-np.expm1((T - some.n) * np.log1p(-p))",
                                          "(T - some.n) * p")], parts),
    # parts
    "e for e/(1−e)": ([("return e / (1 - e)", "return e")], parts),
    "one rival too few in e": ([("return sum(many for *_, many in self.others)",
                                 "return max(sum(many for *_, many in self.others) - 1, 1)")],
                               parts),
    "Γ without the play of arm 1": ([("(weight + rounds)[bad]", "rounds[bad]")], parts),
    "W is not played again": ([("c * (self.Gamma + sum(plays))", "c * self.Gamma")], parts),
    "Γ is left out": ([("c * (self.Gamma + sum(plays))", "c * sum(plays)")], parts),
    "Z is left out": ([("game.f_max * (self.Z + again)", "game.f_max * again")], parts),
    "bad states wait for y₁": ([("rounds = np.where(bad, if_bad, rounds)", "pass")], parts),
    "W from a chance at y₁": ([("some.above(q0, delta)", "some.above(q1, delta)")], parts),
    "free arms have a V": ([("if cost > 0 or c > 0 else 0.0", "if True else 0.0"),
                            ("for N, (_, cost, _) in zip(plays, game.others) if cost > 0",
                             "for N, (_, cost, _) in zip(plays, game.others)"),
                            ("        if mu >= q0 * float(r):\n            return T\n", "")],
                           parts),
    "a public e": ([("return len(self.costs) * self.delta",
                     "return (len(self.costs) + 1) * self.delta")], checks.check_public),
    # what is cut off
    "states outside the band": ([("/ (1 - 2 * lost) + 2 * rows * lost", "")], cut),
    "rows of W after the last": ([("_outward(W, rows) + rest(rows)", "_outward(W, rows)")],
                                 cut),
    "rows of Z and Γ after the last": ([("_outward(s, rows) + rest for s",
                                         "_outward(s, rows) for s")], cut),
    "no waits in the rest": ([("2 / (1 - q) * _rest_of_misses(first, q, mu, r) + unlucky",
                               "unlucky")], cut),
    "no lucky rows in the rest of W": ([("rests = _geometric(first, kl(x, mu)) + until + ever",
                                         "rests = until + ever")], cut),
    "no draws in the rest of V": ([("kl(x, mu)) + until + ever", "kl(x, mu)) + until")], cut),
    "no rows above δ in the rest of W": ([("kl(x, mu)) + until + ever", "kl(x, mu)) + ever")],
                                         cut),
    "the lowest states of arm 1": ([("LOST + log(T)", "LOST / 8")], many_parts),
    # the closed form
    "2 is 1 in C": ([("return 2 / ((1 - q) * a", "return 1 / ((1 - q) * a")],
                    checks.check_closed_form),
    "β for β²": ([("a * (2 - a)", "a")], checks.check_closed_form),
    "d without the rescaling": ([("log(game.T) / kl(x / r, y / r)", "log(game.T) / kl(x, y)")],
                                checks.check_closed_form),
    "one play is lost": ([("+ 1 / kl(x, mean) + 1\n", "+ 1 / kl(x, mean)\n")],
                         checks.check_closed_form),
}  # fmt: skip


@pytest.mark.parametrize("mistake", MISTAKES)
def test_a_mistake_is_caught(mistake, mistaken):
    edits, check = MISTAKES[mistake]
    module = mistaken(*edits)  # outside: an edit that no longer fits is no catch
    with pytest.raises(AssertionError):
        check(module)


# In one order: each of the processes that test has sets of functions in an order of its own.
CHECKS = list(dict.fromkeys([parts, cut, *(check for _, check in MISTAKES.values())]))


@pytest.mark.parametrize("check", CHECKS)
def test_the_checks_pass_without_a_mistake(check):
    check(stages)
