"""A tree from a cluster: an object, what it names as its parts, and what it owns."""

import asyncio
from collections.abc import Sequence
from typing import Final, NamedTuple

from plumbline.base.errors import Forbidden, NotFound, PlumblineError
from plumbline.base.json import JsonObject, decode
from plumbline.base.tasks import task_group
from plumbline.composition.parts import Branch, below, branches
from plumbline.composition.tracing.branches import OWNING, Node, Unlisted
from plumbline.kube.client import Client, Selection
from plumbline.kube.client.catalog import Resource
from plumbline.kube.names import GroupVersionKind

_AT_ONCE: Final = 16
_DEEPEST: Final = 32
_MOST: Final = 5_000
_UNINTERESTING: Final = frozenset({"events", "leases", "controllerrevisions"})


class Growing:
    """One tree. Nothing is read twice, and nothing without end: composites may compose themselves."""

    def __init__(self, client: Client, *, secrets: bool = False) -> None:
        self._client = client
        self._secrets = secrets
        self._turns = asyncio.Semaphore(_AT_ONCE)
        self._listed: dict[tuple[GroupVersionKind, str], asyncio.Task[list[JsonObject] | Unlisted]] = {}
        self._seen: set[Branch] = set()

    async def tree(self, root: JsonObject) -> Node:
        """Everything below *root*. What cannot be read says so in its place, and what cannot be listed above it."""
        async with task_group() as group:
            node = await self._grown(root, group, 0)
            if not node.children and not _managed(root):
                node = await self._owning(root, group)
        return node

    async def _grown(self, obj: JsonObject, group: asyncio.TaskGroup, depth: int) -> Node:
        named = branches(obj, secrets=self._secrets)
        fresh = [each for each in named if each not in self._seen]
        self._seen.update(fresh)
        if depth >= _DEEPEST or len(self._seen) > _MOST:
            return Node(obj)
        tasks = [group.create_task(self._branch(each, group, depth + 1)) for each in fresh]
        children = [await each for each in tasks]
        owned = OWNING.get(GroupVersionKind.of(obj).group_kind)
        if owned is not None:
            pods = await self._owned(obj, owned, group)
            if isinstance(pods, Unlisted):
                return Node(obj, tuple(children), unlisted=(pods,))
            children += [await self._grown(each, group, depth + 1) for each in pods]
        return Node(obj, tuple(children))

    async def _branch(self, branch: Branch, group: asyncio.TaskGroup, depth: int) -> Node:
        try:
            async with self._turns:
                resource = await self._client.discovery.resource(branch.gvk)
                obj = decode(await self._client.get(resource.target(branch.namespace, branch.name)))
        except PlumblineError as error:
            missing, forbidden = isinstance(error, NotFound), isinstance(error, Forbidden)
            return Node(_bare(branch), error=error.why or error.what, missing=missing, forbidden=forbidden)
        return await self._grown(obj, group, depth)

    async def _owned(
        self, owner: JsonObject, gvk: GroupVersionKind, group: asyncio.TaskGroup
    ) -> Sequence[JsonObject] | Unlisted:
        namespace = str(below(owner, "metadata").get("namespace") or "")
        if (gvk, namespace) not in self._listed:
            self._listed[gvk, namespace] = group.create_task(self._list(gvk, namespace))
        listed = await self._listed[gvk, namespace]
        if isinstance(listed, Unlisted):
            return listed
        return [each for each in listed if _owns(owner, each) and not _retired(each)]

    async def _list(self, gvk: GroupVersionKind, namespace: str) -> list[JsonObject] | Unlisted:
        try:
            async with self._turns:
                resource = await self._client.discovery.resource(gvk)
                page = await self._client.list(resource.target(namespace), Selection(limit=0))
        except PlumblineError as error:
            return _unlisted(gvk.kind, error)
        return [decode(bytes(each)) for each in page.items]

    async def _owning(self, root: JsonObject, group: asyncio.TaskGroup) -> Node:
        """By owner references alone, for what names no parts: every kind in its namespace is asked."""
        namespace = str(below(root, "metadata").get("namespace") or "")
        catalog = await self._client.discovery.catalog()
        kinds = {each.gvk.group_kind: each.gvk for each in reversed(catalog.resources) if _listable(each, namespace)}
        tasks = [group.create_task(self._list(each, namespace)) for each in kinds.values()]
        listed = [await each for each in tasks]
        by_owner: dict[str, list[JsonObject]] = {}
        for obj in (obj for each in listed if not isinstance(each, Unlisted) for obj in each):
            for uid in _owners(obj):
                by_owner.setdefault(uid, []).append(obj)
        unlisted = tuple(each for each in listed if isinstance(each, Unlisted))
        return _beneath(root, by_owner, 0)._replace(unlisted=unlisted)


class Writer(NamedTuple):
    """Who says that it writes a Secret; None where nobody does, of those that could be asked."""

    obj: JsonObject | None
    unlisted: tuple[Unlisted, ...] = ()


async def writer_of(client: Client, namespace: str, secret: str) -> Writer:
    """The claim, or what else in the namespace, that says it writes the Secret."""
    catalog = await client.discovery.catalog()
    kinds = [each for each in catalog.resources if each.namespaced and {"claim", "managed"} & set(each.categories)]
    unlisted: list[Unlisted] = []
    for each in kinds:
        try:
            page = await client.list(each.target(namespace), Selection(limit=0))
        except PlumblineError as error:
            unlisted.append(_unlisted(each.kind, error))
            continue
        for raw in page.items:
            obj: JsonObject = decode(bytes(raw))
            if below(obj, "spec", "writeConnectionSecretToRef").get("name") == secret:
                return Writer(obj)
    return Writer(None, tuple(unlisted))


async def events_of(client: Client, obj: JsonObject, most: int = 3) -> list[JsonObject] | Unlisted:
    """The newest events about *obj*, oldest first."""
    metadata = below(obj, "metadata")
    try:
        resource = await client.discovery.resource(GroupVersionKind("", "v1", "Event"))
        place = resource.target(str(metadata.get("namespace") or "default"))
        page = await client.list(place, Selection(fields=f"involvedObject.uid={metadata.get('uid', '')}", limit=0))
    except PlumblineError as error:
        return _unlisted("Event", error)
    found = [decode(bytes(each)) for each in page.items]
    return sorted(found, key=_moment)[-most:]


def _moment(event: JsonObject) -> str:
    series = below(event, "series").get("lastObservedTime")
    times = (
        series,
        event.get("lastTimestamp"),
        event.get("eventTime"),
        below(event, "metadata").get("creationTimestamp"),
    )
    return str(next((each for each in times if each), ""))


def _unlisted(kind: str, error: PlumblineError) -> Unlisted:
    return Unlisted(kind, error.why or error.what)


def _bare(branch: Branch) -> JsonObject:
    place = {"namespace": branch.namespace} if branch.namespace else {}
    metadata = {"name": branch.name, **place}
    return {"apiVersion": branch.gvk.api_version, "kind": branch.gvk.kind, "metadata": metadata}


def _managed(obj: JsonObject) -> bool:
    return "forProvider" in below(obj, "spec")


def _owners(obj: JsonObject) -> list[str]:
    listed = below(obj, "metadata").get("ownerReferences")
    return [str(each.get("uid")) for each in listed if isinstance(each, dict)] if isinstance(listed, list) else []


def _owns(owner: JsonObject, obj: JsonObject) -> bool:
    return str(below(owner, "metadata").get("uid") or "-") in _owners(obj)


def _retired(obj: JsonObject) -> bool:
    """A ReplicaSet of a revision that is over."""
    return obj.get("kind") == "ReplicaSet" and below(obj, "spec").get("replicas") == 0


def _listable(resource: Resource, namespace: str) -> bool:
    asked = "list" in resource.verbs and resource.name not in _UNINTERESTING
    return asked and (resource.namespaced or not namespace)


def _beneath(obj: JsonObject, by_owner: dict[str, list[JsonObject]], depth: int) -> Node:
    below_it = by_owner.get(str(below(obj, "metadata").get("uid") or "-"), []) if depth < _DEEPEST else []
    kept = sorted((each for each in below_it if not _retired(each)), key=_order)
    return Node(obj, tuple(_beneath(each, by_owner, depth + 1) for each in kept))


def _order(obj: JsonObject) -> tuple[str, ...]:
    metadata = below(obj, "metadata")
    return tuple(str(each or "") for each in (obj.get("apiVersion"), obj.get("kind"), metadata.get("namespace"), metadata.get("name")))  # fmt: skip
