"""What is applied of an object that is there already: the fields that others look after stay theirs."""

import msgspec

from plumbline.base.errors import FieldClaim
from plumbline.base.json import JsonObject, encode
from plumbline.delivery.compare.comparer import Compared
from plumbline.delivery.compare.migration import migrated, migration, with_last_applied
from plumbline.delivery.compare.respecting import replacing, respected
from plumbline.delivery.compare.rules import MANAGER
from plumbline.delivery.effects import Effects, Suit
from plumbline.delivery.steps.state import At, Comparison
from plumbline.delivery.sync.operation import Sync
from plumbline.delivery.sync.tasks import Task
from plumbline.delivery.values import Desired
from plumbline.kernel.cache import Cached
from plumbline.kube.diff import stored_form

MIGRATION_MANAGER = "argocd.argoproj.io/client-side-apply-migration-manager"
_SECRET = ("", "Secret")
_NOTHING_COMPARED = Compared(())


class Suiting:
    """For one sync."""

    def __init__(self, at: At, comparison: Comparison, sync: Sync, effects: Effects, manager: str) -> None:
        """*manager* is who applied on the client's side before us, where the Application says so."""
        self._at = at
        self._comparison = comparison
        self._sync = sync
        self._effects = effects
        self._manager = manager

    async def suited(self, task: Task, live: Cached | None) -> Suit:
        """What to apply. Takes over first what was applied on the client's side."""
        body = await self._body(task, live)
        return Suit(body, self._heals(task) if self._sync.resources else ())

    async def replacing(self, task: Task, live: Cached) -> Desired:
        """What to put in the place of *live*: with what others look after, which would be lost."""
        assert task.desired is not None  # noqa: S101 - what is written is desired
        desired = task.desired.object()
        kept = await self._respected(task, desired, live.object(), whole=True) if live.raw else desired
        return task.desired if kept is desired else msgspec.structs.replace(task.desired, body=encode(kept))

    def _heals(self, task: Task) -> tuple[FieldClaim, ...]:
        """Whose writes are undone, where a sync is about drift alone: a fight is noticed by that."""
        found = self._comparison.compared.get(task.ref, _NOTHING_COMPARED).differences
        return tuple(
            FieldClaim(manager, each.path) for each in found for manager in each.managers if manager != MANAGER
        )

    async def _body(self, task: Task, live: Cached | None) -> bytes:
        assert task.desired is not None  # noqa: S101 - what is applied is desired
        desired = task.desired.object()
        applied = desired
        if live is not None and live.raw:
            present = live.object()
            await self._taken_over(task, present)
            applied = await self._respected(task, desired, present, whole=False)
        if task.ref[:2] == _SECRET:
            applied = stored_form(applied)  # texts would be ours where they are not kept, and could never go
        if task.manner.server_side:
            return task.desired.body if applied is desired else encode(applied)
        return encode(with_last_applied(desired, applied))

    async def _respected(self, task: Task, desired: JsonObject, present: JsonObject, *, whole: bool) -> JsonObject:
        shape = await self._at.destination.live.kinds.shape(task.gvk)
        answers = self._comparison.compared.get(task.ref, _NOTHING_COMPARED).answers
        take_live = self._sync.said("RespectIgnoreDifferences")
        settle = replacing if whole else respected
        return settle(desired, present, shape, self._at.rules, answers, take_live=take_live)

    async def _taken_over(self, task: Task, present: JsonObject) -> None:
        if not task.manner.migrate or task.manner.dry:
            return
        patch = migration(present, migrated(task.ref.group, self._manager))
        if patch is not None:
            await self._effects.patch(task.gvk, task.ref, encode(patch), "json")
