"""Repositories and credentials as people read them: never a secret value. Pure."""

from collections.abc import Iterable
from typing import Final

from plumbline.base.json import JsonObject
from plumbline.cli.repositories.shelf import Known
from plumbline.cli.terminal import argo_table
from plumbline.source.secrets import Entry
from plumbline.source.urls import redacted

_REPOSITORIES: Final = ("TYPE", "NAME", "REPO", "INSECURE", "OCI", "LFS", "CREDS", "STATUS", "MESSAGE", "PROJECT")
_CREDENTIALS: Final = ("URL PATTERN", "USERNAME", "SSH_CREDS", "TLS_CREDS")
_TRUE: Final = frozenset({"1", "t", "T", "TRUE", "true", "True"})
_TEXTS: Final = ("name", "project", "username", "proxy", "noProxy")
_SWITCHES: Final = ("insecure", "enableLfs", "enableOCI", "insecureOCIForceHttp", "forceHttpBasicAuth")


def repositories(found: Iterable[Known]) -> str:
    return argo_table(_REPOSITORIES, [_repository(each) for each in found])


def _repository(known: Known) -> list[str]:
    value = known.value
    state = value.get("connectionState") or {}
    return [
        str(value.get("type") or "git"),
        str(value.get("name") or ""),
        known.url,
        _said(bool(value.get("insecure"))),
        _said(bool(value.get("enableOCI"))),
        _said(bool(value.get("enableLfs"))),
        "inherited" if value.get("inheritedCreds") else _said(known.own),
        str(state.get("status") or "Unknown"),
        str(state.get("message") or ""),
        str(value.get("project") or ""),
    ]


def credentials(found: Iterable[Known]) -> str:
    rows = [[each.url, str(each.value.get("username") or "-"), _said(each.ssh), _said(each.tls)] for each in found]
    return argo_table(_CREDENTIALS, rows)


def as_json(known: Entry, address: str = "repo") -> JsonObject:
    """What may be seen of it, with Argo CD's names; *address* is what it calls the address."""
    texts = {name: known.fields.legible(name) for name in _TEXTS}
    switches = {name: _true(known, name) for name in _SWITCHES}
    value: JsonObject = {
        address: redacted(known.url),
        "type": known.fields.legible("type") or "git",
        **texts,
        **switches,
        "insecure": _true(known, "insecure") or _true(known, "insecureIgnoreHostKey"),
    }
    said = {name: each for name, each in value.items() if each}
    return {**said, "connectionState": {"status": "Failed", "message": known.fault}} if known.fault else said


def _true(known: Entry, name: str) -> bool:
    return known.fields.legible(name) in _TRUE


def _said(value: bool) -> str:
    return "true" if value else "false"
