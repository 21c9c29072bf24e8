"""What nodes begin with, and what pods learn from the node that they are on."""

from typing import Final

from plumbline.apiserver.admission.lookups import Lookups
from plumbline.apiserver.admission.plugin import PODS, Mutating, creates, object_of
from plumbline.apiserver.objects.admission import Attributes, Operation
from plumbline.apiserver.objects.metadata import metadata_of, with_metadata
from plumbline.apiserver.resources.resource import Collection
from plumbline.apiserver.validation.shapes import mapping, mappings, text
from plumbline.base.json import JsonObject

NODES: Final = Collection("", "nodes")
_NOT_READY: Final = {"key": "node.kubernetes.io/not-ready", "effect": "NoSchedule"}
_TOPOLOGY: Final = ("topology.kubernetes.io/region", "topology.kubernetes.io/zone")


class NewNodesNotReady(Mutating):
    """Nothing is put on a node before it has said that it is ready."""

    name = "TaintNodesByCondition"
    concerns = frozenset({NODES})

    async def mutated(self, attributes: Attributes) -> JsonObject:
        node = object_of(attributes)
        if not creates(attributes):
            return node
        spec = mapping(node.get("spec"))
        taints = mappings(spec.get("taints"))
        if any({field: taint.get(field) for field in _NOT_READY} == _NOT_READY for taint in taints):
            return node
        return {**node, "spec": {**spec, "taints": [*taints, dict(_NOT_READY)]}}


class PodTopologyLabels(Mutating):
    """Pods have the zone and the region of their node among their labels."""

    name = "PodTopologyLabels"
    concerns = frozenset({PODS})

    def __init__(self, lookups: Lookups) -> None:
        self._lookups = lookups

    async def mutated(self, attributes: Attributes) -> JsonObject:
        obj = object_of(attributes)
        labels = self._labels(_node_of(attributes))
        if not labels:
            return obj
        return with_metadata(obj, labels={**mapping(metadata_of(obj).get("labels")), **labels})

    def _labels(self, name: str) -> dict[str, str]:
        node = self._lookups.get(NODES, "", name) if name else None
        labels = mapping(metadata_of(node or {}).get("labels"))
        return {label: labels[label] for label in _TOPOLOGY if label in labels}


def _node_of(attributes: Attributes) -> str:
    obj = object_of(attributes)
    if attributes.operation is not Operation.CREATE:
        return ""
    if attributes.scope.subresource == "binding":
        target = mapping(obj.get("target"))
        return text(target.get("name")) if target.get("kind") == "Node" else ""
    return "" if attributes.scope.subresource else text(mapping(obj.get("spec")).get("nodeName"))
