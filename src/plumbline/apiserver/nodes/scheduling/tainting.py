"""Taints of nodes, and pods that tolerate them."""

from collections.abc import Iterable
from typing import Final

from plumbline.apiserver.nodes.scheduling.placement import Candidate, Place
from plumbline.base.json import JsonObject
from plumbline.kube import placement

UNSCHEDULABLE: Final = "node.kubernetes.io/unschedulable"
_REPELLING: Final = ("NoSchedule", "NoExecute")


def tolerates_all(pod: Candidate, place: Place) -> bool:
    """Whether no taint keeps the pod from being placed there."""
    repelling = (taint for taint in place.spec.get("taints") or () if taint.get("effect") in _REPELLING)
    return all(tolerates(pod, taint) for taint in repelling)


def tolerates_cordon(pod: Candidate) -> bool:
    return tolerates(pod, {"key": UNSCHEDULABLE, "effect": "NoSchedule"})


def tolerates(pod: Candidate, taint: JsonObject) -> bool:
    tolerations: Iterable[JsonObject] = pod.spec.get("tolerations") or ()
    return any(placement.tolerates(each, taint) for each in tolerations)
