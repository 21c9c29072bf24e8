"""Keeps Endpoints and EndpointSlices of services in step with the pods behind them."""

from collections.abc import Iterable, Mapping
from functools import cached_property, partial
from typing import Final

from plumbline.apiserver.controllers.cluster import Cluster
from plumbline.apiserver.controllers.controller import Concerns, controller_of
from plumbline.apiserver.nodes.groups import Groups
from plumbline.apiserver.nodes.kinds import ENDPOINT_SLICE, ENDPOINTS, NODE, POD, SERVICE
from plumbline.apiserver.nodes.services.backends import ZONE, Backend, backend_of, selector, selects, standing
from plumbline.apiserver.nodes.services.endpoints import endpoints_of
from plumbline.apiserver.nodes.services.slices import KEEPER, MANAGED_BY, SERVICE_NAME, plan_slices
from plumbline.apiserver.objects.metadata import metadata_of
from plumbline.apiserver.storage.entries import Entry, Key
from plumbline.base.json import JsonObject
from plumbline.kube.names import GroupKind
from plumbline.kube.selectors.labels import LabelSelector

_MANY: Final = 20
_PAUSE_S: Final = 0.25
"""Services with many endpoints are written at most four times a second, however fast their pods come and go."""


class EndpointsKeeper:
    name = "endpointslice-controller"

    def __init__(self, cluster: Cluster) -> None:
        self._cluster = cluster
        self._selectors: Groups[str, Key, Mapping[str, str]] = Groups()
        self._written_s: dict[Key, float] = {}

    @cached_property
    def watches(self) -> Mapping[GroupKind, Concerns]:
        services = self._cluster.model(SERVICE).resource.collection
        return {
            SERVICE: self._of_service,
            POD: self._of_pod,
            ENDPOINT_SLICE: controller_of(services, "Service"),
            ENDPOINTS: lambda entry, _: (Key(services, entry.key.namespace, entry.key.name),),
        }

    async def reconcile(self, key: Key) -> float | None:
        service = self._cluster.at(key)
        if service is None or metadata_of(service).get("deletionTimestamp"):
            await self._clean_up(key)
            return None
        wanted = selector(service)
        if wanted is None:
            return None
        backends = self._backends(service, wanted)
        now_s = self._cluster.clock.monotonic()
        wait_s = self._written_s.get(key, -_PAUSE_S) + _PAUSE_S - now_s
        if len(backends) > _MANY and wait_s > 0:
            return wait_s
        written = await self._write_endpoints(key, service, backends)
        if await self._write_slices(key, service, backends) or written:
            self._written_s[key] = now_s
        return None

    def _backends(self, service: JsonObject, wanted: Mapping[str, str]) -> list[Backend]:
        found = []
        zones: dict[str, str] = {}
        for pod in self._cluster.objects(POD, _namespace(service), LabelSelector.from_labels(wanted)):
            node = str((pod.get("spec") or {}).get("nodeName") or "")
            if node and node not in zones:
                zones[node] = self._zone(node)
            backend = backend_of(service, pod, zones.get(node, ""))
            if backend is not None:
                found.append(backend)
        return found

    def _zone(self, node: str) -> str:
        labels = metadata_of(self._cluster.get(NODE, "", node) or {}).get("labels") or {}
        return str(labels.get(ZONE) or "")

    async def _write_endpoints(self, key: Key, service: JsonObject, backends: list[Backend]) -> bool:
        old = self._cluster.get(ENDPOINTS, key.namespace, key.name)
        new = endpoints_of(service, backends, old)
        if old is None:
            await self._cluster.create(new)
        elif new is not old:
            await self._cluster.edit(old, lambda _: new)
        return new is not old

    async def _write_slices(self, key: Key, service: JsonObject, backends: list[Backend]) -> bool:
        mine = LabelSelector.from_labels({SERVICE_NAME: key.name, MANAGED_BY: KEEPER})
        existing = [
            each
            for each in self._cluster.objects(ENDPOINT_SLICE, key.namespace, mine)
            if not metadata_of(each).get("deletionTimestamp")
        ]
        plan = plan_slices(service, backends, existing)
        for each in plan.create:
            await self._cluster.create(each)
        for each in plan.update:
            await self._cluster.edit(each, partial(_replaced, new=each))
        for each in plan.delete:
            await self._cluster.delete(each)
        return any(plan)

    async def _clean_up(self, key: Key) -> None:
        """Slices go with their owner; Endpoints have none."""
        self._written_s.pop(key, None)
        old = self._cluster.get(ENDPOINTS, key.namespace, key.name)
        labels = metadata_of(old or {}).get("labels") or {}
        if old is not None and "endpoints.kubernetes.io/managed-by" in labels:
            await self._cluster.delete(old)

    def _of_service(self, entry: Entry, _: Entry | None) -> Iterable[Key]:
        service = self._cluster.at(entry.key)
        wanted = selector(service) if service is not None else None
        if wanted is not None:
            self._selectors.put(entry.key.namespace, entry.key, wanted)
        else:
            self._selectors.drop(entry.key.namespace, entry.key)
        return (entry.key,)

    def _of_pod(self, entry: Entry, previous: Entry | None) -> Iterable[Key]:
        known = self._selectors.of(entry.key.namespace)
        if not known:
            return ()
        gone = self._cluster.at(entry.key) is None
        now = standing(entry.object())
        before = standing(previous.object()) if previous is not None else None
        if now == before and not gone:
            return ()
        states = (now,) if before is None else (now, before)
        return [key for key, wanted in known.items() if any(selects(wanted, each.labels) for each in states)]


def _replaced(_: JsonObject, new: JsonObject) -> JsonObject:
    return new


def _namespace(obj: JsonObject) -> str:
    return str(metadata_of(obj).get("namespace") or "")
