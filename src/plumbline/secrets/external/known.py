"""Stores as objects of the cluster: what they say, whether they are well, and who may use them."""

from collections.abc import Mapping
from typing import Any, Final, NamedTuple, Protocol

import msgspec

from plumbline.base.errors import Forbidden, InvalidInput, Unresolved
from plumbline.base.json import JsonObject
from plumbline.base.regex import compiled
from plumbline.kernel.cache import Cached
from plumbline.kernel.informer import Informer
from plumbline.kinds.externalsecrets import CLUSTER_SECRET_STORE, SECRET_STORE
from plumbline.kinds.externalsecrets.secretstore import SecretStoreSpec, StoreCondition, provider_name
from plumbline.kinds.kind import Kind
from plumbline.kinds.read import read
from plumbline.kube.object import Object
from plumbline.kube.selectors import LabelSelector
from plumbline.secrets.external.asking import StoreName
from plumbline.secrets.stores.store import Store

CLUSTER_KIND: Final = CLUSTER_SECRET_STORE.kind
GROUP: Final = SECRET_STORE.group


class KnownStore(NamedTuple):
    kind: str
    namespace: str
    """Empty for a store of the cluster."""
    name: str
    uid: str
    spec: SecretStoreSpec
    object: JsonObject

    @property
    def provider(self) -> str:
        """Which sort of store it is, by the name of its field."""
        return provider_name(self.object)

    def check_ready(self) -> None:
        """Raises Unresolved where its own condition says that it cannot be used, or nobody has looked yet."""
        ready = Object(self.object).condition("Ready")
        if ready is None or ready.status != "True":
            sought = (GROUP, self.kind, self.namespace, self.name)
            raise Unresolved(f"{self} is not ready", why=ready.message if ready is not None else "", sought=sought)

    def __str__(self) -> str:
        return f'{self.kind} "{self.name}"'


class Opener(Protocol):
    """Opens a store for an object in *namespace*."""

    async def __call__(self, store: KnownStore, namespace: str, /) -> Store: ...


class KnownStores:
    def __init__(self, own: Informer, cluster: Informer, namespaces: Informer) -> None:
        self._own, self._cluster, self._namespaces = own, cluster, namespaces

    def found(self, named: StoreName, namespace: str) -> KnownStore | None:
        """The store that is meant in *namespace*. Raises InvalidInput where it cannot be read."""
        if named.kind == CLUSTER_KIND:
            entry, kind = self._cluster.cache.get(("", named.name)), CLUSTER_SECRET_STORE
        else:
            entry, kind = self._own.cache.get((namespace, named.name)), SECRET_STORE
        return known(entry, kind) if entry is not None else None

    def selected(self, kind: str, selector: LabelSelector, namespace: str) -> list[StoreName]:
        """The stores with such labels that there are for *namespace*, whether it may use them or not."""
        held = self._cluster.cache if kind == CLUSTER_KIND else self._own.cache
        return [
            StoreName(kind, entry.meta.name)
            for entry in held
            if entry.meta.namespace in {"", namespace} and selector.matches(entry.meta.labels)
        ]

    def usable(self, named: StoreName, namespace: str) -> KnownStore:
        """The store, if *namespace* may use it. Raises Unresolved where there is none, and Forbidden."""
        store = self.found(named, namespace)
        if store is None:
            where = "" if named.kind == CLUSTER_KIND else namespace
            raise Unresolved(
                f"could not get {named}", why="it is not there", sought=(GROUP, named.kind, where, named.name)
            )
        if not admits(store.spec.conditions, namespace, self._labels(namespace)):
            what = f'using cluster store "{store.name}" is not allowed from namespace "{namespace}"'
            raise Forbidden(what, why="denied by spec.condition", hint="Add the namespace to the store's conditions.")
        return store

    def _labels(self, namespace: str) -> Mapping[str, str]:
        entry = self._namespaces.cache.get(("", namespace))
        return entry.meta.labels if entry is not None else {}


def known(entry: Cached, kind: Kind[Any, Any]) -> KnownStore:
    """Raises InvalidInput where it cannot be read."""
    obj = entry.object()
    return KnownStore(kind.kind, entry.meta.namespace, entry.meta.name, entry.meta.uid, read(kind, obj).spec, obj)


def admits(conditions: tuple[StoreCondition, ...], namespace: str, labels: Mapping[str, str]) -> bool:
    """Whether objects of *namespace* may use a store of the cluster. A condition that cannot be read admits nobody."""
    return not conditions or any(_admits(each, namespace, labels) for each in conditions)


def _admits(condition: StoreCondition, namespace: str, labels: Mapping[str, str]) -> bool:
    if namespace in condition.namespaces:
        return True
    try:
        selector = condition.namespace_selector
        if selector is not None and LabelSelector.from_object(msgspec.to_builtins(selector)).matches(labels):
            return True
        return any(compiled(each).matches(namespace) for each in condition.namespace_regexes)
    except InvalidInput:
        return False
