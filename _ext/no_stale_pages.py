"""Remove the pages of chapters that are gone, which Sphinx would keep."""

from pathlib import Path


def stale_pages(outdir, docnames):
    """Built pages, and their sources for download, that belong to no chapter."""
    # Pages at the top, such as the search, and in _static are not made from chapters.
    pages = [*outdir.glob("[!_]*/**/*.html")]
    sources = [p for p in (outdir / "_sources").rglob("*") if p.is_file()]
    for paths, folder in ((pages, outdir), (sources, outdir / "_sources")):
        for path in paths:
            if path.relative_to(folder).with_suffix("").as_posix() not in docnames:
                yield path


def remove_stale_pages(app, exception):
    if exception or app.builder.format != "html":
        return
    for path in stale_pages(Path(app.outdir), app.env.found_docs):
        path.unlink()


def setup(app):
    app.connect("build-finished", remove_stale_pages)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
