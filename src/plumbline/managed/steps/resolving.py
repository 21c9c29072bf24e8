"""Fields that come from elsewhere: from other managed resources, and secrets that are made up."""

from plumbline.base.errors import Unresolved
from plumbline.kernel.reconciler import reports
from plumbline.kube.names import Ref
from plumbline.kube.object import Object
from plumbline.managed.conditions import Held, Rest, held
from plumbline.managed.kinds import ManagedKind, Reference
from plumbline.managed.references import From, resolved
from plumbline.managed.state import At, Look
from plumbline.managed.steps.kit import Kit, place_of

_AGAIN_S = 60.0


class Resolving:
    def __init__(self, kind: ManagedKind, references: tuple[Reference, ...], kit: Kit) -> None:
        """*references* lead to kinds of the same lineage as *kind*."""
        self._kind = kind
        self._references = references
        self._kit = kit

    @reports("CannotResolveResourceReferences")
    async def resolved(self, run: Look, at: At) -> At | Held | Rest:
        """Whoever is waited for wakes us as soon as it can be referred to."""
        ref = run.read.ref
        place = place_of(self._kind, run)
        if not self._references:
            return at
        view = Object(run.object)
        controller = view.controller
        source = From(ref.namespace, controller.uid if controller is not None else "", view.spec)
        try:
            found = resolved(source, self._references, self._kit.others)
        except Unresolved as missing:
            self._kit.waiting.wait(place, Ref(*missing.sought))
            return held("CannotResolveResourceReferences", str(missing), _AGAIN_S)
        self._kit.waiting.found(place)
        if found.applied and not await self._kit.notes.apply(self._kind.resource, run, found.applied):
            return Rest()
        wanted, initial = found.spec.get("forProvider") or {}, found.spec.get("initProvider") or {}
        return At(policies=at.policies, name=at.name, wanted=wanted, initial=initial)

    @reports("CannotInitializeManagedResource")
    async def generated(self, run: Look, at: At) -> At:
        """Secrets that are made up are kept before anything is created with them."""
        for rule in self._kind.generates:
            await self._kit.connections.generate(run.object, run.spec, at.wanted, rule)
        return at
