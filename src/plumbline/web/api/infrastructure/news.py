"""News of claims and composites, of every kind that the platform offers while somebody listens."""

import asyncio
from collections.abc import AsyncIterator, Callable, Iterable
from contextlib import AbstractAsyncContextManager, asynccontextmanager

from plumbline.base.tasks import task_group
from plumbline.kube.names import Ref
from plumbline.web.api.infrastructure.asking import Claims, Offered
from plumbline.web.api.infrastructure.definitions import Definition
from plumbline.web.api.infrastructure.rows import Row
from plumbline.web.api.ours.news import key_of, place_of, sighting
from plumbline.web.api.ours.rights import OurRights, Thing
from plumbline.web.live.rows import RowFeed, Sighting, Touched


class ClaimNews:
    """A change of a composite is news of the claim that it was made for, and one of a part that others have made is none."""

    def __init__(self, rights: OurRights, claims: Claims, thing: Callable[[Row], Thing]) -> None:
        self._rights, self._claims, self._thing = rights, claims, thing
        self._offered = Offered([], {})
        self.feed = RowFeed(self.watching, self.look)

    def watching(self, touched: Touched) -> AbstractAsyncContextManager[Iterable[str]]:
        return self._watching(touched)

    def look(self, key: str) -> Sighting | None:
        row = self._offered.row(*place_of(key))
        return sighting(row, self._rights.scope(self._thing(row))) if row is not None else None

    @asynccontextmanager
    async def _watching(self, touched: Touched) -> AsyncIterator[Iterable[str]]:
        await self._rights.ready()
        following = _Following(touched)
        self._offered = await self._claims.offered()
        await following.begin(self._claims, self._offered)
        async with task_group() as group:
            reopening = group.create_task(self._reopening(following))
            try:
                yield self._keys()
            finally:
                reopening.cancel()
                following.end()

    async def _reopening(self, following: "_Following") -> None:
        """When the platform offers something else: what is gone with its kind, and what came with one, is told as well."""
        while True:
            await following.moved.wait()
            following.moved.clear()
            before = set(self._keys())
            self._offered = await self._claims.offered()
            await following.begin(self._claims, self._offered)
            for key in before.union(self._keys()):
                following.touched(key)

    def _keys(self) -> list[str]:
        return [key_of(row.ref) for row in self._offered.rows()]


class _Following:
    def __init__(self, touched: Touched) -> None:
        self.touched = touched
        self.moved = asyncio.Event()
        self._stops: list[Callable[[], None]] = []

    async def begin(self, claims: Claims, offered: Offered) -> None:
        definitions = await claims.shelf()
        self.end()
        if definitions is not None:
            self._stops.append(definitions.follow(self._redefined))
        for each in offered.definitions:
            for shelf in offered.of(each):
                self._stops.append(shelf.follow(self._told(each)))

    def end(self) -> None:
        for stop in self._stops:
            stop()
        self._stops.clear()

    def _redefined(self, was: Definition | None, now: Definition | None) -> None:
        if was is None or now is None or _kinds(was) != _kinds(now):
            self.moved.set()

    def _told(self, definition: Definition) -> Callable[[Row | None, Row | None], None]:
        def told(was: Row | None, now: Row | None) -> None:
            for key in {key_of(_shown(each, definition)) for each in (was, now) if each is not None}:
                self.touched(key)

        return told


def _shown(row: Row, definition: Definition) -> Ref:
    """Under which row of the list it is shown."""
    if row.claim == ("", "") or definition.claim is None:
        return row.ref
    return Ref(definition.group, definition.claim.kind, *row.claim)


def _kinds(each: Definition) -> object:
    return each.version, each.composite, each.claim
