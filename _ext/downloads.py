"""A chapter's download is a notebook that runs and reads well anywhere.

The theme offers the source of a page for download. In the place of a chapter's source comes
the notebook for readers, in plain Markdown, with the numbers of the book for its references.
"""

from pathlib import Path

from lenient_book.myst import Plain
from lenient_book.reader import Maker


def write(app, error):
    if error or app.builder.format != "html":
        return
    # Where the book is on the web, a reference leads there, and otherwise to the notebook.
    home = app.config.html_baseurl.rstrip("/")
    maker = Maker(Plain(), Path(app.srcdir, "chapters"), home and f"{home}/chapters")
    for page, file in maker.files.items():
        download = Path(app.outdir, "_sources", "chapters", file)
        if file.endswith(".ipynb") and download.exists():
            download.write_text(maker.content(page), "utf-8")


def setup(app):
    app.connect("build-finished", write, priority=900)  # after the labels
    return {"parallel_read_safe": True, "parallel_write_safe": True}
