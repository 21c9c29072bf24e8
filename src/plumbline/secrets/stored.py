"""The room, put together: stores are checked, ExternalSecrets become Secrets."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any, Final, NamedTuple, TypeAlias

from prometheus_client import CollectorRegistry

from plumbline.base.aside import Aside, in_a_thread
from plumbline.base.errors import PlumblineError
from plumbline.base.log import logger
from plumbline.base.tasks import task_group
from plumbline.gate.gate import Gate
from plumbline.gate.hands import Hands
from plumbline.journal.parties import Actor
from plumbline.kernel.cache import Cache, Cached, Key, Relevance
from plumbline.kernel.collections import Collections
from plumbline.kernel.controller import Controller
from plumbline.kernel.informer import Informer
from plumbline.kernel.metrics import collected
from plumbline.kernel.records import Records
from plumbline.kernel.world import World
from plumbline.kinds.externalsecrets import (
    CLUSTER_EXTERNAL_SECRET,
    CLUSTER_SECRET_STORE,
    EXTERNAL_SECRET,
    PUSH_SECRET,
    SECRET_STORE,
)
from plumbline.kinds.kind import Kind
from plumbline.kube.client import Client
from plumbline.kube.names import GroupVersionResource
from plumbline.secrets.external.around import Around
from plumbline.secrets.external.checking import StoreParts, StoreReconciler
from plumbline.secrets.external.fetching import Fetching
from plumbline.secrets.external.known import KnownStores, Opener
from plumbline.secrets.external.looking import SECRETS
from plumbline.secrets.external.memory import Memory
from plumbline.secrets.external.metrics import ExternalMetrics, StoreMetrics
from plumbline.secrets.external.reconciler import ExternalSecretReconciler
from plumbline.secrets.external.routing import Followed, Routes, externals_cache, metadata_cache, stores_cache
from plumbline.secrets.external.spreading import ClusterExternalSecretReconciler, SpreadParts, SpreadRoutes
from plumbline.secrets.generators import Generators
from plumbline.secrets.push.looking import Around as PushAround
from plumbline.secrets.push.reconciler import PushSecretReconciler
from plumbline.secrets.push.routing import PushRoutes, pushes_cache

COMPONENT: Final = "external-secrets"
ACTOR: Final = Actor("controller", COMPONENT)
_NAMESPACES: Final = GroupVersionResource("", "v1", "namespaces")
_WORKERS: Final = 8
_STORE_WORKERS: Final = 4


Forget: TypeAlias = Callable[[str, str, str], Awaitable[None]]
"""Told the kind, namespace and name of a store."""

log = logger(__name__)


class Parts(NamedTuple):
    """What the room is given."""

    client: Client
    world: World
    gate: Gate
    records: Callable[[str], Records]
    collections: Collections
    """Kept running by whoever made them."""
    open: Opener
    forget: Forget | None = None
    """Signs out of what a store that is gone was signed in to."""
    aside: Aside = in_a_thread
    controller_class: str = "default"
    """Stores that name another are left to that one."""


def _namespace(key: Key) -> str:
    """Whose an object is: stores that hang are those of one namespace, and the others have looks left."""
    return key[0]


class ExternalSecrets:
    def __init__(self, parts: Parts) -> None:
        self._parts = parts
        self._registry = CollectorRegistry()
        self._gone: asyncio.Queue[tuple[str, str, str]] = asyncio.Queue()

    async def run(self) -> None:
        parts, follow = self._parts, self._parts.collections.follow
        secrets, _ = await follow(SECRETS, cache=metadata_cache())
        namespaces, _ = await follow(_NAMESPACES, cache=metadata_cache())
        own, _ = await follow(SECRET_STORE.resource, cache=stores_cache())
        cluster, _ = await follow(CLUSTER_SECRET_STORE.resource, cache=stores_cache())
        externals, _ = await follow(EXTERNAL_SECRET.resource, cache=externals_cache())
        metrics = ExternalMetrics(self._registry)
        memory = Memory(parts.world.ids)
        around = self._around(KnownStores(own, cluster, namespaces), secrets, memory, metrics)
        self.controller = self._controller(ExternalSecretReconciler(around), externals)
        routes = Routes(Followed(externals, self.controller, memory), metrics)
        checkers = [self._checker(SECRET_STORE, own, routes), self._checker(CLUSTER_SECRET_STORE, cluster, routes)]
        pushing = await self._pushing(around, (own, cluster))
        spreading = await self._spreading(namespaces, externals)
        routes.follow_secrets(secrets)
        routes.follow_namespaces(namespaces)
        for informer in (secrets, namespaces, own, cluster):
            await informer.synced()
        with collected(parts.world.metrics.registry, self._registry):
            async with task_group() as group:
                group.create_task(self._forget_stores())
                group.create_task(self.controller.run(_WORKERS))
                group.create_task(pushing.run(_STORE_WORKERS))
                group.create_task(spreading.run(_STORE_WORKERS))
                for each in checkers:
                    group.create_task(each.run(_STORE_WORKERS))

    def _around(self, stores: KnownStores, secrets: Informer, memory: Memory, metrics: ExternalMetrics) -> Around:
        parts = self._parts
        return Around(
            client=parts.client,
            world=parts.world,
            hands=Hands(parts.gate, parts.client, ACTOR, "external"),
            stores=stores,
            fetching=Fetching(parts.open, metrics, parts.world.clock),
            generators=Generators(parts.client, parts.world.ids, parts.aside),
            secrets=secrets,
            memory=memory,
            metrics=metrics,
            aside=parts.aside,
            ours=self._ours,
        )

    async def _pushing(self, around: Around, stores: tuple[Informer, ...]) -> Controller:
        parts = self._parts
        pushes, _ = await parts.collections.follow(PUSH_SECRET.resource, cache=pushes_cache())
        beside = PushAround(
            client=parts.client,
            world=parts.world,
            gate=parts.gate,
            records=parts.records(COMPONENT),
            stores=around.stores,
            fetching=around.fetching,
            generators=around.generators,
            secrets=around.secrets,
            pushes=pushes,
            memory=Memory(parts.world.ids),
            pushed={},
            aside=parts.aside,
            ours=self._ours,
        )
        controller = self._controller(PushSecretReconciler(beside), pushes)
        routes = PushRoutes(beside, controller, StoreMetrics(PUSH_SECRET.kind, self._registry))
        for each in stores:
            routes.follow_stores(each)
        return controller

    async def _spreading(self, namespaces: Informer, externals: Informer) -> Controller:
        parts = self._parts
        spreads, _ = await parts.collections.follow(
            CLUSTER_EXTERNAL_SECRET.resource, cache=Cache(Relevance(status=False))
        )
        hands = Hands(parts.gate, parts.client, ACTOR, "external")
        spread = SpreadParts(parts.client, hands, namespaces, externals)
        controller = self._controller(ClusterExternalSecretReconciler(spread), spreads)
        routes = SpreadRoutes(spreads, controller, StoreMetrics(CLUSTER_EXTERNAL_SECRET.kind, self._registry))
        routes.follow(namespaces, externals)
        return controller

    def _checker(self, kind: Kind[Any, Any], stores: Informer, routes: Routes) -> Controller:
        world, memory = self._parts.world, Memory(self._parts.world.ids)
        reconciler = StoreReconciler(kind, StoreParts(world, self._parts.open, memory, self._ours))
        controller = self._controller(reconciler, stores)
        metrics = StoreMetrics(kind.kind, self._registry)
        routes.follow_stores(kind.kind, Followed(stores, controller, memory), metrics)
        stores.subscribe(lambda before, after: self._ended(kind.kind, before) if before and not after else None)
        return controller

    def _ended(self, kind: str, store: Cached) -> None:
        if self._parts.forget is not None:
            self._gone.put_nowait((kind, *store.meta.key))

    async def _forget_stores(self) -> None:
        while self._parts.forget is not None:
            store = await self._gone.get()
            try:
                await self._parts.forget(*store)
            except PlumblineError as error:
                log.warning("store not signed out of", store="/".join(store), code=error.code, error=str(error))

    def _controller(self, reconciler: Any, informer: Informer) -> Controller:
        records = self._parts.records(COMPONENT)
        return Controller(reconciler, informer, records, self._parts.world, party=_namespace)

    def _ours(self, controller_class: str) -> bool:
        return controller_class in {"", self._parts.controller_class}
