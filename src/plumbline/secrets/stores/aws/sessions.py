"""Roles that were taken are kept until shortly before they end: a thousand refreshes are one call to STS.

A session is known by everything that it was asked for with: whoever shows other credentials, or another account, gets another one.
What AWS no longer takes is dropped at once, and so is what a store had that is gone.
"""

import asyncio
from collections.abc import Awaitable, Callable
from datetime import datetime, timedelta
from typing import Any, Final, NamedTuple, TypeAlias

from plumbline.base.clock import Clock
from plumbline.secrets.stores.vault.digest import Digest

_MARGIN: Final = timedelta(minutes=5)
_MOST: Final = 4096

Owner: TypeAlias = tuple[str, ...]
"""Kind, namespace and name of a store."""


class _Kept(NamedTuple):
    session: Any
    until: datetime


class Sessions:
    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._kept: dict[tuple[Owner, bytes], _Kept] = {}
        self._turns: dict[tuple[Owner, bytes], asyncio.Lock] = {}
        self.digest = Digest()

    async def taken(self, owner: Owner, told: bytes, take: Callable[[], Awaitable[tuple[Any, datetime | None]]]) -> Any:
        """The session for *told*, which is a digest of all that decides; *take* asks for one, and says when it ends."""
        key = owner, told
        lock = self._turns.setdefault(key, asyncio.Lock())
        try:
            async with lock:
                kept = self._kept.get(key)
                if kept is not None and kept.until > self._clock.now():
                    return kept.session
                session, ends = await take()
                if ends is not None:
                    self._keep(key, _Kept(session, ends - _MARGIN))
                return session
        finally:
            if not lock.locked():
                self._turns.pop(key, None)

    def drop(self, session: Any) -> None:
        """AWS does not take it any more."""
        self._kept = {key: kept for key, kept in self._kept.items() if kept.session is not session}

    def forget(self, owner: Owner) -> None:
        self._kept = {key: kept for key, kept in self._kept.items() if key[0] != owner}

    def _keep(self, key: tuple[Owner, bytes], kept: _Kept) -> None:
        now = self._clock.now()
        self._kept = {each: held for each, held in self._kept.items() if held.until > now}
        if len(self._kept) < _MOST and kept.until > now:
            self._kept[key] = kept
