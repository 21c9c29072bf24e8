"""Takes away pods whose node is gone: nobody else could finish them."""

from collections.abc import Iterable, Mapping
from functools import cached_property
from typing import Final

from plumbline.apiserver.controllers.cluster import Cluster
from plumbline.apiserver.controllers.controller import Concerns
from plumbline.apiserver.nodes.kinds import NODE, POD
from plumbline.apiserver.objects.metadata import metadata_of
from plumbline.apiserver.storage.entries import Entry, Key
from plumbline.base.json import JsonObject
from plumbline.kube.names import GroupKind

QUARANTINE_S: Final = 40.0
"""How long a node may be missing before its pods are given up."""
_FINISHED: Final = ("Succeeded", "Failed")


class OrphanCollector:
    name = "pod-garbage-collector-controller"

    def __init__(self, cluster: Cluster) -> None:
        self._cluster = cluster
        self._missing_s: dict[str, float] = {}

    @cached_property
    def watches(self) -> Mapping[GroupKind, Concerns]:
        return {NODE: self._of_node, POD: self._of_pod}

    async def reconcile(self, key: Key) -> float | None:
        pod = self._cluster.at(key)
        node = _node(pod or {})
        if pod is None or not node:
            return None
        if self._cluster.get(NODE, "", node) is not None:
            self._missing_s.pop(node, None)
            return None
        now_s = self._cluster.clock.monotonic()
        left_s = self._missing_s.setdefault(node, now_s) + QUARANTINE_S - now_s
        if left_s > 0:
            return left_s
        if (pod.get("status") or {}).get("phase") not in _FINISHED:
            pod = await self._cluster.set_status(pod, _given_up(pod, self._cluster.now()))
        await self._cluster.delete(pod, grace_s=0)
        return None

    def _of_node(self, entry: Entry, _: Entry | None) -> Iterable[Key]:
        """Only where it is gone; to find its pods is worth a walk over all of them then."""
        if self._cluster.at(entry.key) is not None:
            return ()
        return [pod.key for pod in self._cluster.entries(POD) if _node(pod.object()) == entry.key.name]

    def _of_pod(self, entry: Entry, previous: Entry | None) -> Iterable[Key]:
        """When it is new, or has just been placed: a node that is there will tell when it goes."""
        bound = b'"nodeName"' in entry.body
        was_bound = previous is not None and b'"nodeName"' in previous.body
        return (entry.key,) if bound and not was_bound else ()


def _node(pod: JsonObject) -> str:
    return str((pod.get("spec") or {}).get("nodeName") or "")


def _given_up(pod: JsonObject, now: str) -> JsonObject:
    status: JsonObject = pod.get("status") or {}
    target: JsonObject = {
        "type": "DisruptionTarget",
        "status": "True",
        "lastProbeTime": None,
        "lastTransitionTime": now,
        "reason": "DeletionByPodGC",
        "message": "PodGC: node no longer exists",
    }
    generation = metadata_of(pod).get("generation")
    if generation:
        target["observedGeneration"] = generation
    others = [each for each in status.get("conditions") or () if each.get("type") != "DisruptionTarget"]
    return {**status, "phase": "Failed", "conditions": [*others, target]}
