"""One submission, marked in a process of its own."""

import os
import time
from types import SimpleNamespace

import pytest
from support.assignments import NAMES

from classroom import submission


@pytest.mark.parametrize(
    "harm, reason",
    [
        (lambda *_, **__: time.sleep(60), "stopped after 2 seconds"),
        (lambda *_, **__: os._exit(3), "marking itself failed (exit code 3)"),
    ],
)
def test_marking_is_stopped_from_outside_at_the_latest(harm, reason):
    limits = SimpleNamespace(notebook_seconds=-39, memory=2**31)  # 1.5 s in all
    config = SimpleNamespace(BoxedExecute=limits)
    api = SimpleNamespace(config=config, autograde=harm)
    assert submission.Autograding(api, NAMES[0], "eve").why_it_failed() == reason
