"""Repositories and credentials as people read them: never a secret value. Pure."""

from collections.abc import Iterable
from typing import Final

from plumbline.base.json import JsonObject
from plumbline.cli.terminal import table
from plumbline.source.secrets import Entry
from plumbline.source.urls import redacted

_REPOSITORIES: Final = ("TYPE", "NAME", "REPO", "INSECURE", "OCI", "LFS", "CREDS", "STATUS", "MESSAGE", "PROJECT")
_CREDENTIALS: Final = ("URL PATTERN", "USERNAME", "SSH_CREDS", "TLS_CREDS")
_TRUE: Final = frozenset({"1", "t", "T", "TRUE", "true", "True"})
_TEXTS: Final = ("name", "project", "username", "proxy", "noProxy")
_SWITCHES: Final = ("insecure", "enableLfs", "enableOCI", "insecureOCIForceHttp", "forceHttpBasicAuth")


def repositories(entries: Iterable[Entry]) -> str:
    return table(_REPOSITORIES, [_repository(each) for each in entries])


def _repository(known: Entry) -> list[str]:
    fields = known.fields
    insecure = _true(known, "insecure") or _true(known, "insecureIgnoreHostKey")
    return [
        fields.legible("type") or "git",
        fields.legible("name"),
        redacted(known.url),
        _said(insecure),
        _said(_true(known, "enableOCI")),
        _said(_true(known, "enableLfs")),
        _said(fields.credentials_of_its_own),
        "Failed" if known.fault else "Unknown",
        known.fault,
        known.project,
    ]


def credentials(entries: Iterable[Entry]) -> str:
    rows = [
        [
            redacted(each.url),
            each.fields.legible("username") or "-",
            _said(bool(each.fields.values.get("sshPrivateKey"))),
            _said(bool(each.fields.values.get("tlsClientCertData"))),
        ]
        for each in entries
    ]
    return table(_CREDENTIALS, rows)


def as_json(known: Entry, address: str = "repo") -> JsonObject:
    """What may be seen of it, with Argo CD's names; *address* is what it calls the address."""
    texts = {name: known.fields.legible(name) for name in _TEXTS}
    switches = {name: _true(known, name) for name in _SWITCHES}
    value: JsonObject = {
        address: redacted(known.url),
        "type": known.fields.legible("type") or "git",
        **texts,
        **switches,
    }
    said = {name: each for name, each in value.items() if each}
    return {**said, "connectionState": {"status": "Failed", "message": known.fault}} if known.fault else said


def _true(known: Entry, name: str) -> bool:
    return known.fields.legible(name) in _TRUE


def _said(value: bool) -> str:
    return "true" if value else "false"
