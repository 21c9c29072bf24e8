"""`oidc.config` of argocd-cm: which provider logs people in, and as whom we ask it."""

from collections.abc import Callable, Mapping
from typing import Annotated, Final
from urllib.parse import urlsplit

import msgspec

from plumbline.base.errors import InvalidInput
from plumbline.base.json import Json
from plumbline.base.limits import SETTINGS
from plumbline.base.plaintext import Plaintext

Told = Callable[[str], None]
Resolve = Callable[[str], Plaintext | None]
"""What a `$name` or `$secret:key` stands for; a text that is none stands for itself."""

SCOPES: Final = ("openid", "profile", "email", "groups")
_LOOPBACK: Final = frozenset({"localhost", "127.0.0.1", "::1"})


class _Written(msgspec.Struct, rename={"client_id": "clientID", "cli_client_id": "cliClientID", "logout_url": "logoutURL",
    "root_ca": "rootCA", "enable_pkce": "enablePKCEAuthentication", "id_token_claims": "requestedIDTokenClaims",
    "requested_scopes": "requestedScopes", "client_secret": "clientSecret", "user_info_groups": "enableUserInfoGroups",
    "allowed_audiences": "allowedAudiences", "user_info_base_url": "userInfoBaseURL", "user_info_path": "userInfoPath",
    "domain_hint": "domainHint"}):  # fmt: skip
    issuer: str
    client_id: str
    name: str = ""
    client_secret: str = ""
    cli_client_id: str = ""
    requested_scopes: list[str] | None = None
    id_token_claims: dict[str, Json] | None = None
    allowed_audiences: list[str] | None = None
    enable_pkce: bool = False
    """Understood, and needs no saying: a challenge is always sent."""
    root_ca: str = ""
    logout_url: str = ""
    user_info_groups: bool = False
    user_info_base_url: str = ""
    user_info_path: str = ""
    domain_hint: str = ""


class OidcConfig(msgspec.Struct, frozen=True, kw_only=True):
    issuer: str
    client_id: str
    name: str = "SSO"
    client_secret: Plaintext | None = None
    cli_client_id: str = ""
    scopes: tuple[str, ...] = SCOPES
    id_token_claims: Annotated[Mapping[str, Json], "as OpenID Connect's claims parameter has them"] = {}
    audiences: tuple[str, ...] = ()
    """A token has to be meant for one of them."""
    root_ca: str = ""
    """PEM that is trusted beside nothing else; empty for the authorities of this machine."""
    logout_url: str = ""
    userinfo_url: str = ""
    """Where groups are asked for; empty where tokens have them."""
    domain_hint: str = ""


def read_oidc(text: str, resolve: Resolve, told: Told) -> OidcConfig | None:
    """None where there is none, or none that can be used; *told* is why."""
    if not text.strip():
        return None
    from plumbline.base.documents import load_documents  # noqa: PLC0415 - most installations have none

    try:
        documents = load_documents(text, limits=SETTINGS, source="oidc.config")
        found = documents[0].value if documents else None
        if isinstance(found, dict):
            # A key without a value is as good as none, in Go.
            found = {key: value for key, value in found.items() if value is not None}
        written = msgspec.convert(found, _Written)
        return _usable(written, resolve)
    except (InvalidInput, msgspec.ValidationError) as fault:
        told(f"{fault}, and nobody can log in by single sign-on")
        return None


def secure(url: str) -> bool:
    """Whether what is said there stays between us: TLS, or no network at all."""
    try:
        where = urlsplit(url)
    except ValueError:
        return False
    if not (url.isascii() and url.isprintable()):
        return False
    return where.scheme == "https" or (where.scheme == "http" and where.hostname in _LOOPBACK)


def _usable(written: _Written, resolve: Resolve) -> OidcConfig:
    def given(value: str, what: str) -> str:
        found = resolve(value)
        if found is None:
            raise InvalidInput(f"{what} refers to a secret that is not there")
        return found.reveal().decode(errors="replace").strip()

    client_id, issuer = given(written.client_id, "clientID"), given(written.issuer, "issuer")
    cli_client_id = given(written.cli_client_id, "cliClientID")
    userinfo = (written.user_info_base_url or issuer) + written.user_info_path if written.user_info_groups else ""
    for url, what in ((issuer, "issuer"), (userinfo, "userInfoBaseURL")):
        if url and not secure(url):
            raise InvalidInput(f"{what} is no https address")
    if not client_id or not issuer:
        raise InvalidInput("issuer or clientID is empty")
    secret = given(written.client_secret, "clientSecret")
    return OidcConfig(
        issuer=issuer,
        client_id=client_id,
        name=written.name or "SSO",
        client_secret=Plaintext(secret) if secret else None,
        cli_client_id=cli_client_id,
        scopes=tuple(written.requested_scopes or SCOPES),
        id_token_claims=written.id_token_claims or {},
        audiences=tuple(written.allowed_audiences or filter(None, (client_id, cli_client_id))),
        root_ca=written.root_ca,
        logout_url=written.logout_url if secure(written.logout_url) else "",
        userinfo_url=userinfo,
        domain_hint=written.domain_hint.strip(),
    )
