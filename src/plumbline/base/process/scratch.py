"""Directories for work in progress. What a killed program leaves behind is recognised, and removed at the next start.

A directory in use is locked by the process that made it, and the kernel drops the lock with the process, however that
ends. So a directory with our name on it and no lock is nobody's, in whatever container or under whatever pid it was made.
"""

import asyncio
import contextlib
import fcntl
import os
import shutil
import stat
import tempfile
from collections.abc import AsyncIterator
from pathlib import Path

PREFIX = "plumbline-scratch-"


@contextlib.asynccontextmanager
async def scratch(root: Path | None = None) -> AsyncIterator[Path]:
    """A new directory that only this user may enter, removed with everything in it on leaving."""
    parent = root or Path(tempfile.gettempdir())
    path, lock = _locked_directory(parent)
    try:
        yield path
    finally:
        try:
            await asyncio.to_thread(_remove, path)
        finally:
            os.close(lock)


def sweep(root: Path | None = None) -> int:
    """Remove the scratch directories that no process holds any more; how many there were."""
    removed = 0
    for path in (root or Path(tempfile.gettempdir())).glob(f"{PREFIX}*"):
        try:
            lock = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
        except OSError:
            # Gone in the meantime, no directory, or somebody else's.
            continue
        try:
            if os.fstat(lock).st_uid == os.geteuid():
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                _remove(path)
                removed += 1
        except BlockingIOError:
            pass
        finally:
            os.close(lock)
    return removed


def _locked_directory(parent: Path) -> tuple[Path, int]:
    while True:
        path = Path(tempfile.mkdtemp(prefix=PREFIX, dir=parent))
        # Between the two a sweeper may have taken it for abandoned; then another is made.
        with contextlib.suppress(FileNotFoundError):
            lock = os.open(path, os.O_RDONLY | os.O_DIRECTORY)
            fcntl.flock(lock, fcntl.LOCK_EX)
            if path.exists():
                return path, lock
            os.close(lock)


def _remove(path: Path) -> None:
    try:
        shutil.rmtree(path)
    except OSError:
        # Tools leave directories behind that not even their owner may enter.
        path.chmod(stat.S_IRWXU)
        for directory, names, _ in os.walk(path):
            for name in names:
                inner = Path(directory, name)
                if not inner.is_symlink():
                    inner.chmod(stat.S_IRWXU)
        shutil.rmtree(path, ignore_errors=True)
