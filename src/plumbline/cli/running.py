"""Which process runs on a data folder: at most one, and everybody can find out which."""

import fcntl
import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from plumbline.base.clock import Clock
from plumbline.base.errors import AlreadyExists, StorageFailed, TimedOut

_LOCK: Final = "running.pid"
_WEB: Final = "web-url"
_POLL_S: Final = 0.05


@contextmanager
def holding(folder: Path) -> Iterator[None]:
    """Be the one who runs on *folder*. The lock ends with the process, however that ends."""
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        file = (folder / _LOCK).open("a+")
    except OSError as failed:
        raise StorageFailed(f"{folder} cannot be used", why=str(failed)) from failed
    with file:
        if not _locked(file.fileno()):
            pid = holder(folder)
            raise AlreadyExists(
                f"something runs on {folder} already", why=f"process {pid}", hint="Stop it with: plumb down."
            )
        file.truncate(0)
        file.write(str(os.getpid()))
        file.flush()
        yield


def holder(folder: Path) -> int | None:
    """The process that runs on *folder*; None if none does."""
    try:
        with (folder / _LOCK).open("r+") as file:
            if _locked(file.fileno()):
                return None
            text = file.read()
    except FileNotFoundError:
        return None
    except OSError as failed:
        raise StorageFailed(f"{folder / _LOCK} cannot be read", why=str(failed)) from failed
    return int(text) if text.isdigit() else None


def note_web(folder: Path, url: str) -> None:
    """Where the web port of whoever runs on *folder* is, for those who want to open it."""
    (folder / _WEB).write_text(f"{url}\n")


def web_of(folder: Path) -> str:
    """Empty where nobody runs on *folder*."""
    try:
        return (folder / _WEB).read_text().strip() if holder(folder) is not None else ""
    except FileNotFoundError:
        return ""


async def stop(folder: Path, clock: Clock, within_s: float) -> int | None:
    """Ask whoever runs on *folder* to end, and wait until it has; its process number, or None if nobody ran."""
    pid = holder(folder)
    if pid is None:
        return None
    os.kill(pid, signal.SIGTERM)
    deadline_s = clock.monotonic() + within_s
    while holder(folder) == pid:
        if clock.monotonic() > deadline_s:
            raise TimedOut(f"process {pid} does not end", hint=f"Look at it, then end it with: kill -9 {pid}.")
        await clock.sleep(_POLL_S)
    return pid


def _locked(descriptor: int) -> bool:
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
