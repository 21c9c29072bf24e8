"""Connections that are free, each until it is used again or has been idle for too long."""

import asyncio
from typing import Final

from plumbline.kube.client.wire import Wire

_KEEP_ALIVE_S: Final = 30.0  # well below the 90 s after which API servers hang up: who closes first must be us


class Pool:
    def __init__(self) -> None:
        self._free: list[Wire] = []
        self._sweeping: asyncio.TimerHandle | None = None

    def take(self) -> Wire | None:
        """The one that was used last, so that those that are not needed grow old."""
        oldest_s = asyncio.get_running_loop().time() - _KEEP_ALIVE_S
        while self._free:
            wire = self._free.pop()
            if wire.usable and wire.free_since_s > oldest_s:
                return wire
            wire.abort()
        return None

    def give_back(self, wire: Wire) -> None:
        if not wire.usable:
            wire.abort()
            return
        loop = asyncio.get_running_loop()
        wire.free_since_s = loop.time()
        self._free.append(wire)
        if self._sweeping is None:
            self._sweeping = loop.call_later(_KEEP_ALIVE_S, self._sweep, loop)

    def clear(self) -> None:
        while self._free:
            self._free.pop().abort()
        if self._sweeping is not None:
            self._sweeping.cancel()
            self._sweeping = None

    def _sweep(self, loop: asyncio.AbstractEventLoop) -> None:
        oldest_s = loop.time() - _KEEP_ALIVE_S
        old = [wire for wire in self._free if wire.free_since_s <= oldest_s or not wire.usable]
        self._free = [wire for wire in self._free if wire not in old]
        for wire in old:
            wire.abort()
        next_s = self._free[0].free_since_s + _KEEP_ALIVE_S if self._free else None
        self._sweeping = loop.call_at(next_s, self._sweep, loop) if next_s is not None else None
