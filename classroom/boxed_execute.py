"""How nbgrader runs a submission in our course: each mistake costs its own question only.

A cell that takes too long is interrupted, and one that brings down the kernel is left
out and all the others get a new kernel. A check does not run in the kernel, where an answer
could reach it: the kernel is told to answer what the check asks (`classroom.checker`).
"""

import re
import time
from contextlib import contextmanager

from nbclient.exceptions import CellTimeoutError, DeadKernelError
from nbclient.util import run_sync
from nbformat.v4 import new_output
from nbgrader.preprocessors import Execute
from nbgrader.utils import is_grade, is_locked
from traitlets import Integer

from .box import BoxedKernelManager
from .checker import Check, Checker, imports_of
from .sources import grade_id
from .watch import Watch

_WITHOUT = re.compile(r"(?m)^# Without: (.*)$")  # functions that a question takes away
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
        # nbgrader has put back those that students are not to change.
        ours = [c for c in nb.cells if c.cell_type == "code" and is_locked(c)]
        self.setup = [cell.source for cell in ours if not is_grade(cell)]
        self.checker = Checker(BoxedKernelManager.home, self.memory, imports_of(ours))
        try:
            with Watch(self) as self.watch:
                return super().preprocess(nb, resources, km)
        finally:
            self.checker.close()

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
            self.output_size = 0
            with self._away_from_its_check(cell):
                cell, resources = super().preprocess_cell(cell, resources, index)
            errors = {output.get("ename") for output in cell.outputs}
            # A kernel that is short of memory or disk, or chokes on output, harms what follows.
            lost = "MemoryError" in errors or _is_disk_full(cell)
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
    def _away_from_its_check(self, cell):
        """Let the kernel answer what a check asks, and put down how the check ended."""
        if not is_grade(cell):
            yield
            return
        source, seconds = cell.source, self._get_timeout(cell)
        what = {"name": grade_id(cell), "source": source, "setup": self.setup}
        without = [name for names in _WITHOUT.findall(source) for name in names.split()]
        with Check(self.checker, self.km.folder, what | {"seconds": int(seconds)}) as check:
            cell.source = check.code_to_answer(without)
            try:
                yield
            finally:
                cell.source = source
            _put_down(cell, check.result())

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

    def process_message(self, msg, cell, cell_index):
        """Lets go of what is no output: the state of widgets, and too much put in its place."""
        kind = msg["msg_type"]
        if kind == "update_display_data":
            self.output_size += len(str(msg["content"]))
        too_much = kind == "update_display_data" and self.output_size > _OUTPUT
        if kind.startswith("comm") or too_much:
            return None
        return super().process_message(msg, cell, cell_index)

    def output(self, outs, msg, display_id, cell_index):
        """Keeps the beginning of a long output."""
        content, room = msg["content"], _OUTPUT - self.output_size
        self.output_size += len(str(content))
        if msg["msg_type"] == "stream":
            content["text"] = content["text"][: max(0, room)]
        _shorten_error(content)
        if msg["msg_type"] not in ("stream", "error") and self.output_size > _OUTPUT:
            return None
        if msg["msg_type"] == "stream" and not content["text"]:
            return None
        return super().output(outs, msg, display_id, cell_index)


def _is_disk_full(cell):
    return any("No space left on device" in o.get("evalue", "") for o in cell.outputs)


def _put_down(cell, result):
    """The outputs of a check, as nbgrader reads them: an error, the points, or neither."""
    # An answer may print, but a number as the cell's result would be taken for the points.
    said = [o for o in cell.outputs if o.output_type in ("stream", "display_data")]
    if result is None:
        cell.outputs = said + [o for o in cell.outputs if o.output_type == "error"]
        if len(cell.outputs) == len(said):
            _add_error(cell, "NotRun", "this check did not run to its end")
        return
    if result["printed"]:
        said.append(new_output("stream", name="stdout", text=result["printed"]))
    worth, share = cell.metadata.nbgrader.points, result["share"]
    errors = [new_output("error", **error) for error in result["errors"]]
    cell.metadata["lenient"] = {"changed": result["changed"], "errors": result["errors"]}
    if share == 1 or not errors:
        cell.outputs = said
    elif share == 0:
        cell.outputs = said + errors[:1]
    else:  # an error would take all points
        for error in result["errors"]:
            lines = "\n".join(error["traceback"])
            said.append(new_output("display_data", {"text/plain": lines}))
        points = f"{worth * share:.2f}"
        result = new_output("execute_result", {"text/plain": points}, execution_count=None)
        cell.outputs = [*said, result]


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
