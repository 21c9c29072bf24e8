"""CRDs of managed kinds appear when somebody first uses the kind, and never before.

A CRD that somebody else has installed is left alone, and so are its objects: a provider of upstream's serves them.
"""

import asyncio
from collections.abc import Awaitable, Callable, Iterable
from enum import Enum
from typing import Final, NamedTuple

from plumbline.base.errors import AlreadyExists, NotFound, PlumblineError, TimedOut
from plumbline.base.json import JsonObject, decode, encode
from plumbline.base.log import logger
from plumbline.base.tasks import task_group
from plumbline.gate.gate import Gate, Performed
from plumbline.gate.intents import Act, Intent
from plumbline.gate.writes import Creating, Replacing
from plumbline.journal.parties import Actor, LiveObject
from plumbline.kernel.cache import Cached
from plumbline.kernel.informer import Informer
from plumbline.kernel.queue import Queue
from plumbline.kernel.world import World
from plumbline.kinds.crd import MANAGED_BY, OURS, SCHEMA_HASH, Create, Update, plan_crd
from plumbline.kube.client import Client, Selection, Target, Writing
from plumbline.kube.names import GroupKind, GroupVersionResource
from plumbline.kube.object import Object
from plumbline.managed.kinds import Catalogue, ManagedKind, ProviderKind
from plumbline.managed.manifests import ConfigKind, config_crd, config_kinds, managed_crd

CRDS: Final = GroupVersionResource("apiextensions.k8s.io", "v1", "customresourcedefinitions")
_US: Final = Actor("controller", "managed")
_WRITING: Final = Writing(field_manager="plumbline-managed")
_ESTABLISHED_S: Final = 30.0
_GLANCE_S: Final = 0.05
_FOREIGN_S: Final = 60.0
"""How long somebody else's CRD is taken to be there still."""

log = logger(__name__)


class Whose(Enum):
    OURS = "ours"
    THEIRS = "theirs"
    NOBODYS = "nobodys"
    """It is not there, and we may not make it."""


class Started(NamedTuple):
    """What is told of a kind that is served now: itself and how its provider is configured."""

    kind: ManagedKind
    configs: tuple[tuple[ConfigKind, bool], ...]
    """With each, whether its CRD is ours."""


class Served(NamedTuple):
    """Who is told of kinds that come and go."""

    start: Callable[[Started], Awaitable[None]]
    stop: Callable[[ManagedKind], Awaitable[None]]
    cluster: str = "in-cluster"


class Activation:
    def __init__(self, catalogue: Catalogue, client: Client, gate: Gate, world: World, served: Served) -> None:
        self._catalogue = catalogue
        self._client = client
        self._gate = gate
        self._clock = world.clock
        self._served = served
        self._named = {f"{kind.plural}.{kind.group}": kind for kind in catalogue.kinds.values()}
        self._active: set[GroupKind] = set()
        self._foreign: dict[GroupKind, float] = {}
        self._locks: dict[str, asyncio.Lock] = {}
        self._changes: Queue[str] = Queue(world.clock, world.ids)
        ours = Selection(labels=f"{MANAGED_BY}={OURS}", metadata_only=True)
        self.definitions = Informer(client, Target(CRDS), selection=ours)

    def active(self, kind: GroupKind) -> bool:
        return kind in self._active

    async def run(self) -> None:
        """Start again what was started before, and follow: a CRD of ours that goes away takes its controller along."""
        self.definitions.subscribe(self._changed)
        async with task_group() as group:
            group.create_task(self.definitions.run())
            group.create_task(self._follow())

    async def ensure(self, kind: GroupKind) -> bool:
        """Make sure that *kind* is served, and looked after by us; False where it is not ours, or not to be had."""
        found = self._catalogue.get(kind)
        if found is None:
            return False
        async with self._lock(str(kind)):
            if kind in self._active:
                return True
            if self._clock.monotonic() < self._foreign.get(kind, float("-inf")):
                return False
            return await self._activated(found)

    async def ensure_all(self, kinds: Iterable[GroupKind]) -> None:
        """Side by side: an API server lets the first reader of a new kind wait for a second, and of thirty each in turn."""
        await asyncio.gather(*(self.ensure(kind) for kind in kinds))

    async def configure(self, provider: ProviderKind) -> None:
        """Make sure that configs of *provider* can be written, in both lineages, before any of its kinds is used."""
        for namespaced in (False, True):
            for each in config_kinds(provider, namespaced=namespaced):
                async with self._lock(f"{each.plural}.{each.group}"):
                    await self._provided(config_crd(each))
        self._client.discovery.forget()

    async def _activated(self, kind: ManagedKind) -> bool:
        whose = await self._provided(managed_crd(kind))
        if whose is not Whose.OURS:
            if whose is Whose.THEIRS:
                self._foreign[kind.group_kind] = self._clock.monotonic() + _FOREIGN_S
            return False
        configs = []
        for each in config_kinds(kind.provider, namespaced=kind.namespaced):
            async with self._lock(f"{each.plural}.{each.group}"):
                configs.append((each, await self._provided(config_crd(each)) is Whose.OURS))
        self._client.discovery.forget()
        await self._served.start(Started(kind, tuple(configs)))
        self._active.add(kind.group_kind)
        log.info("kind activated", kind=str(kind.group_kind))
        return True

    async def _provided(self, ours: JsonObject) -> Whose:
        """Create or update a CRD as the rules for CRDs have it, and wait until it is served."""
        name = ours["metadata"]["name"]
        live = await self._live(name)
        plan = plan_crd(ours, live)
        act: Act | None = None
        if isinstance(plan, Create):
            act = Creating(self._client, Target(CRDS), encode(plan.manifest), _WRITING)
        elif isinstance(plan, Update):
            act = Replacing(self._client, Target(CRDS, name=name), encode(plan.manifest), _WRITING)
        elif not _is_ours(live):
            return Whose.THEIRS
        if act is not None and not await self._performed(name, act):
            return Whose.OURS if live is not None and _is_ours(live) else Whose.NOBODYS
        await self._established(name)
        return Whose.OURS

    async def _performed(self, name: str, act: Act) -> bool:
        ref = LiveObject(cluster=self._served.cluster, group=CRDS.group, kind="CustomResourceDefinition", name=name)
        verb = "create" if isinstance(act, Creating) else "update"
        intent = Intent(actor=_US, subject=ref, verb=verb, why=f"Serve {name}, which somebody uses")
        try:
            return isinstance(await self._gate.perform(intent, act), Performed)
        except AlreadyExists:
            return _is_ours(await self._live(name))

    async def _established(self, name: str) -> None:
        until_s = self._clock.monotonic() + _ESTABLISHED_S
        while self._clock.monotonic() < until_s:
            live = await self._live(name)
            condition = Object(live).condition("Established") if live is not None else None
            if condition is not None and condition.status == "True":
                return
            await self._clock.sleep(_GLANCE_S)
        raise TimedOut(f"{name} is not served yet", why=f"its CRD is not established after {_ESTABLISHED_S:.0f} s")

    async def _live(self, name: str) -> JsonObject | None:
        try:
            return decode(await self._client.get(Target(CRDS, name=name)))
        except NotFound:
            return None

    def _changed(self, before: Cached | None, after: Cached | None) -> None:
        present = after or before
        if present is not None and (before is None or after is None) and present.meta.name in self._named:
            self._changes.add(present.meta.name)

    async def _follow(self) -> None:
        while (taken := await self._changes.take()) is not None:
            name, _ = taken
            try:
                await self._turn(self._named[name])
                self._changes.forgive(name)
            except PlumblineError as error:
                again_in_s = self._changes.retry(name)
                log.warning("kind not activated", crd=name, code=error.code, error=str(error), again_in_s=again_in_s)
            finally:
                self._changes.done(name)

    async def _turn(self, kind: ManagedKind) -> None:
        if self.definitions.cache.get(("", f"{kind.plural}.{kind.group}")) is not None:
            await self.ensure(kind.group_kind)
            return
        async with self._lock(str(kind.group_kind)):
            if kind.group_kind in self._active:
                self._active.discard(kind.group_kind)
                await self._served.stop(kind)
                self._client.discovery.forget()

    def _lock(self, name: str) -> asyncio.Lock:
        return self._locks.setdefault(name, asyncio.Lock())


def _is_ours(live: JsonObject | None) -> bool:
    if live is None:
        return False
    view = Object(live)
    return view.labels.get(MANAGED_BY) == OURS and SCHEMA_HASH in view.annotations
