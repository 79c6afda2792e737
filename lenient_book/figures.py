"""One look for every picture.

A chapter calls `use()` once. A curve then looks the same wherever it is met: TS is
blue, ε-TS vermillion, a bound black or grey and dashed. A baseline has the colour of its
family, a dashed or dotted line and a marker of its own. The colours are those of Okabe
and Ito, which colour-blind readers tell apart; line styles and markers say the same in
a grey print; the paper is white, also on a dark page, so that black text stays
readable.
"""

import os
from numbers import Real

import numpy as np

try:
    import matplotlib as mpl
    from matplotlib.lines import Line2D
except ImportError as error:
    raise ImportError(
        "lenient_book.figures needs matplotlib: pip install 'lenient[plots]'"
    ) from error

from lenient.baselines import (
    EXP3,
    IMED,
    MOSS,
    UCB1,
    BayesUCB,
    BetaTS,
    EpsGreedy,
    ExploreThenCommit,
    Satisficing,
    SlidingWindowTS,
)
from lenient.bounds import lower_bound, standard_bound, upper_bound
from lenient.policies import KLUCB, TS, EpsKLUCB, EpsTS, SqueezedKLUCB
from lenient.rewards import KinfUCB, LenientNPTS
from lenient.statistics import curve
from lenient_book.narrow import page_svg

BLACK, GREY = "#000000", "#666666"
BLUE, SKY, GREEN = "#0072B2", "#56B4E9", "#009E73"
ORANGE, VERMILLION, PURPLE = "#E69F00", "#D55E00", "#CC79A7"
WINE = "#882255"  # a fifth policy needs a darker colour than Okabe and Ito have left

#: How to draw what the label names: a label "ε-TS, ε = 0.2" looks like "ε-TS".
LOOK = {
    TS.name: dict(color=BLUE, linestyle="-", marker="o"),
    EpsTS.name: dict(color=VERMILLION, linestyle="-", marker="s"),
    KLUCB.name: dict(color=GREEN, linestyle="-", marker="^"),
    EpsKLUCB.name: dict(color=PURPLE, linestyle="-", marker="D"),
    SqueezedKLUCB.name: dict(color=WINE, linestyle=(0, (5, 1)), marker="H"),
    # policies that see rewards
    KinfUCB.name: dict(color=GREEN, linestyle=(0, (3, 1, 1, 1)), marker="8"),
    LenientNPTS.name: dict(color=BLUE, linestyle=(0, (3, 1, 1, 1)), marker="2"),
    # posteriors
    BetaTS.name: dict(color=BLUE, linestyle="--", marker="h"),
    SlidingWindowTS.name: dict(color=BLUE, linestyle=":", marker="X"),
    # optimism
    UCB1.name: dict(color=GREEN, linestyle="--", marker="v"),
    MOSS.name: dict(color=GREEN, linestyle=":", marker="<"),
    BayesUCB.name: dict(color=GREEN, linestyle="-.", marker=">"),
    IMED.name: dict(color=GREEN, linestyle=(0, (5, 1)), marker="P"),
    # good enough
    Satisficing.name: dict(color=VERMILLION, linestyle="--", marker="*"),
    # the rest
    EpsGreedy.name: dict(color=PURPLE, linestyle="--", marker="p"),
    ExploreThenCommit.name: dict(color=PURPLE, linestyle=":", marker="d"),
    EXP3.name: dict(color=PURPLE, linestyle="-.", marker="x"),
    "lower bound": dict(color=BLACK, linestyle="--"),
    "upper bound": dict(color=BLACK, linestyle=":"),
    "loose upper bound": dict(color=GREY, linestyle=(0, (1, 3))),
    "standard bound": dict(color=GREY, linestyle="-."),
}

# On a page the text of a figure is as large as the page's own, on a phone half of it;
# 150 dots an inch are three for each pixel of a phone's width.
STYLE = {
    "figure.figsize": (7, 4.2),
    "figure.dpi": 150,
    "figure.constrained_layout.use": True,
    "figure.constrained_layout.w_pad": 0.1,  # a margin of paper on a dark page
    "figure.constrained_layout.h_pad": 0.1,
    "figure.facecolor": "white",
    "savefig.facecolor": "white",
    "font.family": "DejaVu Sans",  # comes with matplotlib: the same on every machine
    "font.size": 12,
    "axes.titlesize": 13,
    "axes.labelsize": 12,
    "legend.fontsize": 11,
    "xtick.labelsize": 11,
    "ytick.labelsize": 11,
    "lines.linewidth": 2,
    "lines.markersize": 5,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "axes.axisbelow": True,
    "grid.color": "#DDDDDD",
    "grid.linewidth": 0.8,
    "legend.frameon": False,
    # Blue and vermillion are TS and ε-TS alone.
    "axes.prop_cycle": mpl.cycler(
        color=[SKY, WINE, GREEN, PURPLE, ORANGE, GREY],
        linestyle=["-", "--", "-.", ":", (0, (5, 1)), (0, (3, 1, 1, 1))],
    ),
    "svg.hashsalt": "lenient",  # the same picture gives the same file
}


def use():
    """Draw every later figure of this session in the look of the book."""
    mpl.rcParams.update(STYLE)
    if os.environ.get("LENIENT_STATIC") == "1":
        _draw_for_pages()


def _draw_for_pages():
    """In the book's build, show figures as `narrow` draws them."""
    from IPython import get_ipython
    from matplotlib import pyplot as plt

    if shell := get_ipython():
        plt.switch_backend(mpl.get_backend())  # it sets the format, once
        formatters = shell.display_formatter.formatters
        formatters["image/png"].pop(mpl.figure.Figure, None)
        formatters["image/svg+xml"].for_type(mpl.figure.Figure, page_svg)


def look(label):
    """Colour, line style and marker of what the label names, {} for other labels."""
    named = [name for name in LOOK if label.startswith(name)]
    return dict(LOOK[max(named, key=len)]) if named else {}  # the name that says most


def _style(label, style):
    """The look of the label, changed by `style`; "c" and "color" are the same word."""
    style = mpl.cbook.normalize_kwargs(style, Line2D)
    return {"label": label, **look(label), **style}


def arm_colors(arms):
    """One colour an arm, from dark to light: the order survives a grey print."""
    ramp = mpl.colors.LinearSegmentedColormap.from_list(
        "", ["#2A0A24", WINE, PURPLE, "#E3B7D0"]
    )
    return ramp(np.linspace(0, 1, arms))


def regret_curve(ax, simulation, gap, label, band=2, **style):
    """Draw the mean regret of the runs over time, with a band around it.

    band    a number: so many standard errors of the mean to each side; a pair such
            as (0.05, 0.95): between these quantiles of the runs; None: no band
    style   anything `ax.plot` accepts, instead of the look that belongs to the label
    """
    regret = simulation.regret(gap)
    times, mean, error = curve(simulation.times, regret)
    edges = None
    if not isinstance(band, Real | None):
        edges = np.quantile(regret, band, axis=0)
    elif band is not None and len(regret) > 1:  # a single run has no standard error
        edges = mean - band * error, mean + band * error
    return _curve(ax, times, mean, edges, label, style)


def stored_curve(ax, result, algorithm, criterion, label=None, band=2, **style):
    """The same from a stored result; the band in standard errors."""
    mean, error = result.curves[algorithm, criterion]
    edges = (mean - band * error, mean + band * error)
    return _curve(ax, result.times, mean, edges, label or algorithm, style)


def _curve(ax, times, mean, edges, label, style):
    style = {"markevery": (0.1, 0.2), **style}  # few markers, evenly spread
    [line] = ax.plot(times, mean, **_style(label, style))
    if edges is not None:
        color = line.get_color()
        ax.fill_between(times, *edges, color=color, alpha=0.2, linewidth=0)
    return line


def bound_line(ax, times, coefficient, label, **style):
    """Draw coefficient · ln t: the growth that a bound allows or demands."""
    if not np.isfinite(coefficient):
        raise ValueError(f"coefficient must be a finite number, got {coefficient}")
    [line] = ax.plot(times, coefficient * np.log(times), **_style(label, style))
    return line


def bound_lines(ax, times, means, eps, gap):
    """The lines c · ln t of the theory that are not zero."""
    for label, coefficient in [
        ("standard bound", standard_bound(means, gap)),
        ("upper bound", upper_bound(means, eps, gap)),
        ("lower bound", lower_bound(means, eps, gap)),
    ]:
        if coefficient:
            bound_line(ax, times, coefficient, label, linewidth=1.5)


def regret_axes(ax, ylabel="lenient regret"):
    """Set what regret plots share: ln t is straight, regret starts at 0, a legend."""
    ax.set(xscale="log", xlabel="round $t$", ylabel=ylabel)
    ax.set_ylim(bottom=0)
    ax.legend()
