"""A program in a box: no network, no files but its own, a limit to its memory.

The box is bubblewrap (Debian's package `bubblewrap`). A kernel talks to us through sockets
that are files in a folder of its own, so it needs no network at all. Where bubblewrap is
missing or may not work, `why_not_boxed()` says so, and only the limits remain.
"""

import contextlib
import functools
import itertools
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

from .disk import DISK_BYTES, is_private
from .folders import ROOT

_HOME = "/home/student"
_WRITABLE = ("/tmp", "/dev/shm", _HOME)

# What a Python program needs of the system; the rest of the disk is not there.
_SYSTEM = ["/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/etc/alternatives"]
_SYSTEM += ["/etc/fonts", "/etc/ld.so.cache", "/etc/localtime", "/nix", "/gnu"]

# For the user root no limit of processes holds. If it is root who marks, what is in a box
# runs as a user of a number that nobody has, and no other box.
_ROOT_MARKS = os.geteuid() == 0
_BOXES = itertools.count()

# Runs as the program's process, before the program: the limits hold from its first line.
_START = Path(__file__).with_name("limits.py").read_text("utf-8")


def command_in_box(folder, memory, command):
    """The command that runs another in a box, or with the limits alone where there is none.

    It may write to `folder`, which `new_folder` has made.
    """
    if why_not_boxed():
        return [*_limits(folder, memory, boxed=False), *command]
    return [*_bubblewrap(folder), *_limits(folder, memory), *command]


def new_folder(home, prefix="lenient-"):
    """An empty folder for a box, which belongs to the user in it."""
    folder = tempfile.mkdtemp(prefix=prefix, dir=home)
    if _ROOT_MARKS:
        user = 2**30 + 256 * os.getpid() + next(_BOXES) % 256
        os.chown(folder, user, user)
    return folder


def give(path, folder):
    """The path of something that is given to the user in the box with that folder."""
    if _ROOT_MARKS:
        user = os.stat(folder).st_uid
        os.chown(path, user, user)
    return path


def _bubblewrap(folder):
    """The command that puts what follows it into the box; it may write to `folder`."""
    # By its full name: the environment it runs in has a search path of its own.
    command = [shutil.which("bwrap"), "--die-with-parent", "--new-session"]
    apart = ["ipc", "pid", "net", "uts", "cgroup-try"] if _ROOT_MARKS else ["all"]
    command += [f"--unshare-{what}" for what in apart]
    command += _readable(*_SYSTEM) + ["--proc", "/proc", "--dev", "/dev"]
    command += ["--perms", "0755", "--dir", os.path.dirname(_HOME)]
    for place in _WRITABLE:
        if is_private(folder):
            os.makedirs(f"{folder}/disk{place}", exist_ok=True)
            command += ["--bind", give(f"{folder}/disk{place}", folder), place]
        else:
            command += ["--perms", "1777", "--size", str(DISK_BYTES), "--tmpfs", place]
    # Where nothing is to be found but what follows. The checkout may be in one of the above,
    # and the environment is often in the checkout.
    command += ["--tmpfs", str(ROOT)]
    python = [sys.prefix, sys.base_prefix, *sysconfig.get_paths().values()]
    python.append(str(Path(lenient.__file__).parent))
    # The way there may be closed to others, as /root is.
    parents = {parent for path in [*python, folder] for parent in Path(path).parents[:-1]}
    for parent in sorted(parents):
        command += ["--perms", "0755", "--dir", str(parent)]
    command += _readable(*python)
    command += ["--bind", str(folder), str(folder), "--chdir", _HOME]
    # Nothing can be mounted anew, and the system not be set.
    command += ["--cap-drop", "ALL"]
    if _ROOT_MARKS:  # to become `nobody`
        command += ["--cap-add", "CAP_SETUID", "--cap-add", "CAP_SETGID"]
    for fixed in (str(ROOT), "/proc", "/dev", "/"):
        command += ["--remount-ro", fixed]
    # Even of the few variables that bubblewrap itself is started with.
    command += ["--clearenv"]
    for name, value in environment(_HOME).items():
        command += ["--setenv", name, value]
    return command


def _readable(*paths):
    """Options that show these paths in the box, to be read and not to be written."""
    unique = dict.fromkeys(paths)
    return [word for path in unique for word in ("--ro-bind-try", path, path)]


def _limits(folder, memory, boxed=True):
    """The command that sets the limits, and then runs what follows it."""
    # Of processes and threads. Older systems count all that a user has, in a box or not.
    user, most = (os.stat(folder).st_uid, 256) if boxed and _ROOT_MARKS else (0, 4096)
    return [sys.executable, "-I", "-c", _START, *map(str, (user, memory, DISK_BYTES, most))]


def environment(home):
    """All variables that a program has: the teacher's own may hold keys and passwords."""
    # Few threads, since many would need much memory.
    threads = ["OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "NUMBA_NUM_THREADS"]
    return {
        "PATH": f"{sys.prefix}/bin:/usr/bin:/bin",
        "HOME": str(home),  # so whatever is cached stays there
        "LANG": "C.UTF-8",
        "NBGRADER_EXECUTION": "autograde",
        **dict.fromkeys(threads, "1"),
    }


@functools.cache
def why_not_boxed():
    """Why students' code cannot be boxed on this machine, or None if it can."""
    if not shutil.which("bwrap"):
        return "bubblewrap is not installed (Debian, Ubuntu: apt install bubblewrap)"
    with tempfile.TemporaryDirectory() as home:
        folder = new_folder(home)
        program = [sys.executable, "-c", "import lenient"]
        command = [*_bubblewrap(folder), *_limits(folder, 2**32), *program]
        tried = subprocess.run(command, env=environment(folder), capture_output=True, text=True)
    if tried.returncode:
        said = (tried.stderr.strip() or "no message").splitlines()[-1]
        return f"bubblewrap is installed but does not work here ({said})"
    return None


def kill_all(processes):
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
        return command_in_box(self.folder, self.memory, kernel)

    def write_connection_file(self, **kwargs):
        super().write_connection_file(**kwargs)
        give(self.connection_file, self.folder)

    async def _async_start_kernel(self, **kwargs):
        self.folder = new_folder(self.home)
        self.connection_file = os.path.join(self.folder, "kernel.json")
        kwargs["cwd"] = self.folder
        kwargs["env"] = environment(self.folder)
        await super()._async_start_kernel(**kwargs)

    start_kernel = _async_start_kernel

    async def _async_cleanup_resources(self, restart=False):
        await super()._async_cleanup_resources(restart)
        shutil.rmtree(self.folder, ignore_errors=True)

    cleanup_resources = _async_cleanup_resources
