"""No line of text is taken for a comment; one that would be fails the build."""

import json
import subprocess
import sys

import pytest
from support.book import hook
from support.paths import ROOT

lost_lines = hook("lost_lines")
PAGES = [page for kind in ("md", "ipynb") for page in (ROOT / "chapters").rglob(f"*.{kind}")]
LOST = "Of the runs, about\n% a fifth never end.\n"
CODE = "```{code-block} ipython\n%timeit f()\n```\n~~~\n% a\n```\n% b\n~~~\n"
KEPT = f"About 20 % of them.\n\n{CODE}"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_no_line_of_text_is_taken_for_a_comment(page):
    source = page.read_text("utf-8")
    for _, text in lost_lines.texts(source, page.suffix == ".ipynb"):
        assert list(lost_lines.lost_lines(text)) == []


def test_lines_that_are_lost_are_found():
    assert list(lost_lines.lost_lines(LOST)) == [(2, "% a fifth never end.")]
    assert list(lost_lines.lost_lines("- a list\n  % and its end")) == [(2, "  % and its end")]
    assert list(lost_lines.lost_lines(KEPT)) == []


@pytest.mark.parametrize("suffix", ["md", "ipynb"])
def test_the_strict_build_fails(tmp_path, suffix):
    """A page of one line more, as plain text and as a notebook; without it the build passes."""
    (tmp_path / "conf.py").write_text(
        f"import sys; sys.path.insert(0, {str(ROOT / '_ext')!r})\n"
        "extensions = ['myst_nb', 'lost_lines']; nb_execution_mode = 'off'\n"
    )

    def build(text):
        page = f"# A page\n\n{text}"
        if suffix == "ipynb":
            cell = {"cell_type": "markdown", "id": "one", "metadata": {}, "source": [page]}
            kernel = {"kernelspec": {"name": "python3", "display_name": "Python 3"}}
            page = json.dumps(
                {"cells": [cell], "metadata": kernel, "nbformat": 4, "nbformat_minor": 5}
            )
        (tmp_path / f"index.{suffix}").write_text(page)
        command = [sys.executable, "-m", "sphinx", "-W", "-E", "-q", tmp_path, tmp_path / "out"]
        return subprocess.run(command, capture_output=True, text=True)

    assert build(KEPT).returncode == 0
    broken = build(LOST)
    assert broken.returncode and "begins with %" in broken.stderr
    assert "% a fifth never end." in broken.stderr
