"""Several policies on several bandits, in one table."""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from html import escape
from math import prod
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from lenient._check import check_count, check_flag, shown
from lenient.gaps import costs
from lenient.laws import LONGEST_LIST, describe, is_law, means_of
from lenient.plain import child
from lenient.policies import Policy
from lenient.result import Gap, optional, policy_name
from lenient.simulation import (
    check_executor,
    check_memory,
    check_seed,
    check_setting,
    progress_bar,
    simulate,
    spread,
)
from lenient.statistics import Summary, interval, summarize


class Row(NamedTuple):
    """One policy on one bandit: its regret, and how much more that is than the first's.

    problem, policy
        their names
    regret
        a `Summary` of the runs
    difference
        the mean of the run-by-run difference from the first policy
    difference_interval
        of 95 % confidence for it

    Examples
    --------
    >>> import lenient
    >>> table = lenient.compare(
    ...     [lenient.TS(), lenient.KLUCB()], [[0.9, 0.4]], lenient.standard(), 100, 20, seed=1
    ... )
    >>> first = table.rows[0]
    >>> first.problem, first.policy, first.difference, first.difference_interval
    ('0.9, 0.4', 'TS', 0.0, (0.0, 0.0))

    In the book: the recipes.
    """

    problem: str
    policy: str
    regret: Summary
    difference: float
    difference_interval: tuple[float, float]


@dataclass(frozen=True, eq=False)
class Comparison:
    """What `compare` found: a table that prints itself, and the numbers behind it.

    Attributes
    ----------
    problems, policies
        Their names, in order.
    regret
        regret[i, j, r]: of run r of policy j on problem i, at the horizon.
    rows
        The table: for each problem and policy a `Summary` of the regret, and the mean of
        the run-by-run difference from the first policy with an interval of 95 %.

    Examples
    --------
    >>> import lenient
    >>> table = lenient.compare(
    ...     [lenient.TS(), lenient.KLUCB()], [[0.9, 0.4]], lenient.standard(), 100, 20, seed=1
    ... )
    >>> print(str(table).splitlines()[0])
    standard at 100 rounds, 20 runs
    >>> len(table.rows), table.regret.shape  # problems × policies × runs
    (2, (1, 2, 20))

    In the book: the recipes.
    """

    problems: tuple[str, ...]
    policies: tuple[str, ...]
    gap: str
    horizon: int
    runs: int
    common_rewards: bool
    regret: NDArray[np.float64] = field(repr=False)

    @property
    def rows(self) -> list[Row]:
        """One `Row` for each problem and policy."""
        rows = []
        for problem, regrets in zip(self.problems, self.regret):
            for policy, regret in zip(self.policies, regrets):
                more = regret - regrets[0]
                row = Row(
                    problem, policy, summarize(regret), float(more.mean()), interval(more)
                )
                rows.append(row)
        return rows

    def to_frame(self) -> Any:
        """The table as a `pandas.DataFrame`. Needs pandas.

        Examples
        --------
        >>> import lenient
        >>> table = lenient.compare(
        ...     [lenient.TS(), lenient.EpsTS(0.2)], [[0.9, 0.4]], lenient.hinge(0.2), 100, 20
        ... )
        >>> table.to_frame().policy.tolist()
        ['TS', 'ε-TS']
        """
        pandas = optional("pandas", "to_frame")
        return pandas.DataFrame(
            {
                "problem": row.problem,
                "policy": row.policy,
                "mean": row.regret.mean,
                "low": row.regret.interval[0],
                "high": row.regret.interval[1],
                "standard_error": row.regret.standard_error,
                "median": row.regret.median,
                "percentile99": row.regret.percentile99,
                "max": row.regret.max,
                "difference": row.difference,
                "difference_low": row.difference_interval[0],
                "difference_high": row.difference_interval[1],
            }
            for row in self.rows
        )

    def __str__(self) -> str:
        head, *cells = self._cells()
        widths = [max(map(len, column)) for column in zip(head, *cells)]
        lines = [
            "  ".join([*map(str.ljust, row[:2], widths), *map(str.rjust, row[2:], widths[2:])])
            for row in [head, *cells]
        ]
        return "\n".join([self._title(), *(line.rstrip() for line in lines)])

    def _repr_html_(self) -> str:
        head, *cells = self._cells()
        top = "".join(f"<th>{escape(cell)}</th>" for cell in head)
        body = "".join(
            "<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in row) + "</tr>"
            for row in cells
        )
        return (
            f"<table><caption>{escape(self._title())}</caption>"
            f"<thead><tr>{top}</tr></thead><tbody>{body}</tbody></table>"
        )

    def _title(self) -> str:
        rewards = ", common rewards" if self.common_rewards else ""
        return f"{self.gap} at {self.horizon:,} rounds, {self.runs:,} runs{rewards}"

    def _cells(self) -> list[list[str]]:
        first = self.policies[0]
        head = ["problem", "policy", "mean", "95 %", "median", "99 %", f"− {first}", "95 %"]
        table = [head]
        for row in self.rows:
            regret = row.regret
            numbers = [regret.mean, regret.interval, regret.median, regret.percentile99]
            if row.policy != first:
                numbers += [row.difference, row.difference_interval]
            table.append([row.problem, row.policy, *map(_text, numbers)])
            table[-1] += [""] * (len(head) - len(table[-1]))
        return table


def compare(
    policies: Iterable[Policy] | Mapping[str, Policy],
    problems: Iterable[Any] | Mapping[str, Any],
    gap: Gap,
    horizon: int,
    runs: int,
    seed: Any = None,
    engine: str = "auto",
    executor: Any = None,
    progress: bool = False,
    common_rewards: bool = False,
) -> Comparison:
    """Play several policies on several bandits and put their regrets into one table.

    Parameters
    ----------
    policies
        Policies, or {name: policy}. The others are compared with the first.
    problems
        Lists of arms as for `simulate`, or {name: arms}.
    gap
        A gap function such as `hinge(0.2)`, or another criterion.
    horizon, runs, seed, engine
        As for `simulate`. Every policy on every problem has draws of its own.
    executor
        A `concurrent.futures.Executor` to spread the simulations over.
    progress
        Show a bar (needs tqdm).
    common_rewards
        In run r the n-th play of an arm has the same reward for every policy. Needs the
        plain engine. Whether that makes the differences less noisy, the intervals tell.

    Returns
    -------
    Comparison
        Prints as a table; `rows`, `regret` and `to_frame()` hold the numbers. Intervals are
        those of `lenient.statistics.interval`, the differences' of the differences run by
        run.

    Examples
    --------
    >>> import lenient
    >>> table = lenient.compare(
    ...     [lenient.TS(), lenient.EpsTS(0.2)],
    ...     {"easy": [0.9, 0.4], "hard": [0.9, 0.85, 0.6]},
    ...     lenient.hinge(0.2), horizon=500, runs=200, seed=1, engine="plain",
    ... )
    >>> table.policies, table.regret.shape
    (('TS', 'ε-TS'), (2, 2, 200))
    >>> [row.difference < 0 for row in table.rows if row.policy == "ε-TS"]
    [True, True]

    In the book: chapter 12 and the recipes.
    """
    players = _named("policies", policies, policy_name)
    bandits = _named("problems", problems, _arms_as_text)
    root = check_seed(seed)
    check_executor(executor)
    check_flag("common_rewards", common_rewards)
    horizon, runs = check_count("horizon", horizon), check_count("runs", runs)
    shape = len(bandits), len(players), runs
    check_memory(
        8 * prod(shape), "{} problems × {} policies × {} runs".format(*map(shown, shape))
    )
    cells = {}
    for i, (problem, arms) in enumerate(bandits.items()):
        for j, policy in enumerate(players.values()):
            own = child(root, i) if common_rewards else child(child(root, i), j)
            setting: dict[str, Any] = dict(horizon=horizon, runs=runs, seed=own, engine=engine)
            setting |= dict(checkpoints=[horizon], common_rewards=common_rewards)
            cells[i, j] = _final_regret, arms, policy, setting, gap
            try:
                costs(gap, means_of(check_setting(arms, policy, **setting).arms))
            except ValueError as error:
                raise ValueError(f"in problems, {problem}: {error}") from None
    regret = np.empty(shape)
    with progress_bar(progress, len(cells), "simulation") as advance:
        places = [*cells]
        for number, final in spread([*cells.values()], executor):
            regret[places[number]] = final
            advance(1)
    name = getattr(gap, "name", None) or policy_name(gap)
    names = tuple(bandits), tuple(players)
    return Comparison(*names, name, horizon, runs, common_rewards, regret)


def _named(argument: str, things: Any, name_of: Callable[[Any], str]) -> dict[str, Any]:
    """Things by their names; equal names are numbered."""
    if isinstance(things, Mapping):
        named = {str(name): thing for name, thing in things.items()}
    else:
        try:
            things = list(things)
        except TypeError:
            raise ValueError(
                f"{argument} must be a list or a dict, got {shown(things)}"
            ) from None
        named, seen = {}, Counter[str]()
        for thing in things:
            name = name_of(thing)
            seen[name] += 1
            named[f"{name} #{seen[name]}" if seen[name] > 1 else name] = thing
    if not named:
        raise ValueError(f"{argument} must hold at least one, got none")
    return named


def _arms_as_text(arms: Any) -> str:
    if not isinstance(arms, (list, tuple)) or len(arms) > LONGEST_LIST:
        return shown(arms)
    return ", ".join(describe(arm) if is_law(arm) else shown(arm) for arm in arms)


def _final_regret(arms: Any, policy: Policy, setting: dict, gap: Gap) -> NDArray[np.float64]:
    return simulate(arms, policy, **setting).regret(gap)[:, -1]


def _text(number: Any) -> str:
    if isinstance(number, tuple):
        return " … ".join(map(_text, number))
    return f"{number:.3g}".replace("-", "−")
