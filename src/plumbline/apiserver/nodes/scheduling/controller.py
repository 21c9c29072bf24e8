"""Gives pods a node, or says why none will do. Who does not fit is tried again when something changes that might help."""

from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property, partial

from plumbline.apiserver.controllers.cluster import Cluster
from plumbline.apiserver.controllers.controller import Concerns
from plumbline.apiserver.nodes.events import Note, SchedulingRecorder
from plumbline.apiserver.nodes.kinds import CLAIM, NAMESPACE, NODE, POD, STORAGE_CLASS, VOLUME
from plumbline.apiserver.nodes.scheduling.affinity import Labels
from plumbline.apiserver.nodes.scheduling.binding import bind, unschedulable_status
from plumbline.apiserver.nodes.scheduling.filters import Filters
from plumbline.apiserver.nodes.scheduling.index import Placements
from plumbline.apiserver.nodes.scheduling.placement import Candidate, Place
from plumbline.apiserver.nodes.scheduling.volumes import SELECTED_NODE, PodClaims
from plumbline.apiserver.nodes.scheduling.wording import misfit, obstructed
from plumbline.apiserver.nodes.settings import SCHEDULER
from plumbline.apiserver.objects.metadata import metadata_of, with_metadata
from plumbline.apiserver.storage.entries import Entry, Key
from plumbline.base.json import JsonObject
from plumbline.kube.names import GroupKind

_GATED = "Scheduling is blocked due to non-empty scheduling gates"
_EMPTY = "no nodes available to schedule pods"


class Scheduler:
    name = SCHEDULER

    def __init__(self, cluster: Cluster) -> None:
        self._cluster = cluster
        self._recorder = SchedulingRecorder(cluster, SCHEDULER, "plumbline")
        self._placements = Placements(cluster)
        self._pending: dict[Key, None] = {}

    @cached_property
    def watches(self) -> Mapping[GroupKind, Concerns]:
        return {
            NODE: self._of_node,
            POD: self._of_pod,
            CLAIM: self._of_others,
            VOLUME: self._of_others,
            STORAGE_CLASS: self._of_others,
            NAMESPACE: self._of_others,
        }

    async def reconcile(self, key: Key) -> float | None:
        obj = self._cluster.at(key)
        pod = Candidate(obj) if obj is not None else None
        if pod is None or pod.node or pod.deleted or pod.finished or pod.spec.get("schedulerName") != SCHEDULER:
            self._pending.pop(key, None)
            return None
        if pod.spec.get("schedulingGates"):
            await self._refuse(pod, "SchedulingGated", _GATED)
            return None
        await self._schedule(key, pod)
        return None

    async def _schedule(self, key: Key, pod: Candidate) -> None:
        places = self._placements.places()
        claims = PodClaims(pod, self)
        chosen, why = _chosen(pod, places, claims, self._namespace_labels)
        if chosen is None:
            self._pending[key] = None
            await self._refuse(pod, "Unschedulable", why)
            return
        if claims.unbound:
            # Their volumes are made for this place; the pod is placed when all of them are there.
            self._pending[key] = None
            for claim in claims.unbound:
                await self._cluster.edit(claim, partial(_for_node, node=chosen.name), manager=SCHEDULER)
            return
        self._pending.pop(key, None)
        bound = await bind(self._cluster, pod.obj, chosen.name)
        self._placements.place(key, Candidate(bound), chosen.name)
        message = f"Successfully assigned {pod.namespace}/{pod.name} to {chosen.name}"
        await self._recorder.record(pod.obj, Note("Scheduled", message))

    async def _refuse(self, pod: Candidate, reason: str, message: str) -> None:
        status = unschedulable_status(pod.obj, reason, message, self._cluster.now())
        if status == pod.status:
            return
        await self._cluster.set_status(pod.obj, status, manager="kube-scheduler")
        if reason == "Unschedulable":
            await self._recorder.record(pod.obj, Note("FailedScheduling", message, warning=True))

    def _namespace_labels(self, name: str) -> Mapping[str, str]:
        found = self._cluster.get(NAMESPACE, "", name)
        return metadata_of(found or {}).get("labels") or {}

    def _of_pod(self, entry: Entry, _: Entry | None) -> Iterable[Key]:
        placed = self._placements.holds(entry.key)
        pod = self._placements.observe(entry)
        if pod is not None and not pod.node:
            return (entry.key,)
        # Somebody came or left, or has other labels: that may be what others wait for.
        changed = placed != self._placements.holds(entry.key)
        return tuple(self._pending) if changed and self._pending else ()

    def _of_node(self, entry: Entry, _: Entry | None) -> Iterable[Key]:
        self._placements.node_changed(entry.key.name)
        return tuple(self._pending)

    def _of_others(self, *_: Entry | None) -> Iterable[Key]:
        return tuple(self._pending)

    def claim(self, namespace: str, name: str) -> JsonObject | None:
        return self._cluster.get(CLAIM, namespace, name)

    def volume(self, name: str) -> JsonObject | None:
        return self._cluster.get(VOLUME, "", name)

    def waits_for_consumer(self, claim: JsonObject) -> bool:
        class_ = self._cluster.get(STORAGE_CLASS, "", str((claim.get("spec") or {}).get("storageClassName") or ""))
        return class_ is not None and class_.get("volumeBindingMode") == "WaitForFirstConsumer"


def _chosen(pod: Candidate, places: Sequence[Place], claims: PodClaims, labels: Labels) -> tuple[Place | None, str]:
    if not places:
        return None, _EMPTY
    if claims.obstacle:
        return None, obstructed(len(places), claims.obstacle)
    filters = Filters(pod, places, claims, labels)
    refusals = {place.name: filters.refusal(place) for place in places}
    fitting = [place for place in places if refusals[place.name] is None]
    if fitting:
        return min(fitting, key=lambda place: place.load), ""
    refused = {name: refusal for name, refusal in refusals.items() if refusal is not None}
    return None, misfit(refused, preempts=pod.spec.get("preemptionPolicy") != "Never")


def _for_node(claim: JsonObject, node: str) -> JsonObject | None:
    annotations = metadata_of(claim).get("annotations") or {}
    if annotations.get(SELECTED_NODE) == node:
        return None
    return with_metadata(claim, annotations={**annotations, SELECTED_NODE: node})
