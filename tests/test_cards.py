"""What references show, what the search finds, and what is said around a page."""

import pytest
from support.book import hook

HERE = "chapters/04-a.html"
THERE = "chapters/appendix/b.html"
PAGE = """<article><h1>A</h1>
<a class="reference internal" href="appendix/b.html#thm-x">Theorem 1</a>
<a class="reference internal" href="#own">below</a>
<p>An arm, two arms, and a <em>gap function</em>; the Gap Function of a harm.</p>
<p id="own">no card for a paragraph</p></article>"""
OTHER = """<article><section id="s"><h1>B</h1><div class="proof theorem" id="thm-x">
<p>Theorem 1<a class="headerlink" href="#thm-x">#</a></p><div>see <a href="#q">this</a>
<span id="q"></span><img src="../../_images/x.svg"> \\[\\label{eq} x\\]</div>
<details><summary>more</summary></details></div><p>after</p></section></article>"""


@pytest.fixture
def cards():
    return hook("cards")


@pytest.fixture
def stored(cards):
    texts = {HERE: PAGE, THERE: OTHER}
    return cards.cards_of(HERE, texts, {n: hook("built").starts(t) for n, t in texts.items()})


def test_a_card_has_the_whole_statement_and_nothing_after_it(stored):
    [(address, html)] = stored.items()
    assert address == "appendix/b.html#thm-x"
    assert "Theorem 1" in html and "\\[ x\\]" in html and "after" not in html


def test_a_card_has_no_names_links_or_folds(stored):
    [html] = stored.values()
    for gone in ("id=", "<a", "headerlink", "<details", "\\label"):
        assert gone not in html


def test_pictures_of_a_card_are_found_from_the_page_that_shows_it(stored):
    assert 'src="../_images/x.svg"' in [*stored.values()][0]


def test_terms_become_references_once_and_not_inside_words(cards):
    terms = {"arm": "term-Arm", "gap function": "term-Gap-function"}
    page = cards.with_terms(HERE, PAGE, terms)
    link = '<a class="reference internal term" href="terms.html#{}">{}</a>'
    assert page.count('class="reference internal term"') == 2
    assert link.format("term-Arm", "arm") in page
    assert link.format("term-Gap-function", "Gap Function") in page  # not where it is <em>
    assert cards.with_terms(cards.TERMS, PAGE, terms) == PAGE


def test_everyday_words_are_no_terms(cards):
    page = """<dt id="term-Arm">Arm<a class="headerlink">#</a></dt>
    <dt id="term-Gap-function">Gap function<a class="headerlink">#</a></dt>"""
    assert cards.terms_in(page) == {"gap function": "term-Gap-function"}


# ---- the search ----------------------------------------------------------------------
def test_each_section_has_its_address_title_and_own_words():
    page = """<article><section id="a"><h1>1. First<a class="headerlink">#</a></h1><p>one
    <span class="nb">ε-TS</span></p><section id="b"><h2>Second</h2><pre>code</pre><p>two
    \\(\\mu^*\\ge\\varepsilon\\)</p></section></section></article>"""
    assert [*hook("find").sections(HERE, page)] == [
        [f"{HERE}#a", "1. First", "1. First", "one ε-TS"],
        [f"{HERE}#b", "1. First", "Second", "two μ^*≥ε"],
    ]


# ---- around a page -------------------------------------------------------------------
def test_a_description_is_short_and_ends_at_a_word():
    around = hook("ways_out")
    assert around.description("<p>Short.</p><p>" + "word " * 90 + "</p>").endswith("word …")
    assert len(around.description("<p>" + "word " * 90 + "</p>")) <= 200


def test_what_is_folded_takes_no_time():
    minutes = hook("ways_out").minutes
    text = "<p>" + "word " * 1700 + "</p>"
    assert minutes(text) == 10
    assert minutes(text + f"<details>{text}</details>") == 10
    assert minutes(text + text) == 20


@pytest.mark.parametrize("url, buttons", [("", 0), ("https://github.com/a/b/", 2)])
def test_ways_out_need_a_repository(url, buttons):
    class Config:
        html_theme_options = {"repository_url": url}

    hook("ways_out").launch_buttons(None, Config)
    assert Config.repository_url == url.rstrip("/")
    assert len(Config.html_theme_options.get("launch_buttons", {})) == buttons


# ---- the map -------------------------------------------------------------------------
def test_the_map_has_every_chapter_and_its_ways_lead_in_order():
    from support.book import toc_pages

    drawn = hook("book_map")
    needs = {n: before for column in drawn.COLUMNS.values() for n, before in column.items()}
    numbered = {int(p.split("/")[1][:2]) for p in toc_pages() if p.split("/")[1][:2].isdigit()}
    assert {*needs} == numbered
    place = {n: k for k, column in enumerate(drawn.COLUMNS.values()) for n in column}
    assert all(place[b] < place[n] for n, before in needs.items() for b in before)
    for _, way in drawn.WAYS.values():
        assert [*way] == sorted(way) and {*way} <= numbered
