"""How soon an application is looked at whose objects fare otherwise, and once more otherwise, and so on.

Each change is a look and a record. The first ones are what people wait for, and so is whatever moves a sync. But pods that end
as soon as they begin change what is said of them several times a second, for as long as nobody repairs them.
"""

from collections import deque
from typing import Final

import msgspec

from plumbline.base.clock import Clock
from plumbline.delivery.steps.progressing import ENDED
from plumbline.kernel.cache import Cached, Key

PAUSE_S: Final = 1.0
_CHANGES: Final = 8
_WITHIN_S: Final = _CHANGES * PAUSE_S


class _State(msgspec.Struct, frozen=True):
    phase: str = ""


class _Status(msgspec.Struct, frozen=True, rename="camel"):
    operation_state: _State | None = None


class _Application(msgspec.Struct, frozen=True):
    status: _Status | None = None
    operation: dict[str, msgspec.Raw] | None = None


_decoder: Final = msgspec.json.Decoder(_Application)


class Flapping:
    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._changed_s: dict[Key, deque[float]] = {}

    def pause_s(self, application: Cached) -> float:
        """Its objects have just changed how they fare: how long a look can wait for more of that, mostly not at all."""
        now_s = self._clock.monotonic()
        last_s = self._changed_s.setdefault(application.meta.key, deque(maxlen=_CHANGES))
        flaps = len(last_s) == _CHANGES and now_s - last_s[0] < _WITHIN_S
        last_s.append(now_s)
        return PAUSE_S if flaps and not _is_syncing(application) else 0.0

    def forget(self, key: Key) -> None:
        self._changed_s.pop(key, None)


def _is_syncing(application: Cached) -> bool:
    try:
        read = _decoder.decode(application.raw)
    except msgspec.ValidationError:
        return True  # nobody knows: nothing is put off
    state = read.status.operation_state if read.status is not None else None
    return read.operation is not None or (state is not None and state.phase not in ENDED)
