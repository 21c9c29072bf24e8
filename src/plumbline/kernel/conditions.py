"""Conditions: what a reconciler reports, declared once, folded into one answer.

Pure. A condition's time changes only with its status, its message holds no time, and the list has one order; so equal
states give equal bytes, and a status is written only when something changed.
"""

from collections.abc import Iterable, Mapping

import msgspec

from plumbline.base.json import Json, JsonObject
from plumbline.kernel.outcomes import Done, Stop, Stuck

_LONGEST_MESSAGE = 1024


class Condition(msgspec.Struct, frozen=True, rename="camel", omit_defaults=True):
    type: str
    status: str
    reason: str
    message: str = ""
    observed_generation: int = 0
    last_transition_time: str = ""


class Conditions(msgspec.Struct, frozen=True):
    """What a reconciler owns: one report per step that reports, and the one they fold into."""

    ready: str = "Ready"
    reports: tuple[str, ...] = ()

    @property
    def owned(self) -> frozenset[str]:
        return frozenset((*self.reports, self.ready))


class Reported(msgspec.Struct, frozen=True):
    """How far a run came: reports that hold, the one it stopped at, and how it ended."""

    held: tuple[str, ...]
    stopped_at: str
    outcome: Stop


def fold(owns: Conditions, run: Reported, generation: int) -> tuple[Condition, ...]:
    """The conditions of a run: what holds, what does not, what was not reached, and Ready over all."""
    reports = tuple(_report(name, run, generation) for name in owns.reports)
    return (*reports, _summary(owns.ready, run, generation))


def _report(name: str, run: Reported, generation: int) -> Condition:
    if name in run.held:
        return Condition(name, "True", "Succeeded", "", generation)
    if name == run.stopped_at:
        status, reason, message = _stopped(run.outcome)
        return Condition(name, status, reason, message, generation)
    return Condition(
        name, "Unknown", "NotReached", f"Waiting for {run.stopped_at}" if run.stopped_at else "", generation
    )


def _summary(name: str, run: Reported, generation: int) -> Condition:
    status, reason, message = _stopped(run.outcome)
    return Condition(name, status, reason, message, generation)


def _stopped(outcome: Stop) -> tuple[str, str, str]:
    if isinstance(outcome, Done):
        return "True", "Succeeded", ""
    status = "False" if isinstance(outcome, Stuck) else "Unknown"
    message = outcome.message
    return (
        status,
        outcome.reason,
        message if len(message) <= _LONGEST_MESSAGE else message[: _LONGEST_MESSAGE - 1] + "…",
    )


def merged(
    live: Iterable[Json], ours: Iterable[Condition], owned: frozenset[str], now: str
) -> tuple[list[JsonObject], bool]:
    """The list to write, and whether it differs from *live*. Conditions of others stay as and where they are."""
    before = [each for each in live if isinstance(each, dict)]
    known: Mapping[str, JsonObject] = {each["type"]: each for each in before if isinstance(each.get("type"), str)}
    fresh = {each.type: _encoded(each, known.get(each.type, {}), now) for each in ours}
    kept = [fresh.pop(each["type"], each) if each.get("type") in owned else each for each in before]
    result = [*kept, *fresh.values()]
    return result, result != before


def _encoded(condition: Condition, before: JsonObject, now: str) -> JsonObject:
    same = before.get("status") == condition.status
    since = before.get("lastTransitionTime") if same else now
    return msgspec.to_builtins(msgspec.structs.replace(condition, last_transition_time=since or now))
