"""A kernel in a box: no network, no files but its own, a limit to its memory.

The box is bubblewrap (Debian's package `bubblewrap`). The kernel talks to us through
sockets that are files in a folder of its own, so it needs no network at all. Where
bubblewrap is missing or may not work, `why_open()` says so, and only the limits remain.
"""

import contextlib
import functools
import os
import shutil
import subprocess
import sys
import sysconfig
import tempfile
from pathlib import Path

import psutil
from jupyter_client.manager import AsyncKernelManager
from traitlets import Integer, Unicode

import lenient

from .folders import ROOT

HOME = "/home/student"
DISK = 64 * 2**20  # for the files that a notebook may write, which lie in memory

# What a Python program needs of the system; the rest of the disk is not there.
SYSTEM = ["/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/etc/alternatives"]
SYSTEM += ["/etc/fonts", "/etc/ld.so.cache", "/etc/localtime", "/nix", "/gnu"]

# Runs as the kernel's process, before the kernel: the limits hold from its first line.
LIMIT = """
import os, resource, sys
memory, disk, *command = sys.argv[1:]
resource.setrlimit(resource.RLIMIT_AS, (int(memory), int(memory)))
resource.setrlimit(resource.RLIMIT_FSIZE, (int(disk), int(disk)))
resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
# More than anybody has open: older systems count all processes of a user, not of a box.
allowed = resource.getrlimit(resource.RLIMIT_NPROC)[1]
most = 4096 if allowed == resource.RLIM_INFINITY else min(4096, allowed)
resource.setrlimit(resource.RLIMIT_NPROC, (most, most))
os.execv(command[0], command)
"""


def bubblewrap(folder):
    """The command that puts what follows it into the box; it may write to `folder`."""
    command = ["bwrap", "--unshare-all", "--die-with-parent", "--new-session"]
    command += show(*SYSTEM) + ["--proc", "/proc", "--dev", "/dev"]
    for hidden in ("/tmp", "/dev/shm", str(ROOT), HOME):
        command += ["--size", str(DISK), "--tmpfs", hidden]
    # After these, since the environment is often within one of them.
    command += show(sys.prefix, sys.base_prefix, *sysconfig.get_paths().values())
    command += show(str(Path(lenient.__file__).parent))
    command += ["--bind", str(folder), str(folder), "--chdir", HOME]
    # For root as well: nothing can be mounted anew, and the system not be set.
    command += ["--cap-drop", "ALL"]
    for fixed in ("/proc", "/dev", "/"):
        command += ["--remount-ro", fixed]
    command += ["--clearenv", "--setenv", "PATH", f"{sys.prefix}/bin:/usr/bin:/bin"]
    for name, value in environment(HOME).items():
        command += ["--setenv", name, value]
    return command


def show(*paths):
    """To be read, not written, where there is such a path."""
    unique = dict.fromkeys(paths)
    return [word for path in unique for word in ("--ro-bind-try", path, path)]


def environment(home):
    """Few threads, since many would need much memory; whatever is cached stays inside."""
    threads = ["OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "NUMBA_NUM_THREADS"]
    return {
        "HOME": str(home),
        "LANG": "C.UTF-8",
        "NBGRADER_EXECUTION": "autograde",
        **dict.fromkeys(threads, "1"),
    }


@functools.cache
def why_open():
    """Why student's code cannot be boxed on this machine, or None if it can."""
    if not shutil.which("bwrap"):
        return "bubblewrap is not installed (Debian, Ubuntu: apt install bubblewrap)"
    with tempfile.TemporaryDirectory() as folder:
        tried = subprocess.run(
            [*bubblewrap(folder), sys.executable, "-c", "import lenient"],
            capture_output=True, text=True,
        )  # fmt: skip
    if tried.returncode:
        said = (tried.stderr.strip() or "no message").splitlines()[-1]
        return f"bubblewrap is installed but does not work here ({said})"
    return None


def end(processes):
    for process in processes:
        with contextlib.suppress(psutil.Error):  # it may have ended with another
            process.kill()


class BoxedKernelManager(AsyncKernelManager):
    """Starts each kernel in a box, with an empty folder of its own."""

    transport = "ipc"
    home = "/tmp"  # short, because the name of a socket has room for about 100 characters
    memory = Integer(2 * 2**30).tag(config=True)
    folder = Unicode()

    def format_kernel_cmd(self, extra_arguments=None):
        # A signal would end the box itself.
        self.kernel_spec.interrupt_mode = "message"
        kernel = super().format_kernel_cmd(extra_arguments)
        kernel[0] = sys.executable
        limits = [sys.executable, "-c", LIMIT, str(self.memory), str(DISK)]
        box = [] if why_open() else bubblewrap(self.folder)
        return [*box, *limits, *kernel]

    async def _async_start_kernel(self, **kwargs):
        self.folder = tempfile.mkdtemp(prefix="lenient-", dir=self.home)
        self.connection_file = os.path.join(self.folder, "kernel.json")
        kwargs["cwd"] = self.folder
        kwargs["env"] = {**os.environ, **environment(self.folder)}
        await super()._async_start_kernel(**kwargs)

    start_kernel = _async_start_kernel

    async def _async_cleanup_resources(self, restart=False):
        await super()._async_cleanup_resources(restart)
        shutil.rmtree(self.folder, ignore_errors=True)

    cleanup_resources = _async_cleanup_resources
