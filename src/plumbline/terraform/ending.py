"""The end of a run that nobody saw, and the end of an object: what is left behind is found, said, and cleaned up."""

from functools import partial
from typing import Final

from plumbline.base.errors import PlumblineError
from plumbline.kernel.outcomes import Done, Stop, Wait
from plumbline.kernel.reconciler import Step
from plumbline.kube.names import Ref
from plumbline.terraform.acting import Acting
from plumbline.terraform.around import Around
from plumbline.terraform.decision import Idle
from plumbline.terraform.looking import PROGRESSING, At, Look, failed, key_of, retry_s
from plumbline.terraform.memory import SUSPECTS, addresses, remember
from plumbline.terraform.planstore import PlanStore
from plumbline.terraform.preparing import Preparing
from plumbline.terraform.state import Place, orphaned, read
from plumbline.terraform.state.holders import Death

_NAMED: Final = 20
_AT_ONCE_S: Final = 1.0


class Ending:
    def __init__(self, around: Around, plans: PlanStore, preparing: Preparing) -> None:
        self._around, self._plans, self._preparing = around, plans, preparing
        self._met: set[str] = set()
        """Objects, by uid, of whose earlier runs everything is known."""

    async def recovered(self, run: Look, at: At) -> At | Stop:
        """A run of ours that died with its lock: released, and what it may have left behind is listed."""
        uid = run.object["metadata"]["uid"]
        status = run.read.status
        # A run that is not in this process may die while we live: then it ended in a failure, or is in the way of another.
        known = uid in self._met and not status.lock.pending and not status.reconciliation_failures
        if known or at.place is None:
            return at
        try:
            verdict = partial(self._around.runs.verdict, key_of(run)[0])
            holder = await self._around.locks.holder(at.place, verdict)
            if holder is None or not holder.ours:
                self._met.add(uid)
                return at
            if holder.death is None:
                return Wait("LockHeld", f"{holder.sentence}; it is watched for signs of life", 5.0)
            await self._mourned(run, at.place, holder.death)
        except PlumblineError as error:
            return failed(run, "LockHeld", error)
        self._met.add(uid)
        return at

    async def _mourned(self, run: Look, place: Place, death: Death) -> None:
        """First it is said what may be left, then the lock goes: whoever comes next finds one or the other."""
        summary = await self._plans.summary(run)
        state = await read(self._around.client, place, self._around.copies.offer)
        suspects = orphaned(summary.acting if summary else (), state, ())
        await remember(run, self._around, {SUSPECTS: addresses(suspects)})
        await self._plans.drop(run)
        await self._around.locks.release_dead(place, death, Ref.of(run.object))
        left = "; ".join(each.sentence for each in suspects[:_NAMED]) or "nothing that the state does not know"
        run.tell(
            "RunInterrupted", f"A run died ({death.how}); its lock is released. It may have left: {left}", warning=True
        )

    async def unneeded(self, run: Look, _: object) -> At | Stop:
        needed = self._preparing.needed_by(run)
        if needed:
            message = f"Deletion in progress, but blocked. Please delete {', '.join(needed)} to resume ..."
            return Wait("DeletionBlockedByDependantsReason", message, retry_s(run))
        if await self._preparing.unmarked(run):
            return Wait(PROGRESSING, "Nobody depends on it any more", _AT_ONCE_S)
        return At()

    async def unless_kept(self, run: Look, at: At) -> At | Stop:
        """Resources stay unless the object says that they go with it; then so does the state, which others may use."""
        if run.spec.destroy_resources_on_deletion:
            return at
        return await self._clean_up(run)

    def destroying(self, acting: Acting) -> Step:
        async def destroyed(run: Look, at: At) -> At | Stop:
            return at if isinstance(at.decision, Idle) else await acting.acted(run, at)

        return destroyed

    async def cleaned_up(self, run: Look, at: At) -> Stop:
        del at
        return await self._clean_up(run)

    async def _clean_up(self, run: Look) -> Done:
        with run.waiting():
            await self._around.runs.stop(key_of(run))
        await self._preparing.let_go(run)
        await self._plans.drop(run)
        self._met.discard(run.object["metadata"]["uid"])
        return Done()
