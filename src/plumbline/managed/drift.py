"""How what is found differs from what is wanted, in words. Pure. Secret values are never among them."""

import re
from collections.abc import Iterable
from typing import Final

from plumbline.base.errors import FieldNotFound, InvalidInput
from plumbline.base.json import Json, JsonObject, encode_sorted
from plumbline.kube.fieldpath import get_path
from plumbline.managed.external import Difference

_SECRET: Final = re.compile(r"(?i)password|secret|token|credential|private_?key|connection_?string|auth_?string")
_LONGEST_VALUE: Final = 80
_MOST: Final = 8
MASK: Final = "***"


def lasting(differences: Iterable[Difference], wanted: JsonObject, initial: JsonObject) -> tuple[Difference, ...]:
    """Those that are to be mended: what only `initProvider` says was said for creation alone."""
    return tuple(each for each in differences if _says(wanted, each.path) or not _says(initial, each.path))


def described(differences: Iterable[Difference]) -> str:
    """`storage is 200, wanted 100`, one after the other, in a fixed order."""
    listed = sorted(differences, key=lambda each: each.path)
    told = [f"{each.path} is {_shown(each.path, each.found)}, wanted {_shown(each.path, each.wanted)}" for each in listed[:_MOST]]  # fmt: skip
    more = len(listed) - _MOST
    return "; ".join(told) + (f"; and {more} more" if more > 0 else "")


def fields(differences: Iterable[Difference]) -> str:
    """The fields alone, with what they are to become."""
    listed = sorted(differences, key=lambda each: each.path)
    return ", ".join(f"{each.path} to {_shown(each.path, each.wanted)}" for each in listed)


def fingerprint(differences: Iterable[Difference]) -> bytes:
    """Equal for the same differences."""
    return encode_sorted([[each.path, each.wanted, each.found] for each in sorted(differences, key=lambda e: e.path)])


def unset(late: JsonObject, *said: JsonObject) -> JsonObject:
    """Of *late* what none of *said* has, at any depth."""
    found: JsonObject = {}
    for name, value in late.items():
        holders = [each[name] for each in said if each.get(name) is not None]
        if not holders:
            found[name] = value
        elif isinstance(value, dict) and all(isinstance(each, dict) for each in holders):
            below = unset(value, *holders)
            found |= {name: below} if below else {}
    return found


def _says(part: JsonObject, path: str) -> bool:
    try:
        return get_path(part, path) is not None
    except (FieldNotFound, InvalidInput):
        return False


def _shown(path: str, value: Json) -> str:
    if _SECRET.search(path):
        return MASK
    if value is None:
        return "unset"
    if isinstance(value, bool | int | float):
        return str(value).lower() if isinstance(value, bool) else str(value)
    text = value if isinstance(value, str) else encode_sorted(_masked(value)).decode()
    shown = text if len(text) <= _LONGEST_VALUE else text[:_LONGEST_VALUE] + "…"
    return shown if isinstance(value, str) and shown else repr(shown) if isinstance(value, str) else shown


def _masked(value: Json) -> Json:
    if isinstance(value, dict):
        return {name: MASK if _SECRET.search(name) else _masked(below) for name, below in value.items()}
    return [_masked(item) for item in value] if isinstance(value, list) else value
