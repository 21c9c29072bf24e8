"""What a fork asks of the kernel before it becomes a tool: each function raises OSError where the kernel refuses."""

import contextlib
import ctypes
import errno
import os
import resource
import signal
import stat
import struct
import sys

from plumbline.base.zygote.order import CLONE_NEWUSER, TYPE_CHECKING

if TYPE_CHECKING:
    from plumbline.base.zygote.order import Landlock

LINUX = sys.platform == "linux"

_SET_PDEATHSIG, _GET_SECCOMP, _SET_SECCOMP = 1, 21, 22
_SET_CHILD_SUBREAPER, _SET_NO_NEW_PRIVS, _CAP_AMBIENT, _CAP_AMBIENT_CLEAR = 36, 38, 47, 4
_SECCOMP_FILTER = 2
_LANDLOCK_CREATE, _LANDLOCK_ADD, _LANDLOCK_RESTRICT = 444, 445, 446
_LANDLOCK_VERSION, _LANDLOCK_BENEATH = 1, 1
# Execute, write, read, truncate, ioctl: what a rule may grant on a file that is not a directory.
_LANDLOCK_ON_FILES = 0b1100_0000_0000_0111
_CAPABILITY_HEADER = struct.pack("=Ii", 0x20080522, 0)
_NO_CAPABILITIES = bytes(24)

_libc = ctypes.CDLL(None, use_errno=True)
_libc.syscall.restype = ctypes.c_long


class _Filter(ctypes.Structure):
    _fields_ = (("length", ctypes.c_ushort), ("program", ctypes.c_char_p))


def renounce_privileges() -> None:
    """No set-uid program and no file capability gives more than we have, in this process and all below it."""
    if LINUX:
        _prctl(_SET_NO_NEW_PRIVS, 1)


def adopt_orphans() -> None:
    """Become the parent of every descendant whose own parent ends."""
    if LINUX:
        _prctl(_SET_CHILD_SUBREAPER, 1)


def die_with_parent() -> None:
    if LINUX:
        _prctl(_SET_PDEATHSIG, signal.SIGKILL)


def limit(kind: int, bound: int) -> None:
    """Lower a resource limit for good; one that is lower already stays. Of CPU there is a second left to say so."""
    _, ceiling = resource.getrlimit(kind)
    hard = bound + 1 if kind == resource.RLIMIT_CPU else bound
    hard = hard if ceiling == resource.RLIM_INFINITY else min(hard, ceiling)
    resource.setrlimit(kind, (min(bound, hard), hard))


def enter_namespaces(flags: int) -> None:
    """Enter new namespaces, keeping user and group as they are."""
    user, group = os.getuid(), os.getgid()
    _checked(_libc.unshare(flags))
    if flags & CLONE_NEWUSER:
        for name, line in (("setgroups", "deny"), ("uid_map", f"{user} {user} 1"), ("gid_map", f"{group} {group} 1")):
            descriptor = os.open(f"/proc/self/{name}", os.O_WRONLY)
            os.write(descriptor, line.encode())
            os.close(descriptor)


def restrict_files(landlock: "Landlock") -> None:
    attributes = landlock["attributes"]
    ruleset = _syscall(_LANDLOCK_CREATE, attributes, len(attributes), 0)
    for path, rights, needed in landlock["paths"]:
        try:
            beneath = os.open(path, os.O_PATH)
        except FileNotFoundError:
            if needed:
                raise
            continue
        granted = rights if stat.S_ISDIR(os.fstat(beneath).st_mode) else rights & _LANDLOCK_ON_FILES
        _syscall(_LANDLOCK_ADD, ruleset, _LANDLOCK_BENEATH, struct.pack("=Qi", granted, beneath), 0)
        os.close(beneath)
    _syscall(_LANDLOCK_RESTRICT, ruleset, 0)
    os.close(ruleset)


def drop_capabilities() -> None:
    """Without new privileges and with nothing permitted, even uid 0 gets nothing back on exec."""
    with contextlib.suppress(OSError):
        _prctl(_CAP_AMBIENT, _CAP_AMBIENT_CLEAR)
    _checked(_libc.capset(_CAPABILITY_HEADER, _NO_CAPABILITIES))


def filter_syscalls(program: bytes) -> None:
    instructions = _Filter(len(program) // 8, program)
    _checked(_libc.prctl(_SET_SECCOMP, _SECCOMP_FILTER, ctypes.byref(instructions), 0, 0))


def landlock_abi() -> int:
    return max(_libc.syscall(_LANDLOCK_CREATE, None, 0, _LANDLOCK_VERSION), 0) if LINUX else 0


def seccomp_error() -> int:
    if not LINUX:
        return errno.ENOSYS
    return ctypes.get_errno() if _libc.prctl(_GET_SECCOMP, 0, 0, 0, 0) < 0 else 0


def children(of: int) -> set[int]:
    """The children of a process, of all its threads; none where the kernel does not tell."""
    found: set[int] = set()
    with contextlib.suppress(OSError):
        for thread in os.scandir(f"/proc/{of}/task"):
            descriptor = os.open(f"{thread.path}/children", os.O_RDONLY)
            while text := os.read(descriptor, 1 << 16):
                found.update(map(int, text.split()))
            os.close(descriptor)
    return found


def descendants(of: int) -> set[int]:
    found: set[int] = set()
    fresh = children(of)
    while fresh:
        found |= fresh
        fresh = set[int]().union(*map(children, fresh)) - found
    return found


def _prctl(option: int, argument: int) -> None:
    _checked(_libc.prctl(option, argument, 0, 0, 0))


def _syscall(number: int, *arguments: bytes | int) -> int:
    return _checked(_libc.syscall(number, *arguments))


def _checked(result: int) -> int:
    if result < 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))
    return result
