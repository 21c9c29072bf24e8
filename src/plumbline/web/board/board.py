"""The rows, kept true by an informer of their own that begins when somebody first asks for a list."""

import asyncio
from collections.abc import Callable, Collection
from typing import Final, NamedTuple, TypeAlias

from plumbline.base.errors import PlumblineError, TimedOut
from plumbline.kernel.cache import Cache, Cached, Key, Meta
from plumbline.kernel.informer import Informer
from plumbline.kernel.metrics import Metrics
from plumbline.kernel.tending import Tended
from plumbline.kinds.application import APPLICATION
from plumbline.kube.client import Client, Target
from plumbline.web.board.followers import tell
from plumbline.web.board.rows import Row, row

_PATIENCE_S: Final = 20.0


class Seen(NamedTuple):
    """One change, as whoever follows is told of it."""

    before: Row | None
    after: Row | None
    raw: bytes
    """The object as it is now; empty once it is gone."""


Follow: TypeAlias = Callable[[Seen], None]
"""Told of every change of an Application that matters to anybody. It must not wait."""


class _Kept(Cached, frozen=True, kw_only=True):
    """As much of an object as an informer compares, and the row that was made of it."""

    row: Row


class _Rows(Cache):
    """A cache that keeps rows, and of the objects themselves nothing."""

    def __init__(self) -> None:
        super().__init__()
        self.rows: dict[Key, Row] = {}
        self.newest = 0
        """The latest resourceVersion of any."""

    def __len__(self) -> int:
        return len(self.rows)

    def get(self, key: Key) -> Cached | None:
        known = self.rows.get(key)
        return _kept(known) if known is not None else None

    def keys(self) -> frozenset[Key]:
        return frozenset(self.rows)

    def put(self, entry: Cached) -> Cached | None:
        before = self.get(entry.meta.key)
        self.rows[entry.meta.key] = row(entry)
        self.newest = max(self.newest, int(entry.meta.resource_version or 0))
        return before

    def drop(self, key: Key) -> Cached | None:
        gone = self.rows.pop(key, None)
        return _kept(gone) if gone is not None else None


def _kept(known: Row) -> _Kept:
    meta = Meta(name=known.name, namespace=known.namespace, uid=known.uid, resource_version=known.version)
    return _Kept(b"", meta, known.relevant, known.status, row=known)


class Board:
    """`run` keeps it going; the first who asks begins it."""

    def __init__(self, client: Client, metrics: Metrics, patience_s: float = _PATIENCE_S) -> None:
        self._table = _Rows()
        self._informer = Informer(client, Target(APPLICATION.resource), cache=self._table, metrics=metrics)
        self._informer.subscribe(self._changed)
        self._patience_s = patience_s
        self._tended = Tended()
        self._begun = False
        self._followers: list[Follow] = []
        self.changes = 0
        """Grows with every change of a row: two questions with the same number between them have one answer."""

    async def run(self) -> None:
        try:
            await self._tended.run()
        finally:
            self._begun = False

    async def rows(self) -> Collection[Row]:
        """All of them, once the copy is complete. Raises why it is not, after some patience."""
        await self._tended.ready()
        if not self._begun:
            self._begun = True
            self._tended.begin(self._informer.run)
        try:
            async with asyncio.timeout(self._patience_s):
                await self._informer.synced()
        except TimeoutError:
            raise self._unready() from None
        return self._table.rows.values()

    def row(self, key: Key) -> Row | None:
        return self._table.rows.get(key)

    def count(self, fits: Callable[[Row], bool]) -> int:
        """How many rows fit, of those that are known by now."""
        return sum(1 for row in self._table.rows.values() if fits(row))

    @property
    def version(self) -> str:
        """The resourceVersion as of which the rows are."""
        return str(self._table.newest)

    @property
    def interrupted(self) -> PlumblineError | None:
        """Why the rows may be behind, while they may be."""
        return self._informer.interrupted

    def follow(self, follower: Follow) -> Callable[[], None]:
        """Tell *follower* of every change, until what comes back is called."""
        self._followers.append(follower)
        return lambda: self._followers.remove(follower)

    def learn(self, raw: bytes) -> None:
        """What a write of ours was answered with: whoever asks next sees it, though the watch may be behind."""
        if self._begun:
            self._informer.learn(raw)

    def _unready(self) -> PlumblineError:
        why = str(self._informer.interrupted or "the cluster is still being read")
        return TimedOut("the applications cannot be listed yet", why=why)

    def _changed(self, before: Cached | None, after: Cached | None) -> None:
        earlier = before.row if isinstance(before, _Kept) else None
        now = self._table.rows.get(after.meta.key) if after is not None else None
        if earlier is None or now is None or not now.same(earlier):
            self.changes += 1
        seen = Seen(earlier, now, after.raw if after is not None else b"")
        tell(self._followers, seen)
