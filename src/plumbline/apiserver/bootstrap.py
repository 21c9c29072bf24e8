"""What a cluster has before anybody wrote anything."""

from collections.abc import Sequence
from typing import Final

from plumbline.apiserver.controllers.cluster import Cluster
from plumbline.apiserver.rbac.bootstrap.seeds import Seed, seeds
from plumbline.apiserver.resources.resource import Collection
from plumbline.apiserver.storage.entries import Key
from plumbline.apiserver.storage.store import Encode, Store
from plumbline.base.clock import Clock, rfc3339
from plumbline.base.ids import Ids
from plumbline.base.json import JsonObject

NAMESPACES: Final = ("default", "kube-node-lease", "kube-public", "kube-system")
_RBAC: Final = "rbac.authorization.k8s.io"
_PLURALS: Final = {
    "ClusterRole": "clusterroles",
    "ClusterRoleBinding": "clusterrolebindings",
    "Role": "roles",
    "RoleBinding": "rolebindings",
}
_SERVICE: Final[JsonObject] = {
    "apiVersion": "v1",
    "kind": "Service",
    "metadata": {
        "name": "kubernetes",
        "namespace": "default",
        "labels": {"component": "apiserver", "provider": "kubernetes"},
    },
    "spec": {"clusterIP": "10.96.0.1", "ports": [{"name": "https", "port": 443, "targetPort": 6443}]},
}
_PRIORITIES: Final[tuple[JsonObject, ...]] = tuple(
    {
        "apiVersion": "scheduling.k8s.io/v1",
        "kind": "PriorityClass",
        "metadata": {"name": name},
        "value": value,
        "description": description,
    }
    for name, value, description in (
        (
            "system-node-critical",
            2_000_001_000,
            "Used for system critical pods that must not be moved from their current node.",
        ),
        (
            "system-cluster-critical",
            2_000_000_000,
            "Used for system critical pods that must run in the cluster, but can be moved to another node if necessary.",
        ),
    )
)


async def bootstrap(store: Store, cluster: Cluster, objects: Sequence[JsonObject] = ()) -> None:
    """Create what is missing; what is there already, changed or not, is left as it is."""
    for name in NAMESPACES:
        await _ensure(cluster, {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}})
    await _seed_rbac(store, cluster.clock, cluster.ids)
    for obj in (*_PRIORITIES, _SERVICE, *objects):
        await _ensure(cluster, obj)


async def _ensure(cluster: Cluster, obj: JsonObject) -> None:
    if cluster.at(cluster.key_of(obj)) is None:
        await cluster.create(obj)


async def _seed_rbac(store: Store, clock: Clock, ids: Ids) -> None:
    """Written as they are: they were made ready once, for all planes of this process."""
    now = rfc3339(clock.now())
    for seed in seeds():
        key = Key(Collection(_RBAC, _PLURALS[seed.kind]), seed.namespace, seed.name)
        if store.head(key) is None:
            await store.put(key, None, _sown(seed, ids.uid(), now))


def _sown(seed: Seed, uid: str, now: str) -> Encode:
    return lambda revision: seed.encoded(uid, str(revision), now)
