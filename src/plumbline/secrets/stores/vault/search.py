"""Everything below a path: listed folder by folder, bounded, and a few requests at a time."""

import asyncio
from collections.abc import Awaitable, Callable, Iterable
from typing import Final, TypeVar

from plumbline.base.errors import LimitExceeded, NotFound, PlumblineError
from plumbline.base.tasks import task_group

_AT_ONCE: Final = 8
_MOST_FOLDERS: Final = 1_000
_MOST_NAMES: Final = 10_000
MOST_FOUND: Final = 1_000

T = TypeVar("T")
R = TypeVar("R")


async def names_below(folder: str, listed: Callable[[str], Awaitable[tuple[str, ...]]]) -> list[str]:
    """Names of all secrets, each beginning with *folder*. Raises NotFound if there is nothing at all.

    A folder below that is gone when its turn comes had been deleted in between.
    """
    level, folders, found = {folder: await listed(folder)}, 1, list[str]()
    while level:
        names = [above + name for above, inside in level.items() for name in inside if name]
        found += (name for name in names if not name.endswith("/"))
        further = [name for name in names if name.endswith("/")]
        folders += len(further)
        if folders > _MOST_FOLDERS or len(found) > _MOST_NAMES:
            raise LimitExceeded(
                "The secrets cannot be listed",
                why=f"there are more than {_MOST_FOLDERS:,} folders or {_MOST_NAMES:,} secrets below the path",
                hint="Search below a longer path.",
            )
        level = dict(zip(further, await in_turns(further, _tolerant(listed)), strict=True))
    return sorted(found)


def _tolerant(listed: Callable[[str], Awaitable[tuple[str, ...]]]) -> Callable[[str], Awaitable[tuple[str, ...]]]:
    async def inner(folder: str) -> tuple[str, ...]:
        try:
            return await listed(folder)
        except NotFound:
            return ()

    return inner


async def in_turns(items: Iterable[T], work: Callable[[T], Awaitable[R]]) -> list[R]:
    """What *work* gives for each, in their order, a few at a time. The first that fails ends all."""
    turn = asyncio.Semaphore(_AT_ONCE)

    async def taken(item: T) -> R:
        async with turn:
            return await work(item)

    try:
        async with task_group() as group:
            tasks = [group.create_task(taken(each)) for each in items]
    except BaseExceptionGroup as broken:
        first = broken.exceptions[0]
        if isinstance(first, PlumblineError):
            raise first from None
        raise
    return [task.result() for task in tasks]
