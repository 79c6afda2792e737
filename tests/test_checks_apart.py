"""Answers and checks in processes of their own: what goes between, and what it is worth."""

import math
import os
import socket
from decimal import Decimal
from fractions import Fraction
from types import SimpleNamespace

import numpy as np
import pytest
from support.assignments import NAMES, answered, solved, students_notebook
from support.course import Course, points_by_program, points_got

import lenient
from classroom import checking, submission, talk
from classroom.sources import grade_id

checking.Talk, checking._text = talk.Talk, talk._text  # in the box they are one text
PARTS = {
    "hidden": "### BEGIN HIDDEN TESTS\n{}\n### END HIDDEN TESTS",
    "private": "### BEGIN HIDDEN TESTS\n# All points of this check hang on these.\n{}\n"
    "### END HIDDEN TESTS",
}


class Answers:
    """A process with the names that some code gives; its check's end of the line."""

    def __init__(self, code):
        mine, theirs = socket.socketpair()
        self.process = os.fork()
        if self.process == 0:
            mine.close()
            space = {"np": np, "lenient": lenient}
            exec(code, space)
            try:
                talk.Talk(theirs, space).serve()
            finally:
                os._exit(0)
        theirs.close()
        self.connection, self.talk = mine, talk.Talk(mine)

    def __enter__(self):
        return self.talk

    def __exit__(self, *error):
        self.connection.shutdown(socket.SHUT_RDWR)
        self.talk.close()
        self.connection.close()
        os.waitpid(self.process, 0)


def same(a, b):
    if isinstance(a, np.ndarray):
        return a.dtype == b.dtype and a.shape == b.shape and all(map(same, a.flat, b.flat))
    if isinstance(a, (list, tuple)):
        return type(a) is type(b) and len(a) == len(b) and all(map(same, a, b))
    return type(a) is type(b) and (a == b or (a != a and b != b))


VALUES = [
    None, True, False, 0, -1, 2**53, -(10**40), 0.1, -0.0, math.inf, math.nan, 1e-320,
    "é\ud83d", b"\x00\xff", 1 + 2j, [], [1, [2.5, "x"]], (1,), {1, 2}, frozenset("ab"),
    {1: "a", (2, 3): None}, range(3, 9, 2), ..., Fraction(1, 3), Decimal("0.1"),
    np.float64(0.1), np.int32(7), np.bool_(True),
    np.arange(6).reshape(2, 3), np.zeros((0, 4)), np.array(0.5), np.array(["a", "bc"]),
    np.array([1 + 1j], dtype=np.complex64), np.array([Fraction(1, 2), 3], dtype=object),
]  # fmt: skip


def test_values_come_back_as_they_were_sent():
    with Answers("def same(x): return x") as line:
        echo = line.ask("name", "same")
        for value in VALUES:
            assert same(value, echo(value)), value
        assert not line.changed


def test_a_check_gets_plain_values_of_what_it_does_not_know():
    code = """
import collections, enum
class Number(int):
    __eq__ = __lt__ = __gt__ = lambda self, other: True
    __hash__ = lambda self: 0
class Real:
    def __float__(self): return 0.5
class Array(np.ndarray): pass
given = [Number(3), type("F", (float,), {"__eq__": lambda *w: True})(1.5),
         type("S", (str,), {})("x"), collections.namedtuple("P", "a b")(1, 2),
         collections.OrderedDict(a=1), enum.IntEnum("E", "a").a, Real(),
         np.ones(2).view(Array), map(abs, [-1]), {1: 2}.values()]
"""
    with Answers(code) as line:
        got = line.ask("name", "given")
    kinds = [int, float, str, tuple, dict, int, float, np.ndarray]
    assert [type(value) for value in got[:8]] == kinds
    assert got[0] != 4 and got[7].tolist() == [1, 1] and [*got[8]] == [1] and [*got[9]] == [2]


def test_functions_are_called_where_they_are():
    code = """
def twice(f, x): return f(f(x))
def gap(): return lenient.gap_function(lambda d: np.maximum(d - 0.25, 0), 0.25, "mine")
def regret(bound, f): return bound.a + f(0.5)
class Policy:
    name = "mine"
    def __init__(self, a): self.a = a
    def index(self, n): return self.a + n
"""
    with Answers(code) as line:
        called = []
        twice = line.ask("name", "twice")
        assert twice(lambda x: called.append(x) or 2 * x, 3) == 12 and called == [3, 6]
        f = line.ask("name", "gap")()
        assert isinstance(f, lenient.GapFunction) and f(0.75) == 0.5 and f.eps == 0.25
        regret = line.ask("name", "regret")
        assert regret(SimpleNamespace(a=1), lenient.hinge(0.25)) == 1.25
        own = lenient.gap_function(lambda d: d, 0, "own")
        assert regret(SimpleNamespace(a=1), own) == 1.5
        policy = line.ask("name", "Policy")(7)
        assert policy.index(1) == 8 and policy.name == "mine" and not hasattr(policy, "b")


def test_random_numbers_go_on_where_they_stopped():
    code = "def draw(rng, f): return rng.random() + f(rng) + rng.random()"
    rng, alone = np.random.default_rng(1), np.random.default_rng(1)
    with Answers(code) as line:
        got = line.ask("name", "draw")(rng, lambda r: r.random())
    assert got == pytest.approx(sum(alone.random(3))) and rng.random() == alone.random()


def test_what_a_call_changes_is_seen_and_noted():
    with Answers("def f(x, y): x[0] = 7; y.clear()") as line:
        array, words = np.zeros(2), ["a"]
        line.ask("name", "f")(array, words)
        assert array.tolist() == [7, 0] and words == [] and line.changed


@pytest.mark.parametrize(
    "code, kind, text",
    [
        ("def f(): raise ZeroDivisionError('x')", ZeroDivisionError, "x"),
        ("def f(): return {}['k']", KeyError, "'k'"),
        ("def f(): return np.linalg.inv([[0.0]])", ValueError, "Singular matrix"),
        ("class E(Exception): __str__ = lambda s: 1 / 0\ndef f(): raise E", Exception, "<E>"),
        ("import sys\ndef f(): sys.exit(3)", Exception, "3"),
        ("def f(): b'\\xff'.decode()", UnicodeDecodeError, "'utf-8' codec"),
    ],
)
def test_errors_are_raised_again(code, kind, text):
    with Answers(code) as line, pytest.raises(kind) as raised:
        line.ask("name", "f")()
    assert str(raised.value).startswith(text)


@pytest.mark.parametrize(
    "sent",
    [
        '["return", ["pickle", "gASVAAAA"], [], []]',
        '["return", ["array", "|O8", [1], ""], [], []]',
        '["return", ["_class_", "os"], [], []]',
        '["return", ["generator", 0, ["dict", []]], [], []]',
        '["return", ["int", "1", "2"], [], []]',
        '["attribute", 0, "__globals__"]',
        '["name", "_f"]',
        '["call", 99, [], []]',
        '["raise", [], ""]',
        "[1]",
        "{}",
        "[" * 10**5,
    ],
)
def test_nothing_but_data_comes_to_a_check(sent):
    code = f"""
import gc, socket, struct
def f(*words):
    text = {sent!r}.encode()
    for thing in gc.get_objects():
        if isinstance(thing, socket.socket) and thing.family == socket.AF_UNIX:
            thing.send(struct.pack("!Q", len(text)) + text)
    return "done"
"""
    with Answers(code) as line:
        function = line.ask("name", "f")
        try:
            assert function(lambda: 1) == "done"  # it was asked for something, and refused
        except Exception as error:
            assert not isinstance(error, AssertionError)


# ---- the parts of a check ------------------------------------------------------------
def ran(check, code):
    with Answers(code) as line:
        return checking.run_check({"name": "q1-check", "source": check, "setup": []}, line)


CHECK = "assert f(1) == 1, 'one'\n" + PARTS["hidden"].format(
    "_two = f(2)\nassert _two == 2, 'two'\nfor _i in (3, 4):\n    assert f(_i) == _i\n"
    "def _is(n):\n    assert f(n) == n\n_is(5)\nassert _two == 2, 'again'"
)


@pytest.mark.parametrize(
    "code, share, errors",
    [
        ("f = lambda n: n", 1, []),
        ("f = lambda n: n + (n == 4)", 3 / 4, [""]),
        ("f = lambda n: n + (n == 2)", 2 / 4, ["two", "again"]),
        ("f = lambda n: n // (n != 2)", 2 / 4, ["", "name '_two' is not defined"]),
        ("f = lambda n: 1", 0, None),
        ("f = lambda n: 0", 0, ["one"]),
        ("", 0, ["name 'f' is not defined"]),
    ],
)
def test_each_hidden_test_has_its_share_of_the_points(code, share, errors):
    result = ran(CHECK, code)
    assert result["share"] == share
    if errors is not None:
        said = [error["evalue"] for error in result["errors"]]
        assert [s.split("integer")[0] for s in said] == errors
        assert all("q1-check" in "".join(error["traceback"]) for error in result["errors"])


def test_all_points_hang_on_private_tests():
    check = f"{CHECK}\n{PARTS['private'].format('assert f(9) == 9')}"
    assert ran(check, "f = lambda n: n")["share"] == 1
    assert ran(check, "f = lambda n: n + (n == 9)")["share"] == 0
    assert ran(check, "f = lambda n: n + (n == 4)")["share"] == 3 / 4


def test_the_names_that_a_check_wants():
    source = "import math as _m\n_x = f(_m.pi)\ndef _g(a):\n    return g(a, [i for i in h])\n"
    assert checking.names_wanted(source) - {"print"} == {"f", "g", "h"}


# ---- in a course ---------------------------------------------------------------------
GAPS, KL = "gap-functions", "kl-and-kinf"


@pytest.fixture(scope="module")
def course(tmp_path_factory):
    course = Course(tmp_path_factory.mktemp("apart"))
    right = {cell.id: cell.source for cell in solved(GAPS).cells}
    # Right but for one hidden test: one arm is its own best.
    edge = right["q3"].replace("def free_arms", "def _free_arms")
    edge += "\n\ndef free_arms(means, eps):\n"
    edge += "    return [] if len(means) == 1 else _free_arms(means, eps)\n"
    course.hand_in("edge", GAPS, answered(solved(GAPS), {"q3": edge}))
    taken = "from lenient import kl\n\ndef divergence(p, q):\n    return float(kl(p, q))\n"
    course.hand_in("kl", KL, answered(solved(KL), {"q1": taken}))
    course.rows = course.grade(str(course.folder))
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("LENIENT_COURSE", str(course.home))
        yield course


def test_an_answer_that_is_right_but_for_an_edge_gets_most_of_the_points(course):
    row = course.rows["edge", f"{GAPS}.ipynb"]
    assert points_got(row, GAPS) == {**points_by_program(GAPS), "q3": 2 * 4 / 5}
    assert row["messages"] == "q3-check: Q3: one arm is its own best"


def test_a_function_that_the_text_takes_away_is_not_there(course):
    row = course.rows["kl", f"{KL}.ipynb"]
    assert points_got(row, KL) == {**points_by_program(KL), "q1": 0}
    assert "without lenient.kl, and this one calls it" in row["messages"]


def test_the_autograded_notebook_says_what_failed(course):
    cells = submission._autograded(GAPS, "edge")
    [check] = [cell for cell in cells if grade_id(cell) == "q3-check"]
    [error] = check.metadata.lenient.errors
    assert error.ename == "AssertionError" and 'File "q3-check"' in "".join(error.traceback)


def test_each_function_that_a_check_takes_away_can_be_taken():
    for name in NAMES:
        for cell in students_notebook(name).cells:
            if cell.source.startswith("# Without: "):
                for path in cell.source.split("\n")[0].split()[2:]:
                    function = getattr(lenient, path.removeprefix("lenient."))
                    assert function.__code__.co_freevars == ()
