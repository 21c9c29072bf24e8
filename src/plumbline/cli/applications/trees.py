"""What stands behind the objects of an application: those that they own, and those that these own."""

import asyncio
from collections.abc import Coroutine, Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any, Final, NamedTuple, TypeVar

from plumbline.base.errors import PlumblineError
from plumbline.base.json import JsonObject, decode
from plumbline.cli.applications.states import State, states
from plumbline.cli.terminal import Styled, table
from plumbline.kinds.timestamp import Time
from plumbline.kube.client import Client, Selection
from plumbline.kube.client.catalog import Resource
from plumbline.kube.health import Health, assess
from plumbline.kube.names import GroupVersionKind
from plumbline.kube.object import Object

T = TypeVar("T")

_AT_ONCE: Final = 16
_UNINTERESTING: Final = frozenset({"events", "leases"})
_MINUTE_S, _HOUR_S, _DAY_S = 60, 3600, 86400


class Node(NamedTuple):
    """An object. One that Git names and that is not there has no uid."""

    group: str
    kind: str
    namespace: str
    name: str
    uid: str = ""
    obj: JsonObject = {}  # noqa: RUF012 - never changed

    @property
    def health(self) -> Health | None:
        return assess(self.obj) if self.obj else None

    @property
    def shown(self) -> str:
        return f"{self.kind}/{self.name}"


class Tree(NamedTuple):
    roots: tuple[Node, ...]
    children: Mapping[str, Sequence[Node]]
    """By the uid of the owner."""

    def walk(self) -> Iterator[tuple[str, Node]]:
        """Every object beneath its owner, with the branches that lead to it."""
        for root in self.roots:
            yield "", root
            yield from self._below(root, "")

    def _below(self, node: Node, stem: str) -> Iterator[tuple[str, Node]]:
        below = self.children.get(node.uid, ()) if node.uid else ()
        for number, child in enumerate(below, 1):
            last = number == len(below)
            yield f"{stem}{'└─' if last else '├─'}", child
            yield from self._below(child, f"{stem}{'  ' if last else '│ '}")

    def drawn(self, app: JsonObject, now: datetime, *, detailed: bool) -> str:
        known = {f"{each.kind}/{each.name}": each for each in states(app)}
        rows = [_row(branch, node, known.get(node.shown), now, detailed=detailed) for branch, node in self.walk()]
        header = ["KIND/NAME", "STATUS", "HEALTH", *(["AGE"] if detailed else []), "MESSAGE"]
        return table([*header, "REASON"] if detailed else header, rows) if rows else ""


def _row(branch: str, node: Node, state: State | None, now: datetime, *, detailed: bool) -> list[str | Styled]:
    from plumbline.cli.applications.drawing import coloured  # noqa: PLC0415 - it draws trees as well

    health = node.health
    status, said, message = (state.status, state.health, state.message) if state else ("", "", "")
    cells: list[str | Styled] = [
        branch + node.shown,
        coloured(status),
        coloured(said or (health.status if health else "")),
        message,
    ]
    if not detailed:
        return cells
    return [*cells[:3], age(node.obj, now), message, health.message if health else ""]


def age(obj: JsonObject, now: datetime) -> str:
    """How old it is, as kubectl says it."""
    try:
        seconds = int((now - Time.read(Object(obj).creation_timestamp).moment).total_seconds())
    except ValueError:
        return "<unknown>"
    for unit, length in (("d", _DAY_S), ("h", _HOUR_S), ("m", _MINUTE_S)):
        if seconds >= 2 * length or (unit != "m" and seconds >= length):
            return f"{seconds // length}{unit}"
    return f"{max(seconds, 0)}s"


async def tree_of(client: Client, app: JsonObject, kinds: Iterable[str] | None = None) -> Tree:
    """The tree, from what the cluster has now; of what is owned only *kinds*, where some are given.

    What may not be listed is left out.
    """
    resources = (app.get("status") or {}).get("resources") or []
    roots = await _together(_root(client, each) for each in resources)
    namespaces = sorted({node.namespace for node in roots if node.namespace})
    catalog = await client.discovery.catalog()
    wanted = frozenset(kinds) if kinds is not None else None
    listable = {each.gvk.group_kind: each for each in reversed(catalog.resources) if _listable(each, wanted)}
    turns = asyncio.Semaphore(_AT_ONCE)
    asked = [_listed(client, each, namespace, turns) for each in listable.values() for namespace in namespaces]
    owned: dict[str, list[Node]] = {}
    for found in await _together(asked):
        for node in found:
            for owner in Object(node.obj).owner_references:
                owned.setdefault(owner.uid, []).append(node)
    ordered = {uid: sorted(nodes, key=lambda node: node[:4]) for uid, nodes in owned.items()}
    return Tree(tuple(roots), ordered)


async def _together(work: Iterable[Coroutine[Any, Any, T]]) -> list[T]:
    async with asyncio.TaskGroup() as group:
        tasks = [group.create_task(each) for each in work]
    return [task.result() for task in tasks]


def _listable(resource: Resource, wanted: frozenset[str] | None) -> bool:
    if not resource.namespaced or "list" not in resource.verbs or resource.name in _UNINTERESTING:
        return False
    return wanted is None or resource.kind in wanted


async def _root(client: Client, resource: JsonObject) -> Node:
    group, version, kind, namespace, name = (
        str(resource.get(part) or "") for part in ("group", "version", "kind", "namespace", "name")
    )
    bare = Node(group, kind, namespace, name)
    try:
        served = await client.discovery.resource(GroupVersionKind(group, version, kind))
        obj = decode(await client.get(served.target(namespace, name)))
    except PlumblineError:
        return bare
    return bare._replace(uid=Object(obj).uid, obj=obj)


async def _listed(client: Client, resource: Resource, namespace: str, turns: asyncio.Semaphore) -> list[Node]:
    async with turns:
        try:
            page = await client.list(resource.target(namespace), Selection())
        except PlumblineError:
            return []
    objects = (decode(item) for item in page.items)
    return [
        Node(resource.group, resource.kind, namespace, each.name, each.uid, obj)
        for obj in objects
        if (each := Object(obj)).owner_references
    ]
