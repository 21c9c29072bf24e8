"""Objects whose owners are gone go too; owners that ask for it wait for what they own."""

from collections.abc import Awaitable, Callable, Iterable, Mapping
from enum import Enum
from typing import Final, NamedTuple

import msgspec

from plumbline.apiserver.controllers.cluster import Cluster
from plumbline.apiserver.controllers.controller import EVERYTHING, Concerns
from plumbline.apiserver.controllers.owners import owners
from plumbline.apiserver.objects.deletion import FOREGROUND, ORPHAN
from plumbline.apiserver.objects.metadata import metadata_of, with_metadata
from plumbline.apiserver.storage.entries import Entry, Key
from plumbline.base.errors import RequestRefused, UnknownKind
from plumbline.base.json import Json, JsonObject
from plumbline.kube.names import GroupKind, GroupVersionKind

_AGAIN_S: Final = 5.0
_DELETING: Final = b'"deletionTimestamp"'
_OWNED: Final = b'"ownerReferences"'


class Standing(Enum):
    """How an owner is doing, as those it owns see it."""

    SOLID = "solid"
    DANGLING = "dangling"
    """Not there, or another object under its name."""
    WAITING = "waiting"
    """Going, once those it owns are gone."""
    UNKNOWN = "unknown"
    """Of a kind that is not served just now: nothing is concluded from it."""
    UNREACHABLE = "unreachable"
    """In some namespace, seen from outside all of them: nothing ever is."""


class Owned(NamedTuple):
    reference: JsonObject
    standing: Standing


class GarbageCollector:
    """Looks at an object when it, an owner of it or something that it owns changes.

    One that is not let go, or that somebody thinks about for long, keeps no other.
    """

    name = "garbage-collector"
    at_once = 20

    def __init__(self, cluster: Cluster) -> None:
        self._cluster = cluster

    @property
    def watches(self) -> Mapping[GroupKind, Concerns]:
        return {EVERYTHING: self._concerned}

    def _concerned(self, entry: Entry, previous: Entry | None) -> Iterable[Key]:
        if not self._cluster.visible(entry.key):
            yield from self._cluster.dependent_keys(_uid(entry))
            yield from self._owner_keys(entry)
            return
        if _OWNED in entry.body or _DELETING in entry.body:
            yield entry.key
            yield from self._owner_keys(entry) if _DELETING in entry.body else ()
        if previous is not None and owners(previous) != owners(entry):
            yield from self._owner_keys(previous)  # one that waits for it may wait no longer

    async def reconcile(self, key: Key) -> float | None:
        obj = self._cluster.at(key)
        if obj is None:
            return None
        metadata = metadata_of(obj)
        if metadata.get("deletionTimestamp"):
            finalizers = metadata.get("finalizers") or ()
            if ORPHAN in finalizers:
                await self._orphan_dependents(obj)
            elif FOREGROUND in finalizers:
                await self._delete_dependents(obj)
            return None
        return await self._judge(obj)

    async def _orphan_dependents(self, owner: JsonObject) -> None:
        uid = metadata_of(owner)["uid"]

        async def release(dependent: JsonObject) -> None:
            await self._cluster.edit(dependent, lambda live: _without_owners(live, {uid}))

        await _each(self._cluster.dependents(uid), release)
        await self._cluster.edit(owner, lambda live: _without_finalizer(live, ORPHAN))

    async def _delete_dependents(self, owner: JsonObject) -> None:
        """Those that block their owner must be gone first; each is asked to go as its own owners say."""
        uid = metadata_of(owner)["uid"]
        dependents = self._cluster.dependents(uid)
        if not any(_blocks(dependent, uid) for dependent in dependents):
            await self._cluster.edit(owner, lambda live: _without_finalizer(live, FOREGROUND))
        await _each([each for each in dependents if not metadata_of(each).get("deletionTimestamp")], self._judge)

    async def _judge(self, obj: JsonObject) -> float | None:
        """Keep, release or delete *obj*, as its owners stand."""
        owned = [Owned(each, self._standing(each, obj)) for each in metadata_of(obj).get("ownerReferences") or ()]
        if not owned:
            return None
        standings = {each.standing for each in owned}
        if Standing.UNREACHABLE in standings:
            return None
        if Standing.UNKNOWN in standings:
            return _AGAIN_S if Standing.SOLID not in standings else None
        if Standing.SOLID in standings:
            gone = {each.reference.get("uid") for each in owned if each.standing is not Standing.SOLID}
            if gone:
                await self._cluster.edit(obj, lambda live: _without_owners(live, gone))
            return None
        await self._delete(obj, waited_for=Standing.WAITING in standings)
        return None

    async def _delete(self, obj: JsonObject, *, waited_for: bool) -> None:
        """As its finalizers say; where an owner waits for it, it waits in turn for what it owns."""
        dependents = self._cluster.dependents(metadata_of(obj)["uid"]) if waited_for else []
        if any(_waits(each) for each in dependents):
            # Owners in a circle would wait for each other for ever: here it is opened.
            obj = await self._cluster.edit(obj, _unblocking)
        finalizers = metadata_of(obj).get("finalizers") or ()
        policy = "Orphan" if ORPHAN in finalizers else "Foreground" if FOREGROUND in finalizers else "Background"
        await self._cluster.delete(obj, propagation="Foreground" if dependents else policy)

    def _standing(self, reference: JsonObject, dependent: JsonObject) -> Standing:
        kind = GroupVersionKind.parse(str(reference.get("apiVersion")), str(reference.get("kind"))).group_kind
        namespace = str(metadata_of(dependent).get("namespace") or "")
        try:
            resource = self._cluster.model(kind).resource
        except UnknownKind:
            return Standing.UNKNOWN
        if resource.namespaced and not namespace:
            return Standing.UNREACHABLE
        owner = self._cluster.get(kind, namespace, str(reference.get("name")))
        if owner is None or metadata_of(owner).get("uid") != reference.get("uid"):
            return Standing.DANGLING
        return Standing.WAITING if _waits(owner) else Standing.SOLID

    def _owner_keys(self, entry: Entry) -> Iterable[Key]:
        for owner in owners(entry):
            kind = GroupVersionKind.parse(owner.api_version, owner.kind).group_kind
            if self._cluster.serves(kind):
                yield self._cluster.key(kind, entry.key.namespace, owner.name)


async def _each(objs: Iterable[JsonObject], do: Callable[[JsonObject], Awaitable[object]]) -> None:
    """All of them, whichever is refused; raises the first refusal in the end."""
    refusals: list[RequestRefused] = []
    for obj in objs:
        try:
            await do(obj)
        except RequestRefused as refused:
            refusals.append(refused)
    if refusals:
        raise refusals[0]


class _Identified(msgspec.Struct):
    uid: str = ""


class _Object(msgspec.Struct):
    metadata: _Identified = msgspec.field(default_factory=_Identified)


_identified: Final = msgspec.json.Decoder(_Object)


def _uid(entry: Entry) -> str:
    return _identified.decode(entry.body).metadata.uid


def _waits(owner: JsonObject) -> bool:
    metadata = metadata_of(owner)
    return bool(metadata.get("deletionTimestamp")) and FOREGROUND in (metadata.get("finalizers") or ())


def _blocks(dependent: JsonObject, uid: Json) -> bool:
    references = metadata_of(dependent).get("ownerReferences") or ()
    return any(each.get("uid") == uid and each.get("blockOwnerDeletion") for each in references)


def _without_owners(obj: JsonObject, uids: set[Json]) -> JsonObject:
    references = metadata_of(obj).get("ownerReferences") or ()
    kept = [each for each in references if each.get("uid") not in uids]
    return obj if len(kept) == len(references) else with_metadata(obj, ownerReferences=kept or None)


def _unblocking(obj: JsonObject) -> JsonObject:
    references = metadata_of(obj).get("ownerReferences") or ()
    freed = [{**each, "blockOwnerDeletion": False} if each.get("blockOwnerDeletion") else each for each in references]
    return with_metadata(obj, ownerReferences=freed)


def _without_finalizer(obj: JsonObject, finalizer: str) -> JsonObject:
    there = metadata_of(obj).get("finalizers") or ()
    kept = [each for each in there if each != finalizer]
    return obj if len(kept) == len(there) else with_metadata(obj, finalizers=kept or None)
