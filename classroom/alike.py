"""Submissions that share more than chance would give them: pairs for the teacher to look at.

Answers are compared in pieces: statements of code with the student's own names replaced by
numbers, so that renaming hides nothing; comments as they are; and runs of eight words of
text. A piece counts if few of the class have it and it is in no reference answer, nor in
what was handed out. Two that share many such pieces have talked, or have a source in
common, or had the same idea: it is a list of what to look at, and proves nothing.
"""

import ast
import io
import itertools
import math
import re
import tokenize
from collections import Counter, defaultdict
from dataclasses import dataclass

from nbgrader.utils import is_solution

from .sources import grade_id, question

_LEAST = 4  # pieces that a pair must share
_WORDS = 8
_SHORTEST = 12  # characters of a piece of code; `return x` says nothing


@dataclass(frozen=True)
class Pair:
    """Two submissions, and the rare pieces that both have: [(question, piece)]."""

    first: str
    second: str
    shared: tuple
    of: int  # rare pieces that the one with fewer of them has

    @property
    def questions(self):
        return sorted({asked for asked, _ in self.shared})


def alike(notebooks, known=(), together=()):
    """Pairs that share at least four rare pieces, the most first.

    `notebooks` has a notebook for each name, `known` those whose pieces anybody may have,
    `together` pairs of names that may be alike, being a group.
    """
    public = set().union(*map(pieces, known))
    mine = {name: pieces(notebook) - public for name, notebook in notebooks.items()}
    count = Counter(piece for found in mine.values() for piece in found)
    few = max(2, math.floor(0.05 * len(notebooks)))
    owners = defaultdict(list)
    for name, found in mine.items():
        for piece in found:
            if count[piece] <= few:
                owners[piece].append(name)
    shared, rare = defaultdict(list), Counter()
    for piece, names in owners.items():
        rare.update(names)
        for pair in itertools.combinations(sorted(names), 2):
            shared[pair].append(piece)
    allowed = {frozenset(pair) for pair in together}
    pairs = [
        Pair(a, b, tuple(sorted(found)), min(rare[a], rare[b]))
        for (a, b), found in shared.items()
        if len(found) >= _LEAST and frozenset((a, b)) not in allowed
    ]
    return sorted(pairs, key=lambda pair: (-len(pair.shared), pair.first, pair.second))


def pieces(notebook):
    """All pieces of the answers: {(question, piece)}."""
    found = set()
    for cell in notebook.cells:
        if is_solution(cell):
            parts = _of_code if cell.cell_type == "code" else _of_text
            found |= {(question(grade_id(cell)), part) for part in parts(cell.source[:50_000])}
    return found


def _of_text(text):
    words = re.findall(r"\w+", text.casefold())
    return {" ".join(words[i : i + _WORDS]) for i in range(len(words) - _WORDS + 1)}


def _of_code(text):
    return {part for part in [*_statements(text), *_comments(text)] if len(part) >= _SHORTEST}


def _statements(text):
    """Each statement on a line of its own, with the student's own names numbered in it.

    In each line anew: a further variable at the top is to change no other line.
    """
    try:
        tree = ast.parse(text)
        own = {n.id for n in ast.walk(tree) if isinstance(n, ast.Name) and _is_stored(n)}
        lines = ast.unparse(_without_docstrings(tree)).split("\n")
    except (SyntaxError, ValueError, RecursionError):  # as it stands, then
        own, lines = set(), text.split("\n")
    return {_numbered(line.strip(), own) for line in lines}


def _is_stored(name):
    return isinstance(name.ctx, ast.Store)


def _without_docstrings(tree):
    for node in ast.walk(tree):
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)) and ast.get_docstring(node):
            node.body = node.body[1:] or [ast.Pass()]
    return tree


def _numbered(line, own):
    seen = {}

    def number(match):
        name = match[0]
        return seen.setdefault(name, f"v{len(seen)}") if name in own else name

    return re.sub(r"(?<![.\w])[^\W\d]\w*", number, line)


def _comments(text):
    found = set()
    try:
        for token in tokenize.generate_tokens(io.StringIO(text).readline):
            if token.type == tokenize.COMMENT:
                found.add(" ".join(token.string.split()))
    except (tokenize.TokenError, SyntaxError):
        pass
    return found
