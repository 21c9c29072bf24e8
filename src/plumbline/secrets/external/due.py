"""Whether the store has to be asked again, and when to look next. Pure."""

import hashlib
from datetime import datetime, timedelta
from typing import Final, NamedTuple

from plumbline.kinds.externalsecrets.externalsecret import ExternalSecretSpec, ExternalSecretStatus
from plumbline.secrets.external.windows import blocked_s

_SPREAD: Final = 0.1
"""The share of an interval by which objects are early, each by its own: made in one moment, they part at once."""
_SCALE: Final = 2**64


class Due(NamedTuple):
    now: bool
    after_s: float | None = None
    """When to look again if it is not; None where only a change can make it so."""


_NOW: Final = Due(now=True)
_NEVER: Final = Due(now=False)


class Asked(NamedTuple):
    """What decides, besides the time."""

    spec: ExternalSecretSpec
    status: ExternalSecretStatus
    version: str
    """What the object says, in a word: another word than the one in the status means another object."""
    uid: str


def due(asked: Asked, now: datetime) -> Due:
    spec, status = asked.spec, asked.status
    synced, refreshed = status.synced_resource_version, status.refresh_time
    if not synced or refreshed is None:
        return _NOW
    if spec.refresh_policy == "CreatedOnce":
        return _NEVER
    if spec.refresh_policy == "OnChange":
        return _NOW if synced != asked.version else _NEVER
    interval_s = spec.refresh_interval.seconds
    if interval_s <= 0:
        return _NEVER
    if synced != asked.version or refreshed.moment > now:
        # A refresh that is still to come was noted by a clock that was wrong, or is.
        return _NOW
    at = refreshed.moment + timedelta(seconds=every_s(asked))
    if at > now:
        return Due(now=False, after_s=(at - now).total_seconds())
    wait_s = blocked_s(spec.sync_windows, now)
    return Due(now=False, after_s=wait_s) if wait_s else _NOW


def every_s(asked: Asked) -> float:
    """The interval of this very object: never more than it asks for, and a little less."""
    digest = hashlib.sha256(asked.uid.encode()).digest()
    part = int.from_bytes(digest[:8], "big") / _SCALE
    return asked.spec.refresh_interval.seconds * (1 - _SPREAD * part)


def next_s(asked: Asked) -> float | None:
    """When to look again after a refresh just now; None where only a change leads to another."""
    periodic = asked.spec.refresh_policy == "Periodic" and asked.spec.refresh_interval.seconds > 0
    return every_s(asked) if periodic else None
