"""Topology spread constraints that must hold."""

from collections.abc import Sequence

from plumbline.apiserver.nodes.scheduling.affinity import selector_of, wants_node
from plumbline.apiserver.nodes.scheduling.placement import Candidate, Place
from plumbline.apiserver.nodes.scheduling.tainting import tolerates_all
from plumbline.base.json import JsonObject
from plumbline.kube.selectors.labels import LabelSelector

MISSING = "missing"
SKEWED = "skewed"


class Spreading:
    def __init__(self, pod: Candidate, places: Sequence[Place]) -> None:
        wanted = [
            each
            for each in pod.spec.get("topologySpreadConstraints") or ()
            if each.get("whenUnsatisfiable") == "DoNotSchedule"
        ]
        keys = [str(each.get("topologyKey")) for each in wanted]
        eligible = [place for place in places if all(key in place.labels for key in keys)]
        self._constraints = [_Constraint(pod, each, eligible) for each in wanted]

    def fault(self, place: Place) -> str:
        """Empty, MISSING where the node has no such topology, or SKEWED."""
        for each in self._constraints:
            if each.topology not in place.labels:
                return MISSING
            if not each.holds(place):
                return SKEWED
        return ""


class _Constraint:
    def __init__(self, pod: Candidate, constraint: JsonObject, places: Sequence[Place]) -> None:
        self.topology = str(constraint.get("topologyKey"))
        self._skew = int(constraint.get("maxSkew") or 1)
        self._selector = _selector(pod, constraint)
        self._self = 1 if self._selector.matches(pod.labels) else 0
        self._counts: dict[str, int] = {}
        for place in places:
            if _counts(pod, constraint, place):
                value = place.labels[self.topology]
                matching = sum(
                    1
                    for other in place.pods
                    if other.namespace == pod.namespace and not other.deleted and self._selector.matches(other.labels)
                )
                self._counts[value] = self._counts.get(value, 0) + matching
        domains = int(constraint.get("minDomains") or 1)
        self._least = min(self._counts.values(), default=0) if len(self._counts) >= domains else 0

    def holds(self, place: Place) -> bool:
        there = self._counts.get(place.labels[self.topology], 0)
        return there + self._self - self._least <= self._skew


def _selector(pod: Candidate, constraint: JsonObject) -> LabelSelector:
    selector = constraint.get("labelSelector")
    keys = [key for key in constraint.get("matchLabelKeys") or () if key in pod.labels]
    if selector is None or not keys:
        return selector_of(selector)
    extra = [{"key": key, "operator": "In", "values": [pod.labels[key]]} for key in keys]
    return selector_of({**selector, "matchExpressions": [*(selector.get("matchExpressions") or ()), *extra]})


def _counts(pod: Candidate, constraint: JsonObject, place: Place) -> bool:
    """Whether a node takes part, by the policies of the constraint."""
    if constraint.get("nodeAffinityPolicy") != "Ignore" and not wants_node(pod, place):
        return False
    return constraint.get("nodeTaintsPolicy") != "Honor" or tolerates_all(pod, place)
