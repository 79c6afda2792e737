"""Checks of `lenient.stages`, each of a module: the real one passes, a mistaken one must not.

The sums are done again here in the plainest way: state by state, in fractions or in doubles of
SciPy, with the floors in integers.
"""

from fractions import Fraction
from functools import cache
from math import comb, inf, log

import mpmath as mp
import numpy as np
from scipy.stats import binom

from lenient import hinge, indicator
from support.exact import expected_rounds

# means, ε in tenths: below, at and above the ceiling, an arm that never or always wins, TS
BANDITS = [
    ([0.5, 0.2], 1),
    ([0.9, 0.6], 2),
    ([0.8, 0.5], 2),
    ([0.5, 0.47, 0.2], 1),
    ([0.6, 0.3, 0.1, 0.1], 3),
    ([1, 0.4], 3),
    ([0.5, 0], 4),
    ([1, 0.5], 0),
    ([0.7, 0.4], 0),
]


def game(module, means, tenths, T, cost=1.0):
    """Every arm further than ε from the first costs the same."""
    means = [float(mean) for mean in means]
    far = [round(10 * (means[0] - mean), 9) > tenths for mean in means]
    others = tuple((mean, cost * f, 1) for mean, f in zip(means[1:], far[1:]))
    return module._Game(means[0], Fraction(10 - tenths, 10), others, float(T))


def levels_of(module, g, two):
    """Some levels, with all kinds of y₁; the bounds hold for each."""
    r, top = float(g.r), g.best * float(g.r)
    bottom = max(mean for mean, cost, _ in g.others if cost > 0)
    for share in (0.3, 0.75):
        y0 = bottom + share * (top - bottom)
        if not two:
            yield module._Levels(y0, y0)
            continue
        for y1 in (y0 + 0.3 * (r - y0), r):
            for delta in (0.02, 0.2):
                yield module._Levels(y0, y1, delta)


# ---- the sums again, by hand ---------------------------------------------------------
@cache
def chance(n, s, q, r):
    """π(n, s; qr) as a fraction."""
    if s > r * n:
        return Fraction(1)
    k = int(s / r)  # a fraction's int is its floor
    return sum(comb(n + 1, i) * q**i * (1 - q) ** (n + 1 - i) for i in range(k + 1))


def in_fractions(n, mean, q, r):
    """P{S = s} and π(n, s; qr) for s = 0, …, n."""
    mu = Fraction(str(mean))
    weights = [comb(n, s) * mu**s * (1 - mu) ** (n - s) for s in range(n + 1)]
    return np.array(weights), np.array([chance(n, s, Fraction(q), r) for s in range(n + 1)])


def in_doubles(n, mean, q, r):
    s = np.arange(n + 1)
    k = np.array([int(i / r) for i in range(n + 1)])
    sure = np.array([i > r * n for i in range(n + 1)])
    return binom.pmf(s, n, mean), np.where(sure, 1, binom.cdf(k, n + 1, q))


def waits(p, m):
    """ξ_m(p), as the sum that it is."""
    return sum((1 - p) ** i for i in range(1, m + 1))


def by_hand(g, at, law):
    """Z, Γ and the list of W of game g at levels `at`, by the definitions."""
    q0, q1 = (min(y / float(g.r), 1.0) for y in (at.y0, at.y1))
    e = at.delta * len(g.others) if at.delta < 1 else 0
    c = e / (1 - e)
    Z = Gamma = 0
    W = [0] * len(g.others)
    for n in range(int(g.T)):
        m = int(g.T) - n
        weights, low = law(n, g.best, q0, g.r)
        good, bad = waits(law(n, g.best, q1, g.r)[1], m), waits(low, m)
        chosen = (good > (1 + c) * bad + c) & (at.delta < 1)
        Z += weights @ np.where(chosen, bad, good)
        Gamma += weights @ (chosen * (1 + bad))
        for b, (mean, cost, _) in enumerate(g.others):
            if at.delta < 1 or cost > 0:
                weights, low = law(n, mean, q0, g.r)
                ever = 1 - (1 - law(n, mean, q1, g.r)[1]) ** m
                W[b] += weights @ np.where((low > at.delta) & (at.delta < 1), 1, ever)
    return Z, Gamma, W


def total_by_hand(g, at, Z, Gamma, W):
    f_max = max(cost for _, cost, _ in g.others)
    e = at.delta * len(W) if at.delta < 1 else 0
    paid = sum(cost * plays for plays, (_, cost, _) in zip(W, g.others))
    return paid + f_max * (Z + e / (1 - e) * (Gamma + sum(W)))


def check_parts(module, T, law=in_fractions, bandits=BANDITS, slack=1e-6):
    """Each part is the sum that it should be, or a little more, never less."""
    for means, tenths in bandits:
        g = game(module, means, tenths, T, cost=0.5)
        for two in (False, True):
            for at in levels_of(module, g, two):
                got, (Z, Gamma, W) = module._Sums(g).parts(at), by_hand(g, at, law)
                rounding = 1e-12 if law is in_doubles else 0
                pairs = [(got.Z, Z), (got.Gamma, Gamma)]
                # an arm that the level does not tell apart counts as always played
                pairs += [
                    (a, b) for a, b, (mean, *_) in zip(got.W, W, g.others) if mean < at.y0
                ]
                for ours, theirs in pairs:
                    theirs = float(theirs)
                    assert theirs * (1 - rounding) <= ours <= theirs * (1 + slack) + slack
                counted = [w if mean < at.y0 else g.T for w, (mean, *_) in zip(W, g.others)]
                if at.delta == 1:
                    counted = W
                total = float(total_by_hand(g, at, Z, Gamma, counted))
                assert total <= got.total(g, at) <= total * (1 + 10 * slack) + slack


# ---- rounding and cutting are outward ------------------------------------------------
def check_chances(module):
    """ln π from above and from below, against 40 digits, and the weights."""
    mp.mp.dps = 40
    rng = np.random.default_rng(1)
    for n, mean, r, q in [
        (0, 0.5, Fraction(9, 10), 0.3),
        (7, 0.4, Fraction(3, 10), 0.8),
        (300, 0.2, Fraction(9, 10), 0.41),
        (5900, 0.5, Fraction(8, 10), 0.58),
    ]:
        for low in (0, int(n * mean * 0.9)):
            with np.errstate(all="ignore"):
                band = module._Band(np.array([n]), mean, r, np.array([low]))
                upper, lower = (band.log_chance(q, up) for up in (True, False))
            for i in rng.choice(upper.shape[1], min(5, upper.shape[1]), replace=False):
                s = low + int(i)
                if s > r * n:
                    assert upper[0, i] == lower[0, i] == 0
                    continue
                true = min(float(mp.log(_cdf(n + 1, int(s / r), q))), 0.0)
                assert lower[0, i] <= true <= upper[0, i]
                if low == 0:  # otherwise what is below `low` is only bounded
                    assert upper[0, i] - 3e-9 <= true <= lower[0, i] + 3e-9
                weight = float(mp.log(_pmf(n, s, mean)))
                assert weight <= band.log_weight[0, i] <= weight + 3e-9


def _pmf(n, k, p):
    p = mp.mpf(p)
    return mp.binomial(n, k) * p**k * (1 - p) ** (n - k)


def _cdf(n, k, p):
    term = total = _pmf(n, k, p)
    for i in range(k, 0, -1):  # downward
        term *= i * (1 - mp.mpf(p)) / ((n - i + 1) * mp.mpf(p))
        total += term
    return total


CUT = [  # means, ε in tenths, T, (y₀, y₁, δ)
    ([0.5, 0.2], 1, 500, (0.3, 0.3, 1)),
    ([0.5, 0.2], 1, 10**5, (0.3, 0.41, 0.05)),
    ([0.9, 0.6], 2, 10**6, (0.67, 0.67, 1)),
    ([0.9, 0.6], 2, inf, (0.65, 0.8, 0.2)),
    ([0.9, 0.2], 0, 10**4, (0.5, 0.7, 0.01)),
    ([0.9, 0.2], 0, 10**4, (0.5, 0.5, 1)),
    ([0.5, 0.2], 1, 500, (0.3, 0.41, 1e-9)),
]


def check_cut(module, cases=CUT):
    """With the sums cut early the bound is no lower, and with a narrow band neither."""
    for means, tenths, T, levels in cases:
        g, at = game(module, means, tenths, T), module._Levels(*levels)
        c, whole = at.c(g), module._Sums(g).parts(at)
        for name, value in [("MOST_ROWS", 20), ("MOST_ROWS", 30), ("MOST_ROWS", 90),
                            ("LOST", 1), ("LOST", 4)]:  # fmt: skip
            cut = with_constant(module, name, value, g, at)
            assert cut.W[0] >= whole.W[0] - 1e-3
            assert cut.Z + c * cut.Gamma >= whole.Z + c * whole.Gamma - 1e-3


def with_constant(module, name, value, g, at):
    kept = getattr(module, name)
    setattr(module, name, value)
    try:
        return module._Sums(g).parts(at)
    finally:
        setattr(module, name, kept)


# ---- the theorems against the game itself --------------------------------------------
def check_stage_lemma(module, horizon=8):
    """Every state (j, s) of arm 1: E[rounds there with another arm, θ ≤ y] ≤ P{s} ξ(p_j)."""
    for means, tenths in [([0.5, 0.2], 1), ([0.9, 0.6], 2), ([0.3, 0.6], 4), ([0.7, 0.7], 0)]:
        r = Fraction(10 - tenths, 10)
        for share in (0.3, 0.6, 0.9, 1.0):
            q = share if share < 1 else 1.0
            rounds = expected_rounds(tuple(means), tenths, horizon, share * float(r))
            for (j, s), seen in rounds.items():
                with np.errstate(all="ignore"):
                    band = module._Band(np.array([j]), means[0], r, np.array([0]))
                    log_p = band.log_chance(q, upper=False)
                    left = horizon - band.n.astype(float)
                    bound = module._rounds(band.log_weight, log_p, left)[0, s]
                assert seen <= bound + 1e-9, (means, tenths, share, j, s, seen, bound)


def check_levels(module, means, tenths, T, regret):
    """No levels make the bound lower than the regret, cost 1 for each far arm."""
    g = game(module, means, tenths, T)
    for two in (False, True):
        for at in levels_of(module, g, two):
            assert module._Sums(g).total(at) >= regret


def check_value(module, means, tenths, T, regret):
    eps = tenths / 10
    bound = module.stage_bound(means, eps, indicator(eps), T)
    for one in (bound.one_level, bound.two_levels, bound.closed_form, bound.trivial):
        assert one >= regret
    assert bound.value == min(
        bound.one_level, bound.two_levels, bound.closed_form, bound.trivial
    )


# ---- the closed form -----------------------------------------------------------------
def check_closed_form(module):
    mp.mp.dps = 60
    usual = [(0.5, 0.3), (0.9, 0.75), (0.31, 0.3), (1, 0.4), (0.999, 0.01)]
    for mu, q in [*usual, (1e-3, 8e-4), (1e-9, 5e-10), (1e-14, 4e-15)]:
        m, p = mp.mpf(str(mu)), mp.mpf(str(q))
        beta = mp.sqrt(p * m) + mp.sqrt((1 - p) * (1 - m))
        d = p * mp.log(p / m) + ((1 - p) * mp.log((1 - p) / (1 - m)) if mu < 1 else inf)
        C = 2 / ((1 - p) * (1 - beta**2)) + m / ((m - p) * (1 - mp.exp(-d)))
        got = module._sum_of_waits(np.array([q]), mu)[0]
        assert abs(got / C - 1) < 1e-11
    for means, tenths, T in [([0.5, 0.2], 1, 1000), ([0.9, 0.6, 0.1], 2, 10**6)]:
        g = game(module, means, tenths, T, cost=0.3)
        bad = [mean for mean, cost, _ in g.others if cost > 0]
        r, best = float(g.r), inf
        for y in np.linspace(max(bad), r * means[0], 102)[1:-1]:
            total = 0.3 * module._sum_of_waits(np.array([y / r]), means[0])[0]
            for mu in bad:
                total += 0.3 * min(
                    log(T) / _kl(x / r, y / r) + 1 / _kl(x, mu) + 1
                    for x in np.linspace(mu, y, 102)[1:-1]
                )
            best = min(best, total)
        assert 0.999 * best <= module._closed_form(g) <= 1.003 * best


def _kl(p, q):
    return p * log(p / q) + (1 - p) * log((1 - p) / (1 - q))


def check_public(module):
    """The numbers of the record make up its bounds."""
    for means, eps, T in [([0.5, 0.47, 0.2, 0.2], 0.1, 300), ([0.9, 0.6], 0.2, None)]:
        b = module.stage_bound(means, eps, hinge(eps), T)
        f_max, e = max(b.costs), (len(means) - 1) * b.delta
        two = sum(f * w for f, w in zip(b.costs, b.W))
        two += f_max * (b.Z + e / (1 - e) * (b.Gamma + sum(b.W)))
        assert abs(b.two_levels / two - 1) < 1e-8
        assert b.e == e
        if T is None:
            assert b.one_level == inf
        else:
            one = sum(f * v for f, v in zip(b.costs, b.V)) + f_max * b.G
            assert abs(b.one_level / one - 1) < 1e-8


def check_free_arms(module):
    """Arms with gaps of at most ε do not change the bound of one level."""
    for T in (50, 2000):
        alone = module.stage_bound([0.5, 0.2], 0.1, hinge(0.1), T)
        for free in ([0.5], [0.4], [0.47, 0.45, 0.43]):
            more = module.stage_bound([0.2, *free, 0.5], 0.1, hinge(0.1), T)
            assert more.one_level == alone.one_level
            assert more.closed_form == alone.closed_form
