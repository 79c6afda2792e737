"""The first thing that runs in a box: it sets limits, and becomes the program to be run.

It runs as text, on the bare Python: user, memory, disk and processes, and then the program.
"""

import ctypes
import errno
import os
import platform
import resource
import struct
import sys

# Calls of the system by which memory could be had that no limit counts (files without a name,
# segments of shared memory, queues), or disks, or power over other programs: {name: number}.
_REFUSED = {
    "x86_64": {
        "memfd_create": 319, "memfd_secret": 447, "shmget": 29, "msgget": 68, "semget": 64,
        "mq_open": 240, "unshare": 272, "setns": 308, "mount": 165, "move_mount": 429,
        "fsopen": 430, "open_tree": 428, "ptrace": 101, "process_vm_readv": 310,
        "process_vm_writev": 311, "io_uring_setup": 425, "userfaultfd": 323, "bpf": 321,
        "perf_event_open": 298, "add_key": 248, "request_key": 249, "keyctl": 250,
    },
    "aarch64": {
        "memfd_create": 279, "memfd_secret": 447, "shmget": 194, "msgget": 186, "semget": 190,
        "mq_open": 180, "unshare": 97, "setns": 268, "mount": 40, "move_mount": 429,
        "fsopen": 430, "open_tree": 428, "ptrace": 117, "process_vm_readv": 270,
        "process_vm_writev": 271, "io_uring_setup": 425, "userfaultfd": 282, "bpf": 280,
        "perf_event_open": 241, "add_key": 217, "request_key": 218, "keyctl": 219,
    },
}  # fmt: skip
_ARCHITECTURE = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}
_CLONE, _CLONE3 = {"x86_64": 56, "aarch64": 220}, 435
_NEW_NAMESPACES = 0x7E020000  # flags of clone
_OPEN_FILES = 256


def _program(machine):
    """A filter for seccomp, in the kernel's own little language."""
    load, equal, above, any_bit, give = 0x20, 0x15, 0x35, 0x45, 0x06
    allow, refuse, unknown = 0x7FFF0000, 0x50000 | errno.EPERM, 0x50000 | errno.ENOSYS
    number, architecture, first_argument = 0, 4, 16  # where they are in what is looked at
    steps = [(load, 0, 0, architecture), (equal, 1, 0, _ARCHITECTURE[machine])]
    steps += [(give, 0, 0, unknown), (load, 0, 0, number)]
    # Numbers of another way to call, on x86; nobody uses it.
    steps += [(above, 0, 1, 0x40000000), (give, 0, 0, unknown)]
    # Its flags are out of sight; without it, programs take clone.
    steps += [(equal, 0, 1, _CLONE3), (give, 0, 0, unknown)]
    for call in _REFUSED[machine].values():
        steps += [(equal, 0, 1, call), (give, 0, 0, refuse)]
    steps += [(equal, 0, 3, _CLONE[machine]), (load, 0, 0, first_argument)]
    steps += [(any_bit, 0, 1, _NEW_NAMESPACES), (give, 0, 0, refuse), (give, 0, 0, allow)]
    return steps


def refuse_calls():
    """From now on the calls of `_REFUSED` fail, in this process and all it starts."""
    machine = platform.machine()
    if not sys.platform.startswith("linux") or machine not in _REFUSED:
        return
    steps = _program(machine)
    code = b"".join(struct.pack("HBBI", *step) for step in steps)

    class Program(ctypes.Structure):
        _fields_ = [("length", ctypes.c_ushort), ("steps", ctypes.c_char_p)]

    libc = ctypes.CDLL(None, use_errno=True)
    no_new_privileges, set_filter, filter_mode = 38, 22, 2
    libc.prctl(no_new_privileges, 1, 0, 0, 0)
    program = ctypes.byref(Program(len(steps), code))
    if libc.prctl(set_filter, filter_mode, program, 0, 0):
        raise OSError(ctypes.get_errno(), "seccomp")


def set_limits(memory, disk, processes):
    limits = {"AS": memory, "FSIZE": disk, "CORE": 0, "NPROC": processes}
    for name, most in (limits | {"NOFILE": _OPEN_FILES, "MSGQUEUE": 0}).items():
        if (what := getattr(resource, f"RLIMIT_{name}", None)) is None:
            continue
        allowed = resource.getrlimit(what)[1]
        most = most if allowed == resource.RLIM_INFINITY else min(most, allowed)
        resource.setrlimit(what, (most, most))


def main(user, memory, disk, processes, *command):
    set_limits(int(memory), int(disk), int(processes))
    if int(user):
        os.setgroups([])
        os.setgid(int(user))
        os.setuid(int(user))
    refuse_calls()
    os.execv(command[0], command)


if __name__ == "__main__":
    main(*sys.argv[1:])
