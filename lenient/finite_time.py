"""The finite-time theorem of the paper (Theorem 3), with every constant.

The constants stand in the order in which the proof builds them; `finite_time_bound` chooses
b, λ and c and puts them together.

The letters are the paper's: μ₁ > μ₁−ε > μ₂ ≥ … ≥ μ_K are the best arm and the arms
with gaps above ε, `arms` is K, d is `lenient.divergence.kl`. Some constants are
astronomically large (L₂ = e¹⁰⁰ is usual): what may overflow is returned as its natural
logarithm, by a function whose name starts with `log_`; `log_t` is ln t. Theorems and
lemmas are numbered as in the paper. A bound of another kind, and small, is `stage_bound`.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from functools import lru_cache, wraps
from inspect import signature
from math import ceil, exp, expm1, inf, log, log1p, nan
from typing import Any, NamedTuple, ParamSpec, TypeVar

import numpy as np
import scipy
from numpy.typing import ArrayLike

from lenient._check import check_array, check_count, check_eps, check_means, shown
from lenient.bounds import arms_beyond
from lenient.divergence import kl, scaled_kl
from lenient.exact import ceiling, decimal, one_minus
from lenient.gaps import GapFunction
from lenient.laws import Law
from lenient.stages import stage_bound as stage_bound  # found here, too


class Problem(NamedTuple):
    """What Proposition 2 and all that rests on it look at.

    Parameters
    ----------
    mu1, mu2, eps : float
        The best mean, the best of the bad ones, and ε: 0 ≤ μ₂ < μ₁−ε ≤ 1−ε.
    arms : int
        K, the best arm and the bad ones.
    pigeonhole : {"repaired", "printed"}
        Which z(t), see `log_interval_length`.

    Examples
    --------
    >>> Problem(mu1=0.5, mu2=0.2, eps=0.2, arms=2).lemma8
    (0.5, 0.2, 0.2)

    In the book: chapter 6.
    """

    mu1: float
    mu2: float
    eps: float
    arms: int
    pigeonhole: str = "repaired"

    @property
    def lemma8(self) -> tuple[float, float, float]:
        """The three numbers that Lemma 8 is about."""
        return self.mu1, self.mu2, self.eps


# ------------------------------------------------------ arguments, checked by their names

P = ParamSpec("P")
R = TypeVar("R")


def _check_number(name: str, value: Any) -> None:
    """A single finite number; what it may be is left to the function."""
    number = check_array(name, value, -LARGEST, LARGEST, "a finite number")
    if number.ndim or isinstance(value, (bool, np.ndarray)):
        raise ValueError(f"{name} must be a single number, got {shown(value)}")


def _check_mean(name: str, value: Any) -> None:
    _check_number(name, value)
    check_array(name, value, 0, 1, "a number in [0, 1]")


def _check_eps(name: str, value: Any) -> None:
    check_eps(value)


def _check_arms(name: str, value: Any) -> None:
    if check_count(name, value) > MOST_ARMS:
        raise ValueError(f"{name} must be at most {MOST_ARMS:,}, got {shown(value)}")


def _check_times(name: str, value: Any) -> None:
    least = {"t": 1, "log_t": 0, "log_s": 0}[name]
    if not (name == "log_s" and value is None):
        check_array(name, value, least, inf, f"numbers of at least {least}")


def _check_problem(name: str, value: Any) -> None:
    if not isinstance(value, Problem):
        raise ValueError(f"{name} must be a Problem(mu1, mu2, eps, arms), got {shown(value)}")
    _check_arms("arms", value.arms)
    _check_pigeonhole(value.pigeonhole)


LARGEST = float(np.finfo(float).max)
MOST_ARMS = 10**9
TINY = 1e-15
_CHECKS: dict[str, Callable[[str, Any], None]] = {
    **dict.fromkeys(["mu1", "mu2", "mu_a"], _check_mean),
    **dict.fromkeys(["b", "lam"], _check_number),
    **dict.fromkeys(["t", "log_t", "log_s"], _check_times),
    "eps": _check_eps,
    "arms": _check_arms,
    "problem": _check_problem,
}


def _checked(function: Callable[P, R]) -> Callable[P, R]:
    """The function, with a look at its arguments first."""
    names = tuple(signature(function).parameters)

    @wraps(function)
    def checked(*args: P.args, **kwargs: P.kwargs) -> R:
        for name, value in (*zip(names, args), *kwargs.items()):
            if name in _CHECKS:
                _CHECKS[name](name, value)
        return function(*args, **kwargs)

    return checked


# ----------------------------------- Lemma 8: how long can θ₁ stay below μ₂+δ = y(1−ε)?
# P{θ₁ ≤ y(1−ε) for x rounds after j plays} ≤ u^x + C_λ x^−λ e^(−j d_λ),  1 < λ < λ₀


@_checked
def y_point(mu1: float, mu2: float, eps: float) -> float:
    """y = (μ₁+μ₂−ε) / (2(1−ε)), half way from μ₂ to μ₁−ε, in units of 1−ε (Lemma 8).

    Parameters
    ----------
    mu1, mu2, eps : float
        The best mean, the best of the bad ones, and ε: 0 ≤ μ₂ < μ₁−ε ≤ 1−ε.

    Returns
    -------
    float

    Examples
    --------
    >>> y_point(0.5, 0.2, 0.2)
    0.3125

    In the book: chapter 6.
    """
    return _lemma8(mu1, mu2, eps).y


@_checked
def u_base(mu1: float, mu2: float, eps: float) -> float:
    """u = (1/2)^(1−y) (Lemma 8).

    Parameters
    ----------
    mu1, mu2, eps : float
        The best mean, the best of the bad ones, and ε: 0 ≤ μ₂ < μ₁−ε ≤ 1−ε.

    Returns
    -------
    float

    Examples
    --------
    >>> round(u_base(0.5, 0.2, 0.2), 4)
    0.6209

    In the book: chapter 6.
    """
    return 0.5 ** _lemma8(mu1, mu2, eps).y_bar


@_checked
def lambda_zero(mu1: float, mu2: float, eps: float) -> float:
    """λ₀ = 1 + d(y, μ₁) / (y ln(1/y) + (1−y) ln(1/(1−y))) (Lemma 8).

    inf for μ₁ = 1: then one play reveals the best arm, and every λ > 1 is allowed.

    Parameters
    ----------
    mu1, mu2, eps : float
        The best mean, the best of the bad ones, and ε: 0 ≤ μ₂ < μ₁−ε ≤ 1−ε.

    Returns
    -------
    float

    Examples
    --------
    >>> round(lambda_zero(0.5, 0.2, 0.2), 4), lambda_zero(1, 0.2, 0.2)
    (1.116, inf)

    In the book: chapter 6.
    """
    return 1 + _excess_of_lambda_zero(mu1, mu2, eps)


@_checked
def d_lambda(lam: float, mu1: float, mu2: float, eps: float) -> float:
    """d_λ = λ(y ln y + (1−y) ln(1−y)) − (y ln μ₁ + (1−y) ln(1−μ₁)) (Lemma 8).

    Computed as d(y, μ₁) − (λ−1)(y ln(1/y) + (1−y) ln(1/(1−y))): positive up to λ₀.

    Parameters
    ----------
    lam : float
        λ, in (1, λ₀).
    mu1, mu2, eps : float
        The best mean, the best of the bad ones, and ε: 0 ≤ μ₂ < μ₁−ε ≤ 1−ε.

    Returns
    -------
    float

    Examples
    --------
    >>> round(d_lambda(1.05, 0.5, 0.2, 0.2), 4)
    0.041

    In the book: chapter 6.
    """
    y = _lemma8(mu1, mu2, eps)
    return y.divergence - (lam - 1) * y.entropy


@_checked
def log_R_lambda(lam: float, mu1: float, mu2: float, eps: float) -> float:
    """ln R_λ with R_λ = μ₁(1−y)^λ / (y^λ(1−μ₁)) > 1 (Lemma 8).

    Parameters
    ----------
    lam : float
        λ, in (1, λ₀).
    mu1, mu2, eps : float
        The best mean, the best of the bad ones, and ε: 0 ≤ μ₂ < μ₁−ε ≤ 1−ε.

    Returns
    -------
    float

    Examples
    --------
    >>> round(log_R_lambda(1.05, 0.5, 0.2, 0.2), 4)
    0.8279

    In the book: chapter 6.
    """
    y = _lemma8(mu1, mu2, eps)
    if mu1 == 1:
        return inf
    return log(mu1) - log(1 - decimal(mu1)) + lam * (log(y.y_bar) - log(y.y))


@_checked
def log_C_lambda(lam: float, mu1: float, mu2: float, eps: float) -> float:
    """ln C_λ with C_λ = (λ/e)^λ / (1−y)^λ · R_λ/(R_λ−1), for 1 < λ < λ₀ (Lemma 8).

    Parameters
    ----------
    lam : float
        λ, in (1, λ₀).
    mu1, mu2, eps : float
        The best mean, the best of the bad ones, and ε: 0 ≤ μ₂ < μ₁−ε ≤ 1−ε.

    Returns
    -------
    float

    Examples
    --------
    >>> round(log_C_lambda(1.05, 0.5, 0.2, 0.2), 4)
    -0.0309

    In the book: chapter 6.
    """
    _check_lambda(lam, mu1, mu2, eps)
    log_R = log_R_lambda(lam, mu1, mu2, eps)
    power = lam * (log(lam) - 1 - log(_lemma8(mu1, mu2, eps).y_bar))
    return power - log(-expm1(-log_R))


def _excess_of_lambda_zero(mu1: float, mu2: float, eps: float) -> float:
    """λ₀ − 1, which may be far below 1."""
    y = _lemma8(mu1, mu2, eps)
    return y.divergence / y.entropy


class _Lemma8(NamedTuple):
    y: float
    y_bar: float  # 1−y
    divergence: float  # d(y, μ₁)
    entropy: float  # y ln(1/y) + (1−y) ln(1/(1−y))


@lru_cache(maxsize=1024)
def _lemma8(mu1: float, mu2: float, eps: float) -> _Lemma8:
    """y and what follows from it, after checking that 0 ≤ μ₂ < μ₁−ε ≤ 1−ε."""
    check_eps(eps)
    check_means([mu1, mu2])
    top = decimal(mu1) - decimal(eps)
    if not decimal(mu2) < top:
        raise ValueError(f"mu2 must be below mu1 - eps = {float(top)}, got {mu2}")
    exact = (decimal(mu2) + top) / 2 / ceiling(eps)
    y, y_bar = float(exact), float(1 - exact)
    return _Lemma8(y, y_bar, float(kl(y, mu1)), float(scipy.special.entr([y, y_bar]).sum()))


def _check_lambda(lam: float, mu1: float, mu2: float, eps: float) -> None:
    if not (1 < lam < inf and d_lambda(lam, mu1, mu2, eps) > 0):
        lambda_0 = lambda_zero(mu1, mu2, eps)
        raise ValueError(f"lam must be in (1, lambda_0) = (1, {lambda_0}), got {lam}")


# ------------------------------ Proposition 2: the best arm is played t^b times, mostly
# Σ_t P{N₁(t) ≤ (t−1)^b} ≤ C_b,  b < 1 − 1/λ


@_checked
def saturation_level(t: ArrayLike, mu1: float, mu_a: float, eps: float) -> Any:
    """C_a(t) = 32 ln t / (Δ_a−ε)²: plays that saturate arm a (with Lemma 9).

    Parameters
    ----------
    t : array_like
        A time t ≥ 1, or many.
    mu1, mu_a, eps : float
        The best mean, that of arm a, and ε: μ_a < μ₁−ε.

    Returns
    -------
    float or ndarray

    Examples
    --------
    >>> round(float(saturation_level(5000, 0.5, 0.2, 0.2)))
    27255

    In the book: chapter 6.
    """
    return np.log(np.asarray(t, dtype=float)) * _saturation_rate(mu1, mu_a, eps)


def _saturation_rate(mu1: float, mu_a: float, eps: float) -> float:
    """C_a(t) / ln t."""
    _lemma8(mu1, mu_a, eps)  # for its checks
    return 32 / float(decimal(mu1) - decimal(mu_a) - decimal(eps)) ** 2


@_checked
def log_interval_length(log_t: ArrayLike, b: float, pigeonhole: str = "repaired") -> Any:
    """ln z(t), z(t) = (t−t^b)/(t^b+1): the best arm pauses that long if N₁(t+1) ≤ t^b.

    The paper prints z(t) = t^(1−b) − 1 = (t−t^b)/t^b. But N₁ ≤ t^b plays leave t−N₁
    rounds to N₁+1 pauses, one more than there are plays, and for b < 1/2 all of them
    can be shorter than that (10 plays in 1000 rounds, b = 1/3: eleven pauses of 90).
    With pigeonhole="printed", the printed z is used in everything that depends on it.

    Parameters
    ----------
    log_t : array_like
        ln t, of a time t ≥ 1 or of many.
    b : float
        The exponent b, in (0, 1).
    pigeonhole : {"repaired", "printed"}
        Which z(t).

    Returns
    -------
    float or ndarray

    Examples
    --------
    >>> from math import exp, log
    >>> [round(exp(log_interval_length(log(1000), 1 / 3, z))) for z in ("repaired", "printed")]
    [90, 99]

    In the book: chapter 6.
    """
    _check_b(b)
    _check_pigeonhole(pigeonhole)
    log_t = np.asarray(log_t, dtype=float)
    with np.errstate(divide="ignore"):
        printed = (1 - b) * log_t + np.log(-np.expm1(-(1 - b) * log_t))
    if pigeonhole == "printed":
        return printed
    return printed - np.log1p(np.exp(-b * log_t))


@_checked
def log_L0g(b: float, arms: int, pigeonhole: str = "repaired") -> float:
    """ln L₀ᵍ, L₀ᵍ = (K+1)^(1/(1−b)): from there on, z(t) ≥ K (Proposition 2).

    (2K+1)^(1/(1−b)) for the repaired z(t), which is at least half the printed one.

    Parameters
    ----------
    b : float
        The exponent b, in (0, 1).
    arms : int
        K, the best arm and the bad ones.
    pigeonhole : {"repaired", "printed"}
        Which z(t).

    Returns
    -------
    float

    Examples
    --------
    >>> from math import exp
    >>> round(exp(log_L0g(0.5, 2))), round(exp(log_L0g(0.5, 2, "printed")))
    (25, 9)

    In the book: chapter 6.
    """
    _check_b(b)
    _check_pigeonhole(pigeonhole)
    return log((arms if pigeonhole == "printed" else 2 * arms) + 1) / (1 - b)


@_checked
def log_L0h(b: float, problem: Problem) -> float:
    """ln L₀ʰ: from there on, ⌊z(t)/K²⌋ ≥ C₂(t) (Proposition 2).

    ⌊w⌋ > w−1 is used, so L₀ʰ is the smallest whole number from which on
    z(t) ≥ K²(C₂(t)+1), that is, ln t ≥ ln(1 + K²(C₂(t)+1)(1+t^−b)) / (1−b).

    Parameters
    ----------
    b : float
        The exponent b, in (0, 1).
    problem : Problem
        μ₁, μ₂, ε and the number of arms.

    Returns
    -------
    float

    Examples
    --------
    >>> coin = Problem(mu1=0.5, mu2=0.2, eps=0.2, arms=2)
    >>> round(log_L0h(0.05, coin), 4)
    13.1036

    In the book: chapter 6.
    """
    _check_b(b)
    _check_pigeonhole(problem.pigeonhole)
    rate, arms = _saturation_rate(*problem.lemma8), problem.arms

    def least(log_t: float) -> float:
        needed = arms**2 * (rate * log_t + 1)
        if problem.pigeonhole == "repaired":
            needed *= 1 + exp(-b * log_t)
        return log(1 + needed) / (1 - b)

    # Beyond this start least(s) < s, from ln(1+v) ≤ √v.
    start = 4 * rate / (1 - b) ** 2 + 4 * log(1 + 2 * arms**2) / (1 - b)
    return _log_last(least, start)


def _log_last(least: Callable[[float], float], start: float) -> float:
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


@_checked
def log_C_b(b: float, lam: float, problem: Problem) -> float:
    """ln C_b (Proposition 2), for 1 < λ < λ₀ and 0 < b < 1 − 1/λ, where

    C_b = L₀ + 2(K−1)² Σ_{t≥1} (t^b+1)/t² + Σ_{t≥L₀} Σ_{j≤t^b} (K h + g),
    L₀ = max(L₀ᵍ, L₀ʰ). The last sum is bounded from above.

    Parameters
    ----------
    b : float
        The exponent b, in (0, 1 − 1/λ).
    lam : float
        λ, in (1, λ₀).
    problem : Problem
        μ₁, μ₂, ε and the number of arms.

    Returns
    -------
    float

    Examples
    --------
    >>> coin = Problem(mu1=0.5, mu2=0.2, eps=0.2, arms=2)
    >>> round(log_C_b(0.04, 1.05, coin), 2)
    38.02

    In the book: chapter 6.
    """
    _check_lambda(lam, *problem.lemma8)
    if not 0 < b < (lam - 1) / lam:
        raise ValueError(f"b must be in (0, 1 - 1/lam) = (0, {1 - 1 / lam}), got {b}")
    log_L0 = max(log_L0g(b, problem.arms, problem.pigeonhole), log_L0h(b, problem))
    g_and_h = _log_sum_of_g_and_h(log_L0, b, lam, problem)
    unlikely = log(saturated_but_high(b, problem.arms))
    return float(np.logaddexp.reduce([log_L0, unlikely, g_and_h]))


@_checked
def saturated_but_high(b: float, arms: int) -> float:
    """2(K−1)² Σ_{t≥1} (t^b+1)/t²: saturated arms with large θ, by Lemma 9 (in C_b).

    The paper has t^b/t², but j = 0, …, ⌊t^b⌋ are ⌊t^b⌋+1 numbers.

    Parameters
    ----------
    b : float
        The exponent b, in (0, 1).
    arms : int
        K, the best arm and the bad ones.

    Returns
    -------
    float

    Examples
    --------
    >>> round(saturated_but_high(0.5, 2), 4)
    8.5146

    In the book: chapter 6.
    """
    _check_b(b)
    return float(2 * (arms - 1) ** 2 * scipy.special.zeta([2 - b, 2]).sum())


@_checked
def log_g(
    log_t: ArrayLike, b: float, lam: float, problem: Problem, log_s: ArrayLike | None = None
) -> Any:
    """ln Σ_{j≤t^b} g(j, t): Lemma 8 with x = ⌊z(t)/K⌋ (in C_b), bounded from above.

    `log_s` is ln of an earlier time, if z(s) is to replace z(t).

    Parameters
    ----------
    log_t : array_like
        ln t, of a time t ≥ 1 or of many.
    b : float
        The exponent b, in (0, 1).
    lam : float
        λ, in (1, λ₀).
    problem : Problem
        μ₁, μ₂, ε and the number of arms.
    log_s : array_like, optional
        ln s of an earlier time s.

    Returns
    -------
    float or ndarray

    Examples
    --------
    >>> coin = Problem(mu1=0.5, mu2=0.2, eps=0.2, arms=2)
    >>> round(float(log_g(30, 0.04, 1.05, coin)), 4)
    -27.8702

    In the book: chapter 6.
    """
    log_t = np.asarray(log_t, dtype=float)
    log_s = log_t if log_s is None else np.asarray(log_s, dtype=float)
    log_w = log_interval_length(log_s, b, problem.pigeonhole) - log(problem.arms)
    return _log_lemma8_over_j(log_t, log_w, b, lam, *problem.lemma8)


@_checked
def log_h(
    log_t: ArrayLike, b: float, lam: float, problem: Problem, log_s: ArrayLike | None = None
) -> Any:
    """ln Σ_{j≤t^b} h(j, t): K C₂(t) times Lemma 8 with x = ⌊z(t)/(K²C₂(t))⌋ (in C_b).

    Bounded from above. `log_s` is ln of an earlier time, if x(s) is to replace x(t).

    Parameters
    ----------
    log_t : array_like
        ln t, of a time t ≥ 1 or of many.
    b : float
        The exponent b, in (0, 1).
    lam : float
        λ, in (1, λ₀).
    problem : Problem
        μ₁, μ₂, ε and the number of arms.
    log_s : array_like, optional
        ln s of an earlier time s.

    Returns
    -------
    float or ndarray

    Examples
    --------
    >>> coin = Problem(mu1=0.5, mu2=0.2, eps=0.2, arms=2)
    >>> round(float(log_h(30, 0.04, 1.05, coin)), 4)
    -2.9315

    In the book: chapter 6.
    """
    log_t = np.asarray(log_t, dtype=float)
    log_s = log_t if log_s is None else np.asarray(log_s, dtype=float)
    log_w = _log_w(log_s, b, problem)
    log_count = np.log(problem.arms * _saturation_rate(*problem.lemma8) * log_t)
    return log_count + _log_lemma8_over_j(log_t, log_w, b, lam, *problem.lemma8)


def _log_w(log_t: Any, b: float, problem: Problem) -> Any:
    """ln z(t)/(K²C₂(t)), which increases with t."""
    level = problem.arms**2 * _saturation_rate(*problem.lemma8) * log_t
    return log_interval_length(log_t, b, problem.pigeonhole) - np.log(level)


def _log_lemma8_over_j(
    log_t: Any, log_w: Any, b: float, lam: float, mu1: float, mu2: float, eps: float
) -> Any:
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


def _log_sum_of_g_and_h(log_L0: float, b: float, lam: float, problem: Problem) -> float:
    """ln of a bound on Σ_{t≥L₀} Σ_{j≤t^b} (K h + g).

    Every summand is A(t)·B(x(t)) with A increasing in t, B decreasing in x and x
    increasing in t, so Σ_{t≥L} A(t)B(x(t)) ≤ ∫_L^∞ A(t) B(x(max(t−1, L))) dt. The
    integral is taken in s = ln t. Once d_λ t^b is above 1, its integrand falls like
    e^(−ρs) s^(1+λ) with ρ = λ(1−b) − 1: what lies beyond `end` is below e⁻⁴⁰ of it.
    """

    def log_integrand(log_t: Any) -> Any:
        before = np.maximum(log_t + np.log1p(-np.exp(-log_t)), log_L0)  # ln(t−1)
        # K h as printed; the proof has (K−2) h.
        k_h = log(problem.arms) + log_h(log_t, b, lam, problem, log_s=before)
        return log_t + np.logaddexp(k_h, log_g(log_t, b, lam, problem, log_s=before))

    # ⌊w⌋ ≥ max(1, w−1) has a kink at w = 2.
    kink = scipy.optimize.brentq(lambda s: _log_w(s, b, problem) - log(2), log_L0, 2 * log_L0)
    rho = (lam - 1) - b * lam
    turn = -log(d_lambda(lam, *problem.lemma8)) / b  # where d_λ t^b = 1
    end = max(log_L0, turn) + (80 + 40 * (1 + lam)) / rho
    return _log_integral(log_integrand, log_L0, kink + log1p(exp(-kink)), end)


def _log_integral(
    log_f: Callable[[Any], Any], start: float, kink: float, end: float, panels: int = 120
) -> float:
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


@_checked
def log_L1(b: float, mu1: float, eps: float) -> float:
    """ln L₁: from there on, (t−1)^b ≥ 2 ln t / d(1−ε, μ₁) + 1 (Lemma 4, μ₁ > 1−ε).

    Parameters
    ----------
    b : float
        The exponent b, in (0, 1).
    mu1, eps : float
        The best mean and ε: μ₁ > 1−ε.

    Returns
    -------
    float

    Examples
    --------
    >>> round(log_L1(0.1, 0.9, 0.2), 2)
    82.17

    In the book: chapter 6.
    """
    level = one_minus(check_eps(eps))
    check_means([mu1])
    if not _is_high(mu1, eps):
        raise ValueError(f"mu1 must be above 1 - eps = {level}, got {mu1}")
    divergence = float(kl(level, mu1))
    return _log_last_after_power(b, 2 / divergence, 1) if divergence else inf


@_checked
def log_L2(b: float, eps: float) -> float:
    """ln L₂: from there on, η(t) > μ₁−ε, that is (t−1)^b > 24 ln t / ε² (Lemma 6).

    inf for ε = 0: no η fits between μ₁−ε and μ₁, and Lemma 6 says nothing.

    Parameters
    ----------
    b : float
        The exponent b, in (0, 1).
    eps : float
        ε, in [0, 1).

    Returns
    -------
    float

    Examples
    --------
    >>> round(log_L2(0.1, 0.2), 2), log_L2(0.1, 0)
    (111.07, inf)

    In the book: chapter 6.
    """
    square = float(check_eps(eps)) ** 2
    return _log_last_after_power(b, 24 / square, 0) if square else inf


def _is_high(mu1: float, eps: float) -> bool:
    """μ₁ > 1−ε, the first case of the theorem, decided exactly."""
    return decimal(mu1) > ceiling(eps)


def _log_last_after_power(b: float, rate: float, offset: float) -> float:
    """ln of the smallest whole t from which on (t−1)^b ≥ rate·ln t + offset (≤ 1)."""
    _check_b(b)

    def least(log_t: float) -> float:
        return float(np.logaddexp(0, log(rate * log_t + offset) / b))

    # Beyond this start least(s) < s, from ln(1+v) ≤ √v.
    return _log_last(least, start=2 + 4 * rate / b**2)


@_checked
def eta(t: ArrayLike, mu1: float, eps: float, b: float) -> Any:
    """η(t) = max(μ₁−ε, μ₁ − 2√(6 ln t / (t−1)^b)) (Lemma 6), and η(1) = μ₁−ε.

    (The theorem prints t^b for (t−1)^b.)

    Parameters
    ----------
    t : array_like
        A time t ≥ 1, or many.
    mu1, eps : float
        The best mean and ε.
    b : float
        The exponent b, in (0, 1).

    Returns
    -------
    float or ndarray

    Examples
    --------
    >>> eta([1, 1e3, 1e12], 0.5, 0.2, b=0.5).round(4).tolist()
    [0.3, 0.3, 0.4742]

    In the book: chapter 6.
    """
    _check_b(b)
    floor = float(decimal(mu1) - decimal(eps))
    drop = np.exp(_log_eta_drop(np.log(np.asarray(t, dtype=float)), b))
    return np.where(drop < float(eps), mu1 - drop, floor)[()]


def _log_eta_drop(log_t: ArrayLike, b: float) -> Any:
    """ln of 2√(6 ln t / (t−1)^b); inf for t = 1."""
    log_t = np.asarray(log_t, dtype=float)
    with np.errstate(divide="ignore", invalid="ignore"):
        log_previous = log_t + np.log(-np.expm1(-log_t))  # ln(t−1)
        log_drop = (np.log(24 * log_t) - b * log_previous) / 2
    return np.where(log_t > 0, log_drop, inf)


# --------------------------- Lemma 5: how often is arm a played while θ₁ is above η(t)?


def x_ac(c: ArrayLike, mu1: float, mu_a: ArrayLike, eps: float) -> Any:
    """x_{a,c}, the x in (μ_a, μ₁−ε) with (Lemma 5; arrays of c and μ_a broadcast)

    d(x/(1−ε), (μ₁−ε)/(1−ε)) = d(μ_a/(1−ε), (μ₁−ε)/(1−ε)) / (1+c).

    For ε = 0 and μ₁ = 1 both sides are infinite: then its limit for μ₁ → 1.

    Parameters
    ----------
    c : array_like
        c > 0, or many.
    mu1 : float
        The best mean.
    mu_a : array_like
        The mean of arm a, below μ₁−ε, or many.
    eps : float
        ε, in [0, 1).

    Returns
    -------
    float or ndarray

    Examples
    --------
    >>> x_ac([0.1, 1], 0.5, 0.2, 0.2).round(4).tolist()
    [0.2045, 0.2286]

    In the book: chapter 6.
    """
    _check_mean("mu1", mu1)
    check_eps(eps)
    c = _check_c(c)
    mu_a = check_array("mu_a", mu_a, 0, 1, "numbers in [0, 1]")
    if not mu_a.size:
        raise ValueError("mu_a must hold at least one number, got none")
    c, mu_a = np.broadcast_arrays(c, mu_a)
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


@_checked
def max_ratio(horizon: int, mu1: float, mu_a: float, eps: float, b: float) -> float:
    """max over t ≤ T of ln t / d(μ_a/(1−ε), η(t)/(1−ε)) (Lemma 5).

    Below L₂, η is constant and the last t counts. Beyond it, real t are allowed, and
    the maximum is found by halving: d increases with t, so on [t₁, t₂] the ratio is at
    most ln t₂ / d(…, η(t₁)…), and a piece where that is no more than what was already
    seen is dropped. The value is the maximum over real t, rounded up by less than 1e-8.

    Parameters
    ----------
    horizon : int
        T.
    mu1, mu_a, eps : float
        The best mean, that of arm a, and ε: μ_a < μ₁−ε.
    b : float
        The exponent b, in (0, 1).

    Returns
    -------
    float

    Examples
    --------
    >>> round(max_ratio(5000, 0.5, 0.2, 0.2, b=0.1), 2)
    240.77

    In the book: chapter 6.
    """
    _lemma8(mu1, mu_a, eps)  # for its checks
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


def _kl_to_eta(log_t: Any, mu1: float, mu_a: float, eps: float, b: float) -> Any:
    """d(μ_a/(1−ε), η(t)/(1−ε)), accurate also where η(t) rounds to 1−ε."""
    log_drop = np.minimum(_log_eta_drop(log_t, b), log(eps))
    eta_t = mu1 - np.exp(log_drop)
    above = _log(ceiling(eps) - decimal(mu1))
    log_below = np.logaddexp(above, log_drop)  # ln(1−ε−η(t))
    c = one_minus(eps)
    far = scipy.special.xlogy(mu_a, mu_a / eta_t) + (c - mu_a) * (log(c - mu_a) - log_below)
    return np.where(log_below < log(1e-6 * c), far / c, scaled_kl(mu_a, eta_t, eps))


# --------------------------------------------------------------------- Theorem 3


@dataclass(frozen=True)
class FiniteTimeBound:
    """Theorem 3 in numbers: R_f(T) ≤ total = ΣA + B + C, as `finite_time_bound` gives it.

    The rounds are sorted by what happens to the best arm: in those of (A) its θ₁(t) is above
    η(t), in those of (B) it is not although the arm was played often, N₁(t) > (t−1)^b, and
    in those of (C) it was not played often. Each part also has its natural logarithm, as
    `log_B`: the numbers are so large that e to it may overflow (to inf).

    Attributes
    ----------
    case : {1, 2, None}
        1 if μ₁ > 1−ε, 2 if μ₁ ≤ 1−ε, None if no arm with Δ_a > ε costs anything (bound 0).
    horizon : int
        T.
    means : tuple of floats
        μ₁ and the means of the arms with Δ_a > ε, in decreasing order.
    costs : tuple of floats
        f(Δ_a) of these arms, without the best.
    b, lam, c : float
        The chosen parameters b, λ and c; c is None in case 1, which has none.
    constants : dict
        Everything of the proof by name, logarithms where the name says so.
    log_A : tuple of floats
        For each arm with Δ_a > ε, ln of f(Δ_a) times the bound on its plays in (A).
    log_B, log_C : float
        ln of f_max = max f(Δ_a) times the bounds on the rounds of (B) and of (C).

    Examples
    --------
    >>> from lenient import finite_time_bound, hinge
    >>> bound = finite_time_bound([0.9, 0.6], 0.2, hinge(0.2), horizon=5000)
    >>> bound.case, bound.means, round(bound.log_B, 1), round(bound.log_C, 1)
    (1, (0.9, 0.6), 126.7, 89.6)

    In the book: chapter 6.
    """

    case: int | None
    horizon: int
    means: tuple[float, ...]
    costs: tuple[float, ...]
    b: float
    lam: float
    c: float | None
    constants: dict[str, Any] = field(hash=False)
    log_A: tuple[float, ...]
    log_B: float
    log_C: float

    @property
    def log_total(self) -> float:
        """ln of the bound, ln(ΣA + B + C)."""
        return float(np.logaddexp.reduce([*self.log_A, self.log_B, self.log_C]))

    @property
    def A(self) -> tuple[float, ...]:
        """f(Δ_a) times the bound on the plays in (A), for each arm with Δ_a > ε."""
        return tuple(map(_exp, self.log_A))

    @property
    def B(self) -> float:
        """f_max times the bound on the rounds of (B)."""
        return _exp(self.log_B)

    @property
    def C(self) -> float:
        """f_max times C_b, the bound on the rounds of (C)."""
        return _exp(self.log_C)

    @property
    def total(self) -> float:
        """The bound on the lenient regret, ΣA + B + C."""
        return _exp(self.log_total)

    @property
    def trivial(self) -> float:
        """T · f_max, which no policy exceeds."""
        try:
            return self.horizon * max(self.costs, default=0.0)
        except OverflowError:  # T > 1e308
            return inf


def finite_time_bound(
    means: Iterable[float | Law],
    eps: float,
    gap: GapFunction,
    horizon: int,
    *,
    b: float | None = None,
    lam: float | None = None,
    c: float | None = None,
    pigeonhole: str = "repaired",
) -> FiniteTimeBound:
    """Theorem 3, a bound on the lenient regret of ε-TS that holds for every horizon T.

    If μ₁ > 1−ε: Σ f(Δ_a)/d(1−ε, μ_a) + f_max (L₁ + π²/(6 d(1−ε, μ₁)) + C_b).
    If μ₁ ≤ 1−ε: Σ f(Δ_a) [(1+c)² M_a(T) + 2 + 1/c + 1/d(x_{a,c}, μ_a)]
    + f_max (L₂ + 6 + C_b), M_a(T) = max_{t≤T} ln t / d(μ_a/(1−ε), η(t)/(1−ε)). This is
    infinite for ε = 0, as L₂ is: the theorem says nothing there.

    The theorem is proved for bandits in which all arms but one best arm have Δ_a > ε. Other
    arms are left out: that they cannot raise the lenient regret at some T is open, though
    the rate is proved with any arms (appendix of the book). Unless given, b and λ minimise
    the part that does not depend on T (see `choose_b_and_lambda`), and c the rest, on a
    grid in ln c that is refined around its best point.

    Parameters
    ----------
    means : list of numbers and laws
        The arms. Only the mean of a law counts, as ε-TS rounds rewards to 0 and 1.
    eps : float
        The leniency ε of ε-TS, in [0, 1).
    gap : GapFunction
        f. Any that is not negative, also with a larger gap.eps, if no arm of this bandit
        with Δ_a ≤ ε costs anything.
    horizon : int
        T.
    b, lam : float, optional
        b and λ, with 1 < λ < λ₀ and 0 < b < 1 − 1/λ. Both or none.
    c : float, optional
        c > 0, for the second case.
    pigeonhole : {"repaired", "printed"}
        Which z(t), see `log_interval_length`.

    Returns
    -------
    FiniteTimeBound
        The bound as `total`, with its parts and constants by name.

    Examples
    --------
    >>> from lenient import hinge
    >>> bound = finite_time_bound([0.5, 0.2], 0.2, hinge(0.2), horizon=5000)
    >>> bound.case, round(bound.A[0], 2), round(bound.log_total, 1)
    (2, 131.94, 104.1)

    It is far above what no policy exceeds:

    >>> bound.total > bound.trivial
    True

    In the book: chapter 6.
    """
    horizon, eps = check_count("horizon", horizon), check_eps(eps)
    _check_pigeonhole(pigeonhole)
    mu1, bad_arms = arms_beyond(means, eps, gap)
    if not any(bad.cost for bad in bad_arms):
        return FiniteTimeBound(None, horizon, (mu1,), (), nan, nan, None, {}, (), -inf, -inf)
    mus = tuple(bad.mean for bad in bad_arms)
    costs = tuple(bad.cost for bad in bad_arms)
    _check_representable(mu1, mus[0], eps)
    problem = Problem(mu1, mus[0], eps, 1 + len(mus), pigeonhole)
    if (b is None) != (lam is None):
        raise ValueError(
            f"b and lam must be given together, got b={shown(b)}, lam={shown(lam)}"
        )
    if b is None or lam is None:
        b, lam = choose_b_and_lambda(problem)
    if c is not None:
        _check_number("c", c)
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


def _check_representable(mu1: float, mu2: float, eps: float) -> None:
    """The constants hold 1/ε² and 1/(μ₁−μ₂−ε)², which no double might."""
    if 0 < decimal(eps) < TINY:
        raise ValueError(f"eps must be 0 or at least {TINY}, got {shown(eps)}")
    if decimal(mu1) - decimal(mu2) - decimal(eps) < TINY:
        raise ValueError(
            f"means must be at least {TINY} further apart than eps, got {mu1} and {mu2}"
        )


def _constants(b: float, lam: float, problem: Problem) -> dict[str, Any]:
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


def _first_case(
    b: float, mu1: float, mus: tuple[float, ...], eps: float, constants: dict[str, Any]
) -> tuple[list[float], float]:
    """μ₁ > 1−ε: bounds on (A) for each arm and ln of that on (B), by Lemmas 3 and 4."""
    level = one_minus(eps)
    constants["log_L1"] = log_L1(b, mu1, eps)
    plays = [1 / float(kl(level, mu_a)) for mu_a in mus]
    rest = scipy.special.zeta(2) / float(kl(level, mu1))
    return plays, float(np.logaddexp(constants["log_L1"], _log(rest)))


def _second_case(
    b: float,
    c: float | None,
    mu1: float,
    mus: tuple[float, ...],
    costs: tuple[float, ...],
    eps: float,
    horizon: int,
    constants: dict[str, Any],
) -> tuple[float, list[float], float]:
    """μ₁ ≤ 1−ε: c, bounds on (A) for each arm, ln of that on (B); Lemmas 5 and 6."""
    ratios = tuple(max_ratio(horizon, mu1, mu_a, eps, b) for mu_a in mus)

    ratio, mu_a = np.transpose([ratios]), np.transpose([mus])  # a row for each arm

    def plays(c: Any) -> Any:
        return (1 + c) ** 2 * ratio + 2 + 1 / c + 1 / kl(x_ac(c, mu1, mu_a, eps), mu_a)

    if c is None:
        c = _zoom(lambda c: costs @ plays(c))
    constants["log_L2"] = log_L2(b, eps)
    constants["max_ratio"] = ratios
    constants["x_ac"] = tuple(x_ac(c, mu1, mu_a, eps)[:, 0].tolist())
    log_low = float(np.logaddexp(constants["log_L2"], log(6)))
    return c, plays(c)[:, 0].tolist(), log_low


def _zoom(cost: Callable[[Any], Any]) -> float:
    """The positive c of least cost: a grid in ln c from 1e-6 to 1e6, refined."""
    centre, reach = 0.0, log(1e6)
    for _ in range(5):
        grid = np.exp(centre + np.linspace(-reach, reach, 101))
        centre, reach = log(grid[np.argmin(cost(grid))]), reach / 25
    return exp(centre)


@_checked
@lru_cache(maxsize=1024)  # the same for every horizon and every gap function
def choose_b_and_lambda(problem: Problem) -> tuple[float, float]:
    """The b and λ of least C_b + L₁ (if μ₁ > 1−ε) or C_b + L₂ (else).

    As in the theorem they do not depend on T; what does, (A), is of the order of ln T
    and dwarfed by the rest. The search is for the place of b in (0, 1−1/λ₀) and that of
    1−1/λ in (b, 1−1/λ₀), on a logistic scale: the best point of a coarse grid, then
    Nelder and Mead's simplex, for the logarithm of the cost. Where L₁ or L₂ rules, the
    best b is all but 1−1/λ₀, so a millionth of either range is left free at its ends.

    Parameters
    ----------
    problem : Problem
        μ₁, μ₂, ε and the number of arms.

    Returns
    -------
    tuple of two floats
        b and λ.

    Examples
    --------
    >>> b, lam = choose_b_and_lambda(Problem(mu1=0.5, mu2=0.2, eps=0.2, arms=2))
    >>> round(b, 3), round(lam, 3)
    (0.104, 1.116)

    In the book: chapter 6.
    """
    b_max = 1 / (1 + 1 / _excess_of_lambda_zero(*problem.lemma8))  # 1−1/λ₀
    if b_max < 1e-12:
        raise ValueError(
            f"means must be further apart than eps by more: "
            f"b must be below 1 - 1/lambda_0 = {b_max}, too close to 0"
        )
    mu1, mu2, eps = problem.lemma8
    high = _is_high(mu1, eps)

    def parameters(point: Any) -> tuple[float, float]:
        place_b, place_lam = 1e-6 + (1 - 2e-6) * scipy.special.expit(point)
        b = place_b * b_max
        below = b + place_lam * (b_max - b)  # 1−1/λ
        return float(b), float(1 + below / (1 - below))

    def cost(point: Any) -> float:
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
    least = scipy.optimize.minimize(cost, start, method="Nelder-Mead", options=options)
    return parameters(least.x)


def _check_b(b: float) -> None:
    if not 0 < b < 1:
        raise ValueError(f"b must be in (0, 1), got {b}")


def _check_c(c: ArrayLike) -> Any:
    array = check_array("c", c, -inf, inf, "a positive number")
    if not (array.size and np.all((0 < array) & (array < inf))):
        raise ValueError(f"c must be a positive number, got {shown(c)}")
    return array


def _check_pigeonhole(pigeonhole: str) -> None:
    if not (isinstance(pigeonhole, str) and pigeonhole in ("repaired", "printed")):
        raise ValueError(f'pigeonhole must be "repaired" or "printed", got {shown(pigeonhole)}')


def _log(x: Any) -> float:
    return log(x) if x > 0 else -inf


def _exp(x: float) -> float:
    return exp(x) if x < 709 else inf
