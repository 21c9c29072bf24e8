"""Grants of all kinds. What somebody else has granted to the same role on the same thing is left alone.

The status remembers what was granted, so that a privilege or a table that is taken out of a Grant is taken from the role.
"""

from typing import Final

from plumbline.base.errors import InvalidInput
from plumbline.base.json import JsonObject
from plumbline.managed.external import ABSENT, Created, Difference, Managed, Observed, Updated
from plumbline.providers.sql.granting import (
    Grant,
    Item,
    essentials,
    grant_of,
    granted,
    option_revoked,
    public_revoked,
    revoked,
)
from plumbline.providers.sql.held import Held, held_of, routines_of
from plumbline.providers.sql.servers import Server
from plumbline.providers.sql.statements import Statement
from plumbline.providers.sql.wanted import observed_before

_RECORD: Final = "granted"


class Grants:
    def __init__(self, server: Server) -> None:
        self._server = server

    async def observe(self, managed: Managed) -> Observed:
        wanted = grant_of(managed.wanted)
        items = wanted.items(await self._server.server_version())
        held = await held_of(self._server, wanted)
        left = await self._left(managed, wanted)
        if not items & held.items and not left:
            return ABSENT
        return Observed(
            exists=True,
            at_provider={_RECORD: _recorded(managed) if left else essentials(managed.wanted)},
            differences=_differences(wanted, items, held, left),
        )

    async def create(self, managed: Managed) -> Created:
        await self._grant(grant_of(managed.at_creation), "was not made")
        return Created()

    async def update(self, managed: Managed, observed: Observed) -> Updated:
        del observed
        wanted = grant_of(managed.wanted)
        await self._revoke_left(managed, wanted)
        await self._grant(wanted, "was not changed")
        return Updated()

    async def delete(self, managed: Managed, observed: Observed) -> None:
        del observed
        wanted = grant_of(managed.wanted)
        await self._revoke_left(managed, wanted)
        held = await held_of(self._server, wanted)
        await self._revoke(wanted, wanted.items(await self._server.server_version()) & held.items)

    async def _grant(self, grant: Grant, failed: str) -> None:
        routines = await routines_of(self._server, grant, grant.things)
        statements = [granted(grant, routines)]
        held = await held_of(self._server, grant)
        items = grant.items(await self._server.server_version())
        if not grant.optional and items & held.optional:
            statements.append(option_revoked(grant, routines))
        if grant.revokes_public and held.public:
            statements.append(public_revoked(grant))
        await self._server.transact(f"the grant to role {grant.role!r} {failed}", statements, database=grant.database)

    async def _revoke(self, grant: Grant, items: frozenset[Item]) -> None:
        """Take *items* away, thing by thing: others of the same grant may be gone."""
        statements: list[Statement] = []
        for thing in sorted({item.thing for item in items}):
            of_thing = [item for item in items if item.thing == thing]
            only = grant._replace(
                things=(thing,),
                columns=tuple(sorted({item.column for item in of_thing if item.column})),
                privileges=tuple(sorted({item.privilege for item in of_thing})),
            )
            statements.append(revoked(only, await routines_of(self._server, only, (thing,))))
        if statements:
            what = f"the grant to role {grant.role!r} was not revoked"
            await self._server.transact(what, statements, database=grant.database)

    async def _revoke_left(self, managed: Managed, wanted: Grant) -> None:
        before = _before(managed)
        if before is not None and (left := await self._left(managed, wanted)):
            await self._revoke(before, left)

    async def _left(self, managed: Managed, wanted: Grant) -> frozenset[Item]:
        """What was granted under an earlier form of it, is no longer asked for, and is still held."""
        if essentials(managed.wanted) == _recorded(managed):
            return frozenset()
        before = _before(managed)
        if before is None:
            return frozenset()
        version = await self._server.server_version()
        items = before.items(version)
        if _place(before) == _place(wanted):
            items -= wanted.items(version)
        return items & (await held_of(self._server, before)).items if items else items


def _recorded(managed: Managed) -> JsonObject:
    found = observed_before(managed).get(_RECORD)
    return found if isinstance(found, dict) else {}


def _place(grant: Grant) -> tuple[str, ...]:
    return grant.role, grant.kind, grant.database, grant.schema


def _before(managed: Managed) -> Grant | None:
    recorded = _recorded(managed)
    try:
        return grant_of(recorded) if recorded else None
    except InvalidInput:
        return None  # written by another version of this, or by hand


def _differences(wanted: Grant, items: frozenset[Item], held: Held, left: frozenset[Item]) -> tuple[Difference, ...]:
    found: list[Difference] = []
    if items - held.items or left:
        has = held.items & items | left
        found.append(Difference("privileges", sorted(map(_shown, items)), sorted(map(_shown, has))))
    passed_on = held.optional & items
    if passed_on != (items & held.items if wanted.optional else frozenset()):
        found.append(Difference("withOption", wanted.optional, bool(passed_on)))
    if wanted.inherits not in {None, held.inherits}:
        found.append(Difference("withInherit", wanted.inherits, held.inherits))
    if wanted.revokes_public and held.public:
        found.append(Difference("revokePublicOnDb", wanted=True, found=False))
    return tuple(found)


def _shown(item: Item) -> str:
    where = f"{item.thing}.{item.column}" if item.column else item.thing
    return f"{item.privilege} on {where}"
