"""What a reference refers to, stored in the page, to be shown without leaving it.

A page opened from a folder may not read another one. So each page carries the theorems,
equations, figures, terms, works and openings of sections that it refers to, and
`_static/cards.js` shows them in a small card. The first mention of a term on a page becomes
a reference to the index of terms.
"""

import json
import posixpath
import re
from pathlib import Path

from built import article, element, pages, plain, starts

REFERENCE = re.compile(r'<a class="[^"]*\breference internal[^"]*" href="([^"#]*)#([^"]+)"')
STORED = re.compile(r'<script type="application/json" id="cards">.*?</script>\n?', re.S)
LONGEST = 6000  # letters; longer ones are cut at a paragraph
TERMS = "chapters/terms.html"
UNTOUCHED = {TERMS, "chapters/references.html", "chapters/ledger.html"}


# ---- a card -------------------------------------------------------------------------
def card(text, where, at):
    """The HTML that shows what has this id, or None if there is nothing to show."""
    if at not in where:
        return None
    start = where[at]
    found = element(text, start)
    tag = re.match(r"<([a-z0-9]+)", found)[1]
    if tag == "dt":
        meaning = text.find("<dd", start)
        return clean(f"<p><strong>{inner(found)}</strong></p>{inner(element(text, meaning))}")
    if tag == "figure":
        picture = re.search(r"<picture>.*?</picture>", found, re.S)
        caption = re.search(r"<figcaption>(.*?)</figcaption>(?!.*<figcaption)", found, re.S)
        return clean((picture[0] if picture else "") + (caption[1] if caption else ""))
    if tag in ("section", "span", "h1", "h2", "h3"):  # a part of the text: how it begins
        heading = re.compile(r"<h[1-4].*?</h[1-4]>", re.S).search(text, start)
        if not heading:
            return None
        first = re.compile(r"<p>.*?</p>", re.S).search(text, heading.end())
        return clean(f"<p><strong>{inner(heading[0])}</strong></p>{first[0] if first else ''}")
    if tag == "div":
        return clean(found)
    return None


def inner(found):
    return re.sub(r"^<[^>]*>|</[a-z0-9]+>$", "", found)


def clean(found):
    """Without names, links, scripts and folds, which belong to the page alone."""
    found = re.sub(r"<(script|details|style)\b.*?</\1>", "", found, flags=re.S)
    found = re.sub(r'<a class="headerlink".*?</a>', "", found, flags=re.S)
    found = re.sub(r"</?a\b[^>]*>", "", found)
    found = re.sub(r'\s(id|tabindex)="[^"]*"', "", found)
    found = re.sub(r"\\label\{[^}]*\}", "", found)
    if len(found) > LONGEST:
        found = found[: found.rfind("</p>", 0, LONGEST) + 4] + "<p>…</p>"
    return found.strip()


def moved(found, source, target):
    """With addresses that hold on another page."""

    def change(address):
        there = posixpath.join(posixpath.dirname(source), address[2])
        there = posixpath.relpath(there, posixpath.dirname(target) or ".")
        return f'{address[1]}="{there}"'

    return re.sub(r'\b(src|srcset)="((?!data:|https?:)[^"]+)"', change, found)


def cards_of(name, texts, where):
    """{address as in the page: HTML} of what a page refers to."""
    found = {}
    for address, at in {*REFERENCE.findall(article(texts[name]))}:
        there = posixpath.normpath(posixpath.join(posixpath.dirname(name), address))
        there = there if address else name
        if there in texts and (html := card(texts[there], where[there], at)):
            found[f"{address}#{at}"] = moved(html, there, name)
    return dict(sorted(found.items()))


# ---- terms --------------------------------------------------------------------------
def terms_in(page):
    """{term in small letters: id}, from the page of terms.

    Of those in one word ("arm", "visit") a mention may mean the everyday word.
    """
    found = re.findall(r'<dt id="(term-[^"]+)">(.*?)<a class="headerlink"', page)
    terms = {plain(words).lower(): at for at, words in found}
    return {term: at for term, at in terms.items() if " " in term}


def with_terms(name, page, terms):
    """The page, with the first mention of each term in a paragraph as a reference."""
    if not terms or name in UNTOUCHED or "/exercises/" in name or "/package/" in name:
        return page
    up = posixpath.relpath(TERMS, posixpath.dirname(name))
    words = "|".join(re.escape(term) for term in sorted(terms, key=len, reverse=True))
    mention = re.compile(rf"(?<![\w-])({words})(s?)(?![\w-])", re.I)
    start = page.find("<article")
    end = page.find("</article>", start)
    met = set()

    def link(found):
        term = found[1].lower()
        if term in met:
            return found[0]
        met.add(term)
        to = f"{up}#{terms[term]}"
        return f'<a class="reference internal term" href="{to}">{found[0]}</a>'

    def paragraph(found):
        parts = re.split(r"(<(a|code|strong|em|span|button)\b.*?</\2>|<[^>]*>)", found[0])
        for k in range(0, len(parts), 3):
            parts[k] = mention.sub(link, parts[k])
        del parts[2::3]
        return "".join(parts)

    text = re.sub(r"<p>.*?</p>", paragraph, page[start:end], flags=re.S)
    return page[:start] + text + page[end:]


# ---- the build ----------------------------------------------------------------------
def store(app, error):
    if error or app.builder.format != "html":
        return
    texts = pages(app.outdir)
    before = dict(texts)
    terms = terms_in(texts.get(TERMS, ""))
    for name, page in texts.items():
        if 'class="reference internal term"' not in page:
            texts[name] = with_terms(name, page, terms)
    where = {name: starts(text) for name, text in texts.items()}
    for name, page in texts.items():
        found = json.dumps(cards_of(name, texts, where), ensure_ascii=False)
        found = found.replace("<", "\\u003c")
        script = f'<script type="application/json" id="cards">{found}</script>\n'
        page = STORED.sub("", page).replace("</body>", script + "</body>")
        if page != before[name]:
            Path(app.outdir, name).write_text(page, "utf-8")


def setup(app):
    app.connect("build-finished", store)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
