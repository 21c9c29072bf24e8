"""Default privileges: what a role will get on objects that another one is yet to make."""

from typing import Final

from plumbline.base.errors import InvalidInput
from plumbline.base.json import JsonObject
from plumbline.managed.external import ABSENT, Created, Difference, Managed, Observed, Updated
from plumbline.providers.sql.expansion import expanded
from plumbline.providers.sql.servers import Server
from plumbline.providers.sql.statements import Listed, Statement, Word, name, privileges
from plumbline.providers.sql.wanted import required, text, texts

_OBSERVE: Final = """
SELECT a.privilege_type, a.is_grantable
FROM pg_catalog.pg_default_acl AS d
     CROSS JOIN pg_catalog.aclexplode(d.defaclacl) AS a
     JOIN pg_catalog.pg_roles AS r ON r.oid = a.grantee
     JOIN pg_catalog.pg_roles AS t ON t.oid = d.defaclrole
     LEFT JOIN pg_catalog.pg_namespace AS n ON n.oid = d.defaclnamespace
WHERE d.defaclobjtype = %(type)s AND r.rolname = %(role)s::text AND t.rolname = %(target)s::text
      AND coalesce(n.nspname, '') = %(schema)s::text
"""
_TYPES: Final = {
    "table": ("r", "TABLES"),
    "sequence": ("S", "SEQUENCES"),
    "function": ("f", "FUNCTIONS"),
    "type": ("T", "TYPES"),
    "schema": ("n", "SCHEMAS"),
}


class DefaultPrivileges:
    def __init__(self, server: Server) -> None:
        self._server = server

    async def observe(self, managed: Managed) -> Observed:
        wanted = managed.wanted
        code, _ = _type(wanted)
        values = {
            "type": code,
            "role": required(wanted, "role"),
            "target": required(wanted, "targetRole"),
            "schema": text(wanted, "schema"),
        }
        rows = await self._server.fetch(_OBSERVE, values, database=text(wanted, "database"))
        if not rows:
            return ABSENT
        held = {(kind, grantable) for kind, grantable in rows}
        version = await self._server.server_version()
        grantable = text(wanted, "withOption") == "GRANT"
        asked = {(kind, grantable) for kind in expanded(wanted["objectType"], _asked(wanted), version)}
        found = sorted(kind for kind, _ in held)
        differences = () if held == asked else (Difference("privileges", sorted(kind for kind, _ in asked), found),)
        return Observed(exists=True, at_provider={"privileges": found}, differences=differences)

    async def create(self, managed: Managed) -> Created:
        await self._grant(managed.at_creation, "were not granted")
        return Created()

    async def update(self, managed: Managed, observed: Observed) -> Updated:
        del observed
        await self._grant(managed.wanted, "were not changed")
        return Updated()

    async def delete(self, managed: Managed, observed: Observed) -> None:
        del observed
        wanted = managed.wanted
        what = f"default privileges of {required(wanted, 'role')!r} were not revoked"
        await self._server.transact(what, [_revoked(wanted)], database=text(wanted, "database"))

    async def _grant(self, wanted: JsonObject, failed: str) -> None:
        granted = Statement(
            "{} GRANT {} ON {} TO {}", (_altered(wanted), _listed(wanted), _plural(wanted), _grantee(wanted))
        )
        if text(wanted, "withOption") == "GRANT":
            granted = Statement("{} WITH GRANT OPTION", (granted,))
        what = f"default privileges of {wanted['role']!r} {failed}"
        await self._server.transact(what, [_revoked(wanted), granted], database=text(wanted, "database"))


def _altered(wanted: JsonObject) -> Statement:
    statement = Statement("ALTER DEFAULT PRIVILEGES FOR ROLE {}", (name(required(wanted, "targetRole")),))
    schema = text(wanted, "schema")
    return Statement("{} IN SCHEMA {}", (statement, name(schema))) if schema else statement


def _revoked(wanted: JsonObject) -> Statement:
    return Statement("{} REVOKE ALL ON {} FROM {}", (_altered(wanted), _plural(wanted), _grantee(wanted)))


def _grantee(wanted: JsonObject) -> Listed:
    return Listed((name(required(wanted, "role")),))


def _listed(wanted: JsonObject) -> Listed:
    return privileges(_asked(wanted))


def _asked(wanted: JsonObject) -> tuple[str, ...]:
    asked = texts(wanted, "privileges")
    if not asked:
        raise InvalidInput("forProvider.privileges is missing", why="there is nothing to grant")
    return asked


def _plural(wanted: JsonObject) -> Word:
    return Word(_type(wanted)[1])


def _type(wanted: JsonObject) -> tuple[str, str]:
    kind = required(wanted, "objectType")
    if kind not in _TYPES:
        raise InvalidInput(
            f"forProvider.objectType {kind!r} is not known", why=f"it must be one of {', '.join(_TYPES)}"
        )
    if (kind == "schema") == bool(text(wanted, "schema")):
        rule = (
            "must not be set when objectType is schema"
            if kind == "schema"
            else "is required when objectType is not schema"
        )
        raise InvalidInput("forProvider.schema cannot be as it is", why=f"schema {rule}")
    return _TYPES[kind]
