"""The place of a living picture on a page.

Apart from the pictures themselves (`lenient_book.playground`), so that a chapter need not be
run again when their scripts change.
"""

import json
from html import escape


def html(view, setting, still="", address=False):
    """The element that the script of the page brings to life; `still` is inside."""
    data = escape(json.dumps(setting, ensure_ascii=False))
    attributes = f'data-view="{escape(view)}" data-setting="{data}"'
    if address:
        attributes += " data-address"
    return f'<div class="lenient-play mathjax_ignore" {attributes}>{still}</div>'
