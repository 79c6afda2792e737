"""The text of a question as HTML; formulas stay as TeX between dollars."""

import random
import re

from nbconvert.filters.markdown_mistune import IPythonRenderer, MarkdownWithMath

_DOLLARS = re.compile(r"\$\$(.+?)\$\$|\$(.+?)\$", re.S)


def markdown(text):
    """HTML of the Markdown, a paragraph at least."""
    return MarkdownWithMath(renderer=IPythonRenderer(escape=False)).render(text.strip()).strip()


def for_platforms(text):
    r"""HTML with formulas as platforms read them: \(x\), and \[x\] on a line of its own."""

    def bracketed(match):
        display, inline = match.groups()
        return rf"\[{display}\]" if display else rf"\({inline}\)"

    return _DOLLARS.sub(bracketed, markdown(text))


def plain(text, most=60):
    """A short name of the question."""
    for tex, letter in ("varepsilon", "ε"), ("mu", "μ"), ("Delta", "Δ"), ("sqrt", "√"):
        text = re.sub(rf"\\{tex}\b", letter, text)
    words = " ".join(re.sub(r"\\[a-zA-Z]+|[$*`\\{}]", "", text).split())
    return words if len(words) <= most else words[: most - 1].rsplit(" ", 1)[0] + "…"


def shuffled(identity, choices):
    """In an order of its own for each question: the right one comes first in our files."""
    return random.Random(identity).sample(choices, len(choices))
