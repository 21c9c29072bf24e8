"""What has been told already, as it is noted on an Application: upstream's keys and JSON. Pure.

A key names the trigger, its condition, and the destination, and with `oncePer` what it was told about. It is there once
it was told; without `oncePer` it goes when the condition no longer holds, so that the next time is told again.
"""

from collections.abc import Mapping
from contextlib import suppress
from typing import Final, NamedTuple

import msgspec

from plumbline.base.json import decode, encode_sorted
from plumbline.delivery.notifications.subscriptions import Destination

_MOST: Final = 100
_HTML: Final = str.maketrans({"<": "\\u003c", ">": "\\u003e", "&": "\\u0026", "\u2028": "\\u2028", "\u2029": "\\u2029"})

State = Mapping[str, int]
"""Key to seconds since the epoch."""


class Result(NamedTuple):
    """What came of one condition of a trigger."""

    key: str
    """Its number and the hash of its text."""
    triggered: bool
    templates: tuple[str, ...]
    once_per: str = ""


def key_of(trigger: str, result: Result, destination: Destination) -> str:
    key = f"{trigger}:{result.key}:{destination.service}:{destination.recipient}"
    return f"{result.once_per}:{key}" if result.once_per else key


def read_state(text: str) -> dict[str, int]:
    """What is noted; nothing where the note cannot be read, as upstream has it."""
    with suppress(msgspec.DecodeError, msgspec.ValidationError):
        return decode(text.encode(), type=dict[str, int]) if text else {}
    return {}


def written_state(state: State) -> str | None:
    """The note, or None where there is nothing to note. The oldest go first."""
    kept = dict(sorted(state.items(), key=lambda item: item[1])[-_MOST:])
    return encode_sorted(kept).decode().translate(_HTML) if kept else None


class Change(NamedTuple):
    """How the note is to differ: kept apart from it, because others may write the Application meanwhile."""

    told: Mapping[str, int]
    withdrawn: frozenset[str]

    def __bool__(self) -> bool:
        return bool(self.told or self.withdrawn)

    def applied(self, state: State) -> dict[str, int]:
        return {**{key: at for key, at in state.items() if key not in self.withdrawn}, **self.told}


NO_CHANGE: Final = Change({}, frozenset())
