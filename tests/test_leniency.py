"""Any leniency: g and G in fractions, the index by bisection, the bounds by linear programs."""

from fractions import Fraction
from itertools import combinations

import mpmath as mp
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linprog
from scipy.stats import binom
from support.many_digits import close, d, exact

import lenient.leniency
from lenient import (
    KLUCB,
    Criterion,
    EpsKLUCB,
    Leniency,
    LenientKLUCB,
    Sample,
    TopLeader,
    additive,
    hinge,
    indicator,
    kl,
    kl_ucb,
    law_kinf,
    leniency_bound,
    lower_bound,
    multiplicative,
    shortfall,
    simulate,
    standard_bound,
    threshold,
    top,
    top_bound,
    unacceptable,
)
from lenient.gaps import costs

ALL = [additive(0.2), multiplicative(0.2), threshold(0.7), additive(0.7), multiplicative(0.45)]
ALL += [additive(0), threshold(1), threshold(0), threshold(0.3)]
hundredths = st.integers(0, 100).map(lambda n: n / 100)
leniencies = st.one_of(
    st.integers(0, 99).map(lambda n: additive(n / 100)),
    st.integers(0, 99).map(lambda n: multiplicative(n / 100)),
    st.integers(0, 100).map(lambda n: threshold(n / 100)),
)


def g(leniency, u):
    """g once more, in fractions, from the words of the definition."""
    value = Fraction(str(leniency.value))
    return {
        "additive": u - value,
        "multiplicative": u - u * value,
        "threshold": value if value < u else u,
    }[leniency.kind]


# ---- g and G -------------------------------------------------------------------------
@given(leniencies, hundredths, hundredths)
@pytest.mark.claim("beyond:g-lower", how="exact")
def test_G_is_the_other_side_of_g(leniency, v, m):
    """(G1) g(v) ≤ m iff v ≤ G(m), (G2) G(m) ≥ m, (G3) m < g(v) implies G(m) < v."""
    v, m = Fraction(str(v)), Fraction(str(m))
    target = leniency._target(m)
    assert (g(leniency, v) <= m) == (v <= target)
    assert m <= target <= 1 and g(leniency, target) <= m
    assert not m < g(leniency, v) or target < v
    if target < 1:  # the largest such u
        assert g(leniency, target + Fraction(1, 10**9)) > m
    assert float(target) == leniency.G(float(m))


@given(leniencies, hundredths)
def test_g_in_floats_is_g(leniency, u):
    assert leniency.g(u) == pytest.approx(float(g(leniency, Fraction(str(u)))), abs=1e-15)
    assert leniency.g(1) == float(g(leniency, Fraction(1)))  # which must tie with S/N


def test_one_minus_eps_is_no_difference_of_floats():
    assert additive(0.7).g(1) == 0.3 != 1 - 0.7


@given(leniencies, st.lists(hundredths, min_size=1, max_size=5))
def test_who_is_acceptable_is_decided_exactly(leniency, means):
    exact_means = [Fraction(str(m)) for m in means]
    least = g(leniency, max(exact_means))
    assert leniency.acceptable(means).tolist() == [m >= least for m in exact_means]
    lacks = [max(float(least - m), 0) for m in exact_means]
    assert shortfall(leniency).costs(means).tolist() == lacks
    assert unacceptable(leniency).costs(means).tolist() == [m < least for m in exact_means]


@given(st.integers(0, 99), st.lists(hundredths, min_size=1, max_size=5))
def test_additive_costs_are_those_of_the_gap_functions(percent, means):
    eps = percent / 100
    assert np.allclose(costs(shortfall(additive(eps)), means), costs(hinge(eps), means))
    count = unacceptable(additive(eps))
    assert costs(count, means).tolist() == costs(indicator(eps), means).tolist()


def test_top_counts_who_has_m_betters():
    means = [0.3, 0.9, 0.5, 0.5, 0.1]
    for m, free in [
        (1, {1}),
        (2, {1, 2, 3}),
        (3, {1, 2, 3}),
        (4, {0, 1, 2, 3}),
        (9, {*range(5)}),
    ]:
        paid = top(m).costs(means)
        assert {arm for arm in range(5) if not paid[arm]} == free


# ---- the score -----------------------------------------------------------------------
def by_bisection(pulls, wins, t):
    """The largest q with N d(S/N, q) ≤ ln t, in many digits."""
    if pulls == 0:
        return mp.mpf(1)
    mean, low, high = mp.mpf(wins) / pulls, mp.mpf(wins) / pulls, mp.mpf(1)
    if mean == 1:
        return mean
    for _ in range(120):
        middle = (low + high) / 2
        low, high = (middle, high) if pulls * d(mean, middle) <= mp.log(t) else (low, middle)
    return low


@pytest.mark.parametrize("leniency", ALL, ids=lambda leniency: leniency.name)
def test_score_is_the_larger_of_the_mean_and_g_of_the_index(leniency):
    for pulls, wins, t in [(0, 0, 1), (1, 0, 3), (10, 5, 100), (10, 9, 100), (40, 40, 77)] + [
        (300, 33, 10**6), (7, 0, 10**9), (2, 1, 1), (50, 35, 100), (10**6, 700_000, 10**7)
    ]:  # fmt: skip
        index = by_bisection(pulls, wins, t)
        value = exact(leniency.value)
        lenient = {
            "additive": index - value,
            "multiplicative": index * (1 - value),
            "threshold": min(index, value),
        }[leniency.kind]
        wanted = max(mp.mpf(wins) / max(pulls, 1), lenient)
        score = LenientKLUCB(leniency)(np.array([pulls]), np.array([wins]), t, None)
        assert close(score[0], wanted)


def test_without_leniency_it_is_kl_ucb():
    pulls, wins = np.array([3, 10, 200]), np.array([0, 5, 190])
    for none in (additive(0), multiplicative(0), threshold(1)):
        score = LenientKLUCB(none)(pulls, wins, 1000, None)
        assert np.array_equal(score, KLUCB()(pulls, wins, 1000, None))


@pytest.mark.parametrize("eps", [0, 0.1, 0.2, 0.45, 0.7, 0.9])
def test_additive_is_eps_kl_ucb_to_the_bit(eps):
    pulls, wins = np.indices((60, 60)).reshape(2, -1)
    pulls, wins = pulls[wins <= pulls], wins[wins <= pulls]
    for t in (1, 2, 77, 10**6):
        score = LenientKLUCB(additive(eps))(pulls, wins, t, None)
        assert np.array_equal(score, EpsKLUCB(eps)(pulls, wins, t, None))
    assert LenientKLUCB(additive(eps)).discount() == EpsKLUCB(eps).discount()


@pytest.mark.parametrize(
    "leniency, means",
    [
        (multiplicative(0.2), (0.5, 0.3)),
        (multiplicative(0.4), (0.9, 0.6, 0.3)),
        (threshold(0.7), (0.9, 0.6, 0.5)),
        (threshold(0.7), (0.7, 0.5)),
        (threshold(0.7), (0.6, 0.5)),
        (threshold(1), (0.6, 0.5)),
    ],
    ids=str,
)
def test_the_engine_that_skips_rounds_draws_from_the_same_law(leniency, means):
    """Plays of each arm at three times: 6 × 3 × 2 or 3 comparisons at 5 standard errors have
    a false-alarm rate of about 3e-5."""
    runs = 3000
    one, other = (
        simulate(means, LenientKLUCB(leniency), 400, runs, 7, [20, 100, 400], engine=engine)
        for engine in ("plain", "leap")
    )
    for mine, yours in [(one.pulls, other.pulls), (one.wins, other.wins)]:
        error = np.sqrt((mine.var(axis=0) + yours.var(axis=0)) / runs)
        assert (np.abs(mine.mean(axis=0) - yours.mean(axis=0)) <= 5 * error + 1e-9).all()


def test_a_threshold_of_zero_is_played_round_by_round():
    assert LenientKLUCB(threshold(0)).discount() is None
    assert simulate([0.5, 0.2], LenientKLUCB(threshold(0)), 9, 2, seed=1).engine == "plain"


def test_it_is_the_leader_unless_a_rival_may_be_too_good():
    """Only the leader and rivals with N d(μ̂, G(μ̂*)) < ln t are played."""
    rng = np.random.default_rng(1)
    for leniency in ALL:
        policy = LenientKLUCB(leniency)
        for _ in range(200):
            pulls = rng.integers(1, 60, 4)
            wins = rng.binomial(pulls, rng.random(4))
            t = int(pulls.sum()) + 1
            mean = wins / pulls
            score = policy(pulls, wins, t, None)
            chosen = {*np.flatnonzero(score == score.max())}
            target = leniency.G(mean.max())
            evidence = pulls * kl(mean, np.maximum(target, mean))
            rivals = {*np.flatnonzero(evidence < np.log(t) - 1e-9)} if target < 1 else set()
            leaders = {*np.flatnonzero(mean == mean.max())}
            if leniency.kind != "threshold":  # where ties at τ are another matter
                assert chosen <= rivals | leaders
                assert rivals - leaders or chosen <= leaders


# ---- the theorems, path by path ------------------------------------------------------
def split(leniency, low, high):
    """x ≤ x' between two numbers with x < G(x'), as the proof takes them."""
    x = low + (high - low) * 0.4
    later = x if leniency.G(round(x, 6)) > round(x, 6) else low + (high - low) * 0.7
    return round(x, 6), round(later, 6)


@pytest.mark.parametrize(
    "leniency, means",
    [
        (additive(0.2), (0.5, 0.45, 0.2)),
        (multiplicative(0.2), (0.5, 0.3)),
        (multiplicative(0.4), (0.9, 0.6, 0.3)),
        (threshold(0.7), (0.9, 0.6, 0.5)),
        (threshold(0.7), (0.6, 0.5, 0.4)),
        (threshold(0.7), (0.7, 0.5)),
    ],
    ids=str,
)
@pytest.mark.claim("beyond:g-rate", how="exact: on every path of many")
@pytest.mark.claim("beyond:g-bounded", how="exact: on every path of many")
def test_plays_outside_the_good_set_are_few_on_every_path(leniency, means):
    """Lemma "the good arms take over" is deterministic: no run may violate it, at any s."""
    runs, horizon, means = 300, 400, np.array(means)
    ceiling = float(leniency.g(1))
    good = means == means.max() if means.max() < ceiling else means >= ceiling
    c, c_later = split(leniency, means[~good].max(), min(ceiling, means[good].min()))
    target = leniency.G(c_later)
    rho, divergence = 1 - target, kl(c, target)
    rng = np.random.default_rng(5)
    tape = rng.random((len(means), runs, horizon + 1)) < means[:, None, None]
    averages = tape.cumsum(axis=2) / np.arange(1, horizon + 2)
    # the last n with an average of at most c', as far as the tape was read
    below = averages <= c_later
    last = np.where(below.any(axis=2), below.shape[2] - below[:, :, ::-1].argmax(axis=2), 0)
    n_star = last[good].max(axis=0)
    W = (averages[~good] > c).sum(axis=(0, 2))
    pulls, wins = np.zeros((2, len(means), runs), dtype=int)
    outside, policy = np.zeros(runs), LenientKLUCB(leniency)
    for s in range(1, horizon + 1):
        scores = policy(pulls, wins, s, None)
        arm = (rng.random(scores.shape) * (scores == scores.max(axis=0))).argmax(axis=0)
        who = arm, np.arange(runs)
        wins[who] += tape[(*who, pulls[who])]
        pulls[who] += 1
        outside += ~good[arm]
        others = (~good).sum()
        allowed = rho ** -n_star.astype(float) + W + others * (1 + np.log(s) / divergence)
        assert (outside <= allowed).all()


def type_two(mu, x, y, longest=4000):
    """Σ_n E[exp(n d(μ̂, y)); μ̂ ≤ x], with exact binomial weights."""
    total = 0.0
    for n in range(1, longest):
        k = np.arange(int(np.floor(n * x + 1e-12)) + 1)
        log_terms = binom.logpmf(k, n, mu) + n * kl(k / n, y)
        total += np.exp(log_terms).sum()
    return total


@pytest.mark.parametrize(
    "mu, x, y", [(0.5, 0.25, 0.45), (0.9, 0.67, 0.87), (0.5, 0.35, 0.4375)]
)
@pytest.mark.claim("beyond:g-rate", how="exact")
@pytest.mark.claim("beyond:threshold", how="exact")
def test_rounds_in_which_the_best_arm_is_underestimated(mu, x, y):
    lam = np.log(mu / (1 - mu)) - np.log(y / (1 - y))
    R = kl(x, mu) - kl(x, y)
    assert R == pytest.approx(kl(y, mu) + (y - x) * lam)
    allowed = 1 / (np.expm1(R) * -np.expm1(-lam))
    found = type_two(mu, x, y)
    assert 0.05 * allowed < found <= allowed


# ---- lower bounds --------------------------------------------------------------------
@pytest.mark.claim("beyond:g-lower", how="exact")
def test_leniency_bound_is_the_formula():
    means, eps = [0.5, 0.45, 0.2, 0.3], mp.mpf("0.2")
    share, plus = multiplicative(0.2), additive(0.2)
    wanted = sum(1 / d(exact(m), mp.mpf("0.5") / (1 - eps)) for m in (0.2, 0.3))
    assert close(leniency_bound(means, share, unacceptable(share)), wanted)
    lacks = {0.2: mp.mpf("0.2"), 0.3: mp.mpf("0.1")}
    wanted = sum(cost / d(exact(m), mp.mpf("0.625")) for m, cost in lacks.items())
    assert close(leniency_bound(means, share), wanted)
    assert leniency_bound(means, plus, hinge(0.2)) == lower_bound(means, 0.2, hinge(0.2))
    one = threshold(0.55)
    wanted = sum(1 / d(exact(m), mp.mpf("0.5")) for m in (0.45, 0.2, 0.3))
    assert close(leniency_bound(means, one, unacceptable(one)), wanted)
    assert close(standard_bound(means, indicator(0)), wanted)
    for enough in (threshold(0.5), threshold(0.4)):
        assert leniency_bound(means, enough) == 0
    assert leniency_bound([0.8, 0.5], share) == leniency_bound([0.8, 0.5], plus) == 0
    assert leniency_bound([0.79, 0.5], share) > 0
    law = Sample([0.1, 0.3])
    wanted = 0.2 / law_kinf(law, 0.625)
    assert leniency_bound([0.5, law], share) == pytest.approx(wanted)


@settings(deadline=None)
@given(st.integers(0, 99), st.lists(hundredths, min_size=1, max_size=5))
@pytest.mark.claim("beyond:factor", how="numerical search")
def test_eps_ts_is_within_a_factor_4_of_the_multiplicative_bound(percent, means):
    eps = percent / 100
    best = max(means)
    if Fraction(str(best)) >= 1 - Fraction(str(eps)):
        assert leniency_bound(means, multiplicative(eps)) == 0
        return
    for mean in means:
        if not multiplicative(eps).acceptable([best, mean]).all():
            top_, mu, star = 1 - exact(eps), exact(mean), exact(best)
            scaled, target = d(mu / top_, star / top_), d(mu, star / top_)
            assert scaled <= target * (1 + mp.mpf("1e-30")) and target <= 4 * scaled


def linear_program(weights, m):
    """min w·y, y ≥ 0, every m of the y with a sum of at least 1: all its rows."""
    rows = [[-(j in chosen) for j in range(len(weights))]
            for chosen in combinations(range(len(weights)), m)]  # fmt: skip
    if not rows:
        return 0.0
    return linprog(weights, A_ub=rows, b_ub=-np.ones(len(rows)), method="highs").fun


@pytest.mark.parametrize("seed", range(60))
@pytest.mark.claim("beyond:top", how="exact")
def test_top_bound_is_the_linear_program(seed):
    rng = np.random.default_rng(seed)
    K, m = int(rng.integers(2, 9)), int(rng.integers(1, 5))
    means = (rng.integers(1, 99, K) / 100).tolist()
    price = dict(zip(means, rng.random(K) * 3))
    bad = [mean for mean in means if sum(other > mean for other in means) >= m]

    def charge(given):
        return [
            price[x] if sum(y > x for y in given.tolist()) >= m else 0 for x in given.tolist()
        ]

    weights = [price[mean] / float(d(exact(mean), exact(max(means)))) for mean in bad]
    found = top_bound(means, m, Criterion("prices", charge))
    assert found == pytest.approx(linear_program(weights, m), rel=1e-9, abs=1e-12)


@pytest.mark.claim("beyond:top", how="exact")
def test_some_arms_need_not_be_explored_at_all():
    """Two bad arms, m = 2: all the evidence against the cheaper one."""
    means = [0.7, 0.6, 0.5, 0.3]
    assert top_bound(means, 2) == pytest.approx(1 / kl(0.3, 0.7))
    assert top_bound(means, 2) < (1 / kl(0.3, 0.7) + 1 / kl(0.5, 0.7)) / 2
    assert top_bound([1, 0.6, 0.5, 0.3], 2) == 0


def test_top_one_is_the_classical_bound():
    means = [0.7, 0.6, 0.3]
    assert top_bound(means, 1) == pytest.approx(standard_bound(means, indicator(0)))


# ---- what is refused -----------------------------------------------------------------
@pytest.mark.parametrize(
    "call, message",
    [
        (lambda: Leniency("mild", 0.2), "kind must be one of additive, .* got 'mild'"),
        (lambda: Leniency("additive", 1), r"value must be a number in \[0, 1\), got 1"),
        (lambda: additive("0.2"), "eps must be"),
        (lambda: threshold(1.1), r"tau must be a number in \[0, 1\], got 1.1"),
        (lambda: LenientKLUCB(0.2), "leniency must be one such as additive"),
        (lambda: shortfall(hinge(0.2)), "leniency must be one such as additive"),
        (lambda: leniency_bound([0.5, 0.2], 0.2), "leniency must be one such as additive"),
        (lambda: leniency_bound([0.5, 0.45], additive(0.2), indicator(0)),
         "gap must cost nothing for arm 1, which is acceptable by additive, ε = 0.2"),
        (lambda: top_bound([0.5, 0.4, 0.3], 2, indicator(0)),
         "gap must cost nothing for arm 1, which is among the best 2"),
        (lambda: top_bound([0.5, 0.2], 0), "m must be a whole number"),
        (lambda: TopLeader(0.5), "m must be a whole number"),
        (lambda: top(-1), "m must be a whole number"),
        (lambda: additive(0.2).g(1.2), "best must be a number in"),
        (lambda: additive(0.2).G(-1), "mean must be a number in"),
    ],
)  # fmt: skip
def test_bad_input_is_named(call, message):
    with pytest.raises(ValueError, match=message):
        call()


# ---- the heuristic for top-m ---------------------------------------------------------
def test_top_leader_by_hand():
    """Evidence N d(μ̂, μ̂*) of three rivals; which sums are below ln t is checked by hand."""
    pulls, wins = np.array([[50], [10], [20], [40]]), np.array([[40], [5], [4], [20]])
    evidence = np.array([10 * kl(0.5, 0.8), 20 * kl(0.2, 0.8), 40 * kl(0.5, 0.8)])
    two = np.sort(evidence)[:2].sum()
    assert np.argmin(evidence) == 0 and evidence[0] < two
    for m, t, explores in [
        (1, int(np.exp(evidence[0])) + 1, True),
        (1, int(np.exp(evidence[0])), False),
        (2, int(np.exp(two)) + 1, True),
        (2, int(np.exp(two)), False),
        (4, 10**9, False),  # there are no four rivals
    ]:
        scores = TopLeader(m)(pulls, wins, t, None).ravel()
        assert scores.argmax() == (1 if explores else 0)
        assert (scores == scores.max()).sum() == 1


def test_top_leader_starts_and_finds_a_free_arm():
    played = simulate([0.3, 0.9, 0.8], TopLeader(2), 500, 50, seed=1)
    share = played.pulls[:, -1].mean(axis=0) / 500
    assert share[0] < 0.5 and played.pulls[:, -1, 1:].sum(axis=1).mean() > 250


# ---- mistakes ------------------------------------------------------------------------
MISTAKES = {
    "the mean is forgotten": lambda mean, U, lenient: lenient.g(U),
    "optimism is not discounted": lambda mean, U, lenient: np.maximum(mean, U),
    "the mean is discounted too": lambda mean, U, lenient: lenient.g(np.maximum(mean, U)),
    "the smaller of the two": lambda mean, U, lenient: np.minimum(mean, lenient.g(U)),
}


@pytest.mark.parametrize("name", MISTAKES)
def test_a_wrong_score_is_caught(name, monkeypatch):
    def wrong(self, pulls, wins, t, rng):
        mean = wins / np.maximum(pulls, 1)
        return MISTAKES[name](mean, kl_ucb(mean, pulls, np.log(t)), self.leniency)

    monkeypatch.setattr(lenient.leniency.LenientKLUCB, "__call__", wrong)
    with pytest.raises(AssertionError):
        test_score_is_the_larger_of_the_mean_and_g_of_the_index(additive(0.2))


@pytest.mark.parametrize(
    "wrong",
    [
        lambda self, m: Fraction(1),
        lambda self, m: m,
        lambda self, m: min(m + Fraction(str(self.value)), Fraction(1)),
        lambda self, m: m if m <= Fraction(str(self.value)) else Fraction(1),
    ],
)
def test_a_wrong_target_is_caught(wrong, monkeypatch):
    monkeypatch.setattr(Leniency, "_target", wrong)
    with pytest.raises(AssertionError):
        for leniency in (multiplicative(0.2), threshold(0.7)):
            for v, m in [(0.5, 0.4), (0.7, 0.7), (0.8, 0.7), (0.6, 0.5), (0.9, 0.8)]:
                test_G_is_the_other_side_of_g.hypothesis.inner_test(leniency, v, m)


@pytest.mark.parametrize(
    "wrong",
    [
        lambda w, m: sum(w) / m,  # water-filling alone
        lambda w, m: min(w),  # the cheapest arm alone
        lambda w, m: min(sum(w[r:]) / (m - r) for r in range(m - 1)) if m > 1 else sum(w),
        lambda w, m: min(sum(sorted(w)[r:]) / (m - r) for r in range(m)),  # cheap ones left out
    ],
)
def test_a_wrong_vertex_is_caught(wrong):
    """The formula with a mistake differs from the linear program somewhere."""
    rng, differs = np.random.default_rng(3), False
    for _ in range(40):
        m = int(rng.integers(1, 4))
        weights = sorted(rng.random(int(rng.integers(m, 7))) ** 3, reverse=True)
        right = min(sum(weights[r:]) / (m - r) for r in range(m))
        program = linear_program(weights, m)
        assert right == pytest.approx(program)
        differs |= abs(wrong(weights, m) - program) > 1e-6
    assert differs
