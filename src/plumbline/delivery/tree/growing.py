"""The tree of an application, from what its cluster has now.

Every kind that can be listed is, once for each namespace that the application has objects in, page by page; what is
kept of a page is what somebody owns. Nothing is asked for object by object but roots that no list has brought.
"""

import asyncio
from collections.abc import Callable, Coroutine, Iterable, Sequence
from typing import Any, Final, NamedTuple, TypeVar

import msgspec

from plumbline.base.errors import NotFound, PlumblineError, UnknownKind
from plumbline.base.json import JsonObject, decode
from plumbline.base.tasks import task_group
from plumbline.delivery.tree.nodes import Node, Tree, Unread
from plumbline.delivery.tree.volumes import inferred
from plumbline.kernel.cache import Meta
from plumbline.kube.client import Client, Selection
from plumbline.kube.client.catalog import Resource
from plumbline.kube.health import Health, Status
from plumbline.kube.names import GroupKind, Ref

T = TypeVar("T")

MOST: Final = 5_000
_MOST_KEPT: Final = 20_000
"""Owned objects that are held until it is known whose they are."""
_AT_ONCE: Final = 16
_WORTH_LISTING: Final = 4
"""Roots of one kind in one namespace that are asked for one by one."""
_UNSIGNED: Final = frozenset({"persistentvolumeclaims", "endpoints"})
"""What is somebody's without saying so."""
_UNINTERESTING: Final = frozenset({"events", "leases"})
_CHILDLESS: Final = frozenset({
    "Namespace", "ClusterRole", "ClusterRoleBinding", "CustomResourceDefinition", "PriorityClass", "StorageClass",
    "IngressClass", "RuntimeClass", "ValidatingWebhookConfiguration", "MutatingWebhookConfiguration", "APIService",
    "PersistentVolume", "Node",
})  # fmt: skip
"""Kinds outside of namespaces that own nothing which people look for: they alone make nobody list the whole cluster."""


def _anything(_: Ref) -> bool:
    return True


def _nothing(_: GroupKind) -> bool:
    return False


class Reach(NamedTuple):
    """How far it is looked."""

    kinds: frozenset[str] | None = None
    """Of what is owned, only these."""
    excluded: Callable[[GroupKind], bool] = _nothing
    permitted: Callable[[Ref], bool] = _anything
    """What is not, is not there, nor is anything behind it."""
    bare: frozenset[GroupKind] = frozenset()
    """Kinds of which nothing but metadata is read."""
    strangers: str = ""
    """A namespace of which what nobody owns is told as well."""
    most: int = MOST


WHOLE: Final = Reach()


class _Parts(msgspec.Struct):
    metadata: Meta


class _Found(NamedTuple):
    resource: Resource
    meta: Meta
    raw: bytes

    @property
    def ref(self) -> Ref:
        return Ref(self.resource.group, self.resource.kind, self.meta.namespace, self.meta.name)

    def node(self) -> Node:
        gvk = self.resource.gvk
        obj: JsonObject = decode(self.raw)
        # Lists of metadata call every item by the name of that form.
        whole = {**obj, "apiVersion": gvk.api_version, "kind": gvk.kind}
        return Node(*self.ref, uid=self.meta.uid, obj=whole, version=gvk.version)


_meta: Final = msgspec.json.Decoder(_Parts)


async def tree_of(client: Client, app: JsonObject, kinds: Iterable[str] | None = None, reach: Reach = WHOLE) -> Tree:
    """The tree, from what the cluster has now; of what is owned only *kinds*, where some are given.

    What could not be read is told beside it.
    """
    if kinds is not None:
        reach = reach._replace(kinds=frozenset(kinds))
    return await _Growing(client, reach, _rows(app)).tree()


class _Growing:
    def __init__(self, client: Client, reach: Reach, rows: Sequence[Node]) -> None:
        self._client = client
        self._reach = reach
        self._rows = [each for each in rows if reach.permitted(each.ref)]
        self._wanted = {each.ref for each in self._rows}
        self._turns = asyncio.Semaphore(_AT_ONCE)
        self._kept: dict[Ref, _Found] = {}
        self._strangers: dict[Ref, _Found] = {}
        self._unread: list[Unread] = []
        self._cut = len(self._rows) > reach.most

    async def tree(self) -> Tree:
        catalog = await self._client.discovery.catalog()
        places = self._places({each.gvk.group_kind: each for each in reversed(catalog.resources)})
        await _together(self._listed(resource, namespace) for resource, namespace in places)
        roots = await _together(self._root(each) for each in self._rows[: self._reach.most])
        owned = self._owned()
        strangers = tuple(self._strangers[ref].node() for ref in sorted(self._strangers))
        children = self._grown(roots, owned)
        return Tree(
            tuple(roots), children, self._cut, strangers, tuple(sorted(self._unread, key=lambda each: each.ref))
        )

    def _places(self, served: dict[GroupKind, Resource]) -> Iterable[tuple[Resource, str]]:
        """What is listed, and where."""
        namespaces = sorted(({each.namespace for each in self._rows} | {self._reach.strangers}) - {""})
        outside = any(not each.namespace and each.kind not in _CHILDLESS for each in self._rows)
        many: dict[tuple[GroupKind, str], int] = {}
        for each in self._rows:
            place = (GroupKind(each.group, each.kind), each.namespace)
            many[place] = many.get(place, 0) + 1
        for kind, resource in served.items():
            if "list" not in resource.verbs or resource.name in _UNINTERESTING or self._reach.excluded(kind):
                continue
            looked_for = self._reach.kinds is None or resource.kind in self._reach.kinds
            for namespace in namespaces if resource.namespaced else ("",):
                if many.get((kind, namespace), 0) > _WORTH_LISTING or (looked_for and (resource.namespaced or outside)):
                    yield resource, namespace

    async def _listed(self, resource: Resource, namespace: str) -> None:
        bare = resource.gvk.group_kind in self._reach.bare
        async with self._turns:
            try:
                async for page in self._client.pages(resource.target(namespace), Selection(metadata_only=bare)):
                    self._keep(resource, page.items)
                    if self._cut:
                        return
            except (NotFound, UnknownKind):
                return  # a kind that has gone has no objects
            except PlumblineError as error:
                self._unread.append(Unread(Ref(resource.group, resource.kind, namespace, ""), error))

    def _keep(self, resource: Resource, items: Iterable[bytes]) -> None:
        for raw in items:
            try:
                found = _Found(resource, _meta.decode(raw).metadata, bytes(raw))
            except msgspec.DecodeError:
                continue
            if found.ref in self._wanted or found.meta.owner_references or resource.name in _UNSIGNED:
                self._kept[found.ref] = found
            elif self._strange(found):
                self._strangers[found.ref] = found
        if len(self._kept) > _MOST_KEPT:
            self._cut = True

    def _strange(self, found: _Found) -> bool:
        meta = found.meta
        there = bool(meta.namespace) and meta.namespace == self._reach.strangers
        return there and len(self._strangers) < self._reach.most and self._reach.permitted(found.ref)

    async def _root(self, row: Node) -> Node:
        known = self._kept.get(row.ref)
        if known is not None:
            return known.node()
        try:
            async with self._turns:
                served = await self._client.discovery.resource(row.gvk)
                bare = served.gvk.group_kind in self._reach.bare
                raw = await self._client.get(served.target(row.namespace, row.name), metadata_only=bare)
            return _Found(served, _meta.decode(raw).metadata, raw).node()
        except (NotFound, UnknownKind):
            return row
        except PlumblineError as error:
            unread = Unread(row.ref, error)
            self._unread.append(unread)
            return row._replace(found=Health(Status.UNKNOWN, f"It cannot be read: {unread.why}"))

    def _owned(self) -> dict[str, list[_Found]]:
        owned: dict[str, list[_Found]] = {}
        sets = [(each.meta, each.raw) for each in self._kept.values() if each.resource.kind == "StatefulSet"]
        for found in self._kept.values():
            owners = {each.uid for each in found.meta.owner_references}
            for uid in owners or self._owners_unsaid(found, sets):
                owned.setdefault(uid, []).append(found)
        return owned

    def _owners_unsaid(self, found: _Found, sets: Iterable[tuple[Meta, bytes]]) -> set[str]:
        if found.resource.name == "persistentvolumeclaims":
            return inferred(found.meta, sets)
        if found.resource.name == "endpoints":  # a Service's, by its name
            service = self._kept.get(found.ref._replace(kind="Service"))
            return {service.meta.uid} if service is not None else set()
        return set()

    def _grown(self, roots: Iterable[Node], owned: dict[str, list[_Found]]) -> dict[str, list[Node]]:
        """What is owned, beneath its owners and no further than is looked."""
        children: dict[str, list[Node]] = {}
        made: dict[Ref, Node] = {}
        waiting = [each for each in roots if each.uid]
        while waiting:
            owner = waiting.pop(0)
            if owner.uid in children:
                continue
            children[owner.uid] = below = []
            for found in sorted(owned.get(owner.uid, ()), key=lambda each: each.ref):
                if not self._beneath(owner, found):
                    continue
                if len(made) + len(self._rows) >= self._reach.most:
                    self._cut = True
                    return children
                node = made.get(found.ref) or found.node()
                made[found.ref] = node
                below.append(node)
                waiting.append(node)
        return {uid: nodes for uid, nodes in children.items() if nodes}

    def _beneath(self, owner: Node, found: _Found) -> bool:
        """An owner is in the namespace of what it owns, or in none: whoever says otherwise is not believed."""
        return owner.namespace in {"", found.meta.namespace} and self._reach.permitted(found.ref)


async def _together(work: Iterable[Coroutine[Any, Any, T]]) -> list[T]:
    async with task_group() as group:
        tasks = [group.create_task(each) for each in work]
    return [task.result() for task in tasks]


def _rows(app: JsonObject) -> list[Node]:
    status = app.get("status")
    listed = status.get("resources") if isinstance(status, dict) else None
    found: dict[Ref, Node] = {}
    for each in listed if isinstance(listed, list) else ():
        if isinstance(each, dict) and each.get("kind") and each.get("name"):
            group, kind, namespace, name = (
                str(each.get(part) or "") for part in ("group", "kind", "namespace", "name")
            )
            row = Node(group, kind, namespace, name, version=str(each.get("version") or ""))
            found.setdefault(row.ref, row)
    return list(found.values())
