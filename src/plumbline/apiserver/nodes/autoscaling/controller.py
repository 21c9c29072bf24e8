"""Scales what autoscalers point at, by metrics that somebody set; without any, says so as a real one would."""

from collections.abc import Iterable, Mapping
from functools import cached_property
from typing import Final

from plumbline.apiserver.controllers.cluster import Cluster
from plumbline.apiserver.controllers.controller import Concerns, itself
from plumbline.apiserver.nodes.autoscaling.decision import Decision, decide, failed_scale
from plumbline.apiserver.nodes.autoscaling.metrics import Target, metadata_annotations
from plumbline.apiserver.nodes.autoscaling.pacing import History, Moment
from plumbline.apiserver.nodes.events import Recorder
from plumbline.apiserver.nodes.groups import Groups
from plumbline.apiserver.nodes.kinds import AUTOSCALER, POD
from plumbline.apiserver.storage.entries import Entry, Key
from plumbline.base.errors import BadSelector, UnknownKind
from plumbline.base.json import JsonObject
from plumbline.kube.gotext import quoted
from plumbline.kube.names import GroupKind, GroupVersion
from plumbline.kube.selectors.labels import LabelSelector

COMPONENT: Final = "horizontal-pod-autoscaler"
_SYNC_S: Final = 15.0
_REMEMBERED_S: Final = 3600.0
_KINDS: Final = (
    GroupKind("apps", "Deployment"),
    GroupKind("apps", "ReplicaSet"),
    GroupKind("apps", "StatefulSet"),
    GroupKind("", "ReplicationController"),
)


class Autoscaler:
    name = COMPONENT

    def __init__(self, cluster: Cluster) -> None:
        self._cluster = cluster
        self._recorder = Recorder(cluster, COMPONENT)
        self._histories: dict[Key, History] = {}
        self._targets: Groups[Key, Key, None] = Groups()
        """Autoscalers by what they scale."""
        self._scales: dict[Key, Key] = {}

    @cached_property
    def watches(self) -> Mapping[GroupKind, Concerns]:
        return {AUTOSCALER: itself, **dict.fromkeys(_KINDS, self._of_target)}

    async def reconcile(self, key: Key) -> float | None:
        """Looked at again after a while only as long as its metrics ask for another size than there is."""
        autoscaler = self._cluster.at(key)
        if autoscaler is None:
            self._histories.pop(key, None)
            self._aim(key, None)
            return None
        found = self._target(key, autoscaler)
        if isinstance(found, str):
            await self._write(autoscaler, failed_scale(autoscaler, found, self._cluster.now()))
            return None
        obj, target = found
        history = self._histories.setdefault(key, History([Moment(self._now_s(), target.replicas)]))
        wait_s = history.resized_s + _SYNC_S - self._now_s()
        if wait_s > 0:
            # The target changes because it was resized; what that brought is for the next look.
            return wait_s
        history.forget_before(self._now_s() - _REMEMBERED_S)
        decision = decide(autoscaler, target, history, self._now_s(), self._cluster.now())
        if decision.replicas is not None:
            await self._scale(obj, target.replicas, decision.replicas, history)
        await self._write(autoscaler, decision)
        return _SYNC_S if decision.unsettled else None

    async def _write(self, autoscaler: JsonObject, decision: Decision) -> None:
        old = autoscaler.get("status") or {}
        if decision.status == old:
            return
        await self._cluster.set_status(autoscaler, decision.status)
        for note in decision.notes:
            await self._recorder.record(autoscaler, note)

    async def _scale(self, obj: JsonObject, before: int, after: int, history: History) -> None:
        scaling = self._cluster.model(_kind(obj)).scaling
        if scaling is None:
            return
        await self._cluster.edit(obj, lambda live: scaling.with_replicas(live, after), subresource="scale")
        history.resized_s = self._now_s()
        changes = history.ups if after > before else history.downs
        changes.append(Moment(self._now_s(), abs(after - before)))

    def _target(self, key: Key, autoscaler: JsonObject) -> tuple[JsonObject, Target] | str:
        """What it scales, or why it cannot be found."""
        ref = (autoscaler.get("spec") or {}).get("scaleTargetRef") or {}
        kind = GroupKind(GroupVersion.parse(str(ref.get("apiVersion") or "v1")).group, str(ref.get("kind")))
        try:
            model = self._cluster.model(kind)
        except UnknownKind:
            return f"no matches for kind {quoted(kind.kind)} in group {quoted(kind.group)}"
        place = self._cluster.key(kind, key.namespace, str(ref.get("name")))
        self._aim(key, place)
        obj = self._cluster.at(place)
        if obj is None:
            resource = model.resource
            full = f"{resource.plural}.{kind.group}" if kind.group else resource.plural
            return f"{full} {quoted(place.name)} not found"
        if model.scaling is None:
            return "the server could not find the requested resource"
        scale = model.scaling.scale(obj)
        pods = self._pods(key.namespace, str(scale["status"].get("selector") or ""))
        told = {**metadata_annotations(obj), **metadata_annotations(autoscaler)}
        return obj, Target(int(scale["spec"].get("replicas") or 0), pods, told)

    def _aim(self, key: Key, place: Key | None) -> None:
        """Note what an autoscaler scales now, and nothing else any more."""
        before = self._scales.pop(key, None)
        if before is not None:
            self._targets.drop(before, key)
        if place is not None:
            self._scales[key] = place
            self._targets.put(place, key, None)

    def _pods(self, namespace: str, selector: str) -> list[JsonObject]:
        try:
            return self._cluster.objects(POD, namespace, LabelSelector.parse(selector)) if selector else []
        except BadSelector:
            return []

    def _of_target(self, entry: Entry, _: Entry | None) -> Iterable[Key]:
        return tuple(self._targets.of(entry.key))

    def _now_s(self) -> float:
        return self._cluster.clock.monotonic()


def _kind(obj: JsonObject) -> GroupKind:
    return GroupKind(GroupVersion.parse(str(obj.get("apiVersion"))).group, str(obj.get("kind")))
