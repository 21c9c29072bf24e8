"""From a definition to kinds that are served and looked after, step by step."""

from typing import Final, NamedTuple

from plumbline.base.errors import InvalidInput, SchemaViolation
from plumbline.base.json import JsonObject
from plumbline.composition.definitions.compatibility import broken, explained, stored_apart, type_changes
from plumbline.composition.definitions.crds import crds
from plumbline.composition.definitions.live import (
    crd_target,
    established,
    foreign_controller,
    names_refused,
    replacement,
    role_target,
)
from plumbline.composition.definitions.roles import cluster_roles
from plumbline.composition.definitions.validation import problems
from plumbline.composition.definitions.values import Defined, Listener, Offer, defined
from plumbline.composition.definitions.writing import Hands
from plumbline.kernel.outcomes import Stuck, Wait
from plumbline.kernel.reconciler import Run
from plumbline.kinds.crossplane.definition import COMPOSITE_RESOURCE_DEFINITION, XrdSpec, XrdStatus
from plumbline.kube.client import Target

Look = Run[XrdSpec, XrdStatus]

OFFERED_FINALIZER: Final = "offered.apiextensions.crossplane.io"
ESTABLISHING: Final = "EstablishingCompositeResource"
OBSERVED: Final = "Observed"
ASIDE_S: Final = 30.0
"""For what somebody may do to objects that nobody follows here."""
_ESTABLISHED_S: Final = 0.5


class Kinds(NamedTuple):
    """One of the two CRDs, as it should be and as it is."""

    what: str
    desired: JsonObject
    offer: Offer
    live: JsonObject | None = None


class At(NamedTuple):
    definition: Defined
    kinds: tuple[Kinds, ...]
    """That of composite resources first."""
    offered: bool = False


class Establishing:
    def __init__(self, hands: Hands, listener: Listener) -> None:
        self._hands = hands
        self._listener = listener
        self.told: dict[str, Defined] = {}
        """What the listener knows, by the definition's name."""

    async def rendered(self, run: Look, at: None) -> At | Stuck:
        del at
        found = problems(run.object)
        if found:
            return Stuck("InvalidDefinition", "; ".join(found))
        definition = defined(run.object)
        composite, claim = crds(run.object)
        kinds: tuple[Kinds, ...] = (Kinds("composite resource", composite, definition.composite),)
        if claim is not None and definition.claim is not None:
            kinds = (*kinds, Kinds("claim", claim, definition.claim))
        return At(definition, kinds)

    async def held(self, run: Look, at: At) -> At | Wait:
        """Claims have a finalizer of their own upstream, and whoever looks after the definition next expects it."""
        finalizers = run.object["metadata"].get("finalizers") or []
        if at.definition.claim is None or OFFERED_FINALIZER in finalizers:
            return at
        change: JsonObject = {"metadata": {"finalizers": [*finalizers, OFFERED_FINALIZER]}}
        target = Target(COMPOSITE_RESOURCE_DEFINITION.resource, name=at.definition.name)
        if await self._hands.patch(target, run.object, change, "Offer claims") is None:
            return at
        return Wait(ESTABLISHING, "The definition is being prepared", 0.0)

    async def found(self, run: Look, at: At) -> At | Stuck:
        del run
        kinds = []
        for kind in at.kinds:
            live = await self._hands.find(crd_target(kind.desired))
            if live is not None and (other := foreign_controller(live, kind.desired)) is not None:
                return Stuck(
                    "ControlledElsewhere",
                    f"The {kind.what} kind {kind.desired['metadata']['name']} belongs to {other['kind']} {other['name']}; "
                    "delete that, or give this definition other names",
                )
            kinds.append(kind._replace(live=live))
        return at._replace(kinds=tuple(kinds))

    async def compatible(self, run: Look, at: At) -> At | Wait:
        del run
        for kind in at.kinds:
            if kind.live is None:
                continue
            if gone := stored_apart(kind.live, kind.desired):
                told = f"Objects are stored in {', '.join(gone)}, which spec.versions no longer has; "
                way_out = "keep the version with `served: false` until they are stored in another"
                return Wait("IncompatibleChange", told + way_out, ASIDE_S)
            changes = type_changes(kind.live, kind.desired)
            if changes and (hit := broken(await self._hands.list(_stored(kind.live, kind.offer)), changes)):
                return Wait("IncompatibleChange", explained(hit), ASIDE_S)
        return at

    async def applied(self, run: Look, at: At) -> At | Stuck:
        kinds = []
        for kind in at.kinds:
            try:
                live, wrote = await self._applied(run, kind.desired, kind.live, crd_target(kind.desired))
            except (InvalidInput, SchemaViolation) as error:
                return Stuck("InvalidDefinition", f"The API server refuses the {kind.what} kind: {error}")
            if live is None:
                return Stuck(OBSERVED, f"This installation only observes {run.read.ref.name}")
            if wrote:
                reason = "OfferClaim" if kind.what == "claim" else "EstablishComposite"
                run.tell(reason, f"Applied the CustomResourceDefinition {kind.desired['metadata']['name']}")
            kinds.append(kind._replace(live=live))
        return at._replace(kinds=tuple(kinds))

    async def established(self, run: Look, at: At) -> At | Wait:
        del run
        for kind in at.kinds:
            live = kind.live or {}
            if refused := names_refused(live):
                return Wait(
                    "NamesNotAccepted", f"The API server does not accept the {kind.what} names: {refused}", ASIDE_S
                )
            if not established(live):
                return Wait(ESTABLISHING, f"Waiting for the {kind.what} kind to be established", _ESTABLISHED_S)
        return at

    async def aggregated(self, run: Look, at: At) -> At | Stuck:
        for role in cluster_roles(run.object):
            target = role_target(role)
            live, _ = await self._applied(run, role, await self._hands.find(target), target)
            if live is None:
                return Stuck(OBSERVED, f"This installation only observes {run.read.ref.name}")
        return at

    async def offered(self, run: Look, at: At) -> At:
        before = self.told.get(at.definition.name)
        if before != at.definition:
            if before is not None:
                run.tell(
                    "RestartComposite", "The definition changed; its controllers start again with what it says now"
                )
            await self._listener.offered(at.definition)
            self.told[at.definition.name] = at.definition
        return at._replace(offered=True)

    async def _applied(
        self, run: Look, desired: JsonObject, live: JsonObject | None, target: Target
    ) -> tuple[JsonObject | None, bool]:
        """The object as it is now, and whether it was written; None where it may not be and is not as it should be."""
        why = f"Serve what {run.read.ref.name} defines"
        if live is None:
            return await self._hands.create(target, desired, run.object, why), True
        wanted = replacement(desired, live)
        if wanted is None:
            return live, False
        return await self._hands.replace(target, wanted, run.object, why), True


def _stored(crd: JsonObject, offer: Offer) -> Target:
    """All objects of the kind, in the version in which they are stored now."""
    version = next(each["name"] for each in crd["spec"]["versions"] if each["storage"])
    return Target(offer.gvr._replace(version=version))
