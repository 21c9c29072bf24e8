"""A grant as a value: to whom, on what, and what; and the statements that give and take it."""

from typing import Final, NamedTuple

from plumbline.base.errors import InvalidInput
from plumbline.base.json import JsonObject
from plumbline.providers.sql.expansion import expanded
from plumbline.providers.sql.statements import Listed, Part, Statement, Word, name, names, privilege, privileges
from plumbline.providers.sql.wanted import required, text, texts

ESSENTIAL: Final = (
    "role", "memberOf", "database", "schema", "tables", "columns", "sequences", "routines", "foreignServers",
    "foreignDataWrappers", "privileges", "withOption", "withInherit", "revokePublicOnDb",
)  # fmt: skip
"""Fields that make a grant what it is."""
MEMBER: Final = "member"
ROUTINE: Final = "routine"
_KINDS: Final = {
    frozenset({"memberOf"}): MEMBER,
    frozenset({"database"}): "database",
    frozenset({"database", "schema"}): "schema",
    frozenset({"database", "schema", "tables"}): "table",
    frozenset({"database", "schema", "tables", "columns"}): "column",
    frozenset({"database", "schema", "sequences"}): "sequence",
    frozenset({"database", "schema", "routines"}): ROUTINE,
    frozenset({"database", "foreignServers"}): "foreign server",
    frozenset({"database", "foreignDataWrappers"}): "foreign data wrapper",
}
_WORDS: Final = {
    "database": "DATABASE",
    "schema": "SCHEMA",
    "table": "TABLE",
    "column": "TABLE",
    "sequence": "SEQUENCE",
    ROUTINE: "ROUTINE",
    "foreign server": "FOREIGN SERVER",
    "foreign data wrapper": "FOREIGN DATA WRAPPER",
}
_LISTS: Final = {
    "table": "tables",
    "column": "tables",
    "sequence": "sequences",
    "foreign server": "foreignServers",
    "foreign data wrapper": "foreignDataWrappers",
}
_SELECTORS: Final = frozenset().union(*_KINDS)
INHERITS: Final = 160000
"""The first server that knows whether a membership is inherited."""


class Item(NamedTuple):
    """One privilege on one thing."""

    thing: str
    column: str
    privilege: str


class Routine(NamedTuple):
    """A routine as the catalogue has it: its arguments' types by their full names."""

    schema: str
    name: str
    types: tuple[tuple[str, str], ...]


class Grant(NamedTuple):
    kind: str
    role: str
    database: str
    """Where to connect to; empty where any will do."""
    schema: str
    things: tuple[str, ...]
    """What it is on: names, for routines their signatures as they were asked for."""
    columns: tuple[str, ...]
    privileges: tuple[str, ...]
    optional: bool
    """It may be passed on."""
    inherits: bool | None
    revokes_public: bool

    def items(self, version: int) -> frozenset[Item]:
        kinds = (MEMBER,) if self.kind == MEMBER else sorted(expanded(self.kind, self.privileges, version))
        return frozenset(
            Item(thing, column, each) for thing in self.things for column in self.columns or ("",) for each in kinds
        )


def essentials(wanted: JsonObject) -> JsonObject:
    return {field: wanted[field] for field in ESSENTIAL if wanted.get(field) not in (None, [], "")}


def grant_of(wanted: JsonObject) -> Grant:
    """What forProvider means, or InvalidInput for fields that together mean nothing."""
    kind = _KINDS.get(frozenset(field for field in _SELECTORS if wanted.get(field)))
    if kind is None:
        why = (
            "memberOf stands alone; else name a database, and what of it: schema, tables, columns, sequences and so on"
        )
        raise InvalidInput("it cannot be told what is granted", why=why)
    asked = texts(wanted, "privileges")
    if (kind == MEMBER) == bool(asked):
        why = "a membership has none" if kind == MEMBER else "there is nothing to grant"
        raise InvalidInput("forProvider.privileges cannot be as it is", why=why)
    for each in asked:
        privilege(each)
    option, only = text(wanted, "withOption"), "ADMIN" if kind == MEMBER else "GRANT"
    if option not in {"", only}:
        raise InvalidInput(f"forProvider.withOption {option!r} cannot be used", why=f"for this grant it must be {only}")
    if wanted.get("withInherit") is not None and kind != MEMBER:
        raise InvalidInput("forProvider.withInherit cannot be used", why="only memberships are inherited")
    shared = kind in {MEMBER, "database"}
    return Grant(
        kind=kind,
        role=required(wanted, "role"),
        database="" if shared else text(wanted, "database"),
        schema=text(wanted, "schema"),
        things=_things(kind, wanted),
        columns=texts(wanted, "columns"),
        privileges=asked,
        optional=bool(option),
        inherits=wanted.get("withInherit"),
        revokes_public=bool(wanted.get("revokePublicOnDb")) and kind == "database",
    )


def _things(kind: str, wanted: JsonObject) -> tuple[str, ...]:
    if kind == MEMBER:
        return (text(wanted, "memberOf"),)
    if kind in {"database", "schema"}:
        return (text(wanted, kind),)
    if kind != ROUTINE:
        return texts(wanted, _LISTS[kind])
    routines = wanted["routines"]
    if not isinstance(routines, list) or not all(isinstance(each, dict) and each.get("name") for each in routines):
        raise InvalidInput("forProvider.routines cannot be used", why="it is not a list of routines with names")
    return tuple(f"{each['name']}({','.join(map(str, each.get('args') or ()))})" for each in routines)


def granted(grant: Grant, routines: tuple[Routine, ...] = ()) -> Statement:
    role = name(grant.role)
    if grant.kind == MEMBER:
        return _with_options(Statement("GRANT {} TO {}", (names(grant.things), role)), grant)
    parts = (_privileges(grant), Word(_WORDS[grant.kind]), _targets(grant, grant.things, routines), role)
    statement = Statement("GRANT {} ON {} {} TO {}", parts)
    return Statement("{} WITH GRANT OPTION", (statement,)) if grant.optional else statement


def revoked(grant: Grant, routines: tuple[Routine, ...] = ()) -> Statement:
    role = name(grant.role)
    if grant.kind == MEMBER:
        return Statement("REVOKE {} FROM {}", (names(grant.things), role))
    parts = (_privileges(grant), Word(_WORDS[grant.kind]), _targets(grant, grant.things, routines), role)
    return Statement("REVOKE {} ON {} {} FROM {}", parts)


def option_revoked(grant: Grant, routines: tuple[Routine, ...] = ()) -> Statement:
    """Not to be passed on any longer, but still held."""
    role = name(grant.role)
    if grant.kind == MEMBER:
        return Statement("REVOKE ADMIN OPTION FOR {} FROM {}", (names(grant.things), role))
    parts = (_privileges(grant), Word(_WORDS[grant.kind]), _targets(grant, grant.things, routines), role)
    return Statement("REVOKE GRANT OPTION FOR {} ON {} {} FROM {}", parts)


def public_revoked(grant: Grant) -> Statement:
    return Statement("REVOKE ALL ON DATABASE {} FROM PUBLIC", (names(grant.things),))


def _with_options(statement: Statement, grant: Grant) -> Statement:
    options: list[Part] = [Word("ADMIN OPTION")] if grant.optional else []
    if grant.inherits is not None:
        options.append(Word("INHERIT TRUE" if grant.inherits else "INHERIT FALSE"))
    return Statement("{} WITH {}", (statement, Listed(tuple(options)))) if options else statement


def _privileges(grant: Grant) -> Listed:
    if grant.kind != "column":
        return privileges(grant.privileges)
    columns = names(grant.columns)
    return Listed(tuple(Statement("{} ({})", (privilege(each), columns)) for each in grant.privileges))


def _targets(grant: Grant, things: tuple[str, ...], routines: tuple[Routine, ...]) -> Listed:
    if grant.kind == ROUTINE:
        return Listed(tuple(map(_signature, routines)))
    if grant.kind in {"table", "column", "sequence"}:
        return Listed(tuple(name(grant.schema, each) for each in things))
    return names(things)


def _signature(routine: Routine) -> Statement:
    types = Listed(tuple(name(*each) for each in routine.types))
    return Statement("{}({})", (name(routine.schema, routine.name), types))
