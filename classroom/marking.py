"""What nbgrader does with a notebook, in our course.

`BoxedExecute` runs a submission so that each mistake costs no more than its own
question: a cell that takes too long is interrupted, and one that brings down the kernel
is left out and all the others get a new kernel. `PrivateTests` adds a teacher's own tests.
"""

import os
import secrets
import threading
import time
from contextlib import contextmanager, suppress

import psutil
from nbclient.exceptions import CellTimeoutError, DeadKernelError
from nbclient.util import run_sync
from nbformat.v4 import new_output
from nbgrader.preprocessors import Execute, NbGraderPreprocessor
from nbgrader.utils import is_grade
from traitlets import Integer

from .box import DISK, BoxedKernelManager, end
from .folders import private

OUTPUT = 200_000  # characters of a cell's output that are kept
PROCESSES = 64  # that a submission may have at a time
PATIENCE = 5  # seconds for a cell to obey an interrupt

BEGIN, END = "### BEGIN HIDDEN TESTS", "### END HIDDEN TESTS"


class PrivateTests(NbGraderPreprocessor):
    """Adds a teacher's tests <assignment>/<check>.py to the hidden ones of that check."""

    def preprocess(self, nb, resources):
        tests = private(resources["nbgrader"]["assignment"])
        for cell in nb.cells:
            if path := is_grade(cell) and tests.get(cell.metadata.nbgrader.grade_id):
                test = path.read_text("utf-8").strip("\n")
                cell.source += f"\n{BEGIN}\n{test}\n{END}"
        return nb, resources


class BoxedExecute(Execute):
    """Runs a notebook in a box, and goes on after whatever happens in it."""

    notebook_seconds = Integer(300, help="for all cells together").tag(config=True)
    memory = Integer(2 * 2**30, help="bytes, of all its processes").tag(config=True)

    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs, kernel_manager_class=BoxedKernelManager)

    def create_kernel_manager(self):
        manager = super().create_kernel_manager()
        manager.memory = self.memory
        return manager

    def preprocess(self, nb, resources, km=None):
        self.deadline = time.monotonic() + self.notebook_seconds
        self.lost = set()  # cells that took their kernel with them
        self.token = secrets.token_hex(8)
        with Watch(self) as self.watch:
            return super().preprocess(nb, resources, km)

    def _get_timeout(self, cell):
        left = self.deadline - time.monotonic()
        return max(1, min(super()._get_timeout(cell) or left, left))

    def preprocess_cell(self, cell, resources, index):
        if cell.cell_type != "code" or not cell.source.strip():
            return cell, resources
        if time.monotonic() >= self.deadline:
            fail(cell, "NotebookTimeout", "the notebook's time was up before this cell")
            return cell, resources
        try:
            self.written, self.ended = 0, False
            with self.watched_to_its_end(cell):
                cell, resources = super().preprocess_cell(cell, resources, index)
            errors = {output.get("ename") for output in cell.outputs}
            # A kernel that is short of memory, or chokes on output, harms what follows.
            lost = "MemoryError" in errors
            if "CellTimeoutError" in errors:
                lost = lost or self.written > OUTPUT or not self.kernel_answers()
        except CellTimeoutError:
            lost = True
            fail(cell, "CellTimeoutError", f"{self.too_long()}, nor when interrupted")
        except Exception as error:  # of a kernel that is dead, or talks nonsense
            lost, died = True, isinstance(error, DeadKernelError)
            said = "this cell ended its own kernel" if died else repr(error)[:200]
            fail(cell, "KernelDied", self.watch.killed or said)
        if lost:
            self.lost.add(index)
            self.new_kernel(index)
        return cell, resources

    @contextmanager
    def watched_to_its_end(self, cell):
        """A check counts only if its last line was reached, which says our token."""
        source = cell.source
        if is_grade(cell):
            cell.source += f"\n__import__('sys').stdout.write({self.token!r});"
        try:
            yield
        finally:
            cell.source = source
        if is_grade(cell):
            # A number there would be taken for the points.
            cell.outputs = [o for o in cell.outputs if o.output_type != "execute_result"]
            if not self.ended and not any(o.output_type == "error" for o in cell.outputs):
                fail(cell, "NotRun", "this check did not run to its end")

    def on_cell_executed(self, **kwargs):
        content = kwargs["execute_reply"]["content"]
        if content.get("ename") == "CellTimeoutError":
            content["evalue"] = self.too_long()
        cut(content)
        super().on_cell_executed(**kwargs)

    def too_long(self):
        return f"no end after {self.timeout} seconds"

    def kernel_answers(self):
        """Whether the kernel has obeyed the interrupt."""
        try:
            asked = self.kc.kernel_info()
            return bool(run_sync(self.reply_in_time)(asked))
        except (DeadKernelError, TimeoutError):
            return False

    async def reply_in_time(self, asked):
        until = time.monotonic() + PATIENCE
        while (left := until - time.monotonic()) > 0:
            try:
                reply = await self.kc.shell_channel.get_msg(timeout=left)
            except Exception:  # queue.Empty: nothing came
                return False
            if reply["parent_header"].get("msg_id") == asked:
                return True
        return False

    def new_kernel(self, index):
        """A new kernel, in the state of the lost one without the cells that did it."""
        self.watch.killed = ""
        self._cleanup_kernel()
        self.km = self.create_kernel_manager()
        self.start_new_kernel()
        self.start_new_kernel_client()
        for before, cell in enumerate(self.nb.cells[:index]):
            if cell.cell_type == "code" and before not in self.lost and not is_grade(cell):
                try:
                    self.wait_for_reply(self.kc.execute(cell.source), cell)
                except Exception:
                    self.log.warning("cell %d could not be run again", before)

    def output(self, outs, msg, display_id, cell_index):
        """Keeps the beginning of a long output."""
        content, room = msg["content"], OUTPUT - self.written
        self.written += len(str(content))
        if msg["msg_type"] == "stream":
            self.ended |= self.token in content["text"]
            content["text"] = content["text"].replace(self.token, "")[: max(0, room)]
        cut(content)
        if msg["msg_type"] not in ("stream", "error") and self.written > OUTPUT:
            return None
        if msg["msg_type"] == "stream" and not content["text"]:
            return None
        return super().output(outs, msg, display_id, cell_index)


def cut(content):
    """Shorten the error in a message, of which a student may make hundreds of megabytes."""
    for key in {"ename", "evalue"} & {*content}:
        content[key] = content[key][:1000]
    if "traceback" in content:
        content["traceback"] = [line[:1000] for line in content["traceback"][:50]]


def fail(cell, name, why):
    cell.setdefault("outputs", [])
    cell.outputs.append(
        new_output("error", ename=name, evalue=why, traceback=[f"{name}: {why}"])
    )


class Watch(threading.Thread):
    """Kills the processes of a submission when together they are too many or too big."""

    def __init__(self, execute):
        super().__init__(daemon=True)
        self.execute, self.memory = execute, execute.memory
        self.killed, self.over = "", threading.Event()

    def __enter__(self):
        self.start()
        return self

    def __exit__(self, *error):
        self.over.set()

    def run(self):
        while not self.over.wait(0.1):
            with suppress(psutil.Error):  # it may end while we look
                self.look(psutil.Process().children(recursive=True))

    def look(self, family):
        if len(family) > PROCESSES:  # first, for they may double while we look on
            self.kill(family, f"more than {PROCESSES} processes")
        elif self.size(family) > self.memory:
            self.kill(family, f"more than {self.memory >> 20} MB of memory")
        elif self.written() > DISK:
            self.kill(family, f"more than {DISK >> 20} MB of files")

    def size(self, family):
        """Bytes of memory; what several share is counted for each."""
        size = 0
        for process in family:
            with suppress(psutil.Error):  # ended since
                size += process.memory_info().rss
        return size

    def written(self):
        """Bytes in the one folder of the disk that the box shares with us."""
        folder = getattr(self.execute.km, "folder", "")
        size = 0
        for top, _, names in os.walk(folder):
            for name in names:
                with suppress(OSError):  # gone since
                    size += os.lstat(os.path.join(top, name)).st_size
        return size

    def kill(self, family, why):
        self.killed = why
        end(family)
