"""The text of a chapter, translated for those who read it in Jupyter or elsewhere.

A chapter is written in MyST, as Sphinx reads it: `{prf:ref}` leads to another chapter, a
`{prf:theorem}` gets its number from the book. A notebook knows neither. Here each reference
becomes a link that says what the book says ("Theorem 3.9", from `chapters/labels.json`), and
each directive what it is for, in one of two dialects:

    Lab     for JupyterLab and Notebook with jupyterlab-myst: boxes, folds, equations in MyST
    Plain   for everything else (GitHub, Colab, VS Code, nbconvert): Markdown and <details>

An unknown role, directive or label is an error, so that none is shown raw.
"""

import json
import re
from typing import NamedTuple

FENCE = re.compile(r"(:{3,}|`{3,})\{([\w:-]+)\}\s*(.*)")
OPTION = re.compile(r":([\w-]+):\s*(.*)")
TARGET = re.compile(r"\(([\w-]+)\)=\s*")
EQUATION = re.compile(r"(\s*)\$\$(.*)")
LABELLED = re.compile(r"(.*?)\$\$\s*(?:\(([\w-]+)\))?\s*")
TOKEN = re.compile(  # in this order, since a role has backticks, and a link may have a formula
    r"\{(?P<role>[\w:-]+)\}`(?P<text>[^`]+)`"
    r"|(?P<image>!?)\[(?P<words>[^\]]*)\]\((?P<path>[^)\s#]+\.(?:md|ipynb))\)"
    r"|(?P<ticks>`+)(?!`).*?(?<!`)(?P=ticks)(?!`)|\$[^$]+\$",
    re.DOTALL,
)
OF_THE_SITE = re.compile(r'<a href="\.\./[^"]*"[^>]*>(.*?)</a>', re.DOTALL)
LISTS = {"means", "policies"}
STATEMENTS = "definition theorem lemma proposition corollary remark algorithm".split()


class Unknown(ValueError):
    """Something that no dialect knows how to say."""


class Directive(NamedTuple):
    name: str
    argument: str
    options: dict
    body: list


class Equation(NamedTuple):
    indent: str
    tex: str
    label: str | None


class Target(NamedTuple):
    label: str


class Code(NamedTuple):
    lines: list


# ---- reading -------------------------------------------------------------------------
def blocks(lines):
    """The text as directives, equations, targets, code and plain lines between them."""
    lines = iter(lines)
    for line in lines:
        if found := FENCE.fullmatch(line):
            fence, name, argument = found.groups()
            yield directive(name, argument, [*until(lines, fence, line)])
        elif re.match(r"\s*```", line):
            fence = re.match(r"\s*`+", line)[0]
            yield Code([line, *until(lines, fence, line), fence])
        elif found := EQUATION.fullmatch(line):
            yield equation(lines, *found.groups())
        elif found := TARGET.fullmatch(line):
            yield Target(found[1])
        else:
            yield line


def until(lines, fence, opened):
    for line in lines:
        if line.rstrip() == fence:
            return
        yield line
    raise Unknown(f"not closed: {opened}")


def directive(name, argument, body):
    options = {}
    while body and (found := OPTION.fullmatch(body[0])):
        options[found[1]] = found[2]
        body = body[1:]
    return Directive(name, argument.strip(), options, body)


def equation(lines, indent, rest):
    tex = []
    while not (closed := LABELLED.fullmatch(rest)):
        tex.append(rest)
        rest = next(lines, None)
        if rest is None:
            raise Unknown(f"equation not closed: {' '.join(tex)}")
    return Equation(indent, " ".join(" ".join([*tex, closed[1]]).split()), closed[2])


# ---- the dialects --------------------------------------------------------------------
class Lab:
    """MyST as jupyterlab-myst has it, with the numbers of the book instead of its own."""

    knows_cells = True  # a link can lead to a cell of a notebook

    def box(self, title, body, label=None, kind="note"):
        fence = ":" * (max([2, *map(len, re.findall(r"^:{3,}", body, re.M))]) + 1)
        options = f":class: {kind}\n" + (f":label: {label}\n" if label else "")
        return f"{fence}{{admonition}} {title}\n{options}\n{body}\n{fence}"

    def fold(self, title, body):
        return self.box(title, body, kind="dropdown")

    def equation(self, tex, number, label):
        # Otherwise every equation would get a number of its own.
        name = f":label: {label}\n" if label else ""
        tag = f" \\tag{{{number}}}" if number else ""
        return f":::{{math}}\n{name}:enumerated: false\n{tex}{tag}\n:::"

    def target(self, label):
        return f"({label})="


class Plain:
    """Markdown as it is read everywhere. An equation is one line: quoted, it stays whole."""

    knows_cells = False

    def box(self, title, body, label=None, kind="note"):
        name = f'<a id="{label}"></a>\n\n' if label else ""
        lines = [f"**{title}**", "", *body.split("\n")]
        return name + "\n".join(f"> {line}".rstrip() for line in lines)

    def fold(self, title, body):
        return f"<details>\n<summary>{unlinked(title)}</summary>\n\n{body}\n\n</details>"

    def equation(self, tex, number, label):
        name = f'<a id="{label}"></a>\n\n' if label else ""
        tag = f" \\tag{{{number}}}" if number else ""
        return f"{name}$${tex}{tag}$$"

    def target(self, label):
        return f'<a id="{label}"></a>\n'


def unlinked(text):
    return re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", text)


# ---- writing -------------------------------------------------------------------------
class Translator:
    """Translates what stands on one page.

    labels   what `_ext/labels.py` has written
    page     the page that the text is on, such as "03-lower-bound" or "appendix/pauses"
    pages    {page: its file} of the pages that a link may lead to
    cells    {label: the cell in which it is}, where a link is to lead to a cell
    """

    def __init__(self, dialect, labels, page, pages, cells=None):
        self.dialect, self.labels, self.page, self.pages = dialect, labels, page, pages
        self.cells = cells or {}

    def text(self, source):
        """A whole text."""
        return self.body(source.split("\n"))

    def body(self, lines):
        parts, plain = [], []

        def flush():
            parts.extend(self.inline("\n".join(plain)).split("\n") if plain else [])
            plain.clear()

        for block in blocks(lines):
            if isinstance(block, str):
                plain.append(block)
                continue
            flush()
            parts += self.block(block).split("\n")
        flush()
        return re.sub(r"\n{3,}", "\n\n", "\n".join(parts)).strip("\n")

    def block(self, block):
        if isinstance(block, Code):
            return "\n".join(block.lines)
        if isinstance(block, Target):
            return self.dialect.target(block.label)
        if isinstance(block, Equation):
            number = self.name(block.label)[1:-1] if block.label else ""
            text = self.dialect.equation(block.tex, number, block.label)
            lines = (f"{block.indent}{line}".rstrip() for line in text.split("\n"))
            return "\n".join(["", *lines, ""])
        return "\n" + self.directive(block) + "\n"

    def directive(self, block):
        kind, title = block.name.removeprefix("prf:"), self.inline(block.argument)
        if block.name == "prf:proof":
            return self.proof(self.body(block.body))
        if kind in STATEMENTS or kind == "exercise":
            label = block.options["label"]
            full = f"{self.name(label)} ({title})" if title else self.name(label)
            kind = "tip" if kind == "exercise" else "note"
            return self.dialect.box(full, self.body(block.body), label, kind)
        if kind == "dropdown" or "dropdown" in block.options.get("class", ""):
            return self.dialect.fold(title, self.body(block.body))
        if kind in ("admonition", "grid-item-card"):
            body, page = self.body(block.body), block.options.get("link")
            if page:  # the whole card is a link on the page
                body += f"\n\n→ {self.to(title, page)}"
            return self.dialect.box(title, body, kind=block.options.get("class", "note"))
        if kind in ("tip", "note", "warning"):
            return self.dialect.box(kind.capitalize(), self.body(block.body), kind=kind)
        if kind == "grid":
            return self.body(block.body)
        if kind == "living":  # of a picture its still
            lines = [line for line in block.body if not OPTION.fullmatch(line)]
            return self.body(lines)
        if kind == "image":
            return f"![{block.options.get('alt', '')}]({block.argument})"
        if kind == "button-ref":
            words = " ".join(filter(None, block.body))
            return f"**{self.to(words, block.argument)}**"
        if kind == "glossary":
            return self.glossary(block.body)
        if kind == "bibliography":
            entries = self.labels["bibliography"].items()
            return "\n\n".join(f"{self.dialect.target(k)}\n{text}" for k, text in entries)
        if kind == "quiz":
            return self.body(block.body)
        if kind in ("book-map", "raw"):  # made for the page; the list of files says it here
            return ""
        raise Unknown(f"directive {block.name} on {self.page}")

    def proof(self, body):
        """With its word before and its mark behind, within the text where that can be."""
        first = "*Proof.* " if re.match(r"[\w$*({\[“]", body) else "*Proof.*\n\n"
        last = " ∎" if re.search(r"[.)\]$*]$", body) and not body.endswith("$$") else "\n\n∎"
        return first + body + last

    def glossary(self, lines):
        """Each term in bold, with what it means below."""
        text = []
        for line in lines:
            if line and not line.startswith((" ", "\t")):
                text += ["", f"**{line}**", ""]
            else:
                text.append(line.strip())
        return self.body(text)

    # ---- within a line ---------------------------------------------------------------
    def inline(self, text):
        """Roles and links of a running text; code and formulas stay."""
        return TOKEN.sub(self.token, OF_THE_SITE.sub(r"\1", text))

    def token(self, found):
        if found["role"]:
            return self.role(found["role"], found["text"])
        if found["path"] and not found["image"]:
            return self.page_link(found["words"], found["path"])
        return found[0]

    def role(self, role, text):
        found = re.fullmatch(r"(.*?)\s*<([^<>]*)>", text, re.DOTALL)
        words, target = found.groups() if found else (None, text)
        words = words and " ".join(words.split())
        if role == "set-up":
            if self.page != "playground":
                words = self.to(words, "playground")
            return f"{words}: `{call(target)}`"
        if role == "term":
            return words or target
        if role == "policy":
            return f"**{target}**"
        if role == "doc":
            return self.to(words or target, target.removeprefix("/chapters/"))
        if role in ("cite", "cite:t", "cite:p"):
            said = self.labels["citations"].get(f"{role[5:] or 'p'}:{target}")
            if said is None:
                raise Unknown(f"citation {target} on {self.page}")
            return self.to(said, "references", target.partition(",")[0])
        if role in ("prf:ref", "ref", "numref", "eq"):
            page, said = self.place(target)
            if words and "%s" in words:
                words = words.replace("%s", said.split(" ")[-1])
            return self.to(words or said, page, target)
        raise Unknown(f"role {role} on {self.page}")

    def name(self, label):
        return self.place(label)[1]

    def place(self, label):
        """The page of a label, and what it is called there. (Sphinx writes labels small.)"""
        names = self.labels["names"]
        for known in (label, label.lower()):
            if known in names:
                return names[known]
        raise Unknown(f"label {label} on {self.page}; make book finds new ones")

    def to(self, words, page, label=None):
        """A link, if there is something to lead to; the words alone if not."""
        if label in self.cells:
            fragment = f"#cell-id={self.cells[label]}"
        elif page == self.page and label:
            return f"[{words}](#{label})"
        else:
            fragment = f"#{label}" if label else ""
        if page not in self.pages:
            return words
        return f"[{words}]({self.path(self.pages[page])}{fragment})"

    def path(self, file):
        """From the folder of this page."""
        if "://" in file:
            return file
        return "../" * self.page.count("/") + file

    def page_link(self, words, path):
        parts = [*self.page.split("/")[:-1], *path.rpartition(".")[0].split("/")]
        while ".." in parts[1:]:
            at = parts.index("..", 1)
            parts[at - 1 : at + 1] = []
        return self.to(words, "/".join(part for part in parts if part != "."))


def call(query):
    """What to type to get this setting: means=0.9,0.6&gap=cutoff as a call in Python."""
    given = dict(part.split("=", 1) for part in query.split("&"))
    setting = ", ".join(f"{k}={shown(value_of(k, v))}" for k, v in given.items())
    return f"playground({setting})"


def value_of(name, text):
    """An option of a living picture as JSON knows it: a list, a number or a word."""
    if name in LISTS:
        return [value_of("", part.strip()) for part in text.split(",")]
    try:
        return json.loads(text)
    except ValueError:
        return text


def shown(value):
    """As in Python code, with the quotation marks of the book."""
    if isinstance(value, list):
        return f"[{', '.join(map(shown, value))}]"
    return f'"{value}"' if isinstance(value, str) else repr(value)
