"""What the cluster knows of claims: rows of all kinds that are offered, and one of them as it is now."""

from typing import Final, NamedTuple

from plumbline.base.errors import InvalidInput, NotFound, PlumblineError, UnknownKind
from plumbline.base.json import JsonObject, decode
from plumbline.base.tasks import task_group
from plumbline.kernel.cache import Key
from plumbline.kinds.crossplane.definition import COMPOSITE_RESOURCE_DEFINITION
from plumbline.kube.client import Client, Target
from plumbline.kube.names import GroupKind, GroupVersionResource
from plumbline.web.api.infrastructure.definitions import Definition, Offer, definition
from plumbline.web.api.infrastructure.rows import Row, merged, row
from plumbline.web.api.ours.shelves import Shelf, Shelves

_XRDS: Final = COMPOSITE_RESOURCE_DEFINITION.resource
_MOST_KINDS: Final = 500
NOWHERE: Final = "-"
"""In paths and policies: the namespace of what is in none."""


class Unseen(NamedTuple):
    """A kind that cannot be listed now."""

    kind: str
    why: str


class Seen(NamedTuple):
    rows: list[Row]
    unseen: tuple[Unseen, ...] = ()
    behind: PlumblineError | None = None


class Offered(NamedTuple):
    """What the platform offers now, with what there is of it."""

    definitions: list[Definition]
    shelves: dict[GroupVersionResource, Shelf[Row] | PlumblineError]

    def rows(self) -> list[Row]:
        """Claims, and composites that nothing else has made."""
        return [one for each in self.definitions for one in _of(each, self.shelves)]

    def row(self, kind: GroupKind, place: Key) -> Row | None:
        """One of these."""
        for each in self.definitions:
            if each.offers(kind) is None:
                continue
            composites = self._shelf(each, each.composite)
            if each.claim is not None and each.claim.kind == kind.kind:
                claims = self._shelf(each, each.claim)
                found = claims.row(place) if claims is not None else None
                return _with_composite(found, composites) if found is not None else None
            found = composites.row(place) if composites is not None else None
            return found if found is not None and _its_own(found) else None
        return None

    def of(self, each: Definition) -> list[Shelf[Row]]:
        found = [self._shelf(each, offer) for offer in _offers(each)]
        return [shelf for shelf in found if shelf is not None]

    def _shelf(self, each: Definition, offer: Offer) -> Shelf[Row] | None:
        found = self.shelves.get(each.resource(offer))
        return found if isinstance(found, Shelf) else None


class Claims:
    def __init__(self, client: Client, shelves: Shelves) -> None:
        self._client, self._shelves = client, shelves

    async def shelf(self) -> Shelf[Definition] | None:
        """Of definitions; None where nobody has brought the kind."""
        try:
            await self._client.discovery.resource(COMPOSITE_RESOURCE_DEFINITION.gvk)
        except UnknownKind:
            return None
        return await self._shelves.shelf(_XRDS, definition)

    async def definitions(self) -> list[Definition]:
        shelf = await self.shelf()
        return list(shelf.rows()) if shelf is not None else []

    async def offered(self) -> Offered:
        found = sorted(await self.definitions(), key=lambda each: each.name)[:_MOST_KINDS]
        wanted = {each.resource(offer) for each in found for offer in _offers(each)}
        self._shelves.leave({_XRDS, *wanted})
        async with task_group() as group:
            asked = {each: group.create_task(self._shelf(each)) for each in wanted}
        return Offered(found, {each: task.result() for each, task in asked.items()})

    async def rows(self) -> Seen:
        offered = await self.offered()
        shelves = offered.shelves
        unseen = tuple(Unseen(str(each), str(why)) for each, why in shelves.items() if isinstance(why, PlumblineError))
        behind = (each.interrupted for each in shelves.values() if isinstance(each, Shelf))
        return Seen(offered.rows(), unseen, next(filter(None, behind), None))

    async def object(self, kind: GroupKind, namespace: str, name: str) -> JsonObject | None:
        """As it is now; None where there is none, or the kind is not one that a definition offers."""
        for each in await self.definitions():
            offer = each.offers(kind)
            if offer is not None and offer.served:
                place = "" if namespace == NOWHERE else namespace
                return await self._got(Target(each.resource(offer), place, name))
        return None

    async def definition(self, name: str) -> JsonObject | None:
        try:
            return await self._got(Target(_XRDS, "", name))
        except UnknownKind:
            return None

    async def _got(self, target: Target) -> JsonObject | None:
        try:
            found: JsonObject = decode(await self._client.get(target))
        except (NotFound, InvalidInput):
            return None
        return found

    async def _shelf(self, resource: GroupVersionResource) -> Shelf[Row] | PlumblineError:
        """One kind that cannot be read must not hide the others."""
        try:
            return await self._shelves.shelf(resource, row)
        except PlumblineError as error:
            return error


def _offers(each: Definition) -> list[Offer]:
    return [offer for offer in (each.composite, each.claim) if offer is not None and offer.served and each.version]


def _of(each: Definition, shelves: dict[GroupVersionResource, Shelf[Row] | PlumblineError]) -> list[Row]:
    composites = shelves.get(each.resource(each.composite))
    known = composites if isinstance(composites, Shelf) else None
    claims = shelves.get(each.resource(each.claim)) if each.claim is not None else None
    found = [one for one in known.rows() if _its_own(one)] if known else []
    if isinstance(claims, Shelf):
        found += [_with_composite(one, known) for one in claims.rows()]
    return found


def _its_own(composite: Row) -> bool:
    """Whether nothing else has made it."""
    return composite.claim == ("", "") and not composite.marks.owner_references


def _with_composite(claim: Row, composites: Shelf[Row] | None) -> Row:
    return merged(claim, composites.row(("", claim.composite)) if composites and claim.composite else None)
