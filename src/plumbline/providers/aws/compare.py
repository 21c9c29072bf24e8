"""Whether what AWS has is what a manifest wants. Pure; total over JSON."""

import re
from typing import Final

import msgspec

from plumbline.base.json import Json, decode
from plumbline.providers.aws.shapes import text
from plumbline.providers.aws.table import Equality

_PARTS: Final = re.compile(r"\d+|[^\d.]+")


def same(wanted: Json, found: Json, how: Equality | None = None) -> bool:
    """Whether *found* has everything that *wanted* says. What it has besides, AWS chose."""
    if how == "document":
        return document(wanted) == document(found)
    if how == "version":
        return _no_older(text(found), text(wanted))
    if how == "lower":
        return text(wanted).lower() == text(found).lower()
    if how == "dns":
        return text(wanted).lower().rstrip(".") == text(found).lower().rstrip(".")
    if how == "switch" and not enabled(wanted) and not enabled(found):
        return True
    if how == "id":
        # Which key an alias means, no answer tells.
        return "alias/" in text(wanted) or text(wanted).rpartition("/")[2] == text(found).rpartition("/")[2]
    return _covers(wanted, found, ordered=how == "ordered")


def _no_older(found: str, wanted: str) -> bool:
    """AWS upgrades by itself and never goes back: what is newer than wanted stays. `15` is any of `15.x`."""
    if f"{found}.".startswith(f"{wanted}."):
        return True
    parts = [[int(part) if part.isdigit() else part for part in _PARTS.findall(version)] for version in (found, wanted)]
    for have, want in zip(*parts, strict=False):
        if have != want:
            return isinstance(have, int) and isinstance(want, int) and have > want
    return False


def enabled(value: Json) -> bool:
    one = value[0] if isinstance(value, list) and value else value
    return isinstance(one, dict) and bool(one.get("enabled"))


def _covers(wanted: Json, found: Json, *, ordered: bool) -> bool:
    if not wanted and not found:
        return True  # off, zero, empty and unsaid are one
    if isinstance(wanted, dict) and isinstance(found, dict):
        return all(_covers(value, found.get(key), ordered=ordered) for key, value in wanted.items())
    if isinstance(wanted, list) and isinstance(found, dict):
        return len(wanted) == 1 and _covers(wanted[0], found, ordered=ordered)
    if isinstance(wanted, list) and isinstance(found, list):
        if len(wanted) != len(found):
            return False
        return (
            all(_covers(*pair, ordered=True) for pair in zip(wanted, found, strict=True))
            if ordered
            else _paired(wanted, found)
        )
    if isinstance(wanted, (dict, list)) or isinstance(found, (dict, list)) or found is None or wanted is None:
        return False
    return text(wanted) == text(found)


def _paired(wanted: list[Json], found: list[Json]) -> bool:
    """Whether every one that is wanted has one of its own among *found*. A lenient one makes room for a choosy one."""
    taken: dict[int, int] = {}

    def place(index: int, tried: set[int]) -> bool:
        for other, candidate in enumerate(found):
            if other in tried or not _covers(wanted[index], candidate, ordered=False):
                continue
            tried.add(other)
            if other not in taken or place(taken[other], tried):
                taken[other] = index
                return True
        return False

    return all(place(index, set()) for index in range(len(wanted)))


def document(value: Json) -> Json:
    """A JSON document as a value; policies come as text from some operations and as structures from others."""
    if not isinstance(value, str):
        return value
    try:
        return _sorted(decode(value))
    except msgspec.DecodeError:
        return value


def _sorted(value: Json) -> Json:
    """Policies say `"x"` for `["x"]`, and the order of actions means nothing."""
    if isinstance(value, dict):
        return {key: _sorted(item) for key, item in value.items()}
    if isinstance(value, list):
        items = [_sorted(item) for item in value]
        if len(items) == 1 and isinstance(items[0], str):
            return items[0]
        return sorted(items) if all(isinstance(item, str) for item in items) else items
    return value
