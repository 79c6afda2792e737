"""Hedge with η = 8ε: R_T − εT ≤ ln K / (8ε) for every T, whatever the losses."""

import numpy as np
import pytest


def excess(losses, eps, K, rounds, rng, eta=None):
    """The largest R_T − εT over T ≤ rounds; `losses(p, L, t, rng)` is the adversary."""
    eta = 8 * eps if eta is None else eta
    L, paid, worst = np.zeros(K), 0.0, -np.inf
    for t in range(1, rounds + 1):
        p = np.exp(-eta * (L - L.min()))
        p /= p.sum()
        loss = losses(p, L, t, rng)
        assert 0 <= loss.min() and loss.max() <= 1
        paid += p @ loss
        L = L + loss
        worst = max(worst, paid - L.min() - eps * t)
    return worst


def likeliest_loses(p, L, t, rng):
    """All experts of more than their share lose: an adversary that sees the weights."""
    return (p >= 1 / p.size).astype(float)


def one_good(p, L, t, rng):
    return np.arange(p.size) > 0.5


def coins(p, L, t, rng):
    return (rng.random(p.size) < 0.5).astype(float)


def greedy_trap(p, L, t, rng):
    """Weights of the leaders are punished, one expert in turn is spared."""
    loss = (L <= L.min()).astype(float)
    loss[t % p.size] = 0
    return loss


def fractions(p, L, t, rng):
    return rng.random(p.size) * (p > np.median(p))


ADVERSARIES = [likeliest_loses, one_good, coins, greedy_trap, fractions]


@pytest.mark.parametrize("adversary", ADVERSARIES)
@pytest.mark.parametrize("K, eps", [(2, 0.05), (10, 0.1), (10, 0.01), (100, 0.2), (3, 0.5)])
@pytest.mark.claim("beyond:hedge", how="numerical search")
def test_what_exceeds_eps_per_round_is_bounded(adversary, K, eps):
    rng = np.random.default_rng(5)
    bound = np.log(K) / (8 * eps)
    assert excess(adversary, eps, K, 2000, rng) <= bound + 1e-9


@pytest.mark.claim("beyond:hedge", how="exact")
def test_the_bound_is_nearly_reached():
    """So a constant half as large would be wrong: the check can fail."""
    rng = np.random.default_rng(1)
    found = excess(one_good, 0.001, 100, 20_000, rng)
    assert found > 0.5 * np.log(100) / (8 * 0.001)


@pytest.mark.parametrize("wrong", [0.8, 80.0])
def test_another_rate_breaks_it(wrong):
    """η = ε·wrong instead of 8ε: too slow to learn, or too easily fooled."""
    rng = np.random.default_rng(2)
    eps, K = 0.05, 10
    adversaries = [one_good, likeliest_loses, greedy_trap]
    most = max(excess(a, eps, K, 3000, rng, eta=wrong * eps) for a in adversaries)
    assert most > np.log(K) / (8 * eps)


def test_the_number_in_the_book():
    assert f"{np.log(10) / 0.8:.2f}" == "2.88"


def excess_that_shrinks(losses, K, rounds, rng, rate=2.0):
    """The largest R_T − Σ c/√t with c = ½√ln K, and the largest that is allowed."""
    root = np.sqrt(np.log(K))
    L, paid, forgiven, worst = np.zeros(K), 0.0, 0.0, -np.inf
    for t in range(1, rounds + 1):
        p = np.exp(-rate * root / np.sqrt(t) * (L - L.min()))
        p /= p.sum()
        loss = losses(p, L, t, rng)
        paid += p @ loss
        L = L + loss
        forgiven += root / 2 / np.sqrt(t)
        worst = max(worst, paid - L.min() - forgiven)
    return worst, 0.75 * root


@pytest.mark.parametrize("adversary", ADVERSARIES)
@pytest.mark.parametrize("K", [2, 10, 100])
def test_to_forgive_less_and_less_is_enough(adversary, K):
    worst, bound = excess_that_shrinks(adversary, K, 3000, np.random.default_rng(6))
    assert worst <= bound + 1e-9


def test_a_slow_rate_breaks_it():
    worst, bound = excess_that_shrinks(one_good, 10, 3000, np.random.default_rng(7), rate=0.2)
    assert worst > bound


def test_what_coins_ask_for():
    """E max of two standard normals is 1/√π, so c < 0.141 is too little; 0.416 is enough."""
    assert f"{1 / np.sqrt(np.pi) / 4:.3f} {np.sqrt(np.log(2)) / 2:.3f}" == "0.141 0.416"
