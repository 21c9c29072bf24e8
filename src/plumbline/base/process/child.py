"""A started process as seen from here: its keeper's control socket."""

import asyncio
import contextlib
import marshal
import socket
from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from plumbline.base.errors import ToolFailed
from plumbline.base.process.launcher import Launcher
from plumbline.base.process.sandbox import Facts
from plumbline.base.zygote.order import LENGTH, REPORT

if TYPE_CHECKING:
    from plumbline.base.zygote.order import Order

_BUSY_S = 0.002
_ATTEMPTS = 3
_REPORT_BYTES = 4096

# Beyond its grace, how long a keeper may take to end a tool and say so.
_PATIENCE_S = 5.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    status: int
    """As `os.waitpid` gives it."""
    error: int
    """Not 0: it was not started, because of this error number."""
    stage: str
    cpu_s: float
    peak_bytes: int


class Child:
    def __init__(self, control: socket.socket) -> None:
        self._control = control

    async def ended(self) -> Report:
        """Wait for the keeper's report, after which nothing of the tool is left. It comes once."""
        try:
            received = await asyncio.get_running_loop().sock_recv(self._control, _REPORT_BYTES)
        except ConnectionError:
            received = b""
        if len(received) < REPORT.size:
            raise ToolFailed("a tool was lost", why="its keeper was killed, and the tool with it")
        status, error, user_s, system_s, peak_kib = REPORT.unpack_from(received)
        return Report(
            status=status,
            error=error,
            stage=received[REPORT.size :].decode(),
            cpu_s=user_s + system_s,
            peak_bytes=peak_kib * 1024,
        )

    async def gone(self) -> None:
        """Wait until the keeper is gone, whatever it has to say."""
        with contextlib.suppress(ConnectionError):
            while await asyncio.get_running_loop().sock_recv(self._control, _REPORT_BYTES):
                pass

    def stop(self) -> None:
        """Have it ended, whole tree, as its order says. Returns at once; `ended` tells when it is done."""
        with contextlib.suppress(OSError):
            self._control.shutdown(socket.SHUT_WR)


async def stopped(child: Child, grace_s: float) -> None:
    """Have it ended, and wait until nothing of it is left."""
    child.stop()
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(grace_s + _PATIENCE_S):
            await child.gone()


async def ready(launcher: Launcher) -> Facts:
    facts = launcher.facts
    return await asyncio.to_thread(launcher.start) if facts is None else facts


@contextlib.asynccontextmanager
async def started(launcher: Launcher, order: "Order", stdio: tuple[int, int, int]) -> AsyncIterator[Child]:
    """Start a process with these descriptors, which the caller may close once inside. On leaving it ends, unwaited."""
    ours, theirs = socket.socketpair()
    with ours:
        with theirs:
            await _handed_over(launcher, [theirs.fileno(), *stdio])
        ours.setblocking(False)
        frame = marshal.dumps(dict(order))
        with contextlib.suppress(BrokenPipeError, ConnectionResetError):
            # A keeper that could not be forked shows when its report is read.
            await asyncio.get_running_loop().sock_sendall(ours, LENGTH.pack(len(frame)) + frame)
        yield Child(ours)


async def _handed_over(launcher: Launcher, descriptors: list[int]) -> None:
    for _ in range(_ATTEMPTS):
        await ready(launcher)
        try:
            while True:
                try:
                    return launcher.hand_over(descriptors)
                except BlockingIOError:
                    await asyncio.sleep(_BUSY_S)
        except ConnectionError:
            continue
    raise ToolFailed("a tool was not started", why="the launcher of tools ends as soon as it starts")
