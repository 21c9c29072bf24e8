"""What has become of each task, as `status.operationState.syncResult.resources` keeps it.

That list is all that is remembered between two steps. Each object and phase has one entry, in the order in which they
were first heard of.
"""

from collections.abc import Iterable, Sequence
from typing import Final, Literal, TypeAlias

import msgspec

from plumbline.delivery.sync.bodies import images
from plumbline.delivery.sync.tasks import Key, Task
from plumbline.kinds.application import ResourceResult
from plumbline.kube.names import Ref

Code: TypeAlias = Literal["", "Synced", "SyncFailed", "Pruned", "PruneSkipped"]
OperationPhase: TypeAlias = Literal["", "Running", "Terminating", "Failed", "Error", "Succeeded"]

_PHASES: Final[dict[Code, OperationPhase]] = {
    "Synced": "Running",
    "SyncFailed": "Failed",
    "Pruned": "Succeeded",
    "PruneSkipped": "Succeeded",
}


class Outcome(msgspec.Struct, frozen=True):
    """What came of carrying out one task."""

    task: Task
    code: Code
    """Empty where something went wrong before the task itself was begun."""
    message: str

    @classmethod
    def applied(cls, task: Task, message: str) -> "Outcome":
        return cls(task, "Synced", message)

    @classmethod
    def failed(cls, task: Task, message: str) -> "Outcome":
        return cls(task, "SyncFailed", message)

    @classmethod
    def pruned(cls, task: Task) -> "Outcome":
        return cls(task, "Pruned", "pruned")

    @classmethod
    def uncleared(cls, task: Task, message: str) -> "Outcome":
        """The hook that is in the way could not be removed."""
        return cls(task, "", message)


def recorded(results: Sequence[ResourceResult], outcomes: Iterable[Outcome]) -> tuple[ResourceResult, ...]:
    """*results* with *outcomes*: entries keep their places, new ones come last, and the latest message stands."""
    rows = {key_of(each): each for each in results}
    for outcome in outcomes:
        note(rows, outcome.task, outcome.code, phase_after(outcome.task, outcome.code), outcome.message)
    return tuple(rows.values())


def note(rows: dict[Key, ResourceResult], task: Task, code: str, phase: str, message: str) -> None:
    before = rows.get(task.key)
    if before is None:
        rows[task.key] = row(task, code, phase, message)
    else:
        rows[task.key] = msgspec.structs.replace(
            before, status=code or before.status, hook_phase=phase, message=message or before.message
        )


def phase_after(task: Task, code: Code) -> OperationPhase:
    """Where a task stands that was just carried out. Nothing is waited for where nothing was done."""
    if not code:
        return "Error"
    return "Succeeded" if code == "Synced" and (task.manner.dry or task.foreign) else _PHASES[code]


def row(task: Task, code: str, phase: str, message: str) -> ResourceResult:
    body = task.desired.body if task.desired is not None else task.live.raw if task.live is not None else b""
    return ResourceResult(
        group=task.ref.group,
        version=task.gvk.version,
        kind=task.ref.kind,
        namespace=task.ref.namespace,
        name=task.ref.name,
        status=code,
        message=message,
        hook_type=task.phase if task.hook else "",
        hook_phase=phase,
        sync_phase=task.phase,
        images=images(body),
    )


def key_of(result: ResourceResult) -> Key:
    return Ref(result.group, result.kind, result.namespace, result.name), result.sync_phase
