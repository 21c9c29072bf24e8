"""One kind on one cluster. Of objects that no application delivers, only that they are there is remembered."""

import asyncio
from collections.abc import Callable, Iterable
from typing import Final, TypeAlias

import msgspec

from plumbline.kernel.cache import Cache, Cached, Key, Meta, Relevance
from plumbline.kernel.informer import Informer
from plumbline.kernel.world import World
from plumbline.kube.client import Client
from plumbline.kube.client.catalog import Resource
from plumbline.kube.names import Ref
from plumbline.ownership.learn.tracking import INSTALLATION_ID, TRACKING_ID, Tracking, TrackingId

WITHOUT_STATUS: Final = Relevance(status=False)
BY_INSTANCE: Final = "instance"

Trackings: TypeAlias = Callable[[], Tracking]


class LiveCache(Cache):
    """Keeps the bytes of what is tracked or was asked for, and of the rest nothing but the name."""

    def __init__(self, resource: Resource, tracking: Trackings) -> None:
        super().__init__(WITHOUT_STATUS, {BY_INSTANCE: self._instances})
        self._resource = resource
        self._tracking = tracking
        self.asked_for: set[Key] = set()
        """Objects that Git names and that nobody has marked yet."""

    def put(self, entry: Cached) -> Cached | None:
        key = entry.meta.key
        if self.instance(entry.meta):
            self.asked_for.discard(key)
            return super().put(entry)
        return super().put(entry if key in self.asked_for else _nameplate(entry))

    def ref(self, meta: Meta) -> Ref:
        return Ref(self._resource.group, self._resource.kind, meta.namespace, meta.name)

    def instance(self, meta: Meta) -> str:
        """The application that the object says it belongs to, by the name that marks carry; empty for none."""
        return instance_of(meta, self.ref(meta), self._tracking())

    def _instances(self, entry: Cached) -> Iterable[str]:
        instance = self.instance(entry.meta)
        return (instance,) if instance else ()


class Collection:
    """A kind that is being watched, in one namespace where one is named."""

    def __init__(
        self, client: Client, resource: Resource, tracking: Trackings, world: World, namespace: str = ""
    ) -> None:
        self.resource = resource
        self.namespace = namespace
        self.cache = LiveCache(resource, tracking)
        self.informer = Informer(
            client, resource.target(namespace), cache=self.cache, metrics=world.metrics, clock=world.clock
        )
        self._asking: dict[Key, asyncio.Lock] = {}

    async def fetched(self, key: Key) -> Cached | None:
        """The object that Git names, with its bytes, whether somebody has marked it or not; None where it is not there."""
        known = self.cache.get(key)
        if known is not None and known.raw:
            return known
        self.cache.asked_for.add(key)
        return await self._asked(key) if known is not None else None

    async def _asked(self, key: Key) -> Cached | None:
        """The object as it is now. Many may want the same one, such as their namespace: it is asked for once."""
        async with self._asking.setdefault(key, asyncio.Lock()):
            known = self.cache.get(key)
            if known is not None and known.raw:
                return known
            try:
                entry = await self.informer.fetched(key)
            finally:
                self._asking.pop(key, None)
            now = self.cache.get(key)
            if now is not None and int(now.meta.resource_version) <= int(entry.meta.resource_version):
                self.cache.put(entry)  # else the watch has told more by now
            return self.cache.get(key)


def _nameplate(entry: Cached) -> Cached:
    meta = entry.meta
    bare = Meta(name=meta.name, namespace=meta.namespace, uid=meta.uid, resource_version=meta.resource_version)
    return msgspec.structs.replace(entry, raw=b"", meta=bare)


def instance_of(meta: Meta, ref: Ref, tracking: Tracking) -> str:
    """The application that an object says it belongs to, by the name that marks carry; empty for none.

    A mark that names another object was copied along with the rest, and means nobody; one of another installation
    means an application of theirs.
    """
    if tracking.method == "label":
        return "" if meta.owner_references else meta.labels.get(tracking.label_key, "")
    if meta.annotations.get(INSTALLATION_ID, "") != tracking.installation_id:
        return ""
    mark = TrackingId.parse(meta.annotations.get(TRACKING_ID, ""))
    return mark.application if mark is not None and mark.names(ref) else ""
