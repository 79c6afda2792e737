"""The makers of chapters 16 and 17: their policies, their regret, what is proved of them."""

import numpy as np
import pytest

from lenient import EpsKLUCB, EpsTS, kl, kl_ucb, simulate, standard
from lenient.laws import means_of
from lenient_book.experiments import many_arms, seen_rewards
from lenient_book.experiments.scenarios import EXPERIMENTS, MANY_ARMS, SEEN_REWARDS

NEW = ["many-arms", "eps-map", "known-gap", "seen-rewards"]


def job(policy, prior, horizon, runs, seed=1):
    kind = ("x", policy, 0, "priors", prior, (horizon,), runs, seed, (0, 0, 0))
    return many_arms.Job(*kind)


# ---- many arms --------------------------------------------------------------------------


def test_equal_means_have_no_regret():
    assert (
        many_arms.regret_on_a_prior(job("TS 0", ("uniform", 0.5, 0.5, 7), 20, 5)) == 0
    ).all()


def test_all_policies_meet_the_same_means():
    """With one round and one arm to choose, the regret is a matter of the means alone."""
    prior = ("uniform", 0, 1, 40)
    one, two = (
        many_arms.regret_on_a_prior(job(p, prior, 1, 50)) for p in ("TS 0", "greedy on 40")
    )
    assert one.shape == two.shape == (50, 1)
    seed = np.random.SeedSequence(1, spawn_key=(0, 0))
    means = many_arms.draw_means(prior[:3], (40, 50), np.random.default_rng(seed))
    gaps = means.max(axis=0) - means
    for regret in (one, two):
        assert np.isclose(regret.ravel(), gaps, atol=1e-12).any(axis=0).all()


def test_the_regret_is_that_of_simulate():
    """Mean over 60 streets of ten arms; 5 standard errors, false alarm 1e-6."""
    rng = np.random.default_rng(3)
    theirs = [
        simulate(rng.random(10), EpsTS(0.1), 100, 5, seed=s).summary(standard()).mean
        for s in range(60)
    ]
    ours = many_arms.regret_on_a_prior(job("ε-TS 0.1", ("uniform", 0, 1, 10), 100, 1000))
    error = np.hypot(np.std(theirs) / 60**0.5, ours.std() / 1000**0.5)
    assert abs(ours.mean() - np.mean(theirs)) < 5 * error


def test_priors_have_their_means():
    rng = np.random.default_rng(0)
    for prior, mean in [(("uniform", 0.45, 0.55), 0.5), (("beta", 2, 5), 2 / 7)]:
        drawn = many_arms.draw_means(prior, (100, 400), rng)
        assert abs(drawn.mean() - mean) < 5 * drawn.std() / 200  # false alarm 6e-7


def test_fewer_arms_are_as_many_as_the_constant_says():
    """On √T/4 arms, at least two: nobody else is played, which shows in the regret."""
    prior, horizon = ("uniform", 0, 1, 100), 64
    few = many_arms.regret_on_a_prior(job("greedy on 0.25", prior, horizon, 200))
    all_of_them = many_arms.regret_on_a_prior(job("greedy on 100", prior, horizon, 200))
    tried = 64 / 200 * all_of_them.sum()  # each of 100 arms once takes more than 64 rounds
    assert few.mean() < tried


def test_eps_kl_ucb_scores_what_could_win():
    rng, eps = np.random.default_rng(4), 0.2
    for t in (2, 50, 5000):
        pulls = rng.integers(0, 200, (6, 500))
        wins = rng.binomial(pulls, rng.random((6, 1)))
        scores = many_arms.eps_kl_ucb(eps)(pulls, wins, t, rng)
        mean = wins / np.maximum(pulls, 1)
        exact = np.maximum(mean, kl_ucb(mean, pulls, np.log(t)) - eps)
        assert np.allclose(scores.max(axis=0), exact.max(axis=0), atol=1e-12)
        package = EpsKLUCB(eps)(pulls, wins, t, rng)
        assert (scores.argmax(axis=0) == np.asarray(package).argmax(axis=0)).mean() > 0.99
        assert (scores <= exact + 1e-12).all()


# ---- known gaps --------------------------------------------------------------------------


def sweep_bound(means):
    best = max(means)
    gaps = [best - m for m in means if m < best]
    level = best - min(gaps) / 2
    return sum(g * (1 + 1 / kl(level, best) + 1 / kl(level, best - g)) for g in gaps)


@pytest.mark.parametrize("means", [(0.5, 0.2), (0.9, 0.6), (0.6, 0.5, 0.3), (0.3, 0.1, 0.1)])
@pytest.mark.claim("beyond:sweep", how="simulation: far below the bound")
def test_sweeping_keeps_its_proved_bound(means):
    gap = max(means) - sorted(means)[-2]
    s = simulate(means, many_arms.Sweep(max(means), gap), 3000, 500, seed=2)
    ours = s.summary(standard())
    assert ours.mean + 4 * ours.standard_error < sweep_bound(means)
    early = s.regret(standard())[:, s.times == 1500].mean()
    assert ours.mean - early < 0.1  # it has stopped


def test_sweeping_with_a_wrong_level_does_not_stop():
    s = simulate((0.5, 0.2), many_arms.Sweep(0.9, 0.3), 2000, 100, seed=2)
    assert s.summary(standard()).mean > 200


def test_sweeps_play_every_arm_once():
    policy, counts = many_arms.Sweep(1, 0.2), np.zeros((3, 1), int)
    for sweep in range(4):  # all rewards are 0, so sweep follows sweep
        played = []
        for turn in range(3):
            arm = policy(counts, 0 * counts, 3 * sweep + turn + 1, None).argmax(axis=0)
            policy.observe(arm, np.zeros(1))
            counts[arm, 0] += 1
            played.append(int(arm[0]))
        assert sorted(played) == [0, 1, 2]


def test_optimism_plays_the_best_arm_of_the_only_world_left():
    pulls = np.array([[1000], [1000]])
    for best in (None, 0.5):
        for wins, arm in [((500, 200), 0), ((200, 500), 1)]:
            scores = many_arms.optimism(0.3, best)(pulls, np.array(wins)[:, None], 2001, None)
            assert scores.argmax() == arm and scores.min() == -1
    nothing = many_arms.optimism(0.3)(0 * pulls, 0 * pulls, 1, None)
    assert nothing[0] == nothing[1]
    impossible = many_arms.optimism(0.3)(pulls, pulls // 2, 2001, None)
    assert impossible[0] == impossible[1]


@pytest.mark.claim("beyond:search", how="simulation: far below the bound")
def test_search_then_stay_keeps_its_proved_bound():
    """The model of chapter 16; 4 standard errors, false alarm 3e-5."""
    rng, T, runs = np.random.default_rng(6), 400, 4000
    for eps in (0.02, 0.05, 0.2):
        regret = np.zeros(runs)
        for r in range(runs):
            left = T
            while left:
                mean = rng.random()
                rounds = left if mean >= 1 - eps else 1
                regret[r] += rounds * (1 - mean)
                left -= rounds
        bound = (1 / eps - eps + eps * T) / 2
        assert regret.mean() < bound + 4 * regret.std() / runs**0.5
        if eps == 0.2:  # where the cut at T hardly matters it is nearly an equality
            assert regret.mean() > 0.9 * bound


# ---- what is kept ------------------------------------------------------------------------


def test_means_and_errors_are_those_of_all_runs():
    rng = np.random.default_rng(8)
    x = rng.exponential(size=(300, 1))
    setting = MANY_ARMS._replace(bandits={"a": ("uniform", 0, 1, 2, 5)}, policies=("TS 0",))
    parts = []
    for number, piece in enumerate(np.split(x, 3)):
        made = job("TS 0", ("uniform", 0, 1, 2), 5, 100)._replace(bandit="a", number=number)
        parts.append((made, {"sums": piece.sum(axis=0), "squares": (piece**2).sum(axis=0)}))
    (mean,), (error,) = many_arms.combine(setting, 300, 1, parts)["regret"]["a"]["TS 0"]
    assert mean == pytest.approx(x.mean(), abs=1e-4)
    assert error == pytest.approx(x.std(ddof=1) / 300**0.5, abs=1e-4)


@pytest.mark.parametrize("name", NEW)
def test_jobs_have_draws_and_files_of_their_own(name):
    jobs = EXPERIMENTS[name].jobs()
    assert len({each.file for each in jobs}) == len(jobs)
    assert len({(each.bandit, each.policy, each.draws) for each in jobs}) == len(jobs)
    assert len({each.draws for each in jobs}) == len(jobs)


def test_the_arms_of_chapter_17_have_the_means_of_the_text():
    means = [means_of(seen_rewards.laws(arms)) for arms in SEEN_REWARDS.bandits.values()]
    assert np.allclose(means, [[0.5, 0.2], [0.5, 0.2], [0.9, 0.6]])


def test_kl_ucb_on_rewards_uses_their_mean():
    policy = seen_rewards.ShiftedKLUCB(0.2, "rewards")
    pulls = np.array([[2], [1]])
    policy(0 * pulls, 0 * pulls, 1, None)
    for arm, reward in [(0, 0.4), (1, 0.3), (0, 0.5)]:
        policy.observe(np.array([arm]), np.array([reward]))
    mean = np.array([[0.45], [0.3]])
    exact = np.maximum(mean, kl_ucb(mean, pulls, np.log(4)) - 0.2)
    assert np.allclose(policy(pulls, 0 * pulls, 4, None), exact)
