"""The book as it is built."""

import re
from importlib.metadata import version
from urllib.parse import unquote, urlsplit

import pytest
from bs4 import BeautifulSoup
from packaging.requirements import Requirement
from support.book import MADE_BY_SPHINX, hook, toc_pages
from support.paths import ROOT


# ---- table of contents -------------------------------------------------------------
@pytest.mark.parametrize("page", toc_pages())
def test_page_in_toc_exists(page):
    assert any((ROOT / f"{page}{suffix}").exists() for suffix in (".md", ".ipynb"))


# ---- built pages -------------------------------------------------------------------
def built_pages(book):
    """Path and parsed content of every page that Sphinx wrote."""
    for path in sorted(book.rglob("*.html")):
        if "_static" not in path.relative_to(book).parts:
            yield path, BeautifulSoup(path.read_text("utf-8"), "html.parser")


def loaded_addresses(soup):
    """All that a browser fetches by itself when it shows the page."""
    for tag in soup.find_all(["script", "img", "iframe", "source", "video", "audio"]):
        yield from filter(None, [tag.get("src"), *tag.get("srcset", "").split()])
    for tag in soup.find_all("link"):
        if not {"next", "prev", "search", "index", "canonical"} & {*tag.get("rel", [])}:
            yield tag.get("href", "")


def is_foreign(address):
    return bool(urlsplit(address).netloc)


def test_built_pages_are_those_of_the_toc(book):
    names = {path.relative_to(book).as_posix() for path, _ in built_pages(book)}
    assert names == {f"{page}.html" for page in toc_pages()} | MADE_BY_SPHINX


def test_no_page_loads_anything_from_another_host(book):
    foreign = {
        (path.name, address)
        for path, soup in built_pages(book)
        for address in loaded_addresses(soup)
        if is_foreign(address)
    }
    assert foreign == set()


def test_no_style_loads_anything_from_another_host(book):
    remote = re.compile(r"""(?:url\(|@import)\s*["']?(?:https?:)?//[^)"']*""")
    found = {
        (path.name, match)
        for path in book.rglob("*.css")
        for match in remote.findall(path.read_text("utf-8"))
    }
    assert found == set()


def test_foreign_addresses_are_found():
    page = '<script src="//a.org/x.js"></script><link rel="stylesheet" href="b.css">'
    addresses = list(loaded_addresses(BeautifulSoup(page, "html.parser")))
    assert [is_foreign(address) for address in addresses] == [True, False]


def test_links_lead_somewhere(book):
    pages = {path: soup for path, soup in built_pages(book)}
    anchors = {
        path: {tag["id"] for tag in soup.find_all(id=True)} for path, soup in pages.items()
    }
    broken = []
    for path, soup in pages.items():
        for link in soup.select("article a[href], .bd-sidebar a[href]"):
            target = urlsplit(link["href"])
            if target.scheme or target.netloc:
                continue
            file = (path.parent / unquote(target.path)).resolve()
            file = file if target.path else path
            known = anchors.get(file, {unquote(target.fragment)})
            if file.name == "playground.html" and target.fragment.startswith("means="):
                known = {unquote(target.fragment)}  # no place, but a setting
            if not file.exists() or (target.fragment and unquote(target.fragment) not in known):
                broken.append((path.name, link["href"]))
    assert broken == []


def test_every_picture_has_alt_text(book):
    for path, soup in built_pages(book):
        for img in soup.select("article img"):
            alt = img.get("alt", "").strip()
            # Without one of ours, Sphinx puts the file's name there.
            assert alt and not alt.endswith((".png", ".svg")), (path.name, img["src"])


# ---- the build's own hooks ---------------------------------------------------------
def test_pages_of_removed_chapters_are_removed(tmp_path):
    names = ["chapters/01-kept.html", "chapters/02-gone.html"]
    names += ["_sources/chapters/01-kept.ipynb", "_sources/chapters/02-gone.ipynb"]
    for name in [*names, "search.html", "_static/webpack.html"]:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).touch()
    stale = hook("no_stale_pages").stale_pages(tmp_path, {"chapters/01-kept"})
    assert {path.relative_to(tmp_path).as_posix() for path in stale} == {
        names[1],
        names[3],
    }


# ---- environment -------------------------------------------------------------------
@pytest.mark.parametrize("file", ["requirements.txt", "requirements-test.txt"])
def test_environment_has_the_exact_versions(file):
    for line in (ROOT / file).read_text("utf-8").splitlines():
        if not (line := line.partition("#")[0].strip()):
            continue
        pinned = Requirement(line)
        if pinned.marker is None or pinned.marker.evaluate():
            assert str(pinned.specifier) == f"=={version(pinned.name)}", line
