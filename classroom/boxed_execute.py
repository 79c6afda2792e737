"""How nbgrader runs a submission in our course: each mistake costs its own question only.

A cell that takes too long is interrupted, and one that brings down the kernel is left
out and all the others get a new kernel.
"""

import secrets
import time
from contextlib import contextmanager

from nbclient.exceptions import CellTimeoutError, DeadKernelError
from nbclient.util import run_sync
from nbformat.v4 import new_output
from nbgrader.preprocessors import Execute
from nbgrader.utils import is_grade
from traitlets import Integer

from .box import BoxedKernelManager
from .watch import Watch

_OUTPUT = 200_000  # characters of a cell's output that are kept
_PATIENCE = 5  # seconds for a cell to obey an interrupt


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
        self.fatal = set()  # cells that took their kernel with them
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
            _add_error(cell, "NotebookTimeout", "the notebook's time was up before this cell")
            return cell, resources
        try:
            self.output_size, self.reached_end = 0, False
            with self._noticing_its_end(cell):
                cell, resources = super().preprocess_cell(cell, resources, index)
            errors = {output.get("ename") for output in cell.outputs}
            # A kernel that is short of memory, or chokes on output, harms what follows.
            lost = "MemoryError" in errors
            if "CellTimeoutError" in errors:
                lost = lost or self.output_size > _OUTPUT or not self._kernel_answers()
        except CellTimeoutError:
            lost = True
            _add_error(cell, "CellTimeoutError", f"{self._too_long()}, nor when interrupted")
        except Exception as error:  # of a kernel that is dead, or talks nonsense
            lost, died = True, isinstance(error, DeadKernelError)
            said = "this cell ended its own kernel" if died else repr(error)[:200]
            _add_error(cell, "KernelDied", self.watch.killed_because or said)
        if lost:
            self.fatal.add(index)
            self._replace_kernel(index)
        return cell, resources

    @contextmanager
    def _noticing_its_end(self, cell):
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
            if not self.reached_end and not any(o.output_type == "error" for o in cell.outputs):
                _add_error(cell, "NotRun", "this check did not run to its end")

    def on_cell_executed(self, **kwargs):
        content = kwargs["execute_reply"]["content"]
        if content.get("ename") == "CellTimeoutError":
            content["evalue"] = self._too_long()
        _shorten_error(content)
        super().on_cell_executed(**kwargs)

    def _too_long(self):
        return f"no end after {self.timeout} seconds"

    def _kernel_answers(self):
        """Whether the kernel has obeyed the interrupt."""
        try:
            asked = self.kc.kernel_info()
            return bool(run_sync(self._reply_in_time)(asked))
        except (DeadKernelError, TimeoutError):
            return False

    async def _reply_in_time(self, asked):
        until = time.monotonic() + _PATIENCE
        while (left := until - time.monotonic()) > 0:
            try:
                reply = await self.kc.shell_channel.get_msg(timeout=left)
            except Exception:  # queue.Empty: nothing came
                return False
            if reply["parent_header"].get("msg_id") == asked:
                return True
        return False

    def _replace_kernel(self, index):
        """A new kernel, in the state of the lost one without the cells that did it."""
        self.watch.killed_because = ""
        self._cleanup_kernel()
        self.km = self.create_kernel_manager()
        self.start_new_kernel()
        self.start_new_kernel_client()
        for before, cell in enumerate(self.nb.cells[:index]):
            if cell.cell_type == "code" and before not in self.fatal and not is_grade(cell):
                try:
                    self.wait_for_reply(self.kc.execute(cell.source), cell)
                except Exception:
                    self.log.warning("cell %d could not be run again", before)

    def output(self, outs, msg, display_id, cell_index):
        """Keeps the beginning of a long output."""
        content, room = msg["content"], _OUTPUT - self.output_size
        self.output_size += len(str(content))
        if msg["msg_type"] == "stream":
            self.reached_end |= self.token in content["text"]
            content["text"] = content["text"].replace(self.token, "")[: max(0, room)]
        _shorten_error(content)
        if msg["msg_type"] not in ("stream", "error") and self.output_size > _OUTPUT:
            return None
        if msg["msg_type"] == "stream" and not content["text"]:
            return None
        return super().output(outs, msg, display_id, cell_index)


def _shorten_error(content):
    """Shorten the error in a message, of which a student may make hundreds of megabytes."""
    for key in {"ename", "evalue"} & {*content}:
        content[key] = content[key][:1000]
    if "traceback" in content:
        content["traceback"] = [line[:1000] for line in content["traceback"][:50]]


def _add_error(cell, name, why):
    """Let the cell have failed, for a reason that its own code does not give."""
    cell.setdefault("outputs", [])
    cell.outputs.append(
        new_output("error", ename=name, evalue=why, traceback=[f"{name}: {why}"])
    )
