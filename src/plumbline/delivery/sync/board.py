"""Where the tasks of a sync stand, while one step is decided."""

from collections.abc import Iterable, Sequence
from functools import cached_property

from plumbline.delivery.sync import results as rows
from plumbline.delivery.sync.hooks import FINALIZER, OPERATION
from plumbline.delivery.sync.moves import Removal, View
from plumbline.delivery.sync.operation import Sync
from plumbline.delivery.sync.tasks import Task, is_namespace
from plumbline.delivery.values import Observed
from plumbline.kinds.application import ResourceResult
from plumbline.kube.health import Health, Status

_FAILING = frozenset({Status.UNKNOWN, Status.DEGRADED})
_RUNNING = frozenset({Status.PROGRESSING, Status.SUSPENDED})


class Board:
    """Tasks and what is recorded of them. Lives for one step and is seen by nobody else."""

    def __init__(self, sync: Sync, tasks: Sequence[Task], results: Iterable[ResourceResult], view: View) -> None:
        self.sync = sync
        self.view = view
        self._rows = {rows.key_of(each): each for each in results}
        self.all = tasks
        self.several_steps = bool(tasks) and tasks[0].step != tasks[-1].step
        self.on_failure = [task for task in tasks if task.phase == "SyncFail"]
        # What is left alone is decided once: whatever is applied during the step is not left alone afterwards.
        self.main = [task for task in tasks if task.phase != "SyncFail" and not self._left_alone(task)]

    def _left_alone(self, task: Task) -> bool:
        """ApplyOutOfSyncOnly: neither applied nor recorded nor waited for."""
        return (
            self.sync.said("ApplyOutOfSyncOnly")
            and not task.hook
            and task.desired is not None
            and task.key not in self._rows
            and task.ref in self.view.observed
            and self.view.in_sync(task.ref)
        )

    @cached_property
    def rehearsed_namespaces(self) -> frozenset[str]:
        """Namespaces that the sync makes and that are not there: in a dry run they never come."""
        made = (task for task in self.all if is_namespace(task.ref) and task.desired is not None and task.live is None)
        return frozenset(task.ref.name for task in made)

    @property
    def results(self) -> tuple[ResourceResult, ...]:
        return tuple(self._rows.values())

    def phase(self, task: Task) -> str:
        """Empty while a task is pending."""
        row = self._rows.get(task.key)
        return row.hook_phase if row is not None else ""

    def code(self, task: Task) -> str:
        row = self._rows.get(task.key)
        return row.status if row is not None else ""

    def message(self, task: Task) -> str:
        row = self._rows.get(task.key)
        return row.message if row is not None else ""

    def put(self, task: Task, code: str, phase: str, message: str) -> None:
        rows.note(self._rows, task, code, phase, message)

    def live(self, task: Task) -> Observed | None:
        return self.view.observed.get(task.ref)

    def made(self, task: Task) -> bool:
        """Whether the hook that is there was created for this very task, be that recorded or not."""
        there = self.live(task)
        return there is not None and there.live.meta.annotations.get(OPERATION) == task.mark

    def finished_hooks(self) -> list[Task]:
        return [task for task in self.all if task.hook and not task.manner.dry and completed(self.phase(task))]

    def stripped(self, hooks: Iterable[Task]) -> tuple[Removal, ...]:
        """The finalizers that there are on *hooks*, each object once."""
        found = {
            task.ref: Removal(task, there.live)
            for task in hooks
            if (there := self.live(task)) is not None and FINALIZER in there.live.meta.finalizers
        }
        return tuple(found.values())

    def removed(self, hooks: Iterable[Task]) -> tuple[Removal, ...]:
        """The objects that there are of *hooks*, each once, without those that are on their way out."""
        found = {
            task.ref: Removal(task, there.live)
            for task in hooks
            if (there := self.live(task)) is not None and not there.live.meta.deletion_timestamp
        }
        return tuple(found.values())


def completed(phase: str) -> bool:
    return phase in {"Succeeded", "Failed", "Error"}


def unsuccessful(phase: str) -> bool:
    return phase in {"Failed", "Error"}


def hook_phase(health: Health | None, name: str) -> tuple[str, str]:
    """How a hook stands by its health, and what is said about it. A kind that has no health is done once it is there."""
    if health is None:
        return "Succeeded", f"{name} created"
    if health.status in _FAILING:
        return "Failed", health.message
    return ("Running" if health.status in _RUNNING else "Succeeded"), health.message
