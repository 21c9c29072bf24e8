"""Keeps a cache true to a collection and tells who is interested what changed, if it matters."""

import asyncio
from collections import deque
from collections.abc import Callable
from contextlib import aclosing
from typing import Final, TypeAlias

import msgspec

from plumbline.base.clock import Clock, SystemClock
from plumbline.base.errors import PlumblineError, Transient, UnknownKind
from plumbline.base.log import logger
from plumbline.kernel.cache import Cache, Cached, Key, cached
from plumbline.kernel.metrics import Metrics
from plumbline.kube.client import Client, Interrupted, Selection, Synced, Target, WatchEvent

Changed: TypeAlias = Callable[[Cached | None, Cached | None], None]
"""Called with the object before and after: None before it existed, None once it is gone. It must not wait.

It is called for changes of what matters and for changes of the status; versions that differ in neither are not told.
"""

_GONE: Final = 256

log = logger(__name__)


class Informer:
    """One collection followed into one cache."""

    def __init__(
        self,
        client: Client,
        target: Target,
        *,
        cache: Cache | None = None,
        selection: Selection | None = None,
        metrics: Metrics | None = None,
        clock: Clock | None = None,
    ) -> None:
        self.target = target
        self.cache = Cache() if cache is None else cache  # an empty cache is false, and still the one that was meant
        self.interrupted: PlumblineError | None = None
        """Why the copy may be behind, while it may be."""
        self._client = client
        selection = selection or Selection()
        bare = selection.metadata_only or not self.cache.relevance.content
        self._selection = msgspec.structs.replace(selection, metadata_only=bare)
        self._metrics = metrics or Metrics()
        self._clock = clock or SystemClock()
        self._listed_s: float | None = None
        self._listeners: list[Changed] = []
        self._synced = asyncio.Event()
        self._heard = asyncio.Event()
        self._left = False
        self._ahead: dict[Key, int] = {}
        """Versions that we have learned of before the watch told them."""
        self._lately: set[Key] = set()
        """Those of them that were learned since the watch was last interrupted: a state that is told anew may be older."""
        self._told = 0
        """The newest version that the watch has told."""
        self._gone: deque[str] = deque(maxlen=_GONE)
        """Objects that the watch has told the end of: an answer about one of them comes too late."""
        self._ended: set[str] = set()
        """Objects that we have learned the end of before the watch told it."""

    def subscribe(self, changed: Changed) -> None:
        self._listeners.append(changed)

    @property
    def complete(self) -> bool:
        """Whether the copy has been complete."""
        return self._synced.is_set()

    @property
    def age_s(self) -> float | None:
        """Since all of it was last told at once; None where it has not been. Changes since then are in the copy as well."""
        return None if self._listed_s is None else self._clock.monotonic() - self._listed_s

    async def synced(self) -> None:
        """Returns once the copy has been complete."""
        await self._synced.wait()

    @property
    def unserved(self) -> bool:
        """Whether the server has said last that it has no such kind."""
        return isinstance(self.interrupted, UnknownKind)

    async def readable(self) -> bool:
        """Returns once the copy has been complete, and that it has; or once the server has said that it has no such kind.

        Raises Transient while it cannot be read, and why: that may last for as long as nobody mends it, such as a webhook that is
        to convert its objects, and others do not wait for it. So it does once nobody follows it any more.
        """
        while not self.complete:
            if self._left:
                raise Transient(f"{self.target} is not watched any more", why="what is known of it is read anew")
            if self.unserved:
                return False
            if self.interrupted is not None:
                raise Transient(f"{self.target} cannot be watched", why=str(self.interrupted)) from self.interrupted
            self._heard.clear()
            await self._heard.wait()
        return True

    def leave(self) -> None:
        """Nobody follows it any more: whoever waits for that waits in vain, and is told so."""
        self._left = True
        self._heard.set()

    async def fetched(self, key: Key) -> Cached:
        """The object as it is now, past the copy, which may be behind. Raises NotFound."""
        namespace, name = key
        raw = await self._client.get(self.target._replace(namespace=namespace, name=name))
        return cached(raw, self.cache.relevance)

    def learn(self, raw: bytes, tell: Changed | None = None) -> Cached:
        """What a write of ours was answered with, known before the watch tells it. An answer that came late changes nothing.

        Listeners are told as of any other change, or *tell* is instead, which knows whose doing it was.
        """
        entry = cached(raw, self.cache.relevance)
        self.learn_of(entry, tell)
        return entry

    def learn_of(self, entry: Cached, tell: Changed | None = None) -> None:
        """The same, for who has read the answer already."""
        known = self.cache.get(entry.meta.key)
        if (known is None or _version(known) < _version(entry)) and entry.meta.uid not in self._gone:
            if known is not None and known.meta.uid != entry.meta.uid:
                self._drop(entry.meta.key, tell)  # made anew, and its end not told yet
            self._ahead[entry.meta.key] = _version(entry)
            self._lately.add(entry.meta.key)
            self._keep(entry, tell or self._tell)

    def learn_gone(self, key: Key, uid: str, tell: Changed | None = None) -> None:
        """A deletion of ours was answered: that very object is no more, whatever the watch still has to say of it."""
        known = self.cache.get(key)
        if known is not None and known.meta.uid == uid:
            self._ended.add(uid)
            self._drop(key, tell)

    async def run(self) -> None:
        """Follow for ever; whatever happens to the connection is dealt with here."""
        async with aclosing(self._client.follow(self.target, self._selection)) as followed:
            async for event in followed:
                self._take(event)

    def _take(self, event: WatchEvent | Synced | Interrupted) -> None:
        self._heard.set()
        if isinstance(event, Interrupted):
            self.interrupted = event.error
            self._ended.clear()  # whoever follows anew is told what there is
            self._lately.clear()
            self._metrics.watch_restarts(str(self.target.resource))
            log.warning("watch interrupted", target=str(self.target), code=event.error.code, error=str(event.error))
        elif isinstance(event, Synced):
            self.interrupted = None
            self._settle(event)
            self._listed_s = self._clock.monotonic()
            self._synced.set()
        elif event.type == "DELETED":
            self.interrupted = None
            self._ended.discard(event.uid)
            if _number(event.resource_version) >= self._ahead.get(event.key, 0):  # else another has its name by now
                self._drop(event.key)
        elif event.type != "BOOKMARK":
            self.interrupted = None
            self._put(event)

    def _settle(self, state: Synced) -> None:
        """The copy is what *state* says, but for what we have written since it was taken: that is newer.

        Unless the server has gone back behind what it told: then it has lost that too.
        """
        at = _number(state.resource_version)
        back, self._told = at < self._told, at
        newer = {key: made for key, made in self._ahead.items() if key in self._lately and made > at}
        self._ahead = {} if back else newer
        for key in self.cache.keys() - state.present - self._ahead.keys():
            self._drop(key)

    def _put(self, event: WatchEvent) -> None:
        self._told = max(self._told, _number(event.resource_version))
        known = self.cache.get(event.key)
        if known is not None and known.meta.resource_version == event.resource_version:
            return
        try:
            entry = cached(event.raw, self.cache.relevance)
        except msgspec.DecodeError as broken:
            log.warning("object unreadable", target=str(self.target), name=event.name, error=str(broken))
            return
        if self._is_past(entry):
            return
        if known is not None and known.meta.uid != entry.meta.uid:
            self._drop(event.key)  # deleted and made again while nobody looked
        self._keep(entry, self._tell)

    def _is_past(self, entry: Cached) -> bool:
        """Whether the watch is still on its way to what we have learned from a write."""
        if entry.meta.uid in self._ended:
            return True
        ahead = self._ahead.get(entry.meta.key)
        if ahead is None:
            return False
        if _version(entry) < ahead:
            return True
        self._forget_ahead(entry.meta.key)
        return False

    def _forget_ahead(self, key: Key) -> None:
        self._ahead.pop(key, None)
        self._lately.discard(key)

    def _keep(self, entry: Cached, tell: Changed) -> None:
        before = self.cache.put(entry)
        if before is None or before.relevant != entry.relevant or before.status != entry.status:
            tell(before, entry)

    def _drop(self, key: Key, tell: Changed | None = None) -> None:
        self._forget_ahead(key)
        gone = self.cache.drop(key)
        if gone is not None:
            self._gone.append(gone.meta.uid)
            (tell or self._tell)(gone, None)

    def _tell(self, before: Cached | None, after: Cached | None) -> None:
        for listener in self._listeners:
            listener(before, after)


def _version(entry: Cached) -> int:
    """Versions of one object are told in the order of their numbers, which every server has kept so far."""
    return _number(entry.meta.resource_version)


def _number(version: str) -> int:
    """0 for one that is no number, as servers behind the API server may have them: of those the watch alone tells."""
    return int(version) if version.isdecimal() else 0
