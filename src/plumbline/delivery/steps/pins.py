"""Rollbacks that hold: an Application pinned to revisions of its past, for a while. Pure."""

from collections.abc import Mapping
from datetime import datetime
from typing import Final, NamedTuple

import msgspec

from plumbline.base.json import encode
from plumbline.delivery.status import Condition
from plumbline.kinds.timestamp import Time

PIN: Final = "plumbline.dev/rollback-pin"
"""On an Application: which revisions it is held at, and until when."""
_SHORT: Final = 7


class Pin(msgspec.Struct, frozen=True, omit_defaults=True):
    revisions: tuple[str, ...]
    """One for each source."""
    until: str = ""
    """When it ends, in RFC 3339; empty for when somebody takes it away."""
    id: int = 0
    """The entry of the history that it goes back to."""

    def written(self) -> str:
        return encode(self).decode()


class Held(NamedTuple):
    """What the pin means now: *revisions* to use instead of the newest, and what people are told."""

    revisions: tuple[str, ...] = ()
    conditions: tuple[Condition, ...] = ()
    ends_in_s: float | None = None


_NOTHING: Final = Held()


def held(annotations: Mapping[str, str], now: datetime) -> Held:
    text = annotations.get(PIN, "")
    if not text:
        return _NOTHING
    try:
        pin = msgspec.json.decode(text, type=Pin)
        left_s = (Time.read(pin.until).moment - now).total_seconds() if pin.until else None
    except (msgspec.DecodeError, ValueError):
        return Held(
            conditions=(Condition("RollbackPinWarning", f"The annotation {PIN} cannot be read and has no effect"),)
        )
    shown = ", ".join(revision[:_SHORT] for revision in pin.revisions)
    if left_s is not None and left_s <= 0:
        told = f"The rollback to {shown} has ended at {pin.until}: the newest revision counts again"
        return Held(conditions=(Condition("RollbackPinWarning", told),))
    lasting = f"until {pin.until}" if pin.until else f"until the annotation {PIN} is removed"
    told = f"Rolled back to {shown} and held there {lasting}, whatever is newer in Git"
    return Held(pin.revisions, (Condition("RollbackPinWarning", told),), left_s)
