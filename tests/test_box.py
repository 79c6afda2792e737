"""The box: what is in it and what is not."""

import asyncio
import os

import psutil
import pytest
from support.assignments import NAMES, answered, solved
from support.course import Course, points_by_program, points_got

from classroom import box

NAME = NAMES[0]
# The first processes of a box are not started by the student's code, but can be seen.
LOOK_FOR_THE_SECRET = """
import glob, os
places = [repr(os.environ)]
for path in glob.glob({processes!r}):
    try:
        places.append(open(path, "rb").read().decode("utf-8", "replace"))
    except OSError:
        pass
assert len(places) > 1 and "HOME" in "".join(places)
assert not any("LENIENT_SECRET" in text for text in places), "FOUND"
"""


@pytest.mark.parametrize("boxed", [True, False], ids=["boxed", "not boxed"])
def test_the_variables_of_the_teacher_are_nowhere(tmp_path, boxed):
    if boxed and (why := box.why_not_boxed()):
        pytest.skip(why)
    no_tools = {} if boxed else {"PATH": str(tmp_path)}
    course = Course(tmp_path, LENIENT_SECRET="key", **no_tools)
    # Without a box the processes that started us are there to be seen, but not as ours.
    processes = "/proc/[0-9]*/environ" if boxed else "/proc/self/environ"
    look = LOOK_FOR_THE_SECRET.format(processes=processes)
    right = next(cell.source for cell in solved(NAME).cells if cell.id == "q1")
    course.hand_in("spy", NAME, answered(solved(NAME), {"q1": f"{look}\n{right}"}))
    [row] = course.grade(str(course.folder)).values()
    assert points_got(row, NAME) == points_by_program(NAME), row["messages"]
    assert ("NOT boxed" in course.said) != boxed


def test_no_process_of_a_kernel_is_started_with_them(monkeypatch):
    """Seen from outside: whoever marks, the first process of the box is seen here too."""
    monkeypatch.setenv("LENIENT_SECRET", "key")

    async def variables_of_all():
        manager = box.BoxedKernelManager(kernel_name="python3")
        await manager.start_kernel()
        try:
            await asyncio.sleep(1)
            processes = psutil.Process(manager.provisioner.pid).children(recursive=True)
            processes.append(psutil.Process(manager.provisioner.pid))
            return [process.environ() for process in processes]
        finally:
            await manager.shutdown_kernel(now=True)

    found = asyncio.run(variables_of_all())
    assert all("HOME" in variables for variables in found)
    assert not any("LENIENT_SECRET" in variables for variables in found)


def test_a_bubblewrap_that_does_not_work_is_noticed(tmp_path, monkeypatch):
    fake = tmp_path / "bwrap"
    fake.write_text("#!/bin/sh\necho no permission >&2; exit 1\n")
    fake.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=os.pathsep)
    assert "does not work here (no permission)" in box.why_not_boxed.__wrapped__()
