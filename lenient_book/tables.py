"""A table of numbers: a real one on a page, lined up as text elsewhere."""

import re
from html import escape

# 13, −2.5, 1,000,000, 10^6, 26%, 8.22 ± 0.02, and what stands for a missing one.
NUMBER = re.compile(r"[-+−]?[\d.,^]+%?( ± [\d.]+%?)?$|–?$")


class Table:
    """What a chapter shows of its numbers, as the last line of a cell.

    head      the names of the columns
    rows      of texts, of numbers, or of pairs: a mean with its standard error
    formats   of the columns, as in an f-string: ".2f"; without, numbers are as they are
    """

    def __init__(self, head, rows, formats=None):
        self.head = [str(cell) for cell in head]
        formats = formats or [""] * len(self.head)
        if len(formats) != len(self.head):
            raise ValueError(f"formats must have {len(self.head)} items, as head has")
        self.rows = [
            [_text(cell, formats[k] if k < len(formats) else "") for k, cell in enumerate(row)]
            for row in rows
        ]
        if any(len(row) != len(self.head) for row in self.rows):
            raise ValueError(f"rows must have {len(self.head)} cells, as head has")
        columns = list(zip(*self.rows))
        # Numbers stand on the right, one below the other.
        self._right = [all(map(NUMBER.match, column)) for column in columns]

    def __repr__(self):
        lines = [self.head, *self.rows]
        widths = [max(map(len, column)) for column in zip(*lines)]
        return "\n".join(
            "  ".join(
                cell.rjust(width) if right else cell.ljust(width)
                for cell, width, right in zip(line, widths, self._right)
            ).rstrip()
            for line in lines
        )

    def _repr_html_(self):
        # A heading may have two lines, and the class is one that pages know in the dark.
        head = self._line(self.head, "th", ' scope="col"', "; white-space: normal")
        body = "\n".join(f"<tr>{self._line(row, 'td')}</tr>" for row in self.rows)
        return (
            '<table class="dataframe mathjax_ignore">\n'
            f"<thead><tr>{head}</tr></thead>\n<tbody>\n{body}\n</tbody>\n</table>"
        )

    def _line(self, cells, kind, role="", more=""):
        sides = ["right" if right else "left" for right in self._right]
        return "".join(
            f'<{kind}{role} style="text-align: {side}{more}">{escape(cell)}</{kind}>'
            for cell, side in zip(cells, sides)
        )


def _text(cell, form):
    """A cell as text; a pair in a column of fixed digits is a mean with its error."""
    if isinstance(cell, str) or not form:
        return str(cell)
    if isinstance(cell, tuple):
        return plus_minus(*cell, digits=int(form.strip(".f")))
    return format(cell, form)


def plus_minus(mean, error, digits=2):
    """A mean with its standard error: 8.22 ± 0.02, with more digits where it would be 0.00."""
    while 0 < error < 0.5 / 10**digits:
        digits += 1
    return f"{mean:.{digits}f} ± {error:.{digits}f}"
