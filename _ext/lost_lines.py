"""A line of text that begins with a per cent sign is a warning, which fails the build.

MyST takes it for a comment and leaves it out, without a word: a sentence that happens to
break before "% of all runs" is lost.
"""

import json
import re

from sphinx.util import logging

logger = logging.getLogger(__name__)
FENCE = re.compile(r"\s*(```+|~~~+)")


def lost_lines(text):
    """(number, line) of each line of MyST that is taken for a comment."""
    fence = ""  # of the code block that we are in
    for number, line in enumerate(text.splitlines(), start=1):
        mark = FENCE.match(line)
        if fence:
            if mark and mark[1].startswith(fence) and not line.strip(" `~"):
                fence = ""
        elif mark:
            fence = mark[1]
        elif line.lstrip().startswith("%"):
            yield number, line


def texts(source, is_notebook):
    """(place, text) of the page, or of each of its cells of text."""
    if not is_notebook:
        yield "", source
        return
    for cell in json.loads(source)["cells"]:
        if cell["cell_type"] == "markdown":
            yield f"{cell.get('id', 'cell')}: ", "".join(cell["source"])


def warn(app, docname, source):
    is_notebook = app.env.doc2path(docname).endswith(".ipynb")
    for place, text in texts(source[0], is_notebook):
        for number, line in lost_lines(text):
            message = "%sline %s begins with %% and would be left out: %s"
            logger.warning(message, place, number, line, location=docname)


def setup(app):
    app.connect("source-read", warn)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
