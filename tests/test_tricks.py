"""Answers that try to have points without being right: each scores 0, or is reported."""

import pytest
from support.assignments import NAMES, answered, check_of, solved
from support.course import Course, points_by_program, points_got

from classroom import box
from classroom.assignments import students_notebook

pytestmark = pytest.mark.filterwarnings("ignore")  # of nbgrader's database
NAME = NAMES[0]
STUB = next(cell.source for cell in students_notebook(NAME).cells if cell.id == "q1")

# What stands in the first answer cell; every answer of the notebook is still a stub.
TRICKS = {
    "drops-asserts": """
def drop(lines):
    return [line for line in lines if "assert" not in line]
get_ipython().input_transformers_cleanup.append(drop)
get_ipython().input_transformers_post.append(drop)
""",
    "empties-trees": """
import ast
class Nothing(ast.NodeTransformer):
    def visit_Module(self, node):
        return ast.Module([], [])
get_ipython().ast_transformers.append(Nothing())
""",
    "no-asserts": """
import ast
class NoAssert(ast.NodeTransformer):
    def visit_Assert(self, node):
        return ast.Pass()
get_ipython().ast_transformers.append(NoAssert())
""",
    "do-execute": """
kernel = type(get_ipython().kernel)
async def do_execute(self, *words, **named):
    return {"status": "ok", "execution_count": 1, "payload": [], "user_expressions": {}}
kernel.do_execute = do_execute
""",
    "run-cell": """
shell = type(get_ipython())
class Fine:
    success, error_before_exec, error_in_exec, execution_count = True, None, None, 1
    result = None
async def run(self, *words, **named):
    return Fine()
shell.run_cell_async = run
""",
    "session-send": """
session = get_ipython().kernel.session
def send(stream, kind, content=None, *words, send=session.send, **named):
    if kind == "error":
        return None
    if kind == "execute_reply":
        content = {"status": "ok", "execution_count": 1, "payload": [], "user_expressions": {}}
    return send(stream, kind, content, *words, **named)
session.send = send
""",
    "forged-result": """
from IPython.display import publish_display_data
send = get_ipython().kernel.session.send
class Hook:
    def __call__(self, *words):
        send(get_ipython().kernel.iopub_socket, "execute_result", {
            "data": {"text/plain": "2.0"}, "metadata": {}, "execution_count": 1},
            parent=get_ipython().kernel.get_parent("shell"))
get_ipython().events.register("post_run_cell", Hook())
get_ipython().events.register("pre_execute", Hook().__call__)
""",
    "builtins": """
import builtins
builtins.AssertionError = type("Fine", (Exception,), {"__init__": lambda *w: None})
builtins.isinstance = lambda *words: True
builtins.abs = lambda x: 0
builtins.all = builtins.any = lambda x: True
""",
    "numpy": """
import numpy as np
np.allclose = np.array_equal = lambda *words, **named: True
np.asarray = np.array = lambda *words, **named: 0
""",
    "exit": """
import os, atexit
atexit.register(print, "2.0")
os._exit(0)
""",
    "atexit": """
import atexit
atexit.register(lambda: get_ipython().kernel.session.send("2.0", "stream"))
""",
    "trace": """
import sys
def trace(frame, event, what):
    frame.f_trace_opcodes = True
    return trace
def quiet(kind, error, tb):
    pass
sys.settrace(trace)
sys.excepthook = quiet
get_ipython().showtraceback = lambda *words, **named: None
get_ipython().set_custom_exc((BaseException,), lambda *words, **named: None)
""",
    "thread": """
import threading, time
def patch():
    while True:
        globals().update(cost=lambda *words: Anything(), _got=Anything())
        time.sleep(0.001)
class Anything:
    __eq__ = __lt__ = __le__ = __gt__ = __ge__ = lambda self, other: True
    __hash__ = lambda self: 0
    __getattr__ = lambda self, name: Anything()
    __call__ = lambda self, *words, **named: Anything()
threading.Thread(target=patch, daemon=True).start()
""",
    "equal-to-all": """
class Anything(float):
    __eq__ = __lt__ = __le__ = __gt__ = __ge__ = lambda self, other: True
    __ne__ = lambda self, other: False
    __hash__ = lambda self: 0
    __sub__ = __rsub__ = __abs__ = __add__ = __radd__ = lambda self, *other: Anything()
    __array__ = None
def cost(kind, gap, eps):
    return Anything()
level = {letter: Anything() for letter in "ABCDEFGH"}
free_arms = regret = counts = q = lambda *words: Anything()
""",
    "own-array": """
import numpy as np
class Array(np.ndarray):
    def __array_ufunc__(self, *words, **named):
        return np.True_
    def __array_function__(self, *words, **named):
        return True
def cost(kind, gap, eps):
    return np.zeros(5).view(Array)
""",
    "pickle": """
import numpy as np
class Evil:
    def __reduce__(self):
        return exec, ("import builtins; builtins.abs = lambda x: 0",)
def cost(kind, gap, eps):
    return np.array([Evil()] * 5, dtype=object)
""",
    "lenient": """
import lenient
for name in dir(lenient):
    if callable(getattr(lenient, name)) and not name.startswith("_"):
        setattr(lenient, name, lambda *words, **named: 0)
""",
    "reads-itself": """
import re, sys
def cost(kind, gap, eps):
    frame, texts = sys._getframe(), [*In]
    while frame:
        for names in (frame.f_globals, frame.f_locals):
            texts += [repr(value) for value in names.values()]
        frame = frame.f_back
    words = "BEGIN HID" + "DEN", "hidden tes" + "ts", "place of two well-kno" + "wn errors"
    found = [text for text in texts if any(word in text for word in words)]
    raise ValueError("FOUND" if found else "nothing to be found")
""",
    "calls-back": """
def regret(pulls, gaps, f):
    try:
        return f.__globals__
    except AttributeError:
        return f("x", what=f.__code__ if hasattr(f, "__code__") else f.func_globals)
""",
    "hangs-up": """
import gc, socket
def cost(*words):
    for thing in gc.get_objects():
        if isinstance(thing, socket.socket) and thing.family == socket.AF_UNIX:
            thing.send(b'\\0\\0\\0\\0\\0\\0\\0\\x14["return", 1, [], []]')
    return 0
""",
    "nonsense": """
import gc, socket
def cost(*words):
    for thing in gc.get_objects():
        if isinstance(thing, socket.socket) and thing.family == socket.AF_UNIX:
            thing.send(b"\\xff" * 10_000_000)
    return 0
""",
    "deep": "def cost(*words):\n x = []\n for _ in range(10**5): x = [x]\n return x",
    "huge": "def cost(*words): return 2 ** (10**9)",
    "endless": "import itertools\ndef cost(*words): return itertools.count()",
}


@pytest.fixture(scope="module")
def tricky(tmp_path_factory):
    if why := box.why_not_boxed():
        pytest.skip(why)
    limits = {"LENIENT_CELL_SECONDS": "20", "LENIENT_MEMORY_MB": "1500"}
    course = Course(tmp_path_factory.mktemp("tricks"), **limits)
    for what, code in TRICKS.items():
        tried = answered(students_notebook(NAME), {"q1": f"{STUB}\n{code}"})
        course.hand_in(what, NAME, tried)
    changed = "def regret(pulls, gaps, f):\n    pulls[...] = 0\n    return 0"
    course.hand_in("changes", NAME, answered(solved(NAME), {"q4": changed}))
    # The answer to q1 stands in the cell of q2, and that of q1 is as it was handed out.
    right = {cell.id: cell.source for cell in solved(NAME).cells}
    elsewhere = students_notebook(NAME)
    at = next(i for i, cell in enumerate(elsewhere.cells) if cell.id == check_of(NAME, "q1"))
    own = elsewhere.cells[0].copy()
    own.update(cell_type="code", source=right["q1"], outputs=[], execution_count=None, id="own")
    elsewhere.cells.insert(at, own)
    course.hand_in("elsewhere", NAME, elsewhere)
    course.rows = course.grade(str(course.folder))
    return course


@pytest.mark.parametrize("what", TRICKS)
def test_a_trick_scores_nothing(tricky, what):
    row = tricky.rows[what, f"{NAME}.ipynb"]
    assert row["status"] in ("marked", "look")
    assert {*points_got(row, NAME).values()} == {0}, row
    assert "FOUND" not in row["messages"] and "FOUND" not in row["reason"]


def test_points_for_a_stub_are_reported(tricky):
    row = tricky.rows["elsewhere", f"{NAME}.ipynb"]
    assert points_got(row, NAME)["q1"] == points_by_program(NAME)["q1"]
    assert row["status"] == "look"
    assert "q1: points, though its answer is as it was handed out" in row["reason"]


def test_an_answer_that_changes_what_it_is_given_is_reported(tricky):
    row = tricky.rows["changes", f"{NAME}.ipynb"]
    assert points_got(row, NAME) == {**points_by_program(NAME), "q4": 0}
    assert "q4-check: the answer changed what it was given" in row["reason"]
