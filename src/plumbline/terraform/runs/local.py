"""Runs beside the controller: in scratch folders of this machine, confined, and ended in good order when we are."""

import asyncio
from collections.abc import Callable
from typing import NamedTuple

from plumbline.base.errors import PlumblineError, TimedOut
from plumbline.base.log import logger
from plumbline.kernel.cache import Key
from plumbline.kernel.tending import Tended
from plumbline.terraform.runs.carrying import Workshop, carried_out
from plumbline.terraform.runs.values import Failure, Going, Order, Report

log = logger(__name__)


class _Begun(NamedTuple):
    going: Going
    task: asyncio.Task[None]


class LocalRuns:
    """`run` keeps them going. A controller that goes away takes its runs with it; their locks say that they were its own."""

    def __init__(self, workshop: Workshop) -> None:
        self._workshop = workshop
        self._begun: dict[Key, _Begun] = {}
        self._over: dict[Key, Report] = {}
        self._tended = Tended()
        self.woken: Callable[[Key], None] = lambda _: None
        """Told of each object whose run is over. It must not wait."""

    async def run(self) -> None:
        await self._tended.run()

    async def of(self, key: Key) -> Going | Report | None:
        begun = self._begun.get(key)
        return begun.going if begun is not None else self._over.get(key)

    async def begin(self, order: Order) -> Going:
        await self._tended.ready()
        going = Going(order.id, order.operation, "this process")
        self._begun[order.key] = _Begun(going, self._tended.begin(lambda: self._carry_out(order)))
        return going

    async def settled(self, key: Key) -> None:
        self._over.pop(key, None)

    async def stop(self, key: Key) -> None:
        begun = self._begun.get(key)
        if begun is not None:
            begun.task.cancel()
            await asyncio.wait([begun.task])

    async def verdict(self, namespace: str, run: str) -> str:
        """Nothing is known of runs of other processes but whether they show that they live."""
        del namespace, run
        return ""

    async def _carry_out(self, order: Order) -> None:
        try:
            self._over[order.key] = await self._reported(order)
        finally:
            self._begun.pop(order.key, None)
            self.woken(order.key)

    async def _reported(self, order: Order) -> Report:
        try:
            return await carried_out(order, self._workshop)
        except PlumblineError as error:
            return Report(order, failure=Failure("init", error))
        except Exception:  # one run that breaks in a new way must not end the others
            log.exception("run crashed", run=order.id)
            unforeseen = TimedOut("The run ended in an unforeseen way", why="the log has the details")
            return Report(order, failure=Failure("apply" if order.operation == "apply" else "plan", unforeseen))
