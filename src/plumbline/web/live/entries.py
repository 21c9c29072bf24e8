"""News of what happened, from the journal: each entry once, to those who may see it."""

from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager

from plumbline.base.clock import rfc3339
from plumbline.base.tasks import task_group
from plumbline.journal import Entry, Journal
from plumbline.web.live.changes import Change, Kind, Tell


class EntryFeed:
    """*scope* says what permissions are asked about for an entry."""

    def __init__(self, journal: Journal, scope: Callable[[Entry], str]) -> None:
        self._journal = journal
        self._scope = scope

    def following(self, topic: str, tell: Tell) -> AbstractAsyncContextManager[None]:
        return self._following(topic, tell)

    @asynccontextmanager
    async def _following(self, _: str, tell: Tell) -> AsyncIterator[None]:
        newest = (await self._journal.page(limit=1)).entries
        async with task_group() as tasks:
            telling = tasks.create_task(self._telling(newest[0].id if newest else "", tell))
            try:
                yield
            finally:
                telling.cancel()

    async def _telling(self, after: str, tell: Tell) -> None:
        async for entry in self._journal.follow(after):
            payload = {"at": rfc3339(entry.at), "kind": entry.kind, "verb": entry.verb}
            tell(Change(entry.id, Kind.ADDED, payload, self._scope(entry)))
