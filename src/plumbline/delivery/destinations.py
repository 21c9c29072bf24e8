"""One client and one set of watches for each cluster that applications are deployed to, opened when the first one is."""

import asyncio
from collections import defaultdict
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager, nullcontext, suppress
from typing import Final, NamedTuple

from plumbline.base.errors import BadKubeconfig, InvalidInput, NotFound, PlumblineError, Transient
from plumbline.base.json import decode
from plumbline.base.tasks import task_group
from plumbline.delivery.live import Extent, LiveChanged, LiveCluster
from plumbline.delivery.live.collection import Trackings
from plumbline.delivery.settings.clusters import REFRESH, Cluster, Clusters
from plumbline.kernel.world import World
from plumbline.kinds.appproject import ApplicationDestination
from plumbline.kube.client import Client
from plumbline.kube.client.catalog import Catalog
from plumbline.kube.client.transport import Request
from plumbline.kube.names import GroupVersionKind
from plumbline.ownership.learn.tracking import Tracking
from plumbline.render.requests import Capabilities

_APPLIES_AT_ONCE: Final = 32
_OF_A_KIND: Final = 24
"""Of one kind, at most: where a webhook makes each of them take half a minute, others still get their turn."""

_KEPT: Final = frozenset({"list", "watch"})


class Turns:
    """For requests about objects of all kinds."""

    def __init__(self) -> None:
        self._all = asyncio.Semaphore(_APPLIES_AT_ONCE)
        self._kinds: defaultdict[GroupVersionKind, asyncio.Semaphore] = defaultdict(
            lambda: asyncio.Semaphore(_OF_A_KIND)
        )

    @asynccontextmanager
    async def of(self, gvk: GroupVersionKind) -> AsyncIterator[None]:
        async with self._kinds[gvk], self._all:
            yield


class Destination:
    """A cluster that applications are deployed to."""

    def __init__(self, cluster: Cluster, live: LiveCluster) -> None:
        self.cluster = cluster
        self.live = live
        self.turns = Turns()
        """How many writes are under way at once."""
        self.questions = Turns()
        """How many dry runs are: as many, beside the writes, which do not wait for them."""
        self._described: tuple[Catalog, Capabilities] | None = None

    @property
    def journal_name(self) -> str:
        """As the journal and the ledger call it; empty for the cluster at hand."""
        return "" if self.cluster.local else self.cluster.server

    @property
    def kube_version(self) -> str:
        """As far as somebody has asked for it already."""
        return self._described[1].kube_version if self._described is not None else ""

    async def capabilities(self) -> Capabilities:
        """What charts may ask about the cluster; worked out anew only when it serves something else."""
        catalog = await self.live.kinds.catalog()
        if self._described is None or self._described[0] is not catalog:
            answer = await self.live.client.send(Request("GET", "/version", "", (("Accept", "application/json"),)))
            version = str(decode(answer.body).get("gitVersion") or "").removeprefix("v")
            self._described = catalog, Capabilities(kube_version=version, api_versions=_api_versions(catalog))
        return self._described[1]


class _Opened(NamedTuple):
    cluster: Cluster
    tracking: Tracking
    destination: asyncio.Future[Destination]
    until: asyncio.Task[None]


class Destinations:
    """`run` keeps everything going; `find` opens what is not open yet."""

    def __init__(self, own: Client, clusters: Callable[[], Clusters], tracking: Trackings, world: World) -> None:
        self._own = own
        self._clusters = clusters
        self._tracking = tracking
        self._world = world
        self._opened: dict[str, _Opened] = {}
        self._listeners: list[Callable[[Destination], LiveChanged]] = []
        self._group: asyncio.Future[asyncio.TaskGroup] = asyncio.get_running_loop().create_future()

    def subscribe(self, listener: Callable[[Destination], LiveChanged]) -> None:
        """*listener* is told of each cluster, and gives who is told of its changes."""
        self._listeners.append(listener)

    def opened(self) -> list[Destination]:
        """Those that are connected to now."""
        return [each.destination.result() for each in self._opened.values() if each.destination.done()]

    async def run(self) -> None:
        async with task_group() as group:
            self._group.set_result(group)
            await asyncio.Event().wait()

    @property
    def ready(self) -> tuple[Destination, ...]:
        """Those that are open by now."""
        opened = [each.destination for each in list(self._opened.values())]
        return tuple(each.result() for each in opened if each.done() and not each.cancelled() and not each.exception())

    async def find(self, wanted: ApplicationDestination) -> Destination:
        """The cluster that is meant. Raises what resolving it raised, or BadKubeconfig where it is refused."""
        cluster = self._clusters().resolve(wanted)
        if cluster.refusal:
            what = f"The cluster {cluster.name or cluster.server} is not used"
            raise BadKubeconfig(what, why=cluster.refusal, hint=f"Look at the Secret {cluster.secret}.")
        group = await self._group
        known = self._opened.get(cluster.server)
        if known is None or self._outdated(known, cluster):
            known = self._replaced(group, cluster, known)
        elif known.cluster is not cluster:  # it may be called otherwise by now, and is the same connection
            known = self._opened[cluster.server] = known._replace(cluster=cluster)
        destination = await asyncio.shield(known.destination)
        destination.cluster = self._opened.get(cluster.server, known).cluster
        return destination

    def reconfigured(self) -> None:
        """End connections that are to be others by now, or none: all who use one may be waiting for it."""
        for server, known in list(self._opened.items()):
            try:
                cluster = self._clusters().resolve(ApplicationDestination(server=server))
            except (InvalidInput, NotFound):
                cluster = None
            if cluster is None or cluster.refusal:
                _end(self._opened.pop(server))
            elif self._outdated(known, cluster):
                self._replaced(self._group.result(), cluster, known)

    def _outdated(self, known: _Opened, cluster: Cluster) -> bool:
        return known.tracking != self._tracking() or _connects_otherwise(known.cluster, cluster)

    def _replaced(self, group: asyncio.TaskGroup, cluster: Cluster, known: _Opened | None) -> _Opened:
        """A cluster whose credentials changed is another connection: the old one ends, the new one starts from nothing.

        So it does where objects are marked in another way: by the old one nobody was remembered who is ours now.
        """
        if known is not None:
            _end(known)
        destination: asyncio.Future[Destination] = asyncio.get_running_loop().create_future()
        tracking = self._tracking()
        kinds = _followed(known) if known is not None and not _connects_otherwise(known.cluster, cluster) else ()
        until = group.create_task(self._kept(cluster, tracking, destination, kinds))
        opened = _Opened(cluster, tracking, destination, until)
        self._opened[cluster.server] = opened
        return opened

    async def _kept(
        self,
        cluster: Cluster,
        tracking: Tracking,
        ready: asyncio.Future[Destination],
        kinds: tuple[GroupVersionKind, ...],
    ) -> None:
        async with self._connected(cluster) as client:
            destination = Destination(cluster, LiveCluster(client, lambda: tracking, self._world, _extent(cluster)))
            for listener in self._listeners:
                destination.live.subscribe(listener(destination))
            ready.set_result(destination)
            try:
                async with task_group() as group:
                    group.create_task(destination.live.run())
                    for gvk in kinds:
                        group.create_task(_follow(destination.live, gvk))
            finally:
                destination.live.leave()

    def _connected(self, cluster: Cluster) -> AbstractAsyncContextManager[Client]:
        if cluster.connection is None:
            return nullcontext(self._own)
        return Client.connect(cluster.connection, clock=self._world.clock, ids=self._world.ids)


def _end(opened: _Opened) -> None:
    opened.until.cancel()
    if not opened.destination.done():  # nor will it be, and somebody waits for it
        what = f"The connection to {opened.cluster.server} is made anew"
        opened.destination.set_exception(Transient(what, why="its settings changed"))


def _followed(opened: _Opened) -> tuple[GroupVersionKind, ...]:
    """The kinds that were followed on a cluster, and go on to be."""
    ready = opened.destination.done() and not opened.destination.cancelled() and not opened.destination.exception()
    live = opened.destination.result().live if ready else None
    return tuple(each.resource.gvk for each in live.collections) if live is not None else ()


async def _follow(live: LiveCluster, gvk: GroupVersionKind) -> None:
    with suppress(PlumblineError):  # whoever needs it asks again
        await live.watch(gvk)


def _connects_otherwise(known: Cluster, now: Cluster) -> bool:
    """Or is to be looked at elsewhere, or anew, which is the same: nothing that was read before counts."""
    return _way(known) != _way(now)


def _way(cluster: Cluster) -> tuple[object, ...]:
    return cluster.connection, cluster.identity, _extent(cluster), cluster.annotations.get(REFRESH)


def _extent(cluster: Cluster) -> Extent:
    return Extent(cluster.namespaces, cluster.cluster_resources)


def _api_versions(catalog: Catalog) -> tuple[str, ...]:
    """Versions, and versions with kinds, as `helm template --api-versions` takes them.

    As upstream: of what can be listed and watched, so that there may be objects of it at all.
    """
    kept = [each for each in catalog.resources if each.verbs >= _KEPT]
    versions = {each.gvr.api_version for each in kept}
    kinds = {f"{each.gvr.api_version}/{each.kind}" for each in kept}
    return tuple(sorted(versions | kinds))
