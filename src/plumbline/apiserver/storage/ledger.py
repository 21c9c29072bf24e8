"""Objects on disk: SQLite holds the current state and the revision; reads never touch it once it is loaded.

Deleted objects leave no row, and there is no history: a client that resumes from before a restart lists again. A
transaction is safe from a killed process as soon as it is committed; from a power cut with `durable`, which waits for
the disk.
"""

import asyncio
import sqlite3
import zlib
from collections.abc import Sequence
from concurrent.futures import Executor, ThreadPoolExecutor
from pathlib import Path
from typing import Final, NamedTuple

from plumbline.apiserver.resources.resource import Collection
from plumbline.apiserver.storage.entries import Change, ChangeType, Entry, Key
from plumbline.base.errors import Corrupted, PlumblineError, StorageFailed, TooNew, Unreachable

APPLICATION_ID: Final = 0x504C4350
VERSION: Final = 1
_TABLES: Final = """
CREATE TABLE objects (
    api_group TEXT NOT NULL,
    resource TEXT NOT NULL,
    namespace TEXT NOT NULL,
    name TEXT NOT NULL,
    revision INTEGER NOT NULL,
    checksum INTEGER NOT NULL,
    body BLOB NOT NULL,
    PRIMARY KEY (api_group, resource, namespace, name)
) STRICT, WITHOUT ROWID;
CREATE TABLE latest (only INTEGER PRIMARY KEY CHECK (only = 1), revision INTEGER NOT NULL) STRICT;
INSERT INTO latest VALUES (1, 1);
"""
_PUT: Final = """
INSERT INTO objects VALUES (?, ?, ?, ?, ?, ?, ?)
ON CONFLICT DO UPDATE SET revision = excluded.revision, checksum = excluded.checksum, body = excluded.body
"""
_REMOVE: Final = "DELETE FROM objects WHERE api_group = ? AND resource = ? AND namespace = ? AND name = ?"
_DAMAGED: Final = {sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_FORMAT}
_HELD: Final = {sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED}
_WAY_OUT: Final = "Restore the file from a backup, or move it away to start with an empty control plane."


class Stored(NamedTuple):
    revision: int
    entries: Sequence[Entry]


class SqliteLedger:
    """Close it: until then nobody else can open the file."""

    def __init__(self, path: Path, *, durable: bool = False) -> None:
        self._path = path
        self._durable = durable
        self._thread: Executor = ThreadPoolExecutor(max_workers=1, thread_name_prefix="objects")
        self._connection: sqlite3.Connection | None = None

    async def open(self) -> Stored:
        """Everything that is stored; raises Corrupted rather than give a part of it."""
        return await asyncio.get_running_loop().run_in_executor(self._thread, self._open)

    async def write(self, changes: Sequence[Change]) -> None:
        connection = self._connection
        if connection is None:
            raise StorageFailed(f"{self._path} is closed")
        await asyncio.get_running_loop().run_in_executor(self._thread, self._write, connection, changes)

    async def close(self) -> None:
        await asyncio.get_running_loop().run_in_executor(self._thread, self._close)
        self._thread.shutdown(wait=False)

    def _open(self) -> Stored:
        try:
            connection = sqlite3.connect(self._path, isolation_level=None, timeout=0.5, check_same_thread=False)
            self._connection = connection
            _prepare(connection, self._path, durable=self._durable)
            return _loaded(connection, self._path)
        except sqlite3.Error as error:
            self._close()
            raise _told(error, self._path) from error
        except PlumblineError:
            self._close()
            raise

    def _write(self, connection: sqlite3.Connection, changes: Sequence[Change]) -> None:
        try:
            connection.execute("BEGIN IMMEDIATE")
            try:
                _record(connection, changes)
                connection.execute("COMMIT")
            except BaseException:
                if connection.in_transaction:
                    connection.execute("ROLLBACK")
                raise
        except sqlite3.Error as error:
            raise StorageFailed(f"{self._path} cannot be written", why=str(error)) from error

    def _close(self) -> None:
        if self._connection is not None:
            self._connection.close()
            self._connection = None


def _prepare(connection: sqlite3.Connection, path: Path, *, durable: bool) -> None:
    connection.execute("PRAGMA locking_mode = EXCLUSIVE")
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute(f"PRAGMA synchronous = {'FULL' if durable else 'NORMAL'}")
    connection.execute("BEGIN IMMEDIATE")
    (application,) = connection.execute("PRAGMA application_id").fetchone()
    (version,) = connection.execute("PRAGMA user_version").fetchone()
    (tables,) = connection.execute("SELECT count(*) FROM sqlite_schema").fetchone()
    if not tables and not application:
        for statement in filter(str.strip, _TABLES.split(";")):
            connection.execute(statement)
        connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
        connection.execute(f"PRAGMA user_version = {VERSION}")
    elif application != APPLICATION_ID:
        raise Corrupted(f"{path} is not a store of the control plane", hint="Choose another data folder.")
    elif version > VERSION:
        raise TooNew(f"{path} was written by a newer version", hint="Start the version that wrote it.")
    connection.execute("COMMIT")


def _loaded(connection: sqlite3.Connection, path: Path) -> Stored:
    (verdict,) = connection.execute("PRAGMA quick_check(1)").fetchone()
    if verdict != "ok":
        raise Corrupted(f"{path} is damaged", why=str(verdict), hint=_WAY_OUT)
    (revision,) = connection.execute("SELECT revision FROM latest").fetchone()
    entries = []
    for group, resource, namespace, name, at, checksum, body in connection.execute("SELECT * FROM objects"):
        key = Key(Collection(group, resource), namespace, name)
        if zlib.crc32(body) != checksum or at > revision:
            raise Corrupted(f"{path} is damaged", why=f"{key} is not what was written", hint=_WAY_OUT)
        entries.append(Entry(key, at, body))
    return Stored(revision, entries)


def _record(connection: sqlite3.Connection, changes: Sequence[Change]) -> None:
    """Of several changes to one object only the last is written."""
    last = {change.entry.key: change for change in changes}
    removed = [(*key.collection, *key[1:]) for key, change in last.items() if change.type is ChangeType.DELETED]
    written = [
        (*key.collection, *key[1:], change.revision, zlib.crc32(change.entry.body), change.entry.body)
        for key, change in last.items()
        if change.type is not ChangeType.DELETED
    ]
    connection.executemany(_REMOVE, removed)
    connection.executemany(_PUT, written)
    connection.execute("UPDATE latest SET revision = ?", (changes[-1].revision,))


def _told(error: sqlite3.Error, path: Path) -> PlumblineError:
    code = getattr(error, "sqlite_errorcode", sqlite3.SQLITE_ERROR) & 0xFF
    if code in _DAMAGED:
        return Corrupted(f"{path} is damaged", why=str(error), hint=_WAY_OUT)
    if code in _HELD:
        return Unreachable(f"{path} is in use by another process", hint="Stop it first: plumb down.")
    return StorageFailed(f"{path} cannot be opened", why=str(error))
