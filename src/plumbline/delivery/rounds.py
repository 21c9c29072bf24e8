"""Applications looked at with fresh eyes now and then, though nothing says that anything has changed.

What a look found is kept until something that it rests on changes. Whatever of that goes unnoticed is noticed within a round.
Turns follow from names and from the time of day: a round is even, and goes on where it was after a restart.
"""

import zlib
from collections.abc import Callable, Iterable, Iterator
from typing import Final

from plumbline.base.clock import Clock
from plumbline.kernel.cache import Key

COMPARED_S: Final = 6 * 3600.0
"""How long a comparison is believed at most. A thousand applications are three looks a minute, and no writes."""
_TURN_S: Final = 60.0


class Rounds:
    """*again* is called for each of *keys* once in *every_s*, which is asked with every turn; zero is never."""

    def __init__(
        self,
        clock: Clock,
        keys: Callable[[], Iterable[Key]],
        every_s: Callable[[], float],
        again: Callable[[Key], None],
    ) -> None:
        self._clock = clock
        self._keys = keys
        self._every_s = every_s
        self._again = again

    async def run(self) -> None:
        last = self._turn()
        while True:
            await self._clock.sleep(_TURN_S)
            last, before = self._turn(), last
            every_s = self._every_s()
            if every_s > 0:
                for key in sorted(due(self._keys(), before, last, max(1, round(every_s / _TURN_S)))):
                    self._again(key)

    def _turn(self) -> int:
        return int(self._clock.now().timestamp() // _TURN_S)


def due(keys: Iterable[Key], before: int, turn: int, turns: int) -> Iterator[Key]:
    """Those whose turn came after *before* and not after *turn*, of so many in a round."""
    passed = {each % turns for each in range(max(before, turn - turns) + 1, turn + 1)}
    return (key for key in keys if zlib.crc32("/".join(key).encode()) % turns in passed)
