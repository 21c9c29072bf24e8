"""What has to be done for the tasks of one step, without what is done already."""

from collections.abc import Sequence
from itertools import groupby

from plumbline.delivery.sync.board import Board
from plumbline.delivery.sync.moves import Move, Removal, Run, kubectl_name, waiting
from plumbline.delivery.sync.ordering import rank
from plumbline.delivery.sync.results import phase_after
from plumbline.delivery.sync.tasks import Task


def run(board: Board, group: Sequence[Task], *, last: bool) -> Move | None:
    """The move for *group*, all of it pending; None where there was nothing to do and that is recorded now."""
    blocking = [task for task in group if _in_the_way(board, task)]
    prunes = [task for task in group if task.pruning]
    if any(task.pruning == "confirm" for task in prunes):
        return waiting(board.results, [*blocking, *prunes], "confirmation")
    stale = [task for task in group if task.hook and not task.manner.dry]
    strips = board.stripped([*board.finished_hooks(), *stale])
    removals = tuple(removal for task in prunes if (removal := _pruned(board, task)) is not None)
    if blocking:
        deletions = board.removed(blocking)
        if strips or removals or deletions:
            return Run(results=board.results, strips=strips, prunes=removals, deletions=deletions)
        return waiting(board.results, blocking, "deletion")
    applies = _batches([task for task in group if not task.pruning and not _settled(board, task)])
    if not removals and not applies:
        return None
    pause_s = 0.0 if last or board.sync.dry else board.sync.delay_s
    return Run(results=board.results, strips=strips, prunes=removals, applies=applies, pause_s=pause_s)


def _in_the_way(board: Board, task: Task) -> bool:
    """A hook of an earlier sync that has to go before it is created anew."""
    return "BeforeHookCreation" in task.policies and not task.manner.dry and board.live(task) is not None


def _pruned(board: Board, task: Task) -> Removal | None:
    """The object to delete; None where it is not to be or no longer has to be, which is recorded."""
    there = board.live(task)
    if task.pruning == "unasked":
        board.put(task, "PruneSkipped", "Succeeded", "ignored (requires pruning)")
    elif task.pruning == "forbidden":
        board.put(task, "PruneSkipped", "Succeeded", "ignored (no prune)")
    elif task.manner.dry:
        board.put(task, "Pruned", "Succeeded", "pruned (dry run)")
    elif there is None or there.live.meta.deletion_timestamp or _another(task, there.live.meta.uid):
        board.put(task, "Pruned", "Succeeded", "pruned")
    else:
        return Removal(task, there.live)
    return None


def _another(task: Task, uid: str) -> bool:
    """The object that was to go is gone, and this one has only its name."""
    return task.live is not None and task.live.meta.uid != uid


def _settled(board: Board, task: Task) -> bool:
    """Whether applying the object would change nothing, which is recorded as kubectl words it."""
    if task.manner.dry and task.unserved:
        board.put(task, "Synced", "Succeeded", f"{kubectl_name(task)} skipped (dry run)")
        return True
    if task.manner.dry and task.ref.namespace in board.rehearsed_namespaces:
        # The server would look for a namespace that is there only once the sync is a real one.
        board.put(task, "Synced", "Succeeded", f"{kubectl_name(task)} created (dry run)")
        return True
    if task.hook or task.manner.replace or task.manner.force:
        return False
    there = board.view.observed.get(task.ref)
    if there is None or there.live.meta.deletion_timestamp or not board.view.in_sync(task.ref):
        return False  # what is on its way out is applied, lest it be missing as soon as it is gone
    board.put(task, "Synced", phase_after(task, "Synced"), f"{kubectl_name(task)} unchanged")
    return True


def _batches(tasks: Sequence[Task]) -> tuple[tuple[Task, ...], ...]:
    """Tasks that may go at once: neighbours of one kind, or of kinds that nothing builds on."""
    return tuple(tuple(batch) for _, batch in groupby(tasks, key=lambda task: (task.step, rank(task.ref.kind))))
