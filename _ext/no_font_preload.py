"""Drop the theme's early loading of its icon fonts.

The fonts are loaded by its style sheet in any case; asked for early, a page that is
opened from a folder gets an error for each, since a browser refuses such requests there.
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
