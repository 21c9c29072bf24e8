"""News of things that are shown as rows: told when what people see of one is another, and to those who may see it."""

from collections.abc import AsyncIterator, Callable, Iterable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import NamedTuple, TypeAlias

from plumbline.base.json import Json
from plumbline.web.live.changes import Change, Kind, Tell

Touched: TypeAlias = Callable[[str], None]
"""Something of what is under this key may be another. It does not wait."""
Watch: TypeAlias = Callable[[Touched], AbstractAsyncContextManager[Iterable[str]]]
"""While it is entered it says what is touched; entering gives the keys that there are already, without a pause between."""


class Sighting(NamedTuple):
    """One thing as it is now."""

    shown: object
    """Equal for two that nobody can tell apart."""
    scope: str
    payload: Json = None


Look: TypeAlias = Callable[[str], Sighting | None]
"""What is under a key now; None where there is nothing."""


class RowFeed:
    """However often something is touched, one change of what is shown is told once."""

    def __init__(self, watch: Watch, look: Look) -> None:
        self._watch = watch
        self._look = look

    def following(self, topic: str, tell: Tell) -> AbstractAsyncContextManager[None]:
        return self._following(topic, tell)

    @asynccontextmanager
    async def _following(self, _: str, tell: Tell) -> AsyncIterator[None]:
        known: dict[str, Sighting] = {}

        def touched(key: str) -> None:
            before, now = known.pop(key, None), self._look(key)
            if now is not None:
                known[key] = now
            if now is not None and (before is None or before[:2] != now[:2]):
                moved = before is not None and before.scope != now.scope
                kind = Kind.ADDED if before is None else Kind.MODIFIED
                tell(Change(key, kind, now.payload, now.scope, before.scope if before and moved else None))
            elif now is None and before is not None:
                tell(Change(key, Kind.DELETED, None, before.scope))

        async with self._watch(touched) as keys:
            known |= {key: now for key in keys if (now := self._look(key)) is not None}
            yield
