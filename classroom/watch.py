"""Keeps an eye on all processes of a submission together, while it runs."""

import os
import threading
from contextlib import suppress

import psutil

from .box import kill_all
from .disk import DISK_BYTES, DISK_MB, FILES, is_private

_PROCESSES = 64  # that a submission may have at a time


class Watch(threading.Thread):
    """Kills the processes of a submission when together they are too many or too big."""

    def __init__(self, execute):
        super().__init__(daemon=True)
        self.execute, self.memory = execute, execute.memory
        self.killed_because, self.over = "", threading.Event()

    def __enter__(self):
        self.start()
        return self

    def __exit__(self, *error):
        self.over.set()

    def run(self):
        while not self.over.wait(0.1):
            with suppress(psutil.Error, AttributeError):  # it may end while we look
                self._look_at(self._family())

    def _family(self):
        """The processes of the kernel; those of its checks have limits of their own."""
        first = psutil.Process(self.execute.km.provisioner.pid)
        return [first, *first.children(recursive=True)]

    def _look_at(self, family):
        if len(family) > _PROCESSES:  # first, for they may double while we look on
            self._kill(family, f"more than {_PROCESSES} processes")
        elif self._memory_of(family) > self.memory:
            self._kill(family, f"more than {self.memory >> 20} MB of memory")
        elif self._writes_too_much():
            self._kill(family, f"more than {DISK_MB} MB of files, or {FILES} of them")

    def _memory_of(self, family):
        """Bytes of memory; what several share is counted for each."""
        size = 0
        for process in family:
            with suppress(psutil.Error):  # ended since
                size += process.memory_info().rss
        return size

    def _writes_too_much(self):
        """Whether the one folder of the disk that the box shares with us is too full.

        Our private disk has limits of its own; elsewhere, files that were deleted and are
        still open cannot be seen.
        """
        folder = getattr(self.execute.km, "folder", "")
        if not folder or is_private(folder):
            return False
        size, count = 0, 0
        for top, _, names in os.walk(folder):
            for name in names:
                with suppress(OSError):  # gone since
                    size += os.lstat(os.path.join(top, name)).st_size
                count += 1
                if size > DISK_BYTES or count > FILES:
                    return True
        return False

    def _kill(self, family, why):
        self.killed_because = why
        kill_all(family)
