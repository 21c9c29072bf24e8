"""When to look again: polls spread evenly, haste while something is being made, patience with a provider that asks for it."""

import hashlib
from collections.abc import Hashable, Mapping
from typing import Final

from plumbline.base.clock import Clock
from plumbline.base.errors import InvalidInput
from plumbline.kinds.duration import Duration
from plumbline.managed.spec import POLL_INTERVAL

_SHORTEST_POLL_S: Final = 1.0
_TOO_SOON: Final = 0.1
_HASTE_S: Final = (1.0, 1.0, 2.0, 3.0, 5.0, 8.0, 13.0, 20.0, 30.0)
_LONGEST_PAUSE_S: Final = 60.0
_RELIEF_S: Final = 30.0
"""Throttled again within this time after a pause, the next one is twice as long."""


def spread(*key: str) -> float:
    """A number from 0 to 1 that is another for every key, and the same on every machine."""
    digest = hashlib.blake2b("\0".join(key).encode(), digest_size=8).digest()
    return int.from_bytes(digest, "big") / 2**64


def until_slot_s(now_s: float, every_s: float, place: float) -> float:
    """Seconds until the next of those moments, *every_s* apart, that belong to *place*: all places together are even."""
    left_s = (place * every_s - now_s) % every_s
    return left_s if left_s >= every_s * _TOO_SOON else left_s + every_s


def poll_s(annotations: Mapping[str, str], usual_s: float) -> float:
    """How often somebody wants it looked at; nonsense is as good as nothing."""
    said = annotations.get(POLL_INTERVAL)
    if not said:
        return usual_s
    try:
        wanted_s = Duration.parse(said).ns / 1e9
    except InvalidInput:
        return usual_s
    return max(wanted_s, _SHORTEST_POLL_S) if wanted_s > 0 else usual_s


class Haste:
    """Looks at what is being made or taken away: soon at first, then less and less often."""

    def __init__(self) -> None:
        self._looks: dict[Hashable, tuple[str, int]] = {}

    def next_s(self, key: Hashable, state: str) -> float:
        """When to look again at what is still in *state*."""
        before, looks = self._looks.get(key, (state, 0))
        looks = looks if before == state else 0
        self._looks[key] = state, looks + 1
        return _HASTE_S[min(looks, len(_HASTE_S) - 1)]

    def forget(self, key: Hashable) -> None:
        self._looks.pop(key, None)


class Throttles:
    """Provider configurations that were told to slow down: nobody calls through them before the time is over."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._until: dict[Hashable, tuple[float, float]] = {}

    def slow_down(self, config: Hashable, after_s: float) -> float:
        """*config* was throttled; returns for how long nobody asks."""
        now_s = self._clock.monotonic()
        until_s, pause_s = self._until.get(config, (float("-inf"), 0.0))
        if now_s < until_s:
            return until_s - now_s  # several calls were under way and all of them were refused
        again = now_s < until_s + _RELIEF_S
        pause_s = min(max(after_s, pause_s * 2 if again else 0.0), max(_LONGEST_PAUSE_S, after_s))
        self._until[config] = now_s + pause_s, pause_s
        return pause_s

    def left_s(self, config: Hashable, place: float) -> float:
        """How long *place* has to wait still: not all at once when the time is over."""
        until_s, pause_s = self._until.get(config, (0.0, 0.0))
        left_s = until_s - self._clock.monotonic()
        return left_s + place * pause_s if left_s > 0 else 0.0
