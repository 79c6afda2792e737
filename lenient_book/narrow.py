"""A figure once more for a phone: panels below each other, text that keeps its size.

Shrunk to the width of a phone, text would be half as large as that of the page. `narrow`
lays the same figure out anew instead, 3.6 inches wide. `page_svg` is a figure as the book's
build asks for it: both versions in one text, which `_ext/pictures.py` parts again.
"""

import io
import re
from textwrap import wrap

from matplotlib import rc_context
from matplotlib.gridspec import GridSpec
from matplotlib.text import Text

WIDTH = 3.6  # inches: 346 pixels
SHRUNK = 0.88  # of the size of text: a label of 11 pt has 12 pixels on a phone of 360
PARTING = "\n<!-- narrow -->\n"


def page_svg(figure):
    """The figure as SVG on no paper, and below it, after PARTING, its narrow version."""
    if not figure.get_layout_engine():  # placed by hand, and narrow already
        with rc_context({"figure.constrained_layout.use": False}):
            return svg(figure)
    wide = svg(figure, bbox_inches="tight")
    narrow(figure)
    return wide + PARTING + svg(figure, bbox_inches="tight")


def svg(figure, **more):
    buffer = io.StringIO()
    figure.savefig(buffer, format="svg", transparent=True, metadata={"Date": None}, **more)
    text = re.sub(r"<\?xml.*?\?>|<!DOCTYPE.*?>|<metadata>.*?</metadata>|<!--.*?-->", "",
                  buffer.getvalue(), flags=re.S)  # fmt: skip
    return re.sub(r"(\d\.\d{3})\d+", r"\1", text).strip()


def narrow(figure):
    """Lay out the figure for a phone, in place."""
    height = _stack(figure)
    figure.set_size_inches(WIDTH, height)
    texts = {id(text): text for text in figure.findobj(Text)}
    for text in texts.values():
        text.set_fontsize(text.get_fontsize() * SHRUNK)
    for ax in figure.axes:
        for axis in (ax.xaxis, ax.yaxis):  # ticks made later must have the size as well
            axis.set_tick_params(labelsize=_tick_size(axis), which="both")
        _fit_titles(ax)
    for legend in _legends(figure):
        _fit_legend(figure, legend)
    if (heading := figure.get_suptitle()) and figure._suptitle is not None:
        figure._suptitle.set_text(_wrapped(heading, 46))


def _tick_size(axis):
    labels = axis.get_ticklabels()
    return labels[0].get_fontsize() if labels else 11 * SHRUNK


def _stack(figure):
    """Put panels that stand side by side below each other; the height in inches."""
    width, height = figure.get_size_inches()
    placed = [(ax.get_subplotspec(), ax) for ax in figure.axes if ax.get_subplotspec()]
    grids = {id(spec.get_gridspec()): spec.get_gridspec() for spec, _ in placed}
    if len(grids) != 1:
        return min(height, width * 0.9)
    [grid] = grids.values()
    if grid.ncols == 1:
        return height if grid.nrows > 1 else min(height, 3.4)
    cells = sorted({(s.rowspan.start, s.colspan.start) for s, _ in placed})
    stacked = GridSpec(len(cells), 1, figure=figure)
    first = {ax.get_subplotspec().rowspan.start: ax for _, ax in reversed(placed)}
    for spec, ax in placed:
        row, column = spec.rowspan.start, spec.colspan.start
        if column and not ax.get_ylabel():  # it was that of the panel to the left
            ax.set_ylabel(first[row].get_ylabel())
        if not ax.get_xlabel():  # or below
            below = [a.get_xlabel() for s, a in placed if s.colspan.start == column]
            ax.set_xlabel(below[-1])
        ax.tick_params(labelleft=True, labelbottom=True)
        ax.set_subplotspec(stacked[cells.index((row, column))])
    return len(cells) * min(height / grid.nrows, 3.0)


def _legends(figure):
    yield from figure.legends
    for ax in figure.axes:
        if legend := ax.get_legend():
            yield legend


def _fit_legend(figure, legend):
    """In as many columns as there is room for; below the panel if it has none inside."""
    texts = [text.get_text() for text in legend.get_texts()]
    if not texts:
        return
    size = legend.get_texts()[0].get_fontsize()
    handles = legend.legend_handles
    legend.prop.set_size(size)
    longest = max(len(re.sub(r"[\\${}_^]", "", text)) for text in texts)
    room = WIDTH * 72 / (0.56 * size)  # in letters
    if legend._ncols > 1:
        legend.set_ncols(max(1, min(legend._ncols, int(room // (longest + 6)))))
    if longest + 6 > room:
        texts = [_wrapped(text, int(room) - 7) for text in texts]
    title = legend.get_title().get_text()
    legend._init_legend_box(handles, texts, markerfirst=True)
    legend._legend_box.set_offset(legend._findoffset)
    legend.set_title(title or None, prop={"size": size})


def _fit_titles(ax):
    for title in (ax.title, ax._left_title, ax._right_title):
        if title.get_text():
            letters = (WIDTH - 0.5) * 72 / (0.56 * title.get_fontsize())
            title.set_text(_wrapped(title.get_text(), int(letters)))
    for label, letters in ((ax.xaxis.label, 44), (ax.yaxis.label, 40)):
        label.set_text(_wrapped(label.get_text(), letters))


def _wrapped(text, letters):
    """In lines of at most so many letters, none of which begins inside a formula."""
    if len(text) <= letters or "\n" in text:
        return text
    kept = re.sub(r"\$[^$]*\$", lambda formula: formula[0].replace(" ", "\0"), text)
    return "\n".join(wrap(kept, letters, break_long_words=False)).replace("\0", " ")
