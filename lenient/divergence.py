"""Divergences between laws on [0, 1], accurate to 1e-13 wherever p and q lie.

`kl` is the Bernoulli divergence d(p, q) of the paper, `scaled_kl` its form on
[0, 1-eps], `kinf` its counterpart for all laws on [0, 1], and `kl_ucb` the inverse of
`kl` in q. None of them knows anything of bandits.
"""

from fractions import Fraction

import numpy as np
from scipy.optimize import brentq
from scipy.special import expit, xlogy

from lenient._check import check_eps
from lenient.exact import one_minus


def kl(p, q):
    """d(p, q) = p ln(p/q) + (1-p) ln((1-p)/(1-q)), Bernoulli laws; broadcasts.

    0 ln 0 = 0, and the value is inf where p > 0 = q or p < 1 <= q. Above 1 every q
    gives inf, p = 1 too: no law on [0, 1] has such a mean.
    """
    return scaled_kl(p, q, 0)


def scaled_kl(p, q, eps):
    """d(p/(1-eps), q/(1-eps)) = [p ln(p/q) + (c-p) ln((c-p)/(c-q))] / c, c = 1-eps.

    Laws on [0, 1-eps] take the place of laws on [0, 1]: the value is inf where
    p < 1-eps <= q, and wherever p or q exceeds 1-eps, the mean of no such law.
    """
    p = _checked("p", p, 0, 1, "a number in [0, 1]")
    q = _checked("q", q, 0, np.inf, "a number >= 0")
    for each in np.asarray(eps, dtype=object).ravel().tolist():
        check_eps(each)
    c = np.asarray(one_minus(eps))
    with np.errstate(all="ignore"):
        # The two differences cancel; each term is then >= 0 and accurate.
        value = _term(p, q, q - p, c) + _term(c - p, c - q, p - q, c)
    return np.where(np.maximum(p, q) > c, np.inf, value)[()]


def kinf(values, probs, x):
    """K_inf(nu, x) = inf {KL(nu, nu') : nu' on [0, 1] with mean above x}.

    nu puts `probs` (None: equal weights, as for a sample) on `values`; broadcasts
    over x. Computed from the concave dual, max over 0 <= lam <= 1/(1-x) of
    sum_i probs_i ln(1 - lam (values_i - x)); 0 up to the mean of nu, inf from 1 on.
    """
    x = _checked("x", x, -np.inf, np.inf, "a number")
    law = _law(values, probs)
    result = [_kinf_at(*law, each) for each in x.ravel().tolist()]
    return np.reshape(result, x.shape)[()]


def kl_ucb(p, n, level):
    """The largest q in [p, 1] with n d(p, q) <= level; broadcasts.

    1 where n = 0 or level = inf: nothing is known, or nothing is excluded.
    """
    p = _checked("p", p, 0, 1, "a number in [0, 1]")
    n = _checked("n", n, 0, np.inf, "a number >= 0")
    level = _checked("level", level, 0, np.inf, "a number >= 0")
    with np.errstate(all="ignore"):
        p_bar = 1 - p
        rate = np.where((n == 0) | (level == np.inf), np.inf, level / n)
        rho = np.minimum(rate / p_bar, 100)  # beyond, 1 - q < exp(-100): q is 1
        # In z = ln((1-p)/(1-q)) the divergence is g(z) = (1-p) z - p ln(q/p), convex,
        # with g' = (q-p)/q and g'' = p(1-q)/q^2. The start solves
        # (1-p) z^2 / (z + 2p) = rate, within a tenth of g(z) = rate; two steps of
        # Halley's method (error ~ error^3 / 10) then reach 1e-13.
        z = (rho + np.sqrt(rho) * np.sqrt(rho + 8 * p)) / 2
        for _ in range(2):
            step = -p_bar * np.expm1(-z)
            q = p + step
            g_minus_rate = p_bar * (z - rho) - p * np.log1p(np.minimum(step / p, 1e300))
            halley = 1 - g_minus_rate / step * (p * (1 - q) / step) / 2
            # Where q - p drowns in the rounding of q, halley is noise: bound it.
            newton = g_minus_rate / step * q / np.maximum(halley, 0.5)
            z = np.maximum(z - newton, z / 2)
        q = np.minimum(p - p_bar * np.expm1(-z), 1)
    q = np.where((rate == 0) | (p == 1), p, q)
    return np.where(rate == np.inf, 1.0, q)[()]


def _term(a, b, diff, c=1.0):
    """[a ln(a/b) + b - a] / c >= 0, given diff = b - a to full accuracy.

    With v = (b-a)/(b+a), ln(a/b) = -2 artanh(v) and 2 a v = diff (1 - v), so that
    for small v the term is diff v - 2a (v^3/3 + v^5/5 + ...), free of cancellation.
    """
    v = diff / (a + b)
    v2 = v * v
    ratio = np.sqrt(a) / np.sqrt(b)  # a/b itself may overflow
    a, diff = a / c, diff / c
    tail = 1 / 15
    for odd in (13, 11, 9, 7, 5, 3):  # v^2/3 + v^4/5 + ... by Horner's rule
        tail = 1 / odd + v2 * tail
    near = v * (diff - 2 * a * v2 * tail)
    far = 2 * xlogy(a, ratio) + diff
    return np.where(diff == 0, 0.0, np.where(np.abs(v) < 0.1, near, far))


def _law(values, probs):
    """The values of positive probability, their probabilities and their exact mean.

    Near the mean K_inf is (x - mean)^2 / (2 variance): a rounded mean would spoil it.
    """
    values = np.ravel(_checked("values", values, 0, 1, "numbers in [0, 1]"))
    weights = np.ones(values.size)
    if probs is not None:
        weights = np.ravel(_checked("probs", probs, 0, 1 + 1e-9, "numbers in [0, 1]"))
        if abs(weights.sum() - 1) > 1e-9:
            raise ValueError(f"probs must sum to 1, got a sum of {weights.sum()}")
    if values.size == 0:
        raise ValueError("values must hold at least one number, got none")
    if weights.size != values.size:
        raise ValueError(
            f"probs must hold one number for each of the {values.size} values, "
            f"got {weights.size}"
        )
    values, weights = values[weights > 0], weights[weights > 0]
    total = sum(map(Fraction, weights))
    mean = sum(map(Fraction.__mul__, map(Fraction, weights), map(Fraction, values)))
    return values, weights / float(total), mean / total


def _kinf_at(values, probs, mean, x):
    """K_inf at one x, for positive probs and the exact mean.

    Let lam = t/(1-x), t = 1-s in [0, 1], and D = 1-x - t (v-x) = 1-v + s (v-x). The
    infimum is reached by the law with density (1-x)/D with respect to nu and what
    mass remains at 1. Written without cancellation, the dual is
    sum_i probs_i [ln(D_i/(1-x)) + (1-x)/D_i - 1] + lam dual'(lam).
    """
    if x >= 1:
        return np.inf
    if x <= mean:
        return 0.0
    gap, off = float(Fraction(x) - mean), x - values
    if gap == 0:  # below the smallest double
        return 0.0

    def slope(w):
        """t, D and up, down >= 0 with dual'(lam) = (1-x) (up - down); w = ln(t/s)."""
        t, s = expit(w), expit(-w)  # s keeps d > 0 where t rounds to 1
        d = 1 - x + t * off if t < s else 1 - values - s * off
        share = probs * off / d
        up, down = share[off > 0].sum(), -share[off < 0].sum()
        if gap / (1 - x) < up:  # the same difference, in smaller numbers
            up, down = gap / (1 - x), t * (share @ off) / (1 - x)
        return t, d, up, down

    def fall(w):  # increases, and is close to piecewise linear
        _, _, up, down = slope(w)
        return np.log(down / up)

    with np.errstate(all="ignore"):
        if fall(700) <= 0:  # the dual still rises at lam = 1/(1-x)
            w = 700
        elif fall(-700) >= 0:  # gap is next to nothing beside the variance
            w = -700
        else:
            w = brentq(fall, -700, 700, xtol=1e-14, rtol=4 * np.finfo(float).eps)
        t, d, up, down = slope(w)
        return probs @ (_term(d, 1 - x, -t * off) / d) + t * (up - down)


def _checked(name, value, low, high, accepted):
    """value as an array of floats, all of them in [low, high] (so none is NaN)."""
    try:
        array = np.asarray(value, dtype=float)
    except (TypeError, ValueError):
        raise ValueError(f"{name} must be {accepted}, got {value!r}") from None
    wrong = ~((array >= low) & (array <= high))
    if wrong.any():
        raise ValueError(f"{name} must be {accepted}, got {array[wrong][0]}")
    return array + 0.0  # −0.0 would turn signs of what is divided by it
