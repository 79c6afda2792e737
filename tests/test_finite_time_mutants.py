"""Every constant of the finite-time theorem, made wrong on purpose, is caught.

A mistake is an edit of the source text. The module with the mistake must fail a check that
the real one passes.
"""

import importlib.util
from functools import cache
from pathlib import Path

import pytest
from support import finite_time_checks as checks

from lenient import finite_time

SOURCE = Path(finite_time.__file__).read_text(encoding="utf-8")


def mistaken(tmp_path, *edits):
    """The module with its text edited."""
    text = SOURCE
    for old, new in edits:
        assert text.count(old) == 1, f"{text.count(old)} times in the module: {old!r}"
        text = text.replace(old, new)
    file = tmp_path / "mistaken_finite_time.py"
    file.write_text(text, encoding="utf-8")
    spec = importlib.util.spec_from_file_location("mistaken_finite_time", file)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


OVER_j = "always = np.logaddexp(0, b * log_t) + x * log_u"

MISTAKES = {
    # Lemma 8
    "y without 1/(1−ε)": ([("/ 2 / ceiling(eps)", "/ 2")], checks.check_lemma8),
    "y not half way": ([("(decimal(mu2) + top) / 2", "(decimal(mu2) + top) / 3")],
                       checks.check_lemma8),
    "u with y for 1−y": ([("return 0.5 ** _lemma8(mu1, mu2, eps).y_bar",
                           "return 0.5 ** _lemma8(mu1, mu2, eps).y")], checks.check_lemma8),
    "λ₀ with d(μ₁, y)": ([("float(kl(y, mu1))", "float(kl(mu1, y))")], checks.check_lemma8),
    "λ₀ with half of the entropy": ([("entr([y, y_bar])", "entr([y])")],
                                    checks.check_lemma8),
    "d_λ with (λ−1)/2": ([("y.divergence - (lam - 1)", "y.divergence - (lam - 1) / 2")],
                         checks.check_lemma8),
    "R_λ without the power": ([("+ lam * (log(y.y_bar)", "+ (log(y.y_bar)")],
                              checks.check_lemma8),
    "C_λ without e": ([("log(lam) - 1 - log(", "log(lam) - log(")], checks.check_lemma8),
    "C_λ without (1−y)^λ": ([("lam * (log(lam) - 1 - log(_lemma8(mu1, mu2, eps).y_bar))",
                              "lam * (log(lam) - 1)")], checks.check_lemma8),
    "C_λ without R/(R−1)": ([("return power - log(-expm1(-log_R))", "return power")],
                            checks.check_lemma8),
    # Proposition 2: what its constants are made of
    "C_a with 8 for 32": ([("return 32 / float", "return 8 / float")],
                          checks.check_saturation_level),
    "C_a without the square": ([("decimal(eps)) ** 2\n", "decimal(eps))\n")],
                               checks.check_saturation_level),
    "C_a with the gap for gap−ε": ([("decimal(mu1) - decimal(mu_a) - decimal(eps)) ** 2",
                                     "decimal(mu1) - decimal(mu_a)) ** 2")],
                                   checks.check_saturation_level),
    "as many pauses as plays": ([("return printed - np.log1p(np.exp(-b * log_t))",
                                  "return printed")], checks.check_pause),
    "z without its −1": ([("+ np.log(-np.expm1(-(1 - b) * log_t))", "")], checks.check_pause),
    "L₀ᵍ with 2K": ([("2 * arms) + 1)", "2 * arms) + 0)")], checks.check_L0g),
    "L₀ᵍ as printed": ([("(arms if pigeonhole == \"printed\" else 2 * arms)", "(arms)")],
                       checks.check_L0g),
    "L₀ʰ with K for K²": ([("arms**2 * (rate * log_t + 1)", "arms * (rate * log_t + 1)")],
                          checks.check_L0h),
    "L₀ʰ without the floor's 1": ([("(rate * log_t + 1)", "(rate * log_t)")],
                                  checks.check_L0h),
    "L₀ʰ one round early": ([("log(ceil(exp(s)))", "log(ceil(exp(s)) - 1)")], checks.check_L0h),
    "Lemma 9 once": ([("float(2 * (arms - 1) ** 2", "float((arms - 1) ** 2")],
                     checks.check_saturated_but_high),
    "K−1 not squared": ([("float(2 * (arms - 1) ** 2", "float(2 * (arms - 1)")],
                        checks.check_saturated_but_high),
    "⌊t^b⌋ values of j": ([("zeta([2 - b, 2])", "zeta([2 - b])")],
                          checks.check_saturated_but_high),
    "g with z for z/K": ([("problem.pigeonhole) - log(problem.arms)", "problem.pigeonhole)")],
                         checks.check_g_and_h),
    "h with C₂ for K·C₂": ([("np.log(problem.arms * _sat", "np.log(_sat")],
                           checks.check_g_and_h),
    "h with z/(K·C₂)": ([("level = problem.arms**2 *", "level = problem.arms *")],
                        checks.check_g_and_h),
    "u^x for one j": ([(OVER_j, "always = x * log_u")], checks.check_g_and_h),
    "j from 1 on": ([("count = 1 + np.exp(", "count = np.exp(")], checks.check_g_and_h),
    "x^−1 for x^−λ": ([("- lam * log_x", "- log_x")], checks.check_g_and_h),
    "w for ⌊w⌋": ([("np.expm1(np.minimum(log_w, 700))", "np.exp(np.minimum(log_w, 700))")],
                  checks.check_g_and_h),
    # Proposition 2: C_b
    "C_b without L₀": ([("[log_L0, unlikely, g_and_h]", "[unlikely, g_and_h]")],
                       checks.check_C_b),
    "C_b without Lemma 9": ([("[log_L0, unlikely, g_and_h]", "[log_L0, g_and_h]")],
                            checks.check_C_b),
    "C_b without its sums": ([("[log_L0, unlikely, g_and_h]", "[log_L0, unlikely]")],
                             checks.check_C_b_is_a_bound),
    "C_b without g": ([("np.logaddexp(k_h, log_g(log_t, b, lam, problem, log_s=before))",
                        "k_h")], checks.check_C_b),
    "C_b with h once": ([("k_h = log(problem.arms) + log_h", "k_h = log_h")],
                        checks.check_C_b),
    "the integral for the sum": ([("np.maximum(log_t + np.log1p(-np.exp(-log_t)), log_L0)",
                                   "log_t")], checks.check_C_b),
    "the integral cut off": ([("(80 + 40 * (1 + lam)) / rho", "2 / rho")], checks.check_C_b),
    "C_b = e⁷": ([("return float(np.logaddexp.reduce([log_L0, unlikely, g_and_h]))",
                   "return 7.0")], checks.check_C_b),
    # Lemmas 4, 5 and 6
    "L₁ with ln t": ([("_log_last_after_power(b, 2 / divergence, 1)",
                       "_log_last_after_power(b, 1 / divergence, 1)")], checks.check_L1),
    "L₁ without its 1": ([("2 / divergence, 1)", "2 / divergence, 0)")], checks.check_L1),
    "L₁ with d(μ₁, 1−ε)": ([("divergence = float(kl(level, mu1))",
                             "divergence = float(kl(mu1, level))")], checks.check_L1),
    "L₁ with t for t−1": ([("float(np.logaddexp(0, log(rate * log_t + offset) / b))",
                            "log(rate * log_t + offset) / b")], checks.check_L1),
    "L₂ with 6 for 24": ([("b, 24 / square, 0)", "b, 6 / square, 0)")], checks.check_L2),
    "L₂ with 1/ε": ([("float(check_eps(eps)) ** 2", "float(check_eps(eps))")],
                    checks.check_L2),
    "L₂ = e⁷⁰⁰": ([("return _log_last_after_power(b, 24 / square, 0) if square else inf",
                    "return 700.0 if square else inf")], checks.check_L2),
    "η without its 2": ([("np.log(24 * log_t)", "np.log(6 * log_t)")], checks.check_eta),
    "η with t^b": ([("- b * log_previous", "- b * log_t")], checks.check_eta),
    "η below μ₁−ε": ([("np.where(drop < float(eps), mu1 - drop, floor)", "mu1 - drop")],
                     checks.check_eta),
    "x_{a,c} with (1+c)²": ([("> whole / (1 + c)\n", "> whole / (1 + c) ** 2\n")],
                            checks.check_x_ac),
    "x_{a,c} without the scaling": ([("short = scaled_kl(middle, top, eps)",
                                      "short = kl(middle, top)")], checks.check_x_ac),
    "M_a at T alone": ([("    low, high = np.array([from_L2]), np.array([log_T])\n",
                         "    return log_T / float(_kl_to_eta(log_T, mu1, mu_a, eps, b))\n"
                         "    low, high = np.array([from_L2]), np.array([log_T])\n")],
                       checks.check_max_ratio),
    "M_a before L₂ alone": ([("if log_T < from_L2:", "if True:")], checks.check_max_ratio),
    "M_a with d(η, μ_a)": ([("float(scaled_kl(mu_a, floor, eps))",
                             "float(scaled_kl(floor, mu_a, eps))")], checks.check_max_ratio),
    # Theorem 3
    "A₁ with d(μ_a, 1−ε)": ([("float(kl(level, mu_a)) for", "float(kl(mu_a, level)) for")],
                            checks.check_first_case),
    "B₁ without π²/6": ([("rest = scipy.special.zeta(2) /", "rest = 1 /")],
                        checks.check_first_case),
    "B₁ without its second part": ([("np.logaddexp(constants[\"log_L1\"], _log(rest))",
                                     "constants[\"log_L1\"]")], checks.check_first_case),
    "A₂ with 1+c": ([("(1 + c) ** 2 * ratio", "(1 + c) * ratio")], checks.check_second_case),
    "A₂ without 2": ([("* ratio + 2 + 1 / c", "* ratio + 1 / c")], checks.check_second_case),
    "A₂ without 1/c": ([("+ 2 + 1 / c +", "+ 2 +")], checks.check_second_case),
    "A₂ with d(μ_a, x)": ([("1 / kl(x_ac(c, mu1, mu_a, eps), mu_a)",
                            "1 / kl(mu_a, x_ac(c, mu1, mu_a, eps))")],
                          checks.check_second_case),
    "B₂ without 6": ([("np.logaddexp(constants[\"log_L2\"], log(6))",
                       "constants[\"log_L2\"]")], checks.check_second_case),
    "f of the second arm for f_max": ([("log_f_max = _log(max(costs))",
                                        "log_f_max = _log(costs[0])")], checks.check_theorem),
    "C not times f_max": ([("log_f_max + constants[\"log_C_b\"]", "constants[\"log_C_b\"]")],
                          checks.check_theorem),
    "K without the best arm": ([("1 + len(mus), pigeonhole", "max(2, len(mus)), pigeonhole")],
                               checks.check_theorem),
    "the worst arm for the second": ([("problem = Problem(mu1, mus[0]",
                                       "problem = Problem(mu1, mus[-1]")],
                                     checks.check_theorem),
    "the cases exchanged at 1−ε": ([("return decimal(mu1) > ceiling(eps)",
                                     "return decimal(mu1) >= ceiling(eps)")],
                                   checks.check_edge_is_second_case),
    "a sum without C": ([("self.log_B, self.log_C]))", "self.log_B]))")],
                        checks.check_theorem),
}  # fmt: skip


@cache
def passes(check):
    """Does the real module pass? Asked once for each check."""
    check(finite_time)
    return True


@pytest.mark.parametrize("mistake", MISTAKES)
def test_a_mistake_is_caught(mistake, tmp_path):
    edits, check = MISTAKES[mistake]
    assert passes(check)
    module = mistaken(tmp_path, *edits)  # outside: an edit that no longer fits is no catch
    with pytest.raises((AssertionError, RuntimeWarning)):  # or it divides by zero
        check(module)


def test_every_check_has_a_mistake_that_it_catches():
    assert {*checks.ALL} == {check for _, check in MISTAKES.values()}
