"""Addresses that a cloud would give: to services of type LoadBalancer, and to ingresses.

They come from ranges set aside for documentation (RFC 5737), so that nobody waits for an answer from them: services get
one each of 198.51.100.0/24, all ingresses share 203.0.113.1.
"""

from collections.abc import Mapping
from functools import cached_property
from ipaddress import IPv4Network
from typing import Final

from plumbline.apiserver.controllers.cluster import Cluster
from plumbline.apiserver.controllers.controller import Concerns, itself
from plumbline.apiserver.nodes.addresses import AddressPool
from plumbline.apiserver.nodes.events import Note, Recorder
from plumbline.apiserver.nodes.kinds import INGRESS, SERVICE
from plumbline.apiserver.objects.metadata import metadata_of
from plumbline.apiserver.storage.entries import Key
from plumbline.base.json import JsonObject
from plumbline.kube.names import GroupKind

SERVICES: Final = IPv4Network("198.51.100.0/24")
INGRESS_ADDRESS: Final = "203.0.113.1"
COMPONENT: Final = "simulated-load-balancer"


class ServiceBalancer:
    name = COMPONENT

    def __init__(self, cluster: Cluster) -> None:
        self._cluster = cluster
        self._recorder = Recorder(cluster, COMPONENT)
        self._pool = AddressPool(SERVICES)

    @cached_property
    def watches(self) -> Mapping[GroupKind, Concerns]:
        return {SERVICE: itself}

    async def reconcile(self, key: Key) -> float | None:
        service = self._cluster.at(key)
        spec: JsonObject = (service or {}).get("spec") or {}
        given = ((service or {}).get("status") or {}).get("loadBalancer") or {}
        if service is None or spec.get("type") != "LoadBalancer" or spec.get("loadBalancerClass"):
            self._pool.give_back(key)
            if service is not None and given.get("ingress") and spec.get("type") != "LoadBalancer":
                await self._cluster.set_status(service, {**service["status"], "loadBalancer": {}})
            return None
        if given.get("ingress"):
            self._pool.hold(key, str(given["ingress"][0].get("ip") or ""))
            return None
        address = str(spec.get("loadBalancerIP") or "") or self._pool.take(key)
        if not address:
            note = Note("SyncLoadBalancerFailed", f"No address is left in {SERVICES}", warning=True)
            await self._recorder.record(service, note)
            return None
        balancer = {"ingress": [{"ip": address, "ipMode": "VIP"}]}
        await self._cluster.set_status(service, {**(service.get("status") or {}), "loadBalancer": balancer})
        await self._recorder.record(service, Note("EnsuredLoadBalancer", "Ensured load balancer"))
        return None


class IngressAddresser:
    name = "simulated-ingress"

    def __init__(self, cluster: Cluster) -> None:
        self._cluster = cluster

    @cached_property
    def watches(self) -> Mapping[GroupKind, Concerns]:
        return {INGRESS: itself}

    async def reconcile(self, key: Key) -> float | None:
        ingress = self._cluster.at(key)
        if ingress is None or metadata_of(ingress).get("deletionTimestamp"):
            return None
        if not ((ingress.get("status") or {}).get("loadBalancer") or {}).get("ingress"):
            await self._cluster.set_status(ingress, {"loadBalancer": {"ingress": [{"ip": INGRESS_ADDRESS}]}})
        return None
