"""Submissions that do harm: each costs its own question, and nothing else."""

import threading
import time
from http.server import HTTPServer, SimpleHTTPRequestHandler
from pathlib import Path

import psutil
import pytest
from support.assignments import NAMES, answered, solved
from support.course import Course, points_by_program, points_got
from support.paths import ROOT

from classroom import box

NAME = NAMES[0]
SECONDS = 20  # for a cell; enough for an honest one, on a busy machine too

# What stands in the answer cell of the first question, and what the table says of it.
LOST = {
    "loop": ("while True: pass", "no end after"),
    "ignores-interrupts": (
        "import signal\nsignal.signal(signal.SIGINT, signal.SIG_IGN)\nwhile True: pass",
        "no end after",
    ),
    "catches-interrupts": (
        "while True:\n try:\n  while True: pass\n except BaseException: pass",
        "no end after",
    ),
    "endless-output": ("while True: print('x' * 10_000)", "q1: "),  # time or memory
    "long-error": ("raise Exception('x' * 150_000_000)", ""),
    "long-name": ("raise type('X' * 200_000, (Exception,), {})('y')", ""),
    "exit": ("import os; os._exit(0)", "ended its own kernel"),
    "killed": ("import os; os.kill(os.getpid(), 9)", "ended its own kernel"),
    "memory": ("x = [bytearray(10**8) for _ in range(200)]", "out of memory"),
    "family": (
        "import os, time\nfor _ in range(10):\n if os.fork() == 0:\n"
        "  x = b'x' * (400 * 2**20); time.sleep(100)\ntime.sleep(100)",
        "MB of memory",
    ),
    "fills-folder": (
        "import os, time, ipykernel\nd = os.path.dirname(ipykernel.get_connection_file())\n"
        "for i in range(5): open(f'{d}/f{i}', 'wb').write(bytes(60 * 2**20))\n"
        "time.sleep(100)",
        "MB of files",
    ),
    "deleted-files": (
        "import os, time, ipykernel\nd = os.path.dirname(ipykernel.get_connection_file())\n"
        "files = []\nfor i in range(30):\n files.append(open(f'{d}/f{i}', 'wb'))\n"
        " os.unlink(f'{d}/f{i}')\n for _ in range(50): files[-1].write(bytes(10**6))",
        "MB of files",
    ),
    "many-files": (
        "import os, ipykernel\nd = os.path.dirname(ipykernel.get_connection_file())\n"
        "for i in range(200_000): open(f'{d}/f{i}', 'w').close()",
        "MB of files",
    ),
    "nameless-file": (
        "import os\nf = os.memfd_create('x')\nwhile True: os.write(f, bytes(10**6))",
        "",
    ),
    "shared-memory": (
        "import ctypes\nlibc = ctypes.CDLL(None)\nlibc.shmat.restype = ctypes.c_void_p\n"
        "for _ in range(100):\n n = libc.shmget(0, 10**8, 0o1600)\n"
        " if n < 0: raise OSError('none')\n ctypes.memset(libc.shmat(n, 0, 0), 1, 10**8)",
        "",
    ),
    "own-mounts": (
        "import ctypes\nif ctypes.CDLL(None).unshare(0x10020000): raise OSError('refused')",
        "",
    ),
    "forks": (
        "import os\nwhile True:\n try: os.fork()\n except OSError: pass",
        "more than",  # processes or memory, whichever is seen first
    ),
    # Of these there are hundreds before anybody can look, and no more than the limit.
    "small-forks": ("import os, time\nos.system('f() { f | f & }; f'); time.sleep(3)", ""),
}
# These do their harm and then give the right answer, which is worth its points.
KEPT = {
    "remounts": "import os\nos.system('mount -o remount,bind,rw /usr; touch /usr/mine')",
    "sets-system": "try: open('/proc/sys/kernel/core_pattern', 'w').write('core')\n"
    "except OSError: pass\nelse: raise ValueError('FOUND')",
    "fills-memory-disk": "for d in ('/dev/shm', '/', '/dev'):\n try:\n"
    "  with open(d + '/f', 'wb') as f:\n   for _ in range(100): f.write(bytes(10**6))\n"
    " except OSError: pass\n else: raise ValueError('FOUND')",
    "kills-all": "import os\ntry: os.kill(-1, 9)\nexcept OSError: pass",
    "print": "print = lambda *words: 1000.0",
    "flood": "for _ in range(40): print('x' * 10**6)",
    "widgets": "import ipywidgets\nfor i in range(20): ipywidgets.HTML('x' * 5_000_000)",
    "updates": "from IPython.display import display\nd = display('x', display_id=True)\n"
    "for i in range(60): d.update('x' * 10**6)",
    "deletes": "import shutil\nfor p in {places!r}: shutil.rmtree(p, ignore_errors=True)",
    "writes": "import os\nfor p in {places!r}:\n try: open(p + '/mine', 'w').write('x')\n"
    " except OSError: pass",
    "daemon": "import subprocess, sys\nsubprocess.Popen([sys.executable, '-c',"
    " 'import time; time.sleep(4321)'], start_new_session=True)",
    "fills-disk": "try:\n with open('f', 'wb') as f:\n  while True: f.write(bytes(10**6))\n"
    "except OSError: pass",
}
# These try to find something, and say what they found.
SPIES = {
    "reads-source": "import os\nfor top in {places!r}:\n for d, _, fs in os.walk(top):\n"
    "  assert '{name}.ipynb' not in fs and '{name}.md' not in fs, ('FOUND', d)",
    "network": "import socket\ntry:\n socket.create_connection(('127.0.0.1', {port}), 3)\n"
    "except OSError: pass\nelse: raise ValueError('FOUND')",
}


@pytest.fixture(scope="module")
def hostile(tmp_path_factory):
    if why := box.why_not_boxed():
        pytest.skip(why)
    folder = tmp_path_factory.mktemp("hostile")
    limits = {"CELL_SECONDS": str(SECONDS), "NOTEBOOK_SECONDS": "240", "MEMORY_MB": "1500"}
    limits = {f"LENIENT_{key}": value for key, value in limits.items()}
    course = Course(folder, **limits)
    # A copy of a precious file, that must still be there in the end.
    (folder / "precious").write_text("precious")
    places = [str(folder), str(ROOT), "/tmp", "/root", "/home", "/var/tmp"]
    server = HTTPServer(("127.0.0.1", 0), SimpleHTTPRequestHandler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    right = next(c.source for c in solved(NAME).cells if c.id == "q1")
    answers = {what: code for what, (code, _) in LOST.items()}
    answers |= {what: f"{code}\n{right}" for what, code in (KEPT | SPIES).items()}
    for what, code in answers.items():
        for word, value in [("{places!r}", repr(places)), ("{name}", NAME)]:
            code = code.replace(word, value)
        code = code.replace("{port}", str(server.server_port))
        course.hand_in(what, NAME, answered(solved(NAME), {"q1": code}))
    course.hand_in("zz-honest", NAME, solved(NAME))
    begun = time.monotonic()
    course.rows = course.grade(str(course.folder))
    course.seconds = time.monotonic() - begun
    server.shutdown()
    server.server_close()
    return course


@pytest.mark.parametrize("what", LOST)
def test_it_costs_its_own_question_and_says_why(hostile, what):
    row = hostile.rows[what, f"{NAME}.ipynb"]
    assert points_got(row, NAME) == {**points_by_program(NAME), "q1": 0}
    assert LOST[what][1] in row["reason"] and len(row["messages"]) <= 2000
    assert row["status"] == ("look" if row["reason"] else "marked")


@pytest.mark.parametrize("what", KEPT)
def test_it_does_no_harm(hostile, what):
    row = hostile.rows[what, f"{NAME}.ipynb"]
    assert points_got(row, NAME) == points_by_program(NAME), row["messages"]


@pytest.mark.parametrize("what", SPIES)
def test_it_finds_nothing(hostile, what):
    row = hostile.rows[what, f"{NAME}.ipynb"]
    assert points_got(row, NAME) == points_by_program(NAME), row["messages"]


def test_the_others_are_marked(hostile):
    """The last of all, after all the harm."""
    row = hostile.rows["zz-honest", f"{NAME}.ipynb"]
    assert row["status"] == "marked" and points_got(row, NAME) == points_by_program(NAME)


def test_nothing_is_lost_written_or_left_running(hostile):
    folder = hostile.folder.parent
    assert (folder / "precious").read_text() == "precious"
    assert (ROOT / "chapters" / "exercises" / NAME / f"{NAME}.ipynb").exists()
    for place in (folder, ROOT, Path("/usr")):
        assert not (place / "mine").exists()
    commands = [" ".join(p.info["cmdline"] or []) for p in psutil.process_iter(["cmdline"])]
    assert not any("time.sleep(4321)" in command for command in commands)


def test_long_output_is_cut(hostile):
    for what in ("flood", "endless-output", "long-error", "widgets", "updates"):
        path = hostile.home / "autograded" / what / NAME / f"{NAME}.ipynb"
        assert path.stat().st_size < 2_000_000


def test_a_notebook_has_a_time_limit_too(tmp_path):
    if why := box.why_not_boxed():
        pytest.skip(why)
    limits = {"LENIENT_CELL_SECONDS": "30", "LENIENT_NOTEBOOK_SECONDS": "10"}
    course = Course(tmp_path, **limits)
    slow = answered(solved(NAME), {"q1": "import time; time.sleep(60)"})
    course.hand_in("slow", NAME, slow)
    [row] = course.grade(str(course.folder)).values()
    assert {*points_got(row, NAME).values()} == {0}
    assert "the notebook's time was up before this cell" in row["reason"]
