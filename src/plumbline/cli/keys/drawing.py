"""Keys as people and programs read them: names, fingerprints and dates, never the private half. Pure."""

from collections.abc import Collection, Iterable, Sequence
from typing import Final

from plumbline.base.clock import rfc3339
from plumbline.base.json import JsonObject
from plumbline.cli.keys.store import Stored
from plumbline.cli.terminal import Styled, table
from plumbline.secrets.sealing import Keyring, SealingKey

_HEADER: Final = ("NAME", "FINGERPRINT", "MADE", "EXPIRES", "NEWEST", "STATUS", "EXPORTED", "FOR")
_KEPT: Final = ("NAME", "FINGERPRINT", "MADE", "EXPIRES")


def newest_of(there: Iterable[Stored]) -> str:
    """Fingerprint of the one that is sealed for; empty where none is used."""
    ring = Keyring([each.key for each in there if each.key is not None and each.used])
    return ring.newest.fingerprint if ring.keys else ""


def as_json(stored: Stored, newest: str) -> JsonObject:
    said: JsonObject = {"name": stored.name, "status": stored.status}
    if stored.key is None:
        return {**said, "fault": stored.fault}
    mark = stored.exported
    return {
        **said,
        **key_as_json(stored.key),
        "newest": stored.used and stored.key.fingerprint == newest,
        "exported": None if mark is None else {"at": mark.when, "for": mark.whom},
    }


def key_as_json(key: SealingKey) -> JsonObject:
    return {
        "name": key.name,
        "fingerprint": key.fingerprint,
        "made": rfc3339(key.not_before),
        "expires": rfc3339(key.not_after),
    }


def listed(there: Sequence[Stored], newest: str) -> str:
    return table(_HEADER, [_row(each, newest) for each in there])


def _row(stored: Stored, newest: str) -> list[str | Styled]:
    if stored.key is None:
        return [stored.name, "-", "-", "-", "-", Styled("no key", "red"), "-", ""]
    mark = stored.exported
    return [
        *_described(stored.key),
        "yes" if stored.used and stored.key.fingerprint == newest else "no",
        Styled(stored.status, "" if stored.used else "yellow"),
        Styled("never", "yellow") if mark is None else mark.when,
        mark.whom if mark else "",
    ]


def kept(keys: Collection[SealingKey]) -> str:
    return table(_KEPT, [_described(each) for each in keys])


def _described(key: SealingKey) -> tuple[str, str, str, str]:
    return (key.name or "-", key.fingerprint, rfc3339(key.not_before), rfc3339(key.not_after))
