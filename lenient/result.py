"""What came of a simulation: pull counts and wins, and all that is computed from them.

A simulation is kept in one file, without pickle: it opens on any machine, in any year.
"""

import json
from collections.abc import Callable
from dataclasses import dataclass, field, fields, is_dataclass
from decimal import Decimal
from fractions import Fraction
from importlib import import_module
from os import PathLike
from typing import Any, NamedTuple
from zipfile import BadZipFile

import numpy as np
from numpy.typing import NDArray

from lenient._check import check_count, shown
from lenient.gaps import Criterion, GapFunction, costs, suboptimality
from lenient.statistics import Curve, Summary, Tail, curve, summarize, tail


class Counts(NamedTuple):
    """How often each arm was played and won: two arrays of runs × times × arms."""

    pulls: NDArray[np.integer]
    wins: NDArray[np.integer]


Gap = GapFunction | Criterion | Callable


@dataclass(frozen=True, eq=False)
class Simulation:
    """Many runs of one policy on one bandit, as `simulate` returns them.

    Every regret is a weighted sum of the pull counts, so one simulation serves every gap
    function.

    Attributes
    ----------
    means
        The arms' means.
    policy
        Who played.
    seed, engine
        What to pass to `simulate` to get the same again.
    why_engine
        Why this engine was chosen.
    times
        The checkpoints; the last is the horizon.
    pulls
        pulls[r, i, a]: how often run r played arm a in its first times[i] rounds.
    wins
        wins[r, i, a]: how many of these plays had the reward 1.
    laws
        The arms' laws as text, such as "Bernoulli(0.9)".
    versions
        Of the packages that made it.

    Examples
    --------
    >>> import lenient
    >>> s = lenient.simulate([0.9, 0.6], lenient.TS(), horizon=100, runs=50, seed=1)
    >>> s.runs, s.horizon, s.pulls.shape
    (50, 100, (50, 100, 2))
    >>> bool((s.pulls.sum(axis=2) == s.times).all())
    True

    In the book: chapters 1 and 2.
    """

    means: NDArray[np.float64]
    policy: Any
    seed: Any
    times: NDArray[np.int64]
    pulls: NDArray[np.integer] = field(repr=False)
    wins: NDArray[np.integer] | None = field(default=None, repr=False)
    engine: str = "plain"
    why_engine: str = ""
    laws: tuple[str, ...] = ()
    versions: dict[str, str] = field(default_factory=dict, repr=False)

    @property
    def runs(self) -> int:
        """The number of runs."""
        return len(self.pulls)

    @property
    def horizon(self) -> int:
        """The number of rounds of each run."""
        return int(self.times[-1])

    @property
    def gaps(self) -> NDArray[np.float64]:
        """Δ of each arm."""
        return suboptimality(self.means)

    # ---- regret ----------------------------------------------------------------------

    def regret(self, gap: Gap) -> NDArray[np.float64]:
        """Σ f(Δ) over the plays so far: an array of runs × times.

        Parameters
        ----------
        gap
            A gap function such as `hinge(0.2)`, or another criterion (`lenient.gaps`).

        Examples
        --------
        >>> import lenient
        >>> s = lenient.simulate([0.9, 0.6], lenient.TS(), 100, runs=50, seed=1)
        >>> s.regret(lenient.standard()).shape
        (50, 100)
        """
        return self._regret(gap, self.pulls)

    def summary(self, gap: Gap, at: int | None = None) -> Summary:
        """The law of the regret over the runs, in a few numbers.

        Parameters
        ----------
        gap
            A gap function such as `hinge(0.2)`, or another criterion.
        at
            One of the `times`; the horizon if it is not given.

        Returns
        -------
        Summary
            mean, std, percentile99, max, standard_error, median, quantiles and interval, a
            confidence interval for the mean that minds heavy tails
            (`lenient.statistics.interval`: bootstrap-t).

        Examples
        --------
        >>> import lenient
        >>> s = lenient.simulate([0.9, 0.6], lenient.TS(), 100, runs=50, seed=1, engine="plain")
        >>> regret = s.summary(lenient.hinge(0.2))
        >>> print(f"{regret.mean:.2f} ± {regret.standard_error:.2f}")
        1.05 ± 0.14
        >>> s.summary(lenient.hinge(0.2), at=10).mean < regret.mean
        True
        """
        return summarize(self._regret_at(gap, at))

    def mean(self, gap: Gap) -> Curve:
        """The mean regret over time, with its standard error.

        Parameters
        ----------
        gap
            A gap function such as `hinge(0.2)`, or another criterion.

        Returns
        -------
        Curve
            times, mean and standard_error, arrays of one length.

        Examples
        --------
        >>> import lenient
        >>> s = lenient.simulate([0.9, 0.6], lenient.TS(), 100, runs=50, seed=1)
        >>> times, mean, error = s.mean(lenient.standard())
        >>> mean.shape
        (100,)
        """
        return curve(self.times, self.regret(gap))

    def tail(self, gap: Gap, at: int | None = None) -> Tail:
        """P(R ≥ r) over the runs: how heavy the tail of the regret is.

        Parameters
        ----------
        gap
            A gap function such as `hinge(0.2)`, or another criterion.
        at
            One of the `times`; the horizon if it is not given.

        Returns
        -------
        Tail
            values r, chance P(R ≥ r) and its standard_error; `at_least(r)` for any r.

        Examples
        --------
        >>> import lenient
        >>> s = lenient.simulate([0.9, 0.6], lenient.TS(), 100, runs=50, seed=1)
        >>> tail = s.tail(lenient.standard())
        >>> float(tail.chance[0]), float(tail.at_least(1000))
        (1.0, 0.0)
        """
        return tail(self._regret_at(gap, at))

    def _regret_at(self, gap: Gap, at: int | None) -> NDArray[np.float64]:
        index = -1 if at is None else self._index(at)
        return self._regret(gap, self.pulls[:, index])

    def _regret(self, gap: Gap, pulls: NDArray[np.integer]) -> NDArray[np.float64]:
        regret = np.zeros(pulls.shape[:-1])
        for arm, cost in enumerate(costs(gap, self.means)):
            if cost:
                regret += cost * pulls[..., arm]
        return regret

    def _index(self, at: int) -> int:
        found = np.flatnonzero(self.times == check_count("at", at))
        if found.size == 0:
            raise ValueError(f"at must be one of the times {self.times}, got {shown(at)}")
        return int(found[0])

    # ---- in other forms --------------------------------------------------------------

    def to_frame(self) -> Any:
        """A tidy `pandas.DataFrame`: one row for each run, time and arm. Needs pandas.

        Examples
        --------
        >>> import lenient
        >>> s = lenient.simulate([0.9, 0.6], lenient.TS(), 3, runs=2, seed=1)
        >>> list(s.to_frame().columns), len(s.to_frame())
        (['policy', 'run', 'time', 'arm', 'mean', 'pulls', 'wins'], 12)
        """
        pandas = optional("pandas", "to_frame")
        run, time, arm = (i.ravel() for i in np.indices(self.pulls.shape))
        columns = {
            "policy": policy_name(self.policy),
            "run": run,
            "time": self.times[time],
            "arm": arm,
            "mean": self.means[arm],
            "pulls": self.pulls.ravel(),
        }
        if self.wins is not None:
            columns["wins"] = self.wins.ravel()
        return pandas.DataFrame(columns)

    def to_xarray(self) -> Any:
        """An `xarray.Dataset` with dimensions run, time and arm. Needs xarray.

        Examples
        --------
        >>> import lenient
        >>> s = lenient.simulate([0.9, 0.6], lenient.TS(), 3, runs=2, seed=1)
        >>> dict(s.to_xarray().sizes)
        {'run': 2, 'time': 3, 'arm': 2}
        """
        xarray = optional("xarray", "to_xarray")
        dims = ("run", "time", "arm")
        counts = {"pulls": (dims, self.pulls)}
        if self.wins is not None:
            counts["wins"] = (dims, self.wins)
        coordinates = {
            "run": np.arange(self.runs),
            "time": self.times,
            "arm": np.arange(self.means.size),
            "mean": ("arm", self.means),
        }
        attributes = {"policy": repr(self.policy), "engine": self.engine}
        return xarray.Dataset(counts, coordinates, attributes)

    def save(self, path: str | PathLike) -> None:
        """Write the simulation to one file (npz), to be read by `lenient.load`.

        Parameters
        ----------
        path
            The file; the ending .npz is added where it is missing.

        Examples
        --------
        >>> import lenient, tempfile
        >>> s = lenient.simulate([0.9, 0.6], lenient.EpsTS(0.2), 100, runs=5, seed=1)
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     s.save(folder + "/mine.npz")
        ...     again = lenient.load(folder + "/mine.npz")
        >>> again.policy, bool((again.pulls == s.pulls).all())
        (EpsTS(eps=0.2), True)
        """
        told = {
            "format": FORMAT,
            "policy": _policy_to_plain(self.policy),
            "seed": _seed_to_plain(self.seed),
            "engine": self.engine,
            "why_engine": self.why_engine,
            "laws": self.laws,
            "versions": self.versions,
        }
        arrays = {"means": self.means, "times": self.times, "pulls": self.pulls}
        if self.wins is not None:
            arrays["wins"] = self.wins
        if not isinstance(path, (str, PathLike)) or "\0" in str(path):
            raise ValueError(f"path must be the name of a file, got {shown(path)}")
        np.savez_compressed(path, told=np.array(json.dumps(told)), **arrays)  # type: ignore


FORMAT = "lenient.Simulation 1"


def load(path: str | PathLike) -> Simulation:
    """Read a simulation that `Simulation.save` wrote.

    Parameters
    ----------
    path
        The file. A policy of this package comes back as it was, another as `AsText`.

    Returns
    -------
    Simulation
        With the same numbers and, but for a policy of your own, the same fields.

    Examples
    --------
    >>> import lenient, tempfile
    >>> s = lenient.simulate([0.9, 0.6], lenient.KLUCB(), 100, runs=5, seed=1)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     s.save(folder + "/mine.npz")
    ...     again = load(folder + "/mine.npz")
    >>> again.policy, again.horizon, again.laws
    (KLUCB(), 100, ('Bernoulli(0.9)', 'Bernoulli(0.6)'))

    In the book: the recipes.
    """
    try:
        with open(path, "rb") as file:  # which NumPy would leave open where it fails
            arrays = dict(np.load(file, allow_pickle=False))
        told = json.loads(str(arrays.pop("told")))
        known = told["format"] == FORMAT
    except (AttributeError, KeyError, TypeError, ValueError, EOFError, BadZipFile):
        known = False  # an array or a picture, a zip of other things, a part, nothing at all
    if not known:
        raise ValueError(f"path must be a file made by Simulation.save, got {shown(path)}")
    return Simulation(
        policy=_policy_from_plain(told["policy"]),
        seed=_seed_from_plain(told["seed"]),
        engine=told["engine"],
        why_engine=told["why_engine"],
        laws=tuple(told["laws"]),
        versions=told["versions"],
        **arrays,
    )


@dataclass(frozen=True)
class AsText:
    """Stands for what cannot be written without pickle, such as a policy of your own."""

    text: str

    def __repr__(self) -> str:
        return self.text


def policy_name(policy: Any) -> str:
    """As figures and tables show it: its `name`, or how it is written."""
    return str(getattr(policy, "name", None) or getattr(policy, "__name__", repr(policy)))


# A policy of the package is written as its class and the numbers it was made of.
_KINDS: dict[str, Callable[[str], Any]] = {
    kind.__name__: kind
    for kind in (int, float, str, Fraction, Decimal, np.float64, np.float32, np.float16)
}
_KINDS["NoneType"] = lambda text: None


def _policy_to_plain(policy: Any) -> dict[str, Any]:
    plain: dict[str, Any] = {"text": repr(policy)}
    module, name = type(policy).__module__, type(policy).__name__
    if module.startswith("lenient.") and is_dataclass(policy):
        values = {f.name: getattr(policy, f.name) for f in fields(policy)}
        made_of = {key: [type(value).__name__, str(value)] for key, value in values.items()}
        if all(kind in _KINDS for kind, _ in made_of.values()):
            plain |= {"class": [module, name], "made_of": made_of}
    return plain


def _policy_from_plain(plain: dict[str, Any]) -> Any:
    if "class" not in plain:
        return AsText(plain["text"])
    module, name = plain["class"]
    kind = getattr(import_module(module), name) if module.startswith("lenient.") else None
    if not (is_dataclass(kind) and isinstance(kind, type) and kind.__module__ == module):
        raise ValueError(f"path must hold a policy of lenient, got {module}.{name}")
    made_of = {key: _KINDS[kind](text) for key, (kind, text) in plain["made_of"].items()}
    return kind(**made_of)


def _seed_to_plain(seed: Any) -> Any:
    if not isinstance(seed, np.random.SeedSequence):
        return None
    entropy = np.asarray(seed.entropy, dtype=object).tolist()  # a number or a list of them
    return {"entropy": entropy, "spawn_key": [int(key) for key in seed.spawn_key]}


def _seed_from_plain(plain: Any) -> Any:
    if plain is None:
        return None
    return np.random.SeedSequence(plain["entropy"], spawn_key=tuple(plain["spawn_key"]))


def optional(package: str, method: str) -> Any:
    try:
        return import_module(package)
    except ImportError as error:
        message = f"{method} needs {package}: pip install 'lenient[tables]'"
        raise ImportError(message) from error
