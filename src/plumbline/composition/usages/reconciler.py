"""A look at a Usage, from top to bottom: the same for its three kinds."""

from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any, Final, NamedTuple

from plumbline.base.clock import Clock
from plumbline.base.errors import NotFound, Refused
from plumbline.base.json import JsonObject
from plumbline.composition import marks
from plumbline.composition.definitions.reporting import condition, condition_of, status_patch
from plumbline.composition.usages.finding import Finder, Found, missing
from plumbline.composition.usages.register import Register
from plumbline.composition.usages.resolving import patience_s, recording
from plumbline.composition.usages.values import FINALIZER, IN_USE, Usage, attempted
from plumbline.gate.hands import Behalf, Hands, consents
from plumbline.gate.intents import Destruction, Loss
from plumbline.kernel.conditions import Condition
from plumbline.kernel.outcomes import Done, Stop, Stuck, Wait
from plumbline.kernel.reconciler import Change, Event, Executed, Reconciler, Run, Seen
from plumbline.kinds.crossplane.common import ConditionedStatus
from plumbline.kinds.crossplane.usage import UsageSpec
from plumbline.kinds.kind import Kind
from plumbline.kube.client import Client, Target, Writing
from plumbline.kube.gotext import quoted
from plumbline.kube.names import Ref

Look = Run[UsageSpec, ConditionedStatus]

CONFIGURED: Final = "UsageConfigured"
WAITING: Final = "WaitingUsingDeleted"
REPLAY: Final = "ReplayDeletion"
POLL_S: Final = 60.0
REPLAY_S: Final = 2.0
_EXPECTED: Final = frozenset({CONFIGURED, WAITING, REPLAY})
_WRITING: Final = Writing(field_manager="crossplane")


class Around(NamedTuple):
    """What looks at usages need."""

    client: Client
    hands: Hands
    clock: Clock
    register: Register
    wake: Callable[[Usage], None]
    """Have another usage looked at."""
    unenforced: Callable[[], str]
    """Why deletions are not refused; empty where they are."""


class At(NamedTuple):
    of: Found
    by: Found | None = None


class UsageReconciler(Reconciler[UsageSpec, ConditionedStatus]):
    finalizer = FINALIZER
    holds_itself = True

    def __init__(self, kind: Kind[Any, Any], around: Around) -> None:
        self.kind = kind
        self.name = f"usage/{kind.crd_name}"
        self._around = around
        self._finder = Finder(around.client)
        self.steps = (self.found, self.recorded, self.protected, self.owned)
        self.teardown = (self.waited, self.released)

    async def found(self, run: Look, _: object) -> At | Wait | Stuck:
        """What is used, and what uses it. Selectors are asked once: what they meant is written down."""
        spec, usage = run.spec, run.object
        wait_s = self._patience_s(usage["metadata"].get("creationTimestamp"))
        of = await self._finder.find("of", spec.of, usage, wait_s)
        if not isinstance(of, Found):
            return of
        if spec.by is None:
            return At(of)
        by = await self._finder.find("by", spec.by, usage, wait_s)
        return At(of, by) if isinstance(by, Found) else by

    async def recorded(self, run: Look, at: At) -> At | Stuck:
        """The usage says what it protects before it does, and is held until it no longer does."""
        using, by = (at.by.object, at.by.ref) if at.by is not None else (None, None)
        change = recording(run.object, run.spec, at.of.ref, by, using)
        if not change:
            return at
        reply = await self._around.hands.patch(self._target(run), run.object, change, _WRITING, _behalf(run))
        if reply is None:
            return Stuck("Observed", f"This installation only observes {run.read.ref.name}")
        run.wrote(reply)
        return at

    async def protected(self, run: Look, at: At) -> At | Wait:
        used = at.of.object
        if used is None:
            return missing("of", at.of, self._patience_s(run.object["metadata"].get("creationTimestamp")))
        if _labels(used).get(IN_USE) != "true":
            change = {"metadata": {"labels": {IN_USE: "true"}}}
            await self._around.hands.patch(at.of.target, used, change, _WRITING, _behalf(run))
        return at

    async def owned(self, run: Look, at: At) -> Done | Wait:
        """When what uses it goes, so does the usage: its owner reference was written with the rest."""
        if at.by is not None and at.by.object is None:
            return missing("by", at.by, self._patience_s(run.object["metadata"].get("creationTimestamp")))
        return Done(POLL_S)

    async def waited(self, run: Look, _: object) -> Wait | None:
        """A usage that is composed goes together with what uses it, and must be the last of the two."""
        by = run.spec.by
        if by is None or not _labels(run.object).get(marks.COMPOSITE):
            return None
        using = await self._finder.known("by", by, run.read.ref.namespace)
        if using is None or using.object is None:
            return None
        told = f"Waiting for the using resource (which is a {quoted(by.kind)} named {quoted(using.ref.name)}) to be deleted."
        return Wait(WAITING, told, self._patience_s(run.object["metadata"].get("deletionTimestamp")))

    async def released(self, run: Look, _: object) -> Done | Wait:
        """Whoever is the last to use it lets it go, and has it deleted if somebody wanted that meanwhile."""
        around, uid = self._around, run.object["metadata"]["uid"]
        of = await self._finder.known("of", run.spec.of, run.read.ref.namespace)
        if of is None or of.object is None or around.register.others(of.ref, uid):
            around.register.release(uid)
            return Done()
        used = of.object
        replays = bool(run.spec.replay_deletion and attempted(used) and not used["metadata"].get("deletionTimestamp"))
        if IN_USE in _labels(used):
            await self._unlabelled(run, of)
            if replays:
                told = f"Deleting {of.ref.kind}/{of.ref.name}, as somebody wanted while it was in use"
                return Wait(REPLAY, told, REPLAY_S)
        elif replays:
            await self._replay(run, of)
        around.register.release(uid)
        return Done()

    async def _unlabelled(self, run: Look, of: Found) -> None:
        assert of.object is not None  # noqa: S101 - it was there
        change: JsonObject = {"metadata": {"labels": {IN_USE: None}}}
        await self._around.hands.patch(of.target, of.object, change, _WRITING, _behalf(run))
        for usage in self._around.register.others(of.ref, run.object["metadata"]["uid"]):
            self._around.wake(usage)  # it came while we wrote, and may have seen the label that is gone

    async def _replay(self, run: Look, of: Found) -> None:
        """A refusal is told and is no reason to stay: whoever wanted the deletion is not waiting for it any more."""
        assert of.object is not None  # noqa: S101 - it was there
        destroys = Destruction("deletion", (Loss(str(of.ref)),), requested=True)
        policy = attempted(of.object)
        try:
            await self._around.hands.delete(of.target, of.object, _behalf(run), destroys, policy)
        except NotFound:
            return
        except Refused as refused:
            run.tell(REPLAY, f"{of.ref.kind}/{of.ref.name} was not deleted: {refused}", warning=True)

    def change(self, seen: Seen[UsageSpec, ConditionedStatus], executed: Executed, now: str) -> Change:
        obj, outcome = seen.object, executed.reported.outcome
        if obj["metadata"].get("deletionTimestamp") and isinstance(outcome, Done):
            return Change({})
        generation = obj["metadata"].get("generation") or 0
        ready = _ready(outcome, generation)
        enforced = _enforced(obj, self._around.unenforced(), generation)
        patch = status_patch(obj, (ready, *enforced), now)
        events = tuple(event for each in (ready, *enforced) for event in _news(obj, each))
        return Change(patch, events)

    def _patience_s(self, since: object) -> float:
        try:
            began = datetime.strptime(str(since), "%Y-%m-%dT%H:%M:%SZ").replace(tzinfo=UTC)
        except ValueError:
            return patience_s(0.0)
        return patience_s((self._around.clock.now() - began).total_seconds())

    def _target(self, run: Look) -> Target:
        return Target(self.kind.resource, run.read.ref.namespace, run.read.ref.name)


def _behalf(run: Look) -> Behalf:
    return Behalf(Ref.of(run.object), None, consents(run.object))


def _labels(obj: JsonObject) -> JsonObject:
    return obj["metadata"].get("labels") or {}


def _ready(outcome: Stop, generation: int) -> Condition:
    if isinstance(outcome, Done):
        return condition("Ready", "True", "Available", generation=generation)
    return condition("Ready", "False", outcome.reason, outcome.message, generation)


def _enforced(obj: JsonObject, why: str, generation: int) -> tuple[Condition, ...]:
    """Said where it is not so, and where it once was not."""
    if why:
        return (condition("Enforced", "False", "NoWebhook", why, generation),)
    if condition_of(obj, "Enforced"):
        return (condition("Enforced", "True", "WebhookConfigured", generation=generation),)
    return ()


def _news(obj: JsonObject, told: Condition) -> tuple[Event, ...]:
    """An event where a condition is another than before."""
    was = condition_of(obj, told.type)
    if (was.get("status"), was.get("reason"), was.get("message", "")) == (told.status, told.reason, told.message):
        return ()
    if told.status == "True":
        return (Event(CONFIGURED, "Usage configured successfully."),) if told.type == "Ready" else ()
    return (Event(told.reason, told.message, warning=told.reason not in _EXPECTED),)
