"""A small disk in memory for what a submission writes: limited as a whole, and then gone.

It is mounted for one process and its children (a namespace of mounts), so nobody else sees
it, and nothing has to be cleaned up.
"""

import ctypes
import os

DISK_MB = 64
DISK_BYTES = DISK_MB * 2**20
FILES = 10_000  # which may be empty, but take room in the kernel's memory
_NEW_MOUNTS, _NEW_USER = 0x20000, 0x10000000
_PRIVATE, _RECURSIVE = 1 << 18, 1 << 14


def make_private(folder):
    """Mount such a disk on the folder; only a process that has a single thread may do it."""
    libc = ctypes.CDLL(None, use_errno=True)

    def check(result, what):
        if result:
            raise OSError(ctypes.get_errno(), what)

    user, group, root = os.geteuid(), os.getegid(), os.geteuid() == 0
    check(libc.unshare(_NEW_MOUNTS | (0 if root else _NEW_USER)), "unshare")
    if not root:  # who is himself here too
        for name, text in [("setgroups", "deny"), ("uid_map", f"{user} {user} 1"),
                           ("gid_map", f"{group} {group} 1")]:  # fmt: skip
            with open(f"/proc/self/{name}", "w") as file:
                file.write(text)
    check(libc.mount(b"none", b"/", None, _RECURSIVE | _PRIVATE, None), "mounts apart")
    options = f"size={DISK_BYTES},nr_inodes={FILES},mode=755".encode()
    check(libc.mount(b"lenient", os.fsencode(folder), b"tmpfs", 0, options), "tmpfs")


def is_private(folder):
    """Whether it lies on such a disk."""
    while folder != os.path.dirname(folder):
        if os.path.ismount(folder):
            return os.statvfs(folder).f_files == FILES
        folder = os.path.dirname(folder)
    return False
