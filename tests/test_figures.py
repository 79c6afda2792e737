"""The shared look: what is drawn is right, and every reader can tell it apart."""

import runpy
import statistics
import sys
from itertools import combinations
from math import log
from types import SimpleNamespace

import matplotlib as mpl
import numpy as np
import pytest
from matplotlib.figure import Figure

from lenient.baselines import ALL_POLICIES
from lenient.policies import POLICIES
from lenient_book import figures

TIMES = np.array([1, 10, 100])
REGRET = np.array([[0.0, 1, 2], [0, 3, 7], [1, 2, 9], [1, 5, 5]])


def simulation(regret=REGRET):
    return SimpleNamespace(times=TIMES, regret=lambda gap: gap * regret)


@pytest.fixture
def ax():
    return Figure().subplots()


def edges(ax):
    """Lower and upper edge of the only band, by time."""
    [band] = ax.collections
    corners = band.get_paths()[0].vertices
    at = [corners[corners[:, 0] == time, 1] for time in TIMES]
    return [low.min() for low in at], [high.max() for high in at]


def test_curve_is_the_mean_with_two_standard_errors(ax):
    line = figures.regret_curve(ax, simulation(), 3, "TS")
    runs_at = (3 * REGRET).T.tolist()
    mean = [statistics.mean(runs) for runs in runs_at]
    error = [2 * statistics.stdev(runs) / 4**0.5 for runs in runs_at]
    np.testing.assert_allclose(line.get_xdata(), TIMES)
    np.testing.assert_allclose(line.get_ydata(), mean)
    np.testing.assert_allclose(edges(ax)[0], np.subtract(mean, error))
    np.testing.assert_allclose(edges(ax)[1], np.add(mean, error))


def test_a_stored_curve_is_drawn_as_stored(ax):
    curves = {("TS", "hinge"): (np.array([1.0, 2, 3]), np.array([0.1, 0.2, 0.3]))}
    stored = SimpleNamespace(times=TIMES, curves=curves)
    line = figures.stored_curve(ax, stored, "TS", "hinge", band=3)
    assert line.get_label() == "TS" and line.get_color() == figures.look("TS")["color"]
    np.testing.assert_allclose(line.get_ydata(), [1, 2, 3])
    np.testing.assert_allclose(edges(ax)[0], [0.7, 1.4, 2.1])
    np.testing.assert_allclose(edges(ax)[1], [1.3, 2.6, 3.9])


def test_band_of_quantiles(ax):
    figures.regret_curve(ax, simulation(), 1, "TS", band=(0, 1))
    np.testing.assert_allclose(edges(ax)[0], [0, 1, 2])
    np.testing.assert_allclose(edges(ax)[1], [1, 5, 9])


@pytest.mark.parametrize("regret, band", [(REGRET, None), (REGRET[:1], 2)])
def test_no_band(ax, regret, band):
    figures.regret_curve(ax, simulation(regret), 1, "TS", band=band)
    assert not ax.collections


def test_bound_grows_with_the_logarithm(ax):
    line = figures.bound_line(ax, TIMES, 1.5, "lower bound")
    expected = [1.5 * log(t) for t in (1, 10, 100)]
    np.testing.assert_allclose(line.get_ydata(), expected)
    assert line.get_label() == "lower bound"


@pytest.mark.parametrize("coefficient", [float("inf"), float("nan")])
def test_bound_must_be_finite(ax, coefficient):
    message = f"^coefficient must be a finite number, got {coefficient}$"
    with pytest.raises(ValueError, match=message):
        figures.bound_line(ax, TIMES, coefficient, "lower bound")


def test_a_label_brings_its_look(ax):
    line = figures.regret_curve(ax, simulation(), 1, "ε-TS, ε = 0.2")
    assert line.get_color() == figures.VERMILLION and line.get_marker() == "s"
    assert figures.look("loose upper bound") == figures.LOOK["loose upper bound"]
    assert figures.look("something else") == {}


@pytest.mark.parametrize("style", [{"color": "red"}, {"c": "red"}])
def test_the_look_can_be_changed(ax, style):
    line = figures.regret_curve(ax, simulation(), 1, "TS", markevery=1, **style)
    assert line.get_color() == "red" and line.get_marker() == "o"
    assert figures.LOOK["TS"]["color"] == figures.BLUE


def test_regret_axes(ax):
    figures.bound_line(ax, TIMES, 1, "lower bound")
    figures.regret_axes(ax, ylabel="hinge regret")
    assert ax.get_xscale() == "log" and ax.get_ylim()[0] == 0
    assert ax.get_ylabel() == "hinge regret"
    assert [t.get_text() for t in ax.get_legend().get_texts()] == ["lower bound"]


def test_use_sets_the_style_and_all_text_is_legible():
    with mpl.rc_context():
        figures.use()
        figure = Figure()
        ax = figure.subplots()
        ax.plot([1, 2], label="x")
        ax.set(title="t", xlabel="x", ylabel="y")
        ax.legend()
        figure.draw_without_rendering()
        written = [t for t in figure.findobj(mpl.text.Text) if t.get_text()]
        assert len(written) > 5
        assert min(text.get_fontsize() for text in written) >= 10
        assert figure.get_facecolor() == (1, 1, 1, 1)
        assert tuple(figure.get_size_inches()) == (7, 4.2)


def linear(color):
    """RGB of a colour as amounts of light, in [0, 1]."""
    c = np.array(mpl.colors.to_rgb(color))
    return np.where(c <= 0.04045, c / 12.92, ((c + 0.055) / 1.055) ** 2.4)


def lab(light):
    """CIE L*a*b* of linear RGB under daylight; a distance of 10 is plain to see."""
    to_xyz = [
        [0.4124, 0.3576, 0.1805],
        [0.2126, 0.7152, 0.0722],
        [0.0193, 0.1192, 0.9505],
    ]
    xyz = to_xyz @ np.clip(light, 0, 1) / [0.9505, 1, 1.089]
    f = np.where(xyz > 216 / 24389, np.cbrt(xyz), (24389 / 27 * xyz + 16) / 116)
    return np.array([116 * f[1] - 16, 500 * (f[0] - f[1]), 200 * (f[1] - f[2])])


# Machado, Oliveira and Fernandes (2009): what the eye without one kind of cone sees.
EYES = {
    "all cones": np.eye(3),
    "protanopia": [
        [0.152286, 1.052583, -0.204868],
        [0.114503, 0.786281, 0.099216],
        [-0.003882, -0.048116, 1.051998],
    ],
    "deuteranopia": [
        [0.367322, 0.860646, -0.227968],
        [0.280085, 0.672501, 0.047413],
        [-0.011820, 0.042940, 0.968881],
    ],
    "tritanopia": [
        [1.255528, -0.076749, -0.178779],
        [-0.078411, 0.930809, 0.147602],
        [0.004733, 0.691367, 0.303900],
    ],
}


@pytest.mark.parametrize("eye", EYES)
@pytest.mark.parametrize("pair", [*combinations(POLICIES, 2)], ids=" and ".join)
def test_policies_differ_for_every_eye(eye, pair):
    seen = [lab(EYES[eye] @ linear(figures.LOOK[name]["color"])) for name in pair]
    assert np.linalg.norm(seen[0] - seen[1]) > 10


@pytest.mark.parametrize("name", ALL_POLICIES)
def test_every_policy_has_a_look_of_its_own(name):
    mine = figures.look(f"{name}, ε = 0.2")
    assert mine == figures.LOOK[name]
    for other in {*ALL_POLICIES} - {name}:
        theirs = figures.look(other)
        assert mine["marker"] != theirs["marker"]
        assert (mine["color"], mine["linestyle"]) != (theirs["color"], theirs["linestyle"])


def test_the_longer_of_two_names_decides(monkeypatch):
    monkeypatch.setitem(figures.LOOK, "TS with a twist", {"color": "red"})
    assert figures.look("TS with a twist, twice") == {"color": "red"}
    assert figures.look("TS with a tail") == figures.LOOK["TS"]


def test_every_look_differs_without_colour():
    shapes = {(str(v["linestyle"]), v.get("marker")) for v in figures.LOOK.values()}
    assert len(shapes) == len(figures.LOOK)


@pytest.mark.parametrize("name", figures.LOOK)
def test_every_look_stands_out_from_the_paper(name):
    luminance = [0.2126, 0.7152, 0.0722] @ linear(figures.LOOK[name]["color"])
    assert 1.05 / (luminance + 0.05) >= 3  # what WCAG 2 asks of graphics


@pytest.mark.parametrize("arms", [1, 2, 10])
def test_arms_go_from_dark_to_light(arms):
    lightness = [lab(linear(color))[0] for color in figures.arm_colors(arms)]
    assert len(lightness) == arms and (np.diff(lightness) > 5).all()


def test_without_matplotlib_the_error_names_the_extra(monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(ImportError, match=r"pip install 'lenient\[plots\]'"):
        runpy.run_path(figures.__file__)
