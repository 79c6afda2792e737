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

# For root no limit of processes holds. So root's box is run by nobody, who owns nothing.
ROOT_MARKS = os.geteuid() == 0
NOBODY = 65534

# Runs as the kernel's process, before the kernel: the limits hold from its first line.
LIMIT = """
import os, resource, sys
user, memory, disk, processes, *command = sys.argv[1:]
for what, most in ("AS", memory), ("FSIZE", disk), ("CORE", 0), ("NPROC", processes):
    what = getattr(resource, "RLIMIT_" + what)
    allowed = resource.getrlimit(what)[1]
    most = int(most) if allowed == resource.RLIM_INFINITY else min(int(most), allowed)
    resource.setrlimit(what, (most, most))
if int(user):
    os.setgroups([])
    os.setgid(int(user))
    os.setuid(int(user))
os.execv(command[0], command)
"""


def bubblewrap(folder):
    """The command that puts what follows it into the box; it may write to `folder`."""
    command = ["bwrap", "--die-with-parent", "--new-session"]
    apart = ["ipc", "pid", "net", "uts", "cgroup-try"] if ROOT_MARKS else ["all"]
    command += [f"--unshare-{what}" for what in apart]
    command += show(*SYSTEM) + ["--proc", "/proc", "--dev", "/dev"]
    for hidden in ("/tmp", "/dev/shm", str(ROOT), HOME):
        command += ["--perms", "1777", "--size", str(DISK), "--tmpfs", hidden]
    # After these, since the environment is often within one of them.
    python = [sys.prefix, sys.base_prefix, *sysconfig.get_paths().values()]
    python.append(str(Path(lenient.__file__).parent))
    # The way there may be closed to others, as /root is.
    parents = {parent for path in [*python, folder] for parent in Path(path).parents[:-1]}
    for parent in sorted(parents):
        command += ["--perms", "0755", "--dir", str(parent)]
    command += show(*python)
    command += ["--bind", str(folder), str(folder), "--chdir", HOME]
    # Nothing can be mounted anew, and the system not be set.
    command += ["--cap-drop", "ALL"]
    if ROOT_MARKS:
        command += ["--cap-add", "CAP_SETUID", "--cap-add", "CAP_SETGID"]  # see NOBODY
    for fixed in ("/proc", "/dev", "/"):
        command += ["--remount-ro", fixed]
    command += ["--clearenv", "--setenv", "PATH", f"{sys.prefix}/bin:/usr/bin:/bin"]
    for name, value in environment(HOME).items():
        command += ["--setenv", name, value]
    return command


def limited(memory, boxed=True):
    """The command that sets the limits, and then runs what follows it."""
    # Of processes and threads. Older systems count all that a user has, in a box or not.
    user, most = (NOBODY, 256) if boxed and ROOT_MARKS else (0, 4096)
    return [sys.executable, "-c", LIMIT, *map(str, (user, memory, DISK, most))]


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
            [*bubblewrap(folder), *limited(2**32), sys.executable, "-c", "import lenient"],
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
        if why_open():
            return [*limited(self.memory, boxed=False), *kernel]
        return [*bubblewrap(self.folder), *limited(self.memory), *kernel]

    def write_connection_file(self, **kwargs):
        super().write_connection_file(**kwargs)
        if ROOT_MARKS:
            for path in (self.folder, self.connection_file):
                os.chown(path, NOBODY, NOBODY)

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
