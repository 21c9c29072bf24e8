"""The zygote's own loop: fork a keeper for each request, bury the dead, and end after the main program."""

import contextlib
import errno
import gc
import importlib
import os
import resource
import select
import signal
import socket

from plumbline.base.zygote import kernel
from plumbline.base.zygote.keeper import fork, keep, settle_signals, wake_on_children
from plumbline.base.zygote.order import CLONE_NEWNET, CLONE_NEWPID, CLONE_NEWUSER, HELLO, STDIO, TYPE_CHECKING

if TYPE_CHECKING:
    from plumbline.base.zygote.keeper import Entry

# How long a zygote whose main program is gone waits for its keepers to end their tools.
_LAST_WAIT_S = 15.0


def main(descriptor: int, preload: str) -> None:
    """Prepare once, say what the kernel allows, then fork on request until the main program is gone."""
    channel = socket.socket(fileno=descriptor)
    channel.set_inheritable(False)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    os.umask(0o077)
    settle_signals()
    kernel.renounce_privileges()
    kernel.adopt_orphans()
    isolated = CLONE_NEWPID | CLONE_NEWNET
    hello = HELLO.pack(
        kernel.landlock_abi(), kernel.seccomp_error(), _tried(isolated), _tried(isolated | CLONE_NEWUSER)
    )
    entry: Entry | None = importlib.import_module(preload).main if preload else None
    # What is alive now is shared with every fork for as long as nobody writes to it, and the collector would.
    gc.collect()
    gc.freeze()
    gc.disable()
    channel.sendall(hello)
    _serve(channel, entry)


def _serve(channel: socket.socket, entry: "Entry | None") -> None:
    woken = wake_on_children()
    poller = select.poll()
    poller.register(channel, select.POLLIN)
    poller.register(woken, select.POLLIN)
    keepers: set[int] = set()
    listening = True
    while listening or keepers:
        for descriptor, _ in poller.poll():
            if descriptor == woken:
                if signal.SIGALRM in os.read(woken, 4096):
                    return
                _bury(keepers)
                continue
            listening = _accept(channel, keepers, entry)
            if not listening:
                poller.unregister(channel)
                signal.setitimer(signal.ITIMER_REAL, _LAST_WAIT_S)


def _accept(channel: socket.socket, keepers: set[int], entry: "Entry | None") -> bool:
    _, received, _, _ = socket.recv_fds(channel, 1, 1 + STDIO)
    for each in received:
        os.set_inheritable(each, False)

    def role() -> None:
        # The descriptor that wakes the zygote is the zygote's.
        signal.set_wakeup_fd(-1)
        channel.close()
        keep(socket.socket(fileno=received[0]), received[1:], entry)

    if received:
        # A fork that fails closes the control socket unanswered, which the main program sees.
        with contextlib.suppress(OSError):
            keepers.add(fork(role))
    for each in received:
        os.close(each)
    return bool(received)


def _bury(keepers: set[int]) -> None:
    """Reap, and end whatever the kernel handed to us because its keeper was killed."""
    with contextlib.suppress(ChildProcessError):
        while (ended := os.waitpid(-1, os.WNOHANG)[0]) != 0:
            keepers.discard(ended)
    for stray in kernel.children(os.getpid()) - keepers:
        with contextlib.suppress(ProcessLookupError):
            os.kill(stray, signal.SIGKILL)


def _tried(flags: int) -> int:
    """The error that entering such namespaces ends in, 0 for none. Only trying tells: many policies may forbid it."""
    if not kernel.LINUX:
        return errno.ENOSYS

    def attempt() -> None:
        try:
            kernel.enter_namespaces(flags)
            os.waitpid(fork(lambda: None), 0)
        except OSError as error:
            os._exit(error.errno or errno.EIO)

    return os.waitstatus_to_exitcode(os.waitpid(fork(attempt), 0)[1])
