"""The claims of the chapter on ε-TS: the algorithm, its asymptotic bound, the ratio.

The algorithm is written down a second time here, in fractions and line by line as it is
printed, and nothing of `lenient.policies` is used for it. Divergences are computed a
second time in mpmath.
"""

from fractions import Fraction
from itertools import product
from math import comb, log

import mpmath as mp
import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from scipy import stats
from support.exact import chance_first_beats_second, theta_law

from lenient import (
    TS,
    EpsTS,
    cutoff,
    hinge,
    indicator,
    kinf,
    simulate,
    tail_exponent,
)
from lenient.bounds import (
    loose_upper_bound,
    lower_bound,
    standard_bound,
    upper_bound,
)
from lenient.exact import exceeds
from lenient.finite_time import finite_time_bound, max_ratio

EPS = ["0", "0.05", "0.1", "0.2", "0.25", "0.3", "0.45", "0.5", "0.6", "0.7", "0.9"]


# ---- the algorithm, as it is printed -----------------------------------------------
class Printed:
    """The printed algorithm for one run; `score` is its inner loop, for one arm."""

    def __init__(self, arms, eps):
        self.eps = Fraction(eps)
        self.N, self.S = [0] * arms, [0] * arms
        self.mean = [Fraction(0)] * arms

    def score(self, a):
        """("mean", μ̂) or ("beta", α, β), with the factor 1−ε understood."""
        if self.mean[a] > 1 - self.eps:
            return "mean", self.mean[a]
        alpha = (self.S[a] / (1 - self.eps)).__floor__() + 1
        beta = self.N[a] + 2 - alpha
        return "beta", alpha, beta

    def update(self, a, reward):
        self.N[a] += 1
        self.S[a] += reward
        self.mean[a] = Fraction(self.S[a], self.N[a])

    @classmethod
    def in_state(cls, eps, N, S):
        run = cls(1, eps)
        run.N, run.S = [N], [S]
        run.mean = [Fraction(S, N) if N else Fraction(0)]
        return run


class Spy:
    """A generator that keeps the parameters it is asked for; its draw is 1/2."""

    def beta(self, alpha, beta):
        self.alpha, self.beta_ = np.broadcast_arrays(alpha, beta)
        return np.full(self.alpha.shape, 0.5)


@pytest.mark.claim("algorithm:eps-ts", how="exact")
@pytest.mark.parametrize("eps", EPS)
def test_policy_is_the_printed_algorithm_in_every_small_state(eps):
    states = [(n, s) for n in range(61) for s in range(n + 1)]
    spy = Spy()
    scores = EpsTS(float(eps))(*map(np.array, zip(*states)), 1, spy)
    for (n, s), score, alpha, beta in zip(states, scores, spy.alpha, spy.beta_):
        kind, *value = Printed.in_state(eps, n, s).score(0)
        if kind == "mean":
            assert score == s / n
        else:
            assert (alpha, beta) == tuple(value)
            assert alpha >= 1 and beta >= 1
            assert score == float(1 - Fraction(eps)) * 0.5


@pytest.mark.claim("algorithm:eps-ts", how="exact")
@pytest.mark.parametrize("n", [0, 1, 2, 5, 17])
def test_with_eps_0_the_printed_algorithm_is_thompson_sampling(n):
    for s in range(n + 1):
        assert Printed.in_state("0", n, s).score(0) == ("beta", s + 1, n - s + 1)
        spy = Spy()
        TS()(np.array(n), np.array(s), 1, spy)
        assert (spy.alpha, spy.beta_) == (s + 1, n - s + 1)


# ---- the exact law of the first rounds ---------------------------------------------
def polynomial_product(p, q):
    result = [Fraction(0)] * (len(p) + len(q) - 1)
    for i, a in enumerate(p):
        for j, b in enumerate(q):
            result[i + j] += a * b
    return result


def beta_density(alpha, beta):
    """Coefficients of the density of Beta(α, β), whole α and β."""
    constant = alpha * comb(alpha + beta - 1, alpha)
    signs = [Fraction(constant * comb(beta - 1, k) * (-1) ** k) for k in range(beta)]
    return [Fraction(0)] * (alpha - 1) + signs


def integral(p):
    return [Fraction(0)] + [a / (k + 1) for k, a in enumerate(p)]


def chance_of_each_arm(run):
    """The probability that each arm is played next, as fractions."""
    scores = [run.score(a) for a in range(len(run.N))]
    means = [value[1] if value[0] == "mean" else Fraction(-1) for value in scores]
    if max(means) >= 0:  # a mean above 1−ε: no draw reaches it
        best = [m == max(means) for m in means]
        return [Fraction(b, sum(best)) for b in best]
    densities = [beta_density(*value[1:]) for value in scores]
    chances = []
    for a, density in enumerate(densities):
        for b, other in enumerate(densities):
            if b != a:
                density = polynomial_product(density, integral(other))
        chances.append(sum(integral(density)))  # the integral over [0, 1]
    assert sum(chances) == 1
    return chances


def law_of_counts(means, eps, rounds):
    """P{N(rounds+1) = counts} for every vector of counts, exactly."""
    states = {((0,) * len(means), (0,) * len(means)): Fraction(1)}
    for _ in range(rounds):
        later = {}
        for (N, S), mass in states.items():
            run = Printed(len(means), eps)
            run.N, run.S = list(N), list(S)
            run.mean = [Fraction(s, n) if n else Fraction(0) for n, s in zip(N, S)]
            for a, chance in enumerate(chance_of_each_arm(run)):
                for reward in (0, 1):
                    weight = Fraction(means[a]) if reward else 1 - Fraction(means[a])
                    if chance * weight == 0:
                        continue
                    n, s = list(N), list(S)
                    n[a] += 1
                    s[a] += reward
                    key = tuple(n), tuple(s)
                    later[key] = later.get(key, 0) + mass * chance * weight
        states = later
    assert sum(states.values()) == 1
    counts = {}
    for (N, _), mass in states.items():
        counts[N] = counts.get(N, 0) + mass
    return counts


def test_chances_agree_with_quadrature():
    run = Printed(2, "0.2")
    run.N, run.S, run.mean = [4, 3], [3, 1], [Fraction(3, 4), Fraction(1, 3)]
    first, second = stats.beta(4, 2), stats.beta(2, 3)  # ⌊3.75⌋+1, ⌊1.25⌋+1
    expected = first.expect(second.cdf)
    assert float(chance_of_each_arm(run)[0]) == pytest.approx(expected, abs=1e-9)


@pytest.mark.claim(
    "algorithm:eps-ts", how="simulation: χ² test, false alarm 1e-4 for each case"
)
@pytest.mark.parametrize(
    "means, eps, rounds",
    [
        (["0.9", "0.6"], "0.2", 8),
        (["0.5", "0.4"], "0.5", 8),  # 1 good play of 2 is exactly at the ceiling
        (["0.3", "0.1"], "0.9", 6),
        (["0.7", "0.5", "0.2"], "0.25", 5),
    ],
)
def test_simulated_counts_follow_the_exact_law(means, eps, rounds):
    law = law_of_counts(means, eps, rounds)
    runs = 100_000
    pulls = simulate(
        list(map(float, means)), EpsTS(float(eps)), rounds, runs, 7, [rounds]
    ).pulls[:, 0]
    keys = [key for key in law if law[key] * runs >= 5]
    observed = [int((pulls == key).all(axis=1).sum()) for key in keys]
    expected = [float(law[key]) * runs for key in keys]
    rest, rare = runs - sum(observed), runs - sum(expected)
    if rare > 1:
        observed, expected = [*observed, rest], [*expected, rare]
    else:
        assert rest <= 15
        expected = np.array(expected) * sum(observed) / sum(expected)
    assert stats.chisquare(observed, expected).pvalue > 1e-4


def test_a_wrong_rule_at_the_ceiling_would_show_in_the_law():
    """The test above can fail: ≥ instead of > moves the law far beyond its noise."""

    class Wrong(Printed):
        def score(self, a):
            if self.N[a] and self.mean[a] == 1 - self.eps:
                return "mean", self.mean[a]
            return super().score(a)

    right = Printed(2, "0.5")
    wrong = Wrong(2, "0.5")
    for run in (right, wrong):
        for a, reward in [(0, 1), (0, 0), (1, 0)]:
            run.update(a, reward)
    assert chance_of_each_arm(right)[0] < 1 == chance_of_each_arm(wrong)[0]


# ---- what follows from the algorithm -----------------------------------------------
@pytest.mark.claim("algorithm:eps-ts", how="exact")
@pytest.mark.parametrize("eps", ["0.2", "0.5", "0.7"])
def test_at_most_one_arm_is_ever_above_the_ceiling(eps):
    """Every history of 7 rounds of 3 arms that has positive probability."""
    states = {((0, 0, 0), (0, 0, 0))}
    some_above = False
    for _ in range(7):
        later = set()
        for N, S in states:
            run = Printed(3, eps)
            run.N, run.S = list(N), list(S)
            run.mean = [Fraction(s, n) if n else Fraction(0) for n, s in zip(N, S)]
            above = [a for a in range(3) if run.score(a)[0] == "mean"]
            assert len(above) <= 1
            some_above |= bool(above)
            for a, reward in product(above or range(3), (0, 1)):
                n, s = list(N), list(S)
                n[a] += 1
                s[a] += reward
                later.add((tuple(n), tuple(s)))
        states = later
    assert some_above


def test_the_value_of_the_score_above_the_ceiling_does_not_matter():
    ceiling, policy = Fraction(4, 5), EpsTS(0.2)

    def other(pulls, wins, t, rng):
        scores = policy(pulls, wins, t, rng)
        return np.where(exceeds(wins, ceiling, pulls), 3 - scores, scores)

    means = [0.95, 0.9, 0.85, 0.3]
    a, b = (simulate(means, p, 300, 500, seed=2, engine="plain") for p in (policy, other))
    assert np.array_equal(a.pulls, b.pulls)


@given(st.integers(0, 200), st.data(), st.sampled_from(EPS))
def test_squeezed_belief_has_the_stated_mean_and_variance(n, data, eps):
    ceiling = 1 - Fraction(eps)
    s = data.draw(st.integers(0, int(ceiling * n)))
    kind, alpha, beta = Printed.in_state(eps, n, s).score(0)
    mean = ceiling * alpha / (alpha + beta)
    r = s / ceiling - (s / ceiling).__floor__()
    assert kind == "beta" and mean == (s + ceiling * (1 - r)) / Fraction(n + 2)
    if n:
        assert abs(mean - Fraction(s, n)) <= Fraction(2, n + 2)
    total = alpha + beta
    variance = ceiling**2 * Fraction(alpha * beta, total**2 * (total + 1))
    assert variance == mean * (ceiling - mean) / (n + 3)


@pytest.mark.claim("algorithm:eps-ts", how="exact")
def test_beta_law_exists_exactly_while_s_is_below_the_ceiling_times_n_plus_1():
    for eps, n in product(EPS, range(30)):
        for s in range(n + 1):
            ceiling = 1 - Fraction(eps)
            beta = n + 2 - ((s / ceiling).__floor__() + 1)
            assert (beta >= 1) == (s < ceiling * (n + 1))


def test_random_rounding_gives_a_bernoulli_reward_of_the_same_mean():
    """Counts on Beta arms and on coins of the same means: χ², false alarm 1e-4."""
    runs, rounds = 20_000, 6
    law = law_of_counts(["0.9", "0.6"], "0.2", rounds)
    arms = [stats.beta(9, 1), stats.beta(6, 4)]
    pulls = simulate(arms, EpsTS(0.2), rounds, runs, 3, [rounds]).pulls[:, 0, 1]
    observed = np.bincount(pulls, minlength=rounds + 1)
    expected = [float(law.get((rounds - k, k), 0)) * runs for k in range(rounds + 1)]
    assert stats.chisquare(observed, expected).pvalue > 1e-4


@given(st.lists(st.floats(0, 1), min_size=1, max_size=6), st.floats(0.01, 0.99))
def test_rounding_never_helps(values, x):
    """K_inf of a law is at least d(μ, x), which is K_inf of the rounded law."""
    mean = float(np.mean(values))
    if mean < x - 1e-6:
        assert kinf(values, None, x) >= float(kl(mean, x)) * (1 - 1e-9)


# ---- the asymptotic theorem --------------------------------------------------------
def kl(p, q):
    """d(p, q) in mpmath, with the paper's conventions."""
    p, q = mp.mpf(p), mp.mpf(q)
    if q >= 1 and p < 1 or q == 0 and p > 0:
        return mp.inf
    first = p * mp.log(p / q) if p else mp.mpf(0)
    return first + ((1 - p) * mp.log((1 - p) / (1 - q)) if p < 1 else 0)


def squeezed_kl(p, q, eps):
    return kl(mp.mpf(p) / (1 - mp.mpf(eps)), mp.mpf(q) / (1 - mp.mpf(eps)))


@pytest.mark.claim("theorem:upper-bound-asymptotic", how="numerical search")
@pytest.mark.parametrize("mu1, mu_a", [("0.5", "0.2"), ("0.6", "0.1"), ("0.79", "0.3")])
def test_maximum_over_logarithms_tends_to_the_coefficient(mu1, mu_a):
    coefficient = float(1 / squeezed_kl(mu_a, mu1, "0.2"))
    errors = []
    for digits in (10, 100, 30_000):
        ratio = max_ratio(10**digits, float(mu1), float(mu_a), 0.2, b=0.3)
        errors.append(ratio / (digits * log(10)) / coefficient - 1)
    assert -1e-9 < errors[-1] < 1e-7  # from above: at t = T the term is that large
    assert errors[0] > 1 > errors[1] > errors[2]


@pytest.mark.claim("theorem:upper-bound-asymptotic", how="numerical search")
@pytest.mark.parametrize("gap", [hinge(0.2), indicator(0.2), cutoff(0.2)])
def test_finite_time_bound_has_the_slope_of_the_theorem(gap):
    """c → 0 and T → ∞ together, c = (ln T)^(−1/4): the T-dependent part over ln T."""
    means = [0.55, 0.2, 0.1]
    expected = sum(
        float(gap(round(0.55 - m, 2)) / squeezed_kl(m, 0.55, 0.2)) for m in means[1:]
    )
    excess = []
    for digits in (10**3, 10**4, 10**5, 10**6):
        log_T = digits * log(10)
        bound = finite_time_bound(means, 0.2, gap, 10**digits, b=0.1, lam=1.13, c=log_T**-0.25)
        excess.append(sum(bound.A) / log_T / expected - 1)
    assert excess == sorted(excess, reverse=True) and 0 < excess[-1] < 0.15
    # what is left is 2c and terms that fall faster: by 10^(−1/4) = 0.56 a step, or more
    assert 0.4 < excess[-1] / excess[-2] < 0.57
    assert upper_bound(means, 0.2, gap) == pytest.approx(expected, rel=1e-12)


@pytest.mark.claim("theorem:upper-bound-asymptotic", how="exact")
def test_both_sums_vanish_from_the_ceiling_on_and_in_lax_problems():
    gap = indicator(0.2)
    for mu1 in (0.8, 0.81, 1.0):
        assert upper_bound([mu1, 0.3], 0.2, gap) == 0
        assert loose_upper_bound([mu1, 0.3], 0.2, gap) == 0
    assert upper_bound([0.7999, 0.3], 0.2, gap) > 0
    # ε ≥ 1/2 and μ₁ < 1−ε leave no arm with a gap above ε
    for eps in (0.5, 0.55, 0.7, 0.9, 0.99):
        for mu1 in np.arange(0, 1.01, 0.05).round(2):
            means, gap = [mu1, 0.3 * mu1, 0.0], indicator(eps)
            assert upper_bound(means, eps, gap) == loose_upper_bound(means, eps, gap) == 0
    assert upper_bound([0.505, 0.0], 0.49, indicator(0.49)) > 0  # below 1/2 some are left


@pytest.mark.claim("theorem:upper-bound-asymptotic", how="numerical search")
@settings(max_examples=300)
@given(
    st.floats(1e-6, 0.4999),
    st.floats(0, 1),
    st.floats(1e-9, 1 - 1e-9),
)
@example(1e-4, 0.5, 1e-6)  # where the factor 4 is all but reached
@example(0.2, 0.0, 1 - 1e-9)
def test_lower_bound_upper_bound_and_loose_bound_are_in_order(eps, place, far):
    """1 ≤ (1−ε)(1+ε/Δ) ≤ d(μ_a, μ*+ε) / d(scaled) ≤ 4(1−ε) wherever Δ > ε."""
    with mp.workdps(40):
        eps = mp.mpf(eps)
        p = place * (1 - 2 * eps)
        q = p + eps + far * (1 - 2 * eps - p)
        if not p + eps < q < 1 - eps:
            return
        ratio = kl(p, q + eps) / squeezed_kl(p, q, eps)
        assert 1 <= (1 - eps) * (1 + eps / (q - p)) <= ratio * (1 + mp.mpf(10) ** -20)
        assert ratio <= 4 * (1 - eps)


@pytest.mark.claim("theorem:upper-bound-asymptotic", how="numerical search")
def test_the_factor_four_is_reached_in_the_limit():
    with mp.workdps(40):
        eps = mp.mpf(10) ** -6
        ratio = kl(0.5, 0.5 + 2 * eps) / squeezed_kl(0.5, 0.5 + eps, eps)
        assert abs(ratio - 4) < 1e-4
    means, gap = [0.5, 0.2], hinge(0.2)
    bounds = lower_bound(means, 0.2, gap), upper_bound(means, 0.2, gap)
    assert bounds[0] < bounds[1] < loose_upper_bound(means, 0.2, gap)
    exact = 4 * mp.mpf("0.8") * mp.mpf("0.1") / kl("0.2", "0.7")
    assert loose_upper_bound(means, 0.2, gap) == pytest.approx(float(exact), rel=1e-12)


@pytest.mark.claim("theorem:upper-bound-asymptotic", how="numerical search")
@pytest.mark.parametrize("b", [0.1, 0.3, 0.6])
def test_at_the_ceiling_the_finite_time_bound_is_bounded(b):
    """More than is printed: R_f = O(1) for μ* = 1−ε too; the limit is 2/(b(1−p))."""
    values = [max_ratio(10**n, 0.8, 0.5, 0.2, b) for n in (1000, 10**4, 10**5)]
    assert values[0] == values[1] == values[2]  # the maximum lies far to the left
    # the term at t = e^s itself, second argument 1−ω: it tends to 2/(b(1−p))
    with mp.workdps(30):
        p, s = mp.mpf(5) / 8, mp.mpf(10) ** 6
        log_omega = (mp.log(24 * s) - b * s) / 2 - mp.log(mp.mpf("0.8"))
        divergence = p * mp.log(p) + (1 - p) * (mp.log(1 - p) - log_omega)
        assert s / divergence == pytest.approx(float(2 / (b * (1 - p))), rel=1e-3)


@pytest.mark.claim(
    "theorem:upper-bound-asymptotic",
    how="simulation: bounded above the ceiling, 5 standard errors",
)
def test_regret_stops_above_the_ceiling_and_not_below():
    gap, times = indicator(0.2), [300, 3000]
    high = simulate([0.9, 0.6], EpsTS(0.2), 3000, 500, 5, times).regret(gap)
    low = simulate([0.5, 0.2], EpsTS(0.2), 3000, 500, 5, times).regret(gap)
    growth = [r[:, 1] - r[:, 0] for r in (high, low)]
    error = [g.std(ddof=1) / 500**0.5 for g in growth]
    bound = upper_bound([0.5, 0.2], 0.2, gap) * log(10)
    assert growth[0].mean() - 5 * error[0] < 0.5
    assert 0.3 * bound < growth[1].mean() - 5 * error[1]
    assert growth[1].mean() < bound + 5 * error[1]


# ---- the ratio of the bounds -------------------------------------------------------
@pytest.mark.claim("figure:ratio", how="exact")
@pytest.mark.parametrize("gap", ["0.25", "0.3", "0.5"])
@pytest.mark.parametrize("f", [hinge(0.2), indicator(0.2), cutoff(0.2)])
def test_ratio_is_one_of_divergences_whatever_the_gap_function(gap, f):
    for mu1 in np.linspace(float(gap), 0.799, 40).round(3):
        means = [mu1, round(mu1 - float(gap), 3)]
        ratio = standard_bound(means, f) / upper_bound(means, 0.2, f)
        mu1, mu2 = map(str, means)
        exact = squeezed_kl(mu2, mu1, "0.2") / kl(mu2, mu1)
        assert ratio == pytest.approx(float(exact))


@pytest.mark.claim("figure:ratio", how="numerical search")
@settings(max_examples=60, deadline=None)
@given(st.floats(0.01, 0.9), st.floats(0.02, 0.98), st.floats(0.02, 0.98))
def test_ratio_is_a_weighted_mean_and_strictly_above_its_floor(eps, upper, lower):
    top = 1 - mp.mpf(eps)
    q = upper * top
    p = lower * q
    ratio = squeezed_kl(p, q, eps) / kl(p, q)
    weight = mp.quad(lambda x: (x - p) / (x * (1 - x)), [p, q])
    value = mp.quad(lambda x: (x - p) / (x * (top - x)), [p, q])
    assert mp.almosteq(ratio, value / weight, rel_eps=1e-8)
    assert 1 / top < (1 - p) / (top - p) < ratio < (1 - q) / (top - q)


@pytest.mark.claim("figure:ratio", how="numerical search")
@pytest.mark.parametrize("gap", ["0.25", "0.3", "0.5"])
def test_ratio_grows_like_a_logarithm_near_the_ceiling(gap):
    with mp.workdps(60):
        gap, eps = mp.mpf(gap), mp.mpf("0.2")

        def ratio(delta):
            mu1 = 1 - eps - delta
            return squeezed_kl(mu1 - gap, mu1, eps) / kl(mu1 - gap, mu1)

        A = gap / ((1 - eps) * kl(1 - eps - gap, 1 - eps))
        step = ratio(mp.mpf(10) ** -31) - ratio(mp.mpf(10) ** -30)
        assert mp.almosteq(step, A * mp.log(10), rel_eps=1e-20)


# ---- the tail, and ε that is too large ---------------------------------------------
def kappa(mu1, mu2, eps):
    return mp.log(1 - mp.mpf(mu1)) / mp.log(1 - mp.mpf(mu2) / (1 - mp.mpf(eps)))


@given(st.floats(0.001, 0.999), st.floats(0.001, 0.999), st.sampled_from(EPS))
def test_tail_exponent_is_computed_right(mu1, share, eps):
    mu2 = share * float(1 - Fraction(eps))
    assert tail_exponent(mu1, mu2, float(eps)) == pytest.approx(
        float(kappa(mu1, mu2, eps)), rel=1e-9
    )


@pytest.mark.parametrize("mu1, mu2", [(1, 0.5), (0.9, 0.8), (0.9, 0), (0, 0.1)])
def test_tail_exponent_of_other_arms_is_refused(mu1, mu2):
    with pytest.raises(ValueError, match="mu1 must be in .0, 1. and mu2 in"):
        tail_exponent(mu1, mu2, 0.2)


@given(st.floats(0.01, 0.99), st.floats(0.01, 0.99), st.floats(0.01, 0.99))
def test_tail_exponent_is_above_1_exactly_for_arms_below_a_share_of_the_best(a, b, eps):
    mu1, mu2 = max(a, b), min(a, b)
    if mu2 < min(mu1, 1 - eps) and abs(mu2 - (1 - eps) * mu1) > 1e-9:
        assert (kappa(mu1, mu2, eps) > 1) == (mu2 < (1 - eps) * mu1)
        if mu1 - mu2 > eps:
            assert kappa(mu1, mu2, eps) > 1


@given(st.floats(0.01, 0.98), st.floats(0.01, 0.99), st.floats(0.01, 0.99))
def test_a_row_of_bad_plays_is_the_worst_beginning(mu1, share, eps):
    """F(z) = d(z, μ₁) − d(z/(1−ε), μ₂/(1−ε)) is smallest at an end of [0, μ₂]."""
    mu2 = share * min(mu1, 1 - eps)
    F = [kl(z, mu1) - squeezed_kl(z, mu2, eps) for z in np.linspace(0, mu2, 30)]
    assert min(F) >= min(F[0], F[-1]) - mp.mpf(10) ** -12


def test_too_large_an_eps_makes_the_count_grow_like_a_power():
    """κ = 0.3 on the means (0.5, 0.45) with ε = 0.5: at least T^0.7, far above ln T."""
    assert kappa("0.5", "0.45", "0.5") == pytest.approx(0.301, abs=1e-3)
    plays = simulate([0.5, 0.45], EpsTS(0.5), 2000, 500, 4, [200, 2000]).pulls[:, :, 1]
    error = plays.std(axis=0, ddof=1) / 500**0.5
    low = plays[:, 1].mean() - 4 * error[1]
    assert low / (plays[:, 0].mean() + 4 * error[0]) > 10**0.6


def test_an_arm_above_the_ceiling_is_held_for_ever_with_the_stated_probability():
    """(μ−(1−ε))/ε for ε = 1/k: the walk kS − (k−1)n, exactly up to n = 600."""
    for k, mu in [(2, 0.7), (5, 0.9), (5, 0.85)]:
        law = np.zeros(700)  # law[w]: the walk is at w and was never at 0 or below
        law[0] = 1
        for _ in range(600):
            down = np.append(law[k - 1 :], [0] * (k - 1))
            law = mu * np.roll(law, 1) + (1 - mu) * down
            law[0] = 0
        assert law.sum() == pytest.approx((mu - 1 + 1 / k) * k, abs=1e-3)


# ---- slips -------------------------------------------------------------------------
@pytest.mark.claim("slip:update-of-other-arms", how="simulation: 40,000 runs, 4.5 s.e.")
def test_what_was_won_by_other_arms_is_kept():
    """The listing sets S_a(t) = S_a(t) for a ≠ a_t, so that S_a(t+1) is what it was at the
    start, 0. The law of the plays is then another one; that of the package is the meant one."""
    means, rounds, runs = (0.8, 0.2), 7, 40_000

    def law(kept):
        states = {((0, 0), (0, 0)): 1.0}
        for _ in range(rounds):
            following = {}
            for state, weight in states.items():
                first = chance_first_beats_second(*(theta_law(n, s, 1) for n, s in state))
                for arm, chance in ((0, first), (1, 1 - first)):
                    for win, q in ((1, means[arm]), (0, 1 - means[arm])):
                        new = [(n, s if kept else 0) for n, s in state]
                        new[arm] = (state[arm][0] + 1, state[arm][1] + win)
                        key = tuple(new)
                        following[key] = following.get(key, 0) + weight * chance * q
            states = following
        return np.bincount([state[0][0] for state in states], list(states.values()), rounds + 1)

    played = simulate(means, EpsTS(0.1), rounds, runs, seed=3, engine="plain").pulls[:, -1, 0]
    seen = np.bincount(played, minlength=rounds + 1) / runs
    error = np.sqrt(law(kept=True) * (1 - law(kept=True)) / runs)
    assert (abs(seen - law(kept=True)) < 4.5 * error).all()  # false alarm below 1e-4
    assert (abs(seen - law(kept=False)) > 10 * error).any()


@pytest.mark.claim("slip:expectation-in-comparison", how="exact")
def test_a_bound_on_the_count_itself_would_not_bound_the_regret():
    """Printed: limsup N_a(T)/ln T ≤ 1/d, without E. It would not bound R_f(T)/ln T.

    Counterexample to that inference: N(T) = ln T + T·1{U < T^(−1/2)}, U uniform, has
    N(T)/ln T → 1 for every U > 0, but E[N(T)] = ln T + √T.
    """

    def count(T, u):
        return log(T) + T * (u * u * T < 1)

    for u in (0.9, 0.1, 0.001):
        assert count(10**9, u) / log(10**9) == 1
    ratio = [(log(T) + T * T**-0.5) / log(T) for T in (10**3, 10**6, 10**9)]
    midpoints = (np.arange(10**6) + 0.5) / 10**6  # the mean over u, at T = 10³
    mean = np.mean(log(10**3) + 10**3 * (midpoints**2 * 10**3 < 1))
    assert mean / log(10**3) == pytest.approx(ratio[0], rel=1e-3)
    assert ratio[0] > 5 and ratio[2] > 1000


@pytest.mark.claim("slip:index-of-the-maximum", how="numerical search")
def test_the_index_of_the_maximum_depends_on_the_arm():
    """τ_m(T) is printed without the arm it belongs to. For these two arms and this T it
    is T for one and the last t with η(t) = μ₁−ε for the other. Harmless: the bound
    is a sum over the arms, each with its own maximum.
    """
    b, eps, mu1 = 0.9, 0.2, 0.5

    def index_of_maximum(mu_a, log_T):
        s = np.linspace(1, log_T, 20_000)  # s = ln t
        drop = 2 * np.exp((np.log(6 * s) - b * (s + np.log1p(-np.exp(-s)))) / 2)
        p, q = mu_a / (1 - eps), (mu1 - np.minimum(drop, eps)) / (1 - eps)
        divergence = p * np.log(p / q) + (1 - p) * np.log((1 - p) / (1 - q))
        return s[np.argmax(s / divergence)]

    log_T = 40.0
    assert index_of_maximum(0.05, log_T) == log_T
    assert index_of_maximum(0.25, log_T) < 12


@pytest.mark.claim("theorem:upper-bound-asymptotic", how="numerical search")
def test_at_the_ceiling_the_index_of_the_maximum_is_bounded_for_every_arm():
    """The terms come down to their limit 2/(b(1−p)) from above."""
    b, eps, s = 0.9, 0.2, np.linspace(20, 1000, 10_000)
    below = 2 * np.exp((np.log(6 * s) - b * s) / 2) / (1 - eps)  # 1 − η(t)/(1−ε)
    for mu_a in (0.05, 0.3, 0.55):
        p = mu_a / (1 - eps)
        ratio = s / (p * np.log(p / (1 - below)) + (1 - p) * np.log((1 - p) / below))
        assert (ratio > 2 / (b * (1 - p))).all() and (np.diff(ratio) < 0).all()


@pytest.mark.claim("slip:epsilon-zero", how="exact")
def test_the_proof_says_nothing_for_eps_0():
    """With ε = 0, η(t) = μ₁, and the event θ₁ ≤ η has about half the probability, in
    every round: its sum, term (B) of the decomposition, is not bounded."""
    for n in (10, 1000, 100_000):
        assert stats.beta(n // 2 + 1, n - n // 2 + 1).cdf(0.5) == pytest.approx(0.5)
    assert finite_time_bound([0.5, 0.2], 0, indicator(0), 1000).log_total == np.inf
