"""Plan, apply and destroy, from asking for it to how it ended."""

from collections.abc import Callable
from typing import Final, NamedTuple

import click

from plumbline.base.clock import SystemClock
from plumbline.base.errors import InvalidInput, NotFound, PlanStale, ToolFailed
from plumbline.base.json import JsonObject
from plumbline.cli.exits import Exit
from plumbline.cli.terraform.objects.approving import Ask, Decision, decide, on_terminal
from plumbline.cli.terraform.objects.drawing import described
from plumbline.cli.terraform.objects.waiting import Say, Waiting, to_stderr
from plumbline.kinds.flux.common import RECONCILE_REQUEST
from plumbline.terraform.objects.phases import Standing, check_active, handled, plan_of, standing
from plumbline.terraform.objects.plans import shown
from plumbline.terraform.objects.store import Terraforms, condition

_QUIET_S: Final = 30.0
"""After which nobody will say more about a plan that was approved and is not applied."""
_STUCK_S: Final = 10.0
"""After which nobody will make a plan of an object that says what keeps it from one."""
_IN_GIT: Final = ("argocd.argoproj.io/tracking-id", "kustomize.toolkit.fluxcd.io/name", "helm.toolkit.fluxcd.io/name")


class Runs(NamedTuple):
    waiting: Waiting
    say: Say
    ask: Ask | None = on_terminal
    comment: str = ""

    @property
    def terraforms(self) -> Terraforms:
        return self.waiting.terraforms

    async def plan(self, name: str) -> Exit:
        """A new plan, printed: 0 where it changes nothing, 1 where it changes something, 3 where there is none."""
        now = standing(await self._planned(name))
        if now.phase == "failed":
            raise _failed(name, now, "planned")
        if not now.pending:
            self.say(f"Nothing would change: {now.message}")
            return Exit.DONE
        click.echo(described(await shown(self.terraforms, name)))
        if now.phase == "busy":
            self.say("Nothing in it needs approval, and it is being applied: approvePlan is auto.")
        return Exit.NO

    async def apply(self, name: str) -> Exit:
        """Plan, show, approve and wait."""
        obj = await self._planned(name)
        now = standing(obj)
        if now.phase == "failed":
            raise _failed(name, now, "planned")
        if (obj.get("spec") or {}).get("planOnly") and now.pending:
            raise InvalidInput(f"{name} is not applied", why="only plans are wanted of it (spec.planOnly)")
        if not now.pending:
            self.say(f"Nothing to apply: {now.message}")
            return Exit.DONE
        return await self._carried_out(name, obj)

    async def destroy(self, name: str) -> Exit:
        """A plan that destroys everything and waits, then as for any other plan."""
        before = await self.terraforms.get(name)
        check_active(before)
        spec = before.get("spec") or {}
        if spec.get("force"):
            raise InvalidInput(
                f"{name} is not destroyed",
                why="spec.force applies every plan, so that nobody would be asked",
                hint="Set spec.force to false first.",
            )
        self._warn(before)
        changed = await self.terraforms.patch(name, {"spec": {"destroy": True, "approvePlan": "manual"}})
        generation = changed["metadata"]["generation"]
        obj = await self.waiting.until(name, lambda each: _destroy_planned(each, generation), quiet_s=_STUCK_S)
        now = standing(obj)
        if now.phase == "ready":
            self.say(f"There is nothing to destroy: {now.message}")
            return Exit.DONE
        if not _destroy_planned(obj, generation) or now.phase == "failed":
            raise _failed(name, now, "destroyed")
        try:
            code = await self._carried_out(name, obj)
        except BaseException:
            self.say(f"spec.destroy of {name} stays set, and its plan waits; set it to false to keep everything.")
            raise
        if code is Exit.NO:
            await self.terraforms.patch(
                name, {"spec": {"destroy": spec.get("destroy", False), "approvePlan": spec.get("approvePlan", "")}}
            )
            self.say(f"{name} is as it was: spec.destroy and spec.approvePlan were set back.")
        return code

    async def _planned(self, name: str) -> JsonObject:
        """The object once a plan that was asked for now is there, or what keeps it from being made."""
        check_active(await self.terraforms.get(name))
        asked = self.waiting.clock.now().isoformat()
        await self.terraforms.patch(name, {"metadata": {"annotations": {RECONCILE_REQUEST: asked}}})

        def made(obj: JsonObject) -> bool:
            found = standing(obj)
            return handled(obj, asked) and (found.phase != "busy" or bool(found.pending))

        obj = await self.waiting.until(name, made, quiet_s=_STUCK_S)
        if not handled(obj, asked) and standing(obj).phase != "failed":
            obj = await self.waiting.until(name, made)
        return obj

    async def _carried_out(self, name: str, obj: JsonObject) -> Exit:
        """Approve what waits, if it does, and wait for the end."""
        before = standing(obj)
        if before.phase == "waiting":
            said = Decision("Approve", comment=self.comment, ask=self.ask)
            if await decide(self.terraforms, name, said) is None:
                return Exit.NO
        ended = _ended(before.message if before.phase == "waiting" else None)
        last = await self.waiting.until(name, ended, quiet_s=_QUIET_S)
        return self._told(name, standing(last), before.pending, last)

    def _told(self, name: str, now: Standing, plan: str, obj: JsonObject) -> Exit:
        if now.phase == "ready":
            self.say(f"{name}: {condition(obj, 'Apply').get('message') or now.message}")
            return Exit.DONE
        if now.phase == "waiting" and now.pending == plan:
            self.say(f"{name} still waits: {now.message}")
            return Exit.NEEDS_APPROVAL
        if now.phase == "waiting":
            raise PlanStale(
                f"the plan of {name} was not applied",
                why=f"{now.pending} waits instead: {now.message}",
                hint=f"Look at it with: plumb tf show {name}.",
            )
        raise _failed(name, now, "applied")

    def _warn(self, obj: JsonObject) -> None:
        metadata = obj["metadata"]
        marks = {**(metadata.get("annotations") or {}), **(metadata.get("labels") or {})}
        if any(mark in marks for mark in _IN_GIT):
            self.say("It comes from Git, where spec.destroy has to be set as well: what is set here may be set back.")
        self.say(
            "Everything that it made is to be destroyed; the object stays. Deleting the object destroys"
            " what it made only with spec.destroyResourcesOnDeletion, and otherwise leaves all of it, and its state."
        )


def opened_runs(terraforms: Terraforms, within_s: float, *, yes: bool = False, comment: str = "") -> Runs:
    """For a person at this terminal."""
    waiting = Waiting(terraforms, SystemClock(), to_stderr, within_s)
    return Runs(waiting, to_stderr, None if yes else on_terminal, comment)


def _ended(unchanged: str | None) -> Callable[[JsonObject], bool]:
    """Whether nobody is at work any more. What waits with the same words as before has not been looked at yet."""

    def ended(obj: JsonObject) -> bool:
        now = standing(obj)
        if now.phase == "waiting":
            return now.message != unchanged and unchanged is not None
        return now.phase == "failed" or (now.phase == "ready" and not now.pending)

    return ended


def _destroy_planned(obj: JsonObject, generation: int) -> bool:
    """Whether there is a plan to destroy, or nothing to destroy, for what the object says now."""
    if int((obj.get("status") or {}).get("lastPlannedGeneration") or 0) < generation:
        return False
    found = standing(obj)
    return found.phase == "ready" or (found.phase == "waiting" and bool(plan_of(obj).get("isDestroyPlan")))


def _failed(name: str, now: Standing, what: str) -> ToolFailed | NotFound:
    return ToolFailed(
        f"{name} was not {what}",
        why=f"{now.reason}: {now.message}",
        hint=f"See what it printed with: plumb tf logs {name}.",
    )
