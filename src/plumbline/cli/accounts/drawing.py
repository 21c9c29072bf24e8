"""Accounts as people read them, in Argo CD's tables."""

from collections.abc import Iterable
from datetime import UTC, datetime

from plumbline.base.json import JsonObject
from plumbline.cli.terminal import argo_table, plain

_LABEL = 20


def accounts(found: Iterable[JsonObject]) -> str:
    rows = [(_text(each, "name"), _flag(each), _capabilities(each)) for each in found]
    return argo_table(("NAME", "ENABLED", "CAPABILITIES"), rows)


def account(found: JsonObject) -> list[str]:
    told = (("Name:", _text(found, "name")), ("Enabled:", _flag(found)), ("Capabilities:", _capabilities(found)))
    lines = [f"{label:<{_LABEL}}{plain(value)}".rstrip() for label, value in told]
    tokens = found.get("tokens") or []
    if not tokens:
        return [*lines, "", "Tokens:", "NONE"]
    rows = [(_text(each, "id"), _moment(each.get("issuedAt")), _moment(each.get("expiresAt"))) for each in tokens]
    return [*lines, "", "Tokens:", argo_table(("ID", "ISSUED AT", "EXPIRING AT"), rows)]


def person(found: JsonObject) -> list[str]:
    if not found.get("loggedIn"):
        return ["Logged In: false"]
    groups = ",".join(map(str, found.get("groups") or ()))
    return [
        "Logged In: true",
        f"Username: {plain(_text(found, 'username'))}",
        f"Issuer: {plain(_text(found, 'iss'))}",
        f"Groups: {plain(groups)}",
    ]


def _text(found: JsonObject, key: str) -> str:
    return str(found.get(key) or "")


def _flag(found: JsonObject) -> str:
    return "true" if found.get("enabled") else "false"


def _capabilities(found: JsonObject) -> str:
    return ", ".join(map(str, found.get("capabilities") or ()))


def _moment(seconds: object) -> str:
    # Argo CD's API says 64-bit numbers as texts.
    number = int(seconds) if isinstance(seconds, int | str) and str(seconds).isdigit() else 0
    return datetime.fromtimestamp(number, UTC).strftime("%Y-%m-%dT%H:%M:%SZ") if number else "never"
