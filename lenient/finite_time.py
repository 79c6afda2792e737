"""The finite-time theorem of the paper (Theorem 3), with every constant.

The constants stand in the order in which the proof builds them; `finite_time_bound` chooses
b, λ and c and puts them together.

The letters are the paper's: μ₁ > μ₁−ε > μ₂ ≥ … ≥ μ_K are the best arm and the arms
with gaps above ε, `arms` is K, d is `lenient.divergence.kl`. Some constants are
astronomically large (L₂ = e¹⁰⁰ is usual): what may overflow is returned as its natural
logarithm, by a function whose name starts with `log_`; `log_t` is ln t. Theorems and
lemmas are numbered as in the paper.
"""

from dataclasses import dataclass, field
from functools import lru_cache
from math import ceil, exp, expm1, inf, log, log1p, nan
from typing import NamedTuple

import numpy as np
from scipy.optimize import brentq, minimize
from scipy.special import entr, expit, xlogy, zeta

from lenient._check import check_count, check_eps, check_means
from lenient.bounds import arms_beyond
from lenient.divergence import kl, scaled_kl
from lenient.exact import ceiling, decimal, one_minus


class Problem(NamedTuple):
    """What Proposition 2 and all that rests on it look at.

    pigeonhole   "repaired" or "printed", see `log_interval_length`
    """

    mu1: float
    mu2: float
    eps: float
    arms: int
    pigeonhole: str = "repaired"

    @property
    def lemma8(self):
        """The three numbers that Lemma 8 is about."""
        return self.mu1, self.mu2, self.eps


# ----------------------------------- Lemma 8: how long can θ₁ stay below μ₂+δ = y(1−ε)?
# P{θ₁ ≤ y(1−ε) for x rounds after j plays} ≤ u^x + C_λ x^−λ e^(−j d_λ),  1 < λ < λ₀


def y_point(mu1, mu2, eps):
    """y = (μ₁+μ₂−ε) / (2(1−ε)), half way from μ₂ to μ₁−ε, in units of 1−ε (Lemma 8)."""
    return _lemma8(mu1, mu2, eps).y


def u_base(mu1, mu2, eps):
    """u = (1/2)^(1−y) (Lemma 8)."""
    return 0.5 ** _lemma8(mu1, mu2, eps).y_bar


def lambda_zero(mu1, mu2, eps):
    """λ₀ = 1 + d(y, μ₁) / (y ln(1/y) + (1−y) ln(1/(1−y))) (Lemma 8).

    inf for μ₁ = 1: then one play reveals the best arm, and every λ > 1 is allowed.
    """
    return 1 + _excess_of_lambda_zero(mu1, mu2, eps)


def d_lambda(lam, mu1, mu2, eps):
    """d_λ = λ(y ln y + (1−y) ln(1−y)) − (y ln μ₁ + (1−y) ln(1−μ₁)) (Lemma 8).

    Computed as d(y, μ₁) − (λ−1)(y ln(1/y) + (1−y) ln(1/(1−y))): positive up to λ₀.
    """
    y = _lemma8(mu1, mu2, eps)
    return y.divergence - (lam - 1) * y.entropy


def log_R_lambda(lam, mu1, mu2, eps):
    """ln R_λ with R_λ = μ₁(1−y)^λ / (y^λ(1−μ₁)) > 1 (Lemma 8)."""
    y = _lemma8(mu1, mu2, eps)
    if mu1 == 1:
        return inf
    return log(mu1) - log(1 - decimal(mu1)) + lam * (log(y.y_bar) - log(y.y))


def log_C_lambda(lam, mu1, mu2, eps):
    """ln C_λ with C_λ = (λ/e)^λ / (1−y)^λ · R_λ/(R_λ−1), for 1 < λ < λ₀ (Lemma 8)."""
    _check_lambda(lam, mu1, mu2, eps)
    log_R = log_R_lambda(lam, mu1, mu2, eps)
    power = lam * (log(lam) - 1 - log(_lemma8(mu1, mu2, eps).y_bar))
    return power - log(-expm1(-log_R))


def _excess_of_lambda_zero(mu1, mu2, eps):
    """λ₀ − 1, which may be far below 1."""
    y = _lemma8(mu1, mu2, eps)
    return y.divergence / y.entropy


class _Lemma8(NamedTuple):
    y: float
    y_bar: float  # 1−y
    divergence: float  # d(y, μ₁)
    entropy: float  # y ln(1/y) + (1−y) ln(1/(1−y))


@lru_cache(maxsize=1024)
def _lemma8(mu1, mu2, eps):
    """y and what follows from it, after checking that 0 ≤ μ₂ < μ₁−ε ≤ 1−ε."""
    check_eps(eps)
    check_means([mu1, mu2])
    top = decimal(mu1) - decimal(eps)
    if not decimal(mu2) < top:
        raise ValueError(f"mu2 must be below mu1 - eps = {float(top)}, got {mu2}")
    exact = (decimal(mu2) + top) / 2 / ceiling(eps)
    y, y_bar = float(exact), float(1 - exact)
    return _Lemma8(y, y_bar, float(kl(y, mu1)), float(entr(y) + entr(y_bar)))


def _check_lambda(lam, mu1, mu2, eps):
    if not (1 < lam < inf and d_lambda(lam, mu1, mu2, eps) > 0):
        lambda_0 = lambda_zero(mu1, mu2, eps)
        raise ValueError(f"lam must be in (1, lambda_0) = (1, {lambda_0}), got {lam}")


# ------------------------------ Proposition 2: the best arm is played t^b times, mostly
# Σ_t P{N₁(t) ≤ (t−1)^b} ≤ C_b,  b < 1 − 1/λ


def saturation_level(t, mu1, mu_a, eps):
    """C_a(t) = 32 ln t / (Δ_a−ε)²: plays that saturate arm a (with Lemma 9)."""
    return np.log(t) * _saturation_rate(mu1, mu_a, eps)


def _saturation_rate(mu1, mu_a, eps):
    """C_a(t) / ln t."""
    _lemma8(mu1, mu_a, eps)  # for its checks
    return 32 / float(decimal(mu1) - decimal(mu_a) - decimal(eps)) ** 2


def log_interval_length(log_t, b, pigeonhole="repaired"):
    """ln z(t), z(t) = (t−t^b)/(t^b+1): the best arm pauses that long if N₁(t+1) ≤ t^b.

    The paper prints z(t) = t^(1−b) − 1 = (t−t^b)/t^b. But N₁ ≤ t^b plays leave t−N₁
    rounds to N₁+1 pauses, one more than there are plays, and for b < 1/2 all of them
    can be shorter than that (10 plays in 1000 rounds, b = 1/3: eleven pauses of 90).
    With pigeonhole="printed", the printed z is used in everything that depends on it.
    """
    _check_b(b)
    _check_pigeonhole(pigeonhole)
    log_t = np.asarray(log_t, dtype=float)
    with np.errstate(divide="ignore"):
        printed = (1 - b) * log_t + np.log(-np.expm1(-(1 - b) * log_t))
    if pigeonhole == "printed":
        return printed
    return printed - np.log1p(np.exp(-b * log_t))


def log_L0g(b, arms, pigeonhole="repaired"):
    """ln L₀ᵍ, L₀ᵍ = (K+1)^(1/(1−b)): from there on, z(t) ≥ K (Proposition 2).

    (2K+1)^(1/(1−b)) for the repaired z(t), which is at least half the printed one.
    """
    _check_b(b)
    _check_pigeonhole(pigeonhole)
    return log((arms if pigeonhole == "printed" else 2 * arms) + 1) / (1 - b)


def log_L0h(b, problem):
    """ln L₀ʰ: from there on, ⌊z(t)/K²⌋ ≥ C₂(t) (Proposition 2).

    ⌊w⌋ > w−1 is used, so L₀ʰ is the smallest whole number from which on
    z(t) ≥ K²(C₂(t)+1), that is, ln t ≥ ln(1 + K²(C₂(t)+1)(1+t^−b)) / (1−b).
    """
    _check_b(b)
    _check_pigeonhole(problem.pigeonhole)
    rate, arms = _saturation_rate(*problem.lemma8), problem.arms

    def least(log_t):
        needed = arms**2 * (rate * log_t + 1)
        if problem.pigeonhole == "repaired":
            needed *= 1 + exp(-b * log_t)
        return log(1 + needed) / (1 - b)

    # Beyond this start least(s) < s, from ln(1+v) ≤ √v.
    start = 4 * rate / (1 - b) ** 2 + 4 * log(1 + 2 * arms**2) / (1 - b)
    return _log_last(least, start)


def _log_last(least, start):
    """ln of the smallest whole t from which on ln t ≥ least(ln t), least increasing.

    `start` lies beyond every solution of s = least(s). The iteration s ← least(s)
    falls from there to the largest one and never below it.
    """
    s = start
    for _ in range(10_000):
        lower = least(s)
        if lower >= s * (1 - 1e-15):
            break
        s = lower
    return log(ceil(exp(s))) if s < 36 else s  # above e³⁶ floats are whole anyway


def log_C_b(b, lam, problem):
    """ln C_b (Proposition 2), for 1 < λ < λ₀ and 0 < b < 1 − 1/λ, where

    C_b = L₀ + 2(K−1)² Σ_{t≥1} (t^b+1)/t² + Σ_{t≥L₀} Σ_{j≤t^b} (K h + g),
    L₀ = max(L₀ᵍ, L₀ʰ). The last sum is bounded from above.
    """
    _check_lambda(lam, *problem.lemma8)
    if not 0 < b < (lam - 1) / lam:
        raise ValueError(f"b must be in (0, 1 - 1/lam) = (0, {1 - 1 / lam}), got {b}")
    log_L0 = max(log_L0g(b, problem.arms, problem.pigeonhole), log_L0h(b, problem))
    g_and_h = _log_sum_of_g_and_h(log_L0, b, lam, problem)
    unlikely = log(saturated_but_high(b, problem.arms))
    return float(np.logaddexp.reduce([log_L0, unlikely, g_and_h]))


def saturated_but_high(b, arms):
    """2(K−1)² Σ_{t≥1} (t^b+1)/t²: saturated arms with large θ, by Lemma 9 (in C_b).

    The paper has t^b/t², but j = 0, …, ⌊t^b⌋ are ⌊t^b⌋+1 numbers.
    """
    return float(2 * (arms - 1) ** 2 * (zeta(2 - b) + zeta(2)))


def log_g(log_t, b, lam, problem, log_s=None):
    """ln Σ_{j≤t^b} g(j, t): Lemma 8 with x = ⌊z(t)/K⌋ (in C_b), bounded from above.

    `log_s` is ln of an earlier time, if z(s) is to replace z(t).
    """
    log_s = log_t if log_s is None else log_s
    log_w = log_interval_length(log_s, b, problem.pigeonhole) - log(problem.arms)
    return _log_lemma8_over_j(log_t, log_w, b, lam, *problem.lemma8)


def log_h(log_t, b, lam, problem, log_s=None):
    """ln Σ_{j≤t^b} h(j, t): K C₂(t) times Lemma 8 with x = ⌊z(t)/(K²C₂(t))⌋ (in C_b).

    Bounded from above. `log_s` is ln of an earlier time, if x(s) is to replace x(t).
    """
    log_s = log_t if log_s is None else log_s
    log_w = _log_w(log_s, b, problem)
    log_count = np.log(problem.arms * _saturation_rate(*problem.lemma8) * log_t)
    return log_count + _log_lemma8_over_j(log_t, log_w, b, lam, *problem.lemma8)


def _log_w(log_t, b, problem):
    """ln z(t)/(K²C₂(t)), which increases with t."""
    level = problem.arms**2 * _saturation_rate(*problem.lemma8) * log_t
    return log_interval_length(log_t, b, problem.pigeonhole) - np.log(level)


def _log_lemma8_over_j(log_t, log_w, b, lam, mu1, mu2, eps):
    """ln Σ_{j≤t^b} (u^x + C_λ x^−λ e^(−j d_λ)) with x = max(1, w−1) ≤ ⌊w⌋, w ≥ 1."""
    x = np.maximum(1, np.expm1(np.minimum(log_w, 700)))  # e⁷⁰⁰: still a float
    log_x = np.where(log_w < 700, np.log(x), log_w)
    log_u = log(u_base(mu1, mu2, eps))
    always = np.logaddexp(0, b * log_t) + x * log_u  # at most t^b+1 times u^x
    d = d_lambda(lam, mu1, mu2, eps)
    count = 1 + np.exp(np.minimum(b * log_t, 700))
    geometric = np.log(np.expm1(-d * count) / np.expm1(-d))  # Σ e^(−j d_λ)
    rarely = log_C_lambda(lam, mu1, mu2, eps) - lam * log_x + geometric
    return np.logaddexp(always, rarely)


def _log_sum_of_g_and_h(log_L0, b, lam, problem):
    """ln of a bound on Σ_{t≥L₀} Σ_{j≤t^b} (K h + g).

    Every summand is A(t)·B(x(t)) with A increasing in t, B decreasing in x and x
    increasing in t, so Σ_{t≥L} A(t)B(x(t)) ≤ ∫_L^∞ A(t) B(x(max(t−1, L))) dt. The
    integral is taken in s = ln t. Once d_λ t^b is above 1, its integrand falls like
    e^(−ρs) s^(1+λ) with ρ = λ(1−b) − 1: what lies beyond `end` is below e⁻⁴⁰ of it.
    """

    def log_integrand(log_t):
        before = np.maximum(log_t + np.log1p(-np.exp(-log_t)), log_L0)  # ln(t−1)
        # K h as printed; the proof has (K−2) h.
        k_h = log(problem.arms) + log_h(log_t, b, lam, problem, log_s=before)
        return log_t + np.logaddexp(k_h, log_g(log_t, b, lam, problem, log_s=before))

    # ⌊w⌋ ≥ max(1, w−1) has a kink at w = 2.
    kink = brentq(lambda s: _log_w(s, b, problem) - log(2), log_L0, 2 * log_L0)
    rho = (lam - 1) - b * lam
    turn = -log(d_lambda(lam, *problem.lemma8)) / b  # where d_λ t^b = 1
    end = max(log_L0, turn) + (80 + 40 * (1 + lam)) / rho
    return _log_integral(log_integrand, log_L0, kink + log1p(exp(-kink)), end)


def _log_integral(log_f, start, kink, end, panels=120):
    """ln ∫ f from start to end, by Gauss' rule on panels that grow from the start on.

    With a panel edge at the kink of f, the error is about 1e-8, and larger only for b
    and λ all but at the ends of their ranges.
    """
    edges = start + 0.05 * np.expm1(np.linspace(0, log1p((end - start) / 0.05), panels))
    edges = np.sort(np.append(edges, kink))[:, None]
    half = np.diff(edges, axis=0) / 2
    nodes, weights = np.polynomial.legendre.leggauss(8)
    return np.logaddexp.reduce(
        (log_f(edges[:-1] + half * (1 + nodes)) + np.log(half * weights)).ravel()
    )


# ---------------------------------------------- Lemmas 4 and 6: is θ₁ close to μ₁ then?


def log_L1(b, mu1, eps):
    """ln L₁: from there on, (t−1)^b ≥ 2 ln t / d(1−ε, μ₁) + 1 (Lemma 4, μ₁ > 1−ε)."""
    level = one_minus(check_eps(eps))
    check_means([mu1])
    if not _is_high(mu1, eps):
        raise ValueError(f"mu1 must be above 1 - eps = {level}, got {mu1}")
    return _log_last_after_power(b, 2 / float(kl(level, mu1)), 1)


def log_L2(b, eps):
    """ln L₂: from there on, η(t) > μ₁−ε, that is (t−1)^b > 24 ln t / ε² (Lemma 6).

    inf for ε = 0: no η fits between μ₁−ε and μ₁, and Lemma 6 says nothing.
    """
    if check_eps(eps) == 0:
        return inf
    return _log_last_after_power(b, 24 / float(eps) ** 2, 0)


def _is_high(mu1, eps):
    """μ₁ > 1−ε, the first case of the theorem, decided exactly."""
    return decimal(mu1) > ceiling(eps)


def _log_last_after_power(b, rate, offset):
    """ln of the smallest whole t from which on (t−1)^b ≥ rate·ln t + offset (≤ 1)."""
    _check_b(b)

    def least(log_t):
        return float(np.logaddexp(0, log(rate * log_t + offset) / b))

    # Beyond this start least(s) < s, from ln(1+v) ≤ √v.
    return _log_last(least, start=2 + 4 * rate / b**2)


def eta(t, mu1, eps, b):
    """η(t) = max(μ₁−ε, μ₁ − 2√(6 ln t / (t−1)^b)) (Lemma 6), and η(1) = μ₁−ε.

    (The theorem prints t^b for (t−1)^b.)
    """
    _check_b(b)
    floor = float(decimal(mu1) - decimal(eps))
    drop = np.exp(_log_eta_drop(np.log(t), b))
    return np.where(drop < float(eps), mu1 - drop, floor)[()]


def _log_eta_drop(log_t, b):
    """ln of 2√(6 ln t / (t−1)^b); inf for t = 1."""
    log_t = np.asarray(log_t, dtype=float)
    with np.errstate(divide="ignore", invalid="ignore"):
        log_previous = log_t + np.log(-np.expm1(-log_t))  # ln(t−1)
        log_drop = (np.log(24 * log_t) - b * log_previous) / 2
    return np.where(log_t > 0, log_drop, inf)


# --------------------------- Lemma 5: how often is arm a played while θ₁ is above η(t)?


def x_ac(c, mu1, mu_a, eps):
    """x_{a,c}, the x in (μ_a, μ₁−ε) with (Lemma 5; arrays of c and μ_a broadcast)

    d(x/(1−ε), (μ₁−ε)/(1−ε)) = d(μ_a/(1−ε), (μ₁−ε)/(1−ε)) / (1+c).

    For ε = 0 and μ₁ = 1 both sides are infinite: then its limit for μ₁ → 1.
    """
    c, mu_a = np.broadcast_arrays(_check_c(c), np.asarray(mu_a, dtype=float))
    for extreme in (mu_a.min(), mu_a.max()):
        _lemma8(mu1, float(extreme), eps)  # for its checks
    top = float(decimal(mu1) - decimal(eps))
    whole = scaled_kl(mu_a, top, eps)
    if np.isinf(whole).any():  # then for every μ_a
        return ((mu_a + c * top) / (1 + c))[()]
    low, high = mu_a, np.full(c.shape, top)
    for _ in range(60):  # bisection: d falls from μ_a to the top
        middle = (low + high) / 2
        short = scaled_kl(middle, top, eps) > whole / (1 + c)
        low, high = np.where(short, middle, low), np.where(short, high, middle)
    return low[()]  # the lower end, which makes 1/d(x, μ_a) larger


def max_ratio(horizon, mu1, mu_a, eps, b):
    """max over t ≤ T of ln t / d(μ_a/(1−ε), η(t)/(1−ε)) (Lemma 5).

    Below L₂, η is constant and the last t counts. Beyond it, real t are allowed, and
    the maximum is found by halving: d increases with t, so on [t₁, t₂] the ratio is at
    most ln t₂ / d(…, η(t₁)…), and a piece where that is no more than what was already
    seen is dropped. The value is the maximum over real t, rounded up by less than 1e-8.
    """
    log_T, from_L2 = log(check_count("horizon", horizon)), log_L2(b, eps)
    last_before = from_L2 + log(-expm1(-from_L2))  # ln(L₂−1)
    floor = float(decimal(mu1) - decimal(eps))
    best = min(log_T, last_before) / float(scaled_kl(mu_a, floor, eps))
    if log_T < from_L2:
        return best
    low, high = np.array([from_L2]), np.array([log_T])
    while low.size:
        seen = high / _kl_to_eta(high, mu1, mu_a, eps, b)
        best = max(best, seen.max())
        open_ = high / _kl_to_eta(low, mu1, mu_a, eps, b) > best * (1 + 1e-8)
        low, high = low[open_], high[open_]
        middle = (low + high) / 2
        low, high = np.concatenate([low, middle]), np.concatenate([middle, high])
    return float(best * (1 + 1e-8))


def _kl_to_eta(log_t, mu1, mu_a, eps, b):
    """d(μ_a/(1−ε), η(t)/(1−ε)), accurate also where η(t) rounds to 1−ε."""
    log_drop = np.minimum(_log_eta_drop(log_t, b), log(eps))
    eta_t = mu1 - np.exp(log_drop)
    above = _log(ceiling(eps) - decimal(mu1))
    log_below = np.logaddexp(above, log_drop)  # ln(1−ε−η(t))
    c = one_minus(eps)
    far = xlogy(mu_a, mu_a / eta_t) + (c - mu_a) * (log(c - mu_a) - log_below)
    return np.where(log_below < log(1e-6 * c), far / c, scaled_kl(mu_a, eta_t, eps))


# --------------------------------------------------------------------- Theorem 3


@dataclass(frozen=True)
class FiniteTimeBound:
    """Theorem 3 in numbers: R_f(T) ≤ total = ΣA + B + C.

    case     1 if μ₁ > 1−ε, 2 if μ₁ ≤ 1−ε, None if no arm has Δ_a > ε (bound 0)
    means    μ₁ and the arms with Δ_a > ε, in decreasing order; costs are their f(Δ_a)
    b, lam, c   the chosen parameters; c is None in case 1, which has none
    constants   everything of the proof by name, logarithms where the name says so
    log_A    for each arm with Δ_a > ε: ln of f(Δ_a) times the bound on its plays
             while θ₁(t) > η(t)
    log_B    ln of f_max times the bound on rounds with θ₁(t) ≤ η(t), N₁(t) > (t−1)^b
    log_C    ln of f_max times C_b, the bound on rounds with N₁(t) ≤ (t−1)^b
    """

    case: int | None
    horizon: int
    means: tuple
    costs: tuple
    b: float
    lam: float
    c: float | None
    constants: dict = field(hash=False)
    log_A: tuple
    log_B: float
    log_C: float

    @property
    def log_total(self):
        return float(np.logaddexp.reduce([*self.log_A, self.log_B, self.log_C]))

    @property
    def A(self):
        return tuple(map(_exp, self.log_A))

    @property
    def B(self):
        return _exp(self.log_B)

    @property
    def C(self):
        return _exp(self.log_C)

    @property
    def total(self):
        return _exp(self.log_total)

    @property
    def trivial(self):
        """T · f_max, which no policy exceeds."""
        try:
            return self.horizon * max(self.costs, default=0.0)
        except OverflowError:  # T > 1e308
            return inf


def finite_time_bound(
    means, eps, gap, horizon, *, b=None, lam=None, c=None, pigeonhole="repaired"
):
    """Theorem 3, a bound on the lenient regret of ε-TS that holds for every horizon T.

    If μ₁ > 1−ε: Σ f(Δ_a)/d(1−ε, μ_a) + f_max (L₁ + π²/(6 d(1−ε, μ₁)) + C_b).
    If μ₁ ≤ 1−ε: Σ f(Δ_a) [(1+c)² M_a(T) + 2 + 1/c + 1/d(x_{a,c}, μ_a)]
    + f_max (L₂ + 6 + C_b), M_a(T) = max_{t≤T} ln t / d(μ_a/(1−ε), η(t)/(1−ε)). This is
    infinite for ε = 0, as L₂ is: the theorem says nothing there.

    Arms with Δ_a ≤ ε other than one best arm are left out, which can only raise the
    lenient regret; `gap` counts as 0 there. Unless given, b and λ minimise the part
    that does not depend on T (see `choose_b_and_lambda`), and c the rest, on a grid
    in ln c that is refined around its best point.

    pigeonhole   "repaired" or "printed", see `log_interval_length`
    """
    horizon, eps = check_count("horizon", horizon), check_eps(eps)
    _check_pigeonhole(pigeonhole)
    mu1, bad_arms = arms_beyond(means, eps, gap)
    if not bad_arms:
        return FiniteTimeBound(None, horizon, (mu1,), (), nan, nan, None, {}, (), -inf, -inf)
    mus, costs = zip(*bad_arms)
    problem = Problem(mu1, mus[0], eps, 1 + len(mus), pigeonhole)
    if (b is None) != (lam is None):
        raise ValueError(f"b and lam must be given together, got b={b}, lam={lam}")
    if b is None:
        b, lam = choose_b_and_lambda(problem)
    constants = _constants(b, lam, problem)
    case = 1 if _is_high(mu1, eps) else 2
    if case == 1:
        plays, log_low = _first_case(b, mu1, mus, eps, constants)
        c = None
    else:
        c, plays, log_low = _second_case(b, c, mu1, mus, costs, eps, horizon, constants)
    log_A = tuple(_log(cost * count) for cost, count in zip(costs, plays))
    log_f_max = _log(max(costs))
    return FiniteTimeBound(
        case,
        horizon,
        (mu1, *mus),
        costs,
        b,
        lam,
        c,
        constants,
        log_A,
        log_f_max + log_low,
        log_f_max + constants["log_C_b"],
    )


def _constants(b, lam, problem):
    """The constants of Lemma 8 and Proposition 2, by name."""
    where = problem.lemma8
    return {
        "y": y_point(*where),
        "u": u_base(*where),
        "lambda_0": lambda_zero(*where),
        "d_lambda": d_lambda(lam, *where),
        "log_R_lambda": log_R_lambda(lam, *where),
        "log_C_lambda": log_C_lambda(lam, *where),
        "log_L0g": log_L0g(b, problem.arms, problem.pigeonhole),
        "log_L0h": log_L0h(b, problem),
        "log_C_b": log_C_b(b, lam, problem),
    }


def _first_case(b, mu1, mus, eps, constants):
    """μ₁ > 1−ε: bounds on (A) for each arm and ln of that on (B), by Lemmas 3 and 4."""
    level = one_minus(eps)
    constants["log_L1"] = log_L1(b, mu1, eps)
    plays = [1 / float(kl(level, mu_a)) for mu_a in mus]
    rest = zeta(2) / float(kl(level, mu1))
    return plays, float(np.logaddexp(constants["log_L1"], _log(rest)))


def _second_case(b, c, mu1, mus, costs, eps, horizon, constants):
    """μ₁ ≤ 1−ε: c, bounds on (A) for each arm, ln of that on (B); Lemmas 5 and 6."""
    ratios = tuple(max_ratio(horizon, mu1, mu_a, eps, b) for mu_a in mus)

    ratio, mu_a = np.transpose([ratios]), np.transpose([mus])  # a row for each arm

    def plays(c):
        return (1 + c) ** 2 * ratio + 2 + 1 / c + 1 / kl(x_ac(c, mu1, mu_a, eps), mu_a)

    if c is None:
        c = _zoom(lambda c: costs @ plays(c))
    constants["log_L2"] = log_L2(b, eps)
    constants["max_ratio"] = ratios
    constants["x_ac"] = tuple(x_ac(c, mu1, mu_a, eps)[:, 0].tolist())
    log_low = float(np.logaddexp(constants["log_L2"], log(6)))
    return c, plays(c)[:, 0].tolist(), log_low


def _zoom(cost):
    """The positive c of least cost: a grid in ln c from 1e-6 to 1e6, refined."""
    centre, reach = 0.0, log(1e6)
    for _ in range(5):
        grid = np.exp(centre + np.linspace(-reach, reach, 101))
        centre, reach = log(grid[np.argmin(cost(grid))]), reach / 25
    return exp(centre)


@lru_cache(maxsize=1024)  # the same for every horizon and every gap function
def choose_b_and_lambda(problem):
    """The b and λ of least C_b + L₁ (if μ₁ > 1−ε) or C_b + L₂ (else).

    As in the theorem they do not depend on T; what does, (A), is of the order of ln T
    and dwarfed by the rest. The search is for the place of b in (0, 1−1/λ₀) and that of
    1−1/λ in (b, 1−1/λ₀), on a logistic scale: the best point of a coarse grid, then
    Nelder and Mead's simplex, for the logarithm of the cost. Where L₁ or L₂ rules, the
    best b is all but 1−1/λ₀, so a millionth of either range is left free at its ends.
    """
    b_max = 1 / (1 + 1 / _excess_of_lambda_zero(*problem.lemma8))  # 1−1/λ₀
    if b_max < 1e-12:
        raise ValueError(f"b must be below 1 - 1/lambda_0 = {b_max}: too close to 0")
    mu1, mu2, eps = problem.lemma8
    high = _is_high(mu1, eps)

    def parameters(point):
        place_b, place_lam = 1e-6 + (1 - 2e-6) * expit(point)
        b = place_b * b_max
        below = b + place_lam * (b_max - b)  # 1−1/λ
        return float(b), float(1 + below / (1 - below))

    def cost(point):
        b, lam = parameters(point)
        if not (b < (lam - 1) / lam and d_lambda(lam, mu1, mu2, eps) > 0):
            return inf  # rounded to the rim
        proposition = log_C_b(b, lam, problem)
        if eps == 0:  # L₂ = ∞ for every b
            return proposition
        lemma = log_L1(b, mu1, eps) if high else log_L2(b, eps)
        return np.logaddexp(proposition, lemma)

    ticks = np.linspace(-12, 12, 9)
    start = min(((p, q) for p in ticks for q in ticks), key=cost)
    options = {"xatol": 1e-2, "fatol": 1e-6}
    return parameters(minimize(cost, start, method="Nelder-Mead", options=options).x)


def _check_b(b):
    if not 0 < b < 1:
        raise ValueError(f"b must be in (0, 1), got {b}")


def _check_c(c):
    array = np.asarray(c, dtype=float)
    if not np.all((0 < array) & (array < inf)):
        raise ValueError(f"c must be a positive number, got {c}")
    return array


def _check_pigeonhole(pigeonhole):
    if pigeonhole not in ("repaired", "printed"):
        raise ValueError(f'pigeonhole must be "repaired" or "printed", got {pigeonhole!r}')


def _log(x):
    return log(x) if x > 0 else -inf


def _exp(x):
    return exp(x) if x < 709 else inf
