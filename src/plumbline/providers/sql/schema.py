"""Schemas of a database."""

from typing import Final

from plumbline.managed.external import ABSENT, Created, Difference, Managed, Observed, Updated
from plumbline.providers.sql.servers import Server
from plumbline.providers.sql.statements import Statement, name, word
from plumbline.providers.sql.wanted import compared, counted, deleting, required, text, unset

_OBSERVE: Final = """
SELECT pg_catalog.pg_get_userbyid(n.nspowner),
       EXISTS (SELECT FROM pg_catalog.pg_namespace AS p, pg_catalog.aclexplode(p.nspacl) AS a
               WHERE p.nspname = 'public' AND a.grantee = 0),
       (SELECT count(*) FROM pg_catalog.pg_class AS c WHERE c.relnamespace = n.oid AND c.relkind IN ('r', 'p', 'm'))
FROM pg_catalog.pg_namespace AS n WHERE n.nspname = %(name)s::text
"""
_REVOKE: Final = Statement("REVOKE ALL ON SCHEMA public FROM PUBLIC")
_BEHAVIOURS: Final = frozenset({"CASCADE", "RESTRICT"})


class Schemas:
    def __init__(self, server: Server) -> None:
        self._server = server

    async def observe(self, managed: Managed) -> Observed:
        wanted = managed.wanted
        rows = await self._server.fetch(
            _OBSERVE, {"name": managed.external_name}, database=required(wanted, "database")
        )
        if not rows:
            return ABSENT
        owner, public_may, tables = rows[0]
        found = {"role": owner}
        differences = compared(wanted, found, ("role",))
        if wanted.get("revokePublicOnSchema") and public_may:
            differences = (*differences, Difference("revokePublicOnSchema", wanted=True, found=False))
        cascades = wanted.get("dropBehavior") == "CASCADE"
        return Observed(
            exists=True,
            at_provider=found,
            differences=differences,
            late=unset(wanted, found, ("role",)),
            holds=f"schema, {counted(tables, 'table')}" if tables else "",
            protected=f"it has {counted(tables, 'table')}, and dropBehavior is RESTRICT"
            if tables and not cascades and deleting(managed)
            else "",
        )

    async def create(self, managed: Managed) -> Created:
        wanted = managed.at_creation
        role = text(wanted, "role")
        named = name(managed.external_name)
        statement = Statement("CREATE SCHEMA IF NOT EXISTS {}", (named,))
        if role:
            statement = Statement("{} AUTHORIZATION {}", (statement, name(role)))
        statements = [statement, _REVOKE] if wanted.get("revokePublicOnSchema") else [statement]
        await self._server.transact(
            f"schema {managed.external_name!r} was not created", statements, database=required(wanted, "database")
        )
        return Created()

    async def update(self, managed: Managed, observed: Observed) -> Updated:
        wanted = managed.wanted
        statements = []
        for each in observed.differences:
            if each.path == "role":
                parts = (name(managed.external_name), name(text(wanted, "role")))
                statements.append(Statement("ALTER SCHEMA {} OWNER TO {}", parts))
            else:
                statements.append(_REVOKE)
        await self._server.transact(
            f"schema {managed.external_name!r} was not changed", statements, database=required(wanted, "database")
        )
        return Updated()

    async def delete(self, managed: Managed, observed: Observed) -> None:
        del observed
        behaviour = word(text(managed.wanted, "dropBehavior") or "RESTRICT", _BEHAVIOURS, "way to drop a schema")
        await self._server.run(
            f"schema {managed.external_name!r} was not dropped",
            Statement("DROP SCHEMA IF EXISTS {} {}", (name(managed.external_name), behaviour)),
            database=required(managed.wanted, "database"),
        )
