"""Work that blocks, or takes long, done where the event loop does not wait for it."""

import asyncio
from collections.abc import Callable
from typing import Protocol, TypeVar

T = TypeVar("T")


class Aside(Protocol):
    """Does work that blocks where nobody waits for it. Tests in virtual time, which know no threads, do it in place."""

    async def __call__(self, work: Callable[[], T], /) -> T: ...


async def in_a_thread(work: Callable[[], T], /) -> T:
    return await asyncio.to_thread(work)
