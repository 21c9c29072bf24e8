"""Collections as rows, kept true by informers that begin when somebody first asks, and of the objects nothing else."""

import asyncio
from collections.abc import Callable, Collection
from typing import Final, Generic, NamedTuple, TypeAlias, TypeVar

from plumbline.base.errors import PlumblineError, Refused, TimedOut
from plumbline.base.log import logger
from plumbline.kernel.cache import Cache, Cached, Key, Meta, Relevance
from plumbline.kernel.informer import Informer
from plumbline.kernel.metrics import Metrics
from plumbline.kernel.tending import Tended
from plumbline.kube.client import Client, Target
from plumbline.kube.names import GroupVersionResource
from plumbline.web.board.followers import tell

_PATIENCE_S: Final = 20.0
_GLANCE_S: Final = 0.05

_log = logger("web.api.ours")

R = TypeVar("R")


Follow: TypeAlias = Callable[[R | None, R | None], None]
"""Told what a row was and what it is, of every change that matters. It must not wait."""


class _Kept(Cached, Generic[R], frozen=True, kw_only=True):
    """As much of an object as an informer compares, and the row that was made of it."""

    row: R


class _Rows(Cache, Generic[R]):
    """One of which no row can be made is as if it were not there."""

    def __init__(self, make: Callable[[Cached], R], *, content: bool) -> None:
        super().__init__(Relevance(content=content))
        self._make = make
        self._kept: dict[Key, _Kept[R]] = {}
        self.followers: list[Follow[R]] = []

    def __len__(self) -> int:
        return len(self._kept)

    def get(self, key: Key) -> Cached | None:
        return self._kept.get(key)

    def keys(self) -> frozenset[Key]:
        return frozenset(self._kept)

    def put(self, entry: Cached) -> Cached | None:
        meta = entry.meta
        before = self.get(meta.key)
        try:
            row = self._make(entry)
        except Exception:  # noqa: BLE001 - whoever wrote that one must not hide all others
            _log.exception("object left out", namespace=meta.namespace, name=meta.name)
            self._kept.pop(meta.key, None)
            return before
        bare = Meta(name=meta.name, namespace=meta.namespace, uid=meta.uid, resource_version=meta.resource_version)
        self._kept[meta.key] = _Kept(b"", bare, entry.relevant, entry.status, row=row)
        return before

    def drop(self, key: Key) -> Cached | None:
        return self._kept.pop(key, None)

    def row(self, key: Key) -> R | None:
        known = self._kept.get(key)
        return known.row if known is not None else None

    def rows(self) -> list[R]:
        return [each.row for each in self._kept.values()]

    def changed(self, before: Cached | None, after: Cached | None) -> None:
        was = before.row if isinstance(before, _Kept) else None
        now = self.row(after.meta.key) if after is not None else None
        tell(self.followers, was, now)


class Shelf(Generic[R]):
    """One collection, all of which has been read."""

    def __init__(self, informer: Informer, rows: _Rows[R]) -> None:
        self._informer, self._rows = informer, rows

    def __len__(self) -> int:
        return len(self._rows)

    def row(self, key: Key) -> R | None:
        return self._rows.row(key)

    def rows(self) -> Collection[R]:
        return self._rows.rows()

    def follow(self, follower: Follow[R]) -> Callable[[], None]:
        """Tell *follower* of every change, until what comes back is called."""
        self._rows.followers.append(follower)
        return lambda: self._rows.followers.remove(follower)

    def learn(self, raw: bytes) -> None:
        """What a write of ours was answered with."""
        self._informer.learn(raw)

    @property
    def interrupted(self) -> PlumblineError | None:
        """Why the rows may be behind, while they may be."""
        return self._informer.interrupted


class _Begun(NamedTuple):
    informer: Informer
    rows: _Rows[object]
    task: asyncio.Task[None]


class Shelves:
    """`run` keeps them going."""

    def __init__(self, client: Client, metrics: Metrics, patience_s: float = _PATIENCE_S) -> None:
        self._client, self._metrics, self._patience_s = client, metrics, patience_s
        self._tended = Tended()
        self._begun: dict[GroupVersionResource, _Begun] = {}

    async def run(self) -> None:
        try:
            await self._tended.run()
        finally:
            self._begun.clear()

    async def shelf(
        self, resource: GroupVersionResource, make: Callable[[Cached], R], *, content: bool = True
    ) -> Shelf[R]:
        """The collection once it is complete; whoever asks first says what its rows are. Raises TimedOut.

        Without *content* only metadata is read, as is right for Secrets.
        """
        await self._tended.ready()
        begun = self._begun.get(resource)
        if begun is None:
            rows: _Rows[R] = _Rows(make, content=content)
            informer = Informer(self._client, Target(resource), cache=rows, metrics=self._metrics)
            informer.subscribe(rows.changed)
            begun = self._begun[resource] = _Begun(informer, rows, self._tended.begin(informer.run))  # type: ignore[arg-type]  # one make for one resource
        await self._complete(begun.informer, resource)
        return Shelf(begun.informer, begun.rows)  # type: ignore[arg-type]  # same

    async def _complete(self, informer: Informer, resource: GroupVersionResource) -> None:
        """Waits with patience, but not for a collection that was refused: nobody lists others while one is."""
        left_s = self._patience_s
        while True:
            try:
                async with asyncio.timeout(_GLANCE_S):
                    return await informer.synced()
            except TimeoutError:
                left_s -= _GLANCE_S
            if left_s <= 0 or isinstance(informer.interrupted, Refused):
                why = str(informer.interrupted or "the cluster is still being read")
                raise TimedOut(f"{resource} cannot be listed yet", why=why)

    def leave(self, keep: Collection[GroupVersionResource]) -> None:
        """End all but those to *keep*: their kinds are no more."""
        for resource in [each for each in self._begun if each not in keep]:
            self._begun.pop(resource).task.cancel()
