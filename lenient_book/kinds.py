"""One name, one kind of thing: a reader who met `mean` as a function expects one.

`kinds` says of every name in a notebook of which kind it is, `changes` which of them have
become something else. A quantity may be one number or many, in a list or an array. Free
are single letters, which belong to a formula or a loop, names that begin with an
underscore, and the names of a look, which matplotlib takes in many forms.
"""

from collections.abc import Mapping, Set
from inspect import isclass, ismodule
from numbers import Number

import numpy as np

OF_IPYTHON = {"In", "Out", "exit", "quit", "get_ipython", "open"}
OF_A_LOOK = {"color", "style"}


def kinds(space):
    """{name: kind} of the names that a notebook has made."""
    return {name: kind(value) for name, value in space.items() if not is_free(name)}


def is_free(name):
    """May the name become something else?"""
    return len(name) == 1 or name[0] == "_" or name in OF_IPYTHON | OF_A_LOOK


def kind(value):
    """What a reader would call it."""
    return next((name for name, fits in KINDS.items() if fits(value)), type(value).__name__)


def _is_numbers(value):
    """One or many: a number, an array of them, or a list, also of lists."""
    if type(value) in (list, tuple):
        return all(_is_numbers(entry) for entry in value)
    if isinstance(value, np.ndarray):
        return value.dtype.kind in "biufc"
    return isinstance(value, (Number, np.generic, range))


KINDS = {
    "a number or several": _is_numbers,
    "a text": lambda value: isinstance(value, (str, bytes)),
    "a module": ismodule,
    "a class": isclass,
    "a function": callable,
    "a dict": lambda value: isinstance(value, Mapping),
    "a set": lambda value: isinstance(value, Set),
    "a list": lambda value: type(value) in (list, tuple, np.ndarray),
    "None": lambda value: value is None,
}


def changes(before, after):
    """A sentence for each name that has become something else."""
    for name in sorted(before.keys() & after.keys()):
        if before[name] != after[name]:
            yield f"`{name}` was {before[name]} and is now {after[name]}"
