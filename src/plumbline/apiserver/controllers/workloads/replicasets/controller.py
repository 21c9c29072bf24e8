"""Keeps as many pods as a ReplicaSet or a ReplicationController asks for."""

from collections.abc import Iterator, Mapping
from datetime import datetime
from typing import NamedTuple

from plumbline.apiserver.controllers.cluster import Cluster
from plumbline.apiserver.controllers.controller import Concerns, itself
from plumbline.apiserver.controllers.workloads import kinds
from plumbline.apiserver.controllers.workloads.batches import all_at_once, slow_start
from plumbline.apiserver.controllers.workloads.claiming import Claim, claimed
from plumbline.apiserver.controllers.workloads.podcontrol import PodControl
from plumbline.apiserver.controllers.workloads.podviews import Pod, next_availability_s, pod_of
from plumbline.apiserver.controllers.workloads.replicasets.planning import (
    Census,
    min_ready_s_of,
    plan_replicas,
    plan_status,
    replicas_of,
)
from plumbline.apiserver.controllers.workloads.templates import pod_from_template
from plumbline.apiserver.controllers.workloads.watching import owner_of, selector_of
from plumbline.apiserver.storage.entries import Entry, Key
from plumbline.base.errors import RequestRefused
from plumbline.kube.names import GroupKind
from plumbline.kube.object import Object


class Flavor(NamedTuple):
    """In what the two kinds differ."""

    kind: GroupKind
    component: str
    counts_terminating: bool


REPLICA_SETS = Flavor(kinds.REPLICA_SET, "replicaset-controller", counts_terminating=True)
REPLICATION_CONTROLLERS = Flavor(kinds.REPLICATION_CONTROLLER, "replication-controller", counts_terminating=False)


class ReplicaSetController:
    def __init__(self, cluster: Cluster, flavor: Flavor = REPLICA_SETS) -> None:
        self.name = flavor.component
        self._cluster = cluster
        self._flavor = flavor
        self._pods = PodControl(cluster, flavor.component)

    @property
    def watches(self) -> Mapping[GroupKind, Concerns]:
        return {self._flavor.kind: itself, kinds.POD: owner_of(self._cluster, self._flavor.kind)}

    async def reconcile(self, key: Key) -> float | None:
        found = self._cluster.at(key)
        if found is None:
            return None
        owner = Object(found)
        census = await self._census(owner)
        now = self._cluster.clock.now()
        refused = None if owner.deletion_timestamp else await self._balance(owner, census.active, now)
        failure = refused.what if refused else ""
        terminating = self._flavor.counts_terminating
        status = plan_status(owner, census, failure, now, with_terminating=terminating)
        await self._cluster.set_status(owner.raw, status)
        if refused:
            raise refused
        return next_availability_s(census.active, min_ready_s_of(owner), now)

    async def _census(self, owner: Object) -> Census:
        selector = selector_of(owner.spec.get("selector"))
        seen: dict[Key, Pod] = {}

        def active(entry: Entry) -> bool:
            pod = seen[entry.key] = pod_of(entry)
            return pod.active

        found = await claimed(self._cluster, Claim(owner, kinds.POD, selector, admits=active))
        going = [pod for pod in seen.values() if pod.terminating and pod.controller and selector.matches(pod.labels)]
        return Census([seen[entry.key] for entry in found], going)

    async def _balance(self, owner: Object, active: list[Pod], now: datetime) -> RequestRefused | None:
        plan = plan_replicas(replicas_of(owner), active, self._related(owner), now)
        pod = pod_from_template(owner.spec.get("template") or {}, owner)
        if plan.create:
            batch = await slow_start(plan.create, lambda _: self._pods.create(owner, pod))
            return batch.refused
        doomed = plan.delete
        outcomes = await all_at_once(range(len(doomed)), lambda index: self._pods.delete(owner, doomed[index]))
        return next(filter(None, outcomes), None)

    def _related(self, owner: Object) -> Iterator[Pod]:
        """Pods of all sets that share this one's controller; looked at only where there is a choice between pods."""
        if owner.controller is None:
            return
        for sibling in self._cluster.dependents_of_kind(owner.controller.uid, self._flavor.kind):
            for entry in self._cluster.dependent_entries(Object(sibling).uid, kinds.POD):
                yield pod_of(entry)
