"""The types that XRDs define, each looked after by controllers of its own for as long as it is offered."""

from collections.abc import Callable
from typing import Final, NamedTuple

from plumbline.base.errors import PlumblineError
from plumbline.base.json import JsonObject
from plumbline.base.log import logger
from plumbline.composition import marks
from plumbline.composition.claims.reconciler import Around as AroundClaims
from plumbline.composition.claims.reconciler import ClaimReconciler
from plumbline.composition.composites.applying import Applier
from plumbline.composition.composites.observing import Composed
from plumbline.composition.composites.reconciler import Around, Choosing, CompositeReconciler, Pipeline
from plumbline.composition.connections import Connections
from plumbline.composition.definitions.values import Defined
from plumbline.composition.routing import Routes, Served
from plumbline.composition.served import cache
from plumbline.gate.hands import Hands
from plumbline.kernel.cache import Key
from plumbline.kernel.collections import Collections
from plumbline.kernel.controller import Controller
from plumbline.kernel.fleet import Fleet
from plumbline.kernel.informer import Informer
from plumbline.kernel.kinds import Kinds
from plumbline.kernel.reconciler import Event
from plumbline.kernel.records import Records
from plumbline.kernel.world import World

WORKERS: Final = 16

log = logger(__name__)


class Tools(NamedTuple):
    """What the controllers of every type share."""

    world: World
    collections: Collections
    kinds: Kinds
    routes: Routes
    hands: Hands
    connections: Connections
    composed: Composed
    applier: Applier
    choosing: Choosing
    pipeline: Pipeline
    records: Callable[[str], Records]
    """The door through which objects are written about, under a field manager's name."""


class Types:
    """Listens to definitions. `run` keeps the controllers going."""

    def __init__(self, tools: Tools) -> None:
        self._tools = tools
        self._fleet = Fleet()

    async def run(self) -> None:
        await self._fleet.run()

    async def offered(self, definition: Defined) -> None:
        known = self._tools.routes.get(definition.composite.gvk.group_kind)
        if known is not None and known.defined == definition:
            return
        if known is not None:
            await self._ended(known)
        self._tools.kinds.forget()
        collections = self._tools.collections
        composites, _ = await collections.follow(definition.composite.gvr, cache=cache())
        served = Served(definition, composites, self._composite_controller(definition, composites))
        if definition.claim is not None:
            claims, _ = await collections.follow(definition.claim.gvr, cache=cache())
            controller = self._claim_controller(definition, composites, claims)
            served = served._replace(claims=claims, claim_controller=controller)
        self._tools.routes.add(served)
        for each in (served.controller, served.claim_controller):
            if each is not None:
                await self._fleet.launch(each.reconciler.name, each, WORKERS)

    async def withdrawn(self, definition: Defined) -> None:
        known = self._tools.routes.get(definition.composite.gvk.group_kind)
        if known is not None:
            await self._ended(known)

    async def _ended(self, served: Served) -> None:
        self._tools.routes.drop(served.defined.composite.gvk.group_kind)
        for controller in (served.claim_controller, served.controller):
            if controller is not None:
                await self._fleet.recall(controller.reconciler.name)
        for offer in (served.defined.claim, served.defined.composite):
            if offer is not None:
                self._tools.collections.leave(offer.gvr)

    def _composite_controller(self, definition: Defined, composites: Informer) -> Controller:
        tools = self._tools
        around = Around(
            defined=definition,
            choosing=tools.choosing,
            pipeline=tools.pipeline,
            watched=tools.composed,
            applier=tools.applier,
            connections=tools.connections,
            hands=tools.hands,
            kinds=tools.kinds,
            ancestors=tools.routes.ancestors,
            tell_claim=self._tell_claim,
            requires=tools.routes.requires,
        )
        reconciler, records = CompositeReconciler(around), tools.records(marks.COMPOSITE_MANAGER)
        return Controller(reconciler, composites, records, tools.world, party=_party(composites))

    def _claim_controller(self, definition: Defined, composites: Informer, claims: Informer) -> Controller:
        tools = self._tools
        around = AroundClaims(definition, composites, tools.hands, tools.connections, tools.kinds)
        reconciler, records = ClaimReconciler(around), tools.records(marks.CLAIM_MANAGER)
        return Controller(reconciler, claims, records, tools.world, party=_party(claims))

    async def _tell_claim(self, composite: JsonObject, event: Event) -> None:
        reference = composite["spec"].get("claimRef") or {}
        served = next((each for each in self._tools.routes.all() if _is_of(composite, each)), None)
        if served is None or served.claims is None:
            return
        entry = served.claims.cache.get((str(reference.get("namespace")), str(reference.get("name"))))
        if entry is None:
            return
        try:
            await self._tools.records(marks.CLAIM_MANAGER).emit(entry.object(), event)
        except PlumblineError as error:
            log.warning("event not written", code=error.code, reason=event.reason)


def _party(informer: Informer) -> Callable[[Key], str]:
    """Whose an object is: its namespace's, or that of its claim. What is nobody's stands for itself."""

    def party(key: Key) -> str:
        entry = informer.cache.get(key)
        above = entry.meta.labels.get(marks.CLAIM_NAMESPACE) if entry is not None else None
        return key[0] or above or "/".join(key)

    return party


def _is_of(composite: JsonObject, served: Served) -> bool:
    gvk = served.defined.composite.gvk
    return composite["kind"] == gvk.kind and str(composite["apiVersion"]).partition("/")[0] == gvk.group
