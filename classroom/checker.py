"""Runs the checks of a notebook in a box of their own, where no answer can reach them.

A check asks for the names it needs, and calls the student's functions, over a socket; the
kernel with the answers is told to answer (`classroom.answering`). See `classroom.talk` for
what goes between them.
"""

import ast
import itertools
import json
import os
import select
import shutil
import socket
import struct
import subprocess
import sys
import threading
import time
from contextlib import suppress
from pathlib import Path

import psutil

from . import box

_HERE = Path(__file__).parent
_GRACE = 10  # seconds that a check may go on when its time is up


def _text(*names):
    return "\n\n".join((_HERE / f"{name}.py").read_text("utf-8") for name in names)


_NUMBERS = itertools.count()
_CHECKING, _ANSWERING = _text("talk", "checking"), _text("talk", "answering")


class Checker:
    """One process that imports what the checks need, and copies itself for each of them."""

    def __init__(self, home, memory, imports):
        self.folder = box.new_folder(home)
        self.line, other = socket.socketpair()
        command = box.command_in_box(
            self.folder, memory, [sys.executable, "-I", "-c", _CHECKING]
        )
        self.process = subprocess.Popen(
            command, stdin=other, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
            env=box.environment(self.folder), cwd=self.folder,
        )  # fmt: skip
        other.close()
        self.send({"name": "imports", "source": imports})

    def send(self, check, *files):
        text = json.dumps(check).encode()
        head = struct.pack("!Q", len(text))
        if files:
            socket.send_fds(self.line, [head], files)
        else:
            self.line.sendall(head)
        self.line.sendall(text)

    def close(self):
        family = psutil.Process(self.process.pid).children(recursive=True)
        box.kill_all([*family, self.process])
        self.process.wait()
        self.line.close()
        shutil.rmtree(self.folder, ignore_errors=True)


def imports_of(cells):
    """All imports in cells that we wrote."""
    trees = [ast.parse(cell.source) for cell in cells]
    found = [n for tree in trees for n in ast.walk(tree)]
    lines = [ast.unparse(n) for n in found if isinstance(n, (ast.Import, ast.ImportFrom))]
    return "\n".join(dict.fromkeys(lines))


class Check:
    """One check: waits for the answers' kernel to call, and hands the line to the checker."""

    def __init__(self, checker, folder, what):
        self.checker, self.folder, self.what = checker, folder, what
        self.path = os.path.join(folder, f"check-{next(_NUMBERS)}")
        self.listening = socket.socket(socket.AF_UNIX)
        self.told, self.telling = os.pipe()
        self.connected = False

    def __enter__(self):
        self.listening.bind(self.path)
        box.give(self.path, self.folder)
        self.listening.listen(1)
        self.thread = threading.Thread(target=self._connect, daemon=True)
        self.thread.start()
        return self

    def __exit__(self, *error):
        self._stop_listening()
        os.close(self.told)

    def code_to_answer(self, without):
        """What the kernel is to run in place of the check."""
        # By full names, for a student may have given short ones to something else.
        builtins = "__import__('builtins')"
        run = f"{builtins}.exec({_ANSWERING!r}, space)"
        answer = f"space['answer']({self.path!r}, {builtins}.globals(), {without!r})"
        return f"(lambda space: ({run}, {answer}) and None)({{'__name__': 'answering'}})"

    def _connect(self):
        try:
            connection, _ = self.listening.accept()
            with connection:
                self.connected = True
                self.checker.send(self.what, connection.fileno(), self.telling)
        except OSError:  # nobody called, or there is no checker any more
            pass

    def _stop_listening(self):
        if self.telling is None:
            return
        with suppress(OSError):
            self.listening.shutdown(socket.SHUT_RDWR)
        self.thread.join(5)
        self.listening.close()
        with suppress(OSError):
            os.unlink(self.path)
        os.close(self.telling)  # so that there is an end to what we are told
        self.telling = None

    def result(self):
        """How it went, or None if it did not come to its end."""
        self._stop_listening()
        text, until = b"", time.monotonic() + (_GRACE if self.connected else 0)
        while select.select([self.told], [], [], max(0, until - time.monotonic()))[0]:
            if not (piece := os.read(self.told, 2**16)):
                break
            text += piece
        with suppress(ValueError):
            return json.loads(text)
