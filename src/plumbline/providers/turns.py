"""One at a time for each key: who takes long keeps nobody waiting but those who want the same."""

import asyncio
from collections.abc import Hashable
from weakref import WeakValueDictionary


class Turns:
    """`async with turns.of(key):`. A lock lasts for as long as somebody holds it or waits for it."""

    def __init__(self) -> None:
        self._locks: WeakValueDictionary[Hashable, asyncio.Lock] = WeakValueDictionary()

    def of(self, key: Hashable) -> asyncio.Lock:
        lock = self._locks.get(key)
        if lock is None:
            lock = self._locks[key] = asyncio.Lock()
        return lock
