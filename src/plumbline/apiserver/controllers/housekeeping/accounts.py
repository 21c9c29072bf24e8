"""What every namespace gets: a service account, and the certificate by which its pods know the API."""

from collections.abc import Iterable, Mapping
from typing import Final

from plumbline.apiserver.controllers.cluster import Cluster
from plumbline.apiserver.controllers.controller import Concerns, itself
from plumbline.apiserver.objects.metadata import metadata_of
from plumbline.apiserver.resources.resource import Collection
from plumbline.apiserver.storage.entries import Entry, Key
from plumbline.base.errors import RequestRefused
from plumbline.base.json import JsonObject
from plumbline.kube.names import GroupKind

NAMESPACE: Final = GroupKind("", "Namespace")
ACCOUNT: Final = GroupKind("", "ServiceAccount")
CONFIG_MAP: Final = GroupKind("", "ConfigMap")
DEFAULT: Final = "default"
ROOT_CA: Final = "kube-root-ca.crt"
_NAMESPACES: Final = Collection("", "namespaces")
_DESCRIPTION: Final = (
    "Contains a CA bundle that can be used to verify the kube-apiserver when using internal endpoints such as the "
    "internal service IP or kubernetes.default.svc. No other usage is guaranteed across distributions of Kubernetes "
    "clusters."
)
_FORBIDDEN: Final = 403


class BasicsController:
    """Puts back what is missing or changed, in namespaces that are not going away."""

    name = "namespace-basics"

    def __init__(self, cluster: Cluster, authority_pem: str) -> None:
        self._cluster = cluster
        self._authority_pem = authority_pem

    @property
    def watches(self) -> Mapping[GroupKind, Concerns]:
        return {NAMESPACE: itself, ACCOUNT: _namespace_of(DEFAULT), CONFIG_MAP: _namespace_of(ROOT_CA)}

    async def reconcile(self, key: Key) -> float | None:
        namespace = self._cluster.at(key)
        if namespace is None or metadata_of(namespace).get("deletionTimestamp"):
            return None
        try:
            await self._ensure_account(key.name)
            if self._authority_pem:
                await self._ensure_authority(key.name)
        except RequestRefused as refused:
            if refused.status["code"] != _FORBIDDEN:  # it began to go away just now
                raise
        return None

    async def _ensure_account(self, namespace: str) -> None:
        if self._cluster.get(ACCOUNT, namespace, DEFAULT) is None:
            await self._cluster.create(_named("ServiceAccount", namespace, DEFAULT))

    async def _ensure_authority(self, namespace: str) -> None:
        wanted = {"ca.crt": self._authority_pem}
        there = self._cluster.get(CONFIG_MAP, namespace, ROOT_CA)
        if there is None:
            obj = _named("ConfigMap", namespace, ROOT_CA)
            about = {"kubernetes.io/description": _DESCRIPTION}
            await self._cluster.create({**obj, "metadata": {**obj["metadata"], "annotations": about}, "data": wanted})
        elif there.get("data") != wanted:
            await self._cluster.edit(there, lambda live: {**live, "data": wanted})


def _named(kind: str, namespace: str, name: str) -> JsonObject:
    return {"apiVersion": "v1", "kind": kind, "metadata": {"name": name, "namespace": namespace}}


def _namespace_of(name: str) -> Concerns:
    def keys(entry: Entry, _: Entry | None) -> Iterable[Key]:
        return (Key(_NAMESPACES, "", entry.key.namespace),) if entry.key.name == name else ()

    return keys
