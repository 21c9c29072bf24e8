"""A keeper: starts one tool as ordered, watches over it, ends it when told, leaves nothing of it behind, reports."""

import contextlib
import errno
import marshal
import os
import select
import signal
import socket
import sys

from plumbline.base.zygote import kernel
from plumbline.base.zygote.order import FAILURE, LENGTH, REPORT, TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import TypeAlias

    from plumbline.base.zygote.order import Order

    Entry: TypeAlias = Callable[[], None]
    Usage: TypeAlias = tuple[float, float, int]

_DESCRIPTORS = 1 << 16


def keep(control: socket.socket, stdio: list[int], entry: "Entry | None") -> None:
    """Read the order and carry it out. The order that does not come is one that the main program gave up."""
    length = control.recv(LENGTH.size, socket.MSG_WAITALL)
    frame = control.recv(LENGTH.unpack(length)[0], socket.MSG_WAITALL) if len(length) == LENGTH.size else b""
    if not frame:
        return
    order: Order = marshal.loads(frame)  # noqa: S302 - from our own main program, over a private socket
    if not order["unshare"]:
        _supervise(control, stdio, order, entry)
        return
    try:
        kernel.enter_namespaces(order["unshare"])
        # The namespace of pids holds from the next fork on, whose process is its init: when that ends, all of it ends.
        init = fork(lambda: _supervise(control, stdio, order, entry))
    except OSError as error:
        _report(control, 0, (0.0, 0.0, 0), failure=FAILURE.pack(error.errno) + b"namespaces")
        return
    control.close()
    for each in stdio:
        os.close(each)
    os.waitpid(init, 0)


def fork(role: "Callable[[], None]") -> int:
    """Fork a process that plays the role and ends; it never returns into the code of its parent."""
    child = os.fork()
    if child:
        return child
    try:
        role()
        os._exit(0)
    except BaseException:  # noqa: BLE001 - nothing may escape into the parent's code
        sys.excepthook(*sys.exc_info())
        os._exit(127)


def settle_signals() -> None:
    """Once, for this process and its forks: two that wake, and default meaning for all that are ignored.

    What is handled falls back to its default on exec, but what is ignored would stay ignored in every tool: what Python
    ignores, and what whoever started us in the background did.
    """
    for number in signal.valid_signals():
        if signal.getsignal(number) is signal.SIG_IGN:
            signal.signal(number, signal.SIG_DFL)
    for number in (signal.SIGCHLD, signal.SIGALRM):
        signal.signal(number, lambda *_: None)


def wake_on_children() -> int:
    """A descriptor that becomes readable when a child ends or the timer runs out, and reads as signal numbers."""
    woken, waking = os.pipe()
    os.set_blocking(waking, False)
    signal.set_wakeup_fd(waking, warn_on_full_buffer=False)
    return woken


def _supervise(control: socket.socket, stdio: list[int], order: "Order", entry: "Entry | None") -> None:
    kernel.adopt_orphans()
    if order["unshare"]:
        kernel.die_with_parent()
    woken = wake_on_children()
    failed, failing = os.pipe()
    keeper = os.getpid()
    tool = fork(lambda: _become(order, stdio, (keeper, failing), entry))
    os.close(failing)
    for each in stdio:
        os.close(each)
    status, usage = _watch(tool, control, woken, order["grace_s"])
    _sweep(alone=bool(order["unshare"]))
    _report(control, status, usage, failure=os.read(failed, 4096))


def _watch(tool: int, control: socket.socket, woken: int, grace_s: float) -> "tuple[int, Usage]":
    """Wait for the tool. End it (politely, then not) once the other side of the control socket is gone or says so."""
    poller = select.poll()
    poller.register(control, select.POLLIN)
    poller.register(woken, select.POLLIN)
    while True:
        for descriptor, _ in poller.poll():
            if descriptor != woken:
                poller.unregister(control)
                _signal_group(tool, signal.SIGTERM if grace_s else signal.SIGKILL)
                signal.setitimer(signal.ITIMER_REAL, grace_s)
                continue
            if signal.SIGALRM in os.read(woken, 4096):
                _signal_group(tool, signal.SIGKILL)
            while (ended := os.wait4(-1, os.WNOHANG))[0] != 0:
                if ended[0] == tool:
                    usage = ended[2]
                    return ended[1], (usage.ru_utime, usage.ru_stime, usage.ru_maxrss)


def _sweep(*, alone: bool) -> None:
    """End all that the tool left behind: what it started is our child by now, or a child of one."""
    with contextlib.suppress(ChildProcessError):
        while True:
            if os.waitpid(-1, os.WNOHANG)[0] != 0:
                continue
            # As init of a namespace -1 reaches all others in it, at once.
            left = {-1} if alone else kernel.descendants(os.getpid())
            if not left:
                return
            for each in left:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(each, signal.SIGKILL)
            os.waitpid(-1, 0)


def _signal_group(leader: int, number: int) -> None:
    try:
        os.killpg(leader, number)
    except ProcessLookupError:
        # It is not the leader of its group yet; as long as it is not waited for, its pid is its own.
        os.kill(leader, number)


def _report(control: socket.socket, status: int, usage: "Usage", *, failure: bytes) -> None:
    number = FAILURE.unpack_from(failure)[0] if failure else 0
    with contextlib.suppress(OSError):
        control.sendall(REPORT.pack(status, number, *usage) + failure[FAILURE.size :])


def _become(order: "Order", stdio: list[int], ties: tuple[int, int], entry: "Entry | None") -> None:
    """Turn this fork into the tool; what hinders that goes to the keeper with the stage it happened in."""
    keeper, failing = ties
    stage = "start"
    try:
        os.setsid()
        kernel.die_with_parent()
        if os.getppid() != keeper:
            return
        for number, descriptor in enumerate(stdio):
            os.dup2(descriptor, number)
        for stage, step in _steps(order):  # noqa: B007 - read when a step fails
            step()
        if entry is None or order["argv"]:
            stage = "exec"
            os.execve(order["tool"], order["argv"], order["environment"])  # noqa: S606 - no shell is what we want
    except OSError as error:
        os.write(failing, FAILURE.pack(error.errno or errno.EIO) + stage.encode())
        return
    # No exec closes descriptors here, and the code that is to run is not trusted with the keeper's.
    signal.set_wakeup_fd(-1)
    os.closerange(len(stdio), _DESCRIPTORS)
    entry()


def _steps(order: "Order") -> "list[tuple[str, Callable[[], None]]]":
    """In this order: each step may take away what the one before it needed."""
    landlock, program = order["landlock"], order["seccomp"]
    steps: list[tuple[str, Callable[[], None]]] = [("directory", lambda: os.chdir(order["directory"]))]
    if landlock is not None:
        steps.append(("landlock", lambda: kernel.restrict_files(landlock)))
    if order["drop_capabilities"]:
        steps.append(("capabilities", kernel.drop_capabilities))
    steps.append(("limits", lambda: _limit_all(order["limits"])))
    if program:
        steps.append(("seccomp", lambda: kernel.filter_syscalls(program)))
    return steps


def _limit_all(limits: list[tuple[int, int]]) -> None:
    for kind, bound in limits:
        kernel.limit(kind, bound)
