"""A reconciler is a tuple of steps. It gets an object, never an event, and can be started over at any point."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any, Generic, TypeAlias, TypeVar

import msgspec

from plumbline.base.json import JsonObject
from plumbline.kernel.conditions import Conditions
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


@dataclass(frozen=True)
class Run(Generic[S, T]):
    """One look at one object."""

    read: Read[S, T]
    generation: int
    deleting: bool
    happened: list[Event] = field(default_factory=list)

    @property
    def spec(self) -> S:
        return self.read.spec

    @property
    def object(self) -> JsonObject:
        return self.read.raw

    def tell(self, reason: str, message: str, *, warning: bool = False) -> None:
        """Say that something happened; it becomes an Event once the look is over."""
        self.happened.append(Event(reason, message, warning))


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
    teardown: tuple[Step, ...] = ()

    def status(self, run: Run[S, T], at: Any) -> JsonObject:
        """Fields of the status besides conditions, from the state that the last successful step returned. Pure."""
        del run, at
        return {}
