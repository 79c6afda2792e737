"""Pages made of the joined script alone, opened from a folder."""

from lenient_book.living import html
from lenient_book.playground import bundle

PHONE = {"width": 360, "height": 740}
PAGE = """<!doctype html><html lang="en" data-theme="{theme}"><meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1"><title>play</title>
<style>body {{ margin: 0 auto; max-width: 760px; }} {style}</style>{body}
<script>{script}</script></html>"""
LONG_TASKS = """
window.longTasks = [];
new PerformanceObserver(list => list.getEntries().forEach(e => longTasks.push(e.duration)))
  .observe({ type: "longtask", buffered: true });
"""


def visits(browser, tmp_path):
    """For a fixture: opens pages from a folder; nothing may have gone wrong on them."""
    faults, contexts = [], []

    def open_page(body=None, hash="", theme="light", **how):
        if body is None:
            body = html("playground", {}, "<p>still</p>", address=True)
        text = PAGE.format(theme=theme, style=bundle.style(), body=body, script=bundle.script())
        (tmp_path / "page.html").write_text(text, "utf-8")
        context = browser.new_context(**{"viewport": {"width": 900, "height": 900}, **how})
        contexts.append(context)
        context.set_default_timeout(15_000)
        page = context.new_page()
        page.add_init_script(LONG_TASKS)
        page.on("pageerror", lambda error: faults.append(str(error)))
        page.on("console", lambda m: faults.append(m.text) if m.type == "error" else None)
        page.on("request", lambda r: faults.append(r.url) if r.url.startswith("http") else None)
        page.goto((tmp_path / "page.html").as_uri() + hash)
        return page

    yield open_page
    for context in contexts:
        context.close()
    assert faults == []
