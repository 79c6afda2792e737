"""Where lines break, and which code is folded."""

import pytest
from support.book import hook

MATH = '<span class="math notranslate nohighlight">\\(x\\)</span>'


@pytest.mark.parametrize("before, after", [("", ","), ("(", ")."), ("", "-th"), ("“", "”")])
def test_a_formula_keeps_the_sign_beside_it(before, after):
    page = hook("finish").unbroken(f"<p>of {before}{MATH}{after} and")
    kept = f'<span class="nb">{before}{MATH}{after[0] if after == "-th" else after}</span>'
    assert kept in page


def test_a_formula_between_words_is_left_alone():
    page = f"<p>of {MATH} and"
    assert hook("finish").unbroken(page) == page


def test_a_name_with_a_hyphen_stays_in_one_piece_but_not_in_code():
    unbroken = hook("finish").unbroken
    assert unbroken("<p>by ε-TS</p>") == '<p>by <span class="nb">ε-TS</span></p>'
    for kept in ["<pre>ε-TS</pre>", '<a title="ε-TS">', "<script>'ε-TS'</script>"]:
        assert unbroken(kept) == kept


def test_no_page_loads_the_icon_font():
    head = '<head><script src="../vendor/fontawesome/6/js/all.min.js"></script>'
    head += '<link href="fontawesome/all.min.css" rel="stylesheet" /></head>'
    assert hook("finish").finished(f"{head}<body>") == "<head></head><body>"


@pytest.mark.parametrize(
    "source, folded",
    [
        ("import lenient", True),
        ("%matplotlib inline\nimport a\nfrom b import c\n\nfigures.use()", True),
        ("import a\neps = 0.2", False),
        ("figures.use()", False),
        ("!ls", False),
    ],
)
def test_what_only_imports_is_folded(source, folded):
    assert hook("quiet_code").only_imports(source) == folded


def test_a_formula_broken_for_phones_is_marked():
    formula = '<div class="math notranslate nohighlight" id="e">\\[\\begin{aligned}%s\\]</div>'
    unbroken = hook("finish").unbroken
    assert "nohighlight soft" in unbroken(formula % "&amp;a\\\\\n&amp;\\quad=b")
    for kept in ["a&amp;=b\\\\\n&amp;=c", "&amp;a\\\\\n&amp;\\quad=b\\\\ c&amp;=d", "a"]:
        assert "soft" not in unbroken(formula % kept)


def test_a_fold_has_no_link_in_its_title_and_a_list_no_foreign_children():
    page = '<summary>of <a href="#x">Lemma 2</a></summary><a href="#y">y</a>'
    page += '<div role="list" class="citation-list"><div role="doc-biblioentry"></div></div>'
    assert hook("finish").plainly(page) == (
        '<summary>of Lemma 2</summary><a href="#y">y</a>'
        '<div class="citation-list"><div></div></div>'
    )
