"""The end of a definition. Nobody's composite resources go down with it unless somebody has agreed to exactly that loss."""

from typing import Final, NamedTuple

from plumbline.base.clock import Clock, rfc3339
from plumbline.base.errors import NeedsConsent
from plumbline.base.json import JsonObject
from plumbline.composition.definitions.establishing import (
    ASIDE_S,
    OBSERVED,
    OFFERED_FINALIZER,
    Establishing,
    Kinds,
    Look,
)
from plumbline.composition.definitions.live import CRDS, crd_target
from plumbline.composition.definitions.reporting import condition, condition_of, status_patch
from plumbline.composition.definitions.validation import problems
from plumbline.composition.definitions.values import Defined, Listener, defined
from plumbline.composition.definitions.writing import Hands, controlled_by
from plumbline.gate.consent import CONSENT_ANNOTATION
from plumbline.gate.contents import held
from plumbline.gate.intents import Destruction, Loss
from plumbline.kernel.conditions import Condition
from plumbline.kernel.outcomes import Stuck, Wait
from plumbline.kinds.crossplane.definition import COMPOSITE_RESOURCE_DEFINITION
from plumbline.kube.client import Target
from plumbline.kube.names import Ref

TERMINATING: Final = "TerminatingCompositeResource"
TERMINATING_CLAIM: Final = "TerminatingCompositeResourceClaim"
_GLANCE_S: Final = 1.0
_UNDER_WAY_S: Final = 0.0
_NEVER: Final[JsonObject] = {"spec": {"versions": [{"name": "v1", "storage": True}]}}


class Leaving(NamedTuple):
    definition: Defined
    kinds: tuple[Kinds, ...]
    """Those that are ours to take away, claims first: a claim would make its composite resource again."""
    objects: tuple[JsonObject, ...] = ()


class Departing:
    def __init__(self, hands: Hands, listener: Listener, establishing: Establishing, clock: Clock) -> None:
        self._hands = hands
        self._listener = listener
        self._establishing = establishing
        self._clock = clock

    async def found(self, run: Look, at: None) -> Leaving:
        """The kinds that this definition made. Whatever is controlled by somebody else is none of its business."""
        del at
        composite = await self._hands.find(Target(CRDS, name=run.read.ref.name))
        definition = _definition(run.object, composite)
        kinds = [Kinds("composite resource", {}, definition.composite, composite)]
        if definition.claim is not None:
            claim = await self._hands.find(Target(CRDS, name=str(definition.claim.gvr)))
            kinds.insert(0, Kinds("claim", {}, definition.claim, claim))
        ours = [kind for kind in kinds if kind.live is not None and controlled_by(kind.live, definition.uid)]
        objects = [obj for kind in ours for obj in await self._hands.list(Target(kind.offer.gvr))]
        return Leaving(definition, tuple(ours), tuple(objects))

    async def released(self, run: Look, at: Leaving) -> Leaving | Stuck | Wait:
        """Begin, once. That it may be is remembered in the condition, so that what is left later needs no second consent."""
        if condition_of(run.object, "Established").get("reason") == TERMINATING:
            return at
        target = Target(COMPOSITE_RESOURCE_DEFINITION.resource, "", at.definition.name, "status")
        change = status_patch(run.object, terminating(at.definition, run.generation), rfc3339(self._clock.now()))
        losses = tuple(sorted(_loss(obj) for obj in at.objects))
        destroys = Destruction("drop", losses) if losses else None
        try:
            began = await self._hands.patch(target, run.object, change, "Withdraw the definition", destroys=destroys)
        except NeedsConsent as needed:
            agree = f"annotate the CompositeResourceDefinition with {CONSENT_ANNOTATION}={needed.token}"
            told = f"{needed}. They are kept and served. Delete them first, or if they may go, {agree}"
            return Wait("NeedsConsent", told, ASIDE_S)
        if began is None:
            return Stuck(OBSERVED, f"This installation only observes {at.definition.name}")
        return Wait(TERMINATING, "The definition is being withdrawn", _UNDER_WAY_S)

    async def emptied(self, run: Look, at: Leaving) -> Leaving | Wait | Stuck:
        """Claims first, then what is left of composite resources; their controllers see to everything below them."""
        for kind in at.kinds:
            objects = [obj for obj in at.objects if Ref.of(obj).kind == kind.offer.gvk.kind]
            for obj in objects:
                if obj["metadata"].get("deletionTimestamp"):
                    continue
                why = f"{at.definition.name} is being withdrawn"
                if not await self._hands.delete(_target(kind, obj), obj, run.object, why):
                    return Stuck(OBSERVED, f"This installation only observes {Ref.of(obj)}")
            if objects:
                return Wait(
                    TERMINATING, f"Waiting for {len(objects)} of kind {kind.offer.gvk.kind} to be deleted", _GLANCE_S
                )
        return at

    async def withdrawn(self, run: Look, at: Leaving) -> Leaving:
        del run
        await self._listener.withdrawn(at.definition)
        self._establishing.told.pop(at.definition.name, None)
        return at

    async def removed(self, run: Look, at: Leaving) -> Leaving | Wait | Stuck:
        for kind in at.kinds:
            live = kind.live or {}
            name = live["metadata"]["name"]
            if not live["metadata"].get("deletionTimestamp"):
                if not await self._hands.delete(
                    crd_target(live), live, run.object, f"{at.definition.name} is withdrawn"
                ):
                    return Stuck(OBSERVED, f"This installation only observes {name}")
                reason = "RedactClaim" if kind.what == "claim" else "TerminateComposite"
                run.tell(reason, f"Deleted the CustomResourceDefinition {name}")
        if at.kinds:
            return Wait(TERMINATING, "Waiting for the kinds to be gone", _GLANCE_S)
        return at

    async def freed(self, run: Look, at: Leaving) -> Leaving | Wait:
        """The finalizer for claims goes by itself; the kernel takes the other one."""
        finalizers = run.object["metadata"].get("finalizers") or []
        if OFFERED_FINALIZER not in finalizers:
            return at
        kept = [each for each in finalizers if each != OFFERED_FINALIZER]
        target = Target(COMPOSITE_RESOURCE_DEFINITION.resource, name=at.definition.name)
        await self._hands.patch(target, run.object, {"metadata": {"finalizers": kept}}, "No claims are left")
        return Wait(TERMINATING, "No claims are left", _UNDER_WAY_S)


def terminating(definition: Defined, generation: int) -> tuple[Condition, ...]:
    composite = condition("Established", "False", TERMINATING, generation=generation)
    if definition.claim is None:
        return (composite,)
    return (composite, condition("Offered", "False", TERMINATING_CLAIM, generation=generation))


def _definition(xrd: JsonObject, crd: JsonObject | None) -> Defined:
    """What *xrd* offers. One that is no longer valid offers what was made of it when it was."""
    if not problems(xrd):
        return defined(xrd)
    versions = [
        {"name": each["name"], "referenceable": each["storage"]} for each in (crd or _NEVER)["spec"]["versions"]
    ]
    return defined({**xrd, "spec": {**xrd["spec"], "versions": versions}})


def _loss(obj: JsonObject) -> Loss:
    ref = Ref.of(obj)
    what = held(ref)
    return Loss(str(ref), what, bool(what))


def _target(kind: Kinds, obj: JsonObject) -> Target:
    metadata = obj["metadata"]
    return Target(kind.offer.gvr, metadata.get("namespace") or "", metadata["name"])
