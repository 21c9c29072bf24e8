"""Single sign-on as the settings say now: another provider is another one as soon as somebody has configured it."""

import hashlib
from collections.abc import Iterable

import msgspec

from plumbline.access.keeper import Keeper
from plumbline.access.oidc.flow import GROUPS_AUDIENCE, Flow
from plumbline.access.oidc.provider import Provider
from plumbline.access.oidcsettings import OidcConfig
from plumbline.access.sessions import Session
from plumbline.access.tokens import verified, void
from plumbline.base.clock import Clock
from plumbline.base.errors import InvalidInput, Unauthenticated
from plumbline.base.json import Json, JsonObject, decode

_DEX = (
    "Argo CD brings Dex along, and Plumbline does not: point oidc.config at the identity provider itself, "
    "or at a Dex that you run."
)


class _Companion(msgspec.Struct, frozen=True):
    aud: str
    iss: str
    sub: str
    exp: float
    groups: tuple[str, ...]


class SignOn:
    def __init__(self, keeper: Keeper, clock: Clock) -> None:
        self._keeper = keeper
        self._clock = clock
        self._provider: Provider | None = None

    @property
    def config(self) -> OidcConfig | None:
        return self._keeper.realm.oidc

    def flow(self) -> Flow:
        """Raises InvalidInput where there is no single sign-on, with what to do about it."""
        return Flow(self._current(), self._keeper, self._clock)

    async def opened(self, token: str, companion: str) -> Session:
        """Whose token it is. Raises Unauthenticated."""
        if self.config is None:
            raise void("single sign-on is not configured")
        provider = self._current()
        claims = await provider.opened(token)
        subject = _subject(claims)
        if subject.startswith("proj:") or subject in self._keeper.realm.accounts:
            # Policies know people by name alone: whoever can choose a name must not choose one of ours.
            raise void("the identity provider gives them the name of an account or a project role")
        if provider.config.userinfo_url:
            claims = {**claims, "groups": self._companion(companion, claims)}
        return Session(
            subject=subject,
            issuer=provider.config.issuer,
            groups=groups_in(claims, self._keeper.realm.scopes),
            issued_s=int(claims["iat"]),
            expires_s=int(claims["exp"]),
            token_id=_id(claims, token),
            username=_text(claims.get("email")) or subject,
            claims=claims,
        )

    def _current(self) -> Provider:
        config = self.config
        if config is None:
            dex = self._keeper.realm.dex
            why = "dex.config is set, and is not served here" if dex else "argocd-cm has no usable oidc.config"
            hint = _DEX if dex else "Log in with an account, or set oidc.config; the log says what is wrong with it."
            raise InvalidInput("There is no single sign-on", why=why, hint=hint)
        if self._provider is None or self._provider.config != config:
            self._provider = Provider(config, self._clock)
        return self._provider

    def _companion(self, companion: str, claims: JsonObject) -> list[str]:
        try:
            said = decode(verified(companion, self._keeper.key), type=_Companion)
        except (msgspec.DecodeError, Unauthenticated):
            raise void("it is not known which groups they are in; log in again") from None
        same = (said.aud, said.iss, said.sub) == (GROUPS_AUDIENCE, claims["iss"], claims["sub"])
        if not same or said.exp <= self._clock.now().timestamp():
            raise void("it is not known which groups they are in; log in again")
        return list(said.groups)


def groups_in(claims: JsonObject, scopes: Iterable[str]) -> tuple[str, ...]:
    """What the claims named *scopes* hold: one text, or a list of them."""
    found: list[str] = []
    for scope in scopes:
        value = claims.get(scope)
        if isinstance(value, str):
            found.append(value)
        elif isinstance(value, list):
            found += (each for each in value if isinstance(each, str))
    return tuple(dict.fromkeys(found))


def _subject(claims: JsonObject) -> str:
    """Dex says in a claim of its own what the provider behind it calls somebody."""
    federated = claims.get("federated_claims")
    inner = _text(federated.get("user_id")) if isinstance(federated, dict) else ""
    return inner or _text(claims["sub"])


def _id(claims: JsonObject, token: str) -> str:
    named = next((found for name in ("jti", "uti", "at_hash") if (found := _text(claims.get(name)))), "")
    return named or hashlib.sha256(token.encode()).hexdigest()


def _text(value: Json) -> str:
    return value if isinstance(value, str) else ""
