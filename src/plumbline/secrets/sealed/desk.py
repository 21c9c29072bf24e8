"""What strangers may ask of the keys: the certificate, whether something opens, and the same sealed with the newest key."""

import asyncio
from typing import Final

import msgspec

from plumbline.base.aside import Aside, in_a_thread
from plumbline.base.errors import InvalidInput
from plumbline.base.json import JsonObject, decode, encode
from plumbline.secrets.sealed.keys import Keys
from plumbline.secrets.sealing import Keyring, renewed, resealed, verified

_KIND: Final = ("bitnami.com/v1alpha1", "SealedSecret")
_AT_ONCE: Final = 2
"""Whoever asks gets RSA operations for nothing: they share two threads at most."""


class Desk:
    """Nothing that it answers tells more than yes, no, or a sealed object: see `sealing` for what is never done here."""

    def __init__(self, keys: Keys, aside: Aside = in_a_thread) -> None:
        self._keys = keys
        self._aside = aside
        self._busy = asyncio.Semaphore(_AT_ONCE)

    async def certificate(self) -> bytes:
        return (await self._keys.ready()).newest.certificate_pem

    async def verified(self, body: bytes) -> None:
        """Raises Undecryptable or InvalidInput."""
        sealed, ring = await self._asked(body)
        async with self._busy:
            await self._aside(lambda: verified(sealed, ring))

    async def resealed(self, body: bytes, *, keep: bool = False) -> bytes:
        """With *keep*, what the newest key sealed already stays as it is, and so does all else that is not sealed."""
        sealed, ring = await self._asked(body)
        again = renewed if keep else resealed
        async with self._busy:
            return encode(await self._aside(lambda: again(sealed, ring)))

    async def _asked(self, body: bytes) -> tuple[JsonObject, Keyring]:
        try:
            sealed = decode(body)
        except msgspec.DecodeError:
            raise InvalidInput("not JSON", hint="Send one SealedSecret, as JSON.") from None
        if not isinstance(sealed, dict) or (sealed.get("apiVersion"), sealed.get("kind")) != _KIND:
            raise InvalidInput("not a SealedSecret", hint="Send one SealedSecret, as JSON.")
        return sealed, await self._keys.ready()
