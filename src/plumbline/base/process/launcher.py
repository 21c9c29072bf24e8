"""Our side of a zygote: start it when first needed, hand it requests, start another if it died."""

import contextlib
import errno
import socket
import subprocess  # noqa: TID251 - this is the one place
import sys
import tempfile
import threading
from pathlib import Path
from typing import IO

from plumbline import base
from plumbline.base.errors import ToolFailed
from plumbline.base.process.sandbox import Facts
from plumbline.base.zygote.order import HELLO

_ROOT = str(Path(base.__path__[0]).parents[1])
_BOOT = "import sys; sys.path[:] = sys.argv[3:]; from plumbline.base.zygote.serve import main; main(int(sys.argv[1]), sys.argv[2])"
_START_S = 60.0
_END_S = 1.0
_COMPLAINT_BYTES = 2000


class Launcher:
    """May be used from any thread and any event loop, one after the other or at once."""

    def __init__(self, preload: str = "") -> None:
        self._preload = preload
        self._lock = threading.Lock()
        self._channel: socket.socket | None = None
        self._zygote: subprocess.Popen[bytes] | None = None
        self._facts: Facts | None = None

    @property
    def facts(self) -> Facts | None:
        """What the zygote found; None if it does not run."""
        return self._facts

    def start(self) -> Facts:
        """Start the zygote unless it runs. Blocks for as long as an interpreter takes."""
        with self._lock:
            return self._facts or self._start()

    def hand_over(self, descriptors: list[int]) -> None:
        """Send a control socket and stdio. BlockingIOError: it is busy; ConnectionError: it is gone, start again."""
        channel = self._channel
        if channel is None:
            raise ConnectionResetError
        try:
            socket.send_fds(channel, [b"!"], descriptors, socket.MSG_DONTWAIT)
        except OSError as error:
            if error.errno in {errno.EAGAIN, errno.ETOOMANYREFS}:
                raise BlockingIOError from error
            if self._channel is channel:
                self.close()
            raise ConnectionResetError from error

    def close(self) -> None:
        """End it. Tools that run are not touched: each lives as long as its own control socket."""
        with self._lock:
            channel, zygote = self._channel, self._zygote
            self._channel = self._zygote = self._facts = None
        if channel is not None:
            channel.close()
        if zygote is not None:
            with contextlib.suppress(subprocess.TimeoutExpired):
                zygote.wait(_END_S)
            zygote.kill()
            zygote.wait()

    def _start(self) -> Facts:
        ours, theirs = socket.socketpair()
        with contextlib.ExitStack() as stack:
            stack.enter_context(ours)
            with theirs, tempfile.TemporaryFile() as complaints:
                self._zygote = self._spawned(theirs.fileno(), complaints)
                theirs.close()
                hello = _heard(ours)
                if len(hello) < HELLO.size:
                    self._zygote.kill()
                    self._zygote.wait()
                    complaints.seek(0)
                    words = complaints.read()[-_COMPLAINT_BYTES:].decode(errors="replace")
                    raise ToolFailed("the launcher of tools did not start", why=words)
            stack.pop_all()
        self._channel = ours
        landlock_abi, seccomp_error, privileged_error, user_error = HELLO.unpack(hello)
        self._facts = Facts(
            landlock_abi=landlock_abi,
            seccomp_error=seccomp_error,
            privileged_error=privileged_error,
            user_error=user_error,
        )
        return self._facts

    def _spawned(self, descriptor: int, complaints: IO[bytes]) -> subprocess.Popen[bytes]:
        # Only the path of modules is ours: no site, no variable, no directory of whoever started us.
        interpreter = [sys.executable, "-I", "-S", "-X", "utf8", "-c", _BOOT]
        return subprocess.Popen(  # noqa: S603 - our own interpreter and our own code
            [*interpreter, str(descriptor), self._preload, *_search_path(), _ROOT],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=complaints,
            env={"TZ": "UTC"},
            cwd="/",
            pass_fds=[descriptor],
            start_new_session=True,
        )


def _heard(channel: socket.socket) -> bytes:
    channel.settimeout(_START_S)
    try:
        return channel.recv(HELLO.size)
    except OSError:
        return b""
    finally:
        channel.settimeout(None)


def _search_path() -> list[str]:
    return [entry for entry in sys.path if entry.startswith("/")]
