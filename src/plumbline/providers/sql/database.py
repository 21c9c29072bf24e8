"""Databases: made from a template, altered in place as far as PostgreSQL can, dropped when nobody is connected."""

from contextlib import suppress
from typing import Final

from plumbline.base.errors import AlreadyExists
from plumbline.base.json import JsonObject
from plumbline.managed.external import ABSENT, Created, Difference, Managed, Observed, Updated
from plumbline.providers.sql.servers import Server
from plumbline.providers.sql.statements import Part, Statement, Value, name, word
from plumbline.providers.sql.wanted import compared, counted, deleting, sized, text, unset

_OBSERVE: Final = """
SELECT pg_catalog.pg_get_userbyid(db.datdba), pg_catalog.pg_encoding_to_char(db.encoding), db.datcollate, db.datctype,
       ts.spcname, db.datallowconn, db.datconnlimit, db.datistemplate,
       db.encoding IN (pg_catalog.pg_char_to_encoding(%(encoding)s), %(number)s),
       CASE WHEN pg_catalog.has_database_privilege(db.oid, 'CONNECT') THEN pg_catalog.pg_database_size(db.oid) END
FROM pg_catalog.pg_database AS db JOIN pg_catalog.pg_tablespace AS ts ON ts.oid = db.dattablespace
WHERE db.datname = %(name)s::text
"""
_TABLES: Final = """
SELECT count(*) FROM pg_catalog.pg_class AS c JOIN pg_catalog.pg_namespace AS n ON n.oid = c.relnamespace
WHERE c.relkind IN ('r', 'p', 'm') AND n.nspname <> 'information_schema' AND n.nspname !~ '^pg_'
"""
_FIELDS: Final = (
    "owner",
    "encoding",
    "lcCollate",
    "lcCType",
    "tablespace",
    "allowConnections",
    "connectionLimit",
    "isTemplate",
)
_FIXED: Final = ("lcCollate", "lcCType")
_DEFAULT: Final = "DEFAULT"
_STRATEGIES: Final = frozenset({"WAL_LOG", "FILE_COPY"})


class Databases:
    def __init__(self, server: Server) -> None:
        self._server = server

    async def observe(self, managed: Managed) -> Observed:
        wanted = _meant(managed.wanted)
        encoding = text(wanted, "encoding")
        number = int(encoding) if encoding.isascii() and encoding.isdecimal() else -1
        values = {"name": managed.external_name, "encoding": encoding, "number": number}
        rows = await self._server.fetch(_OBSERVE, values)
        if not rows:
            return ABSENT
        *row, same_encoding, size_bytes = rows[0]
        found = dict(zip(_FIELDS, row, strict=True))
        differences = compared(
            wanted, found, ("owner", "tablespace", "allowConnections", "connectionLimit", "isTemplate")
        )
        fixed = tuple(
            Difference(each.path, each.wanted, each.found, replaces=True) for each in compared(wanted, found, _FIXED)
        )
        if encoding and not same_encoding:
            fixed = (*fixed, Difference("encoding", encoding, found["encoding"], replaces=True))
        return Observed(
            exists=True,
            at_provider=found,
            differences=differences + fixed,
            late=unset(managed.wanted, found, _FIELDS),
            holds=await self._held(managed, size_bytes, connectable=found["allowConnections"]),
            protected="isTemplate is on" if found["isTemplate"] else "",
        )

    async def create(self, managed: Managed) -> Created:
        wanted = _meant(managed.at_creation)
        options: list[Statement] = []
        for field, clause in _CLAUSES.items():
            if wanted.get(field) is not None:
                options.append(Statement(clause, (_part(field, wanted),)))
        statement = Statement("CREATE DATABASE {}", (name(managed.external_name),))
        for option in options:
            statement = Statement("{} {}", (statement, option))
        with suppress(AlreadyExists):  # a creation whose answer was lost
            await self._server.run(f"database {managed.external_name!r} was not created", statement)
        return Created()

    async def update(self, managed: Managed, observed: Observed) -> Updated:
        named = name(managed.external_name)
        statements = [
            Statement(_CHANGES[each.path], (named, _part(each.path, managed.wanted)))
            for each in observed.differences
            if each.path in _CHANGES
        ]
        await self._server.run(f"database {managed.external_name!r} was not changed", *statements)
        return Updated()

    async def delete(self, managed: Managed, observed: Observed) -> None:
        del observed
        statement = Statement("DROP DATABASE IF EXISTS {}", (name(managed.external_name),))
        await self._server.run(f"database {managed.external_name!r} was not dropped", statement)

    async def _held(self, managed: Managed, size_bytes: int | None, *, connectable: bool) -> str:
        held = "database" if size_bytes is None else f"database, {sized(size_bytes)}"
        if not (deleting(managed) and connectable):
            return held
        # Looking inside takes a connection of its own: worth it only where all of it is about to go.
        rows = await self._server.fetch(_TABLES, database=managed.external_name)
        return f"{held}, {counted(rows[0][0], 'table')}" if rows else held


_CLAUSES: Final = {
    "owner": "OWNER {}",
    "template": "TEMPLATE {}",
    "strategy": "STRATEGY {}",
    "encoding": "ENCODING {}",
    "lcCollate": "LC_COLLATE {}",
    "lcCType": "LC_CTYPE {}",
    "tablespace": "TABLESPACE {}",
    "allowConnections": "ALLOW_CONNECTIONS {}",
    "connectionLimit": "CONNECTION LIMIT {}",
    "isTemplate": "IS_TEMPLATE {}",
}
_CHANGES: Final = {
    "owner": "ALTER DATABASE {} OWNER TO {}",
    "tablespace": "ALTER DATABASE {} SET TABLESPACE {}",
    "allowConnections": "ALTER DATABASE {} ALLOW_CONNECTIONS {}",
    "connectionLimit": "ALTER DATABASE {} CONNECTION LIMIT {}",
    "isTemplate": "ALTER DATABASE {} IS_TEMPLATE {}",
}
_NAMES: Final = frozenset({"owner", "template", "tablespace"})


def _meant(wanted: JsonObject) -> JsonObject:
    """Without what says DEFAULT, which leaves the choice to the server as absence does. An owner may be called that."""
    return {key: value for key, value in wanted.items() if value != _DEFAULT or key == "owner"}


def _part(field: str, wanted: JsonObject) -> Part:
    if field in _NAMES:
        return name(text(wanted, field))
    if field == "strategy":
        return word(text(wanted, field), _STRATEGIES, "strategy of copying a template")
    value = wanted[field]
    if field == "encoding" and isinstance(value, str) and value.isdecimal():
        return Value(int(value))
    return Value(value)
