"""Bearer tokens: those of service accounts, which are signed, and those an administrator hands out, which are known."""

import hashlib
import hmac
from collections.abc import Collection, Iterable, Sequence
from datetime import datetime
from typing import Final, NamedTuple, Protocol

from plumbline.access.identity import Identity, authenticated
from plumbline.apiserver.authentication.claims import (
    Claims,
    Lookup,
    check_references,
    check_times,
    identity_from,
    read_claims,
)
from plumbline.apiserver.authentication.keys import TokenKey
from plumbline.apiserver.authentication.signatures import Signatures
from plumbline.apiserver.rbac.rules import listed
from plumbline.base.clock import Clock
from plumbline.base.errors import Unauthenticated
from plumbline.base.plaintext import Plaintext

INVALID: Final = "invalid bearer token"

# Tokens are presented again and again; the bound keeps a client with many of them from filling the memory.
_VERIFIED: Final = 4096


class Authenticated(NamedTuple):
    """`audiences` are those of the token that were asked for."""

    identity: Identity
    audiences: tuple[str, ...]


class TokenSource(Protocol):
    def authenticate(self, token: str, audiences: Collection[str]) -> Authenticated | None:
        """None where this kind of token is somebody else's; raises Unauthenticated for a bad one of its own."""


class _Verified(NamedTuple):
    claims: Claims
    identity: Identity


class ServiceAccountTokens:
    """Checks signatures once per token, and everything that can change each time."""

    def __init__(
        self, keys: Sequence[TokenKey], issuer: str, audiences: Sequence[str], lookup: Lookup, clock: Clock
    ) -> None:
        self._signatures = Signatures(keys, issuer)
        self._audiences = tuple(audiences)
        self._lookup = lookup
        self._clock = clock
        self._verified: dict[bytes, _Verified] = {}

    def authenticate(self, token: str, audiences: Collection[str]) -> Authenticated | None:
        digest = hashlib.sha256(token.encode(errors="surrogatepass")).digest()
        verified = self._verified.get(digest)
        if verified is None:
            verified = self._verify(token)
            if verified is None:
                return None
        claims, identity = verified
        now = self._clock.now()
        try:
            wanted = meant_for(claims.audiences or self._audiences, audiences)
            check_times(claims, now)
            check_references(claims, self._lookup, now)
        except Unauthenticated:
            self._verified.pop(digest, None)
            raise
        self._remember(digest, verified, now)
        return Authenticated(identity, wanted)

    def _verify(self, token: str) -> _Verified | None:
        claims = self._signatures.claims(token, read_claims)
        return _Verified(claims, identity_from(claims)) if claims is not None else None

    def _remember(self, digest: bytes, verified: _Verified, now: datetime) -> None:
        if digest in self._verified:
            return
        if len(self._verified) >= _VERIFIED:
            moment = now.timestamp()
            self._verified = {
                key: each for key, each in self._verified.items() if each.claims.exp and each.claims.exp > moment
            }
        if len(self._verified) < _VERIFIED:
            self._verified[digest] = verified


class StaticTokens:
    """Tokens known beforehand. Only their hashes are kept, and all of them are compared each time."""

    def __init__(self, tokens: Iterable[tuple[Plaintext, Identity]], audiences: Sequence[str]) -> None:
        self._known = [(_digest(token.reveal()), authenticated(identity)) for token, identity in tokens]
        self._audiences = tuple(audiences)

    def authenticate(self, token: str, audiences: Collection[str]) -> Authenticated | None:
        wanted = tuple(each for each in self._audiences if each in audiences)
        offered = _digest(token.encode(errors="surrogatepass"))
        matches = [identity for digest, identity in self._known if hmac.compare_digest(digest, offered)]
        return Authenticated(matches[0], wanted) if matches and wanted else None


def meant_for(own: Sequence[str], audiences: Collection[str]) -> tuple[str, ...]:
    """Those of *own* that are asked for; raises Unauthenticated where that is none."""
    wanted = tuple(each for each in own if each in audiences)
    if not wanted:
        raise Unauthenticated(f"token audiences {listed(own)} is invalid for the target audiences {listed(audiences)}")
    return wanted


def _digest(token: bytes) -> bytes:
    return hashlib.sha256(token).digest()
