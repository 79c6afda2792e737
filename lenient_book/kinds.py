"""One name, one kind of thing: a reader who met `mean` as a function expects one.

`kinds` says of every name in a notebook of which kind it is, `changes` which of them have
become something else. An int may become a float, and a list an array; names that begin
with an underscore are for one use only, and free.
"""

from collections.abc import Mapping, Set
from inspect import isclass, ismodule
from numbers import Number

import numpy as np

OF_IPYTHON = {"In", "Out", "exit", "quit", "get_ipython", "open"}


def kinds(space):
    """{name: kind} of the names that a notebook has made."""
    return {
        name: kind(value)
        for name, value in space.items()
        if not name.startswith("_") and name not in OF_IPYTHON
    }


def kind(value):
    """What a reader would call it."""
    if isinstance(value, np.ndarray) and value.ndim == 0:
        value = value[()]
    for name, has in KINDS.items():
        if has(value):
            return name
    return type(value).__name__


KINDS = {
    "a truth value": lambda value: isinstance(value, (bool, np.bool)),
    "a number": lambda value: isinstance(value, (Number, np.number)),
    "a text": lambda value: isinstance(value, (str, bytes)),
    "a module": ismodule,
    "a class": isclass,
    "a function": callable,
    "a dict": lambda value: isinstance(value, Mapping),
    "a set": lambda value: isinstance(value, Set),
    "None": lambda value: value is None,
    "a sequence": lambda value: type(value) in (list, tuple, range, np.ndarray),
}


def changes(before, after):
    """A sentence for each name that has become something else."""
    for name in before.keys() & after.keys():
        if before[name] != after[name]:
            yield f"`{name}` was {before[name]} and is now {after[name]}"
