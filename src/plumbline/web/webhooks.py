"""`POST /api/webhook`: forges tell that somebody pushed, and are answered before anybody looks."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, TypeAlias

from plumbline.base.clock import Clock
from plumbline.base.http.asgi import TooLarge
from plumbline.forge.webhooks import Ignored, Push, Secrets, read
from plumbline.web.bounds import Held, Rate
from plumbline.web.inbox import Inbox, OnPush
from plumbline.web.refusals import problem
from plumbline.web.requests import BODY_S, Request, Response, json
from plumbline.web.routes import Route

PATH: Final = "/api/webhook"
MOST_BYTES: Final = 50 << 20
_HELD_BYTES: Final = 2 * MOST_BYTES
_AT_ONCE: Final = 256
_PER_S, _BURST = 200.0, 1000
_OPEN: Final = Secrets()
_LARGE_BYTES: Final = 64 << 10
"""From here on a payload takes longer to check and read than others may wait."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WebhookSettings:
    secrets: Secrets = _OPEN
    limit_bytes: int = MOST_BYTES
    """`webhook.maxPayloadSizeMB`. More than 50 MB is never read."""


Current: TypeAlias = Callable[[], WebhookSettings]
"""The settings as they are now: they change while the port is open."""


class Webhooks:
    """A part of the web port. Pushes go to *on_push* one after the other, never twice where once will do."""

    def __init__(self, on_push: OnPush, settings: Current, clock: Clock) -> None:
        self._settings = settings
        self._inbox = Inbox(on_push)
        self._held = Held(_HELD_BYTES, _AT_ONCE)
        self._rate = Rate(clock, _PER_S, _BURST)
        self.routes = (Route(PATH, frozenset({"POST"}), self._serve),)

    async def run(self) -> None:
        await self._inbox.run()

    def tell(self, push: Push) -> None:
        """Of a push that we know of without a webhook; Throttled where too many others wait."""
        self._inbox.put(push)

    async def _serve(self, request: Request) -> Response:
        self._rate.take()
        settings = self._settings()
        limit_bytes = min(settings.limit_bytes, MOST_BYTES)
        with self._held.share() as share:
            body = bytearray()
            try:
                async with asyncio.timeout(BODY_S):
                    async for piece in request.pieces(limit_bytes):
                        share.add(len(piece))
                        body += piece
            except TooLarge:
                megabytes = limit_bytes >> 20
                return problem(413, f"Webhook processing failed: payload must be valid JSON under {megabytes} MB")
            return await self._taken(request, body, settings.secrets)

    async def _taken(self, request: Request, body: bytearray, secrets: Secrets) -> Response:
        if len(body) < _LARGE_BYTES:
            said = read(request.headers, body, secrets)
        else:
            said = await asyncio.to_thread(read, request.headers, body, secrets)
        if isinstance(said, Ignored):
            return json(200, {"message": f"Ignored: {said.reason}"})
        for push in said:
            self._inbox.put(push)
        return json(200, {"message": "Accepted"})
