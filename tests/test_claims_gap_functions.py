"""The paper's definition of lenient regret, its claim on averages, its Figure 1.

The package's floats are compared with exact fractions, or with the whole law of a short
game. A mean and an ε are meant as the decimals that were written.
"""

import json
from fractions import Fraction
from itertools import product
from math import factorial

import matplotlib.pyplot as plt
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.integrate import quad
from scipy.stats import beta, norm
from support.paths import ROOT

import lenient
from lenient import (
    TS,
    EpsTS,
    cutoff,
    gap_function,
    hinge,
    indicator,
    kl,
    simulate,
    standard,
)
from lenient.bounds import lower_bound
from lenient_book import figures

busy = settings(deadline=None)  # a busy machine is no failure
percents = st.integers(0, 100)
levels = st.integers(0, 99).map(lambda percent: Fraction(percent, 100))
bandits = st.lists(percents, min_size=1, max_size=5)
#: A bandit, in percent, and how often each of its arms was played.
graded = bandits.flatmap(
    lambda means: st.tuples(
        st.just(means),
        st.lists(st.integers(0, 50), min_size=len(means), max_size=len(means)),
    )
)
#: A bandit, in percent, and the arm played in each round.
played = bandits.flatmap(
    lambda means: st.tuples(
        st.just(means),
        st.lists(st.integers(0, len(means) - 1), min_size=1, max_size=40),
    )
)

#: The gap functions by their definition, in fractions.
EXACT = {
    hinge: lambda eps: lambda gap: max(gap - eps, Fraction(0)),
    indicator: lambda eps: lambda gap: Fraction(gap > eps),
    cutoff: lambda eps: lambda gap: gap if gap > eps else Fraction(0),
}


def exact_gaps(percents):
    return [Fraction(max(percents) - percent, 100) for percent in percents]


def record(percents, counts):
    """A `Simulation` of one run with these counts, as if it had been played."""
    means = np.array([percent / 100 for percent in percents])
    counts = np.array(counts)
    horizon = counts.sum(keepdims=True)
    return lenient.Simulation(means, None, None, horizon, counts[None, None])


def steps(gaps):
    """The intervals between gaps, on each of which all indicators are constant."""
    edges = sorted({Fraction(0), *gaps, Fraction(1)})
    return list(zip(edges, edges[1:]))


# ---- definition --------------------------------------------------------------------
@pytest.mark.claim("definition:gap-function", how="exact")
@pytest.mark.parametrize("make", EXACT)
@busy
@given(game=played, eps=levels)
def test_regret_from_counts_is_the_sum_over_rounds(make, game, eps):
    percents, arms = game
    gaps = exact_gaps(percents)
    by_round = sum(EXACT[make](eps)(gaps[arm]) for arm in arms)
    counts = np.bincount(arms, minlength=len(percents))
    regret = record(percents, counts).regret(make(float(eps)))
    assert regret[0, 0] == pytest.approx(float(by_round), abs=1e-12)


@pytest.mark.claim("definition:gap-function", how="exact")
@pytest.mark.parametrize("make", EXACT)
@busy
@given(percents=bandits, eps=levels)
def test_the_examples_are_zero_up_to_eps_and_positive_beyond(make, percents, eps):
    means = [percent / 100 for percent in percents]
    costs = make(float(eps))(lenient.suboptimality(means))
    assert [cost > 0 for cost in costs] == [gap > eps for gap in exact_gaps(percents)]


@pytest.mark.claim("definition:gap-function", how="exact")
@busy
@given(
    eps=levels,
    costs=st.lists(st.floats(1e-9, 1e9), min_size=100, max_size=100),
    zero=st.integers(0, 99),
)
def test_it_need_not_be_monotone_but_must_be_positive_beyond_eps(eps, costs, zero):
    e = float(eps)

    def table(costs):  # one cost for each hundredth, in any order
        steps = np.array(costs)
        return lambda gap: (gap > e) * steps[np.ceil(gap * 100).astype(int) - 1]

    f = gap_function(table(costs), e, "any")
    assert f(1.0) == costs[99] and f(e) == 0
    costs[zero] = 0.0
    if zero >= 100 * eps:  # the hundredth that begins at `zero` lies beyond ε
        with pytest.raises(ValueError, match="function must be positive beyond"):
            gap_function(table(costs), e, "no gap function")


@pytest.mark.claim("definition:gap-function", how="exact")
@busy
@given(graded, levels)
def test_the_cutoff_misses_what_is_lost_within_eps(game, eps):
    percents, counts = game
    gaps = exact_gaps(percents)
    missed = sum(n * gap for n, gap in zip(counts, gaps) if gap <= eps)
    run = record(percents, counts)
    difference = run.regret(standard()) - run.regret(cutoff(float(eps)))
    assert difference[0, 0] == pytest.approx(float(missed), abs=1e-11)
    assert 0 <= missed <= eps * sum(counts)


@pytest.mark.claim("definition:gap-function", how="exact")
@busy
@given(graded, st.data())
def test_the_cutoff_is_the_standard_regret_if_all_gaps_exceed_eps(game, data):
    percents, counts = game
    positive = [gap for gap in exact_gaps(percents) if gap > 0]
    smallest = int(min(positive, default=Fraction(1)) * 100)
    eps = data.draw(st.integers(0, smallest - 1)) / 100
    run = record(percents, counts)
    assert np.array_equal(run.regret(cutoff(eps)), run.regret(standard()))


@pytest.mark.claim(
    "definition:gap-function",
    how="simulation: false alarm below 1e-6 (5 standard errors), fixed seed",
)
def test_without_positivity_beyond_eps_the_lower_bound_fails():
    # 1{Δ > 0.3} is 0 up to 0.2 and not negative, but no 0.2-gap function. A policy
    # consistent for it grows less than the formula of the bound would demand.
    means, f = [0.75, 0.20], indicator(0.3)
    with pytest.raises(ValueError, match="gap must be positive beyond eps = 0.2"):
        lower_bound(means, 0.2, f)
    demanded = f(0.55) / kl(0.20, 0.95) * np.log(10)
    assert demanded > 1
    runs = simulate(means, EpsTS(0.3), 3000, 400, seed=3, checkpoints=[300, 3000])
    growth = np.diff(runs.regret(f), axis=1)[:, 0]
    assert growth.mean() + 5 * growth.std(ddof=1) / 20 < demanded / 2
    assert lower_bound(means, 0.3, f) == 0  # the bound f is entitled to
    # The same f grows under a policy that is not so lenient.
    strict = simulate(means, TS(), 3000, 400, seed=3, checkpoints=[300, 3000])
    growth = np.diff(strict.regret(f), axis=1)[:, 0]
    assert growth.mean() - 5 * growth.std(ddof=1) / 20 > demanded


# ---- the standard regret as an average ---------------------------------------------
@pytest.mark.claim("claim:average", how="exact")
@busy
@given(graded)
def test_standard_regret_is_the_integral_of_indicator_regrets_in_every_run(game):
    percents, counts = game
    gaps = exact_gaps(percents)
    run = record(percents, counts)
    # On [low, high) the number of bad plays is that at `low`, since > is strict.
    by_level = sum(
        (high - low) * Fraction(run.regret(indicator(float(low)))[0, 0])
        for low, high in steps(gaps)
    )
    assert by_level == sum(n * gap for n, gap in zip(counts, gaps))
    assert run.regret(standard())[0, 0] == pytest.approx(float(by_level), abs=1e-11)


@pytest.mark.claim("claim:average", how="numerical search")
@settings(max_examples=20, deadline=None)
@given(graded, st.integers(2, 300), st.floats(0, 0.999))
def test_averages_over_a_grid_of_levels_come_as_close_as_they_must(game, cells, at):
    # For a nonincreasing integrand the error is at most (first - last)/cells.
    percents, counts = game
    run = record(percents, counts)
    grid = (np.arange(cells) + at) / cells
    average = np.mean([run.regret(indicator(e))[0, 0] for e in grid])
    off = abs(average - run.regret(standard())[0, 0])
    assert off <= run.regret(indicator(0))[0, 0] / cells + 1e-9


@pytest.mark.claim("claim:average", how="simulation: an identity run by run, no error")
@pytest.mark.parametrize("policy", [TS(), EpsTS(0.2)])
def test_the_integral_holds_for_simulated_runs_at_all_times(policy):
    runs = simulate([0.9, 0.83, 0.6, 0.55, 0.4], policy, 300, 50, seed=1)
    edges = [*np.unique(runs.gaps), 1]
    cells = zip(edges, edges[1:])
    integral = sum((high - low) * runs.regret(indicator(low)) for low, high in cells)
    assert np.allclose(integral, runs.regret(standard()), rtol=0, atol=1e-11)


@pytest.mark.claim("claim:average", how="exact")
@pytest.mark.parametrize("gap", [0.0, 0.07, 0.3, 1.0])
def test_it_has_to_be_the_indicator_that_is_averaged(gap):
    # As functions of ε all three are straight within each hundredth, so the midpoint
    # rule is exact.
    middles = [(percent + 0.5) / 100 for percent in range(100)]
    average = {make: np.mean([make(e)(gap) for e in middles]) for make in EXACT}
    assert average[indicator] == pytest.approx(gap, abs=1e-12)
    assert average[hinge] == pytest.approx(gap**2 / 2, abs=1e-12)
    assert average[cutoff] == pytest.approx(gap**2, abs=1e-12)


# The law of two-armed Thompson sampling over a few rounds, in fractions.
def exact_beta(a, b):
    return Fraction(factorial(a - 1) * factorial(b - 1), factorial(a + b - 1))


def draw_exceeds(first, second):
    """P(X > Y) for independent X ~ Beta(first), Y ~ Beta(second), whole parameters."""
    (a, b), (c, d) = first, second
    return sum(
        exact_beta(c + i, b + d) / ((b + i) * exact_beta(1 + i, b) * exact_beta(c, d))
        for i in range(a)
    )


def thompson_paths(means, horizon):
    """Every sequence of arms that TS may play, with its exact probability."""
    law = {}
    for arms, rewards in product(product((0, 1), repeat=horizon), repeat=2):
        chance, belief = Fraction(1), [(1, 1), (1, 1)]
        for arm, reward in zip(arms, rewards):
            chance *= draw_exceeds(belief[arm], belief[1 - arm])
            chance *= means[arm] if reward else 1 - means[arm]
            wins, losses = belief[arm]
            belief[arm] = (wins + reward, losses + 1 - reward)
        law[arms] = law.get(arms, 0) + chance
    assert sum(law.values()) == 1
    return law


MEANS = [Fraction(9, 10), Fraction(6, 10)]
HORIZON = 5


@pytest.fixture(scope="module")
def law():
    return thompson_paths(MEANS, HORIZON)


def test_the_probability_that_one_draw_exceeds_another():
    # X > Y for X ~ Beta(2, 1), Y uniform: ∫ 2x · x dx = 2/3; then by quadrature.
    assert draw_exceeds((2, 1), (1, 1)) == Fraction(2, 3)
    assert draw_exceeds((3, 2), (2, 4)) + draw_exceeds((2, 4), (3, 2)) == 1
    density, below = beta(3, 2).pdf, beta(2, 4).cdf
    by_quadrature, _ = quad(lambda x: density(x) * below(x), 0, 1)
    assert float(draw_exceeds((3, 2), (2, 4))) == pytest.approx(by_quadrature, rel=1e-9)


def gap_of(arm):
    return max(MEANS) - MEANS[arm]


def expected(law, value):
    return sum(chance * value(arms) for arms, chance in law.items())


@pytest.mark.claim("claim:average", how="exact")
def test_the_integral_holds_in_expectation_for_thompson_sampling(law):
    regret = expected(law, lambda arms: sum(map(gap_of, arms)))

    def bad_plays(eps):
        return expected(law, lambda arms: sum(gap_of(arm) > eps for arm in arms))

    edges = steps([gap_of(0), gap_of(1)])
    assert sum((high - low) * bad_plays(low) for low, high in edges) == regret


@pytest.mark.claim("slip:missing-expectation", how="exact")
def test_without_the_expectation_the_line_in_the_proof_is_random(law):
    # The printed line ∫ Σ_t f_ε(Δ_t) dε, between two lines that are equal to R(T).
    def printed(arms):
        return sum(
            (high - low) * sum(gap_of(arm) > low for arm in arms)
            for low, high in steps([gap_of(0), gap_of(1)])
        )

    regret = expected(law, lambda arms: sum(map(gap_of, arms)))
    values = {printed(arms) for arms, chance in law.items() if chance > 0}
    assert len(values) == HORIZON + 1 and regret not in values
    assert expected(law, printed) == regret  # with the expectation it is right


@pytest.mark.claim(
    "definition:gap-function",
    how="simulation: false alarm 1e-6 for each of four regrets, fixed seed",
)
@pytest.mark.parametrize("f", [standard(), hinge(0.2), indicator(0.2), cutoff(0.2)])
def test_simulated_regret_has_the_exact_mean(law, f):
    exact = expected(law, lambda arms: sum(Fraction(f(float(gap_of(a)))) for a in arms))
    runs = simulate([float(mean) for mean in MEANS], TS(), HORIZON, 20_000, seed=2)
    result = runs.summary(f)
    assert abs(result.mean - exact) < norm.isf(0.5e-6) * result.standard_error


# ---- every nondecreasing gap function as a weighted average ------------------------
@pytest.mark.claim("claim:average", how="exact")
@busy
@given(graded, levels)
def test_the_hinge_is_the_integral_beyond_eps(game, eps):
    percents, counts = game
    run = record(percents, counts)
    beyond = [(max(low, eps), high) for low, high in steps(exact_gaps(percents))]
    integral = sum(
        (high - low) * Fraction(run.regret(indicator(float(low)))[0, 0])
        for low, high in beyond
        if high > low
    )
    regret = run.regret(hinge(float(eps)))[0, 0]
    assert regret == pytest.approx(float(integral), abs=1e-11)


@pytest.mark.claim("claim:average", how="exact")
@busy
@given(
    graded,
    st.lists(st.tuples(levels, st.integers(1, 9)), min_size=1, max_size=4),
    st.integers(0, 9),
)
def test_layer_cake(game, jumps, slope):
    # A nondecreasing, left-continuous f: jumps just after some levels, and a slope.
    percents, counts = game

    def f(gap):
        return sum(height for level, height in jumps if gap > level) + slope * gap

    def q(u):  # the largest gap that costs at most u, found where f has its corners
        kinks = sorted({Fraction(0), *(level for level, _ in jumps), Fraction(1)})
        low = max(kink for kink in kinks if f(kink) <= u)
        above = sum(height for level, height in jumps if level <= low)
        flat = slope == 0 or above + slope * low > u
        return low if flat else Fraction(u - above) / slope

    gaps = exact_gaps(percents)
    by_arm = sum(n * f(gap) for n, gap in zip(counts, gaps))
    # Between two neighbouring costs of arms the set of bad arms is the same.
    costs = sorted({Fraction(0), *map(f, gaps), Fraction(f(Fraction(1)))})
    by_level = sum(
        (b - a) * sum(n for n, gap in zip(counts, gaps) if gap > q((a + b) / 2))
        for a, b in zip(costs, costs[1:])
    )
    assert by_level == by_arm


# ---- Figure 1 ----------------------------------------------------------------------
@pytest.mark.claim("figure:gap-functions", how="exact")
@busy
@given(levels)
def test_what_figure_1_shows(eps):
    e = float(eps)
    right, gaps = np.nextafter(e, 1), np.linspace(0, 1, 101)
    low, middle, high = (make(e)(gaps) for make in (hinge, cutoff, indicator))
    assert (low <= middle).all() and (middle <= high).all()
    assert (middle <= standard()(gaps)).all()
    # to the right of ε: no jump, a jump to ε, a jump to 1
    assert hinge(e)(right) < 1e-15 and indicator(e)(right) == 1
    assert cutoff(e)(right) == pytest.approx(e, abs=1e-15)
    # on the right edge of the figure
    assert (indicator(e)(1), cutoff(e)(1)) == (1, 1)
    assert hinge(e)(1) == pytest.approx(float(1 - eps), abs=1e-15)
    for make in (hinge, cutoff):
        assert np.array_equal(make(0)(gaps), gaps)


@pytest.mark.claim("figure:gap-functions", how="exact")
@pytest.mark.parametrize("eps", [0.0, 0.2, 0.5])
def test_the_book_draws_figure_1(eps):
    chapter = json.loads((ROOT / "chapters/02-gap-functions.ipynb").read_text("utf-8"))
    sources = ["".join(cell["source"]) for cell in chapter["cells"]]
    [source] = [text for text in sources if "def gap_functions(eps)" in text]
    book = {"np": np, "plt": plt, "lenient": lenient, "figures": figures}
    exec(source, book | {"explore": lambda *_, **__: None}, book)
    figure = book["gap_functions"](eps)
    try:
        lines = {line.get_label(): line for line in figure.axes[0].lines}
        level = Fraction(str(eps))
        for name, make in [(make.__name__, make) for make in EXACT]:
            for gap, cost in zip(*lines[name].get_data()):
                assert gap > eps
                exact = EXACT[make](level)(Fraction(float(gap)))
                assert cost == pytest.approx(float(exact), abs=1e-15)
            assert lines[name].get_xdata()[-1] == 1
        assert lines["standard"].get_xydata().tolist() == [[0, 0], [1, 1]]
    finally:
        plt.close(figure)
