"""What a token says about itself, for messages: nobody here can check it."""

import base64
import binascii

from plumbline.base.json import decode


def subject(token: str) -> str:
    """The account that a token says it is of; empty where it says nothing."""
    parts = token.split(".")
    try:
        claims = decode(base64.urlsafe_b64decode(parts[1] + "=" * (-len(parts[1]) % 4)))
    except (IndexError, binascii.Error, ValueError):
        return ""
    return str(claims.get("sub") or "").partition(":")[0] if isinstance(claims, dict) else ""
