"""Where a pod may run: node selectors, required node affinity, taints and tolerations."""

from collections.abc import Iterable, Iterator
from typing import Final

from plumbline.base.json import JsonObject
from plumbline.kube.object import Object
from plumbline.kube.placement import tolerates, wants_node

NO_SCHEDULE: Final = "NoSchedule"
NO_EXECUTE: Final = "NoExecute"
NAME_FIELD: Final = "metadata.name"


def fits_affinity(spec: JsonObject, node: Object) -> bool:
    """Whether a pod of *spec* asks for a node like *node*."""
    return wants_node(spec, node.labels, node.name)


def untolerated(node: Object, tolerations: Iterable[JsonObject], effects: Iterable[str]) -> Iterator[JsonObject]:
    """Taints with one of *effects* that keep the pod away."""
    accepted = list(tolerations)
    for taint in node.spec.get("taints") or ():
        if taint.get("effect") in effects and not any(tolerates(each, taint) for each in accepted):
            yield taint
