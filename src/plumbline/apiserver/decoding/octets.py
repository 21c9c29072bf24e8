"""The fields of a type that hold bytes, and what is wrong with the base64 in them. Most kinds have none, and cost nothing."""

from collections.abc import Iterator
from typing import Final, TypeAlias

from plumbline.apiserver.decoding.base64text import base64_fault
from plumbline.apiserver.decoding.types import Mapping, Octets, Sequence, Structure, Type
from plumbline.base.json import Json

Ways: TypeAlias = dict[str, "Ways"]
"""Names that lead to bytes, each with the names below it; `*` stands for every item or value."""

_EACH: Final = "*"
_ways: dict[str, Ways] = {}


def octets_fault(value: Json, type_: Structure) -> str:
    """Why a field of *value* that should hold bytes holds none, in the words of Go; empty if all of them do."""
    ways = _ways.get(type_.message)
    if ways is None:
        ways = _ways[type_.message] = _leading(type_, ()) or {}
    return next(filter(None, map(base64_fault, _texts(value, ways))), "") if ways else ""


def _leading(type_: Type, above: tuple[str, ...]) -> Ways | None:
    """The ways to bytes below *type_*; None where there are none. A type within itself leads nowhere new."""
    if isinstance(type_, Octets):
        return {}
    if isinstance(type_, Mapping | Sequence):
        below = _leading(type_.value if isinstance(type_, Mapping) else type_.item, above)
        return None if below is None else {_EACH: below}
    if not isinstance(type_, Structure) or type_.message in above:
        return None
    inner = (*above, type_.message)
    found = {name: _leading(member.type, inner) for name, member in type_.members.items()}
    ways = {name: below for name, below in found.items() if below is not None}
    return ways or None


def _texts(value: Json, ways: Ways) -> Iterator[bytes]:
    if not ways:
        if isinstance(value, str):
            yield value.encode()
        return
    below = ways.get(_EACH)
    if below is not None:
        items = value if isinstance(value, list) else value.values() if isinstance(value, dict) else ()
        for item in items:
            yield from _texts(item, below)
    elif isinstance(value, dict):
        for name, deeper in ways.items():
            yield from _texts(value.get(name), deeper)
