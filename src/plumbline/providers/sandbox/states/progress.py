"""Things on their way from one state to the next, in the sandbox's time.

moto's own objects carry the state where they have an attribute for it, so that lists and single reads agree. Nothing ticks:
whoever asks finds what the clock says by then.
"""

import heapq
from collections.abc import Callable, MutableMapping
from typing import Any, Final

import msgspec

from plumbline.providers.sandbox.backend import store
from plumbline.providers.sandbox.calls import Answer, Call
from plumbline.providers.sandbox.options import Options
from plumbline.providers.sandbox.pace import Pace
from plumbline.providers.sandbox.states.table import BY_OPERATION, Kind

# moto's clusters become available by being looked at.
_IMPATIENT: Final = frozenset({"db-cluster"})

Place = tuple[str, str, str, str]
"""Kind, account, region, name."""


class Change(msgspec.Struct):
    kind: Kind
    place: Place
    things: MutableMapping[str, Any]
    key: str
    thing: Any
    state: str
    leaves: bool
    """It is gone afterwards."""


class Progress:
    def __init__(self, pace: Pace, options: Callable[[], Options]) -> None:
        self._pace = pace
        self._options = options
        self._order = 0
        self._due: list[tuple[float, int, Change]] = []
        self._changes: dict[Place, Change] = {}
        self._deleted_s: dict[Place, float] = {}

    def clear(self) -> None:
        self._due.clear()
        self._changes.clear()
        self._deleted_s.clear()

    def settle(self) -> None:
        """Let everything that is due by now have happened."""
        while self._due and self._due[0][0] <= self._pace.now_s():
            change = heapq.heappop(self._due)[2]
            if self._changes.get(change.place) is change:
                del self._changes[change.place]
                self._end(change)
        for change in self._changes.values():
            if change.kind.name in _IMPATIENT:
                setattr(change.thing, change.kind.attribute, change.state)

    def state(self, kind: str, call: Call, name: str) -> str:
        """The state that something is passing through; empty where it is in none."""
        change = self._changes.get((kind, call.account, call.region, name))
        return change.state if change is not None else ""

    def since_deleted_s(self, kind: str, call: Call, name: str) -> float | None:
        at_s = self._deleted_s.get((kind, call.account, call.region, name))
        return None if at_s is None else self._pace.now_s() - at_s

    def before(self, call: Call) -> Any:
        """What a deletion is about, to be handed to `after`; None for all else."""
        kind = BY_OPERATION.get((call.service, call.operation))
        if kind is None or call.operation not in kind.delete:
            return None
        return things_of(kind, call).get(name_of(kind, call))

    def after(self, call: Call, answer: Answer, deleted: Any) -> Answer:
        """Begin what the call has brought about, and have the answer say so."""
        kind = BY_OPERATION.get((call.service, call.operation))
        if kind is None:
            return answer
        if call.operation in kind.describe:
            return self._described(kind, call, answer)
        if not answer.accepted:
            return answer
        name = name_of(kind, call)
        place = (kind.name, call.account, call.region, name)
        if call.operation in kind.delete:
            self._deleted_s[place] = self._pace.now_s()
            return self._shown(answer, kind, kind.deleting) if self._leave(kind, call, name, deleted) else answer
        self._deleted_s.pop(place, None)
        creates = call.operation in kind.create
        state = kind.creating if creates else kind.modifying
        begun = self._begin(kind, call, name, state, leaves=False)
        return self._shown(answer, kind, state) if begun and creates else answer

    def _leave(self, kind: Kind, call: Call, name: str, deleted: Any) -> bool:
        if deleted is None or not kind.shown or not self._lasts_s(kind, kind.deleting):
            self._changes.pop((kind.name, call.account, call.region, name), None)
            things_of(kind, call).pop(name, None)
            return False
        things_of(kind, call)[name] = deleted
        return self._begin(kind, call, name, kind.deleting, leaves=True)

    def _begin(self, kind: Kind, call: Call, name: str, state: str, *, leaves: bool) -> bool:
        lasts_s = self._lasts_s(kind, state)
        things = things_of(kind, call)
        thing = things.get(name)
        if not lasts_s or not kind.shown or thing is None:
            return False
        place = (kind.name, call.account, call.region, name)
        change = Change(kind=kind, place=place, things=things, key=name, thing=thing, state=state, leaves=leaves)
        if kind.attribute:
            setattr(thing, kind.attribute, state)
        self._changes[place] = change
        self._order += 1
        heapq.heappush(self._due, (self._pace.now_s() + lasts_s, self._order, change))
        return True

    def _end(self, change: Change) -> None:
        if change.leaves:
            if change.things.get(change.key) is change.thing:
                del change.things[change.key]
        elif change.kind.attribute:
            setattr(change.thing, change.kind.attribute, change.kind.ready)

    def _lasts_s(self, kind: Kind, state: str) -> float:
        options = self._options()
        return options.states_s.get(f"{kind.name}/{state.lower()}", options.state_s)

    def _described(self, kind: Kind, call: Call, answer: Answer) -> Answer:
        state = self.state(kind.name, call, name_of(kind, call))
        return self._shown(answer, kind, state) if state and not kind.attribute else answer

    @staticmethod
    def _shown(answer: Answer, kind: Kind, state: str) -> Answer:
        """The answer with the state that begins now, which moto did not know when it wrote it."""
        said = kind.shown.format(kind.ready).encode()
        return msgspec.structs.replace(answer, body=answer.body.replace(said, kind.shown.format(state).encode()))


def name_of(kind: Kind, call: Call) -> str:
    """The name under which moto keeps what a call is about."""
    name = str(call[kind.key] or call["QueueUrl"] or "")
    return name.rpartition("/")[2] if "/" in name else name.rpartition(":")[2]


def things_of(kind: Kind, call: Call) -> MutableMapping[str, Any]:
    path = [str(call[step[1:-1]]) if step.startswith("{") else step for step in kind.store]
    return store(kind.service, call.account, call.region, *path)
