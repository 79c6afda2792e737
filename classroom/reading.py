"""Reads a notebook that came back in a process of its own, with limits of time and memory.

A file of a few megabytes can be so made that it takes gigabytes and minutes to be read.
"""

import json
import multiprocessing
import os
import resource
from contextlib import suppress

import nbformat

_MEMORY = 2**30  # bytes more than this process has
_SECONDS = 20
_CELLS = 1000
_MOST = 20 * 2**20  # bytes of a notebook that has been put in order


class Unreadable(Exception):
    """Why a file cannot be read, in words."""


def in_a_child(work, *words):
    """The result of `work(*words)`, which is text, if it is there in time."""
    fork = multiprocessing.get_context("fork")
    reader, writer = fork.Pipe(duplex=False)
    child = fork.Process(target=_in_child, args=(work, words, writer), daemon=True)
    child.start()
    writer.close()
    try:
        if not reader.poll(_SECONDS):
            raise Unreadable(f"not read in {_SECONDS} seconds; clear its outputs")
        kind, result = json.loads(reader.recv_bytes(_MOST * 2))
    except (EOFError, OSError):
        raise Unreadable("too large to be read; clear its outputs and look at it") from None
    finally:
        child.kill()
        child.join()
        reader.close()
    if kind == "why":
        raise Unreadable(result)
    return result


def _in_child(work, words, writer):
    used = _bytes_used() + _MEMORY
    with suppress(OSError, ValueError):
        resource.setrlimit(resource.RLIMIT_AS, (used, used))
    try:
        said = ["result", work(*words)]
    except Unreadable as why:
        said = ["why", str(why)]
    except MemoryError:
        os._exit(1)  # there may not be enough to say so
    except Exception as error:
        said = ["why", f"not a notebook, or a torn one ({type(error).__name__})"]
    writer.send_bytes(json.dumps(said).encode())
    os._exit(0)


def _bytes_used():
    with suppress(OSError), open("/proc/self/statm") as file:
        return int(file.read().split()[0]) * resource.getpagesize()
    return 0


def notebook_of(path):
    """The notebook in a file, without outputs: they are made anew when it is marked."""
    raw = path.read_bytes()
    wide = raw[:2] in (b"\xff\xfe", b"\xfe\xff")  # as some editors of Windows write
    found = json.loads(raw.decode("utf-16" if wide else "utf-8-sig"))
    del raw
    sheets = found.get("worksheets") or [found]
    cells = [cell for sheet in sheets for cell in sheet["cells"]]
    if len(cells) > _CELLS:
        raise Unreadable(f"{len(cells)} cells, more than {_CELLS}")
    for cell in cells:
        if cell["cell_type"] == "code":
            cell["outputs"] = []
    notebook = nbformat.reads(json.dumps(found), as_version=4)
    nbformat.validate(notebook)
    return notebook


def text_of(notebook):
    """As text, if it is not too long."""
    text = nbformat.writes(notebook)
    if len(text.encode()) > _MOST:  # half an emoji, say, cannot be written
        raise Unreadable(f"more than {_MOST >> 20} MB; remove its pictures")
    return text
