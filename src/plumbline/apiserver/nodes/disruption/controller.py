"""Keeps the statuses of disruption budgets in step with their pods."""

from collections.abc import Iterable, Mapping
from functools import cached_property
from typing import Final

from plumbline.apiserver.controllers.cluster import Cluster
from plumbline.apiserver.controllers.controller import Concerns
from plumbline.apiserver.nodes.disruption.budget import (
    DELETION_TIMEOUT_S,
    budget_status,
    disrupted,
    expected_pods,
    failed_status,
)
from plumbline.apiserver.nodes.events import Note, Recorder
from plumbline.apiserver.nodes.groups import Groups
from plumbline.apiserver.nodes.kinds import POD, POD_DISRUPTION_BUDGET
from plumbline.apiserver.nodes.moments import seconds_of
from plumbline.apiserver.nodes.scheduling.affinity import selector_of
from plumbline.apiserver.nodes.services.backends import standing
from plumbline.apiserver.objects.metadata import metadata_of
from plumbline.apiserver.storage.entries import Entry, Key
from plumbline.base.errors import UnknownKind
from plumbline.base.json import JsonObject
from plumbline.kube.names import GroupKind, GroupVersion
from plumbline.kube.selectors.labels import LabelSelector

COMPONENT: Final = "controllermanager"
_DEPLOYMENT: Final = GroupKind("apps", "Deployment")
_REPLICA_SET: Final = GroupKind("apps", "ReplicaSet")
_SIZED: Final = (
    _DEPLOYMENT,
    _REPLICA_SET,
    GroupKind("apps", "StatefulSet"),
    GroupKind("", "ReplicationController"),
)


class BudgetKeeper:
    name = "disruption-controller"

    def __init__(self, cluster: Cluster) -> None:
        self._cluster = cluster
        self._recorder = Recorder(cluster, COMPONENT)
        self._selectors: Groups[str, Key, LabelSelector] = Groups()

    @cached_property
    def watches(self) -> Mapping[GroupKind, Concerns]:
        return {POD_DISRUPTION_BUDGET: self._of_budget, POD: self._of_pod, **dict.fromkeys(_SIZED, self._of_workload)}

    async def reconcile(self, key: Key) -> float | None:
        budget = self._cluster.at(key)
        if budget is None:
            return None
        selector = selector_of((budget.get("spec") or {}).get("selector"))
        pods = self._cluster.objects(POD, key.namespace, selector)
        expected = expected_pods(budget, pods, self._scale)
        now_s = seconds_of(self._cluster.clock.now())
        if expected.fault:
            status = failed_status(budget, expected.fault, self._cluster.now())
            message = f"Failed to calculate the number of expected pods: {expected.fault}"
            await self._write(budget, status, Note("CalculateExpectedPodCountFailed", message, warning=True))
            return None
        going = disrupted(budget, pods, now_s)
        note = None if pods else Note("NoPods", "No matching pods found")
        await self._write(budget, budget_status(budget, pods, expected, going, self._cluster.now()), note)
        return DELETION_TIMEOUT_S if going else None

    async def _write(self, budget: JsonObject, status: JsonObject, note: Note | None) -> None:
        if (budget.get("status") or {}) == status:
            return
        await self._cluster.set_status(budget, status)
        if note is not None:
            await self._recorder.record(budget, note)

    def _scale(self, owner: JsonObject, namespace: str) -> int | None:
        kind = GroupKind(GroupVersion.parse(str(owner.get("apiVersion"))).group, str(owner.get("kind")))
        try:
            model = self._cluster.model(kind)
        except UnknownKind:
            return None
        obj = self._cluster.get(kind, namespace, str(owner.get("name")))
        if obj is None or metadata_of(obj).get("uid") != owner.get("uid"):
            return None
        if kind == _REPLICA_SET:
            owners: Iterable[JsonObject] = metadata_of(obj).get("ownerReferences") or ()
            for above in owners:
                if above.get("controller") and above.get("kind") == _DEPLOYMENT.kind:
                    return self._scale(above, namespace)
        if model.scaling is None:
            return None
        return int(model.scaling.scale(obj)["spec"].get("replicas") or 0)

    def _of_budget(self, entry: Entry, _: Entry | None) -> Iterable[Key]:
        budget = self._cluster.at(entry.key)
        if budget is not None:
            selector = selector_of((budget.get("spec") or {}).get("selector"))
            self._selectors.put(entry.key.namespace, entry.key, selector)
        else:
            self._selectors.drop(entry.key.namespace, entry.key)
        return (entry.key,)

    def _of_pod(self, entry: Entry, previous: Entry | None) -> Iterable[Key]:
        known = self._selectors.of(entry.key.namespace)
        if not known:
            return ()
        now = standing(entry.object())
        before = standing(previous.object()) if previous is not None else None
        if now == before and self._cluster.at(entry.key) is not None:
            return ()
        states = (now,) if before is None else (now, before)
        return [key for key, selector in known.items() if any(selector.matches(each.labels) for each in states)]

    def _of_workload(self, entry: Entry, _: Entry | None) -> Iterable[Key]:
        return tuple(self._selectors.of(entry.key.namespace))
