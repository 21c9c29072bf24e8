"""Archives that were fetched: on disk by their digest, and the latest as trees in memory, within a bound."""

import asyncio
from collections import Counter, OrderedDict
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Final, NamedTuple

from plumbline.base.clock import Clock
from plumbline.base.errors import GarbledReply, PlumblineError
from plumbline.base.limits import MIB
from plumbline.base.tree import Tree
from plumbline.source.charts.archives import Unpacked
from plumbline.source.charts.digests import digest_of
from plumbline.source.charts.store import Store, kept_at
from plumbline.source.followed import remembered

_MEMORY_BYTES: Final = 256 * MIB
_ENTRY_BYTES: Final = 500
_FAILED_S: Final = 10.0
_FAILURES: Final = 1024


class Archive(NamedTuple):
    place: str
    """Where it comes from: nothing is had from there that came from elsewhere. Empty where that does not matter."""
    name: str
    """Different for whatever makes different trees of equal bytes."""
    digest: str
    fetch: Callable[[], Awaitable[bytes]]
    unpack: Callable[[bytes], Unpacked]


class Trees:
    """Whoever wants the same archive at the same time waits for one download; a failure is remembered for a moment."""

    def __init__(self, store: Store, clock: Clock, parallel: int, memory_bytes: int = _MEMORY_BYTES) -> None:
        self._store = store
        self._clock = clock
        self._memory_bytes = memory_bytes
        self._turns = asyncio.Semaphore(parallel)
        self._trees: OrderedDict[str, tuple[Tree, int]] = OrderedDict()
        self._locks: dict[str, asyncio.Lock] = {}
        self._wanted: Counter[str] = Counter()
        """How many have or wait for each of the locks."""
        self._failed: dict[str, tuple[PlumblineError, float]] = {}

    async def tree(self, archive: Archive) -> Tree:
        """The same object for everybody who asks lately."""
        name = f"{archive.place} {archive.name}"
        if name not in self._trees:
            async with self._attempt(name):
                if name not in self._trees:
                    content = await self.content(archive.place, archive.digest, archive.fetch)
                    self._keep(name, await asyncio.to_thread(_unpacked, content, archive.unpack))
        self._trees.move_to_end(name)
        return self._trees[name][0]

    async def content(self, place: str, digest: str, fetch: Callable[[], Awaitable[bytes]]) -> bytes:
        """What has that digest at *place*: from the disk, or fetched and then kept there."""
        kept = kept_at(place, digest)
        known = await asyncio.to_thread(self._store.read, kept)
        if known is not None:
            return known
        fetched = await fetch()
        if await asyncio.to_thread(digest_of, fetched, digest) != digest:
            raise GarbledReply("Cannot read an archive", why=f"what came is not {digest}", hint="Try again.")
        await asyncio.to_thread(self._store.write, kept, fetched)
        return fetched

    async def learned(
        self, place: str, known: dict[str, str], fetch: Callable[[], Awaitable[bytes]], *, of: str = ""
    ) -> str:
        """The digest of what is at *place*, where nobody names it: fetched once, then it is *known*, and kept as *of*'s."""
        async with self._attempt(place):
            if place not in known:
                content = await fetch()
                digest = await asyncio.to_thread(digest_of, content)
                await asyncio.to_thread(self._store.write, kept_at(of, digest), content)
                known[place] = digest
            return known[place]

    def _keep(self, name: str, made: tuple[Tree, int]) -> None:
        self._trees[name] = made
        while sum(size for _, size in self._trees.values()) > self._memory_bytes and len(self._trees) > 1:
            self._trees.popitem(last=False)

    @asynccontextmanager
    async def _attempt(self, name: str) -> AsyncIterator[None]:
        lock = self._locks.setdefault(name, asyncio.Lock())
        self._wanted[name] += 1
        try:
            async with lock, self._turns:
                failure, until_s = self._failed.get(name, (None, 0.0))
                if failure is not None and until_s > self._clock.monotonic():
                    raise remembered(failure)
                self._failed.pop(name, None)
                try:
                    yield
                except PlumblineError as error:
                    self._remember(name, error)
                    raise
        finally:
            self._wanted[name] -= 1
            if not self._wanted[name]:
                del self._wanted[name], self._locks[name]

    def _remember(self, name: str, error: PlumblineError) -> None:
        while len(self._failed) >= _FAILURES:
            del self._failed[next(iter(self._failed))]
        self._failed[name] = error, self._clock.monotonic() + _FAILED_S


def _unpacked(content: bytes, unpack: Callable[[bytes], Unpacked]) -> tuple[Tree, int]:
    found = unpack(content)
    return found.tree(), found.size_bytes + _ENTRY_BYTES * len(found.files)
