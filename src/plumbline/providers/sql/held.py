"""What a role holds now, read from the catalogues."""

from collections.abc import Mapping
from typing import Final, NamedTuple

from plumbline.base.errors import InvalidInput, Transient
from plumbline.providers.sql.granting import INHERITS, MEMBER, ROUTINE, Grant, Item, Routine
from plumbline.providers.sql.servers import Server
from plumbline.providers.sql.statements import Statement, Value, Word

_HELD: Final = """
SELECT t.thing, t.part, a.privilege_type, a.is_grantable
FROM ({}) AS t (thing, part, acl) CROSS JOIN pg_catalog.aclexplode(t.acl) AS a
     JOIN pg_catalog.pg_roles AS r ON r.oid = a.grantee AND r.rolname = %(role)s::text
"""
_RELATIONS: Final = """
SELECT c.relname, '', c.relacl
FROM pg_catalog.pg_class AS c JOIN pg_catalog.pg_namespace AS n ON n.oid = c.relnamespace
WHERE n.nspname = %(schema)s::text AND c.relname = ANY(%(things)s) AND c.relkind = ANY({})
"""
_THINGS: Final = {
    "database": Statement("SELECT datname, '', datacl FROM pg_catalog.pg_database WHERE datname = ANY(%(things)s)"),
    "schema": Statement("SELECT nspname, '', nspacl FROM pg_catalog.pg_namespace WHERE nspname = ANY(%(things)s)"),
    "table": Statement(_RELATIONS, (Value("{r,p,v,m,f}"),)),
    "sequence": Statement(_RELATIONS, (Value("{S}"),)),
    "column": Statement("""
SELECT c.relname, p.attname, p.attacl
FROM pg_catalog.pg_class AS c JOIN pg_catalog.pg_namespace AS n ON n.oid = c.relnamespace
     JOIN pg_catalog.pg_attribute AS p ON p.attrelid = c.oid AND NOT p.attisdropped
WHERE n.nspname = %(schema)s::text AND c.relname = ANY(%(things)s) AND p.attname = ANY(%(columns)s)
"""),
    ROUTINE: Statement("""
SELECT asked.signature, '', p.proacl
FROM unnest(%(things)s::text[]) AS asked (signature)
     JOIN pg_catalog.pg_proc AS p ON p.oid = pg_catalog.to_regprocedure(quote_ident(%(schema)s) || '.' ||
          quote_ident(split_part(asked.signature, '(', 1)) || substr(asked.signature, strpos(asked.signature, '(')))
"""),
    "foreign server": Statement(
        "SELECT srvname, '', srvacl FROM pg_catalog.pg_foreign_server WHERE srvname = ANY(%(things)s)"
    ),
    "foreign data wrapper": Statement(
        "SELECT fdwname, '', fdwacl FROM pg_catalog.pg_foreign_data_wrapper WHERE fdwname = ANY(%(things)s)"
    ),
}
_MEMBERS: Final = """
SELECT g.rolname, bool_or(m.admin_option), bool_or({})
FROM pg_catalog.pg_auth_members AS m JOIN pg_catalog.pg_roles AS g ON g.oid = m.roleid
     JOIN pg_catalog.pg_roles AS r ON r.oid = m.member
WHERE r.rolname = %(role)s::text AND g.rolname = ANY(%(things)s) GROUP BY g.rolname
"""
_PUBLIC: Final = """
SELECT d.datacl IS NULL OR EXISTS (SELECT FROM pg_catalog.aclexplode(d.datacl) AS a WHERE a.grantee = 0)
FROM pg_catalog.pg_database AS d WHERE d.datname = ANY(%(things)s)
"""
_ROUTINES: Final = """
SELECT n.nspname, p.proname,
       array(SELECT tn.nspname || chr(9) || t.typname
             FROM unnest(p.proargtypes) WITH ORDINALITY AS args (type, place)
                  JOIN pg_catalog.pg_type AS t ON t.oid = args.type
                  JOIN pg_catalog.pg_namespace AS tn ON tn.oid = t.typnamespace
             ORDER BY args.place)
FROM unnest(%(things)s::text[]) AS asked (signature)
     JOIN pg_catalog.pg_proc AS p ON p.oid = pg_catalog.to_regprocedure(quote_ident(%(schema)s) || '.' ||
          quote_ident(split_part(asked.signature, '(', 1)) || substr(asked.signature, strpos(asked.signature, '(')))
     JOIN pg_catalog.pg_namespace AS n ON n.oid = p.pronamespace
"""


class Held(NamedTuple):
    items: frozenset[Item]
    optional: frozenset[Item]
    """Those of them that may be passed on."""
    inherits: bool | None = None
    public: bool = False
    """Whether everybody may do something with the database."""


async def held_of(server: Server, grant: Grant) -> Held:
    values = {
        "role": grant.role,
        "schema": grant.schema,
        "things": list(grant.things),
        "columns": list(grant.columns),
    }
    if grant.kind == MEMBER:
        return await _membership(server, grant, values)
    rows = await server.fetch(Statement(_HELD, (_THINGS[grant.kind],)), values, database=grant.database)
    public = False
    if grant.revokes_public:
        public = any(may for (may,) in await server.fetch(_PUBLIC, values))
    items = {Item(thing, column, kind): optional for thing, column, kind, optional in rows}
    return Held(frozenset(items), frozenset(item for item, optional in items.items() if optional), public=public)


async def _membership(server: Server, grant: Grant, values: Mapping[str, object]) -> Held:
    knows = await server.server_version() >= INHERITS
    if grant.inherits is not None and not knows:
        why = f"it needs PostgreSQL 16 or later, and this is {server.version}"
        raise InvalidInput("forProvider.withInherit cannot be used", why=why)
    inherits = Word("m.inherit_option" if knows else "NULL::bool")
    rows = await server.fetch(Statement(_MEMBERS, (inherits,)), values)
    items = frozenset(Item(thing, "", MEMBER) for thing, _, _ in rows)
    optional = frozenset(Item(thing, "", MEMBER) for thing, admin, _ in rows if admin)
    return Held(items, optional, inherits=rows[0][2] if rows else None)


async def routines_of(server: Server, grant: Grant, things: tuple[str, ...]) -> tuple[Routine, ...]:
    """The routines behind signatures, or Transient where one is missing."""
    if grant.kind != ROUTINE:
        return ()
    rows = await server.fetch(_ROUTINES, {"schema": grant.schema, "things": list(things)}, database=grant.database)
    if len(rows) < len(things):
        raise Transient("a routine is missing", why=f"schema {grant.schema!r} does not have all of {', '.join(things)}")
    return tuple(Routine(schema, called, tuple(_type(each) for each in types)) for schema, called, types in rows)


def _type(joined: str) -> tuple[str, str]:
    schema, _, called = joined.partition("\t")
    return schema, called
