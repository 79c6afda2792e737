"""What a simulation knows of itself, and whether it comes back from a file as it was."""

import json
import sys
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
from scipy import stats

import lenient
from lenient import TS, EpsTS, hinge, load, simulate, standard
from lenient.result import AsText, policy_name

MEANS = [0.9, 0.85, 0.6]


@pytest.fixture(scope="module")
def played():
    return simulate(MEANS, EpsTS(0.2), 300, 40, seed=7, checkpoints=[10, 100, 300])


def test_it_knows_what_made_it(played):
    assert (played.runs, played.horizon) == (40, 300)
    assert played.laws == ("Bernoulli(0.9)", "Bernoulli(0.85)", "Bernoulli(0.6)")
    assert played.versions["numpy"] == np.__version__
    assert played.versions["lenient"] == lenient.__version__
    assert played.engine == "leap" and "numba" in played.versions


def test_mean_and_summary_at_a_time(played):
    gap = hinge(0.2)
    regret = played.regret(gap)
    times, mean, error = played.mean(gap)
    assert times.tolist() == [10, 100, 300]
    assert mean == pytest.approx(regret.mean(axis=0))
    assert error == pytest.approx(stats.sem(regret))
    for i, time in enumerate(times):
        assert played.summary(gap, at=time).max == regret[:, i].max()
    assert played.summary(gap) == played.summary(gap, at=300)


def test_tail(played):
    regret = played.regret(standard())[:, 1]
    found = played.tail(standard(), at=100)
    assert found.at_least(0.5) == np.mean(regret >= 0.5)
    assert found.chance[0] == 1


@pytest.mark.parametrize("at", [11, 0, -1, 2.5, "ten", [10], Decimal("sNaN"), 10**400])
def test_a_time_that_was_not_recorded_is_named(played, at):
    message = r"at must be (one of the times \[ 10 100 300\]|a whole number of at least 1), got"
    with pytest.raises(ValueError, match=message):
        played.summary(hinge(0.2), at=at)


def test_wins_are_counted(played):
    assert played.wins.shape == played.pulls.shape
    assert np.all((0 <= played.wins) & (played.wins <= played.pulls))
    many = simulate([0.7, 0.4], TS(), 2000, 500, seed=1, checkpoints=[500, 2000])
    share = many.wins[:, :, 0].sum(axis=0) / many.pulls[:, :, 0].sum(axis=0)
    # 4 standard errors of a share of 10^5 plays, which are not quite independent of it
    assert share == pytest.approx([0.7, 0.7], abs=4 * np.sqrt(0.21 / 2e5))


@pytest.mark.parametrize("engine", ["plain", "leap"])
def test_a_certain_arm_wins_always(engine):
    result = simulate([1.0, 0.0], TS(), 50, 20, seed=1, engine=engine)
    assert np.array_equal(result.wins[:, :, 0], result.pulls[:, :, 0])
    assert not result.wins[:, :, 1].any()


# --- other forms --------------------------------------------------------------------


def test_a_tidy_frame(played):
    frame = played.to_frame()
    assert len(frame) == 40 * 3 * 3
    row = frame[(frame.run == 5) & (frame.time == 100) & (frame.arm == 2)].iloc[0]
    assert (row.pulls, row.wins) == (played.pulls[5, 1, 2], played.wins[5, 1, 2])
    assert (row["mean"], row.policy) == (0.6, "ε-TS")
    total = frame.groupby(["run", "time"]).pulls.sum()
    assert (total == total.index.get_level_values("time")).all()


def test_a_dataset(played):
    data = played.to_xarray()
    assert data.pulls.sel(run=5, time=100, arm=2) == played.pulls[5, 1, 2]
    assert data.attrs["policy"] == "EpsTS(eps=0.2)"


@pytest.mark.parametrize("package, method", [("pandas", "to_frame"), ("xarray", "to_xarray")])
def test_what_is_missing_is_said(played, monkeypatch, package, method):
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(ImportError, match=rf"{method} needs {package}: pip install"):
        getattr(played, method)()


# --- files --------------------------------------------------------------------------


def assert_same(one, other):
    for name in ("means", "times", "pulls", "wins"):
        assert np.array_equal(getattr(one, name), getattr(other, name)), name
        assert getattr(one, name).dtype == getattr(other, name).dtype
    for name in ("policy", "engine", "why_engine", "laws", "versions"):
        assert getattr(one, name) == getattr(other, name), name


def test_saved_and_loaded(played, tmp_path):
    played.save(tmp_path / "mine.npz")
    again = load(tmp_path / "mine.npz")
    assert_same(again, played)
    # the seed is what it was: the same runs again
    repeat = simulate(MEANS, again.policy, 300, 40, again.seed, again.times)
    assert np.array_equal(repeat.pulls, played.pulls)


@pytest.mark.parametrize(
    "policy",
    [TS(), EpsTS(Fraction(1, 3)), EpsTS(Decimal("0.2")), EpsTS(np.float32(0.1)), EpsTS(0)],
)
def test_every_policy_of_ours_comes_back(policy, tmp_path):
    simulate([0.5, 0.2], policy, 9, 2, seed=[1, 2**80]).save(tmp_path / "p.npz")
    again = load(tmp_path / "p.npz")
    assert again.policy == policy and type(again.policy) is type(policy)
    for field in getattr(policy, "__dataclass_fields__", {}):
        assert type(getattr(again.policy, field)) is type(getattr(policy, field))
    assert again.seed.entropy == [1, 2**80]


def test_a_policy_of_ones_own_comes_back_as_text(tmp_path):
    def mine(pulls, wins, t, rng):
        return wins - pulls

    simulate([0.5, 0.2], mine, 9, 2, seed=1).save(tmp_path / "own.npz")
    again = load(tmp_path / "own.npz")
    assert isinstance(again.policy, AsText) and "mine" in repr(again.policy)
    again.save(tmp_path / "twice.npz")
    assert load(tmp_path / "twice.npz").policy == again.policy
    assert policy_name(mine) == "mine"


def test_no_pickle_is_read(tmp_path):
    np.savez(tmp_path / "bad.npz", told=np.array([object()], dtype=object))
    with pytest.raises(ValueError):
        load(tmp_path / "bad.npz")


@pytest.mark.parametrize("content", [{}, {"told": np.array("{}")}, {"told": np.array("no")}])
def test_another_file_is_refused(content, tmp_path):
    np.savez(tmp_path / "other.npz", **content)
    with pytest.raises(ValueError, match="path must be a file made by Simulation.save"):
        load(tmp_path / "other.npz")


def test_a_file_cannot_name_a_class_of_others(played, tmp_path):
    played.save(tmp_path / "mine.npz")
    with np.load(tmp_path / "mine.npz") as file:
        arrays = dict(file)
    told = json.loads(str(arrays["told"]))
    for module, name in [("subprocess", "Popen"), ("lenient.result", "import_module")]:
        told["policy"] |= {"class": [module, name], "made_of": {"name": ["str", "antigravity"]}}
        np.savez(tmp_path / "evil.npz", **arrays | {"told": np.array(json.dumps(told))})
        with pytest.raises(ValueError, match="must hold a policy of lenient, got"):
            load(tmp_path / "evil.npz")
        assert "antigravity" not in sys.modules


def test_a_part_of_a_file_is_refused(played, tmp_path):
    played.save(tmp_path / "mine.npz")
    (tmp_path / "cut.npz").write_bytes((tmp_path / "mine.npz").read_bytes()[:-200])
    with pytest.raises(ValueError, match="path must be a file made by Simulation.save"):
        load(tmp_path / "cut.npz")
