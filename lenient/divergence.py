"""Divergences between laws on [0, 1], accurate to 1e-13 wherever p and q lie.

`kl` is the Bernoulli divergence d(p, q) of the paper, `scaled_kl` its form on
[0, 1-eps], `kinf` its counterpart for all laws on [0, 1], and `kl_ucb` the inverse of
`kl` in q. None of them knows anything of bandits.
"""

from fractions import Fraction
from typing import Any

import numpy as np
import scipy  # its parts are loaded where they are first used
from numpy.typing import ArrayLike, NDArray

from lenient._check import check_array, check_eps
from lenient.exact import one_minus


def kl(p: ArrayLike, q: ArrayLike) -> Any:
    """d(p, q) = p ln(p/q) + (1-p) ln((1-p)/(1-q)), between Bernoulli laws; broadcasts.

    0 ln 0 = 0, and the value is inf where p > 0 = q or p < 1 <= q. Above 1 every q
    gives inf, p = 1 too: no law on [0, 1] has such a mean.

    Parameters
    ----------
    p
        A mean, or an array of means, in [0, 1].
    q
        A number >= 0, or an array of them.

    Returns
    -------
    float or ndarray
        d(p, q) >= 0, to a relative error of 1e-13.

    Examples
    --------
    >>> print(kl(0.2, 0.5).round(4))
    0.1927
    >>> kl([0, 0.5, 1], 1).tolist()
    [inf, inf, 0.0]

    In the book: chapters 3 and 5.
    """
    return scaled_kl(p, q, 0)


def scaled_kl(p: ArrayLike, q: ArrayLike, eps: Any) -> Any:
    """d(p/(1-eps), q/(1-eps)) = [p ln(p/q) + (c-p) ln((c-p)/(c-q))] / c, c = 1-eps.

    Laws on [0, 1-eps] take the place of laws on [0, 1]: the value is inf where
    p < 1-eps <= q, and wherever p or q exceeds 1-eps, the mean of no such law.

    Parameters
    ----------
    p
        A mean, or an array of means, in [0, 1].
    q
        A number >= 0, or an array of them.
    eps
        A number in [0, 1), or an array of them.

    Returns
    -------
    float or ndarray
        Of the shape to which the three broadcast.

    Examples
    --------
    >>> print(scaled_kl(0.2, 0.5, eps=0.2).round(4), kl(0.25, 0.625).round(4))
    0.2908 0.2908

    In the book: chapters 4 and 5.
    """
    p = check_array("p", p, 0, 1, "a number in [0, 1]")
    q = check_array("q", q, 0, np.inf, "a number >= 0")
    c = _ceilings(eps)
    _check_shapes(p=p, q=q, eps=c)
    with np.errstate(all="ignore"):
        # The two differences cancel; each term is then >= 0 and accurate.
        value = _term(p, q, q - p, c) + _term(c - p, c - q, p - q, c)
    return np.where(np.maximum(p, q) > c, np.inf, value)[()]


def _ceilings(eps: Any) -> NDArray[np.float64]:
    """1-eps, for each of an array of them."""
    try:
        each = np.asarray(eps, dtype=None if isinstance(eps, np.ndarray) else object)
    except ValueError:  # lists of several lengths
        each = np.array(None)
    tops = [one_minus(check_eps(one)) for one in each.ravel()]
    return np.array(tops, dtype=float).reshape(each.shape)


def _check_shapes(**arrays: NDArray) -> None:
    try:
        np.broadcast_shapes(*(array.shape for array in arrays.values()))
    except ValueError:
        shapes = ", ".join(f"{name} of {array.shape}" for name, array in arrays.items())
        raise ValueError(f"shapes must fit together, got {shapes}") from None


def kinf(values: ArrayLike, probs: ArrayLike | None, x: ArrayLike) -> Any:
    """K_inf(nu, x) = inf {KL(nu, nu') : nu' on [0, 1] with mean above x}.

    Computed from the concave dual, max over 0 <= lam <= 1/(1-x) of
    sum_i probs_i ln(1 - lam (values_i - x)); 0 up to the mean of nu, inf from 1 on.

    Parameters
    ----------
    values
        The rewards to which nu gives a probability, numbers in [0, 1].
    probs
        Their probabilities, with sum 1. None: all the same, as for a sample.
    x
        A number, or an array of them.

    Returns
    -------
    float or ndarray
        Of the shape of x.

    Examples
    --------
    >>> print(kinf([0, 1], [0.8, 0.2], 0.5).round(4))  # a Bernoulli law: kl(0.2, 0.5)
    0.1927
    >>> print(kinf([0.1, 0.3], None, 0.5).round(4))
    0.4621

    In the book: chapter 3.
    """
    x = check_array("x", x, -np.inf, np.inf, "a number")
    law = _law(values, probs)
    different, place = np.unique(x, return_inverse=True)
    result = np.array([_kinf_at(*law, each) for each in different.tolist()])
    return result[place].reshape(x.shape)[()]


def kl_ucb(p: ArrayLike, n: ArrayLike, level: ArrayLike) -> Any:
    """The largest q in [p, 1] with n d(p, q) <= level; broadcasts.

    1 where n = 0 or level = inf: nothing is known, or nothing is excluded.

    Parameters
    ----------
    p
        An empirical mean, or an array of them, in [0, 1].
    n
        How often the arm was played, a number >= 0 or an array.
    level
        How much evidence rules a mean out, such as ln t; >= 0.

    Returns
    -------
    float or ndarray
        Of the shape to which the three broadcast.

    Examples
    --------
    >>> q = kl_ucb(0.5, 10, 2.0)
    >>> print(q.round(4), (10 * kl(0.5, q)).round(4))
    0.7871 2.0

    In the book: chapter 4.
    """
    p = check_array("p", p, 0, 1, "a number in [0, 1]")
    n = check_array("n", n, 0, np.inf, "a number >= 0")
    level = check_array("level", level, 0, np.inf, "a number >= 0")
    if not p.shape == n.shape == level.shape:
        _check_shapes(p=p, n=n, level=level)
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


def _term(a: Any, b: Any, diff: Any, c: Any = 1.0) -> Any:
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
    far = 2 * scipy.special.xlogy(a, ratio) + diff
    return np.where(diff == 0, 0.0, np.where(np.abs(v) < 0.1, near, far))


def check_law(values: Any, probs: Any) -> tuple[NDArray, NDArray]:
    """Values in [0, 1] and their weights as flat arrays, of a law on finitely many values.

    The weights are `probs`, or 1 each where that is None.
    """
    values = np.ravel(check_array("values", values, 0, 1, "numbers in [0, 1]"))
    weights = np.ones(values.size)
    if probs is not None:
        weights = np.ravel(check_array("probs", probs, 0, 1 + 1e-9, "numbers in [0, 1]"))
        if abs(weights.sum() - 1) > 1e-9:
            raise ValueError(f"probs must sum to 1, got a sum of {weights.sum()}")
    if values.size == 0:
        raise ValueError("values must hold at least one number, got none")
    if weights.size != values.size:
        raise ValueError(
            f"probs must hold one number for each of the {values.size} values, "
            f"got {weights.size}"
        )
    return values, weights


def _law(values: Any, probs: Any) -> tuple[Any, Any, Any]:
    """The values of positive probability, their probabilities and their exact mean.

    Near the mean K_inf is (x - mean)^2 / (2 variance): a rounded mean would spoil it.
    """
    values, weights = check_law(values, probs)
    values, weights = values[weights > 0], weights[weights > 0]
    total = sum(map(Fraction, weights))
    mean = sum(map(Fraction.__mul__, map(Fraction, weights), map(Fraction, values)))
    return values, weights / float(total), mean / total


def _kinf_at(values: Any, probs: Any, mean: Fraction, x: float) -> float:
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

    def slope(w: float) -> tuple[Any, Any, Any, Any]:
        """t, D and up, down >= 0 with dual'(lam) = (1-x) (up - down); w = ln(t/s)."""
        t, s = scipy.special.expit([w, -w])  # s keeps d > 0 where t rounds to 1
        d = 1 - x + t * off if t < s else 1 - values - s * off
        share = probs * off / d
        up, down = share[off > 0].sum(), -share[off < 0].sum()
        if gap / (1 - x) < up:  # the same difference, in smaller numbers
            up, down = gap / (1 - x), t * (share @ off) / (1 - x)
        return t, d, up, down

    def fall(w: float) -> Any:  # increases, and is close to piecewise linear
        _, _, up, down = slope(w)
        return np.log(down / up)

    with np.errstate(all="ignore"):
        if fall(700) <= 0:  # the dual still rises at lam = 1/(1-x)
            w = 700
        elif fall(-700) >= 0:  # gap is next to nothing beside the variance
            w = -700
        else:
            w = scipy.optimize.brentq(fall, -700, 700, xtol=1e-14, rtol=4 * np.finfo(float).eps)
        t, d, up, down = slope(w)
        return probs @ (_term(d, 1 - x, -t * off) / d) + t * (up - down)
