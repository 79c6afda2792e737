"""The table of several policies on several bandits."""

from concurrent.futures import ProcessPoolExecutor

import numpy as np
import pytest
from scipy import stats

from lenient import KLUCB, TS, UCB1, EpsTS, compare, hinge, simulate, standard

PROBLEMS = {"high": [0.9, 0.85, 0.6], "low": [0.5, 0.2]}
SETTING = dict(gap=hinge(0.2), horizon=200, runs=300, seed=5, engine="plain")


@pytest.fixture(scope="module")
def table():
    return compare([TS(), EpsTS(0.2)], PROBLEMS, **SETTING)


def test_its_rows_are_the_simulations(table):
    assert table.problems == ("high", "low") and table.policies == ("TS", "ε-TS")
    assert table.regret.shape == (2, 2, 300)
    for row, place in zip(table.rows, np.ndindex(2, 2)):
        ours = table.regret[place]
        assert row.regret.mean == pytest.approx(ours.mean())
        assert row.difference == pytest.approx(np.mean(ours - table.regret[place[0], 0]))
    # another simulation of the same has the same mean (4 standard errors: 6e-5)
    other = simulate(PROBLEMS["low"], TS(), 200, 300, seed=9).summary(hinge(0.2))
    ours = table.rows[2].regret
    error = np.hypot(ours.standard_error, other.standard_error)
    assert abs(ours.mean - other.mean) < 4 * error


def test_all_cells_have_draws_of_their_own():
    same = compare({"one": TS(), "two": TS()}, [[0.5, 0.2], [0.5, 0.2]], **SETTING)
    regrets = same.regret.reshape(4, -1)
    assert len({tuple(regret) for regret in regrets}) == 4
    correlation = np.corrcoef(regrets)[np.triu_indices(4, 1)]
    assert np.abs(correlation).max() < 4.5 / np.sqrt(300)  # false alarm: 4e-5


def test_same_seed_same_table_on_any_workers(table):
    with ProcessPoolExecutor(2) as pool:
        pooled = compare([TS(), EpsTS(0.2)], PROBLEMS, **SETTING, executor=pool)
    assert np.array_equal(pooled.regret, table.regret)
    assert str(pooled) == str(table)


def test_printed(table):
    title, head, *rows = str(table).splitlines()
    assert title == "hinge at 200 rounds, 300 runs"
    assert head.split() == "problem policy mean 95 % median 99 % − TS 95 %".split()
    assert [row.split()[:2] for row in rows] == [
        ["high", "TS"], ["high", "ε-TS"], ["low", "TS"], ["low", "ε-TS"]
    ]  # fmt: skip
    assert table._repr_html_().count("<tr>") == 5


def test_as_a_frame(table):
    frame = table.to_frame()
    assert frame["mean"].tolist() == [row.regret.mean for row in table.rows]
    assert (frame.low <= frame["mean"]).all() and (frame["mean"] <= frame.high).all()


def test_names():
    both = compare([EpsTS(0.1), EpsTS(0.2)], [[0.5, 0.2]], **SETTING)
    assert both.policies == ("ε-TS", "ε-TS #2") and both.problems == ("0.5, 0.2",)
    assert compare([TS()], [[0.5]], **SETTING | {"gap": standard()}).gap == "standard"


# --- common rewards -----------------------------------------------------------------


def test_the_nth_play_of_an_arm_has_the_same_reward_for_all():
    """Two policies that play in another order find the same rewards."""

    def by_turns(pulls, wins, t, rng):
        return -pulls

    def one_after_the_other(pulls, wins, t, rng):
        first = pulls[:1] < 20
        return np.concatenate([first, ~first]).astype(float)

    setting = dict(horizon=40, runs=2500, seed=3, common_rewards=True)
    ends = [simulate([0.7, 0.4], p, **setting) for p in (by_turns, one_after_the_other)]
    for end in ends:
        assert np.all(end.pulls[:, -1] == 20)
    assert np.array_equal(ends[0].wins[:, -1], ends[1].wins[:, -1])
    assert "common_rewards" in ends[0].why_engine
    # and they are independent draws with the right chance: the law of the sums of 20
    for arm, mean in enumerate([0.7, 0.4]):
        seen = np.bincount(ends[0].wins[:, -1, arm], minlength=21)
        expected = stats.binom(20, mean).pmf(np.arange(21)) * 2500
        seen, expected = _merged(seen, expected)
        assert stats.chisquare(seen, expected, sum_check=False).pvalue > 1e-3
    two = ends[0].wins[:, -1]
    assert abs(np.corrcoef(two.T)[0, 1]) < 4 / np.sqrt(2500)  # false alarm: 6e-5
    # successive rewards: the number of changes along an arm
    first = simulate([0.5], by_turns, 200, 500, seed=4, common_rewards=True).wins[:, :, 0]
    rewards = np.diff(first, axis=1, prepend=0)
    changes = (np.diff(rewards, axis=1) != 0).sum()
    assert abs(changes - 500 * 199 / 2) < 4 * np.sqrt(500 * 199 / 4)


def _merged(seen, expected):
    common = expected >= 5
    return (
        np.append(seen[common], seen[~common].sum()),
        np.append(expected[common], expected[~common].sum()),
    )


def test_another_seed_has_other_rewards():
    setting = dict(horizon=40, runs=50, common_rewards=True)
    ends = [simulate([0.5], TS(), seed=seed, **setting).wins for seed in (1, 2)]
    assert not np.array_equal(*ends)


def test_common_rewards_keep_the_law_of_a_policy():
    """4 standard errors: 6e-5."""
    free = simulate([0.9, 0.6], TS(), 300, 2000, seed=1).summary(standard())
    common = simulate([0.9, 0.6], TS(), 300, 2000, seed=2, common_rewards=True)
    bound = common.summary(standard())
    error = np.hypot(free.standard_error, bound.standard_error)
    assert abs(free.mean - bound.mean) < 4 * error


def test_common_rewards_make_differences_less_noisy():
    """KL-UCB hardly draws anything itself: its difference from TS halves its spread."""
    spreads = []
    for common in (False, True):
        setting = SETTING | dict(common_rewards=common)
        regret = compare([TS(), KLUCB()], [[0.9, 0.4]], **setting).regret[0]
        spreads.append((regret[1] - regret[0]).std())
    assert spreads[1] < 0.75 * spreads[0]


def test_leap_has_no_common_rewards():
    with pytest.raises(ValueError, match="common_rewards=True needs engine 'plain'"):
        simulate([0.5, 0.2], TS(), 9, 2, engine="leap", common_rewards=True)


# --- bad input ----------------------------------------------------------------------


@pytest.mark.parametrize(
    "change, message",
    [
        (dict(policies=[]), "policies must hold at least one, got none"),
        (dict(policies=3), "policies must be a list or a dict, got 3"),
        (dict(policies=[TS]), "policy must be a policy such as TS()"),
        (dict(problems={}), "problems must hold at least one, got none"),
        (dict(problems=[0.5]), "problems"),
        (dict(problems={"bad": [0.5, 1.5]}), "in problems, bad: means must .* got 1.5"),
        (dict(gap=3), "gap must be a gap function"),
        (dict(horizon=0), "horizon must be"),
        (dict(runs=0), "runs must be"),
        (dict(engine="fast"), "engine must be one of"),
        (dict(seed=-1), "seed must be"),
        (dict(policies=[TS(), UCB1()], engine="leap"), "knows only TS, EpsTS"),
    ],
)
def test_what_is_wrong_is_said_before_work_starts(change, message, monkeypatch):
    monkeypatch.setattr("lenient.comparison.simulate", None)
    with pytest.raises(ValueError, match=message):
        compare(**dict(policies=[TS()], problems=PROBLEMS) | SETTING | change)
