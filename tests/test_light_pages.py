"""Pages are written quickly, and say what they would have said."""

import re
import subprocess
import sys

import pytest
from support.paths import ROOT

CONF = """
import sys
sys.path.insert(0, {folder!r})
extensions = ["myst_nb", *{more!r}]
numfig = True
html_theme = "basic"

from sphinx.environment import BuildEnvironment
read = BuildEnvironment.get_doctree

def get_doctree(self, docname):
    with open({log!r}, "a") as file:
        print(docname, file=file)
    return read(self, docname)

BuildEnvironment.get_doctree = get_doctree
"""
INDEX = "# Book\n\n```{toctree}\nfigures\ntext\n```\n"
FIGURES = "# Figures\n\n" + "".join(
    f"(fig-{name})=\n```{{figure}} {name}.png\nA picture.\n```\n\n" for name in "ab"
)
TEXT = """# Text

{numref}`fig-b`, {numref}`fig-a`, {numref}`fig-b` and {numref}`Picture {number} <fig-a>`.

```{eval-rst}
.. py:function:: one(two)

   It does *nothing*.
```
"""


def build(folder, *more):
    """The page of text without its tags, how often `figures` was read, and what is stored."""
    log = folder / "read.txt"
    log.touch()
    conf = CONF.format(folder=str(ROOT / "_ext"), more=more, log=str(log))
    (folder / "conf.py").write_text(conf)
    for name, text in [("index", INDEX), ("figures", FIGURES), ("text", TEXT)]:
        (folder / f"{name}.md").write_text(text)
    for name in "ab":
        (folder / f"{name}.png").write_bytes(b"")
    out = folder / "out"
    command = [sys.executable, "-m", "sphinx", "-q", "-W", folder, out]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    page = re.sub(r"\s+", " ", re.sub("<[^>]*>", "", (out / "text.html").read_text("utf-8")))
    stored = (out / ".doctrees" / "text.doctree").read_bytes()
    return page, log.read_text().split().count("figures"), stored


@pytest.mark.parametrize("more, reads", [((), 5), (("light_pages",), 2)])
def test_a_page_is_read_once_for_all_references_to_it(tmp_path, more, reads):
    """And once to be written itself."""
    page, seen, stored = build(tmp_path, *more)
    assert "Fig. 2, Fig. 1, Fig. 2 and Picture 1." in page
    assert "It does nothing." in page
    assert seen == reads
    assert (b"BuildEnvironment" in stored) == (not more)
