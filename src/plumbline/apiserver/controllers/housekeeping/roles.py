"""ClusterRoles that are the sum of others."""

from collections.abc import Iterable, Mapping
from typing import Final

from plumbline.apiserver.controllers.cluster import Cluster
from plumbline.apiserver.controllers.controller import Concerns
from plumbline.apiserver.rbac.aggregation import aggregated
from plumbline.apiserver.storage.entries import Entry, Key
from plumbline.kube.names import GroupKind

CLUSTER_ROLE: Final = GroupKind("rbac.authorization.k8s.io", "ClusterRole")
_MANAGER: Final = "clusterrole-aggregation-controller"
_SUM: Final = b'"aggregationRule"'


class AggregationController:
    """Every change of a role may change every sum; there are few of those."""

    name = "clusterrole-aggregation"

    def __init__(self, cluster: Cluster) -> None:
        self._cluster = cluster

    @property
    def watches(self) -> Mapping[GroupKind, Concerns]:
        return {CLUSTER_ROLE: self._sums}

    def _sums(self, entry: Entry, previous: Entry | None) -> Iterable[Key]:
        # A role that no sum selects by its labels, and that is none itself, concerns nobody.
        if not entry.labels and not (previous and previous.labels) and _SUM not in entry.body:
            return ()
        return [each.key for each in self._cluster.entries(CLUSTER_ROLE) if _SUM in each.body]

    async def reconcile(self, key: Key) -> float | None:
        role = self._cluster.at(key)
        if role is None or not role.get("aggregationRule"):
            return None
        rules = aggregated(role, self._cluster.objects(CLUSTER_ROLE))
        if rules != (role.get("rules") or []):
            await self._cluster.edit(role, lambda live: {**live, "rules": rules}, manager=_MANAGER)
        return None
