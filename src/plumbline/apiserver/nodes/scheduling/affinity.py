"""Which nodes a pod wants, and which other pods it wants near or far."""

from collections.abc import Callable, Iterable, Mapping, Sequence

from plumbline.apiserver.nodes.scheduling.placement import Candidate, Place
from plumbline.base.errors import BadSelector
from plumbline.base.json import JsonObject
from plumbline.kube import placement
from plumbline.kube.selectors.labels import NOTHING, LabelSelector

Labels = Callable[[str], Mapping[str, str]]
"""The labels of the namespace of that name."""
Pair = tuple[str, str]


def wants_node(pod: Candidate, place: Place) -> bool:
    return placement.wants_node(pod.spec, place.labels, place.name)


def node_matches(selector: JsonObject, place: Place) -> bool:
    return placement.node_matches(selector, place.labels, place.name)


def selector_of(value: object) -> LabelSelector:
    """As stored; one that cannot be read selects nothing."""
    try:
        return LabelSelector.from_object(value)
    except BadSelector:
        return NOTHING


class Term:
    """One required term of a pod (anti-)affinity."""

    def __init__(self, owner: Candidate, term: JsonObject, labels: Labels) -> None:
        self.topology = str(term.get("topologyKey") or "")
        self._labels = labels
        self._names = frozenset(str(name) for name in term.get("namespaces") or ())
        chosen = term.get("namespaceSelector")
        self._chosen = selector_of(chosen) if chosen is not None else None
        if not self._names and self._chosen is None:
            self._names = frozenset({owner.namespace})
        self._selector = selector_of(_with_label_keys(term, owner))

    def matches(self, pod: Candidate) -> bool:
        here = pod.namespace in self._names
        if not here and self._chosen is not None:
            here = self._chosen.matches(self._labels(pod.namespace))
        return here and self._selector.matches(pod.labels)


def _with_label_keys(term: JsonObject, owner: Candidate) -> JsonObject | None:
    """Its selector with the owner's values of the keys that it is to match, or not to match."""
    selector = term.get("labelSelector")
    if selector is None:
        return None
    extra = [
        {"key": key, "operator": operator, "values": [owner.labels[key]]}
        for field, operator in (("matchLabelKeys", "In"), ("mismatchLabelKeys", "NotIn"))
        for key in term.get(field) or ()
        if key in owner.labels
    ]
    if not extra:
        return dict(selector)
    return {**selector, "matchExpressions": [*(selector.get("matchExpressions") or ()), *extra]}


class Neighbours:
    """What pod affinities say about a pod, over all nodes."""

    def __init__(self, pod: Candidate, places: Sequence[Place], labels: Labels) -> None:
        self._pod = pod
        self._near = [Term(pod, term, labels) for term in pod.terms("podAffinity")]
        self._far = [Term(pod, term, labels) for term in pod.terms("podAntiAffinity")]
        self._near_pairs = set(_pairs(self._near, places, every=True)) if self._near else set()
        self._far_pairs = set(_pairs(self._far, places, every=False)) if self._far else set()
        self._refused = set(_refused_pairs(pod, places, labels))

    def affinity_holds(self, place: Place) -> bool:
        if any(term.topology not in place.labels for term in self._near):
            return False
        if all((term.topology, place.labels[term.topology]) in self._near_pairs for term in self._near):
            return True
        # The first of its kind has nobody to be near to.
        return not self._near_pairs and all(term.matches(self._pod) for term in self._near)

    def anti_affinity_holds(self, place: Place) -> bool:
        return not any((term.topology, place.labels.get(term.topology, "")) in self._far_pairs for term in self._far)

    def others_agree(self, place: Place) -> bool:
        return not any(pair in self._refused for pair in place.labels.items())


def _pairs(terms: Sequence[Term], places: Sequence[Place], *, every: bool) -> Iterable[Pair]:
    """Topologies with a pod that matches; with *every*, only pods count that match all terms."""
    for place in places:
        for pod in place.pods:
            matching = [term for term in terms if term.matches(pod)]
            if every and len(matching) < len(terms):
                continue
            for term in matching:
                if term.topology in place.labels:
                    yield term.topology, place.labels[term.topology]


def _refused_pairs(pod: Candidate, places: Sequence[Place], labels: Labels) -> Iterable[Pair]:
    for place in places:
        for other in place.pods:
            for term in other.terms("podAntiAffinity"):
                built = Term(other, term, labels)
                if built.topology in place.labels and built.matches(pod):
                    yield built.topology, place.labels[built.topology]
