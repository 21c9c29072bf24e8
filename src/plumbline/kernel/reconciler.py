"""A reconciler is a tuple of steps. It gets an object, never an event, and can be started over at any point."""

from collections.abc import Awaitable, Callable
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from typing import Any, Generic, NamedTuple, TypeAlias, TypeVar

import msgspec

from plumbline.base.json import JsonObject, decode
from plumbline.kernel.conditions import Condition, Conditions, Reported, fold, merged
from plumbline.kinds.fields import Fields
from plumbline.kinds.kind import Kind
from plumbline.kinds.read import Read

S = TypeVar("S", bound=Fields)
T = TypeVar("T", bound=Fields)
F = TypeVar("F", bound=Callable[..., Awaitable[Any]])


class Event(msgspec.Struct, frozen=True):
    """Something that happened to an object, for people who describe it."""

    reason: str
    message: str
    warning: bool = False
    at: str = ""
    """When it happened; empty for now."""
    recurs: bool = False
    """Whether the same may happen again to the same version of an object, and is told each time."""
    labels: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True)
class Run(Generic[S, T]):
    """One look at one object."""

    read: Read[S, T]
    generation: int
    deleting: bool
    happened: list[Event] = field(default_factory=list)
    learn: Callable[[bytes], None] = lambda _: None
    waiting: Callable[..., AbstractContextManager[None]] = nullcontext
    """Around what somebody outside may keep waiting: other objects are looked at after a moment, or after so many seconds."""
    hurried: Callable[[], bool] = lambda: False
    """Whether others want a look too, or did when this one began: who has time may wait a moment for what comes next."""

    @property
    def spec(self) -> S:
        return self.read.spec

    @property
    def object(self) -> JsonObject:
        return self.read.raw

    def tell(self, reason: str, message: str, *, warning: bool = False) -> None:
        """Say that something happened; it becomes an Event once the look is over."""
        self.happened.append(Event(reason, message, warning))

    def wrote(self, reply: bytes) -> None:
        """A step has written the object itself: the rest of the look is at what came of that, and no new look is due."""
        self.learn(reply)
        raw = self.read.raw
        raw.clear()
        raw.update(decode(reply))


class Seen(NamedTuple, Generic[S, T]):
    """What was looked at: the object, and the look, unless the object cannot be read."""

    object: JsonObject
    run: Run[S, T] | None


class Executed(NamedTuple):
    """What came of the steps."""

    reported: Reported
    state: Any
    """What the last step that succeeded returned."""
    failed: bool
    """Come back with growing patience rather than at the time the outcome names."""


class Change(NamedTuple):
    """What is written about an object: a merge patch, empty where nothing changed, and what people are told."""

    patch: JsonObject
    events: tuple[Event, ...] = ()


Step: TypeAlias = Callable[[Any, Any], Awaitable[Any]]
"""`async step(run, at) -> more state | Stop`: *at* is what the step before returned, None for the first."""


def reports(condition: str) -> Callable[[F], F]:
    """Declare that a step's success is the condition *condition*."""

    def declare(step: F) -> F:
        step.report = condition  # type: ignore[attr-defined]  # functions carry attributes; Callable does not say so
        return step

    return declare


def report_of(step: Step) -> str:
    return getattr(step, "report", "")


class Reconciler(Generic[S, T]):
    """Subclasses declare; the kernel does. Steps read top to bottom: that is the feature."""

    name: str
    kind: Kind[S, T]
    owns: Conditions = Conditions()
    steps: tuple[Step, ...] = ()
    finalizer: str = ""
    """Held while `teardown` has something to undo."""
    holds_itself: bool = False
    """A step puts the finalizer on, in one write with whatever else it says before anything is done."""
    teardown: tuple[Step, ...] = ()

    def status(self, run: Run[S, T], at: Any) -> JsonObject:
        """Fields of the status besides conditions, from the state that the last successful step returned. Pure."""
        del run, at
        return {}

    def change(self, seen: Seen[S, T], executed: Executed, now: str) -> Change:
        """What is written about the object once the look is over. Kinds whose status has another form say so here. Pure."""
        live = seen.object.get("status")
        before: JsonObject = live if isinstance(live, dict) else {}
        generation = seen.object["metadata"].get("generation") or 0
        fields = self.status(seen.run, executed.state) if seen.run is not None and executed.state is not None else {}
        folded = fold(self.owns, executed.reported, generation)
        listed = before.get("conditions")
        had = listed if isinstance(listed, list) else []
        conditions, changed = merged(had, folded, self.owns.owned, now)
        status = {**before, **fields, "observedGeneration": generation, "conditions": conditions}
        patch: JsonObject = {"status": status} if changed or status != before else {}
        return Change(patch, _transition(had, folded[-1]))

    def smaller(self, seen: Seen[S, T], executed: Executed, now: str) -> Change | None:
        """What is written where the server takes no record of that size; None for kinds whose records do not grow. Pure."""
        del seen, executed, now
        return None


def _transition(before: list[Any], ready: Condition) -> tuple[Event, ...]:
    """An event where Ready became something else than it was."""
    was = next((each for each in before if isinstance(each, dict) and each.get("type") == ready.type), {})
    if (was.get("status"), was.get("reason")) == (ready.status, ready.reason):
        return ()
    return (Event(ready.reason, ready.message or f"{ready.type} is {ready.status}", warning=ready.status == "False"),)
