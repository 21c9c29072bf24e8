"""Rows that shelves keep, as news for those who may see them. Keys are GROUP/KIND/NAMESPACE/NAME, with `-` for no namespace."""

from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Mapping
from contextlib import AbstractAsyncContextManager, ExitStack, asynccontextmanager
from typing import Final, Generic, TypeAlias, TypeVar

from plumbline.kernel.cache import Key
from plumbline.kube.names import GroupKind, Ref
from plumbline.web.api.ours.marks import Marked, unmarked
from plumbline.web.api.ours.rights import OurRights, Thing
from plumbline.web.api.ours.shelves import Shelf
from plumbline.web.live.rows import RowFeed, Sighting, Touched

_NOWHERE: Final = "-"


R = TypeVar("R", bound=Marked)
Opened: TypeAlias = Mapping[GroupKind, Shelf[R]]


def key_of(ref: Ref) -> str:
    return f"{ref.group}/{ref.kind}/{ref.namespace or _NOWHERE}/{ref.name}"


def place_of(key: str) -> tuple[GroupKind, Key]:
    group, kind, namespace, name = key.split("/", 3)
    return GroupKind(group, kind), ("" if namespace == _NOWHERE else namespace, name)


def sighting(row: Marked, scope: str) -> Sighting:
    return Sighting(unmarked(row), scope, {"state": row.state})


class ShelfNews(Generic[R]):
    """Of kinds that are served when somebody begins to listen."""

    def __init__(
        self, rights: OurRights, open_: Callable[[], Awaitable[Opened[R]]], thing: Callable[[R], Thing]
    ) -> None:
        self._rights, self._open, self._thing = rights, open_, thing
        self._shelves: Opened[R] = {}
        self.feed = RowFeed(self.watching, self.look)

    def watching(self, touched: Touched) -> AbstractAsyncContextManager[Iterable[str]]:
        return self._watching(touched)

    def look(self, key: str) -> Sighting | None:
        kind, place = place_of(key)
        shelf = self._shelves.get(kind)
        row = shelf.row(place) if shelf is not None else None
        return sighting(row, self._rights.scope(self._thing(row))) if row is not None else None

    @asynccontextmanager
    async def _watching(self, touched: Touched) -> AsyncIterator[Iterable[str]]:
        await self._rights.ready()
        self._shelves = await self._open()

        def follow(was: R | None, now: R | None) -> None:
            row = now or was
            if row is not None:
                touched(key_of(row.ref))

        with ExitStack() as stack:
            for shelf in self._shelves.values():
                stack.callback(shelf.follow(follow))
            yield [key_of(row.ref) for shelf in self._shelves.values() for row in shelf.rows()]
