"""What crosses the sockets between the main program, the zygote and its keepers."""

import struct

# Not typing's own, which is half a megabyte in a process that has four: type checkers know the name.
TYPE_CHECKING = False

HELLO = struct.Struct("!4i")
"""Landlock's ABI, then errors (0 for none): seccomp, namespaces by privilege, namespaces in a user namespace."""

LENGTH = struct.Struct("!I")

FAILURE = struct.Struct("!i")
"""An error number; the stage it comes from follows as text."""

REPORT = struct.Struct("!iiddq")
"""Wait status, error number, user seconds, system seconds, peak KiB; the stage of the error follows as text."""

STDIO = 3

CLONE_NEWUSER, CLONE_NEWPID, CLONE_NEWNET = 0x10000000, 0x20000000, 0x40000000

if TYPE_CHECKING:
    from typing import TypedDict

    class Landlock(TypedDict):
        attributes: bytes
        paths: list[tuple[bytes, int, bool]]
        """Path, rights, and whether it has to exist."""

    class Order(TypedDict):
        """What a keeper is asked to do. It crosses the socket with `marshal`: same interpreter, and nothing to import."""

        argv: list[bytes]
        """Empty: run the preloaded module's `main`."""
        tool: bytes
        environment: dict[bytes, bytes]
        directory: bytes
        grace_s: float
        """Between asking the tool to end and killing it. Zero: kill at once."""
        limits: list[tuple[int, int]]
        unshare: int
        """Flags of the namespaces to enter; if any, the one of pids is among them."""
        landlock: Landlock | None
        seccomp: bytes
        drop_capabilities: bool
