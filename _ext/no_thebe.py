"""Leave out the scripts of sphinx-thebe, which Jupyter Book always loads.

They connect a page to a server that runs its code, which this book does not use, and
declare a constant twice: an error on every page.
"""


def is_thebe(script):
    body = script.attributes.get("body") or ""
    return "thebe" in str(script.filename or "") or "THEBE_JS_URL" in body


def drop_thebe(app, pagename, templatename, context, doctree):
    context["script_files"] = [
        script for script in context["script_files"] if not is_thebe(script)
    ]


def setup(app):
    # After sphinx-thebe and the theme have added theirs.
    app.connect("html-page-context", drop_thebe, priority=900)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
