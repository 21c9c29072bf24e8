"""The one place where objects change: compare, stage, make durable, show.

A write is staged at once and gets its revision; it becomes visible to readers and watchers, and is acknowledged, only
after the ledger has it on disk. Writers build on what is staged, so that writes to one object never wait for the disk
one by one. If the disk fails, everything staged is given up together: nobody has seen it.
"""

import asyncio
from collections import defaultdict, deque
from collections.abc import Callable, Sequence
from typing import Protocol

from plumbline.apiserver.resources.resource import Collection
from plumbline.apiserver.storage.entries import Change, ChangeType, Entry, Key
from plumbline.apiserver.storage.shelf import Shelf
from plumbline.apiserver.storage.watchers import Watcher, Watchers
from plumbline.base.clock import Clock
from plumbline.base.errors import Conflict, Expired, StorageFailed

HISTORY_S = 300.0
HISTORY_LEAST = 1_000
HISTORY_BYTES = 32 << 20
HISTORY_MOST_BYTES = 256 << 20
"""With more than that not even the least is kept: a thousand of the largest objects would be gigabytes."""
BATCH = 512

Encode = Callable[[int], bytes]
"""Gives the object's bytes under the revision that its write was given."""
Listener = Callable[[Change], None]


class Ledger(Protocol):
    """Where writes survive the process."""

    async def write(self, changes: Sequence[Change]) -> None:
        """Returns once all of them are safe, or raises StorageFailed and none is."""


class Store:
    def __init__(self, clock: Clock, ledger: Ledger | None = None, *, revision: int = 1) -> None:
        self.revision = revision
        """Of the newest change that everybody can see."""
        self._clock = clock
        self._ledger = ledger
        self._shelves: dict[Collection, Shelf] = defaultdict(Shelf)
        self._watchers: dict[Collection, Watchers] = defaultdict(Watchers)
        self._listeners: list[Listener] = []
        self._history: deque[Change] = deque()
        self._history_bytes = 0
        self._floor = revision
        """The history holds every change after this revision."""
        self._next = revision + 1
        self._staged: dict[Key, Change] = {}
        self._waiting: list[tuple[Change, asyncio.Future[None]]] = []
        self._work = asyncio.Event()
        self._closing = False
        self.writable = True
        """Whether the last attempt to make something durable went well."""

    def load(self, entries: Sequence[Entry]) -> None:
        by_collection: dict[Collection, list[Entry]] = defaultdict(list)
        for entry in entries:
            by_collection[entry.key.collection].append(entry)
        for collection, found in by_collection.items():
            self._shelves[collection].load(found)

    def shelf(self, collection: Collection) -> Shelf:
        return self._shelves[collection]

    @property
    def collections(self) -> Sequence[Collection]:
        """Those that hold something."""
        return [collection for collection, shelf in self._shelves.items() if len(shelf)]

    def get(self, key: Key) -> Entry | None:
        """As everybody sees it."""
        return self._shelves[key.collection].get(key.path)

    def head(self, key: Key) -> Entry | None:
        """As the next write to it finds it."""
        staged = self._staged.get(key)
        if staged is None:
            return self.get(key)
        return None if staged.type is ChangeType.DELETED else staged.entry

    def has_since(self, revision: int) -> bool:
        """Whether every change after *revision* is still known."""
        return revision >= self._floor

    def listen(self, listener: Listener) -> None:
        """Call *listener* with each change as it becomes visible; it must be quick and not raise."""
        self._listeners.append(listener)

    async def put(self, key: Key, expected: Entry | None, body: Encode) -> Entry:
        """Write over *expected*; raises Conflict if something else is there by now."""
        self._check(key, expected)
        entry = Entry(key, self._next, body(self._next))
        type_ = ChangeType.MODIFIED if expected else ChangeType.ADDED
        await self._commit(Change(type_, entry, expected, self._clock.monotonic()))
        return entry

    async def remove(self, key: Key, expected: Entry, last: Encode) -> Entry:
        """Delete *expected*; *last* gives its final state, which watchers see under the deletion's revision."""
        self._check(key, expected)
        entry = Entry(key, self._next, last(self._next))
        await self._commit(Change(ChangeType.DELETED, entry, expected, self._clock.monotonic()))
        return entry

    def watch(self, collection: Collection, watcher: Watcher, since: int | None = None) -> None:
        """Feed *watcher* from now on, or with everything after *since*; raises Expired where that is not known."""
        if since is not None and not self.has_since(since):
            raise Expired(f"too old resource version: {since} ({self._floor})")
        missed = self._shelves[collection].since(since) if since is not None else ()
        self._watchers[collection].add(watcher, missed)

    def unwatch(self, collection: Collection, watcher: Watcher) -> None:
        self._watchers[collection].remove(watcher)

    def end_watches(self, collection: Collection) -> None:
        """Whole: their clients go on from where they are with watches of their own."""
        self._watchers[collection].close()

    def watched(self) -> Sequence[tuple[Collection, int]]:
        """Collections with open watches, and how many those are."""
        return [(collection, len(watchers)) for collection, watchers in self._watchers.items() if len(watchers)]

    async def run(self) -> None:
        """Make durable what is staged, until closed; without a ledger there is nothing to do."""
        if self._ledger is None:
            return
        while not self._closing or self._waiting:
            self._work.clear()
            await self._write_all(self._ledger)
            if not self._closing:
                await self._work.wait()

    def close(self) -> None:
        """End all watches; `run` returns once what was staged is safe."""
        for watchers in self._watchers.values():
            watchers.close()
        self._closing = True
        self._work.set()

    def _check(self, key: Key, expected: Entry | None) -> None:
        if self.head(key) is not expected:
            raise Conflict(f"{key} was changed by somebody else")

    async def _commit(self, change: Change) -> None:
        self._next += 1
        if self._ledger is None:
            self._show(change)
            return
        self._staged[change.entry.key] = change
        done = asyncio.get_running_loop().create_future()
        self._waiting.append((change, done))
        self._work.set()
        await asyncio.shield(done)

    async def _write_all(self, ledger: Ledger) -> None:
        while self._waiting:
            batch, self._waiting = self._waiting[:BATCH], self._waiting[BATCH:]
            try:
                await ledger.write([change for change, _ in batch])
            except StorageFailed as failure:
                self._give_up(batch, failure)
            else:
                self._acknowledge(batch)

    def _acknowledge(self, batch: list[tuple[Change, asyncio.Future[None]]]) -> None:
        self.writable = True
        for change, done in batch:
            if self._staged.get(change.entry.key) is change:
                del self._staged[change.entry.key]
            self._show(change)
            if not done.done():
                done.set_result(None)

    def _give_up(self, batch: list[tuple[Change, asyncio.Future[None]]], failure: StorageFailed) -> None:
        self.writable = False
        lost, self._waiting = batch + self._waiting, []
        self._staged.clear()
        self._next = self.revision + 1
        for _, done in lost:
            if not done.done():
                done.set_exception(failure)
                done.exception()  # whoever waited for it may be gone; that is no error of its own

    def _show(self, change: Change) -> None:
        collection = change.entry.key.collection
        self.revision = change.revision
        self._shelves[collection].record(change)
        self._history.append(change)
        self._history_bytes += change.weight_bytes
        self._trim()
        self._watchers[collection].tell(change)
        for listener in self._listeners:
            listener(change)

    def _trim(self) -> None:
        eldest = self._clock.monotonic() - HISTORY_S
        while self._history_bytes > HISTORY_MOST_BYTES or (
            len(self._history) > HISTORY_LEAST
            and (self._history[0].at_s < eldest or self._history_bytes > HISTORY_BYTES)
        ):
            dropped = self._history.popleft()
            self._history_bytes -= dropped.weight_bytes
            self._floor = dropped.revision
            self._shelves[dropped.entry.key.collection].forget_oldest()
