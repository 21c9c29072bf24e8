"""Feeds made of what rooms have anyway: something that calls back, something to ask now and then, or several at once."""

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager
from typing import TypeAlias

from plumbline.base.clock import Clock
from plumbline.base.json import Json
from plumbline.base.tasks import task_group
from plumbline.web.live.changes import Change, Feed, Kind, Tell

Stop: TypeAlias = Callable[[], None]
Listen: TypeAlias = Callable[[str, Tell], Stop]
Ask: TypeAlias = Callable[[str], Awaitable[Json]]


class Listened:
    """A feed of something that calls back: *listen* begins to tell of a topic, and returns what ends it."""

    def __init__(self, listen: Listen) -> None:
        self._listen = listen

    def following(self, topic: str, tell: Tell) -> AbstractAsyncContextManager[None]:
        return self._following(topic, tell)

    @asynccontextmanager
    async def _following(self, topic: str, tell: Tell) -> AsyncIterator[None]:
        stop = self._listen(topic, tell)
        try:
            yield
        finally:
            stop()


class Polled:
    """A feed of something that has to be asked: told of when it answers something else than before.

    Its one key is the topic. Whoever asks for the topic first is told nothing: they fetch it themselves.
    """

    def __init__(self, ask: Ask, clock: Clock, every_s: float, scope: str = "") -> None:
        self._ask = ask
        self._clock = clock
        self._every_s = every_s
        self._scope = scope

    def following(self, topic: str, tell: Tell) -> AbstractAsyncContextManager[None]:
        return self._following(topic, tell)

    @asynccontextmanager
    async def _following(self, topic: str, tell: Tell) -> AsyncIterator[None]:
        known = await self._ask(topic)
        async with task_group() as tasks:
            asking = tasks.create_task(self._asking(topic, known, tell))
            try:
                yield
            finally:
                asking.cancel()

    async def _asking(self, topic: str, known: Json, tell: Tell) -> None:
        while True:
            await self._clock.sleep(self._every_s)
            found = await self._ask(topic)
            if found != known:
                known = found
                tell(Change(topic, Kind.MODIFIED, found, self._scope))


class Together:
    """Several feeds of one topic, such as an object and the tree that grows from it."""

    def __init__(self, *feeds: Feed) -> None:
        self._feeds = feeds

    def following(self, topic: str, tell: Tell) -> AbstractAsyncContextManager[None]:
        return self._following(topic, tell)

    @asynccontextmanager
    async def _following(self, topic: str, tell: Tell) -> AsyncIterator[None]:
        async with AsyncExitStack() as stack:
            for feed in self._feeds:
                await stack.enter_async_context(feed.following(topic, tell))
            yield
