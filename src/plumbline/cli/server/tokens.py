"""What a token says about itself, for messages: nobody here can check it."""

import base64
import binascii
from datetime import UTC, datetime

from plumbline.base.clock import rfc3339
from plumbline.base.json import Json, JsonObject, decode

_OURS = "argocd"


def claims(token: str) -> JsonObject:
    """Nothing where it is no token."""
    parts = token.split(".")
    try:
        found = decode(base64.urlsafe_b64decode(parts[1] + "=" * (-len(parts[1]) % 4)))
    except (IndexError, binascii.Error, ValueError):
        return {}
    return found if isinstance(found, dict) else {}


def subject(token: str) -> str:
    """The account that a token says it is of; empty where it says nothing."""
    return str(claims(token).get("sub") or "").partition(":")[0]


def described(token: str, *, renewable: bool = False) -> JsonObject:
    """A token with what it says, as `argocd account session-token -o json` has it.

    It is *renewable* where there is another that new ones are fetched with.
    """
    said = claims(token)
    issuer = str(said.get("iss") or "")
    times = {"issued_at": _moment(said.get("iat")), "expires_at": _moment(said.get("exp"))}
    return {
        "type": "local" if issuer == _OURS else "sso",
        "issuer": issuer,
        "username": subject(token),
        "token": token,
        "has_refresh_token": renewable,
        **{name: value for name, value in times.items() if value},
    }


def _moment(seconds: Json) -> str:
    try:
        return rfc3339(datetime.fromtimestamp(seconds, UTC)) if isinstance(seconds, int | float) else ""
    except (OverflowError, OSError, ValueError):
        return ""
