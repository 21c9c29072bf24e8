"""Which PushSecrets have to look again when something changes."""

from collections.abc import Iterable
from typing import Final

from plumbline.kernel.cache import Cache, Cached, Relevance
from plumbline.kernel.controller import Controller
from plumbline.kernel.informer import Informer
from plumbline.kernel.queue import Priority
from plumbline.secrets.external.metrics import StoreMetrics
from plumbline.secrets.external.status import ready_of, status_of
from plumbline.secrets.push.looking import Around

_BY_SOURCE: Final = "source"
_ANY: Final = "*"


def pushes_cache() -> Cache:
    """PushSecrets by the Secrets that they take values from."""
    return Cache(Relevance(status=False), {_BY_SOURCE: _sources})


class PushRoutes:
    def __init__(self, around: Around, controller: Controller, metrics: StoreMetrics) -> None:
        self._around, self._controller, self._metrics = around, controller, metrics
        controller.looked = self._looked
        around.pushes.subscribe(self._push_changed)
        around.secrets.subscribe(self._secret_changed)

    def follow_stores(self, stores: Informer) -> None:
        stores.subscribe(lambda _, after: self._retry(after.meta.namespace) if after is not None else None)

    def _looked(self, key: tuple[str, str], took_s: float) -> None:
        if self._around.pushes.cache.get(key) is not None:
            self._metrics.looked(key, took_s)

    def _push_changed(self, before: Cached | None, after: Cached | None) -> None:
        present = after or before
        if present is None:
            return
        key = present.meta.key
        if after is None:
            self._around.memory.forget(key)
            self._around.pushed.pop(key, None)
            self._metrics.forget(key)
            self._retry(key[0])  # a place that it had may be free now
            return
        if status := str(ready_of(status_of(after.object())).get("status", "")):
            self._metrics.conditions.told(key, "Ready", status)
        if before is not None and before.relevant != after.relevant:
            self._around.memory.forgive(key)
            self._retry(key[0])

    def _secret_changed(self, before: Cached | None, after: Cached | None) -> None:
        present = after or before
        if present is None:
            return
        namespace, name = present.meta.key
        for place in (f"{namespace}/{name}", f"{namespace}/{_ANY}"):
            for entry in self._around.pushes.cache.indexed(_BY_SOURCE, place):
                self._around.memory.forgive(entry.meta.key)
                self._controller.wake(entry.meta.key, Priority.DRIFT)

    def _retry(self, namespace: str) -> None:
        """Those of a namespace that wait for something, or all where it is the cluster's.

        Who waits for a namespace that is not his own comes again by himself within a minute.
        """
        for key in [each for each in self._around.memory.failing if namespace in {"", each[0]}]:
            self._around.memory.forgive(key)
            self._controller.wake(key, Priority.DRIFT)


def _sources(entry: Cached) -> Iterable[str]:
    spec = entry.object().get("spec")
    selector = spec.get("selector") if isinstance(spec, dict) else None
    secret = selector.get("secret") if isinstance(selector, dict) else None
    if isinstance(secret, dict):
        yield f"{entry.meta.namespace}/{secret.get('name') or _ANY}"
