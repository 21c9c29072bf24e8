"""One identity provider: what it says of itself, the keys that it signs with, and whether a token is one of its own."""

import asyncio
from collections.abc import Mapping
from typing import TYPE_CHECKING, Final

import msgspec

from plumbline.access.oidc.wire import Wire
from plumbline.access.oidcsettings import OidcConfig, secure
from plumbline.access.tokens import MOST_BYTES, void
from plumbline.base.clock import Clock
from plumbline.base.errors import GarbledReply, PlumblineError
from plumbline.base.json import Json, JsonObject, decode
from plumbline.base.log import logger

if TYPE_CHECKING:
    from joserfc.jwk import Key

ALGORITHMS: Final = ("RS256", "RS384", "RS512", "ES256", "ES384", "ES512", "PS256", "PS384", "PS512", "EdDSA")
"""Those with a public key and no others: with HS256 the key that everybody may read would be the secret."""
_KEEP_S: Final = 3600.0
_AGAIN_S: Final = 10.0
"""How soon keys are fetched again for a token that none of them has signed: strangers can make up such tokens."""
_MOST_KEYS: Final = 50
_MOST_HEADER_BYTES: Final = 8192
_LEEWAY_S: Final = 300

_log = logger("access.oidc")


class Discovered(msgspec.Struct, frozen=True):
    """What a provider says of itself."""

    issuer: str
    authorization_endpoint: str
    token_endpoint: str
    jwks_uri: str
    id_token_signing_alg_values_supported: tuple[str, ...] = ("RS256",)
    token_endpoint_auth_methods_supported: tuple[str, ...] = ("client_secret_basic",)
    scopes_supported: tuple[str, ...] = ()
    userinfo_endpoint: str = ""

    @property
    def algorithms(self) -> list[str]:
        return [each for each in ALGORITHMS if each in self.id_token_signing_alg_values_supported] or ["RS256"]


class _Claims(msgspec.Struct, frozen=True):
    iss: str
    sub: str
    aud: str | tuple[str, ...]
    exp: int | float
    iat: int | float
    nbf: int | float = 0


class Provider:
    def __init__(self, config: OidcConfig, clock: Clock, wire: Wire | None = None) -> None:
        self.config = config
        self.wire = wire or Wire(config.root_ca)
        self._clock = clock
        self._lock = asyncio.Lock()
        self._discovered: Discovered | None = None
        self._keys: tuple[Key, ...] = ()
        self._fetched_s = self._tried_s = float("-inf")

    async def discovered(self) -> Discovered:
        if self._discovered is not None:
            return self._discovered
        async with self._lock:
            if self._discovered is None:
                self._discovered = await self._discover()
            return self._discovered

    async def opened(self, token: str) -> JsonObject:
        """The claims of a token that this provider signed, for us, and that counts now. Raises Unauthenticated."""
        if len(token) > MOST_BYTES:
            raise void("it is no token")
        raw = await self._signed(token)
        try:
            claims, all_claims = decode(raw, type=_Claims), decode(raw)
        except (msgspec.DecodeError, RecursionError):
            raise void("its claims cannot be read") from None
        self._check(claims)
        return all_claims

    def _check(self, claims: _Claims) -> None:
        now_s = self._clock.now().timestamp()
        audiences = {claims.aud} if isinstance(claims.aud, str) else set(claims.aud)
        if claims.iss != self.config.issuer:
            raise void("it is from another issuer")
        if not audiences & set(self.config.audiences):
            raise void("it was made for somebody else")
        if not claims.sub:
            raise void("it does not say whose it is")
        if claims.exp <= now_s:
            raise void("token is expired")
        if max(claims.nbf, claims.iat) > now_s + _LEEWAY_S:
            raise void("token is not valid yet")

    async def _discover(self) -> Discovered:
        issuer = self.config.issuer
        found = await self.wire.get(f"{issuer.rstrip('/')}/.well-known/openid-configuration")
        try:
            said = msgspec.convert(found, Discovered)
        except msgspec.ValidationError as fault:
            raise GarbledReply("The identity provider cannot be used", why=str(fault)) from fault
        if said.issuer != issuer:
            why = f"it calls itself {said.issuer[:200]!r}, and oidc.config {issuer!r}"
            raise GarbledReply("The identity provider is another", why=why, hint="Write issuer exactly as it does.")
        if not all(map(secure, (said.authorization_endpoint, said.token_endpoint, said.jwks_uri))):
            raise GarbledReply("The identity provider cannot be used", why="an address that it names is not https")
        return said

    async def _signed(self, token: str) -> bytes:
        """The content of *token*, if it is signed. Keys change: one that none has signed is looked at once more."""
        said = await self.discovered()
        if self._clock.monotonic() - self._fetched_s > _KEEP_S:
            await self._renew(said)
        content = self._checked(token, said)
        if content is None and await self._renew(said):
            content = self._checked(token, said)
        if content is None:
            raise void("no key of the identity provider has signed it")
        return content

    def _checked(self, token: str, said: Discovered) -> bytes | None:
        from joserfc import jws  # noqa: PLC0415 - brings cryptography along
        from joserfc.errors import JoseError  # noqa: PLC0415 - same

        registry = jws.JWSRegistry(algorithms=said.algorithms, strict_check_header=False)
        registry.max_header_length = _MOST_HEADER_BYTES
        try:
            kid = jws.extract_compact(token.encode(), registry=registry).protected.get("kid")
        except (JoseError, ValueError):
            raise void("it is no token") from None
        for key in self._keys:
            if kid is not None and key.kid != kid:
                continue
            try:
                return jws.deserialize_compact(token, key, said.algorithms, registry).payload
            except (JoseError, ValueError):
                continue
        return None

    async def _renew(self, said: Discovered) -> bool:
        """Fetch the keys anew, unless somebody has just tried. While the provider is away, those that are known count."""
        now_s, known = self._clock.monotonic(), self._fetched_s > float("-inf")
        if known and now_s - self._tried_s <= _AGAIN_S:
            return False
        async with self._lock:
            if self._fetched_s >= now_s:
                return True  # by whoever was here before
            self._tried_s = now_s
            try:
                found = await self.wire.get(said.jwks_uri)
            except PlumblineError as error:
                if not known:
                    raise
                _log.warning("keys of the identity provider not renewed", error=str(error))
                return False
            keys = found.get("keys")
            self._keys = tuple(filter(None, map(_key, keys[:_MOST_KEYS] if isinstance(keys, list) else ())))
            self._fetched_s = self._clock.monotonic()
            return True


def _key(said: Json) -> "Key | None":
    from joserfc.errors import JoseError  # noqa: PLC0415 - brings cryptography along
    from joserfc.jwk import import_key  # noqa: PLC0415 - same

    if not isinstance(said, Mapping) or said.get("use", "sig") != "sig" or said.get("kty") not in {"RSA", "EC", "OKP"}:
        return None
    try:
        return import_key(dict(said))
    except (JoseError, ValueError, TypeError, KeyError):
        return None
