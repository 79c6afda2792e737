"""What is said around a page: what it is, how long it takes, where it comes from.

Each page gets a description for search engines and previews, each chapter the minutes it
takes. Version and date stand in the footer. Where the source is, how to report an error,
and a button that opens a chapter at Binder come from the one setting
`repository.url` of `_config.yml`; while that is empty there is no word of them.
"""

import re
import subprocess
import zipfile
from importlib.metadata import version
from pathlib import Path

from built import plain
from find import readable

WORDS_A_MINUTE = 170
SECONDS = {"formula": 12, "figure": 25, "code": 20}
CODE = re.compile(r"<pre>.*?</pre>", re.S)
ARCHIVE = "lenient-book.zip"
SKIPPED = (".map", ".zip", ".buildinfo")


# ---- a page -------------------------------------------------------------------------
def description(body):
    """The first paragraphs, in at most 200 letters."""
    words = ""
    for paragraph in re.findall(r"<p>(.*?)</p>", body, re.S):
        words = f"{words} {readable(plain(paragraph))}".strip()
        if len(words) > 80:
            break
    return words if len(words) <= 200 else words[:199].rsplit(" ", 1)[0] + " …"


def minutes(body):
    """How long a chapter takes to read, without what is folded, to five minutes."""
    seen = re.sub(r"<(details|script|form)\b.*?</\1>", " ", body, flags=re.S)
    counts = {
        "formula": seen.count('class="math notranslate nohighlight" id=') + seen.count("\\["),
        "figure": seen.count("<figcaption"),
        "code": seen.count("cell_input"),
    }
    seconds = sum(SECONDS[what] * count for what, count in counts.items())
    words = len(plain(CODE.sub(" ", seen)).split())
    return max(5, 5 * round((words / WORDS_A_MINUTE + seconds / 60) / 5))


def describe(app, page, template, context, doctree):
    body = context.get("body", "")
    context["book_version"] = version("lenient")
    context["book_date"] = last_change(app.srcdir)
    context["repository"] = app.config.repository_url
    context["site"] = (app.config.html_baseurl or "").rstrip("/")
    if not body:
        return
    context["description"] = description(body)
    if re.match(r"chapters/\d\d-", page):
        facts = f'<p class="page-facts">about {minutes(body)} minutes</p>'
        context["body"] = body.replace("</h1>", f"</h1>\n{facts}", 1)


def last_change(root):
    """The day of the last commit, "" outside a checkout."""
    command = ["git", "-C", str(root), "log", "-1", "--format=%cs"]
    try:
        return subprocess.run(command, capture_output=True, text=True).stdout.strip()
    except OSError:
        return ""


# ---- all of them --------------------------------------------------------------------
def launch_buttons(app, config):
    """Binder, where there is a repository to open; `binder/` says what it needs."""
    url = config.html_theme_options.get("repository_url") or ""
    config.repository_url = url.rstrip("/")
    if config.repository_url:
        buttons = {"binderhub_url": "https://mybinder.org", "notebook_interface": "jupyterlab"}
        config.html_theme_options["launch_buttons"] = buttons
        config.html_theme_options.update(use_repository_button=True, use_issues_button=True)


def pack(app, error):
    """The whole site as one file, to be read without a network."""
    if error or app.builder.format != "html":
        return
    out = Path(app.outdir)
    for stray in [*out.rglob("*.map"), *out.glob("_static/vendor/fontawesome")]:
        remove(stray)
    files = [p for p in sorted(out.rglob("*")) if p.is_file() and p.suffix not in SKIPPED]
    draft = out / f"{ARCHIVE}.draft"
    with zipfile.ZipFile(draft, "w", zipfile.ZIP_DEFLATED) as archive:
        for file in files:
            if file != draft:
                archive.write(file, Path("lenient-book", file.relative_to(out)))
    draft.replace(out / ARCHIVE)


def remove(path):
    if path.is_dir():
        for part in path.iterdir():
            remove(part)
        path.rmdir()
    else:
        path.unlink()


def setup(app):
    app.add_config_value("repository_url", "", "html")
    app.connect("config-inited", launch_buttons, priority=900)
    app.connect("html-page-context", describe, priority=400)
    # After all others that write.
    app.connect("build-finished", pack, priority=1000)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
