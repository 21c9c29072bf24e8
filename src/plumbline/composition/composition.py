"""Composition, put together: definitions, revisions, packages, and the types that they bring about."""

import asyncio
from collections.abc import Callable
from typing import Any, Final, NamedTuple, get_args

from plumbline.base.tasks import task_group
from plumbline.composition import marks
from plumbline.composition.composites.applying import Applier
from plumbline.composition.composites.choosing import Chooser, compositions_cache, revisions_cache
from plumbline.composition.composites.observing import Composed
from plumbline.composition.composites.pipelining import Pipelines
from plumbline.composition.connections import Connections
from plumbline.composition.definitions.reconciler import DefinitionReconciler
from plumbline.composition.functions.values import Function
from plumbline.composition.packages.reconciler import PackageReconciler
from plumbline.composition.packages.values import Activate, PackageKind, Serving
from plumbline.composition.revisions.reconciler import RevisionReconciler, composition_of
from plumbline.composition.routing import Routes
from plumbline.composition.types import Tools, Types
from plumbline.gate.gate import Gate
from plumbline.gate.hands import Hands
from plumbline.kernel.cache import Cached, Key, Owner
from plumbline.kernel.collections import Collections
from plumbline.kernel.controller import Controller
from plumbline.kernel.informer import Informer
from plumbline.kernel.kinds import Kinds
from plumbline.kernel.queue import Priority
from plumbline.kernel.records import Records
from plumbline.kernel.world import World
from plumbline.kinds.crossplane.composition import COMPOSITION, COMPOSITION_REVISION
from plumbline.kinds.crossplane.definition import COMPOSITE_RESOURCE_DEFINITION
from plumbline.kinds.crossplane.packages import FUNCTION
from plumbline.kube.client import Client
from plumbline.kube.names import GroupKind, GroupVersion, GroupVersionKind, Ref
from plumbline.ownership.ledger import Ledger
from plumbline.ownership.values import Claim, ClusterObject, Learned, Source
from plumbline.ownership.values import Owner as LedgerOwner

_WORKERS: Final = 4
_DEFINITIONS_S: Final = 300.0
_NOTHING: Final = Learned()


class Parts(NamedTuple):
    """What composition is given."""

    client: Client
    world: World
    gate: Gate
    ledger: Ledger
    records: Callable[[str], Records]
    """The door through which objects are written about, under a field manager's name."""
    function: Callable[[str], Function]
    """The function that a pipeline names. Raises where there is none."""
    collections: Collections
    """Kept running by whoever made them."""
    serving: Serving = lambda *_: None
    """What stands in for a package of upstream's."""
    activate: Activate | None = None
    """Makes usable what such a package brings."""


class Composition:
    def __init__(self, parts: Parts) -> None:
        self._parts = parts
        client = parts.client
        self.collections = parts.collections
        self.kinds = Kinds(client)
        self.routes = Routes()
        self._hands = Hands(parts.gate, client, marks.ACTOR)
        self._connections = Connections(client, self.collections, self._hands)
        self._composed = Composed(self.collections, self.kinds, self._connections)
        self._composed.changed = self._composed_changed
        self.routes.composed = self._owner

    async def run(self) -> None:
        async with task_group() as group:
            await self._begin(group)

    async def _begin(self, group: asyncio.TaskGroup) -> None:
        parts = self._parts
        compositions, _ = await self.collections.follow(COMPOSITION.resource, cache=compositions_cache())
        revisions, _ = await self.collections.follow(COMPOSITION_REVISION.resource, cache=revisions_cache())
        definitions, _ = await self.collections.follow(COMPOSITE_RESOURCE_DEFINITION.resource)
        await self._connections.follow(self.routes.secret_changed)
        types = Types(self._tools(Chooser(compositions, revisions)))
        group.create_task(types.run())
        definition = DefinitionReconciler(parts.client, parts.gate, types, parts.world.clock)
        defining = self._controller(definition, definitions)
        revising = self._controller(RevisionReconciler(parts.client, parts.gate), compositions)
        revisions.subscribe(_waking(composition_of, revising))
        for informer in (compositions, revisions):
            informer.subscribe(self.routes.composition_changed)
        for controller in (defining, revising, *[await self._packages(kind) for kind in get_args(PackageKind)]):
            group.create_task(controller.run(_WORKERS))
        group.create_task(self._look_at_definitions(defining))

    def package(self, function: str) -> str | None:
        """The package that the Function of that name installs; None where there is none."""
        informer = self.collections.followed(FUNCTION.resource)
        entry = informer.cache.get(("", function)) if informer is not None else None
        return str((entry.object().get("spec") or {}).get("package") or "") or None if entry is not None else None

    async def _packages(self, kind: PackageKind) -> Controller:
        parts = self._parts
        reconciler = PackageReconciler(kind, parts.client, parts.gate, parts.world.clock, parts.serving)
        reconciler.activate = parts.activate
        informer, _ = await self.collections.follow(reconciler.kind.resource)
        return self._controller(reconciler, informer)

    async def _look_at_definitions(self, defining: Controller) -> None:
        """CRDs are large and many, and those of definitions seldom change: nobody follows them, they are looked at."""
        while True:
            await self._parts.world.clock.sleep(_DEFINITIONS_S)
            defining.wake_all()

    def _tools(self, chooser: Chooser) -> Tools:
        parts = self._parts
        pipelines = Pipelines(parts.client, self.kinds, self.collections, parts.function)
        pipelines.followed = self._shown
        return Tools(
            world=parts.world,
            collections=self.collections,
            kinds=self.kinds,
            routes=self.routes,
            hands=self._hands,
            connections=self._connections,
            composed=self._composed,
            applier=Applier(self._hands, self._composed, self.kinds),
            choosing=chooser,
            pipeline=pipelines,
            records=parts.records,
        )

    def _controller(self, reconciler: Any, informer: Informer) -> Controller:
        return Controller(reconciler, informer, self._parts.records("crossplane"), self._parts.world)

    async def _shown(self, gvk: GroupVersionKind) -> None:
        resource = await self.kinds.resource(gvk)
        informer = self.collections.followed(resource.gvr) if resource is not None else None
        if informer is not None:
            informer.subscribe(lambda *_: self.routes.shown_changed(gvk))

    def _owner(self, owner: Owner, namespace: str) -> Cached | None:
        """The composed resource that an owner reference means: cluster-scoped, or in the namespace of what it owns."""
        gvk = GroupVersionKind.parse(owner.api_version, owner.kind)
        informer = self._composed.known(gvk)
        if informer is None:
            return None
        return informer.cache.get(("", owner.name)) or informer.cache.get((namespace, owner.name))

    def _composed_changed(self, gvk: GroupVersionKind, before: Cached | None, after: Cached | None) -> None:
        self._learn(gvk, before, after)
        self.routes.composed_changed(before, after)

    def _learn(self, gvk: GroupVersionKind, before: Cached | None, after: Cached | None) -> None:
        """Keep the ledger true: which composite composes what."""
        present = after or before
        assert present is not None  # noqa: S101 - something changed
        resource = ClusterObject(Ref(gvk.group, gvk.kind, present.meta.namespace, present.meta.name))
        owner = next((each for each in present.meta.owner_references if each.controller), None)
        if after is None or owner is None or self.routes.get(_group_kind(owner)) is None:
            self._parts.ledger.replace(("composed", resource), _NOTHING)
            return
        served = self.routes.get(_group_kind(owner))
        assert served is not None  # noqa: S101 - asked just now
        namespace = present.meta.namespace if served.defined.namespaced else ""
        ref = Ref(*_group_kind(owner), namespace, owner.name)
        claim = Claim(resource, LedgerOwner.of("composite", ref), Source(object=resource, said="its owner reference"))
        self._parts.ledger.replace(("composed", resource), Learned((claim,)))


def _group_kind(owner: Owner) -> GroupKind:
    return GroupKind(GroupVersion.parse(owner.api_version).group, owner.kind)


def _waking(
    key_of: Callable[[Cached], Key | None], controller: Controller
) -> Callable[[Cached | None, Cached | None], None]:
    def changed(before: Cached | None, after: Cached | None) -> None:
        present = after or before
        key = key_of(present) if present is not None else None
        if key is not None:
            controller.wake(key, Priority.DRIFT)

    return changed
