"""Pushes that somebody has still to look at. However often a push is told, it is looked at once more at most."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Final, TypeAlias

from plumbline.base.errors import Throttled
from plumbline.base.log import logger
from plumbline.forge.webhooks import Push, merged

OnPush: TypeAlias = Callable[[Push], Awaitable[None]]

MOST: Final = 1000
_RETRY_S: Final = 5.0

_log = logger("web.inbox")


class Inbox:
    """Hands pushes on one by one, in the order of their repositories and refs; those of one ref that wait become one."""

    def __init__(self, on_push: OnPush, most: int = MOST) -> None:
        self._on_push = on_push
        self._most = most
        self._waiting: dict[tuple[tuple[str, ...], str], Push] = {}
        self._came = asyncio.Event()

    def put(self, push: Push) -> None:
        """Throttled where too many others wait."""
        key = push.urls, push.ref
        earlier = self._waiting.get(key)
        if earlier is None and len(self._waiting) >= self._most:
            raise Throttled("The push is not taken", after_s=_RETRY_S, why=f"{self._most} others wait")
        self._waiting[key] = merged(earlier, push) if earlier else push
        self._came.set()

    async def run(self) -> None:
        while True:
            await self._came.wait()
            self._came.clear()
            while self._waiting:
                push = self._waiting.pop(next(iter(self._waiting)))
                try:
                    await self._on_push(push)
                except Exception:  # noqa: BLE001 - the next push is as important as this one
                    _log.exception("push lost", ref=push.ref)
