"""The plan of one sync, and the hands that carry it out."""

from collections.abc import Callable, Iterable
from typing import NamedTuple

import msgspec

from plumbline.base.clock import Clock
from plumbline.delivery.effects import Effects
from plumbline.delivery.settings.clusters import Cluster
from plumbline.delivery.steps.acting import Actors, cause_of
from plumbline.delivery.steps.knowing import facts_of
from plumbline.delivery.steps.removals import Named, Removals
from plumbline.delivery.steps.state import At, Comparison, Target
from plumbline.delivery.steps.suiting import MIGRATION_MANAGER, Suiting
from plumbline.delivery.sync.losses import losses
from plumbline.delivery.sync.operation import Sync, sync_of
from plumbline.delivery.sync.planning import plan
from plumbline.delivery.sync.tasks import Invalid, Task
from plumbline.delivery.syncing import Syncing, told
from plumbline.kernel.reconciler import Run
from plumbline.kinds.application import ApplicationSpec, ApplicationStatus, OperationState
from plumbline.kube.object import Object

Look = Run[ApplicationSpec, ApplicationStatus]
Scoped = Callable[[str], Iterable[Cluster]]


class Planned(NamedTuple):
    sync: Sync
    tasks: tuple[Task, ...]
    target: Target
    at: At
    effects: Effects
    manager: str
    """Who applied on the client's side before us, where the Application says so."""
    automated: bool
    removed: frozenset[Named] = frozenset()
    """What was taken out of manifests by name since the last sync."""

    @property
    def elaborate(self) -> bool:
        """Whether it has steps or hooks: then how far it has come is written down on the way."""
        return any(task.hook for task in self.tasks) or (bool(self.tasks) and self.tasks[0].step != self.tasks[-1].step)

    def hands(self, comparison: Comparison, clock: Clock) -> Syncing:
        suiting = Suiting(self.at, comparison, self.sync, self.effects, self.manager)
        # A person who prunes has asked for it; what Git or a generator brings about is looked at twice.
        destroys = losses(self.tasks, requested=not self.automated, named=self.removed)
        lost = destroys if destroys.losses else None
        return Syncing(self.effects, self.at.destination, suiting, lost, clock)


class Planning:
    def __init__(self, actors: Actors, scoped: Scoped, removals: Removals) -> None:
        self._actors = actors
        self._scoped = scoped
        self._removals = removals

    async def planned(
        self, run: Look, at: At, state: OperationState, target: Target, comparison: Comparison
    ) -> Planned | Invalid:
        annotations = Object(run.object).annotations
        namespace, delay_s = run.spec.destination.namespace, float(at.settings.timing.sync_wave_delay_s)
        sync = sync_of(state, namespace, run.spec.sync_policy, annotations, delay_s)
        shown = target.revisions[0][:7] if target.revisions else ""
        why = f"Sync {at.facts.name} to {shown}" if shown else f"Sync {at.facts.name}"
        effects = await self._actors.effects(run.object, at, why, cause_of(state, target))
        facts = await facts_of(at, target, comparison, sync, self._scoped)
        if state.sync_result is None or not state.sync_result.resources:  # later, the hooks that run have to be ended
            facts = msgspec.structs.replace(facts, foreign=_foreign(effects, comparison))
        tasks = plan(sync, target.desired, comparison.observed, facts)
        if isinstance(tasks, Invalid):
            return tasks
        automated = state.operation.initiated_by.automated
        planned = Planned(sync, tasks, target, at, effects, annotations.get(MIGRATION_MANAGER, ""), automated)
        if not automated or not any(loss.stateful for loss in losses(tasks).losses):
            return planned
        removed = await self._removals.since(run.read.status.history, target, at.project.name)
        return planned._replace(removed=removed)


def _foreign(effects: Effects, comparison: Comparison) -> Callable[[Task], str]:
    def foreign(task: Task) -> str:
        there = comparison.observed.get(task.ref)
        refused = effects.foreign(task.gvk, task.ref, there.live if there is not None else None, hook=task.hook)
        return "" if refused is None else told(refused)

    return foreign
