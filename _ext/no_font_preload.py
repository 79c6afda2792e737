"""Drop the theme's early loading of its icon fonts.

Its style sheet loads them in any case. Asked for early, each is an error on a page that
is opened from a folder, where a browser refuses such requests.
"""

import re
from pathlib import Path

PRELOAD = re.compile(r'<link rel="preload" as="font"[^>]*>\s*')


def drop_preload(app, exception):
    if exception or app.builder.format != "html":
        return
    for path in Path(app.outdir).rglob("*.html"):
        page = path.read_text("utf-8")
        if PRELOAD.search(page):
            path.write_text(PRELOAD.sub("", page), "utf-8")


def setup(app):
    app.connect("build-finished", drop_preload)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
