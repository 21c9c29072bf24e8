"""Keeps simulated nodes ready: status, Lease, and the taints that a node lifecycle controller would look after."""

from collections.abc import Mapping
from functools import cached_property

from plumbline.apiserver.controllers.cluster import Cluster
from plumbline.apiserver.controllers.controller import Concerns, itself
from plumbline.apiserver.nodes.events import Note, Recorder
from plumbline.apiserver.nodes.kinds import LEASE, NODE
from plumbline.apiserver.nodes.machines.fleet import simulated
from plumbline.apiserver.nodes.machines.status import node_status, settled_taints
from plumbline.apiserver.nodes.moments import instant, precise_stamp, seconds_of
from plumbline.apiserver.nodes.settings import KUBELET, NodeSettings
from plumbline.apiserver.objects.metadata import metadata_of
from plumbline.apiserver.storage.entries import Key
from plumbline.base.json import JsonObject
from plumbline.kube.names import GroupKind

LEASES = "kube-node-lease"


class NodeKeeper:
    name = "simulated-node"

    def __init__(self, cluster: Cluster, settings: NodeSettings) -> None:
        self._cluster = cluster
        self._settings = settings
        self._recorder = Recorder(cluster, KUBELET)

    @cached_property
    def watches(self) -> Mapping[GroupKind, Concerns]:
        return {NODE: itself}

    async def reconcile(self, key: Key) -> float | None:
        node = self._cluster.at(key)
        if node is None or metadata_of(node).get("deletionTimestamp"):
            return None
        if not simulated(node):
            return None
        node = await self._make_ready(node)
        await self._settle_taints(node)
        return await self._renew(node)

    async def _make_ready(self, node: JsonObject) -> JsonObject:
        ready = _ready(node)
        status = node_status(node, self._settings, self._cluster.now())
        node = await self._cluster.set_status(node, status, manager=KUBELET)
        if not ready:
            name = str(metadata_of(node).get("name"))
            await self._recorder.record(node, Note("Starting", "Starting kubelet."), name)
            await self._recorder.record(node, Note("NodeReady", f"Node {name} status is now: NodeReady"), name)
        return node

    async def _settle_taints(self, node: JsonObject) -> None:
        if list(settled_taints(node)) != list((node.get("spec") or {}).get("taints") or ()):
            await self._cluster.edit(node, _with_taints)

    async def _renew(self, node: JsonObject) -> float:
        """The seconds until the Lease is to be renewed again."""
        name = str(metadata_of(node).get("name"))
        half_s = self._settings.lease_s / 2
        lease = self._cluster.get(LEASE, LEASES, name)
        if lease is None:
            await self._cluster.create(self._lease(node), manager=KUBELET)
            return half_s
        renewed_s = instant((lease.get("spec") or {}).get("renewTime")) or 0.0
        left_s = renewed_s + half_s - seconds_of(self._cluster.clock.now())
        if left_s > 0:
            return left_s
        now = self._now()
        await self._cluster.edit(
            lease, lambda live: {**live, "spec": {**(live.get("spec") or {}), "renewTime": now}}, manager=KUBELET
        )
        return half_s

    def _lease(self, node: JsonObject) -> JsonObject:
        metadata = metadata_of(node)
        name = str(metadata.get("name"))
        owner = {"apiVersion": "v1", "kind": "Node", "name": name, "uid": metadata.get("uid")}
        return {
            "apiVersion": "coordination.k8s.io/v1",
            "kind": "Lease",
            "metadata": {"name": name, "namespace": LEASES, "ownerReferences": [owner]},
            "spec": {
                "holderIdentity": name,
                "leaseDurationSeconds": self._settings.lease_s,
                "renewTime": self._now(),
            },
        }

    def _now(self) -> str:
        return precise_stamp(self._cluster.clock.now())


def _ready(node: JsonObject) -> bool:
    conditions = (node.get("status") or {}).get("conditions") or ()
    return any(each.get("type") == "Ready" and each.get("status") == "True" for each in conditions)


def _with_taints(live: JsonObject) -> JsonObject:
    spec = {**(live.get("spec") or {}), "taints": list(settled_taints(live))}
    return {**live, "spec": spec if spec["taints"] else {field: spec[field] for field in spec if field != "taints"}}
