"""The journal in one SQLite file: for a laptop, and for one machine.

Write-ahead log, one writing thread, one reading thread. A commit waits for the disk; `durability="process"` gives that
up for speed: a killed process still loses nothing, a power cut may cost the last commits. Several processes may share
the file; they wait for each other.
"""

import asyncio
import contextlib
import os
import sqlite3
from collections.abc import AsyncIterator, Callable
from concurrent.futures import Executor
from functools import partial
from pathlib import Path
from typing import Final, Literal, TypeAlias, TypeVar

from plumbline.base.clock import Clock
from plumbline.base.errors import StorageFailed
from plumbline.base.ids import Ids
from plumbline.journal import sqlite_schema
from plumbline.journal.executors import InlineExecutor, own_thread
from plumbline.journal.journal import StoredJournal, running
from plumbline.journal.memory import FileMemory, Memory
from plumbline.journal.sqlite_faults import told, untrusted
from plumbline.journal.statements import Read, Rows, Work, Write, driven
from plumbline.journal.transactions import Hand

T = TypeVar("T")

Durability: TypeAlias = Literal["disk", "process"]
_SYNCHRONOUS: Final = {"disk": "FULL", "process": "NORMAL"}
_BUSY_S: Final = 10.0
_CACHE_KIB: Final = 512  # of each connection: who writes touches the end only, and readers have the system's


@contextlib.asynccontextmanager
async def opened(
    path: Path, *, clock: Clock, ids: Ids, writer: str, durability: Durability = "disk"
) -> AsyncIterator[StoredJournal]:
    """The journal in the file at *path*, made if it is not there.

    Raises Corrupted, TooNew or StorageFailed rather than begin anew in place of a file that it cannot use.
    """
    with contextlib.ExitStack() as stack:
        memory = stack.enter_context(contextlib.closing(_remembered(path)))
        reading, writing = stack.enter_context(own_thread()), stack.enter_context(own_thread())
        store = SqliteStore(path, ids, durability=durability, reading=reading, writing=writing)
        try:
            async with running(store, Hand(writer, clock, memory)) as journal:
                yield journal
        finally:
            await store.close()


@contextlib.asynccontextmanager
async def in_memory(*, clock: Clock, ids: Ids, writer: str = "memory") -> AsyncIterator[StoredJournal]:
    """The same without file and threads, for simulators: with the same seed and clock, the same bytes."""
    here = InlineExecutor()
    store = SqliteStore(None, ids, reading=here, writing=here)
    try:
        async with running(store, Hand(writer, clock, Memory()), poll_s=None) as journal:
            yield journal
    finally:
        await store.close()


def _remembered(path: Path) -> Memory:
    try:
        os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600))
        return FileMemory(path.with_name(f"{path.name}.head"))
    except OSError as error:
        raise StorageFailed(f"the journal {path} cannot be opened", why=error.strerror or str(error)) from error


class SqliteStore:
    """A connection to write with and one to read with, each used in its own executor only.

    Both are made when they are needed, and anew after a failure that leaves a connection in doubt.
    """

    def __init__(
        self,
        path: Path | None,
        ids: Ids,
        *,
        durability: Durability = "disk",
        reading: Executor,
        writing: Executor,
    ) -> None:
        self._path = path
        self._ids = ids
        self._durability = durability
        self._reading = reading
        self._writing = writing
        self._reader: sqlite3.Connection | None = None
        self._writer: sqlite3.Connection | None = None

    async def transact(self, work: Work[T]) -> T:
        return await self._in(self._writing, partial(self._transacted, work))

    async def select(self, read: Read) -> Rows:
        return await self._in(self._reading, partial(self._selected, read))

    async def close(self) -> None:
        # The reader first: the last one folds the write-ahead log into the file.
        await self._in(self._reading, self._close_reader)
        await self._in(self._writing, self._close_writer)

    async def _in(self, executor: Executor, call: Callable[[], T]) -> T:
        try:
            return await asyncio.get_running_loop().run_in_executor(executor, call)
        except sqlite3.Error as error:
            raise told(error, self._path) from error

    def _transacted(self, work: Work[T]) -> T:
        connection = self._writer = self._writer or self._prepared()
        try:
            connection.execute("BEGIN IMMEDIATE")
            outcome = driven(work.steps(), partial(_executed, connection))
            connection.execute("COMMIT")
        except BaseException as error:
            with contextlib.suppress(sqlite3.Error):
                connection.rollback()
            if untrusted(error):
                self._close_writer()
            raise
        work.committed()
        return outcome

    def _selected(self, read: Read) -> Rows:
        if self._path is None:
            connection = self._writer = self._writer or self._prepared()
        else:
            connection = self._reader = self._reader or self._connected()
        try:
            return _executed(connection, read)
        except sqlite3.Error as error:
            if untrusted(error):
                self._close_reader()
            raise

    def _prepared(self) -> sqlite3.Connection:
        connection = self._connected()
        try:
            sqlite_schema.prepare(connection, self._ids, self._path)
        except BaseException:
            connection.close()
            raise
        return connection

    def _connected(self) -> sqlite3.Connection:
        connection = sqlite3.connect(
            self._path or ":memory:", timeout=_BUSY_S, isolation_level=None, check_same_thread=False
        )
        connection.execute(f"PRAGMA synchronous = {_SYNCHRONOUS[self._durability]}")
        connection.execute("PRAGMA trusted_schema = OFF")
        connection.execute("PRAGMA cell_size_check = ON")
        connection.execute(f"PRAGMA cache_size = {-_CACHE_KIB}")
        return connection

    def _close_reader(self) -> None:
        connection, self._reader = self._reader, None
        if connection is not None:
            connection.close()

    def _close_writer(self) -> None:
        connection, self._writer = self._writer, None
        if connection is not None:
            connection.close()


def _executed(connection: sqlite3.Connection, statement: Read | Write) -> Rows:
    if isinstance(statement, Read):
        return connection.execute(statement.sql, statement.values).fetchall()
    connection.executemany(statement.sql, statement.rows)
    return []
