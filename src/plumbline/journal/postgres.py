"""The journal in PostgreSQL, for several processes at once.

Writers take turns by locking the one row that holds the head of the chain, so that entries become visible in the order
of their places. Each process has two connections: one writes, one reads. A connection that breaks is made anew, and a
commit whose answer was lost is looked for before it is repeated.
"""

import asyncio
import contextlib
import re
from collections.abc import AsyncIterator, Awaitable, Callable
from functools import lru_cache
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, Final, TypeAlias, TypeVar

from plumbline.base.clock import Clock
from plumbline.base.errors import ToolMissing, Unreachable
from plumbline.base.ids import Ids
from plumbline.base.plaintext import Plaintext
from plumbline.journal import postgres_schema
from plumbline.journal.chain import Row
from plumbline.journal.journal import StoredJournal, running
from plumbline.journal.memory import Memory
from plumbline.journal.postgres_faults import repeatable, told
from plumbline.journal.statements import COLUMNS, INSERT, Read, Rows, Steps, Work, Write
from plumbline.journal.transactions import Hand

if TYPE_CHECKING:
    from psycopg import AsyncConnection, AsyncPipeline
    from psycopg.rows import TupleRow

    Connection: TypeAlias = AsyncConnection[TupleRow]

T = TypeVar("T")

_ATTEMPTS: Final = 4
_PAUSE_S: Final = 0.2
_DEADLINE_S: Final = 20.0
_SESSION: Final = """
SET synchronous_commit = on;
SET default_transaction_isolation = 'read committed';
SET lock_timeout = '10s';
SET statement_timeout = '15s';
SET idle_in_transaction_session_timeout = '5s'
"""
"""An acknowledged entry is on disk whatever the server's default; who waits for the lock sees the newest head; and a
process that stops in the middle of a transaction does not hold up the others for longer than this."""

_CONNECT: Final = {
    "application_name": "plumbline journal",
    "connect_timeout": 5,
    "keepalives_idle": 10,
    "keepalives_interval": 5,
    "keepalives_count": 3,
    "tcp_user_timeout": 15_000,
    "target_session_attrs": "read-write",
}


_ARRAYS: Final = {"seq": "bigint", "ms": "bigint"} | dict.fromkeys(Row._fields[2:-1], "text") | {"body": "bytea"}
_INSERT_ALL: Final = f"""INSERT INTO journal_entries ({COLUMNS})
    SELECT * FROM unnest({", ".join(f"%({name})b::{of}[]" for name, of in _ARRAYS.items())})"""  # noqa: S608 - names are ours
"""`INSERT` for all rows in one statement, as binary arrays: a tenth of what `executemany` costs on the event loop."""


@contextlib.asynccontextmanager
async def opened(address: str | Plaintext, *, clock: Clock, ids: Ids, writer: str) -> AsyncIterator[StoredJournal]:
    """The journal in the database at *address*, a libpq URL or connection string. Tables are made if they are missing.

    They are made in the first schema of the search path. Connect to the server itself or through a pool that keeps
    sessions: settings and prepared statements belong to a session.
    """
    if find_spec("psycopg") is None:
        raise ToolMissing(
            "the journal cannot use PostgreSQL",
            why="its driver is not installed",
            hint="Install plumbline[postgres].",
        )
    memory = Memory()
    store = PostgresStore(address, ids, clock, memory)
    try:
        async with running(store, Hand(writer, clock, memory)) as journal:
            yield journal
    finally:
        await store.close()


class PostgresStore:
    def __init__(self, address: str | Plaintext, ids: Ids, clock: Clock, memory: Memory) -> None:
        self._address = address if isinstance(address, Plaintext) else Plaintext(address)
        self._ids = ids
        self._clock = clock
        self._memory = memory
        self._prepared = False
        self._writer = _Line(self._connected_to_write)
        self._reader = _Line(self._connected)

    async def transact(self, work: Work[T]) -> T:
        async def once(connection: "Connection") -> T:
            # In a pipeline: the writes travel with the commit, and the head stays locked for one round trip, not four.
            async with connection.pipeline() as pipeline, connection.transaction():
                return await _driven(work.steps(), connection, pipeline)

        outcome = await self._repeated(self._writer, once)
        work.committed()
        return outcome

    async def select(self, read: Read) -> Rows:
        async def once(connection: "Connection") -> Rows:
            return await _executed(connection, read)

        return await self._repeated(self._reader, once)

    async def close(self) -> None:
        await self._reader.close()
        await self._writer.close()

    async def _repeated(self, line: "_Line", call: Callable[["Connection"], Awaitable[T]]) -> T:
        """Call it, on a new connection if the old one is gone. Both kinds of calls bear repeating: `Work` sees to it."""
        from psycopg import Error  # noqa: PLC0415 - an extra: only who uses PostgreSQL pays for it

        for attempt in range(1, _ATTEMPTS + 1):
            try:
                async with asyncio.timeout(_DEADLINE_S), line.held() as connection:
                    return await call(connection)
            except TimeoutError as error:
                raise Unreachable("the journal's database does not answer", why=f"for {_DEADLINE_S:g} s") from error
            except Error as error:
                if attempt == _ATTEMPTS or not repeatable(error):
                    raise told(error) from error
                await self._clock.sleep(self._ids.jitter(_PAUSE_S * 2**attempt, 0.5))
        raise AssertionError("the last attempt returns or raises")

    async def _connected_to_write(self) -> "Connection":
        connection = await self._connected()
        try:
            if not self._prepared:
                await postgres_schema.prepare(connection, self._ids)
                self._prepared = True
        except BaseException:
            await connection.close()
            raise
        self._memory.doubt()
        return connection

    async def _connected(self) -> "Connection":
        from psycopg import AsyncConnection  # noqa: PLC0415 - same

        # Any: mypy takes a dict of mixed values for one that fits no parameter.
        settings: dict[str, Any] = dict(_CONNECT)
        connection = await AsyncConnection.connect(self._address.reveal().decode(), autocommit=True, **settings)
        try:
            await connection.execute(_SESSION)
        except BaseException:
            await connection.close()
            raise
        return connection


class _Line:
    """One connection, made when it is needed, used by one at a time, and thrown away when anything goes wrong on it."""

    def __init__(self, connect: Callable[[], Awaitable["Connection"]]) -> None:
        self._connect = connect
        self._connection: Connection | None = None
        self._free = asyncio.Lock()

    @contextlib.asynccontextmanager
    async def held(self) -> AsyncIterator["Connection"]:
        async with self._free:
            if self._connection is None or self._connection.closed:
                self._connection = await self._connect()
            try:
                yield self._connection
            except BaseException:
                await self.close()
                raise

    async def close(self) -> None:
        connection, self._connection = self._connection, None
        if connection is not None:
            await connection.close()


async def _driven(steps: Steps[T], connection: "Connection", pipeline: "AsyncPipeline") -> T:
    try:
        statement = next(steps)
        while True:
            statement = steps.send(await _executed(connection, statement, pipeline))
    except StopIteration as end:
        outcome: T = end.value
        return outcome


async def _executed(connection: "Connection", statement: Read | Write, pipeline: "AsyncPipeline | None" = None) -> Rows:
    if isinstance(statement, Read):
        text = _translated(statement.sql) + (" FOR UPDATE" if statement.locks else "")
        cursor = await connection.execute(text, statement.values)
        if pipeline is not None:
            # Else the server takes us for busy, and never for idle in a transaction, should we stop here.
            await pipeline.sync()
        return await cursor.fetchall()
    if statement.sql == INSERT:
        await connection.execute(_INSERT_ALL, {name: [row[name] for row in statement.rows] for name in _ARRAYS})
    else:
        async with connection.cursor() as several:
            await several.executemany(_translated(statement.sql), statement.rows)
    return []


@lru_cache(maxsize=256)
def _translated(sql: str) -> str:
    return re.sub(r":(\w+)", r"%(\1)s", sql)
