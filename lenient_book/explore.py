"""Sliders: live in a kernel, still alive in the static page.

    def draw(eps, policy):
        fig, ax = plt.subplots()
        ...
        return fig

    explore(draw, eps=[0.0, 0.1, 0.2], policy=["TS", "ε-TS"],
            alt="Regret of {policy} with ε = {eps}")

In a kernel the controls are widgets, and `draw` is called when one moves. The book
build sets LENIENT_STATIC=1 before its kernels start: every frame is then drawn at once
and put into the page, which needs no kernel and no network: `explore.js` and `explore.css`,
in the book's `_static/` and on each of its pages, bring the controls to life. The start
frame shows even without JavaScript, and what is printed is the frame in sight, with its
values below.

A picture of a formula need not be drawn beforehand: with `live="gap-functions"` the page
draws it itself, at any value, by the view of that name in `lenient_book/playground`. Then
only the start frame is drawn here, as the still.
"""

import io
import json
import os
from base64 import b64encode
from html import escape
from itertools import product
from math import prod
from numbers import Real

try:
    from matplotlib import pyplot as plt
    from matplotlib.figure import Figure
    from PIL import Image

    from lenient_book.living import html
    from lenient_book.pictures import few_colours, png_bytes
except ImportError as error:
    raise ImportError(
        "lenient_book.explore needs matplotlib and pillow: pip install 'lenient[widgets]'"
    ) from error

# What a page may weigh. A plain plot of a few curves takes 10 to 25 kB a frame.
MAX_FRAMES = 200
MAX_FRAME_BYTES = 40_000
MAX_BYTES = 3_000_000  # of all frames together; text coding adds a third

SHARPNESS = 1.5  # image pixels a page pixel: sharp on a phone, light for the page
PAGE_DPI = 100  # page pixels an inch of the figure
WIDGET_VIEW = "application/vnd.jupyter.widget-view+json"


def explore(draw, /, *, alt=None, start=None, labels=None, live=None, given=None, **controls):
    """Let the reader move the parameters of a picture.

    draw      called as draw(name=value, ...), returns a matplotlib figure
    alt       says what is to be seen to those who cannot see it: a text such as
              "Regret at ε = {eps}", or a function called like `draw`
    start     the values to begin with, as a dict; otherwise the first of each list
    labels    the words beside the controls, as a dict; otherwise their names
    live      the view of `lenient_book.playground` that draws the picture in the page
    given     what that view needs besides the controls, as a dict
    controls  name=[values]: numbers make a slider, anything else a menu
    """
    living = (live, given or {}) if live else None
    return Explorer(draw, alt, _controls(controls, start or {}, labels or {}), living)


class Explorer:
    """A picture and its controls, shown as a notebook's output. Made by `explore`."""

    def __init__(self, draw, alt, controls, living=None):
        self.controls, self._living = controls, living
        self._draw, self._alt, self._frames = draw, alt, {}
        # All is drawn here and not when shown, where a notebook would hide an error.
        self._start = self._frame(tuple(control.start for control in controls))
        widgets = live_widgets()
        draw_page = self._page if living else self._static
        self._output = self._live(widgets) if widgets else draw_page()

    def __repr__(self):
        return "explore: " + ", ".join(map(str, self.controls))

    def _repr_mimebundle_(self, include=None, exclude=None):
        # text/plain is the same in every run: a rerun of the notebook compares equal.
        return {"text/plain": repr(self), **self._output}

    def _frame(self, at):
        """The frame at these positions of the controls, drawn on first use."""
        if at not in self._frames:
            values = {c.name: c.values[k] for c, k in zip(self.controls, at)}
            self._frames[at] = Frame(self._draw, self._alt, values)
        return self._frames[at]

    def _live(self, widgets):
        """The controls as ipywidgets above the picture, and what it shows in words below."""
        self.widgets = {c.name: c.widget(widgets) for c in self.controls}
        self.picture = widgets.HTML(self._start.img())
        self.caption = widgets.HTML(escape(self._start.alt))
        messages = widgets.Output()  # what `draw` prints or raises, else lost

        def update(change):
            messages.outputs = ()
            with messages:
                at = tuple(widget.index for widget in self.widgets.values())
                frame = self._frame(at)
                self.picture.value, self.caption.value = frame.img(), escape(frame.alt)

        for widget in self.widgets.values():
            widget.observe(update, "index")
        controls = [*self.widgets.values()]
        if slider := next((c for c in self.controls if c.numeric), None):
            # moves the first slider through its values, as on the page
            play = widgets.Play(value=slider.start, max=len(slider.values) - 1, interval=900)
            widgets.jslink((play, "value"), (self.widgets[slider.name], "index"))
            controls.append(play)
        row = widgets.Box(controls, layout={"flex_flow": "row wrap"})
        view = widgets.VBox([row, self.picture, self.caption, messages])
        return {
            WIDGET_VIEW: view._repr_mimebundle_()[WIDGET_VIEW],
            # for readers without widgets, such as a preview of the notebook
            "image/png": _base64(self._start.png),
        }

    def _page(self):
        """The view that draws the picture itself, with the start frame as its still."""
        view, given = self._living
        start = {control.name: control.values[control.start] for control in self.controls}
        caption = escape(_caption(self.controls, [c.start for c in self.controls]))
        still = f"<figure>{self._start.img()}<figcaption>{caption}</figcaption></figure>"
        return {"text/html": html(view, start | {"given": given}, still)}

    def _static(self):
        """The controls as plain HTML above the picture, every frame in the page."""
        counts = [len(c.values) for c in self.controls]
        if prod(counts) > MAX_FRAMES:
            raise ValueError(
                f"controls must make at most {MAX_FRAMES} frames for a static page, "
                f"got {' · '.join(map(str, counts))} = {prod(counts)}"
            )
        stored, use, alts, captions = {}, [], [], []
        for at in product(*map(range, counts)):
            frame = self._frame(at)
            use.append(stored.setdefault(frame.png, len(stored)))  # equal ones once
            alts.append(frame.alt)
            captions.append(_caption(self.controls, at))
            _check_weight(stored, captions[-1])
        data = {
            "texts": [[str(v) for v in c.values] for c in self.controls],
            "frames": [None if p == self._start.png else _url(p) for p in stored],
            "use": use,
            "alts": alts,
            "captions": captions,
        }
        page = PAGE.format(
            controls="\n".join(c.html() for c in self.controls),
            img=self._start.img(),
            caption=escape(_caption(self.controls, [c.start for c in self.controls])),
            alt=escape(self._start.alt),
            play=PLAY if any(c.numeric for c in self.controls) else "",
            # "<" would let a text end the script element
            data=json.dumps(data, ensure_ascii=False).replace("<", "\\u003c"),
        )
        return {"text/html": page}


PAGE = """<figure class="lenient-explore mathjax_ignore">
<div class="controls">
{controls}
{play}
</div>
{img}
<figcaption>{caption}</figcaption>
<p class="said" aria-live="polite">{alt}</p>
<script type="application/json" class="data">{data}</script>
</figure>"""


PLAY = '<button type="button" aria-pressed="false">▶ Play</button>'


class _Control:
    """One parameter: its name, the values it may take, and where it starts."""

    def __init__(self, name, values, start, label):
        self.name, self.values, self.start, self.label = name, values, start, label
        self.numeric = all(isinstance(v, Real) and not isinstance(v, bool) for v in values)

    def __str__(self):
        first, last, now = (self.values[k] for k in (0, -1, self.start))
        return f"{self.name} = {now} of {first} … {last} ({len(self.values)} values)"

    def widget(self, widgets):
        kind = widgets.SelectionSlider if self.numeric else widgets.Dropdown
        return kind(
            options=[(str(v), v) for v in self.values],
            index=self.start,
            description=self.label,
            style={"description_width": "initial"},
        )

    def html(self):
        # autocomplete="off": a reload must not move the slider without its picture
        texts = [escape(str(v)) for v in self.values]
        if self.numeric:
            width = max(map(len, texts))
            control = (
                f'<input type="range" min="0" max="{len(texts) - 1}" '
                f'value="{self.start}" aria-valuetext="{texts[self.start]}" '
                'autocomplete="off">'
                f'<span aria-hidden="true" style="min-width:{width}ch">'
                f"{texts[self.start]}</span>"
            )
        else:
            options = "".join(
                f'<option value="{k}"{" selected" if k == self.start else ""}>{text}'
                for k, text in enumerate(texts)
            )
            control = f'<select autocomplete="off">{options}</select>'
        return f"<label>{escape(self.label)} {control}</label>"


class Frame:
    """One drawn picture: its PNG, its size on the page and its alt text."""

    def __init__(self, draw, alt, values):
        self.alt = _alt_text(alt, values)
        image = _render(draw, values)
        self.width, self.height = (round(side / SHARPNESS) for side in image.size)
        self.png = png_bytes(image)

    def img(self):
        return (
            f'<img src="{_url(self.png)}" alt="{escape(self.alt)}" '
            f'width="{self.width}" height="{self.height}" '
            'style="max-width: 100%; height: auto" decoding="sync">'
        )


def _render(draw, values):
    """The figure as an image of 64 colours, a quarter of the bytes of a full one."""
    before = set(plt.get_fignums())
    buffer = io.BytesIO()
    try:
        figure = draw(**values)
        if not isinstance(figure, Figure):
            raise ValueError(f"draw must return a matplotlib figure, got {figure!r}")
        figure.savefig(buffer, format="png", dpi=SHARPNESS * PAGE_DPI)
    finally:  # an open figure would be shown once more below the cell
        for number in set(plt.get_fignums()) - before:
            plt.close(number)
    return few_colours(Image.open(buffer), 64)


def _controls(controls, start, labels):
    """Check the arguments of `explore` and make a control of each list of values."""
    if not controls:
        raise ValueError("explore needs at least one control, such as eps=[0.0, 0.1]")
    for name, given in (("start", start), ("labels", labels)):
        if unknown := set(given) - set(controls):
            raise ValueError(
                f"{name} must name controls ({', '.join(controls)}), "
                f"got {', '.join(sorted(unknown))}"
            )
    made = []
    for name, values in controls.items():
        values = _values(name, values)
        first = _plain(start.get(name, values[0]))
        if first not in values:
            raise ValueError(f"start: {name} must be one of {values}, got {first!r}")
        label = labels.get(name, name)
        made.append(_Control(name, values, values.index(first), label))
    return made


def _values(name, given):
    """The listed values as plain Python objects, all different."""
    if isinstance(given, (str, bytes, dict)) or not hasattr(given, "__iter__"):
        raise ValueError(f"{name} must be a list of values, got {given!r}")
    values = [_plain(value) for value in given]
    if not values:
        raise ValueError(f"{name} must list at least one value, got none")
    if len({str(value) for value in values}) < len(values):
        raise ValueError(f"{name} must list different values, got {values}")
    return values


def _plain(value):
    """Without numpy's types and its 0.30000000000000004: drawn as it is shown."""
    value = value.tolist() if hasattr(value, "tolist") else value
    return float(f"{value:.10g}") if isinstance(value, float) else value


def _alt_text(alt, values):
    """The alt text of the frame with these values."""
    if callable(alt):
        text = alt(**values)
    elif isinstance(alt, str):
        try:
            text = alt.format(**values)
        except (KeyError, IndexError):
            raise ValueError(
                f"alt must name controls ({', '.join(values)}), got {alt!r}"
            ) from None
    else:
        raise ValueError(
            "alt must be a text such as 'Regret at ε = {eps}' or a function of the "
            f"controls that returns one, got {alt!r}"
        )
    if not isinstance(text, str) or not text.strip():
        raise ValueError(f"alt must say what is to be seen, got {text!r} for {values}")
    return text


def _check_weight(pngs, caption):
    """Refuse frames too heavy for a page; `caption` says how far the drawing came."""
    largest, total = max(map(len, pngs)), sum(map(len, pngs))
    if largest > MAX_FRAME_BYTES:
        raise ValueError(
            f"draw must make frames of at most {MAX_FRAME_BYTES} bytes for a static "
            f"page, got {largest} at {caption}: draw less, or a smaller figure"
        )
    if total > MAX_BYTES:
        raise ValueError(
            f"controls must make at most {MAX_BYTES} bytes of frames for a static "
            f"page, got {total} up to {caption}: list fewer values"
        )


def _caption(controls, at):
    return ", ".join(f"{c.label} = {c.values[k]}" for c, k in zip(controls, at))


def live_widgets():
    """ipywidgets, or None for a static page."""
    if os.environ.get("LENIENT_STATIC") == "1":
        return None
    try:
        import ipywidgets
    except ImportError as error:  # a static page is no way out: it lives in the book alone
        raise ImportError("sliders need ipywidgets: pip install 'lenient[widgets]'") from error
    return ipywidgets


def _base64(png):
    return b64encode(png).decode("ascii")


def _url(png):
    return "data:image/png;base64," + _base64(png)
