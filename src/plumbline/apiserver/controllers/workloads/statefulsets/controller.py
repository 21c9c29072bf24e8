"""Keeps the numbered pods of a StatefulSet, each with claims of its own."""

from collections.abc import Mapping

from plumbline.apiserver.controllers.cluster import Cluster
from plumbline.apiserver.controllers.controller import Concerns, itself
from plumbline.apiserver.controllers.workloads import kinds
from plumbline.apiserver.controllers.workloads.batches import slow_start
from plumbline.apiserver.controllers.workloads.claiming import Claim, claimed
from plumbline.apiserver.controllers.workloads.podviews import Pod, next_availability_s, pod_of
from plumbline.apiserver.controllers.workloads.revisions import in_order
from plumbline.apiserver.controllers.workloads.statefulsets.history import plan_truncation, revisions_of
from plumbline.apiserver.controllers.workloads.statefulsets.identity import identity_of
from plumbline.apiserver.controllers.workloads.statefulsets.planning import (
    Action,
    Plan,
    Situation,
    claim_names,
    plan,
)
from plumbline.apiserver.controllers.workloads.statefulsets.podcontrol import COMPONENT, StatefulPodControl
from plumbline.apiserver.controllers.workloads.watching import owner_of, selector_of
from plumbline.apiserver.storage.entries import Key
from plumbline.base.errors import RequestRefused
from plumbline.kube.names import GroupKind
from plumbline.kube.object import Object


class StatefulSetController:
    name = COMPONENT

    def __init__(self, cluster: Cluster) -> None:
        self._cluster = cluster
        self._pods = StatefulPodControl(cluster)

    @property
    def watches(self) -> Mapping[GroupKind, Concerns]:
        return {kinds.STATEFUL_SET: itself, kinds.POD: owner_of(self._cluster, kinds.STATEFUL_SET)}

    async def reconcile(self, key: Key) -> float | None:
        found = self._cluster.at(key)
        if found is None:
            return None
        owner = Object(found)
        selector = selector_of(owner.spec.get("selector"))
        history = await claimed(self._cluster, Claim(owner, kinds.REVISION, selector))
        there = in_order(Object(entry.object()) for entry in history)
        own = Claim(owner, kinds.POD, selector, belongs=lambda entry: identity_of(entry.key.name).parent == owner.name)
        pods = [pod_of(entry) for entry in await claimed(self._cluster, own)]
        revisions = await revisions_of(self._cluster, owner, there)
        now = self._cluster.clock.now()
        at = Situation(owner, revisions, pods, self._claims(owner, pods), now)
        planned = plan(at)
        refused = await self._carry_out(at, planned)
        await self._cluster.set_status(owner.raw, planned.status)
        for spent in plan_truncation(owner, pods, there, revisions):
            await self._cluster.delete(spent.raw)
        if refused:
            raise refused
        return next_availability_s(pods, at.min_ready_s, now)

    def _claims(self, owner: Object, pods: list[Pod]) -> Mapping[str, Object]:
        names = claim_names(owner, pods)
        found = ((name, self._cluster.get(kinds.CLAIM, owner.namespace, name)) for name in names)
        return {name: Object(claim) for name, claim in found if claim is not None}

    async def _carry_out(self, at: Situation, planned: Plan) -> RequestRefused | None:
        for actions in (planned.replicas, planned.condemned, planned.updates):
            refused = await self._all(at, actions)
            if refused:
                return refused
        return None

    async def _all(self, at: Situation, actions: list[Action]) -> RequestRefused | None:
        if not at.ordered:
            batch = await slow_start(len(actions), lambda index: self._pods.carry_out(at.owner, actions[index]))
            return batch.refused
        for action in actions:
            refused = await self._pods.carry_out(at.owner, action)
            if refused:
                return refused
        return None
