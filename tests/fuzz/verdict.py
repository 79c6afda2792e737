"""One call, and whether it ended as it should.

It may return what holds (see `names`), or raise a ValueError or TypeError of our own that
names an argument; or let through what a function of the caller's raised. Everything else is a
finding: another exception, a warning, NumPy's words instead of ours.
"""

import linecache
import re
import warnings
from pathlib import Path

import lenient
from fuzz import arguments
from fuzz.names import NAMES, asked_for, written

PACKAGE = str(Path(lenient.__file__).parent)
CALLER = "<caller>"  # the file of the texts, lambdas and all
LONGEST_MESSAGE = 1000


def read(text):
    """The object that a text stands for."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # np.matrix warns of itself
        return eval(compile(text, CALLER, "eval"), dict(arguments.WORLD))


def verdict(call):
    """What is wrong with how the call ended, or None."""
    owner, _, member = call.name.partition(".")
    try:
        given = {key: read(text) for key, text in call.texts.items()}
        made = read(call.on or written(owner))
    except (ValueError, TypeError):  # an argument that was refused when it was made
        return None
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            thing = getattr(made, member) if member else made
            result = thing if asked_for(call.name) else thing(**given)
    except Exception as error:
        return fault_of(error, call)
    if wrong := NAMES[call.name].check(result, given | {"self": made}):
        return f"returns {wrong}"


def fault_of(error, call):
    """What is wrong with an exception, or None."""
    frames = []
    trace = error.__traceback__
    while trace:
        frames.append((trace.tb_frame.f_code.co_filename, trace.tb_lineno))
        trace = trace.tb_next
    file, line = frames[-1]
    name = f"{type(error).__name__}: {str(error)[:300]}"
    own = {CALLER, arguments.__file__} & {file for file, _ in frames}
    if own or re.search(r"\(\) (takes|got|missing)", name):
        return None  # raised by a function of the caller's, or by how it wants to be called
    place = next((f"{Path(f).name}:{n}" for f, n in reversed(frames) if PACKAGE in f), "")
    if isinstance(error, OSError) and "path" in call.texts:
        return None  # a file that is not there, or may not be written: said by the system
    if not isinstance(error, (ValueError, TypeError)):
        return f"{name} ({place})"
    if PACKAGE not in file or not linecache.getline(file, line).strip().startswith("raise"):
        return f"{name} ({place}: words of others)"
    message = str(error)
    named = {"engine"} | {*call.texts} | {key.removesuffix("s") for key in call.texts}
    named |= {"policy"} if "policies" in named else set()
    if not named & {*re.findall(r"\w+", message)}:
        return f"{name} ({place}: names no argument)"
    if len(message) > LONGEST_MESSAGE:
        return f"{type(error).__name__} of {len(message)} letters ({place}: too long)"
