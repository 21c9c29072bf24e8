"""Keeps one pod of a DaemonSet on every node that it is meant for."""

from collections.abc import Iterable, Mapping
from typing import Final

import msgspec

from plumbline.apiserver.controllers.cluster import Cluster
from plumbline.apiserver.controllers.controller import Concerns, itself
from plumbline.apiserver.controllers.workloads import kinds
from plumbline.apiserver.controllers.workloads.backoff import Backoff
from plumbline.apiserver.controllers.workloads.batches import all_at_once, slow_start
from plumbline.apiserver.controllers.workloads.claiming import Claim, claimed
from plumbline.apiserver.controllers.workloads.daemonsets.history import History, history_of, plan_cleaning
from plumbline.apiserver.controllers.workloads.daemonsets.placing import pod_for_node, pod_template
from plumbline.apiserver.controllers.workloads.daemonsets.planning import (
    Daemons,
    Plan,
    daemons_of,
    plan_presence,
    plan_status,
    plan_update,
)
from plumbline.apiserver.controllers.workloads.podcontrol import PodControl
from plumbline.apiserver.controllers.workloads.podviews import Pod, next_availability_s, pod_of
from plumbline.apiserver.controllers.workloads.watching import owner_of, selector_of
from plumbline.apiserver.storage.entries import Entry, Key
from plumbline.base.errors import RequestRefused
from plumbline.base.json import Json
from plumbline.kube.names import GroupKind
from plumbline.kube.object import Object
from plumbline.kube.selectors.labels import LabelSelector

_COMPONENT: Final = "daemonset-controller"
_FIRST_WAIT_S: Final = 1.0
_LONGEST_WAIT_S: Final = 900.0


class _Spec(msgspec.Struct):
    taints: Json = None


class _Tainted(msgspec.Struct):
    spec: _Spec = msgspec.field(default_factory=_Spec)


_decoder: Final = msgspec.json.Decoder(_Tainted)


class DaemonSetController:
    name = _COMPONENT

    def __init__(self, cluster: Cluster) -> None:
        self._cluster = cluster
        self._pods = PodControl(cluster, _COMPONENT)
        self._failed = Backoff(_FIRST_WAIT_S, _LONGEST_WAIT_S)

    @property
    def watches(self) -> Mapping[GroupKind, Concerns]:
        return {
            kinds.DAEMON_SET: itself,
            kinds.POD: owner_of(self._cluster, kinds.DAEMON_SET),
            kinds.REVISION: owner_of(self._cluster, kinds.DAEMON_SET),
            kinds.NODE: self._of_node,
        }

    async def reconcile(self, key: Key) -> float | None:
        found = self._cluster.at(key)
        if found is None or Object(found).deletion_timestamp:
            return None
        owner = Object(found)
        selector = selector_of(owner.spec.get("selector"))
        pods = await self._own(owner, selector)
        revisions = await claimed(self._cluster, Claim(owner, kinds.REVISION, selector))
        history = await history_of(self._cluster, owner, (Object(each.object()) for each in revisions), pods)
        if history is None:
            await self._collide(owner)
            return None
        return await self._arrange(owner, selector, history, pods)

    async def _arrange(self, owner: Object, selector: LabelSelector, history: History, pods: list[Pod]) -> float | None:
        at = self._daemons(owner, history, pods)
        plan = plan_presence(at, lambda node: self._patience_s(at, node))
        if not plan.create and not plan.delete:
            plan = plan_update(at)._replace(again_s=plan.again_s)
        refused = await self._carry_out(at, plan)
        if refused is None:
            for spent in plan_cleaning(owner, history.old, pods):
                await self._cluster.delete(spent.raw)
        after = self._daemons(owner, history, await self._own(owner, selector))
        await self._cluster.set_status(owner.raw, plan_status(after))
        if refused:
            raise refused
        ready = next_availability_s([pod for each in after.pods.values() for pod in each], at.min_ready_s, at.now)
        return min((wait for wait in (plan.again_s, ready) if wait is not None), default=None)

    async def _own(self, owner: Object, selector: LabelSelector) -> list[Pod]:
        return [pod_of(entry) for entry in await claimed(self._cluster, Claim(owner, kinds.POD, selector))]

    def _daemons(self, owner: Object, history: History, pods: list[Pod]) -> Daemons:
        nodes = map(Object, self._cluster.objects(kinds.NODE))
        return daemons_of(owner, history.revision_hash, nodes, pods, self._cluster.clock.now())

    async def _carry_out(self, at: Daemons, plan: Plan) -> RequestRefused | None:
        owner = at.owner
        for event in plan.events:
            await self._cluster.record(
                owner.raw, event.reason, event.message, warning=event.warning, component=_COMPONENT
            )
        template = pod_template(owner, at.revision_hash)
        created = await slow_start(
            len(plan.create),
            lambda index: self._pods.create(owner, pod_for_node(owner, template, plan.create[index])),
        )
        outcomes = await all_at_once(
            range(len(plan.delete)), lambda index: self._pods.delete(owner, plan.delete[index])
        )
        return created.refused or next(filter(None, outcomes), None)

    def _patience_s(self, at: Daemons, node: str) -> float:
        """Asked once per failed pod; an answer of 0 counts as a try."""
        key = f"{at.owner.uid}/{at.owner.status.get('observedGeneration')}/{node}"
        remaining_s = self._failed.remaining_s(key, at.now)
        if not remaining_s:
            self._failed.note(key, at.now)
        return remaining_s

    async def _collide(self, owner: Object) -> None:
        collisions = int(owner.status.get("collisionCount") or 0) + 1
        await self._cluster.set_status(owner.raw, {**owner.status, "collisionCount": collisions})

    def _of_node(self, entry: Entry, previous: Entry | None) -> Iterable[Key]:
        """All of them, where the node is new, is gone, or attracts and repels others than before."""
        same = previous is not None and entry.labels == previous.labels and _taints(entry) == _taints(previous)
        if same and self._cluster.holds(entry.key):
            return ()
        return [each.key for each in self._cluster.entries(kinds.DAEMON_SET)]


def _taints(entry: Entry) -> Json:
    return _decoder.decode(entry.body).spec.taints
