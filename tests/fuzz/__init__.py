"""Calls of every public name of `lenient`, at random, legal and hostile.

    make fuzz                                  or, in tests/: python -m fuzz
    make fuzz FUZZ_FLAGS="--seed 1 --only 7"   one call of a report again

    arguments.py   what may stand for an argument, as Python text
    names.py       the public names, what they take and what must hold of their results
    verdict.py     one call, and whether it ended as it should
    workers.py     calls in a process of their own, which may hang, crash or eat memory

A call is text, so that a finding is a line of Python that repeats it, among the names that
`from fuzz.arguments import *` brings.
"""
