"""News of the tree below one application: its pods, and what stands between them and what it delivers, as they come and go.

What it delivers is told of by the Application itself. Below that there are watches of one namespace, for as long as somebody
looks at an application that delivers there; of objects nothing but metadata is read.
"""

import asyncio
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager, contextmanager
from typing import Final, NamedTuple

import msgspec

from plumbline.base.clock import Clock
from plumbline.base.errors import PlumblineError
from plumbline.base.json import decode
from plumbline.base.tasks import task_group
from plumbline.kernel.cache import Cache, Cached, Key, Relevance
from plumbline.kernel.informer import Informer
from plumbline.kernel.tending import Tended
from plumbline.kinds.application import APPLICATION, ApplicationDestination
from plumbline.kube.client import Client, Target
from plumbline.kube.names import GroupVersionResource
from plumbline.web.api.desk import Desk
from plumbline.web.api.resources.groves import Groves
from plumbline.web.api.resources.seams import Places
from plumbline.web.board.board import Seen
from plumbline.web.live.changes import Change, Kind, Tell

EVERY_S: Final = 1.0
"""Between two pieces of news of one tree: whoever hears of it draws it anew."""
MOST: Final = 64
"""Namespaces that are watched at once. Whoever looks at more asks now and then."""
_PATIENCE_S: Final = 5.0
_BETWEEN: Final = {
    "ReplicaSet": GroupVersionResource("apps", "v1", "replicasets"),
    "Job": GroupVersionResource("batch", "v1", "jobs"),
    "Pod": GroupVersionResource("", "v1", "pods"),
}
_DEEPEST: Final = 4


class _Resource(msgspec.Struct, frozen=True):
    kind: str = ""
    name: str = ""
    namespace: str = ""


class _Spec(msgspec.Struct, frozen=True):
    destination: ApplicationDestination = ApplicationDestination()


class _Status(msgspec.Struct, frozen=True):
    resources: tuple[_Resource, ...] = ()


class _Metadata(msgspec.Struct, frozen=True):
    uid: str = ""


class _Application(msgspec.Struct, frozen=True):
    """As much of one as says what grows where."""

    metadata: _Metadata = _Metadata()
    spec: _Spec = _Spec()
    status: _Status = _Status()

    def roots(self) -> frozenset[tuple[str, str, str]]:
        return frozenset((each.kind, each.namespace, each.name) for each in self.status.resources)


class _Nest(NamedTuple):
    """One namespace of one cluster."""

    informers: dict[str, Informer]
    tasks: list[asyncio.Task[None]]
    followers: list[Callable[[str, Cached], None]]

    def owners(self, kind: str, entry: Cached) -> Iterator[tuple[str, str, str]]:
        """The object and whoever owns it, as far up as is known here."""
        for _ in range(_DEEPEST):
            yield kind, entry.meta.namespace, entry.meta.name
            owner = next(iter(entry.meta.owner_references), None)
            if owner is None:
                return
            known = self.informers.get(owner.kind)
            above = known.cache.get((entry.meta.namespace, owner.name)) if known is not None else None
            if above is None:
                yield owner.kind, entry.meta.namespace, owner.name
                return
            kind, entry = owner.kind, above


class Nests:
    """`run` keeps them going; each is there while somebody is in it."""

    def __init__(self) -> None:
        self._tended = Tended()
        self._open: dict[tuple[str, str], _Nest] = {}

    def __len__(self) -> int:
        return len(self._open)

    async def run(self) -> None:
        try:
            await self._tended.run()
        finally:
            self._open.clear()

    @asynccontextmanager
    async def within(
        self, client: Client, place: tuple[str, str], told: Callable[[str, Cached], None]
    ) -> AsyncIterator[_Nest | None]:
        """*told* is called with what changes in a namespace of a server; None where too many are watched already."""
        await self._tended.ready()
        nest = self._open.get(place)
        if nest is None and len(self._open) >= MOST:
            yield None
            return
        if nest is None:
            nest = self._open[place] = self._made(client, place[1])
        nest.followers.append(told)
        try:
            await _complete(nest)
            yield nest
        finally:
            nest.followers.remove(told)
            if not nest.followers and self._open.get(place) is nest:
                del self._open[place]
                for task in nest.tasks:
                    task.cancel()

    def _made(self, client: Client, namespace: str) -> _Nest:
        nest = _Nest({}, [], [])
        for kind, resource in _BETWEEN.items():
            informer = Informer(client, Target(resource, namespace), cache=Cache(Relevance(content=False)))
            informer.subscribe(_telling(nest, kind))
            nest.informers[kind] = informer
            nest.tasks.append(self._tended.begin(informer.run))
        return nest


def _telling(nest: _Nest, kind: str) -> Callable[[Cached | None, Cached | None], None]:
    def changed(before: Cached | None, after: Cached | None) -> None:
        entry = after or before
        if entry is not None:
            for follower in tuple(nest.followers):
                follower(kind, entry)

    return changed


async def _complete(nest: _Nest) -> None:
    """With some patience: what may not be watched here is no reason to hear nothing of the rest."""
    try:
        async with asyncio.timeout(_PATIENCE_S):
            for informer in nest.informers.values():
                await informer.synced()
    except TimeoutError:
        return


class TreeFeed:
    """A feed for `application:`, beside that of the Application itself."""

    def __init__(self, desk: Desk, destinations: Places, groves: Groves, nests: Nests) -> None:
        self._desk, self._destinations, self._groves, self._nests = desk, destinations, groves, nests

    def following(self, topic: str, tell: Tell) -> AbstractAsyncContextManager[None]:
        return self._following(topic, tell)

    @asynccontextmanager
    async def _following(self, topic: str, tell: Tell) -> AsyncIterator[None]:
        await self._desk.board.rows()
        namespace, _, name = topic.partition(":")[2].partition("/")
        grown = await self._grown((namespace, name))
        if grown is None:
            yield
            return
        async with task_group() as group:
            growing = _Growing(grown)
            with self._followed((namespace, name), growing):
                async with self._nests.within(grown.client, grown.place, growing.told) as nest:
                    growing.nest = nest
                    growing.due.clear()
                    telling = group.create_task(self._telling((namespace, name), growing, tell))
                    try:
                        yield
                    finally:
                        telling.cancel()

    async def _grown(self, key: Key) -> "_Grown | None":
        """None where there is no such application, or nobody gets to where it delivers."""
        try:
            app = decode(await self._desk.client.get(Target(APPLICATION.resource, *key)), type=_Application)
            destination = await self._destinations.find(app.spec.destination)
        except (PlumblineError, msgspec.DecodeError):
            return None
        place = destination.cluster.server, app.spec.destination.namespace
        return _Grown(destination.live.client, place, app) if place[1] else None

    @contextmanager
    def _followed(self, key: Key, growing: "_Growing") -> Iterator[None]:
        def followed(seen: Seen) -> None:
            if seen.raw and seen.after is not None and seen.after.key == key:
                growing.roots = decode(seen.raw, type=_Application).roots()

        stop = self._desk.board.follow(followed)
        try:
            yield
        finally:
            stop()

    async def _telling(self, key: Key, growing: "_Growing", tell: Tell) -> None:
        clock: Clock = self._desk.clock
        while True:
            await growing.due.wait()
            growing.due.clear()
            row = self._desk.board.row(key)
            if row is not None:
                self._groves.forget(growing.uid)
                scope = self._desk.sight.named(row.project, row.namespace, row.name)
                tell(Change("/".join((*key, "tree")), Kind.MODIFIED, {"changed": "tree"}, scope))
            await clock.sleep(EVERY_S)


class _Grown(NamedTuple):
    client: Client
    place: tuple[str, str]
    app: _Application


class _Growing:
    """What is known of one tree while somebody looks at it."""

    def __init__(self, grown: _Grown) -> None:
        self.uid = grown.app.metadata.uid
        self.roots = grown.app.roots()
        self.due = asyncio.Event()
        self.nest: _Nest | None = None

    def told(self, kind: str, entry: Cached) -> None:
        if self.nest is not None and not self.roots.isdisjoint(self.nest.owners(kind, entry)):
            self.due.set()
