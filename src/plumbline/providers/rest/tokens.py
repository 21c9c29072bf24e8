"""Access tokens: one that is kept fresh for all who call as the same account."""

import asyncio
import base64
from collections.abc import Awaitable, Callable
from typing import Final, Protocol

import msgspec

from plumbline.base.clock import Clock
from plumbline.base.errors import InvalidInput
from plumbline.base.plaintext import Plaintext
from plumbline.base.redaction import known
from plumbline.kube.client.credentials import Credentials, Identity
from plumbline.kube.client.transport import Transport

_EARLY_S: Final = 300.0
"""How long before its end a token is replaced."""
_REFUSED_KEPT_S: Final = 30.0

Connect = Callable[[str, Credentials | None], Transport]
"""A connection to an address, with or without credentials."""


class Token(msgspec.Struct, frozen=True):
    value: Plaintext
    lasts_s: float


class Source(Protocol):
    async def token(self) -> Token:
        """A new one. Raises Unauthenticated where the vendor gives none."""


class ReadAnew:
    """What is in a file, looked at again for each token: somebody may have replaced it."""

    def __init__(self, read: Callable[[], Awaitable[Source]]) -> None:
        self._read = read

    async def token(self) -> Token:
        return await (await self._read()).token()


class Bearer:
    """The token that is used now. Whoever comes while it is renewed waits for the same one."""

    def __init__(self, source: Source, clock: Clock) -> None:
        self._source = source
        self._clock = clock
        self._identity: Identity | None = None
        self._until_s = 0.0
        self._made_at_s = 0.0
        self._renewing = asyncio.Lock()

    def ready(self) -> Identity | None:
        return self._identity if self._clock.monotonic() < self._until_s else None

    async def renew(self, refused: Identity | None) -> Identity | None:
        async with self._renewing:
            current = self.ready()
            if current is not None and current is not refused:
                return current
            now = self._clock.monotonic()
            if current is not None and now < self._made_at_s + _REFUSED_KEPT_S:
                # Fresh and refused: it is not the token's age that the vendor minds.
                return None
            token = await self._source.token()
            known.add(token.value)
            self._identity = Identity((("Authorization", f"Bearer {_printable(token.value)}"),))
            self._made_at_s = now
            self._until_s = now + max(token.lasts_s - _EARLY_S, token.lasts_s / 2)
            return self._identity


def _printable(token: Plaintext) -> str:
    text = token.reveal().decode("latin-1").strip()
    if not (text and text.isascii() and text.isprintable()):
        raise InvalidInput(
            "The access token cannot be used", why="it is empty or has characters that no header may have"
        )
    return text


def segment(raw: bytes) -> bytes:
    """A part of a JSON Web Token."""
    return base64.urlsafe_b64encode(raw).rstrip(b"=")
