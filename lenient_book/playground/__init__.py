"""The bandit in the page: one JavaScript engine for the static page and for Jupyter.

    p = playground(means=[0.9, 0.85, 0.6], eps=0.2)
    p                   # drag, play, press "Play them"
    p.means, p.eps      # what the reader has set
    p.result            # the same many runs, by the Python package

In a live notebook it is an anywidget, and its settings are traits of Python. In a page of
the book it is an element that `playground.js` brings to life, with no kernel. The model and
the views are the ES modules beside this file; `bundle` joins them.
"""

import json
import os

from lenient._check import check_count, check_eps, check_means, shown
from lenient.baselines import ALL_POLICIES
from lenient.simulation import log_checkpoints, simulate
from lenient_book.living import html
from lenient_book.playground import bundle

#: What can be set, and what it is at the start.
START = {
    "means": [0.9, 0.75, 0.6, 0.4],
    "eps": 0.2,
    "gap": "hinge",
    "policies": ["TS", "ε-TS"],
    "seed": 18,
    "horizon": 5000,
    "runs": 1000,
}
GAPS = ["standard", "hinge", "indicator", "cutoff"]
POLICIES = ["TS", "ε-TS", "KL-UCB", "ε-KL-UCB", "squeezed KL-UCB", "UCB1", "IMED"]
STILL = "<p><em>A living picture: it needs a browser that runs JavaScript.</em></p>"
WIDGET_VIEW = "application/vnd.jupyter.widget-view+json"


def playground(**setting):
    """A playground that starts with this setting; what is not given is as in START."""
    return figure("playground", **START | _checked(setting))


def figure(view, /, still="", **setting):
    """One of the living pictures by its name; `still` is what shows without JavaScript."""
    text = f"{view}: " + "; ".join(f"{name} = {value}" for name, value in setting.items())
    if os.environ.get("LENIENT_STATIC") == "1":
        address = view == "playground"
        return Page(text.removesuffix(": "), html(view, setting, still or STILL, address))
    return _widget()(view, text.removesuffix(": "), setting)


class Page:
    """A living picture on a page of the book."""

    def __init__(self, text, page):
        self._text, self._page = text, page

    def __repr__(self):
        return self._text

    def _repr_mimebundle_(self, include=None, exclude=None):
        return {"text/plain": self._text, "text/html": self._page}


def _checked(setting):
    """The setting, if each part of it is accepted; ValueError names what is not."""
    for name, value in setting.items():
        if name not in START:
            raise ValueError(f"playground has no setting {name}; it has {', '.join(START)}")
        if name == "means" and not 2 <= len(check_means(value)) <= 8:
            raise ValueError(f"means must be 2 to 8 numbers, got {len(value)}")
        if name == "eps" and not check_eps(value) <= 0.95:
            raise ValueError(f"eps must be at most 0.95, got {value}")
        if name in ("horizon", "runs"):
            check_count(name, value)
        if name == "seed" and not (isinstance(value, int) and 0 <= value <= 2**31):
            raise ValueError(f"seed must be a whole number from 0 on, got {shown(value)}")
        if name == "gap" and value not in GAPS:
            raise ValueError(f"gap must be one of {', '.join(GAPS)}, got {shown(value)}")
        if name == "policies":
            known = not isinstance(value, str) and all(each in POLICIES for each in value)
            if not known or not 1 <= len({*value}) == len(value) <= 4:
                raise ValueError(
                    f"policies must be 1 to 4 of {', '.join(POLICIES)}, got {value}"
                )
    plain = {k: [*v] if k in ("means", "policies") else v for k, v in setting.items()}
    if "means" in plain:
        plain["means"] = [float(mean) for mean in plain["means"]]
    return plain


def _widget():
    """The class of the live widget; anywidget is looked for when one is made."""
    try:
        import anywidget
        import traitlets
    except ImportError as error:
        raise ImportError(
            "the playground needs anywidget: pip install 'lenient[widgets]'"
        ) from error

    class Living(anywidget.AnyWidget):
        """A living picture in a notebook; its setting is synchronised."""

        _esm = bundle.module()
        _css = bundle.style()
        view = traitlets.Unicode().tag(sync=True)
        # What is not given is for the view to choose.
        means = traitlets.List(default_value=None, allow_none=True).tag(sync=True)
        eps = traitlets.Float(None, allow_none=True).tag(sync=True)
        gap = traitlets.Unicode(None, allow_none=True).tag(sync=True)
        policies = traitlets.List(default_value=None, allow_none=True).tag(sync=True)
        seed = traitlets.Int(None, allow_none=True).tag(sync=True)
        horizon = traitlets.Int(None, allow_none=True).tag(sync=True)
        runs = traitlets.Int(None, allow_none=True).tag(sync=True)
        ran = traitlets.Int(0).tag(sync=True)  # how often many runs were played to the end
        more = traitlets.Dict().tag(sync=True)  # what only some pictures know

        def __init__(self, view, text, setting):
            self._text, self._results = text, {}
            if view == "playground":
                setting = START | setting
            ours = {name: value for name, value in setting.items() if name in START}
            more = {name: value for name, value in setting.items() if name not in START}
            super().__init__(view=view, more=more, **ours)

        def __repr__(self):
            return self._text

        def _repr_mimebundle_(self, **kwargs):
            # text/plain is the same in every run: a rerun of the notebook compares equal.
            bundled = super()._repr_mimebundle_(**kwargs)
            data = bundled[0] if isinstance(bundled, tuple) else bundled
            return {"text/plain": self._text, WIDGET_VIEW: data[WIDGET_VIEW]}

        @property
        def results(self):
            """{policy: its `Simulation`} of the setting, played by the Python package."""
            if not self.ran:
                raise ValueError('no result yet: press "Play them" in the playground first')
            setting = {name: getattr(self, name) for name in START}
            key = json.dumps(setting)
            if key not in self._results:
                times = log_checkpoints(self.horizon, 60)
                self._results = {
                    key: {
                        name: simulate(
                            self.means,
                            ALL_POLICIES[name](self.eps),
                            self.horizon,
                            self.runs,
                            self.seed,
                            checkpoints=times,
                        )
                        for name in self.policies
                    }
                }
            return self._results[key]

        @property
        def result(self):
            """The `Simulation` of ε-TS, or of the last policy if ε-TS does not play."""
            name = "ε-TS" if "ε-TS" in self.policies else self.policies[-1]
            return self.results[name]

    return Living
