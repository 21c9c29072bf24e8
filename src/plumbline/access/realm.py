"""Everything that settings say about who may come in, as one value."""

import re
from collections.abc import Mapping
from typing import Final
from urllib.parse import urlsplit

import msgspec

from plumbline.access.accounts import Account, Problem, opened, read_accounts
from plumbline.access.oidcsettings import OidcConfig, read_oidc
from plumbline.access.passwords import PATTERN
from plumbline.base.errors import InvalidInput
from plumbline.base.json import Json, JsonObject
from plumbline.base.limits import SETTINGS
from plumbline.base.plaintext import Plaintext

CONFIG: Final = "argocd-cm"
POLICY: Final = "argocd-rbac-cm"
SECRETS: Final = "argocd-secret"
SIGNING_KEY: Final = "server.secretkey"

_DAY_S: Final = 86_400
_UNITS_S: Final = {"s": 1, "m": 60, "h": 3600, "d": _DAY_S}
_LONGEST_S: Final = 10 * 365 * _DAY_S
_duration = re.compile(r"([0-9]{1,9})([smhd])").fullmatch
_GROUPS: Final = ("groups",)


class Realm(msgspec.Struct, frozen=True, kw_only=True):
    accounts: Mapping[str, Account] = {}
    key: Plaintext | None = None
    """What tokens are signed with; without it nobody can come in."""
    session_s: int = _DAY_S
    anonymous: bool = False
    password_pattern: str = PATTERN
    url: str = ""
    additional_urls: tuple[str, ...] = ()
    oidc: OidcConfig | None = None
    dex: bool = False
    """Whether `dex.config` is set, which is not served here."""
    scopes: tuple[str, ...] = _GROUPS
    """Claims that hold groups."""
    problems: tuple[Problem, ...] = ()

    @property
    def urls(self) -> tuple[str, ...]:
        return tuple(filter(None, (self.url, *self.additional_urls)))


NOTHING: Final = Realm()


def read_realm(config: JsonObject | None, policy: JsonObject | None, secrets: Mapping[str, JsonObject]) -> Realm:
    """*secrets* by name: argocd-secret, and others that settings may refer to. Never raises."""
    said = _entries(config)
    own = opened((secrets.get(SECRETS) or {}).get("data"))
    accounts = read_accounts(said, own)
    problems = list(accounts.problems)

    def told(key: str, why: str) -> None:
        problems.append(Problem(key, why))

    def resolve(value: str) -> Plaintext | None:
        return _resolved(value, own, secrets)

    if said.get("oidc.tls.insecure.skip.verify") == "true":
        told("oidc.tls.insecure.skip.verify", "certificates are always checked; name the authority in rootCA")
    return Realm(
        accounts=accounts.named,
        key=own.get(SIGNING_KEY) or None,
        session_s=_session_s(said.get("users.session.duration", ""), problems),
        anonymous=said.get("users.anonymous.enabled") == "true",
        password_pattern=said.get("passwordPattern") or PATTERN,
        url=_address(said.get("url", ""), "url", problems),
        additional_urls=_addresses(said.get("additionalUrls", ""), problems),
        oidc=read_oidc(said.get("oidc.config", ""), resolve, lambda why: told("oidc.config", why)),
        dex=bool(said.get("dex.config", "").strip()),
        scopes=_scopes(_entries(policy).get("scopes", ""), problems),
        problems=tuple(problems),
    )


def _entries(config: JsonObject | None) -> Mapping[str, str]:
    found = (config or {}).get("data")
    return {key: value for key, value in found.items() if isinstance(value, str)} if isinstance(found, dict) else {}


def _resolved(value: str, own: Mapping[str, Plaintext], secrets: Mapping[str, JsonObject]) -> Plaintext | None:
    """One step only: what a reference leads to is the secret, even if it begins with a `$`."""
    if not value.startswith("$"):
        return Plaintext(value)
    name = value[1:]
    secret, colon, key = name.partition(":")
    return own.get(name) or (opened((secrets.get(secret) or {}).get("data")).get(key) if colon else None)


def _session_s(value: str, problems: list[Problem]) -> int:
    if not value:
        return _DAY_S
    found = _duration(value.strip())
    seconds = int(found[1]) * _UNITS_S[found[2]] if found else 0
    if not 0 < seconds <= _LONGEST_S:
        why = "it is no number with one of the units s, m, h and d, or no length for a session, and 24h count"
        problems.append(Problem("users.session.duration", why))
        return _DAY_S
    return seconds


def _address(url: str, key: str, problems: list[Problem]) -> str:
    try:
        usable = not url or (urlsplit(url).scheme in {"http", "https"} and bool(urlsplit(url).hostname))
    except ValueError:
        usable = False
    if not usable:
        problems.append(Problem(key, "it is no http or https address"))
    return url.rstrip("/") if usable else ""


def _addresses(text: str, problems: list[Problem]) -> tuple[str, ...]:
    found = _listed(text, "additionalUrls", problems)
    return tuple(filter(None, (_address(each, "additionalUrls", problems) for each in found)))


def _scopes(text: str, problems: list[Problem]) -> tuple[str, ...]:
    return _listed(text, "scopes", problems) if text.strip() else _GROUPS


def _listed(text: str, key: str, problems: list[Problem]) -> tuple[str, ...]:
    if not text.strip():
        return ()
    from plumbline.base.documents import load_documents  # noqa: PLC0415 - few set either

    try:
        documents = load_documents(text, limits=SETTINGS, source=key)
    except InvalidInput as fault:
        problems.append(Problem(key, str(fault)))
        return ()
    found: Json = documents[0].value if documents else []
    if not isinstance(found, list) or not all(isinstance(each, str) for each in found):
        problems.append(Problem(key, "it is no list of texts"))
        return ()
    return tuple(found)
