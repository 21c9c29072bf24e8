"""Controllers that come and go while others run: one for each kind that somebody defines."""

import asyncio
from typing import NamedTuple

from plumbline.kernel.controller import Controller
from plumbline.kernel.tending import Tended


class _Sailing(NamedTuple):
    controller: Controller
    task: asyncio.Task[None]


class Fleet:
    """`run` keeps them going; `launch` begins one, `recall` lets one finish what is under way and ends it."""

    def __init__(self) -> None:
        self._sailing: dict[str, _Sailing] = {}
        self._tended = Tended()

    async def run(self) -> None:
        await self._tended.run()

    async def launch(self, name: str, controller: Controller, workers: int) -> None:
        await self._tended.ready()
        self._sailing[name] = _Sailing(controller, self._tended.begin(lambda: controller.run(workers)))

    def get(self, name: str) -> Controller | None:
        known = self._sailing.get(name)
        return known.controller if known is not None else None

    async def recall(self, name: str) -> None:
        known = self._sailing.pop(name, None)
        if known is not None:
            known.controller.drain()
            await known.task
