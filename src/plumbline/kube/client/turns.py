"""How many requests may be under way at once; waiting is first come, first served, and free while there is room."""

import asyncio
from collections import deque


class Turns:
    __slots__ = ("_free", "_waiting")

    def __init__(self, most: int) -> None:
        self._free = most
        self._waiting: deque[asyncio.Future[None]] = deque()

    def take(self) -> bool:
        """Take a turn if one is free and nobody waits for it."""
        if self._free > 0:
            self._free -= 1
            return True
        return False

    async def wait(self) -> None:
        """Take a turn as soon as there is one."""
        turn: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiting.append(turn)
        try:
            await turn
        except asyncio.CancelledError:
            # It may have been given in the same moment: pass it on.
            if turn.done() and not turn.cancelled():
                self.give_back()
            raise

    def give_back(self) -> None:
        while self._waiting:
            turn = self._waiting.popleft()
            if not turn.done():
                turn.set_result(None)
                return
        self._free += 1
