"""Several streams of lines as one, in the order of their times as far as that can be told without waiting for ever.

Each stream is read no further than a little ahead of what was taken: whoever reads slowly slows down the pods' logs, not
this process.
"""

import asyncio
import heapq
from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing
from typing import Final

from plumbline.base.errors import PlumblineError
from plumbline.base.tasks import task_group
from plumbline.web.api.resources.logs.entries import Entry

PATIENCE_S: Final = 0.1
"""How long a stream that has nothing to say just now holds up the others."""
_AHEAD: Final = 128
_BATCH: Final = 256

Lines = AsyncGenerator[Entry, None]


class Merger:
    """`batches` gives what there is, and an empty batch where nothing was said for *idle_s*."""

    def __init__(self, streams: Sequence[Lines], idle_s: float) -> None:
        self._streams = streams
        self._idle_s = idle_s
        self._queues: list[asyncio.Queue[Entry | None]] = [asyncio.Queue(_AHEAD) for _ in streams]
        self._news = asyncio.Event()
        self._heads: list[tuple[str, int, int, Entry]] = []
        self._silent = set(range(len(streams)))
        """Streams of which no line waits."""
        self._count = 0

    async def batches(self) -> AsyncGenerator[list[Entry], None]:
        async with task_group() as group:
            pumps = [group.create_task(self._pump(at)) for at in range(len(self._streams))]
            try:
                while self._heads or self._silent:
                    self._news.clear()
                    batch = self._taken(patient=True)
                    if not batch and not self._silent and not self._heads:
                        break
                    if not batch and not await self._heard():
                        batch = self._taken(patient=False)
                    try:
                        yield batch
                    except GeneratorExit:
                        break  # a group of tasks would take it for a failure of its own
            finally:
                for each in pumps:
                    each.cancel()

    async def _heard(self) -> bool:
        """Whether something came before patience ended: with lines at hand it is short."""
        try:
            async with asyncio.timeout(PATIENCE_S if self._heads else self._idle_s):
                await self._news.wait()
        except TimeoutError:
            return False
        return True

    def _taken(self, *, patient: bool) -> list[Entry]:
        """Lines in order, for as long as every stream has said what comes next from it, or nobody waits for that."""
        batch: list[Entry] = []
        self._refill()
        while self._heads and len(batch) < _BATCH and not (patient and self._silent):
            _, _, at, entry = heapq.heappop(self._heads)
            batch.append(entry)
            self._silent.add(at)
            self._refill()
        return batch

    def _refill(self) -> None:
        for at in sorted(self._silent):
            queue = self._queues[at]
            if queue.empty():
                continue
            entry = queue.get_nowait()
            self._silent.discard(at)
            if entry is not None:
                self._count += 1
                heapq.heappush(self._heads, (entry.order, self._count, at, entry))

    async def _pump(self, at: int) -> None:
        try:
            async with aclosing(self._streams[at]) as lines:
                async for entry in lines:
                    await self._queues[at].put(entry)
                    self._news.set()
        except PlumblineError as error:
            # A pod that has nothing to say yet says why, and keeps nobody else from speaking.
            await self._queues[at].put(Entry("", "", str(error)))
        await self._queues[at].put(None)
        self._news.set()
