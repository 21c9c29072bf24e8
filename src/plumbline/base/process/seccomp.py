"""Filters of system calls: small BPF programs that deny sockets, and new processes, whatever the user's rights."""

import errno
import platform
import struct
from typing import Literal, NamedTuple, TypeAlias

Sockets: TypeAlias = Literal["none", "unix", "any"]

_LOAD, _IF_EQUAL, _IF_AT_LEAST, _RETURN = 0x20, 0x15, 0x35, 0x06
_NUMBER, _ARCHITECTURE, _FIRST_ARGUMENT = 0, 4, 16
_ALLOW, _FAIL = 0x7FFF0000, 0x00050000
_AF_UNIX = 1
_X32 = 0x40000000


class _Calls(NamedTuple):
    architecture: int
    socket: int
    around_sockets: tuple[int, ...]
    """io_uring opens sockets without the system call that is filtered."""
    processes: tuple[int, ...]
    """fork, vfork, clone, clone3, execve, execveat, ptrace: as far as there are such."""


_CALLS = {
    "x86_64": _Calls(0xC000003E, 41, (425,), (57, 58, 56, 435, 59, 322, 101)),
    "aarch64": _Calls(0xC00000B7, 198, (425,), (220, 435, 221, 281, 117)),
}


def known(machine: str = platform.machine()) -> bool:
    return machine in _CALLS


def program(sockets: Sockets, *, processes: bool, machine: str = platform.machine()) -> bytes:
    """BPF that lets all pass but sockets other than those kinds and, unless `processes`, whatever starts a process.

    Calls in the numbering of another architecture fail, as they would not be recognised. Empty if there is nothing to
    deny, or for a machine whose numbers are not known here.
    """
    calls = _CALLS.get(machine)
    if calls is None or (sockets == "any" and processes):
        return b""
    code = [(_LOAD, 0, 0, _ARCHITECTURE), (_IF_EQUAL, 1, 0, calls.architecture), (_RETURN, 0, 0, _FAIL | errno.ENOSYS)]
    code.append((_LOAD, 0, 0, _NUMBER))
    code += [(_IF_AT_LEAST, 0, 1, _X32), (_RETURN, 0, 0, _FAIL | errno.ENOSYS)]
    denied = () if processes else calls.processes
    denied += () if sockets == "any" else calls.around_sockets
    denied += (calls.socket,) if sockets == "none" else ()
    for number in denied:
        code += [(_IF_EQUAL, 0, 1, number), (_RETURN, 0, 0, _FAIL | errno.EACCES)]
    if sockets == "unix":
        code += [(_IF_EQUAL, 0, 3, calls.socket), (_LOAD, 0, 0, _FIRST_ARGUMENT)]
        code += [(_IF_EQUAL, 1, 0, _AF_UNIX), (_RETURN, 0, 0, _FAIL | errno.EACCES)]
    code.append((_RETURN, 0, 0, _ALLOW))
    return b"".join(struct.pack("=HBBI", *instruction) for instruction in code)
