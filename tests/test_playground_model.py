"""The page's engine against `lenient`: formulas, exact rules, samplers, first rounds, laws.

Formulas agree to 1e-12. The statistical tests have fixed seeds on both sides; their levels
are stated beside them, and all of them together raise a false alarm with a probability
below 1 in 1000, had the seeds been drawn anew.
"""

import os
from fractions import Fraction
from itertools import product
from math import comb

import numpy as np
import pytest
from scipy import integrate, stats
from support import javascript
from support.exact import exact_law_of_first_arm

import lenient
from lenient import exact
from lenient.baselines import ALL_POLICIES
from lenient.divergence import kl_ucb
from lenient.gaps import CRITERIA, suboptimality
from lenient.policies import TS, EpsTS

LEVEL = 1e-5  # of each statistical test
GAPS = ["standard", "hinge", "indicator", "cutoff"]  # those that the page knows


@pytest.fixture(scope="module", params=["node", "chromium"])
def js(request):
    if request.param == "chromium":
        return javascript.Chromium(request.getfixturevalue("browser"))
    if javascript.NODE is None:
        pytest.skip("no Node on this machine")
    return javascript.Node()


EPS = [0, 0.05, 0.1, 0.2, 1 / 3, 0.45, 0.7, 0.9, 0.999, 1e-9, 0.123456789012345]
GRID = [0, 1e-300, 1e-12, 0.001, 0.1, 0.2, 0.3, 0.5, 0.55, 0.7, 0.8, 0.9, 0.999, 1 - 1e-12, 1]


# ---- formulas ------------------------------------------------------------------------


def test_divergences(js):
    given = [*product(GRID, [*GRID, 1.1], EPS)]
    got = js("given.map(([p, q, e]) => scaledKl(p, q, e))", given)
    p, q, e = (np.array(x) for x in zip(*given))
    np.testing.assert_allclose(got, lenient.scaled_kl(p, q, e), rtol=1e-12, atol=0)
    got = js("given.map(([p, q]) => kl(p, q))", given)
    np.testing.assert_allclose(got, lenient.kl(p, q), rtol=1e-12, atol=0)


def test_index_of_kl_ucb(js):
    given = [*product(GRID, [0, 1, 2, 7, 1000, 10**9], [0, 1e-9, 0.1, 1, 10, 40])]
    got = js("given.map(([p, n, l]) => klUcb(p, n, l))", given)
    want = kl_ucb(*(np.array(x, dtype=float) for x in zip(*given)))
    np.testing.assert_allclose(got, want, rtol=1e-12, atol=0)


BANDITS = [
    [0.5, 0.2],
    [0.9, 0.85, 0.6],
    [0.9, 0.7, 0.5],
    [0.3, 0.8, 0.5, 0.79],
    [1, 0.5, 0],
    [0.1, 0.1],
    [0.7, 0.65, 0.6, 0.4, 0.3, 0.2, 0.1, 0.05],
]


def test_gaps_and_costs(js):
    given = [*product(BANDITS, EPS)]
    assert js("given.map(([m]) => gapsOf(m))", given) == [
        suboptimality(means).tolist() for means, _ in given
    ]
    for name in GAPS:
        got = js(f"given.map(([m, e]) => costs('{name}', m, e))", given)
        for (means, eps), cost in zip(given, got):
            want = CRITERIA[name](eps).costs(means)
            np.testing.assert_allclose(cost, want, rtol=1e-12, atol=0)
            assert [c > 0 for c in cost] == [c > 0 for c in want]  # which arms are forgiven


def test_bounds(js):
    given = [*product(BANDITS, EPS, ["hinge", "indicator", "cutoff"])]
    got = js(
        "given.map(x => [lowerBound, upperBound, looseUpperBound, standardBound]"
        ".map(f => f(...x)))",
        given,
    )
    for (means, eps, name), four in zip(given, got):
        gap = CRITERIA[name](eps)
        want = [
            lenient.lower_bound(means, eps, gap),
            lenient.upper_bound(means, eps, gap),
            lenient.loose_upper_bound(means, eps, gap),
            lenient.standard_bound(means, gap),
        ]
        np.testing.assert_allclose(four, want, rtol=1e-12, atol=0)
    got = js("given.map(([m]) => standardBound(m, 0.3, 'standard'))", given)
    want = [lenient.standard_bound(means, lenient.standard()) for means, *_ in given]
    np.testing.assert_allclose(got, want, rtol=1e-12, atol=0)
    assert js("tailExponent(0.9, 0.6, 0.2)") == pytest.approx(
        lenient.tail_exponent(0.9, 0.6, 0.2), rel=1e-12
    )


def test_which_bounds_apply(js):
    from lenient_book.portrait import bounds_that_apply

    cases = [*product(BANDITS, [0, 0.1, 0.2, 0.5], GAPS, [["TS", "ε-TS"], ["ε-TS"]])]
    got = js("given.map(([m, e, g, p]) => boundsThatApply(m, e, g, p))", cases)
    for (means, eps, gap, policies), found in zip(cases, got):
        want = bounds_that_apply(means, eps, policies, gap)
        assert {*found} == {*want}, (means, eps, gap)
        for name in found:
            assert found[name] == pytest.approx(want[name], rel=1e-12)


def test_density_of_the_posterior(js):
    shapes = [(1, 1), (1, 7), (3, 1), (2, 2), (40, 11), (900, 102), (10**6, 10**5)]
    given = [(x, *shape) for shape in shapes for x in (0.01, 0.3, 0.5, 0.8, 0.905, 0.99)]
    got = js("given.map(([x, a, b]) => logDensity(x, a, b))", given)
    want = [stats.beta.logpdf(*each) for each in given]
    np.testing.assert_allclose(got, want, rtol=1e-9, atol=1e-8)  # SciPy's own error
    for shape, x in [((3, 5), 0.3), ((20, 4), 0.8)]:  # exactly, for small counts
        n, k = sum(shape) - 2, shape[0] - 1
        want = (n + 1) * comb(n, k) * x**k * (1 - x) ** (n - k)
        got = js("Math.exp(logDensity(...given))", [x, *shape])
        assert got == pytest.approx(want, rel=1e-12)


# ---- exact rules ---------------------------------------------------------------------


def test_whole_numbers_are_decided_exactly(js):
    counts = [*range(60), 999, 10**6, 10**12 - 7, 2**50]
    given = [*product(counts, EPS)]
    top = [1 - exact.decimal(eps) for _, eps in given]
    got = js("given.map(([s, e]) => floorRatio(s, ceiling(e)))", given)
    want = [Fraction(s) / c for (s, _), c in zip(given, top)]
    assert [g for g, w in zip(got, want) if w < 2**53] == [
        w.__floor__() for w in want if w < 2**53
    ]
    pairs = [
        (s, n, e) for n in [*range(1, 40), 10**7] for s in range(min(n, 40) + 1) for e in EPS
    ]
    got = js("given.map(([s, n, e]) => exceeds(s, ceiling(e), n))", pairs)
    assert got == [Fraction(s, n) > 1 - exact.decimal(e) for s, n, e in pairs]


def test_floats_would_fail(js):
    """The cases for which there is an exact rule: plain JavaScript gets them wrong."""
    assert js("[Math.floor(3 / (1 - 0.7)), floorRatio(3, ceiling(0.7))]") == [9, 10]
    assert js("[1 / 10 > 1 - 0.9, exceeds(1, ceiling(0.9), 10)]") == [True, False]
    assert js("[0.9 - 0.7 > 0.2, costs('indicator', [0.9, 0.7], 0.2)[1]]") == [True, 0]


def test_beliefs(js):
    """Squeezed under 1−ε, and a point above; at 1−ε itself a Beta law still."""
    assert js("belief(10, 9, ceiling(0.2))") == {"sure": 0.9}
    assert js("belief(10, 8, ceiling(0.2))") == {"alpha": 11, "beta": 1, "top": 0.8}
    assert js("belief(10, 5, ceiling(0.2))") == {"alpha": 7, "beta": 5, "top": 0.8}
    assert js("belief(0, 0, ceiling(0.2))") == {"alpha": 1, "beta": 1, "top": 0.8}


STATES = [(0, 0), (1, 0), (1, 1), (2, 1), (7, 7), (10, 3), (50, 44), (400, 100)]


def test_indices(js):
    given = [*product(STATES, [1, 2, 17, 5000])]
    N, S, t = (np.array(x) for x in zip(*((n, s, t) for (n, s), t in given)))
    for name in ("KL-UCB", "ε-KL-UCB", "squeezed KL-UCB", "UCB1"):
        got = js(f"given.map(([[n, s], t]) => POLICIES['{name}'](0.2).score(n, s, t))", given)
        policy = ALL_POLICIES[name](0.2)
        want = [float(policy(n, s, round(t), None)) for n, s, t in zip(N, S, t)]
        np.testing.assert_allclose(got, want, rtol=1e-12)
    pairs = [*product(STATES, STATES)]
    got = js("given.map(([[n, s], [m, r]]) => POLICIES.IMED().scores([n, m], [s, r]))", pairs)
    for ((n, s), (m, r)), two in zip(pairs, got):
        want = lenient.IMED()(np.array([n, m]), np.array([s, r]), 2, None)
        np.testing.assert_allclose(two, want, rtol=1e-11, atol=1e-11)


# ---- duels ---------------------------------------------------------------------------


def chance_of_first(a, b, c, d):
    """P(Beta(a, b) > Beta(c, d)) by quadrature, knowing nothing of the recursion."""
    first, second = stats.beta(a, b), stats.beta(c, d)
    return integrate.quad(
        lambda x: first.pdf(x) * second.cdf(x), 0, 1, epsabs=1e-13, limit=400
    )[0]


def test_duels(js):
    shapes = [*product([1, 2, 5], repeat=4)] + [
        (30, 4, 3, 9),
        (12, 40, 50, 60),
        (200, 31, 9, 2),
    ]
    got = js("given.map(x => duel(...x)[0])", shapes)
    np.testing.assert_allclose(got, [chance_of_first(*s) for s in shapes], atol=1e-11)


def test_duels_step_by_step(js):
    """A walk up and down, and the same from nothing at its end."""
    walk = """(() => {
      const duelled = new Duel();
      duelled.set(1, 1, 1, 1);
      const rng = new Rng(3);
      for (let i = 0; i < 3000; i++) {
        const moves = ["aUp", "bUp", "cUp", "dUp", "aUp", "cUp"];
        if (duelled.b > 1) moves.push("bDown");
        if (duelled.d > 1) moves.push("dDown");
        duelled[moves[Math.floor(rng.random() * moves.length)]]();
      }
      const { a, b, c, d, h, g } = duelled;
      return [h, g, ...duel(a, b, c, d)];
    })()"""
    h, g, h_anew, g_anew = js(walk)
    assert h == pytest.approx(h_anew, abs=1e-11)
    assert g == pytest.approx(g_anew, rel=1e-9)


# ---- draws ---------------------------------------------------------------------------


def test_uniform_numbers_depend_on_seed_and_stream_alone(js):
    draws = "[0, 1].map(s => { const r = new Rng(given, s); return [r.random(), r.random()]; })"
    assert js(draws, 7) == js(draws, 7)
    assert len({str(js(draws, seed)) for seed in (0, 1, 7, 2**32, 2**40 + 1)}) == 5


def test_draws_have_their_laws(js):
    """Kolmogorov–Smirnov and χ², 20,000 draws each, at a level of 1e-5."""
    n = 20_000
    draw = (
        f"(() => {{ const r = new Rng(11); return Array.from({{length: {n}}}, () => %s); }})()"
    )
    laws = {
        "r.random()": stats.uniform(),
        "r.exponential()": stats.expon(),
        "r.normal()": stats.norm(),
        "r.gamma(1)": stats.gamma(1),
        "r.gamma(37)": stats.gamma(37),
        "r.beta(1, 1)": stats.uniform(),
        "r.beta(3, 8)": stats.beta(3, 8),
        "r.beta(900, 101)": stats.beta(900, 101),
    }
    for text, law in laws.items():
        assert stats.kstest(js(draw % text), law.cdf).pvalue > LEVEL, text
    counts = {
        "poisson(r, 3.7)": stats.poisson(3.7),
        "poisson(r, 250)": stats.poisson(250),
        "binomial(r, 9, 0.3)": stats.binom(9, 0.3),
        "binomial(r, 500, 0.01)": stats.binom(500, 0.01),
        "binomial(r, 4000, 0.7)": stats.binom(4000, 0.7),
    }
    for text, law in counts.items():
        assert chi_square(js(draw % text), law) > LEVEL, text


def chi_square(sample, law):
    """p-value of a sample of whole numbers, in cells of about equal probability."""
    edges = np.unique(law.ppf(np.linspace(0, 1, 22)[1:-1]))
    chances = np.diff(np.r_[0, law.cdf(edges), 1])
    counts = np.bincount(np.searchsorted(edges, sample), minlength=chances.size)
    return stats.chisquare(counts, chances * len(sample)).pvalue


def test_a_wrong_sampler_is_caught(js):
    wrong = "(() => { const r = new Rng(11); return Array.from({length: 20000}, () => %s); })()"
    assert stats.kstest(js(wrong % "r.beta(3, 8.2)"), stats.beta(3, 8).cdf).pvalue < LEVEL
    assert chi_square(js(wrong % "poisson(r, 255)"), stats.poisson(250)) < LEVEL


def test_shared_luck_is_uniform_and_independent(js):
    draws = np.array(
        js("[0,1,2].map(a => Array.from({length: 9000}, (_, n) => luck(5, a, n)))")
    )
    assert all(stats.kstest(row, "uniform").pvalue > LEVEL for row in draws)
    pairs = [(draws[0], draws[1]), (draws[0], draws[2]), (draws[0][1:], draws[0][:-1])]
    assert all(stats.pearsonr(x, y).pvalue > LEVEL for x, y in pairs)
    assert js("luck(5, 1, 3) !== luck(6, 1, 3)")


# ---- runs ----------------------------------------------------------------------------

PLAY = """(() => {
  const { means, policy, eps, runs, times, seed } = given;
  const player = runner({ means, policy, eps, seed, times });
  const size = times.length * means.length;
  return Array.from({ length: runs }, () => {
    const pulls = new Float64Array(size);
    player.next(pulls);
    return pulls;
  });
})()"""


def play(js, means, policy, eps, runs, times, seed=1):
    got = js(PLAY, dict(means=means, policy=policy, eps=eps, runs=runs, times=times, seed=seed))
    return np.array(got).reshape(runs, len(times), len(means))


def goodness(counts, law, runs):
    """p-value of χ², with rare cells put together."""
    order = np.argsort(law)
    counts, law = counts[order], law[order]
    few = np.cumsum(law) * runs < 10
    counts = np.r_[counts[few].sum(), counts[~few]]
    law = np.r_[law[few].sum(), law[~few]]
    if law[0] * runs < 1e-9:
        assert counts[0] == 0
        counts, law = counts[1:], law[1:]
    return stats.chisquare(counts, law / law.sum() * runs).pvalue if law.size > 1 else 1.0


@pytest.mark.parametrize("tenths", [0, 1, 2, 5, 7])
@pytest.mark.parametrize("means", [[0.9, 0.6], [0.5, 0.2], [0.3, 0.4]])
def test_first_rounds_by_exact_enumeration(js, means, tenths):
    """Ten rounds of two arms, followed through every history; χ² at a level of 1e-5."""
    runs, horizon = 20_000, 10
    law = exact_law_of_first_arm(tuple(means), tenths, horizon)
    policy = "ε-TS" if tenths else "TS"
    counts = play(js, means, policy, tenths / 10, runs, [horizon])[:, 0, 0].astype(int)
    assert goodness(np.bincount(counts, minlength=horizon + 1), law, runs) > LEVEL
    if tenths == 2 and means[0] == 0.9:  # and a wrong ε is caught
        wrong = exact_law_of_first_arm(tuple(means), 1, horizon)
        assert goodness(np.bincount(counts, minlength=horizon + 1), wrong, runs) < LEVEL


@pytest.mark.parametrize("tenths", [0, 2])
def test_leaps_by_exact_enumeration(js, tenths):
    """The same for the leaps, which play three arms and more, and two that are clear."""
    runs, horizon, means = 20_000, 14, [0.9, 0.3]
    got = js(
        """Array.from({ length: given.runs }, (_, run) => {
          let first = 0;
          const leap = new Leap([0.9, 0.3], ceiling(given.eps), new Rng(5, run));
          leap.run(14, (arm, rounds) => { if (arm === 0) first += rounds; });
          return first;
        })""",
        dict(runs=runs, eps=tenths / 10),
    )
    law = exact_law_of_first_arm(tuple(means), tenths, horizon)
    assert goodness(np.bincount(got, minlength=horizon + 1), law, runs) > LEVEL


# means, ε, horizon: three arms and more are leapt, two are duelled; ε = 0 is TS
LAWS = [
    ([0.9, 0.85, 0.6], 0, 400),
    ([0.9, 0.85, 0.6], 0.2, 400),
    ([0.5, 0.45, 0.2, 0.1], 0.1, 1000),
    ([0.7, 0.65, 0.6, 0.4, 0.3], 0.3, 1000),
    ([0.5, 0.2], 0, 2000),
    ([0.5, 0.2], 0.1, 2000),
    ([0.8, 0.75], 0.2, 2000),
    ([0.6, 0.5], 0.35, 2000),
    ([0.95, 0.74], 0.2, 5000),
]


@pytest.mark.parametrize("means, eps, horizon", LAWS, ids=str)
def test_law_of_pull_counts(js, means, eps, horizon):
    """Against lenient.simulate, 4,000 runs each: Kolmogorov–Smirnov for each arm at three
    times. 9 bandits, up to 5 arms, 3 times, 2 engines: some 160 tests at a level of 1e-5."""
    runs, times = 4000, [horizon // 20, horizon // 4, horizon]
    ours = play(js, means, "ε-TS" if eps else "TS", eps, runs, times)
    assert (ours.sum(axis=2) == times).all()
    policy = EpsTS(eps) if eps else TS()
    theirs = lenient.simulate(means, policy, horizon, runs, 77, times, engine="leap").pulls
    for row, arm in product(range(3), range(len(means))):
        found = stats.ks_2samp(ours[:, row, arm], theirs[:, row, arm], method="asymp")
        assert found.pvalue > LEVEL, (times[row], arm)


def test_a_wrong_law_is_caught(js):
    """ε off by 0.05 is seen by the same test."""
    ours = play(js, [0.5, 0.2], "ε-TS", 0.15, 4000, [2000])[:, 0, 1]
    policy = EpsTS(0.1)
    theirs = lenient.simulate([0.5, 0.2], policy, 2000, 4000, 77, [2000]).pulls[:, 0, 1]
    assert stats.ks_2samp(ours, theirs, method="asymp").pvalue < LEVEL


INDICES = ["KL-UCB", "ε-KL-UCB", "squeezed KL-UCB", "UCB1", "IMED"]


@pytest.mark.parametrize("name", INDICES)
@pytest.mark.parametrize("means", [[0.6, 0.5, 0.3], [0.9, 0.6], [0.5, 0.2]], ids=str)
def test_law_of_index_policies(js, name, means):
    """In blocks here, round by round there; 105 tests at a level of 1e-5 for each engine."""
    policy = ALL_POLICIES[name](0.2)
    runs, times = 1500, [30, 300, 2000]
    ours = play(js, means, name, 0.2, runs, times)
    theirs = lenient.simulate(means, policy, 2000, runs, 7, times, engine="plain").pulls
    for row, arm in product(range(3), range(len(means))):
        found = stats.ks_2samp(ours[:, row, arm], theirs[:, row, arm], method="asymp")
        assert found.pvalue > LEVEL, (times[row], arm)


BLOCKS = """(() => {
  const { name, means, eps, horizon, seed } = given;
  const policy = POLICIES[name](eps), rng = new Rng(seed);
  const N = means.map(() => 0), S = means.map(() => 0);
  let blocks = 0, longest = 0, wrong = 0;
  for (let t = 1; t <= horizon; ) {
    const values = scores(policy, N, S, t, rng), arm = argmax(values, rng);
    const alone = values.filter(v => v === values[arm]).length === 1;
    let rounds = 1, f = 1;
    if (alone && N[arm]) [f, rounds] = longestBlock(policy, N, S, arm, 1 - means[arm], t);
    if (given.deaf) f = Infinity; // to the leader's failures
    const block = rounds > 1;
    if (block) { blocks++; longest = Math.max(longest, rounds); }
    for (let failed = 0; rounds-- && failed < f && t <= horizon; t++) {
      const now = scores(policy, N, S, t, rng); // what it would play, round by round
      if (block && now.some((v, a) => a !== arm && v >= now[arm])) wrong++;
      const won = rng.random() < means[arm];
      N[arm]++;
      if (won) S[arm]++; else failed++;
    }
  }
  return { blocks, longest, wrong };
})()"""


@pytest.mark.parametrize("name", INDICES)
@pytest.mark.parametrize("eps", [0, 0.2])
def test_within_a_block_the_leader_has_the_highest_score(js, name, eps):
    """Each round of each block is visited, and the scores are looked at."""
    for means in ([0.9, 0.6], [0.5, 0.45, 0.2], [0.97, 0.9, 0.1], [0.3, 0.05]):
        given = dict(name=name, means=means, eps=eps, horizon=4000, seed=3)
        seen = js(BLOCKS, given)
        assert seen["blocks"] > 5 and seen["longest"] > 10
        assert seen["wrong"] == 0
    given["means"] = [0.5, 0.45, 0.2]  # blocks that go on after too many failures are caught
    assert js(BLOCKS, given | dict(deaf=True))["wrong"] > 0


def test_same_seed_same_runs_and_long_horizons(js):
    one = play(js, [0.5, 0.2], "ε-TS", 0.1, 3, [10**6, 10**12], seed=4)
    assert (one == play(js, [0.5, 0.2], "ε-TS", 0.1, 3, [10**6, 10**12], seed=4)).all()
    assert (one.sum(axis=2) == [10**6, 10**12]).all()
    assert (one[:, 1, 1] < 1000).all()
    other = play(js, [0.5, 0.2], "ε-TS", 0.1, 3, [10**6, 10**12], seed=5)
    assert (one != other).any()


@pytest.mark.parametrize("means", [[0, 0], [1, 1], [1, 0], [0, 0, 0.5], [1, 1, 1], [0.5, 0.5]])
@pytest.mark.parametrize("eps", [0, 0.2, 0.999])
def test_extreme_bandits_end(js, means, eps):
    for policy in ("TS", "ε-TS", *INDICES):
        pulls = play(js, means, policy, eps, 3, [1, 50])
        assert (pulls.sum(axis=2) == [1, 50]).all(), policy


def test_times(js):
    from lenient.simulation import log_checkpoints

    assert js("logTimes(1000, 4)") == [1, 10, 100, 1000]
    assert js("logTimes(5)") == [1, 2, 3, 4, 5]
    assert js("logTimes(1)") == [1]
    for horizon in (17, 5000, 10**6):
        assert js(f"logTimes({horizon}, 60)") == log_checkpoints(horizon, 60).tolist()


# ---- speed ---------------------------------------------------------------------------

BEST_OF = """(() => {
  const { means, policy, eps, runs, horizon } = given;
  const times = logTimes(horizon, 60);
  const pulls = new Float64Array(times.length * means.length);
  let best = Infinity;
  for (let again = 0; again < 5; again++) {
    const player = runner({ means, policy, eps, seed: again, times });
    const start = performance.now();
    for (let run = 0; run < runs; run++) player.next(pulls);
    best = Math.min(best, performance.now() - start);
  }
  return best / 1000;
})()"""


@pytest.mark.parametrize(
    "means, policy, runs, horizon, seconds",
    [
        ([0.9, 0.85, 0.6], "TS", 1000, 5000, 2),
        ([0.9, 0.85, 0.6], "ε-TS", 1000, 5000, 2),
        ([0.5, 0.45], "TS", 1000, 5000, 0.5),
        ([0.5, 0.45], "ε-TS", 1000, 5000, 0.5),
        ([0.9, 0.6], "TS", 200, 10**6, 1),
        ([0.5, 0.2], "ε-TS", 200, 10**6, 1),
        ([0.5, 0.2], "ε-KL-UCB", 200, 10**6, 1),
    ],
    ids=str,
)
def test_speed(js, means, policy, runs, horizon, seconds):
    """The best of five; and more time where others keep the processors busy."""
    given = dict(means=means, policy=policy, eps=0.1, runs=runs, horizon=horizon)
    waiting = max(1, os.getloadavg()[0] / (os.cpu_count() or 1))
    assert js(BEST_OF, given) < seconds * waiting


def test_sums_give_means_errors_and_law(js):
    """Mean, standard error and law of regrets from running sums, against NumPy on all runs."""
    rng = np.random.default_rng(5)
    pulls = rng.integers(0, 1000, (40, 3, 4))
    costs = [0, 0.05, 0.3, 1]
    got = js(
        """(() => {
          const tally = new Tally(3, 4, 40);
          for (let run = 0; run < 40; run += 8)
            tally.add(new Float64Array(given.pulls.slice(run, run + 8).flat(2)));
          return [tally.curve(given.costs), tally.ends(given.costs), tally.plays(2)];
        })()""",
        dict(pulls=pulls.tolist(), costs=costs),
    )
    regret = pulls @ costs
    np.testing.assert_allclose([c["mean"] for c in got[0]], regret.mean(axis=0), rtol=1e-12)
    errors = regret.std(axis=0, ddof=1) / np.sqrt(40)
    np.testing.assert_allclose([c["error"] for c in got[0]], errors, rtol=1e-9)
    np.testing.assert_allclose(got[1], np.sort(regret[:, -1]), rtol=1e-12)
    assert got[2] == pytest.approx(pulls[:, -1, 2].mean())
    tail = js("tailOf([1, 1, 2, 5])")
    assert tail == [[1, 1], [2, 0.5], [5, 0.25]]
