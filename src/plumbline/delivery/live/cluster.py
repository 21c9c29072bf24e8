"""One cluster: a watch for each kind that an application delivers, started when the first one does."""

import asyncio
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Final, NamedTuple, TypeAlias

from plumbline.base.errors import NotFound
from plumbline.base.json import decode
from plumbline.base.tasks import task_group
from plumbline.delivery.live.collection import BY_INSTANCE, WITHOUT_STATUS, Collection, Trackings, instance_of
from plumbline.kernel.cache import Cached, Key, cached
from plumbline.kernel.informer import Changed
from plumbline.kernel.kinds import Kinds
from plumbline.kernel.world import World
from plumbline.kube.client import Client
from plumbline.kube.gotext import quoted
from plumbline.kube.names import GroupVersionKind, Ref


class Event(NamedTuple):
    """An object that changed: None before it existed, None once it is gone."""

    gvk: GroupVersionKind
    before: Cached | None
    after: Cached | None
    ours: bool = False
    """Whether we did it ourselves just now, and know."""


LiveChanged: TypeAlias = Callable[[Event], None]
"""It must not wait."""


class Extent(NamedTuple):
    """Which part of a cluster is looked at: all of it where no namespaces are named."""

    namespaces: tuple[str, ...] = ()
    outside: bool = False
    """With namespaces: what is outside of all of them as well."""

    def places(self, *, namespaced: bool) -> tuple[str, ...]:
        """Where objects of a kind are looked at, the empty one being everywhere."""
        if self.namespaces and namespaced:
            return self.namespaces
        return () if self.namespaces and not self.outside else ("",)

    def refusal(self, ref: Ref) -> str:
        """Why nothing is delivered there, in upstream's words; empty where it is."""
        if not self.namespaces or ref.namespace in self.namespaces:
            return ""
        if ref.namespace:
            return f"Namespace {quoted(ref.namespace)} for {ref.kind} {quoted(ref.name)} is not managed"
        if self.outside:
            return ""
        return f"Cluster level {ref.kind} {quoted(ref.name)} can not be managed when in namespaced mode"


_ALL: Final = Extent()
_OUTSIDE_S: Final = 10.0


class LiveCluster:
    """`run` keeps the watches going; `watch` starts one and returns once it is complete."""

    def __init__(self, client: Client, tracking: Trackings, world: World, extent: Extent = _ALL) -> None:
        self.extent = extent
        self.client = client
        self.kinds = Kinds(client)
        self._tracking = tracking
        self._world = world
        self._collections: dict[GroupVersionKind, dict[str, Collection]] = {}
        """By namespace, or all of a kind under the empty one."""
        self._listeners: list[LiveChanged] = []
        self._started: asyncio.Queue[Collection] = asyncio.Queue()
        self._followed: dict[Collection, asyncio.Task[None]] = {}
        self._left = False
        self._outside_s = float("-inf")
        self._held: dict[tuple[GroupVersionKind, Key], list[Event]] = {}
        """What the watch has said of objects that we are writing just now."""

    @property
    def collections(self) -> tuple[Collection, ...]:
        """What is watched by now."""
        return tuple(each for places in self._collections.values() for each in places.values())

    def subscribe(self, changed: LiveChanged) -> None:
        self._listeners.append(changed)

    async def run(self) -> None:
        async with task_group() as group:
            while True:
                collection = await self._started.get()
                self._followed[collection] = group.create_task(collection.informer.run())

    def leave(self) -> None:
        """Nobody runs it any more, and some may be waiting for what it would have told them."""
        self._left = True
        for collection in self.collections:
            collection.informer.leave()

    def outside_is_due(self) -> bool:
        """Whether kinds outside of namespaces were not searched lately. Whoever is told so searches them."""
        now_s = self._world.clock.monotonic()
        due = now_s - self._outside_s > _OUTSIDE_S
        if due:
            self._outside_s = now_s
        return due

    async def watch(self, gvk: GroupVersionKind) -> None:
        """Follow the objects of a kind, if the cluster has it; returns once all of them are known. Raises Transient."""
        places = self._collections.get(gvk)
        if places is not None and any(each.informer.unserved for each in places.values()):
            self._end(gvk, places)
            places = None  # it may be served again by now, by a new definition
        if places is None:
            places = await self._begun(gvk)
        for collection in tuple(places.values()):
            if not await collection.informer.readable():
                self._end(gvk, places)  # gone since we have read what there is
                return

    async def _begun(self, gvk: GroupVersionKind) -> dict[str, Collection]:
        """What there is to be followed of a kind; nothing where the cluster has no such kind, or none any more."""
        resource = await self.kinds.resource(gvk)
        if resource is None or not resource.verbs >= {"list", "watch"}:
            return {}
        if gvk not in self._collections:
            for namespace in self.extent.places(namespaced=resource.namespaced):
                self._begin(gvk, Collection(self.client, resource, self._tracking, self._world, namespace))
        return self._collections.get(gvk, {})

    async def _watched(self, gvk: GroupVersionKind, ref: Ref) -> Collection | None:
        """Those among which *ref* would be; None where the cluster has no such kind, or we do not look there."""
        await self.watch(gvk)
        return self._of(gvk, ref.namespace)

    def _of(self, gvk: GroupVersionKind, namespace: str) -> Collection | None:
        places = self._collections.get(gvk, {})
        return places.get("") or places.get(namespace)

    def _end(self, gvk: GroupVersionKind, places: dict[str, Collection]) -> None:
        """Follow a kind no more that the cluster has no more, and ask anew what it has."""
        if self._collections.get(gvk) is places:
            del self._collections[gvk]
            self.kinds.forget()
        for collection in places.values():
            following = self._followed.pop(collection, None)
            if following is not None:
                following.cancel()

    def _begin(self, gvk: GroupVersionKind, collection: Collection) -> Collection:
        self._collections.setdefault(gvk, {})[collection.namespace] = collection
        collection.informer.subscribe(lambda before, after: self._heard(Event(gvk, before, after)))
        if self._left:
            collection.informer.leave()
        self._started.put_nowait(collection)
        return collection

    @contextmanager
    def writing(self, gvk: GroupVersionKind, ref: Ref) -> Iterator[None]:
        """While a write of ours is under way, what the watch says of its object waits for the answer.

        The watch is often faster than the answer, and only the answer says which of it was our doing.
        """
        place = (gvk, (ref.namespace, ref.name))
        self._held.setdefault(place, [])
        try:
            yield
        finally:
            self._release(place, "")

    def _heard(self, event: Event) -> None:
        present = event.after or event.before
        held = self._held.get((event.gvk, present.meta.key)) if present is not None else None
        if held is None:
            self._tell(event)
        else:
            held.append(event)

    def _release(self, place: tuple[GroupVersionKind, Key], ours: str) -> None:
        """Tell what was held back; *ours* is the version that we have made."""
        for event in self._held.pop(place, ()):
            made = event.after.meta.resource_version if event.after is not None else None
            self._tell(event._replace(ours=made == ours))

    def _tell(self, event: Event) -> None:
        for listener in self._listeners:
            listener(event)

    async def find(self, gvk: GroupVersionKind, ref: Ref) -> Cached | None:
        """The object as it is, or None; asked for by name only where it is there and nobody has marked it."""
        collection = await self._watched(gvk, ref)
        if collection is None:
            return None
        try:
            return await collection.fetched((ref.namespace, ref.name))
        except NotFound:
            return None

    async def looked_for(self, gvk: GroupVersionKind, ref: Ref) -> Cached | None:
        """The object as the server has it, past our copy, which may be behind; None where it really is not there."""
        collection = await self._watched(gvk, ref)
        if collection is None:
            return None
        try:
            entry = await collection.informer.fetched((ref.namespace, ref.name))
        except NotFound:
            return None
        return collection.informer.learn(entry.raw)

    def tracked(self, instance: str) -> dict[Ref, tuple[GroupVersionKind, Cached]]:
        """Everything that says it belongs to an application, of the kinds that are watched."""
        return {
            collection.cache.ref(entry.meta): (gvk, entry)
            for gvk, places in self._collections.items()
            for collection in places.values()
            for entry in collection.cache.indexed(BY_INSTANCE, instance)
        }

    def instance(self, gvk: GroupVersionKind, entry: Cached) -> str:
        return instance_of(entry.meta, self.ref(gvk, entry), self._tracking())

    def ref(self, gvk: GroupVersionKind, entry: Cached) -> Ref:
        return Ref(gvk.group, gvk.kind, entry.meta.namespace, entry.meta.name)

    def learn(self, gvk: GroupVersionKind, raw: bytes) -> Cached:
        """What an apply was answered with, so that nobody has to wait for the watch to say the same."""
        entry = cached(raw, WITHOUT_STATUS)
        collection = self._of(gvk, entry.meta.namespace)
        if collection is not None:
            self._release((gvk, entry.meta.key), entry.meta.resource_version)
            collection.informer.learn_of(entry, self._ours(gvk))
        return entry

    def learn_end(self, gvk: GroupVersionKind, ref: Ref, uid: str, reply: bytes) -> Cached | None:
        """What a deletion was answered with: the object as it lingers, or None where it is no more."""
        if reply and decode(reply).get("metadata", {}).get("deletionTimestamp"):
            return self.learn(gvk, reply)
        collection = self._of(gvk, ref.namespace)
        if collection is not None:
            collection.informer.learn_gone((ref.namespace, ref.name), uid, self._ours(gvk))
        return None

    def _ours(self, gvk: GroupVersionKind) -> Changed:
        return lambda before, after: self._tell(Event(gvk, before, after, ours=True))
