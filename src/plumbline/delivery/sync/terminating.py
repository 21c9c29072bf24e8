"""How a sync is stopped: by a person, by its deadline, or by a newer revision. Hooks do not outlive it."""

from plumbline.delivery.sync.board import Board, completed, hook_phase
from plumbline.delivery.sync.moves import TERMINATED, End, Wait, waiting
from plumbline.delivery.sync.tasks import Task


def terminated(board: Board, message: str = TERMINATED) -> End | Wait:
    """The end of a sync that is to go no further, or what has to be looked at before."""
    hooks = [task for task in board.all if task.hook and not task.manner.dry]
    running = [task for task in hooks if board.phase(task) == "Running"]
    unseen = [task for task in running if board.live(task) is None and task.ref not in board.view.gone]
    if unseen:
        return waiting(board.results, unseen, "hook", unseen)
    finished = board.finished_hooks()
    doomed = [task for task in running if _stopped(board, task)]
    return End(
        results=board.results,
        phase="Failed",
        message=message,
        strips=board.stripped([*finished, *running]),
        deletions=board.removed(doomed),
        retried=False,
    )


def _stopped(board: Board, task: Task) -> bool:
    """Record how a hook ends that was running a moment ago; whether it has to be deleted."""
    there = board.live(task)
    if there is None:
        board.put(task, "", "Succeeded", "Terminated")
        return False
    phase, message = hook_phase(there.health, task.ref.name)
    if completed(phase):
        board.put(task, "", phase, message)
        return "HookFailed" in task.policies
    board.put(task, "", "Failed", "Terminated")
    return True
