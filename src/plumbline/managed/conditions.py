"""Upstream's conditions and reasons, and how a look at a managed resource can end. Pure."""

from collections.abc import Iterable
from typing import Final

from plumbline.base.errors import PlumblineError, Refused
from plumbline.base.json import Json, JsonObject
from plumbline.kernel.conditions import Condition
from plumbline.kernel.outcomes import Done, Stuck, Wait
from plumbline.managed.external import Observed

READY: Final = "Ready"
SYNCED: Final = "Synced"
UP_TO_DATE: Final = "UpToDate"
OWNED: Final = frozenset({READY, SYNCED, UP_TO_DATE})

AVAILABLE: Final = Condition(READY, "True", "Available")
CREATING: Final = Condition(READY, "False", "Creating")
DELETING: Final = Condition(READY, "False", "Deleting")
SUCCESS: Final = Condition(SYNCED, "True", "ReconcileSuccess")
PAUSED: Final = Condition(SYNCED, "False", "ReconcilePaused")
MATCHED: Final = Condition(UP_TO_DATE, "True", "ObserveMatched")
_LONGEST_MESSAGE: Final = 1024


class Rest(Done, frozen=True):
    """The look went well."""

    conditions: tuple[Condition, ...] = ()


class Held(Wait, frozen=True):
    """Something has to happen first. *event* is the reason of the event that says so, once."""

    conditions: tuple[Condition, ...] = ()
    event: str = ""


class Halted(Stuck, frozen=True):
    """Nothing happens before somebody changes something."""

    conditions: tuple[Condition, ...] = ()
    event: str = ""


def error(message: str, reason: str = "ReconcileError") -> Condition:
    return Condition(SYNCED, "False", reason, message)


def differing(reason: str, message: str) -> Condition:
    return Condition(UP_TO_DATE, "False", reason, message)


def readiness(observed: Observed) -> Condition:
    status = "True" if observed.state == "Available" else "False"
    return Condition(READY, status, observed.state, observed.message)


def held(event: str, message: str, after_s: float, *also: Condition, reason: str = "ReconcileError") -> Held:
    """A wait that people are told of."""
    return Held(reason, message, after_s, (error(message, reason), *also), event)


def words(failure: PlumblineError) -> str:
    """A failure for people: what is wrong, and what to do about it where only a person can."""
    return f"{failure}. {failure.hint}" if isinstance(failure, Refused) and failure.hint else str(failure)


def had(conditions: Json, type_: str) -> JsonObject:
    """The condition as it is on the object, or nothing."""
    listed: Iterable[Json] = conditions if isinstance(conditions, list) else ()
    return next((each for each in listed if isinstance(each, dict) and each.get("type") == type_), {})


def differs(before: JsonObject, now: Condition) -> bool:
    """Whether people would see something else."""
    said = (before.get("status"), before.get("reason"), before.get("message") or "")
    return said != (now.status, now.reason, cut(now.message))


def cut(message: str) -> str:
    return message if len(message) <= _LONGEST_MESSAGE else message[: _LONGEST_MESSAGE - 1] + "…"
