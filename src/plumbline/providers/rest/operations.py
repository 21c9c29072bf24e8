"""Operations that take a vendor minutes: remembered, looked at when somebody observes, never waited for.

The memory is of this process only. Without it everything still works, since what is being made can be observed: it saves
asking for the same change twice, and it tells why something that was accepted has failed later.
"""

from collections import OrderedDict
from typing import Final, Generic, Literal, TypeAlias, TypeVar

from plumbline.managed.external import State

Purpose: TypeAlias = Literal["create", "update", "delete"]
UNDER_WAY: Final[dict[Purpose, State]] = {"create": "Creating", "delete": "Deleting"}
LASTING: Final[frozenset[State]] = frozenset({"Available", "Unavailable"})
"""States that do not end by themselves."""
_KEPT: Final = 10_000

R = TypeVar("R")


class Remembered(Generic[R]):
    """Those that run, by the uid of the managed resource. The oldest is forgotten when there are too many."""

    def __init__(self) -> None:
        self._running: OrderedDict[str, R] = OrderedDict()

    def get(self, uid: str) -> R | None:
        return self._running.get(uid)

    def put(self, uid: str, running: R) -> None:
        self.forget(uid)
        self._running[uid] = running
        if len(self._running) > _KEPT:
            self._running.popitem(last=False)

    def forget(self, uid: str) -> None:
        self._running.pop(uid, None)
