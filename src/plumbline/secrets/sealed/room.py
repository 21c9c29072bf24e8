"""The room, put together: SealedSecrets, the Secrets that come of them, and the keys."""

from typing import Final, NamedTuple

from prometheus_client import CollectorRegistry

from plumbline.base.aside import Aside, in_a_thread
from plumbline.base.tasks import task_group
from plumbline.gate.gate import Gate
from plumbline.gate.hands import Hands
from plumbline.journal.parties import Actor
from plumbline.kernel.cache import Cache, Cached, Relevance
from plumbline.kernel.collections import Collections
from plumbline.kernel.controller import Controller
from plumbline.kernel.metrics import collected
from plumbline.kernel.queue import Priority
from plumbline.kernel.records import Records
from plumbline.kernel.world import World
from plumbline.kinds.sealedsecret import SEALED_SECRET
from plumbline.kube.client import Client
from plumbline.secrets.sealed.keys import SECRETS, Habits, Keys
from plumbline.secrets.sealed.metrics import SealedMetrics
from plumbline.secrets.sealed.reconciler import Around, SealedSecretReconciler
from plumbline.secrets.sealed.status import condition

ACTOR: Final = Actor("controller", "sealed-secrets")
KEY_NAMESPACE: Final = "kube-system"
"""Where keys are, unless somebody says otherwise, and where kubeseal looks for the controller."""
_WORKERS: Final = 16


class Parts(NamedTuple):
    """What the room is given."""

    client: Client
    world: World
    gate: Gate
    records: Records
    collections: Collections
    """Kept running by whoever made them."""
    namespace: str = KEY_NAMESPACE
    habits: Habits = Habits()
    aside: Aside = in_a_thread


class SealedSecrets:
    def __init__(self, parts: Parts) -> None:
        self._parts = parts
        self._registry = CollectorRegistry()
        self._metrics = SealedMetrics(self._registry)
        hands = Hands(parts.gate, parts.client, ACTOR, "unsealed")
        self.keys = Keys(parts.client, parts.world, parts.namespace, hands, parts.records)
        self.keys.habits, self.keys.aside, self.keys.metrics = parts.habits, parts.aside, self._metrics
        self._reconciler = SealedSecretReconciler(
            Around(parts.client, hands, self.keys, parts.world, parts.aside, self._metrics)
        )

    async def run(self) -> None:
        parts, follow = self._parts, self._parts.collections.follow
        secrets, _ = await follow(SECRETS, cache=Cache(Relevance(content=False)))
        await secrets.synced()
        sealed, _ = await follow(SEALED_SECRET.resource, cache=Cache(Relevance(status=False)))
        self._sealed = sealed
        self.controller = Controller(self._reconciler, sealed, parts.records, parts.world)
        sealed.subscribe(self._sealed_changed)
        secrets.subscribe(self._secret_changed)
        self.keys.changed = self._keys_changed
        self._reconciler.secrets = secrets
        with collected(parts.world.metrics.registry, self._registry):
            async with task_group() as group:
                group.create_task(self.keys.run(secrets))
                group.create_task(self.controller.run(_WORKERS))

    def _secret_changed(self, before: Cached | None, after: Cached | None) -> None:
        present = after or before
        if present is None or self._sealed.cache.get(present.meta.key) is None:
            return
        if self._reconciler.secret_changed(before, after):
            self.controller.wake(present.meta.key, Priority.DRIFT)

    def _sealed_changed(self, before: Cached | None, after: Cached | None) -> None:
        if after is None:
            if before is not None:
                self._reconciler.forget(before.meta.key)
                self._metrics.gone(before)
            return
        self._metrics.said(after, condition(after.object().get("status") or {}).get("status", ""))

    def _keys_changed(self) -> None:
        """What could not be opened may be now; what could stays as it is."""
        for key in tuple(self._reconciler.unopened):
            self.controller.wake(key)
