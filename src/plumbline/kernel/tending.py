"""Work that is begun while other work goes on, and all of which ends together."""

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any

from plumbline.base.tasks import task_group


class Tended:
    """`run` keeps it going; `begin` begins more of it, or waits until somebody runs this."""

    def __init__(self) -> None:
        self._group: asyncio.TaskGroup | None = None
        self._running = asyncio.Event()

    async def run(self) -> None:
        async with task_group() as group:
            self._group = group
            self._running.set()
            try:
                await asyncio.Event().wait()
            finally:
                self._running.clear()  # whoever asks now is about to end too

    async def ready(self) -> None:
        await self._running.wait()

    def begin(self, work: Callable[[], Coroutine[Any, Any, None]]) -> asyncio.Task[None]:
        """Only once it is `ready`."""
        assert self._group is not None  # noqa: S101 - it is ready
        return self._group.create_task(work())
