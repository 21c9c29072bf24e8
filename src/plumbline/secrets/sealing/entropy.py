"""The one place of this room that draws secrets: never from the seedable source of `Ids`."""

import secrets
from typing import Final

SESSION_KEY_BYTES: Final = 32
_SERIAL_BITS: Final = 128


def session_key() -> bytes:
    """A key for one value, used once; that is what allows the envelope's constant nonce."""
    return secrets.token_bytes(SESSION_KEY_BYTES)


def serial_number() -> int:
    """The serial number of a certificate, which is positive."""
    return secrets.randbits(_SERIAL_BITS) or 1
