"""Calls in a process of their own, which may hang, crash, or eat memory.

A compiled loop hears no signal until it returns, so a call that hangs is ended with its
process, and a new one takes over.
"""

import io
import multiprocessing
import os
import resource
import sys
from contextlib import redirect_stderr
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

import lenient
from fuzz.verdict import verdict

MEMORY = 10**9  # bytes that a call may take on top of what is there


def serve(pipe, folder, prepared):
    """Answer each call with its verdict; files come and go in the folder."""
    if prepared:  # what is compiled or imported at the first call does not count
        lenient.simulate([0.9, 0.5], lenient.TS(), 100, 2, seed=1)
    os.chdir(folder)
    make_files()
    with open("/proc/self/statm") as statm:  # pages of address space in use
        used = int(statm.read().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (used + MEMORY, resource.RLIM_INFINITY))
    pipe.send("ready")
    while call := pipe.recv():
        with redirect_stderr(io.StringIO()):  # progress bars
            try:
                answer = verdict(call)
            except Exception as error:
                answer = f"cannot be tried, a fault of the fuzz: {error!r}"
        pipe.send(answer)


def make_files():
    """Files for the calls that want a path: one that was saved, and others."""
    lenient.simulate([0.9, 0.5], lenient.EpsTS(0.2), 10, 2, seed=1).save("made.npz")
    whole = Path("made.npz").read_bytes()
    Path("cut.npz").write_bytes(whole[: len(whole) // 2])
    Path("empty.npz").touch()
    Path("text.npz").write_text("no archive")
    np.savez("other.npz", means=[0.5])
    np.save("plain.npy", [0.5])


class Worker:
    """`worker.verdict(call)`, whatever the call does."""

    def __init__(self, seconds, prepared=True):
        self.seconds = seconds
        self.prepared = prepared
        self._process = None

    def __enter__(self):
        self._folder = TemporaryDirectory()
        return self

    def __exit__(self, *_):
        if self._process is not None:
            self._pipe.send(None)
            self._process.join(5)  # in peace, so that it can clear up
        self._end()
        self._folder.cleanup()

    def verdict(self, call):
        if self._process is None:
            self._start()
        self._pipe.send(call)
        if not self._pipe.poll(self.seconds):
            self._end()
            return f"not done after {self.seconds} s"
        try:
            return self._pipe.recv()
        except EOFError:
            self._process.join()
            code = self._process.exitcode
            self._end()
            return f"ended its process, exit code {code}"

    def _start(self):
        context = multiprocessing.get_context("spawn")
        self._pipe, theirs = context.Pipe()
        work = (theirs, self._folder.name, self.prepared)
        self._process = context.Process(target=serve, args=work, daemon=True)
        self._process.start()
        theirs.close()
        if not self._pipe.poll(300) or self._pipe.recv() != "ready":
            sys.exit("the process that makes the calls did not start")

    def _end(self):
        if self._process is not None:
            self._process.kill()
            self._process.join()
            self._pipe.close()
            self._process = None
