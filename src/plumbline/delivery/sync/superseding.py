"""When a sync that is stuck gives way to a newer revision.

Somebody who pushes the fix for what a sync waits for must not have to terminate that sync first. A sync that a person
asked for is theirs: it is never replaced behind their back.
"""

from collections.abc import Iterable, Sequence
from enum import Enum
from typing import Final

import msgspec

from plumbline.delivery.operations.retries import awaits_retry
from plumbline.delivery.sync.board import Board
from plumbline.delivery.sync.moves import TERMINATED, End, View, Wait
from plumbline.delivery.sync.operation import Sync
from plumbline.delivery.sync.stepping import recognise
from plumbline.delivery.sync.tasks import Task
from plumbline.delivery.sync.terminating import terminated
from plumbline.kinds.application import OperationState, ResourceResult

_SHORT: Final = 7


class Patience(msgspec.Struct, frozen=True):
    """How long an automated sync may wait while there is a newer revision."""

    health_s: float = 0.0
    """For health, deletions or a confirmation: nothing of its own is running."""
    hook_s: float | None = None
    """For a hook: None lets it come to its end."""


class Verdict(Enum):
    STAYS = "stays"
    YIELDS = "yields"
    """End it now and begin the newer one: `stopped` says with what."""
    TERMINATES = "terminates"
    """Its hooks have to be stopped first: set the phase to Terminating."""


def superseded(
    state: OperationState, newer: tuple[str, ...], wait: Wait | None, waited_s: float, patience: Patience
) -> Verdict:
    """Whether the operation gives way to *newer*, one revision for each source. Without any it stays.

    *wait* is its last move, None while it is doing something, and it has been that for *waited_s*.
    """
    result = state.sync_result
    if state.phase != "Running" or not state.operation.initiated_by.automated or result is None:
        return Verdict.STAYS
    if not newer or newer == (result.revisions or (result.revision,)):
        return Verdict.STAYS
    if awaits_retry(state):
        return Verdict.YIELDS
    if wait is None:
        return Verdict.STAYS
    if wait.reason == "hook" or any(task.hook for task in wait.waiting):
        over = patience.hook_s is not None and waited_s >= patience.hook_s
        return Verdict.TERMINATES if over else Verdict.STAYS
    return Verdict.YIELDS if waited_s >= patience.health_s else Verdict.STAYS


def yielding(newer: tuple[str, ...]) -> str:
    """What people read of a sync that gave way."""
    return f"Superseded by revision {', '.join(revision[:_SHORT] for revision in newer)}"


def stopped(
    sync: Sync, tasks: Sequence[Task], results: Iterable[ResourceResult], view: View, message: str = TERMINATED
) -> End | Wait:
    """The end of a sync that goes no further, whoever says so: its hooks are cleared away, and it is not retried."""
    board = Board(sync, tasks, results, view)
    recognise(board)
    return terminated(board, message)
