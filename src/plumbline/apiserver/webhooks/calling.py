"""Calls to webhooks: where they go, whom to trust there, and how long to wait."""

import asyncio
import ssl
from functools import lru_cache
from typing import TYPE_CHECKING, Final

from plumbline.apiserver.webhooks.addresses import LocalAddresses
from plumbline.apiserver.webhooks.answers import Reply, answer_of
from plumbline.apiserver.webhooks.hooks import ClientConfig
from plumbline.apiserver.webhooks.resolving import FindService, Target, target
from plumbline.base.clock import Clock
from plumbline.base.errors import WebhookFailed
from plumbline.base.json import JsonObject, encode
from plumbline.kube.gotext import quoted

if TYPE_CHECKING:
    from plumbline.apiserver.webhooks.posting import Poster

_RETRIES: Final = 10


class HookCaller:
    """Connections are opened when first needed; `close` ends them."""

    def __init__(self, clock: Clock, addresses: LocalAddresses, find_service: FindService) -> None:
        self._clock = clock
        self._addresses = addresses
        self._find_service = find_service
        self._poster: Poster | None = None

    async def close(self) -> None:
        if self._poster is not None:
            await self._poster.close()
            self._poster = None

    async def ask(self, client: ClientConfig, review: JsonObject, timeout_s: int) -> JsonObject:
        """The answer to *review*, which is a review too; raises WebhookFailed with the reason."""
        tls = _trust(client.ca_bundle)
        try:
            where = target(client, self._addresses, self._find_service, f"?timeout={timeout_s}s")
            reply = await self._reply(where, tls, encode(review) + b"\n", timeout_s)
            return answer_of(reply, review)
        except WebhookFailed as failed:
            raise WebhookFailed(f"failed to call webhook: {failed.what}") from None

    async def _reply(self, where: Target, tls: ssl.SSLContext, body: bytes, timeout_s: int) -> Reply:
        poster = self._poster or self._open()
        try:
            async with asyncio.timeout(timeout_s):
                for _ in range(_RETRIES):
                    reply = await poster.post(where, tls, body)
                    if reply.retry_after_s is None:
                        break
                    await self._clock.sleep(reply.retry_after_s)
                return reply
        except TimeoutError:
            raise WebhookFailed(f"Post {quoted(where.shown)}: context deadline exceeded") from None

    def _open(self) -> "Poster":
        from plumbline.apiserver.webhooks.posting import Poster  # noqa: PLC0415 - most planes never call anybody

        self._poster = Poster()
        return self._poster


@lru_cache(maxsize=200)
def _trust(ca_bundle: bytes) -> ssl.SSLContext:
    """Cached: reading this machine's authorities takes longer than a call."""
    made = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    made.minimum_version = ssl.TLSVersion.TLSv1_2
    made.set_alpn_protocols(["http/1.1"])
    if not ca_bundle.strip():
        made.load_default_certs()
        return made
    try:
        made.load_verify_locations(cadata=ca_bundle.decode("ascii"))
    except (ssl.SSLError, ValueError):
        why = "unable to load root certificates: unable to parse bytes as PEM block"
        raise WebhookFailed(f"could not get REST client: {why}") from None
    return made
