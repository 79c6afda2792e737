"""A form for any bandit: type the values, press Run, see the portrait.

    playground(means="0.9, 0.85, 0.6", eps="0.2")

In a kernel it is made of widgets. What was typed wrongly is said below the button, in
the words of the package. A static page, where nothing can be played, says how to get
the form instead.
"""

from html import escape

from lenient.baselines import ALL_POLICIES
from lenient.gaps import CRITERIA
from lenient_book.explore import WIDGET_VIEW, Frame, live_widgets
from lenient_book.portrait import PAIR, in_words, portrait

FIELDS = {
    "means": ("means, with commas between", "0.9, 0.85, 0.6"),
    "eps": ("ε, from 0 to below 1", "0.2"),
    "horizon": ("rounds, such as 5000 or 1e6", "5000"),
    "runs": ("runs", "500"),
    "seed": ("seed", "0"),
}
STATIC = (
    "<p><em>Here stands a form in which any values may be typed. It needs Python, which "
    "this page does not have: get a copy of the book, enter <code>make notebooks</code> "
    "in its folder, open this chapter and run its cells.</em></p>"
)


def playground(policies=PAIR, criterion="hinge", **texts):
    """A form that starts with these values; `texts` are typed as in FIELDS."""
    return Playground(policies, criterion, texts)


class Playground:
    """The form and its picture, shown as a notebook's output. Made by `playground`."""

    def __init__(self, policies, criterion, texts):
        if unknown := {*texts} - {*FIELDS}:
            raise ValueError(f"playground has no field {', '.join(sorted(unknown))}")
        texts = {name: texts.get(name, start) for name, (_, start) in FIELDS.items()}
        self._start = texts | {"policies": [*policies], "criterion": criterion}
        widgets = live_widgets()
        self._output = self._live(widgets) if widgets else {"text/html": STATIC}

    def __repr__(self):
        return "playground: " + "; ".join(f"{k} = {v}" for k, v in self._start.items())

    def _repr_mimebundle_(self, include=None, exclude=None):
        # text/plain is the same in every run: a rerun of the notebook compares equal.
        return {"text/plain": repr(self), **self._output}

    def _live(self, widgets):
        look = {"style": {"description_width": "16em"}, "layout": {"width": "30em"}}
        start = self._start
        self.fields = {
            name: widgets.Text(value=str(start[name]), description=label, **look)
            for name, (label, _) in FIELDS.items()
        }
        self.policies = {
            name: widgets.Checkbox(
                value=name in start["policies"], description=name, indent=False
            )
            for name in ALL_POLICIES
        }
        self.criterion = widgets.Dropdown(
            options=[*CRITERIA],
            value=start["criterion"],
            description="count the regret by",
            **look,
        )
        self.button = widgets.Button(
            description="Run", button_style="primary", tooltip="play and draw"
        )
        self.button.on_click(lambda button: self.run())
        self.message, self.picture = widgets.HTML(), widgets.HTML()
        self.run()
        view = widgets.VBox(
            [
                *self.fields.values(),
                widgets.HBox(
                    [widgets.Label("policies:"), *self.policies.values()],
                    layout={"flex_flow": "row wrap"},
                ),
                self.criterion,
                self.button,
                self.message,
                self.picture,
            ]
        )
        return {WIDGET_VIEW: view._repr_mimebundle_()[WIDGET_VIEW]}

    def run(self):
        """Play what the form says and draw it, or say what is wrong with it."""
        self.button.disabled = True
        self.message.value = '<p role="status">playing …</p>'
        try:
            frame = Frame(portrait, in_words, self.setting())
            self.picture.value = frame.img()
            self.message.value = f'<p role="status">{escape(frame.alt)}</p>'
        except ValueError as error:
            self.picture.value = ""  # it would not belong to what is typed
            self.message.value = f'<p role="alert"><b>{escape(str(error))}</b></p>'
        finally:
            self.button.disabled = False

    def setting(self):
        """What is typed and ticked, as the arguments of `portrait`."""
        text = {name: field.value.strip() for name, field in self.fields.items()}
        return {
            "means": [_number("means", part) for part in text["means"].split(",")],
            "eps": _number("eps", text["eps"]),
            "horizon": _whole("horizon", text["horizon"]),
            "runs": _whole("runs", text["runs"]),
            "seed": _whole("seed", text["seed"]),
            "policies": tuple(name for name, box in self.policies.items() if box.value),
            "criterion": self.criterion.value,
        }


def _number(name, text):
    """The number that the text says, with 10^9 for 1e9."""
    try:
        return float(text.strip().replace("10^", "1e"))
    except ValueError:
        few = "numbers with commas between" if name == "means" else "a number"
        raise ValueError(f"{name} must be {few}, got {text.strip()!r}") from None


def _whole(name, text):
    """1e6 as 1000000; what is not whole stays, for the package to refuse."""
    number = _number(name, text)
    return int(number) if number.is_integer() else number
