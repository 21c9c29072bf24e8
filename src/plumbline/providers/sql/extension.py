"""Extensions of a database: installed, brought to another version, moved to another schema."""

from typing import Final

from plumbline.managed.external import ABSENT, Created, Managed, Observed, Updated
from plumbline.providers.sql.servers import Server
from plumbline.providers.sql.statements import Statement, Value, name
from plumbline.providers.sql.wanted import compared, required, text, unset

_OBSERVE: Final = """
SELECT e.extversion, n.nspname
FROM pg_catalog.pg_extension AS e JOIN pg_catalog.pg_namespace AS n ON n.oid = e.extnamespace
WHERE e.extname = %(name)s::text
"""


class Extensions:
    def __init__(self, server: Server) -> None:
        self._server = server

    async def observe(self, managed: Managed) -> Observed:
        wanted = managed.wanted
        rows = await self._server.fetch(
            _OBSERVE, {"name": required(wanted, "extension")}, database=text(wanted, "database")
        )
        if not rows:
            return ABSENT
        found = {"version": rows[0][0], "schema": rows[0][1]}
        return Observed(
            exists=True,
            at_provider=found,
            differences=compared(wanted, found, ("version", "schema")),
            late=unset(wanted, found, ("version",)),
        )

    async def create(self, managed: Managed) -> Created:
        wanted = managed.at_creation
        statement = Statement("CREATE EXTENSION IF NOT EXISTS {}", (name(required(wanted, "extension")),))
        if schema := text(wanted, "schema"):
            statement = Statement("{} SCHEMA {}", (statement, name(schema)))
        if version := text(wanted, "version"):
            statement = Statement("{} VERSION {}", (statement, Value(version)))
        what = f"extension {wanted['extension']!r} was not created"
        await self._server.run(what, statement, database=text(wanted, "database"))
        return Created()

    async def update(self, managed: Managed, observed: Observed) -> Updated:
        wanted = managed.wanted
        named = name(required(wanted, "extension"))
        statements = [
            Statement("ALTER EXTENSION {} UPDATE TO {}", (named, Value(text(wanted, "version"))))
            if each.path == "version"
            else Statement("ALTER EXTENSION {} SET SCHEMA {}", (named, name(text(wanted, "schema"))))
            for each in observed.differences
        ]
        what = f"extension {wanted['extension']!r} was not changed"
        await self._server.transact(what, statements, database=text(wanted, "database"))
        return Updated()

    async def delete(self, managed: Managed, observed: Observed) -> None:
        del observed
        extension = required(managed.wanted, "extension")
        await self._server.run(
            f"extension {extension!r} was not dropped",
            Statement("DROP EXTENSION IF EXISTS {}", (name(extension),)),
            database=text(managed.wanted, "database"),
        )
