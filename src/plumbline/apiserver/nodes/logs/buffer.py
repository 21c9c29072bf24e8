"""What one container wrote: its last lines, within a bound, and whoever waits for more."""

import asyncio
from collections import deque
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Final, NamedTuple

from plumbline.apiserver.nodes.moments import moment_of, precise_stamp

LARGEST_BYTES: Final = 256 << 10
_MOST_REPEATS: Final = 500
"""How many repetitions are made up for those who were not looking."""


class Line(NamedTuple):
    at_s: float
    text: str

    def encoded(self, *, timestamps: bool) -> bytes:
        if not timestamps:
            return f"{self.text}\n".encode()
        return f"{precise_stamp(moment_of(self.at_s))[:-1]}000Z {self.text}\n".encode()


class LogBuffer:
    """Lines that are due some day cost nothing until somebody reads: they are made up to the moment of reading."""

    def __init__(
        self,
        started_s: float,
        *,
        every_s: float | None = None,
        repeated: Sequence[str] = (),
        later: Sequence[Line] = (),
    ) -> None:
        self._lines: deque[Line] = deque()
        self._bytes = 0
        self._written = 0
        """How many lines there ever were."""
        self._started_s = started_s
        self._every_s = every_s if repeated else None
        self._repeated = tuple(repeated)
        self._repeats = 0
        self._later = deque(later)
        """Those that are written once, in the order of their moments."""
        self._changed = asyncio.Event()
        self.closed = False

    def write(self, at_s: float, text: str) -> None:
        text = text[:LARGEST_BYTES]
        self._lines.append(Line(at_s, text))
        self._bytes += len(text)
        self._written += 1
        while self._bytes > LARGEST_BYTES:
            self._bytes -= len(self._lines.popleft().text)
        self._wake()

    def close(self, at_s: float) -> None:
        """Nothing more will be written."""
        self.catch_up(at_s)
        self.closed = True
        self._wake()

    def catch_up(self, now_s: float) -> None:
        if self.closed:
            return
        for line in sorted((*self._arrived(now_s), *self._repetitions(now_s)), key=lambda each: each.at_s):
            self.write(*line)

    def _arrived(self, now_s: float) -> Iterator[Line]:
        while self._later and self._later[0].at_s <= now_s:
            yield self._later.popleft()

    def _repetitions(self, now_s: float) -> Iterator[Line]:
        if self._every_s is None:
            return
        due = int((now_s - self._started_s) // self._every_s)
        for turn in range(max(self._repeats + 1, due - _MOST_REPEATS + 1), due + 1):
            for text in self._repeated:
                yield Line(self._started_s + turn * self._every_s, text)
        self._repeats = max(self._repeats, due)

    def lines(self, after: int = 0) -> Iterator[Line]:
        """Those that are still there of all that were written after the first *after*."""
        dropped = self._written - len(self._lines)
        return islice(self._lines, max(after - dropped, 0), None)

    @property
    def written(self) -> int:
        return self._written

    async def more(self, after: int, now_s: float) -> None:
        """Wait until there are lines after the first *after*, one is due, or the container is over."""
        if self._written > after or self.closed:
            return
        due_s = [line.at_s for line in islice(self._later, 1)]
        if self._every_s is not None:
            due_s.append(self._started_s + (self._repeats + 1) * self._every_s)
        wait_s = max(min(due_s) - now_s, 0.0) if due_s else None
        try:
            async with asyncio.timeout(wait_s):
                await self._changed.wait()
        except TimeoutError:
            return

    def _wake(self) -> None:
        changed, self._changed = self._changed, asyncio.Event()
        changed.set()
