"""Group commit: what arrives while a commit is under way goes into the next one, together."""

import asyncio
import contextlib
import copy
from collections import deque
from collections.abc import Awaitable, Callable, Sequence
from typing import Final, NamedTuple

from plumbline.base.errors import LimitExceeded, PlumblineError
from plumbline.journal.chain import Encoded, Row

LARGEST_BATCH: Final = 512
"""Entries per commit: an append waits for at most two commits, and one commit takes some milliseconds."""
GATHER_S: Final = 0.01
"""How long after a commit for several the next one begins: in a rush they are few and large. Whoever comes alone waits for
nobody, nor does who writes one thing after the other."""
LONGEST_GATHER_S: Final = 0.02
_GATHER_EACH_S: Final = 0.003
"""The more came together, the longer the next ones are gathered: a commit costs as much as ten entries."""


class _Ticket(NamedTuple):
    drafts: Sequence[Encoded]
    written: asyncio.Future[Sequence[Row]]


class Writer:
    """One task that commits for all. An append that is cancelled may still be written, never half of it."""

    def __init__(
        self, commit: Callable[[Sequence[Encoded]], Awaitable[Sequence[Row]]], gather_s: float = GATHER_S
    ) -> None:
        self._commit = commit
        self._gather_s = gather_s
        self._waiting: deque[_Ticket] = deque()
        self._wake = asyncio.Event()
        self._closed = False

    def begin(self, drafts: Sequence[Encoded]) -> asyncio.Future[Sequence[Row]]:
        """They come before whatever is begun later, and no later than that."""
        if len(drafts) > LARGEST_BATCH:
            raise LimitExceeded("too many journal entries at once", why=f"{len(drafts)} > {LARGEST_BATCH}")
        if self._closed:
            raise RuntimeError("the journal is closed")
        ticket = _Ticket(drafts, asyncio.get_running_loop().create_future())
        self._waiting.append(ticket)
        self._wake.set()
        return ticket.written

    def close(self) -> None:
        """Take no more, and let `run` end when all is written."""
        self._closed = True
        self._wake.set()

    async def run(self) -> None:
        try:
            while self._waiting or not self._closed:
                if tickets := self._next():
                    await self._write(tickets)
                    if self._gather_s and len(tickets) > 1 and not self._closed:
                        await asyncio.sleep(gathering_s(len(tickets), self._gather_s))
                else:
                    self._wake.clear()
                    await self._wake.wait()
        finally:
            self._closed = True
            for ticket in self._waiting:
                ticket.written.cancel()

    def _next(self) -> list[_Ticket]:
        tickets: list[_Ticket] = []
        room = LARGEST_BATCH
        while self._waiting and len(self._waiting[0].drafts) <= room:
            tickets.append(self._waiting.popleft())
            room -= len(tickets[-1].drafts)
        return tickets

    async def _write(self, tickets: list[_Ticket]) -> None:
        try:
            rows = await self._commit([draft for ticket in tickets for draft in ticket.drafts])
        except PlumblineError as error:
            for ticket in tickets:
                _fail(ticket, error)
        except BaseException:
            for ticket in tickets:
                ticket.written.cancel()
            raise
        else:
            start = 0
            for ticket in tickets:
                end = start + len(ticket.drafts)
                with contextlib.suppress(asyncio.InvalidStateError):  # its caller was cancelled
                    ticket.written.set_result(rows[start:end])
                start = end


def gathering_s(callers: int, least_s: float) -> float:
    """How long the next ones are gathered after a commit for so many callers."""
    return max(least_s, min(callers * _GATHER_EACH_S, LONGEST_GATHER_S))


def _fail(ticket: _Ticket, error: PlumblineError) -> None:
    # A copy each: an exception that several tasks raise collects the tracebacks of all.
    own = copy.copy(error)
    own.__cause__ = error.__cause__
    with contextlib.suppress(asyncio.InvalidStateError):
        ticket.written.set_exception(own)
