"""Managed resources, put together: one controller for each kind that somebody uses, and one for each kind of config."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Final, NamedTuple

import msgspec

from plumbline.base.errors import TimedOut
from plumbline.base.json import JsonObject
from plumbline.base.tasks import task_group
from plumbline.gate.gate import Gate
from plumbline.kernel.cache import Cache, Cached, Key, Relevance
from plumbline.kernel.collections import Collections
from plumbline.kernel.controller import Controller
from plumbline.kernel.fleet import Fleet
from plumbline.kernel.informer import Changed, Informer
from plumbline.kernel.queue import Priority
from plumbline.kernel.records import Records
from plumbline.kernel.world import World
from plumbline.kube.client import Client
from plumbline.kube.names import GroupKind, Ref
from plumbline.kube.object import Object
from plumbline.managed.activation import Activation, Served, Started
from plumbline.managed.configs import ConfigReconciler, Configs, config_index, config_ref, users_of
from plumbline.managed.connection import Connections
from plumbline.managed.descent import Descents
from plumbline.managed.hands import Hands
from plumbline.managed.identity import external_name, identity, may_write, name_index, older
from plumbline.managed.indexing import Indexed
from plumbline.managed.kinds import Catalogue, ManagedKind, Reference
from plumbline.managed.manifests import ConfigKind
from plumbline.managed.notes import Notes
from plumbline.managed.pacing import Haste, Throttles
from plumbline.managed.reconciler import ManagedReconciler
from plumbline.managed.references import Others
from plumbline.managed.spec import ConfigName
from plumbline.managed.steps.kit import Kit, Memory, Place
from plumbline.managed.waiting import Waiting
from plumbline.ownership.ledger import Ledger
from plumbline.ownership.values import Learned

WORKERS: Final = 16
_RELEVANCE: Final = Relevance(status=False)
_COUNT_S: Final = 5.0
"""How long users of a config are gathered before they are counted."""
_CONFIG_WORKERS: Final = 2
_COMPLETE_S: Final = 10.0
_CLAIM_NAMESPACE: Final = "crossplane.io/claim-namespace"
_NOTHING: Final = Learned()


async def unprepared(_: ManagedKind) -> None:
    """Providers are where their configs say."""


class Parts(NamedTuple):
    """What managed resources are given. Whoever made the collections keeps them running."""

    client: Client
    world: World
    gate: Gate
    ledger: Ledger
    records: Records
    collections: Collections
    catalogue: Catalogue
    cluster: str = "in-cluster"
    prepare: Callable[[ManagedKind], Awaitable[None]] = unprepared
    """Awaited before the first look at a kind, whenever we start: sees that there is something to provide it."""


class ManagedResources:
    def __init__(self, parts: Parts, workers: int = WORKERS) -> None:
        self._parts = parts
        self._workers = workers
        self._fleet = Fleet()
        self._served: dict[GroupKind, Indexed] = {}
        self._controllers: dict[GroupKind, Controller] = {}
        self._configs: dict[ConfigKind, Informer] = {}
        self._config_controllers: dict[ConfigKind, Controller] = {}
        self._twins = _twins(parts.catalogue)
        self._kin = {
            **{one: (other,) for one, other in self._twins.items()},
            **{other: (one,) for one, other in self._twins.items()},
        }
        self._waiting = Waiting()
        self._kit = self._made()
        served = Served(self._started, self._stopped, parts.cluster)
        self.activation = Activation(parts.catalogue, parts.client, parts.gate, parts.world, served)

    def _made(self) -> Kit:
        client, world, gate, ledger, *_ = self._parts
        clock, cluster = world.clock, self._parts.cluster
        return Kit(
            world=world,
            client=client,
            notes=Notes(gate, client, clock, cluster),
            hands=Hands(gate, ledger, cluster),
            connections=Connections(gate, client, cluster),
            configs=Configs(client, clock, self._configs.get),
            descents=Descents(client),
            others=Others(self._other, self._all_others),
            older=self._older,
            waiting=self._waiting,
            throttles=Throttles(clock),
            haste=Haste(),
            memory=Memory(clock),
        )

    async def run(self) -> None:
        async with task_group() as group:
            group.create_task(self._fleet.run())
            group.create_task(self.activation.run())

    def controller(self, kind: GroupKind) -> Controller | None:
        """The controller of a kind that is served, for whoever wants something looked at."""
        return self._controllers.get(kind)

    async def _started(self, started: Started) -> None:
        kind = started.kind
        for config, ours in started.configs:
            await self._follow_config(config, ours=ours)
        await self._parts.prepare(kind)
        informer, _ = await self._parts.collections.follow(kind.resource, cache=Cache(_RELEVANCE))
        await _complete(informer)
        filings = {"config": config_index(kind), "external-name": name_index(kind)}
        self._served[kind.group_kind] = Indexed(informer, filings)
        listener = self._listener(kind)
        for entry in informer.cache:
            listener(None, entry)
        informer.subscribe(listener)
        reconciler = ManagedReconciler(kind, self._references(kind), self._kit)
        party = _party(kind, informer)
        controller = Controller(reconciler, informer, self._parts.records, self._parts.world, party=party)
        controller.wake_all()  # what came before the controller did
        self._controllers[kind.group_kind] = controller
        await self._fleet.launch(reconciler.name, controller, self._workers)

    async def _stopped(self, kind: ManagedKind) -> None:
        """The CRD is gone, and every object with it."""
        self._parts.collections.leave(kind.resource)
        self._served.pop(kind.group_kind, None)
        controller = self._controllers.pop(kind.group_kind, None)
        if controller is not None:
            await self._fleet.recall(controller.reconciler.name)

    async def _follow_config(self, kind: ConfigKind, *, ours: bool) -> None:
        informer, _ = await self._parts.collections.follow(kind.resource, cache=Cache(_RELEVANCE))
        await _complete(informer)
        known = kind in self._configs  # asked only now: kinds that come together have waited together
        if not known:
            self._configs[kind] = informer
            informer.subscribe(self._config_listener(kind))
        if ours and not known:
            reconciler = ConfigReconciler(kind, lambda ref: users_of(self._served.values(), ref))
            controller = Controller(reconciler, informer, self._parts.records, self._parts.world)
            controller.wake_all()
            self._config_controllers[kind] = controller
            await self._fleet.launch(reconciler.name, controller, _CONFIG_WORKERS)

    def _listener(self, kind: ManagedKind) -> Changed:
        """Whoever waits for a resource of *kind* hears of it, and its config of one user more or less."""
        index = config_index(kind)

        def changed(before: Cached | None, after: Cached | None) -> None:
            present = after or before
            if present is None:
                return
            for waiter in self._waiting.woken(kind.group_kind, present):
                self._wake(waiter)
            used = {ref for each in (before, after) if each is not None for ref in index(each)}
            if before is None or after is None or len(used) > 1:
                self._count(kind, used)
            if after is None and before is not None:
                self._forget(kind, before)

        return changed

    def _forget(self, kind: ManagedKind, gone: Cached) -> None:
        place = (kind.group_kind, gone.meta.key)
        self._waiting.found(place)
        self._kit.memory.forget(place)
        self._kit.haste.forget(place)
        ref = Ref(*kind.group_kind, *gone.meta.key)
        self._parts.ledger.replace((str(kind.group_kind), str(ref)), _NOTHING)
        for each, entry in self._named_alike(kind, external_name(kind, gone)):
            self._wake((each.group_kind, entry.meta.key))

    def _wake(self, place: Place) -> None:
        kind, key = place
        controller = self._controllers.get(kind)
        if controller is not None:
            controller.wake(key, Priority.DRIFT)

    def _count(self, kind: ManagedKind, used: set[str]) -> None:
        """Later, so that a thousand that come together cost one count."""
        for config, controller in self._config_controllers.items():
            if config.group in {kind.provider.group, kind.provider.twin_group}:
                for entry in self._configs[config].cache:
                    if str(Ref(config.group, config.kind, *entry.meta.key)) in used:
                        controller.queue.add_after(entry.meta.key, _COUNT_S, Priority.POLL)

    def _config_listener(self, config: ConfigKind) -> Changed:
        def changed(before: Cached | None, after: Cached | None) -> None:
            present = after or before
            if present is None or (before is not None and after is not None and before.relevant == after.relevant):
                return
            ref = Ref(config.group, config.kind, *present.meta.key)
            for kind, served in self._served.items():
                for entry in served.filed("config", str(ref)):
                    self._wake((kind, entry.meta.key))

        return changed

    def _other(self, kind: GroupKind, namespace: str, name: str) -> Cached | None:
        served = self._served.get(kind)
        return served.informer.cache.get((namespace, name)) if served is not None else None

    def _all_others(self, kind: GroupKind, namespace: str) -> list[Cached]:
        served = self._served.get(kind)
        copy = served.informer.cache if served is not None else ()
        found = [each for each in copy if not namespace or each.meta.namespace == namespace]
        return sorted(found, key=lambda each: each.meta.key)

    def _older(self, kind: ManagedKind, obj: JsonObject, config: Ref, name: str) -> JsonObject | None:
        """The oldest of those that stand for the same thing, if it is not *obj* itself."""
        mine = identity(kind, obj, config, name)
        uid, holder = Object(obj).uid, obj
        for each, entry in self._named_alike(kind, name):
            if entry.meta.uid == uid:
                continue
            other = entry.object()
            said = msgspec.convert(Object(other).spec.get("providerConfigRef") or {}, ConfigName)
            theirs = identity(each, other, config_ref(each, said, entry.meta.namespace), name)
            if theirs == mine and may_write(other) and older(other, holder):
                holder = other
        return holder if holder is not obj else None

    def _named_alike(self, kind: ManagedKind, name: str) -> list[tuple[ManagedKind, Cached]]:
        """Resources of both lineages that have, or will have, the same external name."""
        if not name:
            return []
        kinds = (kind, *filter(None, (self._parts.catalogue.get(each) for each in self._kin.get(kind.group_kind, ()))))
        served = [(each, self._served[each.group_kind]) for each in kinds if each.group_kind in self._served]
        return [(each, entry) for each, indexed in served for entry in indexed.filed("external-name", name)]

    def _references(self, kind: ManagedKind) -> tuple[Reference, ...]:
        """As its lineage means them: those of a namespaced kind lead to namespaced kinds."""
        if not kind.namespaced:
            return kind.references
        return tuple(msgspec.structs.replace(each, to=self._twins.get(each.to, each.to)) for each in kind.references)


def _party(kind: ManagedKind, informer: Informer) -> Callable[[Key], str]:
    """Whose a resource is: its namespace's, or that of the claim above it, or of all who use the same config."""
    configs = config_index(kind)

    def party(key: Key) -> str:
        namespace, entry = key[0], informer.cache.get(key)
        if namespace or entry is None:
            return namespace
        return entry.meta.labels.get(_CLAIM_NAMESPACE) or next(iter(configs(entry)), "")

    return party


async def _complete(informer: Informer) -> None:
    """Returns once the copy is complete. A kind that was just made is not served at once; one that is not for long keeps nobody."""
    try:
        async with asyncio.timeout(_COMPLETE_S):
            await informer.synced()
    except TimeoutError as late:
        why = str(informer.interrupted or f"it took longer than {_COMPLETE_S:.0f} s")
        raise TimedOut(f"{informer.target} cannot be read", why=why) from late


def _twins(catalogue: Catalogue) -> dict[GroupKind, GroupKind]:
    """For each cluster-scoped kind the namespaced one."""
    found = {}
    for kind in catalogue.kinds.values():
        if not kind.namespaced:
            service = kind.group.removesuffix(kind.provider.group).removesuffix(".")
            group = ".".join(part for part in (service, kind.provider.twin_group) if part)
            found[kind.group_kind] = GroupKind(group, kind.kind)
    return found
