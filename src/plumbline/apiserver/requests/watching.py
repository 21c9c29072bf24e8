"""Watches: what is there, then every change as it happens, as lines of JSON."""

import asyncio
from collections.abc import AsyncGenerator, Callable, Iterable
from contextlib import aclosing
from typing import Final

from plumbline.apiserver import statuses
from plumbline.apiserver.models.model import Model
from plumbline.apiserver.requests.bookmarks import bookmark
from plumbline.apiserver.requests.options import ListOptions
from plumbline.apiserver.requests.selection import Selection
from plumbline.apiserver.requests.versions import revision_of, too_large
from plumbline.apiserver.requests.views import View
from plumbline.apiserver.storage.encoding import encoded, with_revision
from plumbline.apiserver.storage.entries import Change, ChangeType, Entry
from plumbline.apiserver.storage.store import Store
from plumbline.apiserver.storage.watchers import Watcher
from plumbline.base.errors import Expired, RequestRefused
from plumbline.base.ids import Ids
from plumbline.base.json import encode
from plumbline.base.log import logger

_log = logger(__name__)

BOOKMARK_S: Final = 60.0
LAST_BOOKMARK_S: Final = 2.0
LEAST_S: Final = 1800.0
"""How long a watch lasts whose client did not say; up to twice as long."""
_PIECE_BYTES: Final = 1 << 16

Render = Callable[[bytes], bytes]
"""An object in the form that the client asked for."""


class Watch:
    """One client's watch. Iterate `lines`; whatever happens to the client, the watcher is taken off the store."""

    def __init__(  # noqa: PLR0917 - what a watch is made of
        self, store: Store, model: Model, namespace: str, options: ListOptions, render: Render, ids: Ids
    ) -> None:
        self._store = store
        self._collection = model.resource.collection
        self._model = model
        self._view = View(model)
        self._render = render
        self._options = options
        self._since = revision_of(options.version)
        self._selection = Selection(model, options.labels, options.fields)
        self._watcher = Watcher(namespace or self._selection.namespace, self._selection.name)
        self._ends_s = float(options.timeout_s or ids.between(LEAST_S, 2 * LEAST_S))
        self._shown = 0
        """Up to which revision the client knows everything that it asked for."""

    async def lines(self) -> AsyncGenerator[bytes]:
        """Pieces of whole lines. What goes wrong on the way is the last of them."""
        try:
            async with aclosing(self._lines()) as pieces:
                async for piece in pieces:
                    yield piece
        except Expired as expired:
            yield error_line(statuses.expired(expired.what))
        except RequestRefused as refused:
            yield error_line(refused)
        except Exception:  # noqa: BLE001 - a watch that fails must not end others, nor show a stack trace
            _log.exception("watch failed", resource=str(self._collection))
            yield error_line(statuses.internal("unexpected error; the log of the control plane has the details"))

    async def _lines(self) -> AsyncGenerator[bytes]:
        loop = asyncio.get_running_loop()
        ends = loop.time() + self._ends_s
        timer = loop.call_later(0, self._watcher.wake)
        try:
            for piece in _pieces(await self._start()):
                yield piece
            due = _bookmark_due(loop.time(), ends)
            while not self._watcher.lagging:
                last, changes = self._watcher.ended, self._watcher.take()
                await self._view.prepare(change.entry for change in changes)
                for piece in _pieces(filter(None, map(self._line, changes))):
                    yield piece
                now = loop.time()
                if last or now >= ends:
                    break
                # While something waits to be shown, nobody can say that everything was.
                if now >= due and not self._watcher.waits:
                    due = _bookmark_due(now, ends)
                    if self._options.bookmarks:
                        yield self._bookmark(self._store.revision)
                timer.cancel()
                timer = loop.call_at(min(ends, due), self._watcher.wake)
                await self._watcher.wait()
        finally:
            timer.cancel()
            self._store.unwatch(self._collection, self._watcher)

    async def _start(self) -> Iterable[bytes]:
        """Register with the store and give what the client is to see first."""
        since = self._since
        wants_state = not since if self._options.initial_events is None else self._options.initial_events
        if wants_state and since and since > self._store.revision:
            raise too_large(since, self._store.revision)
        self._store.watch(self._collection, self._watcher, None if wants_state or not since else since)
        self._shown = self._store.revision if wants_state or not since else since
        return await self._state() if wants_state else ()

    async def _state(self) -> Iterable[bytes]:
        namespace, name = self._watcher.scope
        shelf = self._store.shelf(self._collection)
        named = (entry for entry in shelf.entries(namespace) if not name or entry.key.name == name)
        entries = [entry for entry in named if self._selection.matches(entry)]
        await self._view.prepare(entries)
        lines = [self._event("ADDED", entry) for entry in entries]
        if self._options.initial_events and self._options.bookmarks:
            lines.append(self._bookmark(self._shown, ends_initial=True))
        return lines

    def _line(self, change: Change) -> bytes:
        """Empty where the client does not see this change."""
        if change.revision <= self._shown:
            return b""
        if self._selection.everything:
            return self._event(change.type.value, change.entry)
        is_in = change.type is not ChangeType.DELETED and self._selection.matches(change.entry)
        was_in = change.previous is not None and self._selection.matches(change.previous)
        if is_in:
            return self._event("MODIFIED" if was_in else "ADDED", change.entry)
        if not was_in or change.previous is None:
            return b""
        if change.type is ChangeType.DELETED:
            return self._event("DELETED", change.entry)
        return self._event("DELETED", _last_seen(change.previous, change.revision))

    def _event(self, type_: str, entry: Entry) -> bytes:
        return event_line(type_, self._render(self._view.whole(entry)))

    def _bookmark(self, revision: int, *, ends_initial: bool = False) -> bytes:
        return event_line("BOOKMARK", self._render(bookmark(self._model, revision, ends_initial=ends_initial)))


def _bookmark_due(now: float, ends: float) -> float:
    """Every minute, and once more shortly before the end, so that the client can go on from there."""
    last = ends - LAST_BOOKMARK_S
    return min(now + BOOKMARK_S, last) if now < last else ends


def event_line(type_: str, body: bytes) -> bytes:
    return b'{"type":"%b","object":%b}\n' % (type_.encode(), body.rstrip(b"\n"))


def error_line(refused: RequestRefused) -> bytes:
    return event_line("ERROR", encode(refused.status))


def _last_seen(previous: Entry, revision: int) -> Entry:
    """An object that left the selection: as it was, under the revision of its leaving."""
    return Entry(previous.key, revision, encoded(with_revision(previous.object(), revision)))


def _pieces(lines: Iterable[bytes]) -> Iterable[bytes]:
    """Lines joined up to a size that is worth a write of its own."""
    held: list[bytes] = []
    size = 0
    for line in lines:
        held.append(line)
        size += len(line)
        if size >= _PIECE_BYTES:
            yield b"".join(held)
            held, size = [], 0
    if held:
        yield b"".join(held)
