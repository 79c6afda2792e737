"""Calls of every public name at random: `make fuzz` in small; and that it finds faults."""

import inspect
import warnings

import numpy as np
import pytest
from docstrings import methods, public
from fuzz import names
from fuzz.__main__ import call_number, report, run
from fuzz.names import Call
from fuzz.verdict import fault_of, verdict
from fuzz.workers import Worker

import lenient

KL = Call("kl", {"p": "0.5", "q": "0.2"})


def test_every_public_name_is_tried():
    assert [*names.missing()] == []


def test_functions_and_methods_of_the_reference_are_tried_too():
    """Records are made by the package, and hold what it computed."""
    below = {*public()} - {f"lenient.{name}" for name in lenient.__all__}
    assert {"lenient.statistics.interval", "lenient.statistics.Tail"} < below
    for name in below:
        thing, short = public()[name], name.rpartition(".")[2]
        tried = {f"{short}.{method}" for method in methods(thing)}
        assert {*tried, *([] if inspect.isclass(thing) else [short])} <= {*names.NAMES}


def test_calls_at_random_end_as_they_should():
    """More patience than in `make fuzz`, on a machine that does other things too."""
    findings = run(count=700, seed=0, seconds=30)
    assert not findings, "\n" + "\n".join(report(findings, seed=0))


# ---- what must be found --------------------------------------------------------------
def raises(error):
    def kl(p, q):
        raise error

    return kl


def warns(p, q):
    warnings.warn("no good", RuntimeWarning, stacklevel=1)
    return 0.0


@pytest.mark.parametrize(
    "kl, found",
    [
        (lambda p, q: np.nan, "returns NaN"),
        (lambda p, q: -1.0, "returns negative"),
        (lambda p, q: [0.0, 0.0], r"returns shape \(2,\)"),
        (lambda p, q: np.log(q - 1), "RuntimeWarning"),
        (warns, "RuntimeWarning: no good"),
        (raises(KeyError("p")), "KeyError"),
        (raises(ValueError("p must be 1")), "words of others"),  # not raised in lenient
        (lambda p, q: np.ones(2) + np.ones(3), "broadcast together .*words of others"),
    ],
)
def test_a_fault_is_found(monkeypatch, kl, found):
    assert verdict(KL) is None
    monkeypatch.setattr(lenient, "kl", kl)
    assert pytest.raises(AssertionError, _none, verdict(KL)).match(found)


def _none(wrong):
    assert wrong is None, wrong


def test_an_error_must_name_an_argument_in_few_words():
    with pytest.raises(ValueError, match="eps must be") as caught:
        lenient.hinge(2)
    assert fault_of(caught.value, Call("hinge", {"eps": "2"})) is None
    assert "names no argument" in fault_of(caught.value, Call("hinge", {"size": "2"}))
    caught.value.args = (f"{caught.value}, got {'0' * 1000}",)
    assert "too long" in fault_of(caught.value, Call("hinge", {"eps": "2"}))


@pytest.mark.parametrize(
    "text, found",
    [
        ("__import__('time').sleep(9)", "not done after 1 s"),
        ("__import__('os')._exit(3)", "ended its process, exit code 3"),
        ("bytearray(2 * 10**9)", "MemoryError"),
    ],
)
def test_a_call_may_hang_crash_or_eat_memory(text, found):
    with Worker(seconds=1, prepared=False) as worker:
        assert found in worker.verdict(Call("kl", {"p": text, "q": "0.2"}))
        assert worker.verdict(KL) is None


def test_a_name_without_a_line_is_missing(monkeypatch):
    monkeypatch.setattr(lenient, "__all__", [*lenient.__all__, "exact"])
    monkeypatch.delitem(names.NAMES, "GapFunction.costs")
    monkeypatch.delitem(names.ARGUMENTS, "mu2")
    assert [*names.missing()] == [
        "lenient.GapFunction.costs has no line in tests/fuzz/names.py",
        "lenient.exact has no line in tests/fuzz/names.py",
        "lenient.tail_exponent: no mu2 in tests/fuzz/arguments.py",
    ]


def test_a_call_is_the_same_again_and_a_line_of_python():
    for number in range(300):
        call = call_number(number, seed=5)
        assert call == call_number(number, seed=5)
        compile(str(call), "report", "eval")
