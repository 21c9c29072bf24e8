"""Controllers that come and go while others run: one for each kind that somebody defines."""

import asyncio
from typing import NamedTuple

from plumbline.kernel.controller import Controller


class _Sailing(NamedTuple):
    controller: Controller
    task: asyncio.Task[None]


class Fleet:
    """`run` keeps them going; `launch` begins one, `recall` lets one finish what is under way and ends it."""

    def __init__(self) -> None:
        self._sailing: dict[str, _Sailing] = {}
        self._group: asyncio.TaskGroup | None = None
        self._running = asyncio.Event()

    async def run(self) -> None:
        async with asyncio.TaskGroup() as group:
            self._group = group
            self._running.set()
            try:
                await asyncio.Event().wait()
            finally:
                self._running.clear()  # whoever asks now is about to end too

    async def launch(self, name: str, controller: Controller, workers: int) -> None:
        await self._running.wait()
        assert self._group is not None  # noqa: S101 - it runs
        self._sailing[name] = _Sailing(controller, self._group.create_task(controller.run(workers)))

    def get(self, name: str) -> Controller | None:
        known = self._sailing.get(name)
        return known.controller if known is not None else None

    async def recall(self, name: str) -> None:
        known = self._sailing.pop(name, None)
        if known is not None:
            known.controller.drain()
            await known.task
