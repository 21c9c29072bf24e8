"""News of Applications, from the board: rows for lists, and for the page of one of them that it is another one now."""

from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import Final, TypeAlias

from plumbline.web.board.board import Board, Seen
from plumbline.web.board.rows import Row
from plumbline.web.board.shaping import shaped
from plumbline.web.live.changes import Change, Kind, Tell

ROWS: Final = "applications"
ONE: Final = "application:"

Named: TypeAlias = Callable[[str, str, str], str]
"""What policies call the application of a project, in a namespace, with a name."""


class ApplicationFeed:
    """A feed for `applications` and `application:`. Those of namespaces that are not *looked_at* are nobody's news.

    The board tells one follower, whatever the number of pages that are open.
    """

    def __init__(self, board: Board, named: Named, looked_at: Callable[[str], bool]) -> None:
        self._board = board
        self._named = named
        self._looked_at = looked_at
        self._tells: dict[str, Tell] = {}
        self._stop: Callable[[], None] | None = None

    def following(self, topic: str, tell: Tell) -> AbstractAsyncContextManager[None]:
        return self._following(topic, tell)

    @asynccontextmanager
    async def _following(self, topic: str, tell: Tell) -> AsyncIterator[None]:
        await self._board.rows()
        self._tells[topic] = tell
        if self._stop is None:
            self._stop = self._board.follow(self._told)
        try:
            yield
        finally:
            del self._tells[topic]
            if not self._tells and self._stop is not None:
                self._stop()
                self._stop = None

    def _told(self, seen: Seen) -> None:
        before, after = seen.before, seen.after
        row = after or before
        if row is None or not self._looked_at(row.namespace):
            return
        key = f"{row.namespace}/{row.name}"
        rows, one = self._tells.get(ROWS), self._tells.get(ONE + key)
        if rows is None and one is None:
            return
        change = self._change(key, before, after)
        if rows is not None and not (before is not None and after is not None and after.same(before)):
            rows(change._replace(payload=shaped(after) if after is not None else None))
        if one is not None:
            one(change._replace(payload={"resourceVersion": after.version} if after is not None else None))

    def _change(self, key: str, before: Row | None, after: Row | None) -> Change:
        scope = self._scope(after or before)
        was = self._scope(before) if before is not None else scope
        kind = Kind.DELETED if after is None else Kind.ADDED if before is None else Kind.MODIFIED
        return Change(key, kind, None, scope, None if was == scope else was)

    def _scope(self, row: Row | None) -> str:
        return self._named(row.project, row.namespace, row.name) if row is not None else ""
