"""The portrait of a bandit: who regrets what, which arms are played, how runs differ.

    portrait([0.9, 0.85, 0.6], eps=0.2, horizon=5000, runs=500, criterion="standard")

plays the policies and draws three panels below each other, as a phone shows them best.
`in_words` says what they show, `bounds_that_apply` which bounds are drawn, and
`simulations` gives the simulations behind them.
"""

import io
from functools import lru_cache
from importlib.util import find_spec

import numpy as np

try:
    from matplotlib import rc_context
    from matplotlib.figure import Figure
    from matplotlib.ticker import NullLocator
except ImportError as error:
    raise ImportError(
        "lenient_book.portrait needs matplotlib: pip install 'lenient[plots]'"
    ) from error

from lenient._check import check_count, check_eps
from lenient.baselines import ALL_POLICIES
from lenient.bounds import lower_bound, standard_bound, upper_bound
from lenient.gaps import CRITERIA, costs, suboptimality
from lenient.policies import KLUCB, TS, EpsTS
from lenient.simulation import log_checkpoints, simulate
from lenient_book import figures

PAIR = (TS.name, EpsTS.name)  # what is compared where nothing else is asked for

# What can be drawn and answered while somebody waits.
MAX_ARMS, MAX_RUNS, MAX_HORIZON = 20, 10_000, 10**9
MAX_PLAIN_HORIZON = 5000  # where every round has to be visited
CHECKPOINTS = 100


class Portrait(Figure):
    """A figure that a notebook shows as the value of a cell, and pyplot does not keep."""

    def _repr_png_(self):
        buffer = io.BytesIO()
        self.savefig(buffer, format="png")
        return buffer.getvalue()


def portrait(means, eps=0.2, criterion="hinge", **setting):
    """A figure of three panels; `setting` are further arguments of `simulations`.

    Above, the mean regret by `criterion` (a name in CRITERIA) with a band of two
    standard errors to each side, and the bounds that apply. In the middle, the share of
    the rounds spent on each arm; arms with gaps up to ε are shaded (those that cost nothing,
    by a criterion that is no gap function). Below, the law of the final regret: the share
    of runs with at least that much, the mean marked.
    """
    gap = _gap(criterion, eps)
    played = simulations(means, eps, **setting)
    bounds = bounds_that_apply(means, eps, played, criterion)
    # In inches: the legend must fit, and the marks of all policies in an arm's row.
    curves = max(2.3, 0.23 * (len(played) + len(bounds)) + 0.2)
    rows = max(0.32, 0.08 * len(played)) * len(means) + 0.1
    with rc_context(figures.STYLE):
        fig, (top, middle, below) = _sheet(4.6, [curves, rows, 1.8])
        _regret(top, played, gap, bounds)
        _shares(middle, played, _free(means, eps, gap))
        _law(below, played, gap)
        for axis in (top.xaxis, middle.xaxis, below.xaxis, below.yaxis):
            _few_ticks(axis)
    return fig


def simulations(means, eps=0.2, horizon=5000, runs=500, seed=0, policies=PAIR):
    """{name of policy: its simulation}, for policies named as in ALL_POLICIES."""
    check_eps(eps)
    horizon, runs = check_count("horizon", horizon), check_count("runs", runs)
    if not policies:
        raise ValueError("policies must name at least one policy, got none")
    for name in policies:
        _check_choice("each policy", name, ALL_POLICIES)
    players = {name: ALL_POLICIES[name](eps) for name in policies}
    _check_most("the number of arms", len(means), MAX_ARMS)
    _check_most("runs", runs, MAX_RUNS)
    _check_most("horizon", horizon, MAX_HORIZON)
    if horizon > MAX_PLAIN_HORIZON and (why := _why_every_round(means, players, horizon)):
        _check_most("horizon", horizon, MAX_PLAIN_HORIZON, why)
    return {
        name: _simulate(tuple(means), policy, horizon, runs, seed)
        for name, policy in players.items()
    }


def _why_every_round(means, players, horizon):
    """Why the rounds of one of the players must all be visited; "" if none has to."""
    if find_spec("numba") is None:
        return " without numba (pip install 'lenient[fast]')"
    from lenient import leap, leap_ucb

    slow = [
        name
        for name, who in players.items()
        if leap.obstacle(means, who) and leap_ucb.obstacle(means, who)
    ]
    return f" with {slow[0]}, which visits every round" if slow else ""


@lru_cache(maxsize=len(ALL_POLICIES))  # another criterion asks for the same runs
def _simulate(means, policy, horizon, runs, seed):
    times = log_checkpoints(horizon, CHECKPOINTS)
    return simulate(means, policy, horizon, runs, seed, checkpoints=times)


def bounds_that_apply(means, eps=0.2, policies=PAIR, criterion="hinge"):
    """{name of bound: coefficient of ln t}, of the bounds that say something here.

    None where no arm costs anything. The bounds with ε are about ε-gap functions: they
    hold for the standard regret only if no gap lies in (0, ε], where it is such a
    function in effect. ε-TS with ε = 0 is TS.
    """
    gap, gaps = _gap(criterion, eps), suboptimality(means)
    paid = costs(gap, means)
    if not paid.any() or not hasattr(gap, "eps"):  # the bounds are for gap functions
        return {}
    found = {}
    if eps > 0 and not paid[gaps <= eps].any():
        found["lower bound"] = lower_bound(means, eps, gap)
        if EpsTS.name in policies:
            found["upper bound"] = upper_bound(means, eps, gap)
    if eps == 0 or {TS.name, KLUCB.name} & {*policies}:
        found["standard bound"] = standard_bound(means, gap)
    return found


def in_words(means, eps=0.2, criterion="hinge", **setting):
    """What the portrait shows, in two or three sentences."""
    gap = _gap(criterion, eps)
    played = simulations(means, eps, **setting)
    some = next(iter(played.values()))
    runs, horizon = some.runs, some.horizon
    of = {name: simulation.summary(gap) for name, simulation in played.items()}
    mean = ", ".join(
        f"{name} {_short(s.mean)}" + (f" ± {_short(s.standard_error, 2)}" if runs > 1 else "")
        for name, s in of.items()
    )
    worst = ", ".join(f"{name} {_short(s.max)}" for name, s in of.items())
    text = (
        f"Mean {criterion} regret after {horizon:,} rounds, with its standard error: "
        f"{mean}. Largest of {runs:,} runs: {worst}."
    )
    bounds = bounds_that_apply(means, eps, played, criterion)
    if bounds:
        text += " Growth by the bounds: "
        text += ", ".join(f"{name} {c:.3g} ln t" for name, c in bounds.items()) + "."
    return text


def _gap(criterion, eps):
    _check_choice("criterion", criterion, CRITERIA)
    return CRITERIA[criterion](eps)


def _short(number, digits=3):
    """So many digits, or all before the point."""
    return f"{number:,.0f}" if number >= 100 else f"{number:.{digits}g}"


def _sheet(width, heights):
    """A figure with axes of these heights (in inches) below each other.

    Placed by hand: matplotlib's search for a layout takes longer than the drawing.
    """
    left, right, above, between = 0.8, 0.2, 0.4, 1.0
    height = sum(heights) + above + between * (len(heights) - 1) + 0.65
    fig = Portrait(figsize=(width, height), layout="none")
    axes, top = [], height - above
    for inches in heights:
        box = left, top - inches, width - left - right, inches
        sides = width, height, width, height
        axes.append(fig.add_axes([length / side for length, side in zip(box, sides)]))
        top -= inches + between
    return fig, axes


def _regret(ax, played, gap, bounds):
    for name, simulation in played.items():
        figures.regret_curve(ax, simulation, gap, name)
    times = simulation.times
    if not ax.dataLim.y1 > 0:  # nothing costs anything
        ax.set_ylim(top=1)
    highest = ax.get_ylim()[1]
    for name, coefficient in bounds.items():
        label = f"{name}: {coefficient:.3g} ln t"
        shown = times if coefficient > 0 else times[:0]  # a zero rate: named, not drawn
        figures.bound_line(ax, shown, coefficient, label)
    ax.set_title(f"{gap.name} regret, mean of {simulation.runs:,} runs")
    figures.regret_axes(ax, ylabel=None)
    ax.set_xlabel("round t (log scale)")
    # A steep bound must not press the curves flat; and the legend needs its room.
    ax.set_ylim(0, 1.1 * min(ax.get_ylim()[1], 2 * highest))
    ax.legend(loc="upper left", frameon=True, framealpha=0.8, edgecolor="none")


def _free(means, eps, gap):
    """Which arms are forgiven: gaps up to ε, or what a criterion without ε does not charge."""
    if hasattr(gap, "eps"):
        return suboptimality(means) <= float(eps)
    return costs(gap, means) == 0


def _shares(ax, played, free):
    simulation = next(iter(played.values()))
    arms = np.arange(len(simulation.means))
    for arm in arms[free]:
        ax.axhspan(arm - 0.5, arm + 0.5, color=figures.GREEN, alpha=0.15, linewidth=0)
    apart = min(0.22, 0.88 / len(played))  # all within the row of the arm
    offsets = (np.arange(len(played)) - (len(played) - 1) / 2) * apart
    for (name, simulation), offset in zip(played.items(), offsets):
        share = simulation.pulls[:, -1].mean(axis=0) / simulation.horizon
        style = figures.look(name) | {"linestyle": "", "markersize": 7}
        ax.plot(np.where(share > 0, 100 * share, np.nan), arms + offset, **style)
    ax.set(
        title="share of the rounds spent on each arm",
        xlabel="% of the rounds (log scale)",
        ylabel="mean",
        xscale="log",
        ylim=(arms[-1] + 0.5, -0.5),
        yticks=arms,
        yticklabels=[f"{mean:g}" for mean in simulation.means],
    )
    ax.set_xlim(right=150)
    ax.grid(axis="y", visible=False)


def _law(ax, played, gap):
    for name, simulation in played.items():
        tail = simulation.tail(gap)
        mean = simulation.mean(gap).mean[-1]
        style = figures.look(name)
        marker = style.pop("marker")
        ax.step(np.r_[0, tail.values], np.r_[1, tail.chance], where="pre", **style)
        ax.plot(mean, tail.at_least(mean), marker, color=style["color"], markersize=8)
    ax.set(
        title="runs that end with at least this regret",
        xlabel=f"{gap.name} regret at the end (mean marked)",
        ylabel="share of runs",
        yscale="log",
    )
    ax.set_xscale("symlog", linthresh=1)  # from 0 on, and far into a long tail
    ax.set_xlim(0, max(1, ax.get_xlim()[1]))


def _few_ticks(axis):
    """Powers of ten only, written out: easy to read, and most of the drawing time."""
    axis.set_minor_locator(NullLocator())
    axis.set_major_formatter(lambda x, _: f"{x:,g}" if x < 1e6 else f"{x:.0e}")


def _check_choice(name, value, choices):
    if value not in choices:
        raise ValueError(f"{name} must be one of {', '.join(choices)}, got {value!r}")


def _check_most(name, value, most, why=""):
    if value > most:
        raise ValueError(f"{name} must be at most {most:,}{why}, got {value:,}")
