"""Accounts as Argo CD keeps them: what they may do in argocd-cm, how they prove it in argocd-secret.

Reading never fails. What cannot be read is a problem, and whoever it is about cannot come in until it is mended.
"""

import base64
import binascii
from collections.abc import Mapping
from datetime import datetime
from typing import Final, Literal, NamedTuple, TypeAlias

import msgspec

from plumbline.base.clock import rfc3339
from plumbline.base.json import Json, decode, encode
from plumbline.base.plaintext import Plaintext

ADMIN: Final = "admin"
Capability: TypeAlias = Literal["login", "apiKey"]
LOGIN: Final[Capability] = "login"
API_KEY: Final[Capability] = "apiKey"

Edit: TypeAlias = Mapping[str, bytes | None]
"""Keys of argocd-secret and what is to be in them; None takes a key away."""

_PREFIX: Final = "accounts."
_TRUE: Final = frozenset({"1", "t", "T", "TRUE", "true", "True"})
_FALSE: Final = frozenset({"0", "f", "F", "FALSE", "false", "False"})


class Problem(NamedTuple):
    """A setting that cannot be read, and what counts instead."""

    key: str
    why: str


class TokenRecord(msgspec.Struct, frozen=True, omit_defaults=True):
    """That a token was made. Without it the token is worth nothing."""

    id: str
    issued_s: int = msgspec.field(name="iat")
    expires_s: int = msgspec.field(name="exp", default=0)
    """Zero means never."""


class Account(msgspec.Struct, frozen=True, kw_only=True):
    name: str
    enabled: bool = True
    capabilities: tuple[Capability, ...] = ()
    password: Plaintext | None = None
    """The hash of it, which is a secret as well."""
    password_at: datetime | None = None
    """What was issued before is void."""
    tokens: tuple[TokenRecord, ...] = ()

    def token(self, token_id: str) -> TokenRecord | None:
        return next((each for each in self.tokens if each.id == token_id), None)


class Accounts(NamedTuple):
    named: Mapping[str, Account]
    problems: tuple[Problem, ...] = ()


def read_accounts(settings: Mapping[str, str], secrets: Mapping[str, Plaintext]) -> Accounts:
    """From the entries of argocd-cm and the opened values of argocd-secret."""
    problems: list[Problem] = []
    found = {ADMIN: Account(name=ADMIN, enabled=_flag(settings, "admin.enabled", problems), capabilities=(LOGIN,))}
    for key, value in sorted(settings.items()):
        if not key.startswith(_PREFIX):
            continue
        name, dot, suffix = key.removeprefix(_PREFIX).partition(".")
        if not name or "." in suffix or (dot and suffix != "enabled"):
            problems.append(Problem(key, "it is no setting of an account"))
            continue
        account = found.get(name) or Account(name=name)
        if suffix:
            enabled = _flag(settings, key, problems) and (name != ADMIN or account.enabled)
            found[name] = msgspec.structs.replace(account, enabled=enabled)
        else:
            more = _capabilities(key, value, problems)
            kept = tuple(dict.fromkeys((*account.capabilities, *more)))
            found[name] = msgspec.structs.replace(account, capabilities=kept)
    return Accounts({name: _proven(found[name], secrets, problems) for name in sorted(found)}, tuple(problems))


def secret_key(name: str, what: str) -> str:
    """Which key of argocd-secret holds the *what* (password, passwordMtime, tokens) of an account."""
    return f"{ADMIN}.{what}" if name == ADMIN else f"{_PREFIX}{name}.{what}"


def with_password(name: str, hashed: Plaintext, at: datetime) -> Edit:
    return {secret_key(name, "password"): hashed.reveal(), secret_key(name, "passwordMtime"): rfc3339(at).encode()}


def with_tokens(name: str, tokens: tuple[TokenRecord, ...]) -> Edit:
    return {secret_key(name, "tokens"): encode(tokens) if tokens else None}


def opened(stored: Json) -> dict[str, Plaintext]:
    """The values of a Secret as the API stores it; those that are no base64 are left out."""
    found: dict[str, Plaintext] = {}
    for key, value in (stored if isinstance(stored, dict) else {}).items():
        try:
            found[str(key)] = Plaintext(base64.b64decode(value, validate=True))
        except (binascii.Error, TypeError, ValueError):
            continue
    return found


def _flag(settings: Mapping[str, str], key: str, problems: list[Problem]) -> bool:
    value = settings.get(key, "true")
    if value not in _TRUE | _FALSE:
        problems.append(Problem(key, "it is neither true nor false, and the account is disabled"))
    return value in _TRUE


def _capabilities(key: str, value: str, problems: list[Problem]) -> tuple[Capability, ...]:
    found: list[Capability] = []
    for part in filter(None, map(str.strip, value.split(","))):
        if part == LOGIN:
            found.append(LOGIN)
        elif part == API_KEY:
            found.append(API_KEY)
        else:
            problems.append(Problem(key, f"{part[:40]!r} is neither login nor apiKey"))
    return tuple(found)


def _proven(account: Account, secrets: Mapping[str, Plaintext], problems: list[Problem]) -> Account:
    name = account.name
    at, readable = _moment(secrets.get(secret_key(name, "passwordMtime")))
    if not readable:
        problems.append(Problem(secret_key(name, "passwordMtime"), "it is no time, and the account is disabled"))
    try:
        tokens = _tokens(secrets.get(secret_key(name, "tokens")))
    except msgspec.DecodeError:
        problems.append(Problem(secret_key(name, "tokens"), "they cannot be read, and none counts"))
        tokens = ()
    return msgspec.structs.replace(
        account,
        enabled=account.enabled and readable,
        password=secrets.get(secret_key(name, "password")) or None,
        password_at=at,
        tokens=tokens,
    )


def _moment(value: Plaintext | None) -> tuple[datetime | None, bool]:
    if not value:
        return None, True
    try:
        at = datetime.fromisoformat(value.reveal().decode())
    except ValueError:
        return None, False
    return at, at.tzinfo is not None


def _tokens(value: Plaintext | None) -> tuple[TokenRecord, ...]:
    # Go writes a list without items as null.
    return (decode(value.reveal(), type=tuple[TokenRecord, ...] | None) or ()) if value else ()
