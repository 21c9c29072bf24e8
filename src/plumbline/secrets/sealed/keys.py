"""The sealing keys of an installation: found in the cluster, followed there, and renewed in time."""

import asyncio
from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Final, NamedTuple

from plumbline.base.aside import Aside, in_a_thread
from plumbline.base.errors import InvalidInput, NotFound, PlumblineError
from plumbline.base.json import JsonObject, decode
from plumbline.base.log import logger
from plumbline.base.tasks import task_group
from plumbline.gate.hands import Behalf, Hands
from plumbline.kernel.cache import Cached, Meta
from plumbline.kernel.informer import Informer
from plumbline.kernel.reconciler import Event
from plumbline.kernel.records import Records
from plumbline.kernel.world import World
from plumbline.kube.client import Client, Target, Writing
from plumbline.kube.names import GroupVersionResource, Ref
from plumbline.secrets.sealed.metrics import SealedMetrics
from plumbline.secrets.sealing import ACTIVE, KEY_LABEL, KeyOrder, Keyring, SealingKey, key_of, key_secret, made_key
from plumbline.secrets.sealing.opening import SKIP_OWNER

SECRETS: Final = GroupVersionResource("", "v1", "secrets")
EXPORTED: Final = "plumbline.dev/exported"
"""On the Secret of a key: when it was last put where it survives the cluster, and for whom."""
_SEALED_SECRET: Final = "SealedSecret"  # noqa: S105 - a kind
_WRITING: Final = Writing(field_manager="sealed-secrets")
_AGAIN_S: Final = 5.0
_LONGEST_S: Final = 24 * 3600.0

log = logger(__name__)


class Habits(NamedTuple):
    """How keys are made and renewed; what is not said is as upstream has it."""

    prefix: str = "sealed-secrets-key"
    size: int = 4096
    lifetime: timedelta = timedelta(hours=87600)
    renewal: timedelta = timedelta(hours=720)
    """How old the newest may be; zero for no renewal."""
    common_name: str = ""
    order: KeyOrder = "CertNotBefore"


class _Loaded(NamedTuple):
    version: str
    key: SealingKey | None
    """None for what looks like a key, and is none."""


class Keys:
    """Values of keys are read when a key comes or changes, and kept as keys only. Without *hands* none is ever made."""

    def __init__(
        self, client: Client, world: World, namespace: str, hands: Hands | None = None, records: Records | None = None
    ) -> None:
        self.habits = Habits()
        self.aside: Aside = in_a_thread
        self.ring: Keyring = Keyring(())
        self.changed: Callable[[], None] = lambda: None
        """Told when a key has come or gone."""
        self.metrics: SealedMetrics | None = None
        self._client, self._hands, self._records, self._world = client, hands, records, world
        self._namespace = namespace
        self._loaded: dict[str, _Loaded] = {}
        self._warned: set[str] = set()
        self._stirred = asyncio.Event()
        self._ready = asyncio.Event()

    async def ready(self) -> Keyring:
        """The keys, once there is one."""
        await self._ready.wait()
        return self.ring

    async def run(self, secrets: Informer) -> None:
        """*secrets* shows what Secrets there are, without what is in them."""
        secrets.subscribe(self._stir)
        await secrets.synced()
        while True:
            self._stirred.clear()
            wait_s = _AGAIN_S
            try:
                await self._look(secrets)
                wait_s = await self._renew(secrets)
            except PlumblineError as error:
                log.warning("sealing keys not looked after", code=error.code, error=str(error), again_in_s=wait_s)
            await self._rest(wait_s)

    async def _rest(self, wait_s: float) -> None:
        """Until something stirs, or time is up."""
        async with task_group() as group:
            alarm = group.create_task(self._alarm(wait_s))
            await self._stirred.wait()
            alarm.cancel()

    async def _alarm(self, wait_s: float) -> None:
        await self._world.clock.sleep(wait_s)
        self._stirred.set()

    def _stir(self, before: Cached | None, after: Cached | None) -> None:
        if any(each is not None and self._is_key(each.meta) for each in (before, after)):
            self._stirred.set()

    def _is_key(self, meta: Meta) -> bool:
        """What a SealedSecret brought is no key: else whoever may make those could tell us what to seal with."""
        brought = any(each.kind == _SEALED_SECRET for each in meta.owner_references)
        if meta.namespace != self._namespace or brought or meta.annotations.get(SKIP_OWNER) == "true":
            return False
        return meta.labels.get(KEY_LABEL) == ACTIVE or (
            meta.name == self.habits.prefix and KEY_LABEL not in meta.labels
        )

    async def _look(self, secrets: Informer) -> None:
        present = {entry.meta.name: entry.meta for entry in secrets.cache if self._is_key(entry.meta)}
        for name in self._loaded.keys() - present.keys():
            log.warning("sealing key gone", name=name)
            del self._loaded[name]
        for name, meta in present.items():
            known = self._loaded.get(name)
            if known is None or known.version != meta.resource_version:
                await self._load(name)
        self._assemble()
        await self._warn(present)

    async def _load(self, name: str) -> None:
        try:
            found = decode(await self._client.get(Target(SECRETS, self._namespace, name)))
        except NotFound:
            self._loaded.pop(name, None)  # the copy will say so too
            return
        self._take(found)

    def _take(self, secret: JsonObject) -> None:
        metadata = secret["metadata"]
        key = None
        try:
            key = key_of(secret)
        except InvalidInput as error:
            log.warning("not a sealing key", name=metadata["name"], code=error.code, error=str(error))
        self._loaded[metadata["name"]] = _Loaded(metadata["resourceVersion"], key)

    def _assemble(self) -> None:
        keys = tuple(each.key for each in self._loaded.values() if each.key is not None)
        before = {each.fingerprint for each in self.ring.keys}
        self.ring = Keyring(keys, self.habits.order)
        if keys:
            self._ready.set()
        if before != {each.fingerprint for each in keys}:
            self.changed()

    async def _renew(self, secrets: Informer) -> float:
        """Make a key if it is time for one; returns for how long there is nothing to do."""
        due = self._due()
        now = self._world.clock.now()
        if due is None or self._hands is None:
            return _LONGEST_S
        if due > now:
            return min((due - now).total_seconds(), _LONGEST_S)
        habits = self.habits
        key = await self.aside(
            lambda: made_key(now=now, size=habits.size, lifetime=habits.lifetime, common_name=habits.common_name)
        )
        body = key_secret(key, namespace=self._namespace, name=f"{habits.prefix}{self._world.ids.suffix()}")
        why = "The newest sealing key has come of age" if self.ring.keys else "There is no sealing key yet"
        collection = Target(SECRETS, self._namespace)
        written = await self._hands.create(collection, body, _WRITING, Behalf(Ref.of(body), None), why)
        if written is None:  # only observing
            return _LONGEST_S
        self._take(decode(written))
        secrets.learn(written)  # a watch that is late would have it gone, and another one made
        self._assemble()
        log.info("sealing key made", name=body["metadata"]["name"], fingerprint=key.fingerprint)
        return 0.0

    def _due(self) -> datetime | None:
        """When the next key is to be made; None for never."""
        if not self.ring.keys:
            return datetime.min.replace(tzinfo=self._world.clock.now().tzinfo)
        if not self.habits.renewal:
            return None
        newest = self.ring.newest
        made = newest.not_before if self.habits.order == "CertNotBefore" else newest.created or newest.not_before
        return made + self.habits.renewal

    async def _warn(self, present: dict[str, Meta]) -> None:
        """A key that is nowhere else is lost with the cluster, and with it everything that it sealed."""
        bare = [meta for name, meta in present.items() if EXPORTED not in meta.annotations]
        if self.metrics is not None:
            self.metrics.unexported(len(bare))
        for meta in bare:
            if meta.uid not in self._warned and self._records is not None:
                self._warned.add(meta.uid)
                await self._records.emit(_bare(meta), Event("NotExported", _LOST.format(name=meta.name), warning=True))


_LOST: Final = (
    "The sealing key {name} exists nowhere but in this cluster: what it sealed is lost if the cluster is. "
    "Put it aside with `plumb keys export`"
)


def _bare(meta: Meta) -> JsonObject:
    named = {"name": meta.name, "namespace": meta.namespace, "uid": meta.uid, "resourceVersion": meta.resource_version}
    return {"apiVersion": "v1", "kind": "Secret", "metadata": named}
