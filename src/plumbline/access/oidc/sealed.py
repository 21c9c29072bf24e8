"""What a browser keeps for us and can neither read nor change: AES-GCM with a key that is derived from `server.secretkey`."""

import base64
import binascii
import hashlib
import hmac
import secrets
from typing import TYPE_CHECKING, Final

from plumbline.base.plaintext import Plaintext

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.ciphers.aead import AESGCM

_NONCE_BYTES: Final = 12
_MOST_CHARS: Final = 8192


def closed(content: bytes, key: Plaintext, purpose: bytes) -> str:
    """*purpose* keeps apart what is kept for different reasons."""
    nonce = secrets.token_bytes(_NONCE_BYTES)
    return base64.urlsafe_b64encode(nonce + _cipher(key, purpose).encrypt(nonce, content, purpose)).decode()


def opened(kept: str, key: Plaintext, purpose: bytes) -> bytes | None:
    """None for what we have not closed."""
    from cryptography.exceptions import InvalidTag  # noqa: PLC0415 - most installations have no single sign-on

    if len(kept) > _MOST_CHARS:
        return None
    try:
        raw = base64.b64decode(kept, b"-_", validate=True)
        return _cipher(key, purpose).decrypt(raw[:_NONCE_BYTES], raw[_NONCE_BYTES:], purpose)
    except (InvalidTag, binascii.Error, ValueError):
        return None


def _cipher(key: Plaintext, purpose: bytes) -> "AESGCM":
    from cryptography.hazmat.primitives.ciphers.aead import AESGCM  # noqa: PLC0415 - most installations need none

    return AESGCM(hmac.digest(key.reveal(), purpose, hashlib.sha256))
