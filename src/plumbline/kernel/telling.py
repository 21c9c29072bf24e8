"""Events are written when there is time: in a rush of looks, what people wait for goes first."""

import asyncio
from collections import deque
from collections.abc import Callable
from typing import Final, NamedTuple

import msgspec

from plumbline.base.clock import Clock, rfc3339
from plumbline.base.errors import AlreadyExists, PlumblineError
from plumbline.base.json import JsonObject
from plumbline.base.log import logger
from plumbline.kernel.reconciler import Event
from plumbline.kernel.records import Records

PATIENCE_S: Final = 30.0
"""How long an event waits for a quiet moment; then it is written among the rest."""
_GLANCE_S: Final = 0.1
_IDENTITY: Final = ("name", "namespace", "uid", "resourceVersion")

log = logger(__name__)


class _Pending(NamedTuple):
    obj: JsonObject
    event: Event
    since_s: float
    records: Records


class Teller:
    """One after the other, in the order in which they happened. Each says when that was, whenever it is written."""

    def __init__(self, records: Records, clock: Clock, busy: Callable[[], bool]) -> None:
        self._records = records
        self._clock = clock
        self._busy = busy
        self._pending: deque[_Pending] = deque()
        self._woken = asyncio.Event()
        self._closed = False

    def tell(self, obj: JsonObject, event: Event, records: Records | None = None) -> None:
        """Through *records*, where that is another door than the usual one."""
        metadata = {name: obj["metadata"][name] for name in _IDENTITY if name in obj["metadata"]}
        identity = {"apiVersion": obj["apiVersion"], "kind": obj["kind"], "metadata": metadata}
        dated = msgspec.structs.replace(event, at=rfc3339(self._clock.now()))
        self._pending.append(_Pending(identity, dated, self._now_s, records or self._records))
        self._woken.set()

    def close(self) -> None:
        """Nothing more is coming: `run` returns once all is told."""
        self._closed = True
        self._woken.set()

    async def run(self) -> None:
        while self._pending or not self._closed:
            if not self._pending:
                self._woken.clear()
                await self._woken.wait()
            elif self._closed or not self._busy() or self._now_s - self._pending[0].since_s >= PATIENCE_S:
                await self._write(self._pending.popleft())
            else:
                await self._clock.sleep(_GLANCE_S)

    @property
    def _now_s(self) -> float:
        return self._clock.monotonic()

    async def _write(self, pending: _Pending) -> None:
        event = pending.event
        try:
            await pending.records.emit(pending.obj, event)
        except AlreadyExists:
            return
        except PlumblineError as error:
            log.warning("event not written", code=error.code, reason=event.reason)
        except Exception:  # what cannot be told must never stop the looks
            log.exception("event crashed", reason=event.reason)
