"""Many writes of one sort: a few at first, more as long as they succeed."""

from collections.abc import Awaitable, Callable
from typing import Final, NamedTuple

from plumbline.base.errors import RequestRefused
from plumbline.base.tasks import task_group

BURST: Final = 500

Attempt = Callable[[int], Awaitable[RequestRefused | None]]
"""Does the write of that index and gives the refusal, if there was one."""


class Batch(NamedTuple):
    done: int
    refused: RequestRefused | None = None


async def slow_start(count: int, attempt: Attempt) -> Batch:
    """One write, then two, then four; nothing more after a round in which one was refused."""
    done, size = 0, 1
    at = 0
    while at < count:
        size = min(size, count - at, BURST)
        outcomes = await all_at_once(range(at, at + size), attempt)
        refused = [outcome for outcome in outcomes if outcome is not None]
        done += size - len(refused)
        if refused:
            return Batch(done, refused[0])
        at += size
        size *= 2
    return Batch(done)


async def all_at_once(indexes: range, attempt: Attempt) -> list[RequestRefused | None]:
    async with task_group() as tasks:
        running = [tasks.create_task(_outcome(attempt, index)) for index in indexes]
    return [task.result() for task in running]


async def _outcome(attempt: Attempt, index: int) -> RequestRefused | None:
    return await attempt(index)
