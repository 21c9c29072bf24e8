"""Taints of nodes, and pods that tolerate them."""

from collections.abc import Iterable
from typing import Final

from plumbline.apiserver.nodes.scheduling.placement import Candidate, Place
from plumbline.base.json import JsonObject

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
    return any(_tolerates(each, taint) for each in tolerations)


def _tolerates(toleration: JsonObject, taint: JsonObject) -> bool:
    effect, key = toleration.get("effect"), toleration.get("key")
    if effect and effect != taint.get("effect"):
        return False
    if key and key != taint.get("key"):
        return False
    if (toleration.get("operator") or "Equal") == "Exists":
        return True
    return bool(key) and (toleration.get("value") or "") == (taint.get("value") or "")
