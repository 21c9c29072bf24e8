"""Between feeds and streams: keeps feeds open while somebody listens, gathers what they tell, and wakes whom it concerns."""

import asyncio
from collections.abc import Collection, Iterable
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Final, Protocol

from plumbline.base.clock import Clock
from plumbline.base.errors import Throttled
from plumbline.base.log import logger
from plumbline.base.tasks import task_group
from plumbline.web.live.changes import Change, Feed, merged
from plumbline.web.live.ring import Ring

PERIOD_S: Final = 0.25
"""Between two rounds of news: nobody is told of one thing more often, nor written to more often."""
LINGER_S: Final = 60.0
"""How long a feed is kept open for somebody to come back."""
BURST: Final = 2_000
"""With more changes than that in one round, fetching all anew is less work for everybody."""
AT_ONCE: Final = 64
"""How many streams are woken before others have a turn."""
MOST_TOPICS: Final = 4_096
_PAUSE_S: Final = 5.0

_log = logger("web.live")


class Listener(Protocol):
    def wake(self) -> None: ...


@dataclass(eq=False, slots=True)
class Following:
    """A topic that is listened to, or was a moment ago."""

    topic: str
    feed: Feed
    since: int
    """Place from which on all of its changes are in the ring, or that there is a gap among them."""
    listeners: dict[Listener, None] = field(default_factory=dict)
    deserted: asyncio.Event = field(default_factory=asyncio.Event)
    deserted_s: float = 0.0
    unwanted: asyncio.Event = field(default_factory=asyncio.Event)
    """Others need its place."""
    open: asyncio.Event = field(default_factory=asyncio.Event)
    doubtful: bool = False
    """Whether somebody was let in before it was open, and may have missed something."""
    pending: dict[str, Change] = field(default_factory=dict)
    flooded: bool = False


class Hub:
    """Works while `run` runs."""

    def __init__(self, ring: Ring, clock: Clock) -> None:
        self.ring = ring
        self.counts = ring.counts
        self._clock = clock
        self._topics: dict[str, Following] = {}
        self._due: dict[str, Following] = {}
        self._closing: dict[str, asyncio.Event] = {}
        self._news = asyncio.Event()
        self._tasks: asyncio.TaskGroup | None = None

    async def run(self) -> None:
        async with task_group() as tasks:
            self._tasks = tasks
            try:
                await self._pace()
            finally:
                self._tasks = None

    @property
    def topics(self) -> tuple[str, ...]:
        """Those whose feeds are open."""
        return tuple(self._topics)

    def join(self, listener: Listener, feeds: dict[str, Feed]) -> list[Following]:
        """From now on *listener* is woken by news of these topics; their feeds may take a moment to be open."""
        missing = [topic for topic in feeds if topic not in self._topics]
        if self._tasks is None:
            raise Throttled("The stream is not opened", after_s=_PAUSE_S, why="the server is not ready for it")
        if not self._room_for(len(missing), feeds):
            raise Throttled("The stream is not opened", after_s=_PAUSE_S, why="too many topics are listened to")
        for topic in missing:
            following = self._topics[topic] = Following(topic, feeds[topic], self.ring.mark())
            self._tasks.create_task(self._follow(following))
        joined = [self._topics[topic] for topic in feeds]
        for following in joined:
            following.listeners[listener] = None
            following.deserted.clear()
        return joined

    def _room_for(self, count: int, wanted: Collection[str]) -> bool:
        """Whether there is, once those that are kept only for somebody to come back have made way, the oldest first."""
        spare = len(self._topics) + count - MOST_TOPICS
        if spare <= 0:
            return True
        idle = (each for each in self._topics.values() if not each.listeners and each.open.is_set())
        kept = [each for each in idle if each.topic not in wanted]
        kept.sort(key=lambda each: each.deserted_s)
        for following in kept[:spare]:
            self._closing[following.topic] = asyncio.Event()
            self._forget(following)
            following.unwanted.set()
        return len(kept) >= spare

    def leave(self, listener: Listener, joined: Iterable[Following]) -> None:
        for following in joined:
            following.listeners.pop(listener, None)
            if not following.listeners:
                following.deserted_s = self._clock.monotonic()
                following.deserted.set()

    def tell(self, following: Following, change: Change) -> None:
        self.counts.told += 1
        if following.flooded or self._topics.get(following.topic) is not following:
            return
        earlier = following.pending.get(change.key)
        following.pending[change.key] = change if earlier is None else merged(earlier, change)
        if len(following.pending) > BURST:
            self._lose(following)
        self._mention(following)

    def _lose(self, following: Following) -> None:
        following.flooded = True
        following.pending.clear()

    def _mention(self, following: Following) -> None:
        self._due[following.topic] = following
        self._news.set()

    async def _follow(self, following: Following) -> None:
        """Until nobody has listened for a while, and not before the feed is closed that was there earlier."""
        earlier = self._closing.get(following.topic)
        if earlier is not None:
            await earlier.wait()
        await self._kept_open(following)
        closed = self._closing.pop(following.topic, None)
        if closed is not None:
            closed.set()

    async def _kept_open(self, following: Following) -> None:
        """Whatever goes wrong with the feed."""
        topic = following.topic
        while self._topics.get(topic) is following:
            try:
                async with following.feed.following(topic, lambda change: self.tell(following, change)):
                    if following.doubtful:
                        self._lose(following)
                        self._mention(following)
                    following.open.set()
                    await self._until_deserted(following)
                    return
            except Exception as error:  # noqa: BLE001 - a feed that fails is no reason to end the others
                _log.warning("feed failed", topic=topic, error=str(error) or type(error).__name__)
            following.open.clear()
            following.doubtful = True
            await self._pause(following)

    async def _until_deserted(self, following: Following) -> None:
        while True:
            await following.deserted.wait()
            left_s = following.deserted_s + LINGER_S - self._clock.monotonic()
            if following.unwanted.is_set():
                return
            if left_s <= 0:
                self._forget(following)
                self._closing[following.topic] = asyncio.Event()
                return
            with suppress(TimeoutError):
                async with asyncio.timeout(left_s):
                    await following.unwanted.wait()

    async def _pause(self, following: Following) -> None:
        """Before a feed that failed is tried again, which is not worth it for nobody."""
        if following.listeners:
            await self._clock.sleep(_PAUSE_S)
        if not following.listeners:
            self._forget(following)

    def _forget(self, following: Following) -> None:
        """At once, so that whoever comes next begins anew."""
        if self._topics.get(following.topic) is following:
            del self._topics[following.topic]
        self._due.pop(following.topic, None)

    async def _pace(self) -> None:
        """The first change after a quiet moment goes out at once, those that follow wait for the next round."""
        while True:
            await self._news.wait()
            self._news.clear()
            await self._wake(self._published())
            await self._clock.sleep(PERIOD_S)

    def _published(self) -> Collection[Listener]:
        """Put what was told in its place, and say whom it concerns."""
        due, self._due = self._due, {}
        concerned: dict[Listener, None] = {}
        for following in due.values():
            if following.flooded:
                self.ring.put(following.topic, None, "gap")
                following.flooded = following.doubtful = False
            for change in following.pending.values():
                self.ring.put(following.topic, change)
            following.pending.clear()
            concerned.update(following.listeners)
        return concerned

    async def _wake(self, concerned: Collection[Listener]) -> None:
        for place, listener in enumerate(concerned, 1):
            listener.wake()
            if place % AT_ONCE == 0:
                await asyncio.sleep(0)
