"""Who has to look again when something changes. Of Secrets nothing is kept but their metadata."""

from collections.abc import Callable, Iterable, Iterator
from typing import Final, NamedTuple, TypeAlias

from plumbline.base.json import Json, JsonObject
from plumbline.kernel.cache import Cache, Cached, Key, Relevance
from plumbline.kernel.controller import Controller
from plumbline.kernel.informer import Informer
from plumbline.kernel.queue import Priority
from plumbline.secrets.external.known import CLUSTER_KIND
from plumbline.secrets.external.memory import Memory, Version
from plumbline.secrets.external.metrics import ExternalMetrics, StoreMetrics
from plumbline.secrets.external.status import ready_of, status_of

BY_TARGET: Final = "target"
BY_STORE: Final = "store"
BY_CREDENTIAL: Final = "credential"
_ANYWHERE: Final = "*"


def externals_cache() -> Cache:
    """ExternalSecrets by the Secret that they make, and by the stores that they ask."""
    return Cache(Relevance(status=False), {BY_TARGET: _target, BY_STORE: _stores})


def stores_cache() -> Cache:
    """Stores by the Secrets that they sign in with."""
    return Cache(Relevance(status=False), {BY_CREDENTIAL: _credentials})


def metadata_cache() -> Cache:
    return Cache(Relevance(content=False))


Looked: TypeAlias = Callable[[Key, float], None]


class Followed(NamedTuple):
    informer: Informer
    controller: Controller
    memory: Memory


class Routes:
    def __init__(self, externals: Followed, metrics: ExternalMetrics) -> None:
        self._externals, self._metrics = externals, metrics
        self._stores: list[Followed] = []
        externals.informer.subscribe(self._external_changed)
        externals.controller.looked = _while_there(externals.informer, metrics.looked)

    def follow_stores(self, kind: str, stores: Followed, metrics: StoreMetrics) -> None:
        self._stores.append(stores)
        stores.controller.looked = _while_there(stores.informer, metrics.looked)

        def changed(before: Cached | None, after: Cached | None) -> None:
            present = after or before
            if present is None:
                return
            key = present.meta.key
            if after is None:
                stores.memory.forget(key)
                metrics.forget(key)
                return
            metrics.conditions.told(key, "Ready", _ready(after))
            if before is None or before.meta.generation != after.meta.generation:
                stores.memory.forgive(key)
            self._wake_failing(_store(kind, *key))

        stores.informer.subscribe(changed)

    def follow_secrets(self, secrets: Informer) -> None:
        secrets.subscribe(self._secret_changed)

    def follow_namespaces(self, namespaces: Informer) -> None:
        """Whether a store of the cluster may be used goes by the labels of a namespace."""

        def changed(before: Cached | None, after: Cached | None) -> None:
            if after is not None and (before is None or before.meta.labels != after.meta.labels):
                self._retry(key for key in self._externals.memory.failing if key[0] == after.meta.name)

        namespaces.subscribe(changed)

    def _external_changed(self, before: Cached | None, after: Cached | None) -> None:
        present = after or before
        if present is None:
            return
        key = present.meta.key
        if after is None:
            self._externals.memory.forget(key)
            self._metrics.gone(key)
            return
        if status := _ready(after):
            self._metrics.conditions.told(key, "Ready", status)
        if before is not None and before.relevant != after.relevant:
            self._externals.memory.forgive(key)

    def _secret_changed(self, before: Cached | None, after: Cached | None) -> None:
        present = after or before
        if present is None:
            return
        namespace, name = present.meta.key
        controller, memory = self._externals.controller, self._externals.memory
        for entry in self._externals.informer.cache.indexed(BY_TARGET, f"{namespace}/{name}"):
            if after is None or memory.right.get(entry.meta.key) != Version.of(after):
                controller.wake(entry.meta.key, Priority.DRIFT)
        for stores in self._stores:
            for place in (f"{namespace}/{name}", f"{_ANYWHERE}/{name}"):
                for entry in stores.informer.cache.indexed(BY_CREDENTIAL, place):
                    stores.memory.forgive(entry.meta.key)
                    stores.controller.wake(entry.meta.key, Priority.DRIFT)

    def _wake_failing(self, store: str) -> None:
        """Whoever waits for something about *store* need not wait any longer."""
        users = self._externals.informer.cache.indexed(BY_STORE, store)
        self._retry(entry.meta.key for entry in users if entry.meta.key in self._externals.memory.failing)

    def _retry(self, keys: Iterable[Key]) -> None:
        for key in list(keys):
            self._externals.memory.forgive(key)
            self._externals.controller.wake(key, Priority.DRIFT)


def _while_there(informer: Informer, looked: Looked) -> Looked:
    """Nothing is counted of what is gone: it would be counted for ever."""

    def told(key: Key, took_s: float) -> None:
        if informer.cache.get(key) is not None:
            looked(key, took_s)

    return told


def _ready(entry: Cached) -> str:
    return str(ready_of(status_of(entry.object())).get("status", ""))


def _store(kind: str, namespace: str, name: str) -> str:
    return f"{kind}/{'' if kind == CLUSTER_KIND else namespace}/{name}"


def _target(entry: Cached) -> Iterable[str]:
    target = _part(_spec(entry), "target")
    yield f"{entry.meta.namespace}/{target.get('name') or entry.meta.name}"


def _stores(entry: Cached) -> Iterable[str]:
    spec = _spec(entry)
    refs = [_part(spec, "secretStoreRef")]
    for field in ("data", "dataFrom"):
        listed = spec.get(field)
        refs += [_part(_part(each, "sourceRef"), "storeRef") for each in listed or () if isinstance(each, dict)]
    named = {(str(ref.get("kind") or "SecretStore"), str(ref["name"])) for ref in refs if ref.get("name")}
    return (_store(kind, entry.meta.namespace, name) for kind, name in sorted(named))


def _credentials(entry: Cached) -> Iterable[str]:
    """Every Secret that the store may be reading. Some of it are names of other things, which costs a look too many."""
    here = entry.meta.namespace
    return {f"{here or namespace or _ANYWHERE}/{name}" for namespace, name in _named(_spec(entry).get("provider"))}


def _named(value: Json) -> Iterator[tuple[str, str]]:
    if isinstance(value, dict):
        if isinstance(name := value.get("name"), str):
            yield str(value.get("namespace") or ""), name
        for each in value.values():
            yield from _named(each)
    elif isinstance(value, list):
        for each in value:
            yield from _named(each)


def _spec(entry: Cached) -> JsonObject:
    return _part(entry.object(), "spec")


def _part(obj: JsonObject, name: str) -> JsonObject:
    found = obj.get(name)
    return found if isinstance(found, dict) else {}
