"""What an Authorization header says."""

import base64
import binascii
from typing import NamedTuple

from plumbline.base.plaintext import Plaintext


class Basic(NamedTuple):
    username: str
    password: Plaintext


def basic(header: str) -> Basic | None:
    """User and password, if the header holds such."""
    scheme, _, encoded = header.partition(" ")
    if scheme.lower() != "basic":
        return None
    try:
        text = base64.b64decode(encoded.strip(), validate=True).decode()
    except (binascii.Error, ValueError):
        return None
    username, colon, password = text.partition(":")
    return Basic(username, Plaintext(password)) if colon else None


def bearer(header: str) -> Plaintext | None:
    """The token, if the header holds one."""
    scheme, _, token = header.partition(" ")
    return Plaintext(token.strip()) if scheme.lower() == "bearer" and token.strip() else None
