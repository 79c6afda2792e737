"""Laws as arms: samples, K_inf of laws with a density against mpmath, texts, bad input."""

import pickle
import subprocess
import sys
from math import inf

import mpmath as mp
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

import lenient
from lenient import Sample, kinf, kl, law_kinf
from lenient.laws import check_arms, describe, is_law, means_of

NEWER = hasattr(stats, "make_distribution")
newer = pytest.mark.skipif(not NEWER, reason="this SciPy has no laws of the newer kind")


# ---- K_inf by mpmath -------------------------------------------------------------------
def kinf_by_mpmath(pieces, x, panels=4):
    """K_inf(ν, x) of a law with density, from the same dual by other means.

    `pieces` are (density, from, to). Where it is not at its end, the maximum is where
    E 1/D = 1, D = 1 − λ(X−x) = (1−X + s(X−x)) / (1−x): found by halving in ln s. The
    integrals are mpmath's, over panels of their own.
    """
    with mp.workdps(20):
        x = mp.mpf(float(x))
        pieces = [(density, mp.linspace(a, b, panels + 1)) for density, a, b in pieces]

        def mean(g):
            return sum(mp.quad(lambda v: density(v) * g(v), cuts) for density, cuts in pieces)

        def deviation(s, v):
            return (1 - v + s * (v - x)) / (1 - x)

        low, high = mp.mpf(-60), mp.mpf(0)  # of ln s
        for _ in range(35):  # to 2e-9: at the maximum the value does not depend on it
            middle = (low + high) / 2
            if mean(lambda v: 1 / deviation(mp.exp(middle), v)) > 1:
                low = middle
            else:
                high = middle
        return mean(lambda v: mp.log(deviation(mp.exp(high), v)))


def beta_kinf(a, b, x):
    """The same for a beta law: E 1/D by Gauss' hypergeometric function, the rest in 1−v.

    v^(a−1) and (1−v)^(b−1) are integrated in powers of v and 1−v where they are singular.
    """
    with mp.workdps(30):
        a, b, x = mp.mpf(a), mp.mpf(b), mp.mpf(float(x))

        def mean_of_inverse(log_s):
            lam = (1 - mp.exp(log_s)) / (1 - x)
            return mp.hyp2f1(1, a, a + b, lam / (1 + lam * x)) / (1 + lam * x)

        s = mp.mpf(0)
        if b <= 1 or (1 - x) * (a + b - 1) / (b - 1) > 1:  # else E 1/D ≤ 1 at the end, too
            low, high = mp.log(mp.mpf(10) ** -25), mp.log(1 - mp.mpf(10) ** -8)
            for _ in range(80):
                middle = (low + high) / 2
                low, high = (middle, high) if mean_of_inverse(middle) > 1 else (low, middle)
            s = mp.exp(high)

        def half(a, b, g):
            """∫ w^(b−1) (1−w)^(a−1) g(w) dw / B(a, b) from 0 to 1/2."""
            total = mp.beta(a, b)  # within the integral: mp.quad looks at absolute errors
            law = stats.beta(float(b), float(a))
            levels = np.concatenate([10.0 ** -np.arange(14, 1, -2), np.linspace(0.1, 0.9, 9)])
            inner = {float(w) for w in [*law.ppf(levels), *law.isf(levels)]}
            inner |= {10.0**-k for k in range(1, 26, 2)}
            cuts = sorted(mp.mpf(w) for w in {0.0, 0.5} | {w for w in inner if w < 0.5})
            if b >= 1:
                return mp.quad(lambda w: w ** (b - 1) * (1 - w) ** (a - 1) * g(w) / total, cuts)

            def in_the_power(y):
                w = y ** (1 / b)
                return (1 - w) ** (a - 1) * g(w) / b / total

            return mp.quad(in_the_power, sorted({w**b for w in cuts}))

        def g(w):  # w is 1−v
            return mp.log((w + s * (1 - w - x)) / (1 - x))

        return half(a, b, g) + half(b, a, lambda v: g(1 - v))


def agrees(value, wanted, rel):
    return abs(mp.mpf(float(value)) / wanted - 1) < rel


@pytest.mark.parametrize("place", [0.0001, 0.1, 0.6, 0.99])
@pytest.mark.parametrize(
    "a, b",
    [(9, 1), (0.5, 0.5), (1, 0.1), (0.05, 0.05), (5, 1.05), (2, 3), (900, 100), (9e4, 1e4)],
)
def test_kinf_of_beta_laws(a, b, place):
    law = stats.beta(a, b)
    x = law.mean() + place * (1 - law.mean())
    assert agrees(law_kinf(law, x), beta_kinf(a, b, x), 1e-10)


def normal_density(mean, std, low, high):
    """Of the normal law between low and high, in mpmath."""
    total = mp.ncdf((high - mean) / std) - mp.ncdf((low - mean) / std)
    return [(lambda v: mp.npdf(v, mean, std) / total, low, high)]


def histogram(counts, edges):
    return stats.rv_histogram((np.array(counts), np.array(edges)), density=False)


DENSITIES = {
    "uniform": (stats.uniform(), [(lambda v: mp.mpf(1), 0, 1)]),
    "narrow uniform": (stats.uniform(0.2, 0.01), [(lambda v: mp.mpf(100), 0.2, 0.21)]),
    "truncated normal": (
        stats.truncnorm(-2, 3, 0.4, 0.2),
        normal_density(mp.mpf("0.4"), mp.mpf("0.2"), mp.mpf(0), mp.mpf(1)),
    ),
    "kink": (
        stats.triang(0.3),
        [
            (lambda v: 2 * v / mp.mpf("0.3"), 0, mp.mpf("0.3")),
            (lambda v: 2 * (1 - v) / mp.mpf("0.7"), mp.mpf("0.3"), 1),
        ],
    ),
    "jumps": (
        stats.rv_histogram(
            (np.array([3, 0, 1, 4]), np.array([0, 0.1, 0.5, 0.77, 1])), density=False
        ),
        [
            (lambda v: mp.mpf(3) / 8 / mp.mpf("0.1"), 0, mp.mpf("0.1")),
            (lambda v: mp.mpf(1) / 8 / mp.mpf("0.27"), mp.mpf("0.5"), mp.mpf("0.77")),
            (lambda v: mp.mpf(4) / 8 / mp.mpf("0.23"), mp.mpf("0.77"), 1),
        ],
    ),
}


@pytest.mark.parametrize("x_of", [0.05, 0.9])
@pytest.mark.parametrize("name", DENSITIES)
def test_kinf_of_other_densities(name, x_of):
    law, pieces = DENSITIES[name]
    x = float(law.mean()) + x_of * (1 - float(law.mean()))
    assert agrees(law_kinf(law, x), kinf_by_mpmath(pieces, x), 1e-11)


def newer_laws():
    if not NEWER:
        return {}
    uniform, normal = stats.Uniform(a=0.1, b=0.9), stats.Normal(mu=0.4, sigma=0.2)
    third = stats.Uniform(a=0.0, b=0.3)
    return {
        "uniform": (uniform, stats.uniform(0.1, 0.8)),
        "made": (stats.make_distribution(stats.beta)(a=9.0, b=1.0), stats.beta(9, 1)),
        "truncated": (stats.truncate(normal, 0, 1), stats.truncnorm(-2, 3, 0.4, 0.2)),
        "moved": (0.5 * stats.Uniform(a=0.0, b=1.0) + 0.2, stats.uniform(0.2, 0.5)),
        "mixture": (
            stats.Mixture([third, stats.Uniform(a=0.7, b=1.0)], weights=[0.25, 0.75]),
            stats.rv_histogram(
                (np.array([1, 0, 3]), np.array([0, 0.3, 0.7, 1])), density=False
            ),
        ),
    }


@newer
@pytest.mark.parametrize("name", newer_laws())
def test_both_kinds_of_scipy_laws_agree(name):
    new, old = newer_laws()[name]
    x = np.array([0.3, 0.95, 0.999])
    assert law_kinf(new, x) == pytest.approx(law_kinf(old, x), rel=1e-10)
    assert is_law(new) and is_law(old)


@pytest.mark.parametrize(
    "law",
    [
        stats.beta(0.5, 0.5), stats.beta(9, 1), stats.beta(900, 100), stats.uniform(0.3, 0.4),
        stats.triang(0.3), stats.truncexpon(5, scale=0.2), stats.powerlaw(0.3),
        stats.rv_histogram(np.histogram(np.linspace(0, 1, 500) ** 2, bins=60)),
    ],
    ids=describe,
)  # fmt: skip
def test_kinf_is_the_limit_of_fine_samples(law):
    """20,000 quantiles in the middles of equal shares: within 1e-3 of the law itself."""
    sample = Sample(np.clip(law.ppf((np.arange(20_000) + 0.5) / 20_000), 0, 1))
    for place in (0.2, 0.8):
        x = law.mean() + place * (1 - law.mean())
        assert law_kinf(law, x) == pytest.approx(law_kinf(sample, x), rel=1e-3)


# ---- K_inf, exactly --------------------------------------------------------------------
def test_kinf_of_a_number_is_the_divergence_of_coins():
    for p in (0, 0.2, 0.9, 1):
        for x in (-1, 0, 0.1, 0.2, 0.5, 0.95):
            assert law_kinf(p, x) == (kl(p, x) if x > p else 0)
        assert law_kinf(p, 1) == law_kinf(p, 1.5) == inf
    assert law_kinf(0.2, [[0.1, 0.5]]).tolist() == [[0, kl(0.2, 0.5)]]


@pytest.mark.parametrize(
    "law, values, probs",
    [
        (Sample([0.1, 0.5, 0.5]), [0.1, 0.5, 0.5], None),
        (Sample([0.1, 0.5], probs=[0.3, 0.7]), [0.1, 0.5], [0.3, 0.7]),
        (stats.bernoulli(0.3), [0, 1], [0.7, 0.3]),
        (stats.binom(1, 0.3), [0, 1], [0.7, 0.3]),
        (stats.randint(0, 2), [0, 1], None),
        (stats.rv_discrete(values=([0.1, 0.5], [0.3, 0.7])), [0.1, 0.5], [0.3, 0.7]),
        (
            stats.rv_discrete(values=([0.1, 0.5], [0.3, 0.7]))(loc=0.2),
            [0.1 + 0.2, 0.5 + 0.2],
            [0.3, 0.7],
        ),
    ],
)
def test_kinf_of_finite_laws_is_that_of_their_values(law, values, probs):
    x = np.array([-0.5, 0.2, 0.55, 0.72, 0.9, 1, 2])
    assert law_kinf(law, x) == pytest.approx(kinf(values, probs, x), rel=1e-12)


@newer
def test_kinf_of_a_discrete_law_of_the_newer_kind():
    if not hasattr(stats, "Binomial"):
        pytest.skip("this SciPy has none")
    law = stats.Binomial(n=1, p=0.3)
    assert law_kinf(law, 0.5) == pytest.approx(kl(0.3, 0.5), rel=1e-12)
    assert describe(law) == "Binomial(n=1.0, p=0.3)"


def all_laws():
    return [
        0.4,
        Sample([0.2, 0.9]),
        stats.beta(0.5, 0.5),
        stats.beta(900, 100),
        stats.truncnorm(-2, 3, 0.4, 0.2),
        *(new for new, _ in newer_laws().values()),
    ]


@pytest.mark.parametrize("law", all_laws(), ids=describe)
def test_kinf_begins_at_the_mean_ends_at_1_and_exceeds_that_of_coins(law):
    mean = float(law.mean()) if is_law(law) else law
    assert law_kinf(law, [0, mean / 2, mean]).tolist() == [0, 0, 0]
    assert law_kinf(law, [1, 1.1, inf]).tolist() == [inf] * 3
    x = mean + np.geomspace(1e-9, 0.9999, 60) * (1 - mean)
    value = law_kinf(law, x)
    assert (np.diff(value) > 0).all() and (value >= kl(mean, x)).all()
    assert law_kinf(law, np.nextafter(mean, 1)) > 0
    assert type(law_kinf(law, 0.95)) is np.float64 and law_kinf(law, [[0.95]]).shape == (1, 1)


values_and_weights = st.lists(
    st.tuples(st.integers(0, 100), st.integers(1, 9)), min_size=1, max_size=6
)


@settings(max_examples=60, deadline=None)
@given(values_and_weights, st.integers(1, 99))
def test_coins_have_the_smallest_kinf_of_all_samples(pairs, percent):
    values, weights = np.array(pairs).T
    law = Sample(values / 100, weights / weights.sum())
    x = law.mean() + percent / 100 * (1 - law.mean())
    assert law_kinf(law, x) >= kl(law.mean(), x) * (1 - 1e-9)


# ---- Sample ----------------------------------------------------------------------------
def test_a_sample_knows_its_mean_and_its_support():
    assert Sample([0.1, 0.2, 0.6]).mean() == 0.3  # in plain floats 0.29999999999999993
    assert Sample([0.5]).support() == (0.5, 0.5) and Sample(1).mean() == 1
    odd = Sample([0.9, 0, 0.4], probs=[0, 0.25, 0.75])
    assert odd.support() == (0, 0.4) and odd.mean() == pytest.approx(0.3)
    assert odd.probs.tolist() == [0, 0.25, 0.75]
    assert Sample([0.2, 0.4]).probs.tolist() == [0.5, 0.5]


def test_draws_of_a_sample_have_its_law():
    """Shares of 100,000 draws within 5 standard errors: false alarm below 2e-6."""
    law = Sample([0.9, 0.1, 0.5, 0.3], probs=[0.1, 0.6, 0, 0.3])
    drawn = law.rvs(100_000, random_state=3)
    for value, prob in zip(law.values, law.probs):
        error = np.sqrt(prob * (1 - prob) / 100_000)
        assert abs((drawn == value).mean() - prob) <= 5 * error
    assert law.rvs((2, 3), np.random.default_rng(1)).shape == (2, 3)
    assert law.rvs(random_state=1) in law.values
    assert (law.rvs(9, 4) == law.rvs(9, 4)).all()


def test_a_sample_does_not_change():
    given_values = np.array([0.2, 0.4])
    law = Sample(given_values)
    given_values[0] = 0.9
    assert law.values.tolist() == [0.2, 0.4]
    for again in (law, pickle.loads(pickle.dumps(law))):
        with pytest.raises(ValueError, match="read-only"):
            again.values[0] = 1
        with pytest.raises(ValueError, match="read-only"):
            again.probs[0] = 1
        with pytest.raises(AttributeError, match="a Sample does not change"):
            again.values = [1]
        with pytest.raises(AttributeError, match="a Sample does not change"):
            del again.probs


def test_samples_are_compared_by_what_they_hold():
    law = Sample([0.2, 0.4], probs=[0.3, 0.7])
    same = pickle.loads(pickle.dumps(law))
    assert law == same == Sample((0.2, 0.4), (0.3, 0.7)) and hash(law) == hash(same)
    assert law != Sample([0.2, 0.4]) and law != Sample([0.2, 0.5], [0.3, 0.7])
    assert law != "Sample" and len({law, same, Sample([0.2])}) == 2


def test_a_sample_as_text():
    for law in (Sample([0.2, 1]), Sample([0.2, 0.1 + 0.2], probs=[0.3, 0.7])):
        assert eval(repr(law)) == law
    assert repr(Sample([0.2, 1])) == "Sample([0.2, 1])"
    many = Sample(np.arange(1000) / 1000)
    assert repr(many).startswith("Sample(1000 values from 0 to 0.999, mean 0.4995, checksum ")
    assert repr(many) != repr(Sample(np.roll(many.values, 1)))


@pytest.mark.parametrize(
    "values, probs, message",
    [
        ([0.5, 1.2], None, r"values must be numbers in \[0, 1\], got 1.2"),
        ([0.5, float("nan")], None, "values must be numbers in .* got nan"),
        ([], None, "values must hold at least one number"),
        ("many", None, "values must be numbers in .* got 'many'"),
        (None, None, "values must be numbers in .* got None"),
        ({0.5, 0.2}, None, "values must be numbers in"),
        ([0.5, 1j], None, "values must be numbers in"),
        ([[0.5], [0.1, 0.2]], None, "values must be numbers in"),
        ([10**400], None, "values must be numbers in"),
        ([0.5, 0.2], [0.5], "probs must hold one number for each of the 2 values, got 1|sum"),
        ([0.5, 0.2], [0.5, 0.6], "probs must sum to 1, got a sum of 1.1"),
        ([0.5, 0.2], [-0.5, 1.5], "probs must be numbers in"),
        ([0.5, 0.2], "even", "probs must be numbers in .* got 'even'"),
    ],
)
def test_bad_samples_are_named(values, probs, message):
    with pytest.raises(ValueError, match=message):
        Sample(values, probs)


def test_a_sample_is_an_arm():
    """In all runs together, the chosen arm's wins are those of its mean: 5 standard errors."""
    law = Sample([0, 0.25, 1], probs=[0.5, 0.3, 0.2])  # mean 0.275
    run = lenient.simulate([law, 0.0], lenient.TS(), 300, 20, seed=4)
    assert run.means.tolist() == [0.275, 0] and run.engine == "plain"
    assert run.pulls[:, -1, 0].mean() > 250
    again = lenient.simulate([Sample(law.values, law.probs), 0.0], lenient.TS(), 300, 20, 4)
    assert (again.pulls == run.pulls).all()

    seen = []

    def watch(pulls, wins, t, rng):
        seen[:] = [pulls.copy(), wins.copy()]
        return np.zeros(pulls.shape)

    lenient.simulate([law], watch, 2000, 50, seed=5)
    [[pulls], [wins]] = seen
    error = np.sqrt(0.275 * 0.725 / pulls.sum())
    assert abs(wins.sum() / pulls.sum() - 0.275) < 5 * error


# ---- arms ------------------------------------------------------------------------------
class Mine:
    """A law that a user wrote, with no density and no name."""

    def mean(self):
        return 0.25

    def support(self):
        return 0, 0.5

    def rvs(self, size, random_state):
        return random_state.random(size) / 2


def test_a_law_that_tells_too_little_for_kinf():
    assert means_of(check_arms([Mine(), 0.5])).tolist() == [0.25, 0.5]
    with pytest.raises(ValueError, match="law must have finitely many values or a density"):
        law_kinf(Mine(), 0.5)
    assert lenient.upper_bound([0.6, Mine()], 0.2, lenient.hinge(0.2)) > 0


@pytest.mark.parametrize(
    "arm, text",
    [
        (0.9, "Bernoulli(0.9)"), (1, "Bernoulli(1)"), (np.float32(0.9), "Bernoulli(0.9)"),
        (0.1 * 7, "Bernoulli(0.7)"), (stats.beta(9, 1), "beta(9, 1)"),
        (stats.beta(9.0, b=np.float64(0.5)), "beta(9, b=0.5)"),
        (stats.uniform(loc=0.2, scale=0.5), "uniform(loc=0.2, scale=0.5)"),
        (stats.bernoulli(0.3), "bernoulli(0.3)"), (Sample([0.2, 1]), "Sample([0.2, 1])"),
        (
            stats.rv_discrete(values=([0.1, 0.5], [0.3, 0.7]))(loc=0.25),
            "Sample([0.35, 0.75], probs=[0.3, 0.7])",
        ),
        (Mine(), "Mine on [0, 0.5] with mean 0.25"),
    ],
)  # fmt: skip
def test_arms_as_text(arm, text):
    assert describe(arm) == text


@newer
def test_arms_of_the_newer_kind_as_text():
    assert describe(stats.Uniform(a=0.2, b=0.7)) == "Uniform(a=0.2, b=0.7)"
    assert "\n" not in describe(newer_laws()["mixture"][0])


def test_the_text_is_the_same_in_every_process():
    program = (
        "import numpy as np, sys; from scipy import stats; sys.path.insert(0, 'tests')\n"
        "from test_laws_of_arms import Mine, all_laws, describe, Sample\n"
        "laws = [*all_laws(), Mine(), Sample(np.arange(100) / 100), stats.rv_histogram(\n"
        "    (np.array([1, 2]), np.array([0, 0.5, 1])))]\n"
        "print(*map(describe, laws), sep='\\n')"
    )
    both = []
    for seed in "12":
        keep = {"PYTHONHASHSEED": seed, "PYTHONPATH": ":".join(p for p in sys.path if p)}
        ran = subprocess.run(
            [sys.executable, "-c", program], env=keep, capture_output=True, check=True
        )
        both.append(ran.stdout.decode())
    assert both[0] == both[1] and "0x" not in both[0] and len(both[0].splitlines()) > 8


def test_arms_are_numbers_and_laws():
    law = stats.beta(9, 1)
    arms = check_arms([law, 0.1 * 7, Sample([0.5])])
    assert arms[0] is law and arms[1:] == [0.7, Sample([0.5])]
    assert check_arms((0.5, 1)) == [0.5, 1] == check_arms(np.array([0.5, 1]))
    # scipy's support of such a law may miss 0 or 1 by a rounding
    at_the_rim = stats.truncnorm(-0.35 / 0.7, 0.65 / 0.7, 0.35, 0.7)
    for ends in [(-1e-16, 1), (0, 1 + 2e-16)]:
        at_the_rim.support = lambda ends=ends: ends
        assert check_arms([at_the_rim]) == [at_the_rim]
        assert law_kinf(at_the_rim, 0.9) > 0


@pytest.mark.parametrize(
    "means, message",
    [
        ([0.5, stats.norm()], r"laws on \[0, 1\], got a law on \(-inf, inf\) for arm 1"),
        ([stats.uniform(0, 1.01), 0.5], "got a law on .* for arm 0"),
        ([0.5, stats.beta], r"with a support and a mean, got .* for arm 1 \("),
        ([0.5, stats.beta([1, 2], 3)], "with a support and a mean, got .* for arm 1"),
        ([stats.beta(1, -1), 0.5], "means must be .* for arm 0"),
        ([Sample([0.5]), 1.5], r"means must be numbers in \[0, 1\], got 1.5 for arm 1"),
        ([Sample([0.5]), "good"], "means must be a list of numbers"),
        ([[Sample([0.5])], [0.5]], "means must"),
        (Sample([0.5]), "means must"),
        ([], "means must list at least one arm"),
        (None, "means must"),
        ({0.5, 0.2}, "means must"),
        ((m for m in (0.5, 0.2)), "means must"),
    ],
)
def test_bad_arms_are_named(means, message):
    with pytest.raises(ValueError, match=message):
        check_arms(means)


@pytest.mark.parametrize(
    "law, x, message",
    [
        (0.5, "high", "x must be a number, got 'high'"),
        (0.5, float("nan"), "x must be a number, got nan"),
        (1.5, 0.5, r"law must be a number in \[0, 1\] or a law of rewards, got 1.5"),
        (None, 0.5, "law must be a number in .* got None"),
        ([0.5, 0.2], 0.5, "law must be a single number or a law"),
        (stats.norm(), 0.5, "law must be numbers or laws on"),
        (stats.beta, 0.5, "law must be numbers or laws on .* with a support and a mean"),
        (Mine(), None, "x must be a number, got None"),
    ],
)
def test_bad_input_of_kinf_is_named(law, x, message):
    with pytest.raises(ValueError, match=message):
        law_kinf(law, x)
