"""An identity that somebody makes for us and that does not last, made anew in time and no more often than helps."""

import asyncio
from collections.abc import Awaitable, Callable
from datetime import datetime
from typing import Final, NamedTuple

from plumbline.base.clock import Clock
from plumbline.base.errors import PlumblineError
from plumbline.kube.client.credentials import Identity

_FAILURE_KEPT_S: Final = 5.0
"""So that a thousand waiting requests do not ask for what has just failed a thousand times."""
_REFUSAL_KEPT_S: Final = 10.0
_PATIENCE_S: Final = 3.0


class Lasting(NamedTuple):
    identity: Identity
    until: datetime | None
    """None where it is good until it is refused."""


class Renewed:
    """What *made* gave last, until it expires or the server refuses it.

    Where *unattended* is given nobody waits long for somebody else's attempt: applications of a cluster whose login hangs would
    keep those of all others waiting. It makes the error, of the reason.
    """

    def __init__(
        self,
        made: Callable[[], Awaitable[Lasting]],
        clock: Clock,
        unattended: Callable[[str], PlumblineError] | None = None,
    ) -> None:
        self._made = made
        self._clock = clock
        self._unattended = unattended
        self._last: Lasting | None = None
        self._made_at_s = 0.0
        self._began_s = 0.0
        self._failed: tuple[PlumblineError, float] | None = None
        self._making = asyncio.Lock()

    def ready(self) -> Identity | None:
        last = self._last
        if last is None or (last.until is not None and self._clock.now() >= last.until):
            return None
        return last.identity

    async def renew(self, refused: Identity | None) -> Identity | None:
        await self._turn()
        try:
            return await self._renewed(refused)
        finally:
            self._making.release()

    async def _turn(self) -> None:
        if self._unattended is None or not self._making.locked():
            await self._making.acquire()
            return
        try:
            async with asyncio.timeout(self._began_s + _PATIENCE_S - self._clock.monotonic()):
                await self._making.acquire()
        except TimeoutError:
            raise self._unattended("it takes long, and others do not wait for it") from None

    async def _renewed(self, refused: Identity | None) -> Identity | None:
        current = self.ready()
        if current is not None and current is not refused:
            return current
        self._began_s = self._clock.monotonic()
        if current is not None and self._began_s < self._made_at_s + _REFUSAL_KEPT_S:
            # Just made and refused: another one for every request would not help.
            if self._unattended is not None:
                raise self._unattended("the server does not take what has just been made for it")
            return None
        self._raise_recent_failure()
        try:
            self._last = await self._made()
        except PlumblineError as error:
            self._failed = error, self._clock.monotonic() + _FAILURE_KEPT_S
            raise
        self._made_at_s = self._clock.monotonic()
        self._failed = None
        return self._last.identity

    def _raise_recent_failure(self) -> None:
        if self._failed and self._clock.monotonic() < self._failed[1]:
            raise self._failed[0].with_traceback(None)
