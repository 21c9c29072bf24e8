"""Links that log in once: printed by `plumb up` for whoever sits at the machine.

A link is a random number and an end, signed with a key that is derived from `server.secretkey`. So every replica can check
it, a restart does not take it away, and whoever may read argocd-secret can make one, which gives them nothing new.
"""

import base64
import binascii
import hashlib
import hmac
import secrets
from datetime import datetime
from typing import Final, NamedTuple

from plumbline.base.errors import Unauthenticated
from plumbline.base.plaintext import Plaintext

LIFE_S: Final = 600
_PURPOSE: Final = b"plumbline login link"
_RANDOM_BYTES, _END_BYTES, _MAC_BYTES = 16, 5, 16
_TOKEN_CHARS: Final = 50


class Link(NamedTuple):
    """One that is genuine and has not ended; whether it was used is known elsewhere, by its id."""

    id: str
    expires_s: int


def issued(key: Plaintext, now: datetime) -> Plaintext:
    """The token of a new link."""
    end_s = int(now.timestamp()) + LIFE_S
    content = secrets.token_bytes(_RANDOM_BYTES) + end_s.to_bytes(_END_BYTES, "big")
    return Plaintext(base64.urlsafe_b64encode(content + _mac(key, content)).rstrip(b"="))


def opened(token: str, key: Plaintext, now: datetime) -> Link:
    """Raises Unauthenticated, and does not say what is wrong with it."""
    refused = Unauthenticated(
        "The login link is not valid",
        why="it was used, is older than ten minutes, or was made by another installation",
        hint="Make another with `plumb open`, or log in with a password.",
    )
    if len(token) != _TOKEN_CHARS:
        raise refused
    try:
        raw = base64.b64decode(token + "==", b"-_", validate=True)
    except (binascii.Error, ValueError):
        raise refused from None
    content, mac = raw[:-_MAC_BYTES], raw[-_MAC_BYTES:]
    end_s = int.from_bytes(content[_RANDOM_BYTES:], "big")
    if not hmac.compare_digest(mac, _mac(key, content)) or end_s <= now.timestamp():
        raise refused
    return Link(content[:_RANDOM_BYTES].hex(), end_s)


def _mac(key: Plaintext, content: bytes) -> bytes:
    derived = hmac.digest(key.reveal(), _PURPOSE, hashlib.sha256)
    return hmac.digest(derived, content, hashlib.sha256)[:_MAC_BYTES]
