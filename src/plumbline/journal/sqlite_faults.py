"""What SQLite's failures mean for people, and for the connection they happened on."""

import sqlite3
from pathlib import Path
from typing import Final

from plumbline.base.errors import Corrupted, PlumblineError, StorageFailed, TimedOut

_DAMAGED: Final = {sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_FORMAT}
_UNTRUSTED: Final = _DAMAGED | {sqlite3.SQLITE_IOERR, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_READONLY}
_STORAGE: Final = {
    sqlite3.SQLITE_FULL: "the disk is full",
    sqlite3.SQLITE_IOERR: "the disk failed",
    sqlite3.SQLITE_CANTOPEN: "the file cannot be opened",
    sqlite3.SQLITE_READONLY: "the file or its disk is read-only",
    sqlite3.SQLITE_NOMEM: "there is not enough memory",
}
_WAITED: Final = {sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED}


def told(error: sqlite3.Error, path: Path | None) -> PlumblineError:
    code = _code(error)
    what = f"the journal {path or 'in memory'} cannot be written or read"
    if code in _DAMAGED:
        return Corrupted(what, why=str(error))
    if code in _WAITED:
        return TimedOut(what, why="another process holds it", hint="Find who else uses the file, and end it.")
    return StorageFailed(what, why=f"{_STORAGE.get(code, 'SQLite failed')} ({error})")


def untrusted(error: BaseException) -> bool:
    """Whether the connection may believe what is not so: an fsync that failed, pages that changed under it."""
    return isinstance(error, sqlite3.Error) and _code(error) in _UNTRUSTED


def _code(error: sqlite3.Error) -> int:
    # The lowest byte is the primary code, the rest says more exactly what failed.
    return getattr(error, "sqlite_errorcode", sqlite3.SQLITE_ERROR) & 0xFF
