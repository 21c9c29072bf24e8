"""Workers in the place of those whose look waits for somebody outside: who hangs keeps nobody else waiting."""

import asyncio
from collections.abc import Callable, Coroutine, Iterator
from contextlib import contextmanager
from typing import Any, Final

PATIENCE_S: Final = 1.0
"""Most answers come sooner, and are worth no more workers."""
MOST: Final = 128
"""Looks that wait at a time; beyond, each holds its worker. Behind each may be a process and a connection."""

Work = Callable[[Callable[[], bool]], Coroutine[Any, Any, None]]
"""Works until what it is given says, between two keys, that it is no longer needed."""


class StandIns:
    def __init__(self, group: asyncio.TaskGroup, work: Work) -> None:
        self._group = group
        self._work = work
        self._waiting = 0
        """Looks that wait, and have somebody in their place."""
        self._standing = 0

    @contextmanager
    def waiting(self, patience_s: float = PATIENCE_S) -> Iterator[None]:
        """Around what may take long without being our own work: after *patience_s* somebody else works meanwhile."""
        replaced = False

        def replace() -> None:
            nonlocal replaced
            if self._waiting < MOST:
                replaced = True
                self._waiting += 1
                self._stand_in()

        timer = asyncio.get_running_loop().call_later(patience_s, replace)
        try:
            yield
        finally:
            timer.cancel()
            if replaced:
                self._waiting -= 1

    def _stand_in(self) -> None:
        if self._standing < self._waiting:  # one that is about to go may as well stay
            self._standing += 1
            self._group.create_task(self._work(self._over))

    def _over(self) -> bool:
        if self._standing <= self._waiting:
            return False
        self._standing -= 1
        return True
