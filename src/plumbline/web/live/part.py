"""`GET /api/v1/live?topics=A,B`: one stream of events for a page, whatever the page shows.

`Last-Event-ID`, or `since` where a page opens another stream with other topics, goes on from there.
"""

import asyncio
from collections import Counter
from collections.abc import AsyncGenerator, Hashable
from dataclasses import dataclass
from typing import Final, TypeVar

from plumbline.base.clock import Clock
from plumbline.base.errors import Throttled
from plumbline.base.ids import Ids
from plumbline.web.live.hub import Hub
from plumbline.web.live.ring import Counts, Ring
from plumbline.web.live.sight import Door, Sight, Sights, Viewer
from plumbline.web.live.stream import Room, Stream
from plumbline.web.live.topics import Topics
from plumbline.web.live.wire import CONTENT_TYPE
from plumbline.web.operations import Operation, Parameter
from plumbline.web.requests import Request, Response
from plumbline.web.routes import Route

PATH: Final = "/api/v1/live"
_RETRY_S: Final = 5.0
_GOODBYE_S: Final = 1.0
_HEADERS: Final = (("Cache-Control", "no-store, no-transform"), ("X-Accel-Buffering", "no"))
"""Proxies that gather or compress would hold back what is news."""

H = TypeVar("H", bound=Hashable)


@dataclass(frozen=True, slots=True, kw_only=True)
class LiveSettings:
    most_streams: int = 1_000
    most_per_session: int = 12
    """Tabs of one browser share a stream where they can."""
    most_per_person: int = 100
    """So that there are some left for others, however often somebody logs in."""
    most_topics_per_person: int = 512
    """The same for topics: what each is made of is kept open for it."""


class Live:
    """A part of the web port. The port drains it before it closes."""

    def __init__(
        self, topics: Topics, door: Door, sight: Sight, *, clock: Clock, ids: Ids, settings: LiveSettings | None = None
    ) -> None:
        self._topics = topics
        self._settings = settings or LiveSettings()
        self._hub = Hub(Ring(ids.suffix(10)), clock)
        self._room = Room(self._hub, Sights(sight), door, clock, ids)
        self._streams: dict[Stream, None] = {}
        self._sessions: Counter[str] = Counter()
        self._persons: Counter[Hashable] = Counter()
        self._listened: Counter[Hashable] = Counter()
        """How many topics the streams of each have together."""
        self._draining = False
        self._nobody = asyncio.Event()
        self._nobody.set()
        self.routes = (Route(PATH, frozenset({"GET"}), self._serve, (_OPERATION,)),)

    async def run(self) -> None:
        await self._hub.run()

    @property
    def counts(self) -> Counts:
        return self._hub.counts

    @property
    def streams(self) -> int:
        return len(self._streams)

    async def drain(self) -> None:
        """Tell every page to come back, each after a while of its own, and wait a moment for the words to be out."""
        self._draining = True
        for stream in self._streams:
            stream.end("drain")
        try:
            async with asyncio.timeout(_GOODBYE_S):
                await self._nobody.wait()
        except TimeoutError:
            return

    async def _serve(self, request: Request) -> Response:
        viewer = await self._room.door.admit(request)
        feeds = self._topics.chosen(request.query.get("topics", ""))
        why = self._full(viewer, len(feeds))
        if why:
            raise Throttled("The stream is not opened", after_s=_RETRY_S, why=why)
        cursor = request.header("last-event-id") or request.query.get("since", "")
        stream = Stream(self._room, viewer, feeds, cursor)
        return Response(200, b"", CONTENT_TYPE, _HEADERS, stream=self._counted(stream))

    def _full(self, viewer: Viewer, topics: int) -> str:
        settings, listened = self._settings, self._listened[viewer.person]
        if self._draining:
            return "the server is about to end"
        if len(self._streams) >= settings.most_streams:
            return f"{settings.most_streams} others are open"
        if self._sessions[viewer.session] >= settings.most_per_session:
            return f"{settings.most_per_session} others of the same session are open"
        if self._persons[viewer.person] >= settings.most_per_person:
            return f"{settings.most_per_person} others of yours are open"
        if listened + topics > settings.most_topics_per_person:
            return f"{listened} other topics of yours are listened to"
        return ""

    async def _counted(self, stream: Stream) -> AsyncGenerator[bytes]:
        """Counted from its first event on: one that nobody waits for never begins, and would never end."""
        if self._full(stream.viewer, stream.breadth):
            stream.end("drain" if self._draining else "full")
        self._streams[stream] = None
        self._count(stream, 1)
        self._nobody.clear()
        events = stream.events()
        try:
            async for piece in events:
                yield piece
        finally:
            await events.aclose()
            del self._streams[stream]
            self._count(stream, -1)
            if not self._streams:
                self._nobody.set()

    def _count(self, stream: Stream, one: int) -> None:
        viewer = stream.viewer
        _add(self._sessions, viewer.session, one)
        _add(self._persons, viewer.person, one)
        _add(self._listened, viewer.person, one * stream.breadth)


def _add(counter: Counter[H], key: H, count: int) -> None:
    counter[key] += count
    if not counter[key]:
        del counter[key]


_OPERATION: Final = Operation(
    method="GET",
    path=PATH,
    summary="What changes, as it changes",
    tag="live",
    parameters=(
        Parameter(
            "topics", "Names with commas between them, such as `applications,application:argocd/shop`", required=True
        ),
        Parameter("since", "The last id of an earlier stream, to go on from there"),
        Parameter("Last-Event-ID", "The same, as browsers say it when they come back", where="header"),
    ),
    media="text/event-stream",
    refusals=(429,),
)
