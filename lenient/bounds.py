"""The asymptotic bounds of the paper, coefficients of ln T, for Bernoulli arms.

The letters are the paper's: μ₁ = μ* is the mean of the best arm, μ_a and Δ_a = μ* − μ_a mean
and gap of another, d is `lenient.divergence.kl`. Theorems and lemmas are numbered as in the
paper. What holds at every finite T is in `lenient.finite_time`.
"""

import numpy as np

from lenient._check import check_eps, check_means
from lenient.divergence import kl, scaled_kl
from lenient.exact import decimal, one_minus
from lenient.gaps import suboptimality


def lower_bound(means, eps, gap):
    """Σ f(Δ_a) / d(μ_a, μ*+ε), over arms with Δ_a > ε: Theorem 1, Bernoulli arms.

    No consistent policy has a lower coefficient of ln T. 0 where μ*+ε ≥ 1.

    Here and below, `gap` is evaluated at gaps above ε only. One that does not vanish up
    to ε, such as `standard()`, makes sense when every gap is 0 or above ε.
    """
    eps = check_eps(eps)
    mu1, arms = arms_beyond(means, eps, gap)
    target = float(decimal(mu1) + decimal(eps))  # 0.8 + 0.2 is 1
    return _sum_of_costs(arms, lambda mu_a: kl(mu_a, target))


def upper_bound(means, eps, gap):
    """Σ f(Δ_a) / d(μ_a/(1−ε), μ*/(1−ε)), over arms with Δ_a > ε: Theorem 2.

    What ε-TS achieves, as a coefficient of ln T. 0 where μ* ≥ 1−ε.
    """
    mu1, arms = arms_beyond(means, check_eps(eps), gap)
    return _sum_of_costs(arms, lambda mu_a: scaled_kl(mu_a, mu1, eps))


def loose_upper_bound(means, eps, gap):
    """4(1−ε) Σ f(Δ_a) / d(μ_a, μ*+ε), over arms with Δ_a > ε: Theorem 2, second form.

    By Lemma 7 it is at least `upper_bound`.
    """
    return 4 * one_minus(check_eps(eps)) * lower_bound(means, eps, gap)


def standard_bound(means, gap):
    """Σ f(Δ_a) / d(μ_a, μ*), over arms with Δ_a > gap.eps.

    The lenient regret of an asymptotically optimal standard algorithm, such as TS or
    KL-UCB, as a coefficient of ln T.
    """
    mu1, arms = arms_beyond(means, _check_gap(gap).eps, gap)
    return _sum_of_costs(arms, lambda mu_a: kl(mu_a, mu1))


def tail_exponent(mu1, mu2, eps):
    """κ = ln(1−μ₁) / ln(1−μ₂/(1−ε)), of a best arm and a rival below 1−ε.

    With a probability of about T^−κ at least, ε-TS plays the rival in nearly all of the
    first T rounds; that of TS has ε = 0.
    """
    ceiling = one_minus(check_eps(eps))
    if not (0 < mu2 < ceiling and 0 < mu1 < 1):
        raise ValueError(f"mu1 must be in (0, 1) and mu2 in (0, 1 - eps), got {mu1} and {mu2}")
    return float(np.log1p(-mu1) / np.log1p(-mu2 / ceiling))


def arms_beyond(means, eps, gap):
    """μ₁ and, for each arm with Δ_a > ε in decreasing order of μ_a, (μ_a, f(Δ_a))."""
    _check_gap(gap)
    means = check_means(means)
    gaps = suboptimality(means)
    beyond = [a for a in np.argsort(gaps, kind="stable") if gaps[a] > float(eps)]
    return float(means.max()), [(float(means[a]), float(gap(gaps[a]))) for a in beyond]


def _sum_of_costs(arms, divergence):
    return float(sum(cost / float(divergence(mu_a)) for mu_a, cost in arms))


def _check_gap(gap):
    if not (callable(gap) and hasattr(gap, "eps")):
        raise ValueError(f"gap must be a gap function such as hinge(0.2), got {gap!r}")
    return gap
