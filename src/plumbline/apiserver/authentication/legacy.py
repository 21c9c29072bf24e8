"""Tokens that lie in Secrets: they have no end of their own, and hold as long as their Secret and its account are there."""

import base64
import binascii
import hashlib
import hmac
from collections.abc import Callable, Collection, Iterator, Sequence
from datetime import timedelta
from typing import Final

import msgspec

from plumbline.access.identity import (
    AccountName,
    Identity,
    authenticated,
    service_account_groups,
    service_account_name,
    service_account_of,
)
from plumbline.apiserver.authentication.claims import Lookup
from plumbline.apiserver.authentication.keys import TokenKey
from plumbline.apiserver.authentication.signatures import Signatures
from plumbline.apiserver.authentication.tokens import Authenticated, meant_for
from plumbline.base.clock import Clock
from plumbline.base.errors import Unauthenticated
from plumbline.base.json import Json, JsonObject
from plumbline.kube.gotext import quoted

LEGACY_ISSUER: Final = "kubernetes/serviceaccount"
LAST_USED: Final = "kubernetes.io/legacy-token-last-used"
_INVALID_SINCE: Final = "kubernetes.io/legacy-token-invalid-since"
_INVALIDATED: Final = "Token has been invalidated"
_VERIFIED: Final = 1024

Used = Callable[[JsonObject, str], None]
"""Told of a Secret whose token is used, and the day, unless that is written on it already."""


class LegacyClaims(msgspec.Struct, frozen=True, omit_defaults=True):
    iss: str = ""
    sub: str = ""
    aud: list[str] | str = msgspec.field(default_factory=list)
    namespace: str = msgspec.field(default="", name="kubernetes.io/serviceaccount/namespace")
    secret: str = msgspec.field(default="", name="kubernetes.io/serviceaccount/secret.name")
    account: str = msgspec.field(default="", name="kubernetes.io/serviceaccount/service-account.name")
    uid: str = msgspec.field(default="", name="kubernetes.io/serviceaccount/service-account.uid")

    @property
    def audiences(self) -> tuple[str, ...]:
        return (self.aud,) if isinstance(self.aud, str) else tuple(self.aud)


def claims_in_secret(account: JsonObject, secret: str) -> JsonObject:
    """What the token of *account* says that is to lie in the Secret of that name."""
    metadata = _record(account.get("metadata"))
    namespace, name = str(metadata["namespace"]), str(metadata["name"])
    claims = LegacyClaims(
        LEGACY_ISSUER,
        service_account_name(namespace, name),
        namespace=namespace,
        secret=secret,
        account=name,
        uid=str(metadata["uid"]),
    )
    return msgspec.to_builtins(claims, str_keys=True)


class LegacyTokens:
    """Checks signatures once per token, and all that it speaks of each time."""

    def __init__(
        self, keys: Sequence[TokenKey], audiences: Sequence[str], lookup: Lookup, clock: Clock, used: Used
    ) -> None:
        self._signatures = Signatures(keys, LEGACY_ISSUER)
        self._audiences = tuple(audiences)
        self._lookup = lookup
        self._clock = clock
        self._used = used
        self._verified: dict[bytes, LegacyClaims] = {}

    def authenticate(self, token: str, audiences: Collection[str]) -> Authenticated | None:
        presented = token.encode(errors="surrogatepass")
        digest = hashlib.sha256(presented).digest()
        claims = self._verified.pop(digest, None) or self._signatures.claims(token, _read)
        if claims is None:
            return None
        wanted = meant_for(claims.audiences or self._audiences, audiences)
        _check_complete(claims)
        secret = self._found_secret(claims, presented)
        self._check_account(claims)
        self._note(claims, secret)
        self._remember(digest, claims)
        return Authenticated(_identity(claims), wanted)

    def _found_secret(self, claims: LegacyClaims, presented: bytes) -> JsonObject:
        """The one that the token is from. Raises Unauthenticated where it is gone, or holds another by now."""
        secret = self._lookup("Secret", claims.namespace, claims.secret)
        if secret is None or _record(secret.get("metadata")).get("deletionTimestamp"):
            raise Unauthenticated(_INVALIDATED)
        if not hmac.compare_digest(_decoded(_record(secret.get("data")).get("token")), presented):
            raise Unauthenticated("Token does not match server's copy")
        return secret

    def _check_account(self, claims: LegacyClaims) -> None:
        found = self._lookup("ServiceAccount", claims.namespace, claims.account)
        if found is None:
            raise Unauthenticated(f"serviceaccounts {quoted(claims.account)} not found")
        metadata = _record(found.get("metadata"))
        if metadata.get("deletionTimestamp"):
            raise Unauthenticated(f"ServiceAccount {claims.namespace}/{claims.account} has been deleted")
        if metadata.get("uid") != claims.uid:
            raise Unauthenticated(f"ServiceAccount UID ({metadata.get('uid')}) does not match claim ({claims.uid})")

    def _note(self, claims: LegacyClaims, secret: JsonObject) -> None:
        """Raise Unauthenticated for a token that was taken out of use; that somebody came with it is noted all the same."""
        labels = _record(_record(secret.get("metadata")).get("labels"))
        today = self._clock.now().date()
        # The clock of another replica may be past midnight already.
        if labels.get(LAST_USED) not in (f"{today}", f"{today + timedelta(days=1)}"):
            self._used(secret, f"{today}")
        if labels.get(_INVALID_SINCE):
            raise Unauthenticated(
                f"the token in secret {claims.namespace}/{claims.secret} for service account"
                f" {claims.namespace}/{claims.account} has been marked invalid. Use tokens from the TokenRequest API or"
                f" manually created secret-based tokens, or remove the '{_INVALID_SINCE}' label from the secret to"
                " temporarily allow use of this token"
            )

    def _remember(self, digest: bytes, claims: LegacyClaims) -> None:
        self._verified[digest] = claims
        if len(self._verified) > _VERIFIED:
            del self._verified[next(iter(self._verified))]  # whoever came with it last, came longest ago


def _check_complete(claims: LegacyClaims) -> None:
    """Raise Unauthenticated for a token that says too little, or contradicts itself."""
    for missing in _missing(claims):
        raise Unauthenticated(f"{missing} claim is missing")
    if service_account_of(claims.sub) != AccountName(claims.namespace, claims.account):
        raise Unauthenticated("sub claim is invalid")


def _missing(claims: LegacyClaims) -> Iterator[str]:
    said = {
        "sub": claims.sub,
        "namespace": claims.namespace,
        "secretName": claims.secret,
        "serviceAccountName": claims.account,
        "serviceAccountUID": claims.uid,
    }
    return (name for name, value in said.items() if not value)


def _identity(claims: LegacyClaims) -> Identity:
    name = service_account_name(claims.namespace, claims.account)
    return authenticated(Identity(name, claims.uid, service_account_groups(claims.namespace)))


def _read(payload: bytes) -> LegacyClaims | None:
    try:
        return msgspec.json.decode(payload, type=LegacyClaims)
    except (msgspec.MsgspecError, ValueError, RecursionError):
        return None


def _decoded(value: Json) -> bytes:
    try:
        return base64.b64decode(value) if isinstance(value, str) else b""
    except binascii.Error:
        return b""


def _record(value: Json) -> JsonObject:
    return value if isinstance(value, dict) else {}
