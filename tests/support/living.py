"""Pages made of the joined script alone, opened from a folder."""

import os

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
        if how.get("java_script_enabled", True):
            page.evaluate("document.querySelectorAll('.settings').forEach(d => d.open = true)")
        return page

    yield open_page
    for context in contexts:
        context.close()
    assert faults == []


def slack():
    """Others may be at work on this machine, and then every task takes longer."""
    return 1 + os.getloadavg()[0] / (os.cpu_count() or 1)


def swipe(page, start, end, steps=6):
    """A finger goes down, moves and leaves; the browser may take it for a scroll."""
    devtools = page.context.new_cdp_session(page)

    def touch(kind, *points):
        devtools.send(
            "Input.dispatchTouchEvent",
            {"type": kind, "touchPoints": [{"x": x, "y": y} for x, y in points]},
        )

    touch("touchStart", start)
    for i in range(1, steps + 1):
        touch("touchMove", tuple(a + (b - a) * i / steps for a, b in zip(start, end)))
        page.wait_for_timeout(20)
    touch("touchEnd")
    page.wait_for_timeout(50)
