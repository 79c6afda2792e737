"""Runs the checks of a notebook, away from its answers; this text follows `classroom.talk`.

It has a process and a box of its own, and makes a new process for each check. Of an answer it
sees what `Talk` lets through: numbers, texts, arrays, and functions to be called over there.
"""

import ast
import builtins
import contextlib
import io
import json
import linecache
import os
import re
import signal
import socket
import struct
import symtable
import traceback

_MARK = re.compile(r"### (BEGIN|END) HIDDEN TESTS")
_PRIVATE = "# All points of this check hang on these."
_MOST_TEXT = 20_000  # characters of what a check prints


# ---- a check and its parts -----------------------------------------------------------
def parts_of(source):
    """The statements that students see, and the hidden tests: [(decides all, statements)].

    A hidden test is an assertion, or whatever holds one, with what was prepared for it.
    """
    tree, lines = ast.parse(source), source.split("\n")
    kind, kinds = "seen", {}
    for number, line in enumerate(lines, 1):
        if mark := _MARK.search(line):
            private = lines[number : number + 1] == [_PRIVATE]
            kind = "seen" if mark[1] == "END" else "private" if private else "hidden"
        kinds[number] = kind
    seen, tests, prepared = [], [], []
    asserting = {
        f.name for f in ast.walk(tree) if isinstance(f, ast.FunctionDef) and _asserts(f)
    }
    for statement in tree.body:
        kind = kinds[statement.lineno]
        if kind == "seen":
            seen.append(statement)
            continue
        prepared.append(statement)
        if not isinstance(statement, (ast.FunctionDef, ast.ClassDef)) and (
            _asserts(statement) or _calls(statement) & asserting
        ):
            tests.append((kind == "private", prepared))
            prepared = []
    if prepared:
        tests.append((kind == "private", prepared))
    return seen, tests


def _asserts(node):
    return any(isinstance(part, (ast.Assert, ast.Raise)) for part in ast.walk(node))


def _calls(node):
    calls = [part.func for part in ast.walk(node) if isinstance(part, ast.Call)]
    return {function.id for function in calls if isinstance(function, ast.Name)}


def names_wanted(source):
    """Names that a check uses and does not define itself."""
    table = symtable.symtable(source, "check", "exec")
    used, tables = set(), [table]
    while tables:
        inner = tables.pop()
        tables += inner.get_children()
        used |= {
            symbol.get_name()
            for symbol in inner.get_symbols()
            if symbol.is_referenced() and (symbol.is_global() or inner is table)
        }
    own = {s.get_name() for s in table.get_symbols() if s.is_assigned() or s.is_imported()}
    return used - own


def _stored(statements):
    """Names that these statements would have given."""
    nodes = [node for statement in statements for node in ast.walk(statement)]
    return {n.id for n in nodes if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}


# ---- one check -----------------------------------------------------------------------
def run_check(check, talk):
    """How it went: tests passed, of how many, and what was wrong with the others."""
    name, source = check["name"], check["source"]
    linecache.cache[name] = (len(source), None, source.splitlines(True), name)
    space = {"__name__": "check", "__builtins__": __builtins__}
    printed, errors = io.StringIO(), []

    def passes(statements):
        for number, statement in enumerate(statements):
            try:
                code = compile(ast.Module([statement], []), name, "exec")
                with contextlib.redirect_stdout(printed):
                    exec(code, space)
            except (Exception, SystemExit) as error:
                errors.append(_told(error))
                for lost in _stored(statements[number:]):  # no test is to go by older ones
                    space.pop(lost, None)
                return False
        return True

    for setup in check["setup"]:
        with contextlib.redirect_stdout(io.StringIO()):
            exec(compile(setup, "setup", "exec"), space)
    for wanted in names_wanted(source) - space.keys() - vars(builtins).keys():
        with contextlib.suppress(NameError):
            space[wanted] = talk.ask("name", wanted)
    seen, tests = parts_of(source)
    got = 0
    if passes(seen):
        came = [(decides, passes(statements)) for decides, statements in tests]
        if all(passed for decides, passed in came if decides):
            counted = [passed for decides, passed in came if not decides] or [True]
            got = sum(counted) / len(counted)
    return _result(got, errors, printed.getvalue()[:_MOST_TEXT], talk.changed)


def _result(share, errors, printed="", changed=False):
    return {"share": share, "errors": errors, "printed": printed, "changed": changed}


def _told(error):
    """An error, as a notebook has it, of a bounded length."""
    kind, text = type(error).__name__[:100], _text(error)  # noqa: F821
    try:
        lines = traceback.format_exception(error, limit=20)
    except Exception:
        lines = [f"{kind}: {text}"]
    lines = [line.rstrip()[:1000] for line in lines[:30]]
    return {"ename": kind, "evalue": text, "traceback": lines}


# ---- one process for each check ------------------------------------------------------
def receive_check(line):
    """The next check, and two files: the line to the answer, and where to say how it went."""
    head, files, _, _ = socket.recv_fds(line, 8, 2)
    if len(head) < 8:
        raise SystemExit
    size, text = struct.unpack("!Q", head)[0], b""
    while len(text) < size:
        text += line.recv(size - len(text))
    return json.loads(text), files


def main():
    line = socket.socket(fileno=0)
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    while True:
        check, files = receive_check(line)
        if check["name"] == "imports":  # once for all, before the first check
            with contextlib.suppress(Exception):
                exec(check["source"], {})
        elif os.fork() == 0:
            line.close()
            signal.signal(signal.SIGCHLD, signal.SIG_DFL)
            signal.alarm(check["seconds"])  # ends the process, whatever it is doing
            answer, told = files
            with socket.socket(fileno=answer) as connection:
                try:
                    result = run_check(check, Talk(connection))  # noqa: F821
                except Exception as error:
                    result = {
                        "share": 0,
                        "errors": [_told(error)],
                        "printed": "",
                        "changed": False,
                    }
            with open(told, "w") as file:
                json.dump(result, file)
            os._exit(0)
        for file in files:
            os.close(file)


if __name__ == "__main__":
    main()
