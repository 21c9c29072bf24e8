"""Trees of applications, read once for all who ask within a few seconds.

A page asks for its tree, and then for logs, events and objects out of it. What is kept is what people see of objects and
nothing more, so that no Secret waits here.
"""

import asyncio
from typing import Final, NamedTuple

from plumbline.base.errors import NotFound, PlumblineError
from plumbline.base.json import JsonObject, decode
from plumbline.delivery.tree import Reach, Tree, Unread, hosts_of, tree_of
from plumbline.kube.client import Client, Selection, Target
from plumbline.kube.names import GroupKind, GroupVersionResource
from plumbline.kube.object import Object
from plumbline.web.api.resources.asking import Asked, Place
from plumbline.web.api.resources.infrastructure import Infrastructure
from plumbline.web.api.resources.nodes import Portraits
from plumbline.web.api.resources.orphans import orphans_of
from plumbline.web.api.resources.seams import Parts

FRESH_S: Final = 3.0
_MOST_KEPT: Final = 32
_MOST_HOSTS: Final = 50
_MOST_PODS: Final = 500
_BARE: Final = frozenset({GroupKind("", "Secret"), GroupKind("", "ConfigMap")})
_NODES: Final = GroupVersionResource("", "v1", "nodes")
_PODS: Final = GroupVersionResource("", "v1", "pods")


class Grove(NamedTuple):
    nodes: tuple[JsonObject, ...]
    orphans: tuple[JsonObject, ...] = ()
    hosts: tuple[JsonObject, ...] = ()
    cut: bool = False
    unseen: tuple[Unread, ...] = ()
    """Kinds that could not be listed."""

    def as_json(self) -> JsonObject:
        """Argo CD's `ApplicationTree`, in one shard, which is not counted; beside it, whether there is more than is told, and why."""
        said: JsonObject = {"nodes": list(self.nodes), "orphanedNodes": list(self.orphans), "hosts": list(self.hosts)}
        shown = {name: value for name, value in said.items() if value}
        if self.unseen:
            shown["unseen"] = [{"kind": each.ref.kind, "namespace": each.ref.namespace, "why": each.why} for each in self.unseen]  # fmt: skip
        return shown | {"truncated": True} if self.cut else shown


class _Kept(NamedTuple):
    until_s: float
    growing: asyncio.Future[Grove]


class Groves:
    def __init__(self, parts: Parts) -> None:
        self._parts = parts
        self._kept: dict[tuple[str, ...], _Kept] = {}

    async def grove(self, asked: Asked, place: Place, *, infrastructure: bool = False) -> Grove:
        """The tree of the application, at most some seconds old."""
        metadata = Object(asked.app)
        key = (place.destination.cluster.server, metadata.uid, metadata.resource_version, str(infrastructure))
        while True:
            now_s = self._parts.desk.clock.monotonic()
            known = self._kept.get(key)
            if known is None or known.until_s < now_s:
                known = _Kept(now_s + FRESH_S, asyncio.get_running_loop().create_future())
                self._keep(key, known, now_s)
                await self._grow(asked, place, known.growing, infrastructure=infrastructure)
            try:
                return await asyncio.shield(known.growing)
            except asyncio.CancelledError:
                if not known.growing.cancelled():
                    raise
                # Whoever came first has left: the next one looks.
            finally:
                if known.growing.done() and (known.growing.cancelled() or known.growing.exception()):
                    self._forget(key, known)

    def forget(self, uid: str) -> None:
        """What was read of the application of that uid, since it is another by now."""
        for key in [each for each in self._kept if each[1] == uid]:
            del self._kept[key]

    def _forget(self, key: tuple[str, ...], known: _Kept) -> None:
        if self._kept.get(key) is known:
            del self._kept[key]

    def _keep(self, key: tuple[str, ...], kept: _Kept, now_s: float) -> None:
        stale = [each for each, entry in self._kept.items() if entry.until_s < now_s]
        for each in stale:
            del self._kept[each]
        while len(self._kept) >= _MOST_KEPT:
            del self._kept[next(iter(self._kept))]
        self._kept[key] = kept

    async def _grow(self, asked: Asked, place: Place, growing: asyncio.Future[Grove], *, infrastructure: bool) -> None:
        """Whoever came first does it for all; where they leave, it is nobody's."""
        try:
            growing.set_result(await self._grown(asked, place, infrastructure=infrastructure))
        except PlumblineError as error:
            growing.set_exception(error)
        finally:
            if not growing.done():
                growing.cancel()

    async def _grown(self, asked: Asked, place: Place, *, infrastructure: bool) -> Grove:
        installation = self._parts.desk.installation
        settings, server = installation.settings, place.destination.cluster.server
        watched = asked.found.project.spec.orphaned_resources is not None
        reach = Reach(
            excluded=lambda kind: settings.filter.excludes(kind.group, kind.kind, server),
            permitted=place.permitted,
            bare=_BARE,
            strangers=place.spec.destination.namespace if watched else "",
        )
        tree = await tree_of(place.client, asked.app, reach=reach)
        portraits = Portraits(self._parts.lua, settings)
        nodes = await portraits.nodes(tree)
        if infrastructure:
            nodes = await Infrastructure(place, portraits).behind(tree, nodes)
        orphans = (
            [await portraits.node(each, ()) for each in await orphans_of(asked.found.project, tree, self._parts.desk)]
            if watched
            else []
        )
        hosts = await _hosts(place.client, tree, settings.display.node_labels)
        ordered = sorted(nodes.items(), key=lambda item: item[0])
        unseen = tuple(each for each in tree.unread if not each.ref.name)
        return Grove(tuple(node for _, node in ordered), tuple(orphans), tuple(hosts), tree.cut, unseen)


async def _hosts(client: Client, tree: Tree, labels: tuple[str, ...]) -> list[JsonObject]:
    """Where nodes may not be read there are none."""
    pods = [each for each in tree.nodes().values() if (each.group, each.kind) == ("", "Pod") and each.uid]
    names = sorted({str(Object(each.obj).spec.get("nodeName") or "") for each in pods} - {""})[:_MOST_HOSTS]
    if not names:
        return []
    own = {each.uid for each in pods}
    nodes: list[JsonObject] = []
    beside: dict[str, list[JsonObject]] = {}
    try:
        for name in names:
            try:
                nodes.append(decode(await client.get(Target(_NODES, name=name))))
            except NotFound:
                continue  # it has gone, and its pods are about to
            selection = Selection(fields=f"spec.nodeName={name}", limit=_MOST_PODS)
            async for page in client.pages(Target(_PODS), selection):
                beside[name] = [decode(item) for item in page.items]
                break
    except PlumblineError:
        return []
    return hosts_of(nodes, beside, own, labels)
