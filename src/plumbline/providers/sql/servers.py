"""Connections to PostgreSQL servers: few, kept for a while, each use within a deadline.

They are kept by the version of the ProviderConfig that they were made for, and only those to its default database: an
idle connection to any other would be what keeps that from being dropped.
"""

import asyncio
import contextlib
import ssl
from collections.abc import AsyncIterator, Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from plumbline.base.clock import Clock, SystemClock
from plumbline.base.errors import TimedOut, ToolMissing, Transient
from plumbline.kube.names import Ref
from plumbline.managed.external import Config
from plumbline.providers.sql.credentials import Address, address_of
from plumbline.providers.sql.faults import told, told_connecting
from plumbline.providers.sql.statements import Listed, Name, Part, Statement, Value, Word

if TYPE_CHECKING:
    from psycopg import AsyncConnection
    from psycopg.rows import TupleRow
    from psycopg.sql import Composable, Composed

    Connection: TypeAlias = AsyncConnection[TupleRow]

Row: TypeAlias = tuple[Any, ...]

AT_ONCE: Final = 4
"""Connections to one server, kept or not."""
_KEPT: Final = 2
_IDLE_S: Final = 120.0
_SERVERS: Final = 256
_CONNECT_S: Final = 10
_READ_S: Final = 20.0
_WRITE_S: Final = 50.0
_SESSION: Final = "-c lock_timeout=10s -c idle_in_transaction_session_timeout=30s"
_WITHIN: Final = "SELECT set_config('statement_timeout', %(ms)s, false)"
"""Said anew for each use, which also tells whether a kept connection still is one."""
_EXISTS: Final = "SELECT datallowconn FROM pg_catalog.pg_database WHERE datname = %(database)s::text"
_AUTHORITIES: Final = (
    "/etc/ssl/certs/ca-certificates.crt",
    "/etc/pki/tls/certs/ca-bundle.crt",
    "/etc/ssl/ca-bundle.pem",
    "/etc/ssl/cert.pem",
)


class Server:
    def __init__(self, address: Address, clock: Clock) -> None:
        self.address = address
        self._clock = clock
        self._free = asyncio.Semaphore(AT_ONCE)
        self._idle: list[tuple[Connection, float]] = []
        self._ended = False
        self.version = 0
        """Such as 160002, once somebody has connected."""

    async def fetch(
        self, query: str | Statement, values: Mapping[str, Any] | None = None, *, database: str = ""
    ) -> list[Row]:
        """What *query* selects; nothing where there is no such *database*."""
        from psycopg import Error  # noqa: PLC0415 - an extra: only who uses PostgreSQL pays for it

        if self._elsewhere(database) and not await self._exists(database):
            return []
        asked = composed(query) if isinstance(query, Statement) else query.encode()
        try:
            async with self._held(database, _READ_S) as connection:
                cursor = await connection.execute(asked, values)
                return await cursor.fetchall()
        except Error as error:
            raise told(error, f"{self.address} did not answer a question") from None

    async def run(self, what: str, *statements: Statement, database: str = "") -> None:
        """One after the other, each for itself: what cannot be done in a transaction."""
        from psycopg import Error  # noqa: PLC0415 - same

        await self._check_exists(database)
        try:
            async with self._held(database, _WRITE_S) as connection:
                for statement in statements:
                    await connection.execute(composed(statement))
        except Error as error:
            raise told(error, what) from None

    async def transact(self, what: str, statements: Sequence[Statement], *, database: str = "") -> None:
        """All of them, or none."""
        from psycopg import Error  # noqa: PLC0415 - same

        await self._check_exists(database)
        try:
            async with self._held(database, _WRITE_S) as connection, connection.transaction():
                for statement in statements:
                    await connection.execute(composed(statement))
        except Error as error:
            raise told(error, what) from None

    async def server_version(self) -> int:
        if not self.version:
            ((self.version,),) = await self.fetch("SELECT current_setting('server_version_num')::int")
        return self.version

    async def close(self) -> None:
        """Close what is idle; what is in use is closed by whoever uses it."""
        self._ended = True
        while self._idle:
            await self._idle.pop()[0].close()

    @contextlib.asynccontextmanager
    async def _held(self, database: str, deadline_s: float) -> AsyncIterator["Connection"]:
        elsewhere = self._elsewhere(database)
        try:
            async with asyncio.timeout(deadline_s), self._free:
                kept = None if elsewhere else await self._kept(deadline_s)
                connection = kept or await self._connected(database or self.address.database)
                try:
                    if kept is None:
                        await _limit(connection, deadline_s)
                    yield connection
                except BaseException:
                    await connection.close()
                    raise
                await self._returned(connection, keep=not elsewhere)
        except TimeoutError:
            why = f"no answer within {deadline_s:g} s"
            raise TimedOut(f"{self.address} does not answer", why=why) from None

    def _elsewhere(self, database: str) -> bool:
        return bool(database) and database != self.address.database

    async def _exists(self, database: str) -> bool:
        """Asked beforehand: the failure to connect to what does not exist is told in words only, in any language."""
        rows = await self.fetch(_EXISTS, {"database": database})
        if rows and not rows[0][0]:
            raise Transient(f"nothing can be done in database {database!r}", why="it allows no connections")
        return bool(rows)

    async def _check_exists(self, database: str) -> None:
        if self._elsewhere(database) and not await self._exists(database):
            raise Transient(f"{self.address} has no database {database!r}", why="it may not have been made yet")

    async def _kept(self, deadline_s: float) -> "Connection | None":
        """A connection that was used before, if it is still one."""
        from psycopg import Error  # noqa: PLC0415 - same

        while self._idle:
            connection, since_s = self._idle.pop()
            if self._clock.monotonic() - since_s < _IDLE_S:
                try:
                    await _limit(connection, deadline_s)
                except Error:
                    pass
                else:
                    return connection
            await connection.close()
        return None

    async def _returned(self, connection: "Connection", *, keep: bool) -> None:
        if keep and not self._ended and not connection.closed and len(self._idle) < _KEPT:
            self._idle.append((connection, self._clock.monotonic()))
        else:
            await connection.close()

    async def _connected(self, database: str) -> "Connection":
        from psycopg import AsyncConnection, Error  # noqa: PLC0415 - same

        address = self.address
        # Any: mypy takes a dict of mixed values for one that fits no parameter.
        settings: dict[str, Any] = {
            "host": address.host,
            "port": address.port,
            "user": address.username,
            "password": address.password.reveal().decode(errors="surrogateescape"),
            "dbname": database,
            "sslmode": address.ssl_mode,
            "application_name": "plumbline",
            "client_encoding": "utf8",
            "connect_timeout": _CONNECT_S,
            "options": _SESSION,
        }
        if address.ssl_mode.startswith("verify"):
            settings["sslrootcert"] = _authorities()
        try:
            connection: Connection = await AsyncConnection.connect("", autocommit=True, **settings)
        except Error as error:
            raise told_connecting(error, f"{address} cannot be reached") from None
        # Told with each connection: an upgrade breaks those that there were.
        self.version = connection.info.server_version
        return connection


async def _limit(connection: "Connection", deadline_s: float) -> None:
    await connection.execute(_WITHIN, {"ms": f"{deadline_s * 1000:.0f}"})


class Servers:
    """The servers behind all ProviderConfigs. Close it when done."""

    def __init__(self, clock: Clock | None = None) -> None:
        self._clock = clock or SystemClock()
        self._servers: dict[Ref, tuple[str, Server]] = {}

    async def find(self, config: Config) -> Server:
        """The server of *config*; a config that has changed gives another one, and the old connections go."""
        if find_spec("psycopg") is None:
            raise ToolMissing(
                "PostgreSQL cannot be used", why="its driver is not installed", hint="Install plumbline[postgres]."
            )
        known = self._servers.get(config.ref)
        if known is not None and config.version and known[0] == config.version:
            self._servers[config.ref] = self._servers.pop(config.ref)  # the first one is who was not used for longest
            return known[1]
        address = await address_of(config)
        if known is not None and known[1].address == address:
            self._servers[config.ref] = config.version, known[1]
            return known[1]
        server = Server(address, self._clock)
        replaced = self._servers.pop(config.ref, None)
        self._servers[config.ref] = config.version, server
        if replaced is None and len(self._servers) > _SERVERS:
            replaced = self._servers.pop(next(iter(self._servers)))
        if replaced is not None:
            await replaced[1].close()
        return server

    async def close(self) -> None:
        while self._servers:
            await self._servers.popitem()[1][1].close()


def composed(statement: Statement) -> "Composed":
    """The driver's form of it: names and values are quoted by the driver's own rules."""
    from psycopg import sql  # noqa: PLC0415 - same

    return sql.SQL(statement.text).format(*map(_composed_part, statement.parts))


def _composed_part(part: Part) -> "Composable":
    from psycopg import sql  # noqa: PLC0415 - same

    match part:
        case Name(parts):
            return sql.Identifier(*parts)
        case Value(value):
            return sql.Literal(value if isinstance(value, str | int) else value.reveal().decode())
        case Word(text):
            return sql.SQL(text)
        case Listed(items):
            return sql.SQL(", ").join(map(_composed_part, items))
        case Statement():
            return composed(part)


def _authorities() -> str:
    """A file with the authorities that this machine trusts; libpq by itself looks only in the user's home."""
    found = ssl.get_default_verify_paths().cafile
    return next((path for path in (found, *_AUTHORITIES) if path and Path(path).is_file()), "system")
