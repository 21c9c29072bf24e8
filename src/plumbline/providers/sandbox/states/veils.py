"""What a read does not see: things that are too new (eventual consistency), and things that it did not ask for."""

from collections.abc import Iterator, MutableMapping
from contextlib import contextmanager
from typing import Any, Final

from plumbline.providers.sandbox.backend import backend, index
from plumbline.providers.sandbox.calls import Call
from plumbline.providers.sandbox.pace import Pace
from plumbline.providers.sandbox.states.progress import name_of, things_of
from plumbline.providers.sandbox.states.table import BY_OPERATION

# moto looks at every one of them to find the one that was named, which takes longer the more there are.
_NARROWED: Final = {"DescribeDBInstances": "databases", "DescribeDBClusters": "clusters"}

Scope = tuple[str, str, str]
"""Service, account, region."""


class Veils:
    def __init__(self, pace: Pace) -> None:
        self._pace = pace
        self._hidden: dict[Scope, list[tuple[float, MutableMapping[str, Any], str]]] = {}

    def clear(self) -> None:
        self._hidden.clear()

    def hide(self, call: Call, lasts_s: float) -> None:
        """What the call has just made, from those who read. Nothing where it is of no kind that is known."""
        kind = BY_OPERATION.get((call.service, call.operation))
        if kind is None or call.operation not in kind.create:
            return
        things = things_of(kind, call)
        name = name_of(kind, call)
        # What is kept under an id instead of its name was put in last.
        key = name if name in things else next(reversed(list(things)), None)
        if key is None:
            return
        until_s = self._pace.now_s() + lasts_s
        hidden = self._hidden.setdefault((call.service, call.account, call.region), [])
        hidden.append((until_s, things, key))
        if kind.index:
            hidden.append((until_s, index(kind.service, kind.index), key))

    @contextmanager
    def drawn(self, call: Call) -> Iterator[None]:
        """Inside, moto does not have what is hidden."""
        scope = (call.service, call.account, call.region)
        now_s = self._pace.now_s()
        hidden = [each for each in self._hidden.get(scope, ()) if each[0] > now_s]
        if not hidden:
            self._hidden.pop(scope, None)
            yield
            return
        self._hidden[scope] = hidden
        taken = [(things, key, things.pop(key)) for _, things, key in hidden if key in things]
        try:
            yield
        finally:
            for things, key, thing in taken:
                things[key] = thing


@contextmanager
def narrowed(call: Call) -> Iterator[None]:
    """Inside, moto has nothing of the kind but the one thing that is asked for by its name."""
    attribute = _NARROWED.get(call.operation)
    kind = BY_OPERATION.get((call.service, call.operation))
    if attribute is None or kind is None or call.params.keys() - {kind.key, "MaxRecords", "Marker"}:
        yield
        return
    place = backend(call.service, call.account, call.region)
    things = getattr(place, attribute)
    thing = things.get(name_of(kind, call))
    if thing is None:
        yield
        return
    only = type(things)()
    only[name_of(kind, call)] = thing
    setattr(place, attribute, only)
    try:
        yield
    finally:
        setattr(place, attribute, things)
