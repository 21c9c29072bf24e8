"""Objects in an application's namespace that belong to nobody, where the project wants to know of them."""

from collections.abc import Callable
from typing import Final, NamedTuple

import msgspec

from plumbline.base.clock import Clock
from plumbline.base.errors import Forbidden, NotFound, UnknownKind
from plumbline.base.glob import glob_matches
from plumbline.delivery.compare.rollup import Candidate, orphaned
from plumbline.delivery.destinations import Destination
from plumbline.delivery.facts import key_of
from plumbline.delivery.live.collection import instance_of
from plumbline.delivery.status import Condition
from plumbline.delivery.steps.state import At
from plumbline.kernel.cache import Key, Meta
from plumbline.kinds.appproject import OrphanedResource
from plumbline.kube.client import Selection
from plumbline.kube.client.catalog import Resource
from plumbline.kube.names import Ref

_AGE_S: Final = 60.0
_NOBODYS: Final = frozenset(
    {"events", "endpoints", "endpointslices", "pods", "replicasets", "controllerrevisions", "leases"}
)
"""Made by controllers for something else, which is what would be named."""


class _Object(msgspec.Struct, frozen=True):
    metadata: Meta


_decoder: Final = msgspec.json.Decoder(_Object)


class _Seen(NamedTuple):
    at_s: float
    candidates: tuple[Candidate, ...]


class Orphans:
    """One look at a namespace serves all applications in it for a while."""

    def __init__(self, known: Callable[[Key], bool], clock: Clock) -> None:
        self._known = known
        self._clock = clock
        self._seen: dict[tuple[str, str], _Seen] = {}

    async def conditions(
        self,
        at: At,
        namespace: str,
        managed: tuple[Ref, ...],
        permitted: Callable[[Ref], bool],
        *,
        fresh: bool = False,
    ) -> tuple[Condition, ...]:
        """What there is to say of them; *fresh* where somebody has asked to look again."""
        asked = at.project.spec.orphaned_resources
        if asked is None or not namespace:
            return ()
        candidates = await self._candidates(at, namespace, fresh=fresh)
        found = orphaned(
            candidates,
            managed,
            lambda instance: self._known(key_of(instance, at.facts.control_namespace)),
            permitted,
            ignored(asked.ignore),
        )
        if not found or asked.warn is False:
            return ()
        return (Condition("OrphanedResourceWarning", f"Application has {len(found)} orphaned resources"),)

    async def _candidates(self, at: At, namespace: str, *, fresh: bool) -> tuple[Candidate, ...]:
        place, now_s = (at.destination.cluster.server, namespace), self._clock.monotonic()
        seen = self._seen.get(place)
        if fresh or seen is None or now_s - seen.at_s > _AGE_S:
            seen = self._seen[place] = _Seen(now_s, await _listed(at.destination, at, namespace))
        return seen.candidates


async def _listed(destination: Destination, at: At, namespace: str) -> tuple[Candidate, ...]:
    """Everything in the namespace, without its contents."""
    found: list[Candidate] = []
    catalog = await destination.live.kinds.catalog()
    for resource in catalog.resources:
        if catalog.by_kind(resource.gvk.group_kind) is not resource or not _counts(resource, at):
            continue
        try:
            page = await destination.live.client.list(resource.target(namespace), Selection(metadata_only=True))
        except (Forbidden, NotFound, UnknownKind):
            continue
        for raw in page.items:
            meta = _decoder.decode(raw).metadata
            ref = Ref(resource.group, resource.kind, meta.namespace, meta.name)
            found.append(Candidate(ref, bool(meta.owner_references), instance_of(meta, ref, at.settings.tracking)))
    return tuple(found)


def _counts(resource: Resource, at: At) -> bool:
    return resource.namespaced and interesting(resource, at)


def interesting(resource: Resource, at: At) -> bool:
    """Whether somebody may have made such objects, and they are looked at here."""
    return (
        "list" in resource.verbs
        and resource.name not in _NOBODYS
        and not at.settings.filter.excludes(resource.group, resource.kind, at.destination.cluster.server)
    )


def ignored(rules: tuple[OrphanedResource, ...]) -> Callable[[Ref], bool]:
    return lambda ref: any(
        glob_matches(each.group, ref.group)
        and (not each.kind or glob_matches(each.kind, ref.kind))
        and (not each.name or glob_matches(each.name, ref.name))
        for each in rules
    )
