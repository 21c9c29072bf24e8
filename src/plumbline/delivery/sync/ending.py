"""How a sync ends by itself: with success, or after its SyncFail hooks."""

from collections.abc import Iterable, Sequence

from plumbline.delivery.sync.board import Board, hook_phase, unsuccessful
from plumbline.delivery.sync.moves import End, Move
from plumbline.delivery.sync.results import OperationPhase
from plumbline.delivery.sync.running import run
from plumbline.delivery.sync.tasks import Task, is_namespace

_UNSUCCESSFUL = "one or more synchronization tasks completed unsuccessfully"
_NOT_APPLIED = "one or more objects failed to apply"
_NO_NAMESPACE = "the namespace failed to apply"
_REMEDIES_FAILED = "one or more SyncFail hooks failed"


def succeeded(board: Board, message: str) -> End:
    doomed = [task for task in _hooks(board) if "HookSucceeded" in task.policies and board.phase(task) != "Running"]
    return _end(board, "Succeeded", message, doomed)


def failed(board: Board) -> Move | None:
    """SyncFail hooks that still have to run, or the end."""
    if namespace_failed(board):
        return _failed(board, _because(_NO_NAMESPACE, _refused(board, board.main)))
    remedies = board.on_failure
    pending = [task for task in remedies if not board.phase(task)]
    if pending:
        return run(board, pending, last=True)
    reasons = _refused(board, board.main)
    message = _because(_NOT_APPLIED if not remedies and _nothing_applied(board) else _UNSUCCESSFUL, reasons)
    broken = _refused(board, remedies)
    if broken:
        message = f"{message}\n{_because(_REMEDIES_FAILED, broken)}"
    return _failed(board, message)


def namespace_failed(board: Board) -> bool:
    """Without the destination's namespace nothing else can be, not even a hook that says so."""
    return any(
        is_namespace(task.ref)
        and task.ref.name == board.sync.namespace
        and task.live is None
        and board.code(task) == "SyncFailed"
        for task in board.main
    )


def _failed(board: Board, message: str) -> End:
    doomed = [task for task in _hooks(board) if "HookFailed" in task.policies or _runs_on(board, task)]
    return _end(board, "Failed", message, doomed)


def _end(board: Board, phase: OperationPhase, message: str, doomed: Sequence[Task]) -> End:
    return End(
        results=board.results,
        phase=phase,
        message=message,
        strips=board.stripped([*board.finished_hooks(), *doomed]),
        deletions=board.removed(doomed),
    )


def _hooks(board: Board) -> list[Task]:
    return [] if board.sync.dry else [task for task in board.all if task.hook]


def _runs_on(board: Board, task: Task) -> bool:
    """Given up, because its time was over, although it has not ended."""
    there = board.live(task)
    return (
        unsuccessful(board.phase(task))
        and there is not None
        and board.made(task)
        and hook_phase(there.health, task.ref.name)[0] == "Running"
    )


def _nothing_applied(board: Board) -> bool:
    """Whether the step that failed left nothing behind that would have been waited for."""
    steps = {task.step for task in board.main if unsuccessful(board.phase(task))}
    tried = [task for task in board.main if task.step in steps]
    return not any(board.code(task) == "Synced" or board.phase(task) == "Error" for task in tried)


def _refused(board: Board, tasks: Iterable[Task]) -> list[str]:
    """Why objects could not be applied, each reason once."""
    return list(dict.fromkeys(board.message(task) for task in tasks if board.code(task) == "SyncFailed"))


def _because(message: str, reasons: Sequence[str]) -> str:
    return f"{message}, reason: {','.join(reasons)}" if reasons else message
