"""The managed kinds of Kubernetes, each cluster-scoped and namespaced."""

from collections.abc import Callable
from typing import Final

import msgspec

from plumbline.kube.client import Client
from plumbline.kube.names import GroupVersionResource
from plumbline.managed.external import Config, External, Managed
from plumbline.managed.kinds import ManagedKind, ProviderKind, Schema
from plumbline.providers.kubernetes import schemas
from plumbline.providers.kubernetes.clusters import Cluster, Clusters
from plumbline.providers.kubernetes.collections import Collections
from plumbline.providers.kubernetes.objects import Objects
from plumbline.providers.kubernetes.readiness import ReadyQuery
from plumbline.providers.kubernetes.referring import Referred

GROUP: Final = "kubernetes.crossplane.io"
NAMESPACED_GROUP: Final = "kubernetes.m.crossplane.io"

KUBERNETES: Final = ProviderKind(
    name="kubernetes",
    group=GROUP,
    version="v1alpha1",
    schema=schemas.provider_config,
    packages=("provider-kubernetes",),
)
_POLL_S: Final = 600.0
_COLLECTION_POLL_S: Final = 60.0


class KubernetesConnector:
    def __init__(self, clusters: Clusters, make: Callable[[Cluster, Cluster], External]) -> None:
        self._clusters = clusters
        self._make = make

    async def connect(self, managed: Managed, config: Config) -> External:
        """Our own identity reaches beyond a namespace only where a ClusterProviderConfig lends it to all of them."""
        found, local = await self._clusters.find(config), self._clusters.local
        here = found is local
        if managed.ref.namespace and (config.ref.namespace or not here):
            local = local.within(managed.ref.namespace)
        return self._make(local if here else found, local)


def kinds(
    client: Client, *, clusters: Clusters | None = None, query: ReadyQuery | None = None
) -> tuple[ManagedKind, ...]:
    """Every kind, for the cluster that *client* speaks to and those that ProviderConfigs name.

    Whoever made *clusters* closes it. *query* evaluates expressions of readiness; without it they count as not ready.
    """
    known = clusters or Clusters(client)
    return tuple(
        kind
        for namespaced in (False, True)
        for kind in (_object_kind(known, query, namespaced=namespaced), _collection_kind(known, namespaced=namespaced))
    )


def _object_kind(clusters: Clusters, query: ReadyQuery | None, *, namespaced: bool) -> ManagedKind:
    def make(cluster: Cluster, local: Cluster) -> External:
        return Objects(cluster, Referred(local, clusters.local), query)

    def schema() -> Schema:
        return schemas.objects(NAMESPACED_GROUP if namespaced else GROUP, old_policy=not namespaced)

    versions = ("v1alpha1",) if namespaced else ("v1alpha2", "v1alpha1")
    return _kind("Object", versions, schema, KubernetesConnector(clusters, make), namespaced=namespaced)


def _collection_kind(clusters: Clusters, *, namespaced: bool) -> ManagedKind:
    group, version = (NAMESPACED_GROUP, "v1alpha1") if namespaced else (GROUP, "v1alpha2")
    members = GroupVersionResource(group, version, "objects")

    def make(cluster: Cluster, local: Cluster) -> External:
        return Collections(cluster, local, members)

    connector = KubernetesConnector(clusters, make)
    kind = _kind("ObservedObjectCollection", ("v1alpha1",), schemas.collections, connector, namespaced=namespaced)
    return msgspec.structs.replace(kind, poll_s=_COLLECTION_POLL_S)


def _kind(
    named: str,
    versions: tuple[str, ...],
    schema: Callable[[], Schema],
    connector: KubernetesConnector,
    *,
    namespaced: bool,
) -> ManagedKind:
    return ManagedKind(
        provider=KUBERNETES,
        group=NAMESPACED_GROUP if namespaced else GROUP,
        kind=named,
        plural=f"{named.lower()}s",
        versions=versions,
        namespaced=namespaced,
        schemas=schema,
        connector=connector,
        poll_s=_POLL_S,
    )
