"""The control plane as its own controllers see it: reads from memory, writes through the same checks as everybody's."""

import hashlib
from collections.abc import Callable, Iterable, Iterator
from typing import Final

from plumbline.access.identity import AUTHENTICATED, MASTERS, Identity
from plumbline.apiserver.controllers.correlation import Correlator
from plumbline.apiserver.controllers.events import News, counted, event_about
from plumbline.apiserver.controllers.owners import owners
from plumbline.apiserver.models.model import Model
from plumbline.apiserver.models.registry import Registry
from plumbline.apiserver.objects.context import Context
from plumbline.apiserver.objects.creation import create
from plumbline.apiserver.objects.deletion import DeleteOptions, delete
from plumbline.apiserver.objects.metadata import metadata_of
from plumbline.apiserver.objects.scope import Scope
from plumbline.apiserver.objects.updating import update
from plumbline.apiserver.resources.resource import Collection, Resource
from plumbline.apiserver.storage.entries import Change, ChangeType, Entry, Key
from plumbline.base.clock import Clock, rfc3339
from plumbline.base.errors import RequestRefused, UnknownKind
from plumbline.base.ids import Ids
from plumbline.base.json import JsonObject
from plumbline.kube.apply import track_update
from plumbline.kube.names import GroupKind, GroupVersionKind
from plumbline.kube.selectors.labels import LabelSelector

MANAGER: Final = "kube-controller-manager"
_IDENTITY: Final = Identity(f"system:{MANAGER}", groups=(MASTERS, AUTHENTICATED))
_EVENT: Final = GroupKind("", "Event")
_LONGEST_NOTE: Final = 1024

Edit = Callable[[JsonObject], JsonObject | None]
"""Gives the object as it should be; None, or the same object, leaves it alone."""


class Cluster:
    """Objects are in the version they are stored in. What is read must not be changed in place."""

    def __init__(self, registry: Registry, context: Context, *, manager: str = MANAGER) -> None:
        self.clock: Clock = context.clock
        self.ids: Ids = context.ids
        self._registry = registry
        self._context = context
        self._manager = manager
        self._identity = _IDENTITY
        self._dependents: dict[str, dict[Key, None]] = {}
        self._owners: dict[Key, tuple[str, ...]] = {}
        self._orphans: dict[Collection, dict[str, dict[Key, None]]] = {}
        """By collection and namespace, for the collections that somebody asked about."""
        for collection in context.store.collections:
            for entry in context.store.shelf(collection).entries():
                self._index(entry)
        self._events = Correlator()
        context.store.listen(self._observe)

    def now(self) -> str:
        return rfc3339(self.clock.now())

    def get(self, kind: GroupKind, namespace: str, name: str) -> JsonObject | None:
        """As the next write finds it."""
        entry = self._context.store.head(self.key(kind, namespace, name))
        return entry.object() if entry else None

    def at(self, key: Key) -> JsonObject | None:
        entry = self._context.store.head(key)
        return entry.object() if entry else None

    def objects(self, kind: GroupKind, namespace: str = "", selector: LabelSelector | None = None) -> list[JsonObject]:
        return [entry.object() for entry in self.entries(kind, namespace, selector)]

    def entries(self, kind: GroupKind, namespace: str = "", selector: LabelSelector | None = None) -> Iterator[Entry]:
        """Undecoded, for those who look at few of many. No write while iterating."""
        shelf = self._context.store.shelf(self.model(kind).resource.collection)
        for entry in shelf.entries(namespace):
            if selector is None or selector.matches(entry.labels):
                yield entry

    def dependents(self, uid: str) -> list[JsonObject]:
        """Objects that name *uid* among their owners."""
        found = (self.at(key) for key in tuple(self._dependents.get(uid, ())))
        return [obj for obj in found if obj is not None]

    def dependent_keys(self, uid: str) -> tuple[Key, ...]:
        return tuple(self._dependents.get(uid, ()))

    def dependents_of_kind(self, uid: str, kind: GroupKind) -> list[JsonObject]:
        return [entry.object() for entry in self.dependent_entries(uid, kind)]

    def dependent_entries(self, uid: str, kind: GroupKind) -> list[Entry]:
        """The same, undecoded."""
        collection = self.model(kind).resource.collection
        found = (self._context.store.head(key) for key in self._dependents.get(uid, ()) if key.collection == collection)
        return [entry for entry in found if entry is not None]

    def orphans(self, kind: GroupKind, namespace: str) -> list[Entry]:
        """Objects that no owner controls. The first question about a kind looks at all of them, later ones do not."""
        collection = self.model(kind).resource.collection
        if collection not in self._orphans:
            self._orphans[collection] = {}
            for entry in self._context.store.shelf(collection).entries():
                self._index_orphan(entry)
        found = map(self._context.store.head, self._orphans[collection].get(namespace, ()))
        return [entry for entry in found if entry is not None]

    def holds(self, key: Key) -> bool:
        return self._context.store.head(key) is not None

    def visible(self, key: Key) -> bool:
        """Whether readers see it, whatever is about to be written."""
        return self._context.store.get(key) is not None

    def namespaced_resources(self) -> list[Resource]:
        """One of each stored collection, in the version it is stored in."""
        resources = (model.resource for model in self._registry.models)
        found = [each for each in resources if each.namespaced and each.kind == each.storage_kind]
        return [each for each in found if "delete" in each.verbs]

    def key(self, kind: GroupKind, namespace: str, name: str) -> Key:
        resource = self.model(kind).resource
        return Key(resource.collection, namespace if resource.namespaced else "", name)

    def key_of(self, obj: JsonObject) -> Key:
        metadata = metadata_of(obj)
        kind = GroupVersionKind.of(obj).group_kind
        return self.key(kind, str(metadata.get("namespace") or ""), str(metadata.get("name") or ""))

    def serves(self, kind: GroupKind) -> bool:
        return self._registry.of_kind(kind) is not None

    def model(self, kind: GroupKind) -> Model:
        found = self._registry.of_kind(kind)
        if found is None:
            raise UnknownKind(f"{kind} is not served")
        stored = self._registry.of_kind(kind, found.resource.storage_version)
        return stored or found

    async def create(self, obj: JsonObject, *, manager: str = "") -> JsonObject:
        """Raises RequestRefused as the API does."""
        scope = self._scope(obj, manager)
        return await create(self._context, scope, scope.model.read(obj), {})

    async def edit(
        self, key_or_object: JsonObject, change: Edit, *, subresource: str = "", manager: str = ""
    ) -> JsonObject:
        """Read, *change* and write, again if somebody else wrote in between. Raises RequestRefused, so for 404."""
        scope = self._scope(key_or_object, manager, subresource)
        writer = self._context.writer(scope)

        def changed(live: JsonObject | None) -> JsonObject:
            before = live or {}
            after = change(before)
            if after is None or after is before:
                return before
            return track_update(live, scope.model.read(after), writer, scope.model.shape)

        written, _ = await update(self._context, scope, changed, {})
        return written

    async def set_status(self, obj: JsonObject, status: JsonObject, *, manager: str = "") -> JsonObject:
        """Write *status* if it differs; pinned to the version that was looked at. Raises RequestRefused (409)."""
        if obj.get("status") == status:
            return obj
        return await self.edit(
            obj, _pinned(obj, lambda live: {**live, "status": status}), subresource="status", manager=manager
        )

    async def delete(
        self, obj: JsonObject, *, grace_s: int | None = None, propagation: str = "Background", force_uid: bool = True
    ) -> None:
        """Begin its deletion; one that is gone already is no error."""
        uid = metadata_of(obj).get("uid") if force_uid else None
        wanted = DeleteOptions(grace_period_seconds=grace_s, propagation_policy=propagation, uid=uid)
        try:
            await delete(self._context, self._scope(obj, ""), wanted, {})
        except RequestRefused as refused:
            if refused.status["code"] not in (404, 409):
                raise

    async def delete_each(self, objs: Iterable[JsonObject]) -> list[RequestRefused]:
        """Begin the deletion of those that do not go yet. One that is refused keeps no other, and comes back here."""
        refusals: list[RequestRefused] = []
        for obj in objs:
            if not metadata_of(obj).get("deletionTimestamp"):
                try:
                    await self.delete(obj)
                except RequestRefused as refused:
                    refusals.append(refused)
        return refusals

    async def record(
        self, obj: JsonObject, reason: str, message: str, *, warning: bool = False, component: str = ""
    ) -> None:
        """An Event about *obj*; the same one again counts up, and many alike are combined."""
        metadata = metadata_of(obj)
        about = f"{metadata.get('uid')}/{component}"
        told = self._events.correlated(about, reason, message, self.clock.monotonic())
        if told is None:
            return
        namespace = str(metadata.get("namespace") or "default")
        digest = hashlib.sha256(told.identity.encode()).hexdigest()[:16]
        name = f"{str(metadata.get('name'))[:200]}.{digest}"
        there = self.get(_EVENT, namespace, name)
        news = News(reason, told.message[:_LONGEST_NOTE], component or self._manager, warning)
        try:
            if there is not None:
                await self.edit(there, lambda live: counted(live, news.message, self.now()))
                return
            await self.create(event_about(obj, name, news, self.now()))
        except RequestRefused:
            return  # an event that cannot be stored (its namespace is going away) is no reason to stop

    def _scope(self, obj: JsonObject, manager: str, subresource: str = "") -> Scope:
        metadata = metadata_of(obj)
        model = self.model(GroupVersionKind.of(obj).group_kind)
        namespace = str(metadata.get("namespace") or "") if model.resource.namespaced else ""
        name = str(metadata.get("name") or "")
        return Scope(model, self._identity, namespace, name, subresource, manager=manager or self._manager)

    def _observe(self, change: Change) -> None:
        self._drop(change.entry.key)
        if change.type is not ChangeType.DELETED:
            self._index(change.entry)

    def _index(self, entry: Entry) -> None:
        self._index_orphan(entry)
        uids = tuple(owner.uid for owner in owners(entry))
        if not uids:
            return
        self._owners[entry.key] = uids
        for uid in uids:
            self._dependents.setdefault(uid, {})[entry.key] = None

    def _index_orphan(self, entry: Entry) -> None:
        found = self._orphans.get(entry.key.collection)
        if found is not None and not any(owner.controller for owner in owners(entry)):
            found.setdefault(entry.key.namespace, {})[entry.key] = None

    def _drop(self, key: Key) -> None:
        if key.collection in self._orphans:
            self._orphans[key.collection].get(key.namespace, {}).pop(key, None)
        for uid in self._owners.pop(key, ()):
            keys = self._dependents.get(uid, {})
            keys.pop(key, None)
            if not keys:
                self._dependents.pop(uid, None)


def _pinned(obj: JsonObject, change: Callable[[JsonObject], JsonObject]) -> Edit:
    """*change*, under the resourceVersion of *obj*: refused if somebody else wrote in between."""
    version = metadata_of(obj).get("resourceVersion")

    def pinned(live: JsonObject) -> JsonObject:
        changed = change(live)
        return {**changed, "metadata": {**metadata_of(changed), "resourceVersion": version}}

    return pinned
