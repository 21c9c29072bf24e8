"""Whether a token is what it says: first by whom it was issued, then whether one of our keys signed it."""

from collections.abc import Callable, Sequence
from typing import Final, Protocol, TypeVar

from plumbline.apiserver.authentication.keys import CompactToken, TokenKey
from plumbline.base.errors import Unauthenticated
from plumbline.base.json import JsonObject, decode

_TOKEN_CHARS: Final = 16 * 1024
_CRYPTO: Final = "go-jose/go-jose: error in cryptographic primitive"


class FromIssuer(Protocol):
    @property
    def iss(self) -> str: ...


C = TypeVar("C", bound=FromIssuer)


class Signatures:
    """Of one issuer."""

    def __init__(self, keys: Sequence[TokenKey], issuer: str) -> None:
        self._keys = {key.id: key for key in keys}
        self._issuer = issuer

    def claims(self, token: str, read: Callable[[bytes], C | None]) -> C | None:
        """None for a token of somebody else; raises Unauthenticated for one that claims to be ours and is not signed by us."""
        if len(token) > _TOKEN_CHARS or (parts := CompactToken.parse(token)) is None:
            return None
        claims, header = read(parts.payload), _header(parts.header)
        if claims is None or header is None or claims.iss != self._issuer:
            return None
        kid = header.get("kid")
        keys = [self._keys[kid]] if kid in self._keys else [] if kid else list(self._keys.values())
        if not keys:
            raise Unauthenticated("invalid signature, no keys found")
        if not any(header.get("alg") == key.algorithm and key.verifies(parts.signature, parts.signed) for key in keys):
            raise Unauthenticated(_CRYPTO)
        return claims


def _header(text: bytes) -> JsonObject | None:
    try:
        header = decode(text)
    except (ValueError, RecursionError):
        return None
    if not isinstance(header, dict) or not isinstance(header.get("kid", ""), str):
        return None
    return header
