"""The policies against exact arithmetic, exact laws and each other."""

from fractions import Fraction

import numpy as np
import pytest
from scipy import stats

from lenient import (
    KLUCB,
    TS,
    EpsKLUCB,
    EpsTS,
    SqueezedKLUCB,
    hinge,
    kl,
    policies,
    scaled_kl,
    simulate,
)
from lenient.exact import exceeds, floor_ratio
from lenient.policies import POLICIES

EPS = [n / 100 for n in range(1, 100)]  # 0.01, …, 0.99, each the float one would type


def exact_ceiling(eps):
    return 1 - Fraction(round(eps * 100), 100)


def counts_up_to(n):
    """Every pair S ≤ N ≤ n, as two arrays."""
    pulls, wins = np.indices((n + 1, n + 1)).reshape(2, -1)
    return pulls[wins <= pulls], wins[wins <= pulls]


class FixedBeta:
    """A generator that returns the parameters it is asked for instead of a draw."""

    def beta(self, alpha, beta):
        self.alpha, self.beta_ = np.asarray(alpha), np.asarray(beta)
        return np.full(self.alpha.shape, 0.5)


@pytest.mark.parametrize("eps", EPS)
def test_posterior_is_exact_for_every_eps_of_two_digits(eps):
    pulls, wins = counts_up_to(60)
    ceiling, spy = exact_ceiling(eps), FixedBeta()
    scores = EpsTS(eps)(pulls, wins, 1, spy)
    for n, s, score, alpha, beta in zip(pulls, wins, scores, spy.alpha, spy.beta_):
        n, s = int(n), int(s)
        if n and Fraction(s, n) > ceiling:  # (N = 0: the mean is 0 by definition)
            assert score == s / n
        else:
            assert score == 0.5 * float(ceiling)
            assert alpha == s / ceiling // 1 + 1
            assert beta == n + 2 - alpha


def test_floats_would_have_gone_wrong():
    """The two statements differ from their float versions: the exactness is needed."""
    pulls, wins = counts_up_to(60)
    wrong = [
        eps
        for eps in EPS
        if (np.floor(wins / (1 - eps)) != floor_ratio(wins, exact_ceiling(eps))).any()
        or (wins > (1 - eps) * pulls).tolist()
        != exceeds(wins, exact_ceiling(eps), pulls).tolist()
    ]
    assert {0.45, 0.7, 0.9} <= set(wrong)


def test_mean_at_the_ceiling_keeps_its_posterior_and_above_it_does_not():
    rng = np.random.default_rng(0)
    at, above = EpsTS(0.2)(np.array([10, 10]), np.array([8, 9]), 1, rng)
    assert above == 0.9
    assert 0 < at < 0.8


def test_an_arm_never_played_has_the_whole_scaled_prior():
    draws = EpsTS(0.2)(np.zeros(10**4, int), np.zeros(10**4, int), 1, _rng())
    # Kolmogorov–Smirnov: false alarm one in a thousand
    assert stats.kstest(draws, stats.uniform(0, 0.8).cdf).pvalue > 1e-3


@pytest.mark.parametrize("pulls, wins", [(0, 0), (1, 1), (7, 0), (30, 21)])
def test_ts_draws_from_the_beta_posterior(pulls, wins):
    draws = TS()(np.full(10**4, pulls), np.full(10**4, wins), 1, _rng())
    posterior = stats.beta(wins + 1, pulls - wins + 1)
    assert stats.kstest(draws, posterior.cdf).pvalue > 1e-3


def test_eps_ts_draws_from_the_scaled_posterior():
    draws = EpsTS(0.2)(np.full(10**4, 30), np.full(10**4, 21), 1, _rng())
    posterior = stats.beta(27, 5)  # ⌊21/0.8⌋ + 1 = 27, 30 + 2 − 27 = 5
    assert stats.kstest(draws / 0.8, posterior.cdf).pvalue > 1e-3


@pytest.mark.parametrize("zero", [0, 0.0])
def test_eps_ts_with_eps_0_is_ts_to_the_bit(zero):
    ts = simulate([1.0, 0.9, 0.3], TS(), 200, 50, seed=5)
    eps_ts = simulate([1.0, 0.9, 0.3], EpsTS(zero), 200, 50, seed=5)
    assert np.array_equal(ts.pulls, eps_ts.pulls)
    state = np.array([[3, 9], [0, 4]]), np.array([[3, 2], [0, 4]])
    assert np.array_equal(TS()(*state, 1, _rng()), EpsTS(zero)(*state, 1, _rng()))


def test_kl_ucb_is_the_largest_mean_not_ruled_out():
    pulls, wins = counts_up_to(20)
    pulls, wins = pulls[pulls > 0], wins[pulls > 0]
    index, level = KLUCB()(pulls, wins, 50, None), np.log(50)
    mean = wins / pulls
    assert np.all(mean <= index) and np.all(index <= 1)
    inside = index < 1  # a mean of 1 has the index 1: nothing lies above
    assert np.allclose((pulls * kl(mean, index))[inside], level, rtol=1e-9)
    assert np.all((pulls * kl(mean, np.minimum(index + 1e-6, 1)))[inside] > level)


def test_kl_ucb_first_plays_each_arm():
    run = simulate([0.9, 0.5, 0.1, 1.0], KLUCB(), 4, 100, seed=1)
    assert np.all(run.pulls[:, -1] == 1)


@pytest.mark.parametrize("eps", [0, 0.05, 0.2, 0.7])
def test_eps_kl_ucb_is_the_index_less_eps_and_never_below_the_mean(eps):
    pulls, wins = counts_up_to(20)
    score = EpsKLUCB(eps)(pulls, wins, 50, None)
    for n, s, value in zip(pulls.tolist(), wins.tolist(), score.tolist()):
        if n == 0:
            assert value == float(exact_ceiling(eps))
        elif value == s / n:  # U − ε ≤ S/N: a mean above S/N + ε is ruled out
            assert s / n + eps >= 1 - 1e-12 or n * kl(s / n, s / n + eps) >= np.log(50) - 1e-9
        else:
            assert value > s / n
            assert n * kl(s / n, value + eps) == pytest.approx(np.log(50), rel=1e-9)


def test_eps_kl_ucb_without_leniency_is_kl_ucb():
    pulls, wins = counts_up_to(20)
    pulls, wins = pulls[pulls > 0], wins[pulls > 0]
    assert np.allclose(
        EpsKLUCB(0)(pulls, wins, 9, None), KLUCB()(pulls, wins, 9, None), rtol=0, atol=2e-16
    )


@pytest.mark.parametrize("eps", EPS)
def test_scores_that_are_equal_are_tied(eps):
    """Equal means; an arm never played, and one of mean 1−ε, that has not lost its doubt."""
    top = exact_ceiling(eps)
    pulls = np.array([0, 100, 10**6 * top.denominator, 10**6, 3 * 10**6, 7 * 10**6])
    wins = np.array([0, 100 * top, 10**6 * top.numerator, 10**5, 3 * 10**5, 7 * 10**5])
    never, _, known, *same = EpsKLUCB(eps)(pulls, wins.astype(int), 10**7, None)
    assert never == known == float(top)
    if eps >= 0.02:  # the index is then below the mean
        assert same[0] == same[1] == same[2] == 0.1


def test_an_arm_good_enough_is_never_left_for_one_that_is_not_known():
    assert EpsKLUCB(0.2)(5, 5, 6, None) > EpsKLUCB(0.2)(0, 0, 6, None) == 0.8
    run = simulate([1.0, 0.9, 0.1], EpsKLUCB(0.2), 200, 300, seed=2, engine="plain")
    first = run.pulls[:, :, 0] > 0
    assert np.all(np.diff(run.pulls[:, :, 1:].sum(axis=2), axis=1)[first[:, :-1]] == 0)


@pytest.mark.parametrize("eps", [0.05, 0.2, 0.7])
def test_squeezed_kl_ucb_is_the_largest_mean_not_ruled_out_up_to_the_ceiling(eps):
    pulls, wins = counts_up_to(20)
    pulls, wins = pulls[pulls > 0], wins[pulls > 0]
    above = exceeds(wins, exact_ceiling(eps), pulls)
    score, mean = SqueezedKLUCB(eps)(pulls, wins, 50, None), wins / pulls
    assert np.array_equal(score[above], mean[above])
    assert np.all(mean[~above] <= score[~above] + 1e-12)
    assert np.all(score[~above] <= 1 - eps + 1e-12)
    inside = ~above & (score < 1 - eps - 1e-6)
    spent = (pulls * scaled_kl(mean, score, eps))[inside]
    assert inside.sum() > 50 and np.allclose(spent, np.log(50), rtol=1e-7)


def test_squeezed_kl_ucb_without_leniency_is_kl_ucb():
    pulls, wins = counts_up_to(20)
    pulls, wins = pulls[pulls > 0], wins[pulls > 0]
    assert np.allclose(SqueezedKLUCB(0)(pulls, wins, 9, None), KLUCB()(pulls, wins, 9, None))


def test_squeezed_kl_ucb_stays_with_an_arm_that_is_good_enough():
    assert SqueezedKLUCB(0.2)(5, 5, 6, None) > SqueezedKLUCB(0.2)(0, 0, 6, None) == 0.8
    lenient = simulate([0.9, 0.6], SqueezedKLUCB(0.2), 500, 200, seed=1).summary(hinge(0.2))
    strict = simulate([0.9, 0.6], KLUCB(), 500, 200, seed=1).summary(hinge(0.2))
    error = np.hypot(lenient.standard_error, strict.standard_error)
    assert strict.mean - lenient.mean > 4 * error


@pytest.mark.parametrize("policy", [EpsTS, EpsKLUCB, SqueezedKLUCB])
@pytest.mark.parametrize("eps", [-0.1, 1, 1.5, float("nan"), "much", None])
def test_eps_outside_its_interval_is_refused(policy, eps):
    with pytest.raises(ValueError, match=r"eps must be a number in \[0, 1\), got"):
        policy(eps)


def _rng():
    return np.random.default_rng(20)


@pytest.mark.parametrize("name", POLICIES)
def test_a_policy_is_found_by_its_name(name):
    policy = POLICIES[name](0.1)
    assert policy.name == name and getattr(policy, "eps", 0.1) == 0.1


def test_every_policy_of_the_package_is_in_the_list():
    classes = [cls for cls in vars(policies).values() if isinstance(cls, type)]
    own = {
        cls.name
        for cls in classes
        if cls.__module__ == policies.__name__ and hasattr(cls, "name")
    }
    assert own == {*POLICIES}
