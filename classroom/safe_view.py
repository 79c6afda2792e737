"""A submission in the teacher's browser: all of it is shown, and nothing in it runs.

nbgrader's page for marking may do on the machine whatever the teacher may do, and puts
the HTML of an answer into itself as it is. So might a student's script. Here all HTML is
cleaned after it was made, and only what is known to be harmless is left.
"""

import re
from html import escape

import bleach
import jinja2
from nbconvert.filters.highlight import Highlight2HTML
from nbconvert.filters.markdown_mistune import IPythonRenderer, MarkdownWithMath
from nbformat import NotebookNode
from nbgrader.preprocessors import NbGraderPreprocessor

from .formulas import with_formulas

_TAGS = set(
    "a abbr b blockquote br code dd del details div dl dt em h1 h2 h3 h4 h5 h6 hr i img kbd"
    " li ol p pre s small span strong sub summary sup table tbody td th thead tr u ul".split()
)
# For each attribute, what it may be. A link within the submission could lead to a page
# that the student handed in too. Other classes and any id would confuse the page's own
# script, which finds the fields for points by them.
_ATTRIBUTES = {
    "href": r"(https?://|mailto:|#).*",
    # A picture from elsewhere would tell the student when, and by whom, it is looked at.
    "src": r"data:image/(png|jpeg|gif|svg\+xml);base64,.*",
    "class": r"[a-z][a-z0-9]{0,2}|highlight|language-\w+",  # the colours of code
    "alt": r".*",
    "title": r".*",
    "width": r"\d+%?",
    "height": r"\d+%?",
    "colspan": r"\d+",
    "rowspan": r"\d+",
    "start": r"\d+",
}
# Kinds of output that a page shows; nbconvert has scripts and widgets besides.
_SHOWN = {"text/plain", "text/html", "text/markdown", "text/latex"}
_SHOWN |= {"image/png", "image/jpeg", "image/svg+xml"}


def _allowed(tag, attribute, value):
    pattern = _ATTRIBUTES.get(attribute)
    return pattern is not None and re.fullmatch(f"(?s){pattern}", value) is not None


def _clean_html(html):
    """HTML without anything that could run; what is not allowed is shown as text."""
    html = html.decode() if isinstance(html, bytes) else str(html)
    protocols = ["http", "https", "mailto", "data"]
    return bleach.clean(html, _TAGS, _allowed, protocols)


@jinja2.pass_context
def _markdown_to_html(context, markdown):
    """As nbconvert does it, and then cleaned; with its formulas as they are printed.

    Cleaned before, as nbconvert would have it, formulas were damaged (`&` of an aligned
    one), and links to `javascript:` were kept, since they are no HTML yet.
    """
    attachments = context.get("cell", {}).get("attachments", {})
    renderer = IPythonRenderer(escape=False, attachments=attachments, exclude_anchor_links=True)
    try:
        html = MarkdownWithMath(renderer=renderer).render(markdown)
    except Exception:  # of a picture that is missing, say: the answer can be marked still
        html = f"<pre>{escape(markdown)}</pre>"
    return with_formulas(_clean_html(html))


def _highlight_python(source, language=None, metadata=None):
    """As Python, whatever language the submission says it is written in."""
    return Highlight2HTML()(source)


FILTERS = {
    "clean_html": _clean_html,
    "markdown2html": _markdown_to_html,
    "highlight_code": _highlight_python,
}


class KeepWhatIsShown(NbGraderPreprocessor):
    """Leaves out the rest of a notebook, which templates put into a page unescaped."""

    def preprocess(self, nb, resources):
        nb.metadata = NotebookNode()
        for cell in nb.cells:
            self._keep_label_alone(cell)
            for output in cell.get("outputs", []):
                self._keep_shown(output)
        return nb, resources

    def _keep_label_alone(self, cell):
        label = cell.metadata.get("nbgrader")
        known = isinstance(label, dict) and re.fullmatch(r"[\w-]+", label.get("grade_id", ""))
        cell.metadata = NotebookNode(nbgrader=label) if known else NotebookNode()

    def _keep_shown(self, output):
        if "data" in output:
            shown = {kind: data for kind, data in output.data.items() if kind in _SHOWN}
            output.data = NotebookNode(shown)
            output.metadata = NotebookNode()  # the width of a picture may be a script
