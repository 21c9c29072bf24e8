"""One page that listens: what it is sent, how far it has come, and when it is let go."""

import asyncio
from collections.abc import AsyncGenerator
from dataclasses import dataclass, field
from typing import Final

from plumbline.base.clock import Clock
from plumbline.base.errors import PlumblineError, Throttled
from plumbline.base.ids import Ids
from plumbline.base.log import logger
from plumbline.web.live import wire
from plumbline.web.live.changes import Feed
from plumbline.web.live.hub import Following, Hub
from plumbline.web.live.pieces import Piece, Pieces
from plumbline.web.live.sight import Door, Sights, Viewer

BEAT_S: Final = 15.0
"""Between two signs of life. As often it is asked whether the session is still good."""
OPEN_S: Final = 5.0
"""How long a page waits for feeds to open; of one that takes longer it is told to fetch anew once it does."""
PIECE: Final = 512
"""Most changes in one write."""
_ASK_S: Final = 10.0
_STRIKES: Final = 2
_STRIKES_S: Final = 60.0
_RETRY_S: Final = (1.0, 4.0)
"""Those who are cut off together do not come back together."""
_DRAIN_S: Final = (2.0, 8.0)

_log = logger("web.live")


@dataclass(frozen=True, slots=True)
class Room:
    """What all streams share."""

    hub: Hub
    sights: Sights
    door: Door
    clock: Clock
    ids: Ids
    pieces: Pieces = field(default_factory=Pieces)


class Stream:
    """Iterate `events` once."""

    def __init__(self, room: Room, viewer: Viewer, feeds: dict[str, Feed], cursor: str) -> None:
        self.viewer = viewer
        self._room = room
        self._feeds = feeds
        self._topics = frozenset(feeds)
        self._cursor = cursor
        self._place = 0
        self._news = asyncio.Event()
        self._end = ""
        self._joined: list[Following] = []
        self._version = room.sights.version
        self._beat_s = 0.0
        self._lost_s: list[float] = []

    @property
    def breadth(self) -> int:
        """How many topics it has."""
        return len(self._topics)

    def wake(self) -> None:
        self._news.set()

    def end(self, reason: str) -> None:
        """Say goodbye at the next opportunity."""
        self._end = self._end or reason
        self._news.set()

    async def events(self) -> AsyncGenerator[bytes]:
        room = self._room
        if self._end:
            yield self._counted(self._goodbye(self._end))
            return
        try:
            self._joined = room.hub.join(self, self._feeds)
        except Throttled:
            yield self._counted(self._goodbye("full"))
            return
        try:
            yield self._counted(await self._greeting())
            self._beat_s = room.clock.monotonic() + room.ids.between(BEAT_S / 2, BEAT_S)
            while not (reason := await self._over()):
                piece = self._next()
                if piece:
                    yield self._counted(piece)
                else:
                    await self._wait()
            yield self._counted(self._goodbye(reason))
        finally:
            room.hub.leave(self, self._joined)

    async def _greeting(self) -> bytes:
        ring = self._room.hub.ring
        place = ring.place(self._cursor) if self._cursor else None
        opening = wire.event(
            "open",
            {"topics": sorted(self._topics), "resumed": place is not None, "beatS": BEAT_S},
            retry_ms=self._retry_ms(_RETRY_S),
        )
        self._place = ring.head if place is None else place
        missed = [each.topic for each in self._joined if self._cursor and (place is None or each.since > place)]
        await self._opened()
        told = wire.reset(missed, "away", ring.cursor(self._place)) if missed else wire.beat(ring.cursor(self._place))
        return opening + told

    def _goodbye(self, reason: str) -> bytes:
        return wire.bye(reason, self._retry_ms(_DRAIN_S if reason == "drain" else _RETRY_S))

    async def _opened(self) -> None:
        """A page that is told that it listens fetches what there is, and must not miss what comes in between."""
        try:
            async with asyncio.timeout(OPEN_S):
                for each in self._joined:
                    await each.open.wait()
        except TimeoutError:
            for each in self._joined:
                each.doubtful = each.doubtful or not each.open.is_set()

    async def _over(self) -> str:
        """Why the stream ends, empty if it does not. A sign of life is due first, whatever there is to tell."""
        if self._end or self._room.clock.monotonic() < self._beat_s:
            return self._end
        try:
            async with asyncio.timeout(_ASK_S):
                good = await self._room.door.holds(self.viewer)
        except (PlumblineError, TimeoutError) as error:
            _log.warning("session not checked", error=str(error) or type(error).__name__)
            return "session"
        return self._end if good else "session"

    def _next(self) -> bytes:
        """What is to be sent now, empty if there is nothing."""
        ring, version = self._room.hub.ring, self._room.sights.version
        if version != self._version:
            self._version = version
            return self._begin_anew("permissions")
        if self._place < ring.floor:
            return self._lost()
        piece = b""
        while not piece and self._place < ring.head:
            piece, self._place = self._slice()
        if self._room.clock.monotonic() >= self._beat_s:
            self._beat_s = self._room.clock.monotonic() + BEAT_S
            piece += wire.beat(ring.cursor(self._place))
        return piece

    def _slice(self) -> Piece:
        ring, shared = self._room.hub.ring, self._room.pieces
        key = (self.viewer.identity, self._topics, self._place, self._version)
        found = shared.get(ring.head, key)
        if found is None:
            entries = ring.after(self._place, self._topics)
            place = entries[PIECE - 1].seq if len(entries) > PIECE else ring.head
            sees = self._room.sights.of(self.viewer)
            found = b"".join([entry.shown(sees) for entry in entries[:PIECE]]), place
            shared.keep(key, found)
            ring.counts.joined += 1
        return found

    def _lost(self) -> bytes:
        """It did not keep up. Once is bad luck."""
        now_s = self._room.clock.monotonic()
        self._lost_s = [at_s for at_s in self._lost_s if now_s - at_s < _STRIKES_S]
        self._lost_s.append(now_s)
        if len(self._lost_s) > _STRIKES:
            self.end("slow")
        return self._begin_anew("slow")

    def _begin_anew(self, reason: str) -> bytes:
        ring = self._room.hub.ring
        self._place = ring.head
        return wire.reset(self._topics, reason, ring.cursor(ring.head))

    async def _wait(self) -> None:
        try:
            async with asyncio.timeout(max(0.0, self._beat_s - self._room.clock.monotonic())):
                await self._news.wait()
        except TimeoutError:
            return
        self._news.clear()

    def _retry_ms(self, between_s: tuple[float, float]) -> int:
        return int(1000 * self._room.ids.between(*between_s))

    def _counted(self, piece: bytes) -> bytes:
        counts = self._room.hub.counts
        counts.written += 1
        counts.written_bytes += len(piece)
        return piece
