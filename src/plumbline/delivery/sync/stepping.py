"""What a sync does next. Pure: the same tasks, results and view give the same move, whoever asks and how often.

    tasks = plan(sync, desired, live, facts)
    move = step(sync, tasks, results, view)

All that is remembered between two steps are the results. An object that was applied without that being recorded is in
sync and is not applied again; a hook that was created without that being recorded carries its operation's mark.
"""

from collections.abc import Iterable, Sequence

from plumbline.delivery.sync.board import Board, completed, hook_phase, unsuccessful
from plumbline.delivery.sync.ending import failed, namespace_failed, succeeded
from plumbline.delivery.sync.moves import Move, Reason, View, Wait, called, kubectl_name, waiting
from plumbline.delivery.sync.operation import Sync
from plumbline.delivery.sync.running import run
from plumbline.delivery.sync.tasks import Task
from plumbline.delivery.sync.terminating import terminated
from plumbline.kinds.application import ResourceResult
from plumbline.kube.health import Status


def step(sync: Sync, tasks: Sequence[Task], results: Iterable[ResourceResult], view: View) -> Move:
    """The next move of a sync whose tasks have come as far as *results* says."""
    board = Board(sync, tasks, results, view)
    recognise(board)
    if sync.terminating:
        return terminated(board)
    move: Move | None = None
    while move is None:  # each turn without a move settles at least one task
        move = _turn(board)
    return move


def recognise(board: Board) -> None:
    """Record the hooks that this operation has created without coming to record it."""
    for task in board.all:
        if task.hook and not task.manner.dry and not board.phase(task) and board.made(task):
            board.put(task, "Synced", "Running", f"{kubectl_name(task)} created")


def _turn(board: Board) -> Move | None:
    if not board.sync.dry and _all_run(board):
        return succeeded(board, "successfully synced (all tasks run)")
    if namespace_failed(board):
        return failed(board)
    _refresh(board)
    remedies = _remedies(board)
    if remedies:
        return run(board, remedies, last=True)
    running = [task for task in board.all if board.phase(task) == "Running" and (task.hook or board.several_steps)]
    if running:
        return _awaited(board, running)
    leaving = [task for task in board.main if _leaving(board, task)]
    if leaving:
        return waiting(board.results, leaving, "deletion")
    if any(unsuccessful(board.phase(task)) for task in board.main):
        return failed(board)
    pending = [task for task in board.main if not board.phase(task)]
    if not pending:
        return succeeded(board, "successfully synced (no more tasks)")
    group = [task for task in pending if task.step == pending[0].step]
    return run(board, group, last=len(group) == len(pending))


def _all_run(board: Board) -> bool:
    """Whether the last step is done and had no hooks. Then it is over, however the objects fare from there."""
    if not board.main:
        return False
    last = board.main[-1].step
    for task in board.main:
        phase = board.phase(task)
        if not phase or unsuccessful(phase) or (task.hook if task.step == last else not completed(phase)):
            return False
    return True


def _refresh(board: Board) -> None:
    """Record how the objects fare that were applied."""
    for task in board.all:
        there = board.live(task) if board.phase(task) == "Running" else None
        if there is None:
            continue
        if task.hook:
            board.put(task, "", *hook_phase(there.health, task.ref.name))
        elif there.health is None:
            board.put(task, "", "Succeeded", "")
        elif there.health.status is Status.HEALTHY:
            board.put(task, "", "Succeeded", there.health.message)
        elif there.health.status is Status.DEGRADED:
            board.put(task, "", "Failed", there.health.message)


def _remedies(board: Board) -> list[Task]:
    """SyncFail hooks to start at once: where something could not be applied, they wait for nobody."""
    refused = any(board.code(task) == "SyncFailed" and board.phase(task) == "Failed" for task in board.main)
    return [task for task in board.on_failure if refused and not board.phase(task)]


def _awaited(board: Board, running: list[Task]) -> Wait | None:
    unseen: list[Task] = []
    settled = False
    for task in running:
        there = board.live(task)
        if there is None and task.ref in board.view.gone:
            board.put(task, "SyncFailed", "Error", f"Resource {called(task)} is missing, it might have been deleted")
            settled = True
        elif task.ref in board.view.overdue:
            end = "complete" if task.hook else "become healthy"
            limit = f"within {task.timeout_s:g} seconds" if task.timeout_s is not None else "in time"
            board.put(task, "SyncFailed", "Error", f"{called(task)} did not {end} {limit}")
            settled = True
        elif there is None:
            unseen.append(task)
    reason: Reason = "hook" if any(task.hook for task in running) else "health"
    return None if settled else waiting(board.results, running, reason, unseen)


def _leaving(board: Board, task: Task) -> bool:
    """Pruned, and still on its way out."""
    there = board.live(task) if board.code(task) == "Pruned" and not task.manner.dry else None
    return there is not None and bool(there.live.meta.deletion_timestamp)
