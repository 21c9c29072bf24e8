"""Tokens that are signed here: JSON Web Tokens as Argo CD makes them, by HMAC-SHA256 with `server.secretkey`.

A token says by itself how it wants to be checked, and none of that is listened to: one algorithm, one key, one issuer.
What it says beyond its signature (that it was revoked, that its account is gone) is asked in `sessions`.
"""

import base64
import binascii
from datetime import datetime
from typing import Final, NamedTuple

import msgspec

from plumbline.access.accounts import API_KEY, LOGIN, Capability
from plumbline.base.errors import Unauthenticated
from plumbline.base.json import JsonObject, decode, encode
from plumbline.base.plaintext import Plaintext

ISSUER: Final = "argocd"
MOST_BYTES: Final = 80 << 10
"""Twenty cookies, which is as much as a browser brings along."""
_ALGORITHM: Final = "HS256"
_LEEWAY_S: Final = 10
"""Clocks of replicas differ a little."""
_PROJECT_PARTS: Final = 3
_LONGEST_S: Final = 2**53


class Claims(msgspec.Struct, frozen=True, omit_defaults=True):
    """`aud` is never in a token that is a session: those for other purposes have one, and are no sessions."""

    iss: str
    sub: str
    iat: int
    nbf: int = 0
    exp: int = 0
    jti: str = ""
    aud: str | list[str] | None = None


class Role(NamedTuple):
    project: str
    role: str


class Subject(NamedTuple):
    name: str
    capability: Capability


def void(why: str) -> Unauthenticated:
    return Unauthenticated("invalid session", why=why, hint="Log in again.")


def issuer_of(token: str) -> str:
    """Whom a token says that it is from: it decides who checks it, and is not to be believed."""
    if len(token) > MOST_BYTES or token.count(".") != 2:  # noqa: PLR2004 - head, claims, signature
        raise void("it is no token")
    try:
        claims = decode(_unpadded(token.split(".")[1]))
    except (binascii.Error, ValueError, RecursionError):  # msgspec's errors are ValueErrors
        raise void("it is no token") from None
    issuer = claims.get("iss") if isinstance(claims, dict) else None
    return issuer if isinstance(issuer, str) else ""


def signed(claims: JsonObject | Claims, key: Plaintext) -> str:
    from joserfc import jws  # noqa: PLC0415 - brings cryptography along
    from joserfc.jwk import OctKey  # noqa: PLC0415 - same

    head = {"alg": _ALGORITHM, "typ": "JWT"}
    return jws.serialize_compact(head, encode(claims), OctKey.import_key(key.reveal()), [_ALGORITHM])


def verified(token: str, key: Plaintext) -> bytes:
    """The claims of a token that was signed with *key*, as JSON. Raises Unauthenticated."""
    from joserfc import jws  # noqa: PLC0415 - brings cryptography along
    from joserfc.errors import JoseError  # noqa: PLC0415 - same
    from joserfc.jwk import OctKey  # noqa: PLC0415 - same

    try:
        found = jws.deserialize_compact(token, OctKey.import_key(key.reveal()), [_ALGORITHM])
    except (JoseError, ValueError):
        raise void("its signature is not ours") from None
    return found.payload or b""


def opened(token: str, key: Plaintext, now: datetime) -> Claims:
    """A session's claims, signed here and of this time. Raises Unauthenticated."""
    try:
        claims = decode(verified(token, key), type=Claims)
    except msgspec.DecodeError:
        raise void("its claims cannot be read") from None
    now_s = now.timestamp()
    if claims.iss != ISSUER or claims.aud is not None or not claims.sub:
        raise void("it was made for something else")
    if not 0 < claims.iat <= now_s + _LEEWAY_S or not 0 <= claims.exp < _LONGEST_S:
        raise void("its times make no sense")
    if claims.nbf > now_s + _LEEWAY_S:
        raise void("token is not valid yet")
    if claims.exp and claims.exp <= now_s:
        raise void("token is expired")
    return claims


def role_of(subject: str) -> Role | None:
    """The project role that a subject stands for."""
    parts = subject.split(":")
    if len(parts) != _PROJECT_PARTS or parts[0] != "proj":
        return None
    return Role(parts[1], parts[2])


def subject_of(subject: str) -> Subject:
    """The account, and what the token is for: tokens of old say nothing about that, and are API keys."""
    name, _, rest = subject.partition(":")
    return Subject(name, LOGIN if rest.split(":")[0] == LOGIN else API_KEY)


def _unpadded(part: str) -> bytes:
    return base64.urlsafe_b64decode(part + "=" * (-len(part) % 4))
