"""The slides of the six lectures, in a browser without a network."""

import pytest
import yaml

from classroom import slides

LECTURES = yaml.safe_load((slides.SOURCE / "lectures.yml").read_text("utf-8"))


@pytest.fixture(scope="module")
def decks(tmp_path_factory):
    folder = tmp_path_factory.mktemp("slides")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(slides, "MADE", folder / "slides")
        patch.setenv("JUPYTER_PATH", "")
        slides.main()
    return folder / "slides"


def test_there_are_six_lectures_of_chapters_and_pictures():
    assert len(LECTURES) == 6
    for lecture in LECTURES:
        kinds = [next(iter(about)) for about in lecture["slides"]]
        assert kinds.count("figure") >= 3 and "question" in kinds and len(kinds) >= 8


def test_what_is_not_in_the_book_is_told():
    book = slides.Book()
    for find in (book.figure, book.statement):
        with pytest.raises(KeyError, match="no such"):
            find("no such")
    with pytest.raises(KeyError, match="begins with"):
        book.paragraph("01-why-regret-fails", "Nobody wrote this")


def test_cross_references_leave_their_words():
    text = "See {ref}`the box <x>` and {prf:ref}`thm-a` ([chapter 4](04.ipynb)), {numref}`f`."
    assert slides._without_roles(text) == "See the box and (chapter 4),."


@pytest.mark.browser
@pytest.mark.parametrize("number", range(1, 7))
def test_a_deck_needs_no_network_and_every_slide_fits(decks, number, browser):
    lecture = LECTURES[number - 1]
    page = browser.new_page(viewport={"width": 1200, "height": 760})
    wrong, asked = [], []
    page.on("pageerror", lambda error: wrong.append(str(error)))
    page.on("console", lambda said: said.type == "error" and wrong.append(said.text))
    page.on("request", lambda request: asked.append(request.url))
    page.goto((decks / f"lecture-{number}.html").as_uri())
    page.wait_for_function("window.Reveal && Reveal.isReady()")
    assert page.evaluate("Reveal.getTotalSlides()") == 1 + len(lecture["slides"])
    heights = []
    for _ in lecture["slides"]:
        page.evaluate("Reveal.next()")
        page.wait_for_timeout(100)
        heights.append(page.evaluate("Reveal.getCurrentSlide().scrollHeight"))
    assert max(heights) <= 700, heights
    text = page.locator(".slides").inner_text()
    assert not [mark for mark in ("{prf", "{numref", ":label:", "$") if mark in text], text
    for view in page.locator(".lenient-play").all():
        assert view.locator("button, canvas, svg").count() > 0
    assert all(
        image for image in page.eval_on_selector_all("img", "all => all.map(i => i.alt)")
    )
    assert wrong == [] and all(url.startswith(("file:", "data:", "blob:")) for url in asked)
    page.close()
