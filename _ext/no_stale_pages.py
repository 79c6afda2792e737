"""Remove the pages of chapters that are gone, which Sphinx would keep."""

from pathlib import Path


def stale_pages(outdir, docnames):
    """Built pages, and their sources for download, that belong to no chapter."""
    for folder in (outdir / "chapters", outdir / "_sources" / "chapters"):
        for path in folder.rglob("*.*"):
            name = path.relative_to(folder.parent).with_suffix("").as_posix()
            if path.is_file() and name not in docnames:
                yield path


def remove_stale_pages(app, exception):
    if exception or app.builder.format != "html":
        return
    for path in stale_pages(Path(app.outdir), app.env.found_docs):
        path.unlink()


def setup(app):
    app.connect("build-finished", remove_stale_pages)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
