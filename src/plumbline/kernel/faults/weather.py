"""Which faults happen, how often: chances drawn from one seed, so that a storm can be had again."""

from typing import Final

import msgspec

from plumbline.base.ids import Ids


class Weather(msgspec.Struct, frozen=True, kw_only=True):
    """Chances between 0 and 1, per request or per event of a watch."""

    latency_s: float = 0.02
    """The longest a request takes; how requests of several processes interleave follows from it."""
    lost_request: float = 0.0
    """It never arrives."""
    lost_reply: float = 0.0
    """It arrives and is done, and nobody is told."""
    conflict: float = 0.0
    throttled: float = 0.0
    server_error: float = 0.0
    stale_read: float = 0.0
    """A read is answered with what an earlier read of the same was answered.

    No part of the storm: reads that name no version are promised to be fresh, and a key that changes hands relies on it.
    """
    watch_closed: float = 0.0
    watch_expired: float = 0.0
    event_repeated: float = 0.0
    event_skipped: float = 0.0
    """An event is left out, if a later one of the same object is on its way."""
    events_swapped: float = 0.0
    event_delay_s: float = 0.0
    """The longest that an event is late: for so long every copy is stale."""
    killed_before: float = 0.0
    killed_after: float = 0.0
    """Per write: the process dies just before it goes out, or just after it was done."""
    paused: float = 0.0
    """Per write: the process stops with the write in its hand and goes on later."""
    longest_pause_s: float = 40.0


CALM: Final = Weather()
STORM: Final = Weather(
    lost_request=0.03, lost_reply=0.03, conflict=0.02, throttled=0.02, server_error=0.03,
    watch_closed=0.03, watch_expired=0.02, event_repeated=0.05, event_skipped=0.1, events_swapped=0.02,
    event_delay_s=5.0, killed_before=0.02, killed_after=0.02, paused=0.01,
)  # fmt: skip


class Dice:
    """Chances from a seed."""

    def __init__(self, seed: int) -> None:
        self._ids = Ids(seed)

    def happens(self, chance: float) -> bool:
        return chance > 0 and self._ids.between(0, 1) < chance

    def up_to(self, most: float) -> float:
        return self._ids.between(0, most) if most > 0 else 0.0
