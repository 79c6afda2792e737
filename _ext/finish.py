"""What every finished page gets: lines that break where they should, and no icon script.

The theme loads 1.5 MB of icons for a dozen signs, which `_static/icons.css` draws. No line
begins with the comma after a formula, and "ε-TS" stays in one piece.
"""

import re

HEAVY = re.compile(r"\s*<(?:script|link)\b[^>]*fontawesome[^>]*>(?:</script>)?")
MAPS = re.compile(r'<link rel="preload" as="script"[^>]*>\s*')
SKIPPED = re.compile(
    r"(<(script|style|pre|code|title|textarea|svg)\b.*?</\2>|<[^>]*>)", re.S | re.I
)
NAME = re.compile(r"ε-(?:TS|KL-UCB)|\b(?:KL|Bayes)-UCB|\b[εκT] = [\d.]+")
FORMULA = re.compile(
    r"([(\[“‘]*)"
    r'(<span class="math notranslate nohighlight">[^<]*</span>)'
    r"([.,;:!?)\]’”]+|[-–](?=[^\s<]))?"
)


SUMMARY = re.compile(r"<summary\b.*?</summary>", re.S)
SOFT = re.compile(r"(?:\\\\\s*&amp;\\q?quad)")
DISPLAY = re.compile(
    r'<div class="math notranslate nohighlight"([^>]*>(?:(?!</div>).)*)</div>', re.S
)


def soft(found):
    """A formula in lines that only a narrow page needs: all but the first are indented."""
    text = found[1]
    breaks, lines = len(SOFT.findall(text)), text.count("\\\\")
    if not breaks or breaks != lines or "\\begin{aligned}" not in text:
        return found[0]
    return f'<div class="math notranslate nohighlight soft"{text}</div>'


def together(found):
    before, formula, after = found[1], found[2], found[3] or ""
    return f'<span class="nb">{found[0]}</span>' if before or after else formula


def plainly(page):
    """Without what bars the way: links in the title of a fold, roles that contradict theirs."""
    page = SUMMARY.sub(lambda found: re.sub(r"</?a\b[^>]*>", "", found[0]), page)
    return re.sub(r' role="(?:list"(?= class="citation-list")|doc-biblioentry")', "", page)


def unbroken(page):
    """Names with a hyphen, and formulas with the sign that follows, in one piece."""
    page = DISPLAY.sub(soft, FORMULA.sub(together, page))
    parts = SKIPPED.split(page)
    # Text, what is skipped, its name if it is an element: three by three.
    for k in range(0, len(parts), 3):
        parts[k] = NAME.sub(r'<span class="nb">\g<0></span>', parts[k])
    del parts[2::3]
    return "".join(parts)


def finished(page):
    head, body, rest = page.partition("<body")
    return MAPS.sub("", HEAVY.sub("", head)) + body + plainly(unbroken(rest))


def hook(app):
    if app.builder.format != "html":
        return
    render = app.builder.templates.render

    def render_and_finish(template, context):
        page = render(template, context)
        return finished(page) if template.endswith(".html") else page

    app.builder.templates.render = render_and_finish


def setup(app):
    app.connect("builder-inited", hook, priority=900)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
