"""A login at an identity provider, in two halves: away to it, and back with a code."""

import base64
import hashlib
import hmac
import secrets
from collections.abc import Awaitable, Callable
from typing import Final, NamedTuple, TypeAlias
from urllib.parse import quote, urlencode, urlsplit

import msgspec

from plumbline.access.keeper import Keeper
from plumbline.access.oidc import sealed
from plumbline.access.oidc.provider import Discovered, Provider
from plumbline.access.oidcsettings import OidcConfig
from plumbline.access.tokens import signed, void
from plumbline.base.clock import Clock
from plumbline.base.errors import GarbledReply, Unauthenticated
from plumbline.base.json import Json, JsonObject, encode

STATE_S: Final = 300
GROUPS_AUDIENCE: Final = "plumbline:groups"
_PURPOSE: Final = b"plumbline oidc state"
_BASIC, _POST = "client_secret_basic", "client_secret_post"

Spend: TypeAlias = Callable[[str, str, int], Awaitable[None]]
"""Use up what may be used once: its kind, its number, until when that matters. Raises Unauthenticated the second time."""


class _State(msgspec.Struct, frozen=True):
    state: str
    nonce: str
    verifier: str
    page: str
    redirect: str
    ends_s: int


class Begun(NamedTuple):
    """Where to send somebody, and what their browser keeps meanwhile."""

    url: str
    kept: str


class Finished(NamedTuple):
    token: str
    """Of the identity provider: it is the session."""
    page: str
    claims: JsonObject
    companion: str
    """Groups that were asked for at login, signed by us; empty where the token has them."""


class Flow:
    def __init__(self, provider: Provider, keeper: Keeper, clock: Clock) -> None:
        self._provider = provider
        self._keeper = keeper
        self._clock = clock

    @property
    def _config(self) -> OidcConfig:
        return self._provider.config

    async def begin(self, redirect: str, page: str) -> Begun:
        """*redirect* is the address of our second half; *page*, where to go at the end, has been checked."""
        said = await self._provider.discovered()
        ends_s = int(self._clock.now().timestamp()) + STATE_S
        state = _State(_random(), _random(), _random(), page, redirect, ends_s)
        query: dict[str, str] = {
            "response_type": "code",
            "client_id": self._config.client_id,
            "redirect_uri": redirect,
            "scope": " ".join(self._config.scopes),
            "state": state.state,
            "nonce": state.nonce,
            "code_challenge": _challenge(state.verifier),
            "code_challenge_method": "S256",
        }
        if self._config.id_token_claims:
            query["claims"] = encode({"id_token": self._config.id_token_claims}).decode()
        if self._config.domain_hint:
            query["domain_hint"] = self._config.domain_hint
        separator = "&" if urlsplit(said.authorization_endpoint).query else "?"
        url = f"{said.authorization_endpoint}{separator}{urlencode(query)}"
        return Begun(url, sealed.closed(encode(state), self._keeper.key, _PURPOSE))

    async def finish(self, code: str, state: str, kept: str, spend: Spend) -> Finished:
        """Raises Unauthenticated where the login was not begun here, by this browser, a moment ago, or is finished."""
        begun = self._opened(kept)
        if not code or not hmac.compare_digest(begun.state.encode(), state.encode()):
            raise _strange("it was begun in another browser")
        if begun.ends_s <= self._clock.now().timestamp():
            raise _strange("it was begun more than five minutes ago")
        said = await self._provider.discovered()
        answered = await self._exchanged(said, code, begun)
        token = answered.get("id_token")
        if not isinstance(token, str):
            raise _strange("the identity provider gave no id_token; is `openid` among requestedScopes?")
        claims = await self._provider.opened(token)
        if not hmac.compare_digest(str(claims.get("nonce", "")).encode(), begun.nonce.encode()):
            raise _strange("the token is for another login")
        access = answered.get("access_token")
        if isinstance(access, str) and isinstance(claims.get("at_hash"), str):
            _check_hash(access, claims["at_hash"], token)
        # Only now: whoever has logged in nowhere must not be able to make us write.
        await spend("state", begun.state, begun.ends_s)
        companion = await self._groups(claims, access if isinstance(access, str) else "")
        return Finished(token, begun.page, claims, companion)

    def _opened(self, kept: str) -> _State:
        found = sealed.opened(kept, self._keeper.key, _PURPOSE)
        if found is None:
            raise _strange("it was begun in another browser")
        return msgspec.json.decode(found, type=_State)

    async def _exchanged(self, said: Discovered, code: str, begun: _State) -> JsonObject:
        config, headers = self._config, {}
        form = {
            "grant_type": "authorization_code",
            "code": code,
            "redirect_uri": begun.redirect,
            "client_id": config.client_id,
            "code_verifier": begun.verifier,
        }
        methods = said.token_endpoint_auth_methods_supported
        if config.client_secret is not None:
            secret = config.client_secret.reveal().decode()
            if _BASIC in methods or _POST not in methods:
                both = f"{quote(config.client_id, safe='')}:{quote(secret, safe='')}"
                headers = {"Authorization": f"Basic {base64.b64encode(both.encode()).decode()}"}
            else:
                form["client_secret"] = secret
        try:
            return await self._provider.wire.post(said.token_endpoint, urlencode(form), headers)
        except GarbledReply as refused:
            # Codes work once: this is how a provider answers one that was used, as well as one that was made up.
            raise _strange(str(refused)) from refused

    async def _groups(self, claims: JsonObject, access: str) -> str:
        url = self._config.userinfo_url
        if not url:
            return ""
        if url == self._config.issuer:
            url = (await self._provider.discovered()).userinfo_endpoint or url
        found = await self._provider.wire.get(url, {"Authorization": f"Bearer {access}"})
        if found.get("sub") != claims["sub"]:
            raise _strange("userinfo is about somebody else")
        groups: Json = found.get("groups")
        kept = [each for each in groups if isinstance(each, str)] if isinstance(groups, list) else []
        said = {
            "aud": GROUPS_AUDIENCE,
            "iss": claims["iss"],
            "sub": claims["sub"],
            "exp": claims["exp"],
            "groups": kept,
        }
        return signed(said, self._keeper.key)


def _strange(why: str) -> Unauthenticated:
    return Unauthenticated("The login cannot be finished", why=why, hint="Begin again at /auth/login.")


def _random() -> str:
    return secrets.token_urlsafe(32)


def _challenge(verifier: str) -> str:
    return base64.urlsafe_b64encode(hashlib.sha256(verifier.encode()).digest()).rstrip(b"=").decode()


def _check_hash(access: str, at_hash: str, token: str) -> None:
    """That the access token came with this very id_token."""
    head = msgspec.json.decode(base64.urlsafe_b64decode(token.partition(".")[0] + "=="))
    name = {"384": "sha384", "512": "sha512"}.get(str(head.get("alg"))[-3:], "sha256")
    if str(head.get("alg")) == "EdDSA":
        return  # which hash goes with it is not agreed upon
    whole = hashlib.new(name, access.encode()).digest()
    wanted = base64.urlsafe_b64encode(whole[: len(whole) // 2]).rstrip(b"=").decode()
    if not hmac.compare_digest(wanted.encode(), at_hash.rstrip("=").encode()):
        raise void("the access token belongs to another login")
