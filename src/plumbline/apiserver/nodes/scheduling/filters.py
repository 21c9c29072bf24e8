"""Why a pod cannot be on a node: the checks in the scheduler's order, with its words. The first that fails counts."""

from collections.abc import Sequence
from typing import Final, NamedTuple

from plumbline.apiserver.nodes.scheduling.affinity import Labels, Neighbours, wants_node
from plumbline.apiserver.nodes.scheduling.placement import Candidate, Place
from plumbline.apiserver.nodes.scheduling.spreading import MISSING, Spreading
from plumbline.apiserver.nodes.scheduling.tainting import tolerates_all, tolerates_cordon
from plumbline.apiserver.nodes.scheduling.volumes import PodClaims
from plumbline.kube.quantity import Quantity

_FIRST: Final = ("cpu", "memory", "ephemeral-storage")


class Refusal(NamedTuple):
    reasons: Sequence[str]
    preemptable: bool = False
    """Fewer pods on the node might help."""


class Filters:
    def __init__(self, pod: Candidate, places: Sequence[Place], claims: PodClaims, labels: Labels) -> None:
        self._pod = pod
        self._claims = claims
        self._spreading = Spreading(pod, places)
        self._neighbours = Neighbours(pod, places, labels)

    def refusal(self, place: Place) -> Refusal | None:
        return self._node_refusal(place) or self._room_refusal(place) or self._others_refusal(place)

    def _node_refusal(self, place: Place) -> Refusal | None:
        pod = self._pod
        if place.spec.get("unschedulable") and not tolerates_cordon(pod):
            return Refusal(["node(s) were unschedulable"])
        if not tolerates_all(pod, place):
            return Refusal(["node(s) had untolerated taint(s)"])
        if not wants_node(pod, place):
            return Refusal(["node(s) didn't match Pod's node affinity/selector"])
        return None

    def _room_refusal(self, place: Place) -> Refusal | None:
        pod = self._pod
        if any(port.conflicts(taken) for port in pod.ports for other in place.pods for taken in other.ports):
            reason = "node(s) didn't have free ports for the requested pod ports"
            return Refusal([reason], preemptable=True)
        lacking = _lacking(pod, place)
        if lacking is not None:
            return lacking
        fault = self._claims.fault(place)
        return Refusal([fault]) if fault else None

    def _others_refusal(self, place: Place) -> Refusal | None:
        fault = self._spreading.fault(place)
        if fault:
            reason = "node(s) didn't match pod topology spread constraints"
            if fault is MISSING:
                return Refusal([f"{reason} (missing required label)"])
            return Refusal([reason], preemptable=True)
        if not self._neighbours.affinity_holds(place):
            return Refusal(["node(s) didn't match pod affinity rules"])
        if not self._neighbours.anti_affinity_holds(place):
            return Refusal(["node(s) didn't match pod anti-affinity rules"], preemptable=True)
        if not self._neighbours.others_agree(place):
            return Refusal(["node(s) didn't satisfy existing pods anti-affinity rules"], preemptable=True)
        return None


def _lacking(pod: Candidate, place: Place) -> Refusal | None:
    reasons = []
    nothing = Quantity(0)
    most = place.allocatable.get("pods", nothing)
    if Quantity(len(place.pods) + 1) > most:
        reasons.append("Too many pods")
    possible = True
    for name in sorted(pod.requests, key=lambda each: (each not in _FIRST, each)):
        wanted, whole = pod.requests[name], place.allocatable.get(name, nothing)
        if wanted and wanted > whole - place.requested.get(name, nothing):
            reasons.append(f"Insufficient {name}")
            possible = possible and wanted <= whole
    return Refusal(reasons, preemptable=possible) if reasons else None
