"""The deletion of an Application: hooks, what it delivers in the reverse of its order, and only then itself."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from typing import Final, NamedTuple

from plumbline.base.clock import Clock
from plumbline.base.errors import InvalidInput, NeedsConsent, NotFound
from plumbline.delivery.effects import Effects, Observing
from plumbline.delivery.projects.permits import permits_object
from plumbline.delivery.projects.refusals import object_refusal
from plumbline.delivery.settings.clusters import Cluster
from plumbline.delivery.status import Condition
from plumbline.delivery.steps.acting import Actors, agreeing
from plumbline.delivery.steps.comparing import Comparing
from plumbline.delivery.steps.depending import Depending
from plumbline.delivery.steps.ruling import Ruling
from plumbline.delivery.steps.state import At, Target
from plumbline.delivery.steps.targeting import Targeting
from plumbline.delivery.sync.hooks import FINALIZER
from plumbline.delivery.sync.operation import approved
from plumbline.delivery.sync.options import parsed
from plumbline.delivery.sync.tasks import Manner
from plumbline.delivery.sync.teardown import (
    POST_DELETE,
    PRE_DELETE,
    Create,
    Delete,
    Doomed,
    Hold,
    Leaving,
    Release,
    Rights,
    Strip,
    teardown,
)
from plumbline.gate.contents import held
from plumbline.gate.intents import Destruction, Loss
from plumbline.kernel.reconciler import Run, reports
from plumbline.kinds.application import ApplicationSpec, ApplicationStatus
from plumbline.kube.names import GroupVersionKind, Ref
from plumbline.kube.object import Object

_BACKSTOP_S: Final = 15.0
_CONSENT_S: Final = 60.0
_TRIED_ANEW_S: Final = 5.0
"""How long after a hook of deletion has failed it is run again at the earliest."""
_WAITS: Final = "DependencyWarning"
_AS_USUAL: Final = Manner()
_NO_TARGET: Final = Target((), (), (), (), ())

Look = Run[ApplicationSpec, ApplicationStatus]
Scoped = Callable[[str], Iterable[Cluster]]


class Parted(NamedTuple):
    """How far a deletion has come."""

    message: str = ""
    """What is waited for."""
    failure: str = ""
    """What went wrong and stays wrong: the DeletionError."""
    trying: bool = False
    """Whether that of an earlier look still stands, as hooks are tried anew."""
    released: tuple[str, ...] = ()
    """Finalizers that have done their work."""
    again_in_s: float | None = None
    conditions: tuple[Condition, ...] = ()
    """What people are to know of it meanwhile."""


class Departing:
    def __init__(
        self,
        ruling: Ruling,
        targeting: Targeting,
        comparing: Comparing,
        actors: Actors,
        *,
        depending: Depending,
        clock: Clock,
    ) -> None:
        self._ruling = ruling
        self._targeting = targeting
        self._comparing = comparing
        self._actors = actors
        self._depending = depending
        self._clock = clock
        self._pauses: dict[Ref, float] = {}
        """Until when hooks that failed are not run again. Who comes back from the dead has paused long enough."""

    @reports("DeletionError")
    async def parted(self, run: Look, at: None) -> Parted:
        del at
        others = list(self._depending.remaining((run.read.ref.namespace, run.read.ref.name)))
        if others:
            return _after(others[0][1])
        try:
            await self._ruling.destined(run)
        except (InvalidInput, NotFound):
            gone = teardown(_leaving(run, destination=False), {}, (), _NO_RIGHTS)
            return Parted(released=gone.finalizers) if isinstance(gone, Release) else Parted()
        found: At = await (self._ruling.ruled(run, None) if _has_hooks(run) else self._ruling.leaving(run))
        if not self._actors.may_act(found):
            return Parted(message="This installation only observes it")
        target = await self._target(run, found)
        found = replace(found, target=target)
        live = await self._comparing.live(run, found, target)
        # What Git names is not the application's for that: it may be another's, or a person's.
        cluster, instance = found.destination.live, found.facts.instance
        mine = {ref: (gvk, each) for ref, (gvk, each) in live.items() if cluster.instance(gvk, each.live) == instance}
        observed = {ref: each for ref, (_, each) in mine.items()}
        kinds = {ref: gvk for ref, (gvk, _) in mine.items()}
        move = teardown(_leaving(run), observed, target.desired, _rights(found, self._ruling.scoped))
        return await self._carried_out(run, found, move, kinds)

    async def _target(self, run: Look, at: At) -> Target:
        """Only hooks of deletion are in Git; without them, a repository that is gone keeps nobody from leaving."""
        if not _has_hooks(run):
            return _NO_TARGET
        target = (await self._targeting.proven(run, await self._targeting.targeted(run, at))).target
        assert target is not None  # noqa: S101 - that is what the step finds
        return target

    async def _carried_out(self, run: Look, at: At, move: object, kinds: Mapping[Ref, GroupVersionKind]) -> Parted:
        if isinstance(move, Release):
            self._pauses.pop(run.read.ref, None)
            return Parted(released=move.finalizers, again_in_s=0.0)
        if isinstance(move, Hold):
            told, failure = ("", move.message) if move.failure else (move.message, "")
            return Parted(told, failure, trying=move.trying, again_in_s=_BACKSTOP_S)
        effects = await self._actors.effects(run.object, at, f"Delete {at.facts.name} and what it delivers", None)
        if isinstance(move, Create):
            return await self._created(effects, move, run.read.ref)
        if isinstance(move, Strip):
            return await self._stripped(effects, move, kinds)
        if isinstance(move, Delete):
            if move.failure:
                self._pauses[run.read.ref] = self._clock.monotonic() + _TRIED_ANEW_S
            return await self._deleted(effects, move, kinds)
        return Parted()

    async def _created(self, effects: Effects, move: Create, app: Ref) -> Parted:
        pause_s = self._pauses.get(app, 0.0) - self._clock.monotonic()
        if pause_s > 0:
            return Parted("waiting to run hooks again", trying=True, again_in_s=pause_s)
        for each in move.hooks:
            await effects.create(each, _AS_USUAL)
        return Parted("waiting for completion of hooks", trying=True, again_in_s=0.0)

    async def _stripped(self, effects: Effects, move: Strip, kinds: Mapping[Ref, GroupVersionKind]) -> Parted:
        for each in move.objects:
            done = await effects.strip(kinds[each.ref], each.ref, each.live, FINALIZER)
            if isinstance(done, Observing):
                return Parted(message=done.reason)
        return Parted(f"ending {len(move.objects)} hooks of the last sync", again_in_s=0.0)

    async def _deleted(self, effects: Effects, move: Delete, kinds: Mapping[Ref, GroupVersionKind]) -> Parted:
        destroys, lingering = _losses(move.objects), 0
        for each in move.objects:
            try:
                done = await effects.delete(kinds[each.ref], each.ref, each.live, destroys, move.propagation)
            except NeedsConsent as needed:
                return Parted(failure=agreeing(needed), again_in_s=_CONSENT_S)
            if isinstance(done, Observing):
                return Parted(message=done.reason)
            lingering += done.now is not None
        again_s = _BACKSTOP_S if lingering else 0.0  # of what is gone already, nobody will tell the end
        return Parted(f"waiting for deletion of {len(move.objects)} objects", move.failure, again_in_s=again_s)


def _leaving(run: Look, *, destination: bool = True) -> Leaving:
    obj = Object(run.object)
    deleted_at = str(run.object["metadata"].get("deletionTimestamp") or "")
    policy = run.spec.sync_policy
    return Leaving(
        ref=run.read.ref,
        finalizers=tuple(obj.finalizers),
        deleted_at=deleted_at,
        approved=approved(obj.annotations, deleted_at),
        options=parsed(policy.sync_options if policy is not None else ()),
        destination=destination,
    )


def _losses(objects: Iterable[Doomed]) -> Destruction | None:
    """What cannot be made again. The rest goes down with its application, as was asked for."""
    lost = tuple(Loss(str(each.ref), held(each.ref), stateful=True) for each in objects if held(each.ref))
    return Destruction("descent", lost) if lost else None


def _after(dependent: str) -> Parted:
    told = f"waiting for application {dependent}, which depends on it, to be gone"
    return Parted(told, again_in_s=_BACKSTOP_S, conditions=(Condition(_WAITS, f"Not deleted yet: {told}"),))


def _has_hooks(run: Look) -> bool:
    """Whether something has to be made from its source before it may go."""
    return any(name.startswith((PRE_DELETE, POST_DELETE)) for name in Object(run.object).finalizers)


def _rights(at: At, scoped: Scoped) -> Rights:
    project, cluster = at.project, at.destination.cluster
    return Rights(
        permitted=lambda ref: permits_object(project, ref, cluster, scoped),
        refused=lambda _, ref, namespaced: object_refusal(project, ref, cluster, namespaced=namespaced, scoped=scoped),
    )


_NO_RIGHTS: Final = Rights(permitted=lambda _: False, refused=lambda *_: "")
