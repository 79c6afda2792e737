"""The asymptotic bounds of the paper, coefficients of ln T.

The letters are the paper's: μ₁ = μ* is the mean of the best arm, μ_a and Δ_a = μ* − μ_a mean
and gap of another, d is `lenient.divergence.kl`. Theorems and lemmas are numbered as in the
paper. What holds at every finite T is in `lenient.finite_time`.

Arms are numbers, the means of rewards 0 and 1, or laws on [0, 1] (see `lenient.laws`). What
no policy can beat depends on the whole law of an arm. What ε-TS and TS achieve depends on its
mean alone, since they round rewards at random to 0 and 1.

A bound for ε is about ε-gap functions. Another function of the gap is accepted where it does
no harm and refused where the number would be wrong:

- one that charges an arm of this bandit with Δ_a ≤ ε, in every bound: that cost is left out;
- one that is 0 up to a larger ε, in `lower_bound`: its proof moves an arm to just above μ*+ε
  and needs that all others cost something then. An upper bound does without, and f ≥ 0 is
  enough for it.
"""

from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

import numpy as np

from lenient._check import check_count, check_eps, check_means, floats, shown
from lenient.divergence import kl, scaled_kl
from lenient.exact import decimal, one_minus
from lenient.gaps import Criterion, GapFunction, costs, shortfall, suboptimality, top
from lenient.laws import Law, check_arms, is_law, law_kinf, means_of
from lenient.leniency import Leniency


def lower_bound(means: Iterable[float | Law], eps: float, gap: GapFunction) -> float:
    """Σ f(Δ_a) / K_inf(ν_a, μ*+ε), over arms with Δ_a > ε: Theorem 1.

    No policy that is consistent over all laws on [0, 1] has a lower coefficient of ln T. For
    a number, a Bernoulli arm, K_inf is d(μ_a, μ*+ε), and the same holds for policies that
    are consistent over Bernoulli laws only. For every other law K_inf is larger: with the
    same means, the bound for laws is at most the one for numbers. 0 where μ*+ε ≥ 1.

    Parameters
    ----------
    means : list of numbers and laws
        The arms: means in [0, 1] of Bernoulli arms, and laws on [0, 1] that `law_kinf` knows.
    eps : float
        The leniency ε, in [0, 1).
    gap : GapFunction
        f, which is positive beyond ε: gap.eps is at most ε. It may be another function than
        an ε-gap function, such as `standard()`, if no arm of this bandit with Δ_a ≤ ε costs
        anything.

    Returns
    -------
    float

    Examples
    --------
    >>> from lenient import Sample, hinge
    >>> round(lower_bound([0.5, 0.2], 0.2, hinge(0.2)), 4)
    0.1872
    >>> lower_bound([0.9, 0.2], 0.2, hinge(0.2))
    0.0

    Rewards that vary less tell more:

    >>> round(lower_bound([0.5, Sample([0.1, 0.3])], 0.2, hinge(0.2)), 4)
    0.1028

    A bound for ε = 0.2 is no bound for a function that is 0 up to 0.3:

    >>> lower_bound([0.5, 0.1], 0.2, hinge(0.3))
    Traceback (most recent call last):
        ...
    ValueError: gap must be positive beyond eps = 0.2, so gap.eps at most 0.2, got hinge: \
f(Δ) = max(Δ − 0.3, 0) with gap.eps = 0.3

    In the book: chapter 3.
    """
    eps = check_eps(eps)
    if decimal(_check_gap(gap).eps) > decimal(eps):
        raise ValueError(
            f"gap must be positive beyond eps = {eps}, so gap.eps at most {eps}, "
            f"got {gap!r} with gap.eps = {gap.eps}"
        )
    mu1, arms = arms_beyond(means, eps, gap)
    target = _sum(mu1, eps)
    return _sum_of_costs(arms, lambda bad: _divergence(bad, target))


def upper_bound(means: Iterable[float | Law], eps: float, gap: GapFunction) -> float:
    """Σ f(Δ_a) / d(μ_a/(1−ε), μ*/(1−ε)), over arms with Δ_a > ε: Theorem 2.

    What ε-TS achieves, as a coefficient of ln T. 0 where μ* ≥ 1−ε.

    Parameters
    ----------
    means : list of numbers and laws
        The arms. Only the mean of a law counts, as ε-TS rounds rewards to 0 and 1.
    eps : float
        The leniency ε of ε-TS, in [0, 1).
    gap : GapFunction
        f. Any that is not negative, also with a larger gap.eps, if no arm of this bandit
        with Δ_a ≤ ε costs anything.

    Returns
    -------
    float

    Examples
    --------
    >>> from lenient import hinge, standard
    >>> round(upper_bound([0.5, 0.2], 0.2, hinge(0.2)), 4)
    0.3439
    >>> upper_bound([0.9, 0.2], 0.2, hinge(0.2))
    0.0

    The standard regret of ε-TS has a bound if no gap lies in (0, ε]:

    >>> round(upper_bound([0.5, 0.2], 0.2, standard()), 4)
    1.0317
    >>> upper_bound([0.5, 0.45, 0.2], 0.2, standard())
    Traceback (most recent call last):
        ...
    ValueError: gap must cost nothing up to eps = 0.2, as hinge(0.2), indicator(0.2) and \
cutoff(0.2) do, got standard: f(Δ) = Δ with gap.eps = 0, which charges 0.05 for arm 1, \
0.05 below the best

    In the book: chapter 4.
    """
    mu1, arms = arms_beyond(means, check_eps(eps), gap)
    return _sum_of_costs(arms, lambda bad: scaled_kl(bad.mean, mu1, eps))


def loose_upper_bound(means: Iterable[float | Law], eps: float, gap: GapFunction) -> float:
    """4(1−ε) Σ f(Δ_a) / d(μ_a, μ*+ε), over arms with Δ_a > ε: Theorem 2, second form.

    By Lemma 7 it is at least `upper_bound`. For Bernoulli arms it is 4(1−ε) times
    `lower_bound`, which shows that ε-TS is optimal up to that factor.

    Parameters
    ----------
    means : list of numbers and laws
        The arms. Only the mean of a law counts, as ε-TS rounds rewards to 0 and 1.
    eps : float
        The leniency ε of ε-TS, in [0, 1).
    gap : GapFunction
        f, as for `upper_bound`.

    Returns
    -------
    float

    Examples
    --------
    >>> from lenient import hinge
    >>> round(loose_upper_bound([0.5, 0.2], 0.2, hinge(0.2)), 4)
    0.5991
    >>> round(4 * 0.8 * lower_bound([0.5, 0.2], 0.2, hinge(0.2)), 4)
    0.5991

    In the book: chapter 4.
    """
    mu1, arms = arms_beyond(means, check_eps(eps), gap)
    target = _sum(mu1, eps)
    return 4 * one_minus(eps) * _sum_of_costs(arms, lambda bad: kl(bad.mean, target))


def standard_bound(means: Iterable[float | Law], gap: GapFunction) -> float:
    """Σ f(Δ_a) / K_inf(ν_a, μ*), over arms with Δ_a > gap.eps.

    The lenient regret of an asymptotically optimal standard algorithm, as a coefficient of
    ln T. For numbers, Bernoulli arms, K_inf is d(μ_a, μ*), and TS and KL-UCB are such
    algorithms. For laws it takes one that is optimal for all laws on [0, 1]; TS and KL-UCB
    see rewards rounded to 0 and 1, and have the larger bound for the means of the laws.

    Parameters
    ----------
    means : list of numbers and laws
        The arms: means in [0, 1] of Bernoulli arms, and laws on [0, 1] that `law_kinf` knows.
    gap : GapFunction
        f; gap.eps is the ε.

    Returns
    -------
    float

    Examples
    --------
    >>> from lenient import Sample, hinge, standard
    >>> round(standard_bound([0.9, 0.6], standard()), 4)
    0.9639
    >>> round(standard_bound([0.5, 0.2], hinge(0.2)), 4)
    0.5188
    >>> round(standard_bound([0.5, Sample([0.1, 0.3])], hinge(0.2)), 4)
    0.2164

    In the book: chapters 1 and 4.
    """
    mu1, arms = arms_beyond(means, _check_gap(gap).eps, gap)
    return _sum_of_costs(arms, lambda bad: _divergence(bad, mu1))


def tail_exponent(mu1: float, mu2: float, eps: float) -> float:
    """κ = ln(1−μ₁) / ln(1−μ₂/(1−ε)), of a best arm and a rival below 1−ε.

    With a probability of about T^−κ at least, ε-TS plays the rival in nearly all of the
    first T rounds; that of TS has ε = 0.

    Parameters
    ----------
    mu1 : float
        The mean of the best arm, in (0, 1).
    mu2 : float
        The mean of the rival, in (0, 1−ε).
    eps : float
        The leniency ε of ε-TS, in [0, 1).

    Returns
    -------
    float

    Examples
    --------
    >>> round(tail_exponent(0.9, 0.6, eps=0.2), 3), round(tail_exponent(0.9, 0.6, eps=0), 3)
    (1.661, 2.513)

    In the book: chapters 4 and 8.
    """
    ceiling = one_minus(check_eps(eps))
    try:
        best, rival = (float(floats(mean)) for mean in (mu1, mu2))
    except (TypeError, ValueError):  # not numbers, or not single ones
        best = rival = np.nan
    if not (0 < rival < ceiling and 0 < best < 1):
        raise ValueError(
            f"mu1 must be in (0, 1) and mu2 in (0, 1 - eps), got {shown(mu1)} and {shown(mu2)}"
        )
    with np.errstate(over="ignore"):  # inf, for a rival that hardly ever wins
        return float(np.log1p(-best) / np.log1p(-rival / ceiling))


def leniency_bound(
    means: Iterable[float | Law],
    leniency: Leniency,
    gap: GapFunction | Criterion | None = None,
) -> float:
    """Σ f_a / K_inf(ν_a, G(μ*)), over arms with μ_a < g(μ*): the lower bound for any leniency.

    No policy that plays every unacceptable arm o(T^α) times, for all α > 0 and on every
    bandit, has a lower coefficient of ln T. 0 where G(μ*) = 1. For `additive(eps)` it is
    `lower_bound`.

    Parameters
    ----------
    means : list of numbers and laws
        The arms: means in [0, 1] of Bernoulli arms, and laws on [0, 1] that `law_kinf` knows.
    leniency : Leniency
        What is forgiven, such as `multiplicative(0.2)`.
    gap : GapFunction or Criterion, optional
        What plays cost: nothing for acceptable arms of this bandit. Left out:
        `shortfall(leniency)`.

    Returns
    -------
    float

    Examples
    --------
    >>> from lenient import additive, multiplicative, threshold, unacceptable
    >>> share = multiplicative(0.2)
    >>> round(leniency_bound([0.5, 0.3], share, unacceptable(share)), 3)
    4.614
    >>> round(leniency_bound([0.5, 0.2], additive(0.2)), 4)
    0.1872

    With a threshold of 0.7, what is sure to be enough needs no further look:

    >>> leniency_bound([0.9, 0.6, 0.5], threshold(0.7))
    0.0

    In the book: chapter 15.
    """
    if gap is None:
        gap = shortfall(leniency)
    if not isinstance(leniency, Leniency):
        raise ValueError(f"leniency must be one such as additive(0.2), got {shown(leniency)}")
    arms, mus, paid = _arms_and_costs(means, gap)
    acceptable = leniency.acceptable(mus)
    _check_free(gap, paid, acceptable, f"acceptable by {leniency.name}")
    target = float(leniency.G(mus.max()))
    bad = [BadArm(arms[a], float(mus[a]), paid[a]) for a in np.flatnonzero(~acceptable)]
    return _sum_of_costs(bad, lambda arm: _divergence(arm, target)) if target < 1 else 0.0


def top_bound(
    means: Iterable[float | Law], m: int, gap: GapFunction | Criterion | None = None
) -> float:
    """min Σ f_a x_a where every m bad arms have Σ x_a K_inf(ν_a, μ*) ≥ 1: the top-m bound.

    An arm is bad if at least m arms are better. No policy that plays every bad arm o(T^α)
    times, for all α > 0 and on every bandit, has a lower coefficient of ln T. With the weights
    w_a = f_a / K_inf(ν_a, μ*) in falling order the linear program has the value
    min over r < m of (w_{r+1} + w_{r+2} + …) / (m − r). It is 0 if there are fewer than m bad
    arms, or if μ* = 1.

    Parameters
    ----------
    means : list of numbers and laws
        The arms: means in [0, 1] of Bernoulli arms, and laws on [0, 1] that `law_kinf` knows.
    m : int
        Any of the m best arms will do.
    gap : GapFunction or Criterion, optional
        What plays cost: nothing for the free arms of this bandit. Left out: `top(m)`.

    Returns
    -------
    float

    Examples
    --------
    Four bad arms, two of which must be better before the leader is bad:

    >>> round(top_bound([0.7, 0.6, 0.3, 0.3, 0.3, 0.3], 2), 3)
    5.901
    >>> top_bound([0.7, 0.6, 0.3], 2)
    0.0

    In the book: chapter 15.
    """
    m = check_count("m", m)
    if gap is None:
        gap = top(m)
    arms, mus, paid = _arms_and_costs(means, gap)
    bad = costs(top(m), mus) > 0
    _check_free(gap, paid, ~bad, f"among the best {m}")
    best = float(mus.max())
    if best == 1 or bad.sum() < m:
        return 0.0
    found = [BadArm(arms[a], float(mus[a]), paid[a]) for a in np.flatnonzero(bad)]
    weights = sorted((arm.cost / float(_divergence(arm, best)) for arm in found), reverse=True)
    return float(min(sum(weights[r:]) / (m - r) for r in range(m)))


def _arms_and_costs(means: Any, gap: Any) -> tuple[list, Any, list[float]]:
    """The arms, their means and what their plays cost, by a criterion that fits."""
    arms = check_arms(means)
    mus = check_means(np.clip(means_of(arms), 0, 1))
    paid = costs(gap, mus)
    if (paid < 0).any():
        raise ValueError(f"gap must give costs of at least 0, got {shown(paid)}")
    return arms, mus, paid.tolist()


def _check_free(gap: Any, paid: list[float], free: Any, why: str) -> None:
    for arm in np.flatnonzero(free):
        if paid[arm] != 0:
            raise ValueError(
                f"gap must cost nothing for arm {arm}, which is {why}, "
                f"got {shown(gap)}, which charges {paid[arm]}"
            )


class BadArm(NamedTuple):
    """An arm with Δ_a > ε: a number or a law, its mean μ_a and its cost f(Δ_a)."""

    arm: Any
    mean: float
    cost: float


def arms_beyond(
    means: Iterable[float | Law], eps: float, gap: GapFunction
) -> tuple[float, list[BadArm]]:
    """μ₁ and the arms with Δ_a > ε in decreasing order of μ_a, for a gap function that fits.

    Parameters
    ----------
    means : list of numbers and laws
        The arms.
    eps : float
        ε, in [0, 1).
    gap : GapFunction
        f: not negative, and 0 for the arms with Δ_a ≤ ε.

    Returns
    -------
    tuple
        μ₁ and a list of `BadArm`.

    Examples
    --------
    >>> from lenient import cutoff
    >>> arms_beyond([0.2, 0.5, 0.45], 0.2, cutoff(0.2))
    (0.5, [BadArm(arm=0.2, mean=0.2, cost=0.3)])
    """
    _check_gap(gap)
    arms = check_arms(means)
    mus = check_means(np.clip(means_of(arms), 0, 1))
    gaps, bad = suboptimality(mus), []
    for a in np.argsort(gaps, kind="stable"):
        cost = _cost(gap, float(gaps[a]))
        if gaps[a] > float(decimal(eps)):
            bad.append(BadArm(arms[a], float(mus[a]), cost))
        elif cost != 0:
            raise ValueError(
                f"gap must cost nothing up to eps = {eps}, as hinge({eps}), indicator({eps}) "
                f"and cutoff({eps}) do, got {gap!r} with gap.eps = {gap.eps}, which charges "
                f"{cost} for arm {a}, {float(gaps[a])} below the best"
            )
    return float(mus.max()), bad


def _sum(mu1: float, eps: float) -> float:
    """μ₁+ε as decimals: 0.8 + 0.2 is 1."""
    return float(decimal(mu1) + decimal(eps))


def _divergence(bad: BadArm, target: float) -> Any:
    """K_inf of the arm: d(μ_a, target) if it is a number."""
    return law_kinf(bad.arm, target) if is_law(bad.arm) else kl(bad.mean, target)


def _sum_of_costs(arms: list[BadArm], divergence: Callable[[BadArm], Any]) -> float:
    return float(sum(bad.cost / float(divergence(bad)) for bad in arms))


def _check_gap(gap: Any) -> Any:
    """A gap function: callable, with its ε."""
    try:
        if not callable(gap):
            raise TypeError
        check_eps(gap.eps)
    except (AttributeError, TypeError, ValueError):
        raise ValueError(
            f"gap must be a gap function such as hinge(0.2), got {shown(gap)}"
        ) from None
    return gap


def _cost(gap: Any, at: float) -> float:
    try:
        cost = float(gap(at))
    except (TypeError, ValueError) as error:
        raise ValueError(f"gap must give a number for the gap {at}, got {error}") from None
    if not 0 <= cost < np.inf:
        raise ValueError(f"gap must give costs of at least 0, got {cost} for the gap {at}")
    return cost
