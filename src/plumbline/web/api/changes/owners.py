"""Who owns what in the cluster, gathered when somebody asks and kept for a while: it is a look at everything there is."""

import asyncio
from typing import Final

from plumbline.base.clock import Clock
from plumbline.base.errors import InvalidInput, NotFound, TimedOut
from plumbline.base.json import JsonObject
from plumbline.kube.client import Client
from plumbline.kube.names import Ref
from plumbline.ownership import Claim, ClusterObject, Conflict, Ledger, Link, Owner, Resource
from plumbline.ownership.external import parse
from plumbline.ownership.gathering import Gathered, climb, gather
from plumbline.ownership.wording import owner_json, resource_json, way_out
from plumbline.web.api.changes.asking import object_of
from plumbline.web.api.ours.rights import OurRights
from plumbline.web.api.rights import Asker
from plumbline.web.api.writing import CLUSTER

_FRESH_S: Final = 30.0
_GATHER_S: Final = 60.0
_MOST: Final = 500


class Owners:
    def __init__(self, client: Client, clock: Clock) -> None:
        self._client, self._clock = client, clock
        self._known: tuple[float, Gathered] | None = None
        self._gathering = asyncio.Lock()

    async def gathered(self) -> Gathered:
        """As of half a minute ago at most."""
        async with self._gathering:
            now_s = self._clock.monotonic()
            if self._known is None or now_s - self._known[0] >= _FRESH_S:
                try:
                    async with asyncio.timeout(_GATHER_S):
                        self._known = now_s, await gather(self._client)
                except TimeoutError:
                    raise TimedOut("who owns what is not known yet", why="the cluster is slow to answer") from None
            return self._known[1]

    async def resource(self, said: str) -> Resource:
        """An object, an ARN, or TYPE/ID."""
        outside = parse(said)
        if outside is not None:
            return outside
        found = object_of(said, CLUSTER)
        if found is None:
            raise InvalidInput("nothing is asked about", hint="Name an object: GROUP/KIND/NAMESPACE/NAME.")
        cluster = "" if found.cluster == CLUSTER else found.cluster
        return ClusterObject(Ref(found.group, found.kind, found.namespace, found.name), cluster)

    async def known(self, resource: Resource) -> Gathered:
        found = await self.gathered()
        if isinstance(resource, ClusterObject) and not resource.cluster:
            await climb(self._client, found, resource)
        return found


class Telling:
    """What is told to *asker*: of owners that they may not see, only that there is one."""

    def __init__(self, rights: OurRights, asker: Asker) -> None:
        self._rights, self._asker = rights, asker

    def explained(self, ledger: Ledger, resource: Resource) -> JsonObject:
        links = self._shown(ledger.chain(resource))
        if not any(link.claims or link.parent for link in links):
            raise NotFound(f"nothing is known about {resource}", hint="What nobody claims is not known.")
        root = ledger.root_of(resource)
        declared = _declared(links[0].claims)
        return {
            "resource": resource_json(resource),
            "owner": self._owner(root) if root is not None else None,
            "contested": len({claim.owner for claim in declared}) > 1,
            "chain": [
                {
                    "resource": resource_json(link.resource),
                    "owner": self._owner(link.owner) if link.owner is not None else None,
                    "parent": resource_json(link.parent) if link.parent is not None else None,
                    "claims": [self._claim(claim) for claim in link.claims],
                }
                for link in links
            ],
        }

    def _shown(self, links: tuple[Link, ...]) -> tuple[Link, ...]:
        """Up to an owner that *asker* may not see: what comes after it is that owner itself."""
        for place, link in enumerate(links, 1):
            if link.owner is not None and link.owner.engine == "application" and not self._seen(link.owner):
                return links[:place]
        return links

    def contested(self, conflicts: tuple[Conflict, ...]) -> list[JsonObject]:
        """Those of which *asker* may see one side."""
        seen = [each for each in conflicts if any(self._seen(claim.owner) for claim in each.claims)]
        return [
            {"resource": resource_json(each.resource), "claims": [self._claim(claim) for claim in each.claims]}
            for each in seen[:_MOST]
        ]

    def seen(self, owner: Owner | None) -> bool:
        return owner is not None and self._seen(owner)

    def _seen(self, owner: Owner) -> bool:
        if owner.engine != "application" or owner.ref is None:
            return False
        return self._rights.sees_application(self._asker, (owner.ref.namespace, owner.ref.name))

    def _owner(self, owner: Owner) -> JsonObject:
        if owner.engine == "application" and not self._seen(owner):
            return {"engine": owner.engine, "hidden": True}
        return owner_json(owner)

    def _claim(self, claim: Claim) -> JsonObject:
        owner = self._owner(claim.owner)
        if owner.get("hidden"):
            return {"owner": owner, "strength": claim.strength}
        return {
            "owner": owner,
            "strength": claim.strength,
            "place": claim.source.place,
            "said": claim.source.said,
            "since": claim.since,
            "wayOut": way_out(claim),
        }


def _declared(claims: tuple[Claim, ...]) -> list[Claim]:
    return [claim for claim in claims if claim.strength == "declared"]
