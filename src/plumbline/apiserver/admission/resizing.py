"""What may grow: claims whose class can, and pods on nodes with room."""

from typing import Final

from plumbline.apiserver.admission.classes import CLASS_ANNOTATION, STORAGE_CLASSES
from plumbline.apiserver.admission.lookups import Lookups
from plumbline.apiserver.admission.nodes import NODES
from plumbline.apiserver.admission.plugin import CLAIMS, PODS, Validating, forbidden, object_of, updates
from plumbline.apiserver.admission.resources import Amounts, amounts, pod_amounts
from plumbline.apiserver.objects.admission import Attributes
from plumbline.apiserver.objects.metadata import metadata_of
from plumbline.apiserver.strategies.parts import generation_of
from plumbline.apiserver.validation.shapes import mapping, text
from plumbline.base.json import JsonObject
from plumbline.kube.gotext import quoted
from plumbline.kube.quantity import Quantity

_NOTHING: Final = Quantity(0)
_OS: Final = "kubernetes.io/os"
_CANNOT: Final = (
    "only dynamically provisioned pvc can be resized and the storageclass that provisions the pvc must support resize"
)


class ClaimResizing(Validating):
    name = "PersistentVolumeClaimResize"
    concerns = frozenset({CLAIMS})

    def __init__(self, lookups: Lookups) -> None:
        self._lookups = lookups

    async def check(self, attributes: Attributes) -> None:
        new, old = object_of(attributes), attributes.old or {}
        if not updates(attributes) or not _size(new) > _size(old):
            return
        if mapping(old.get("status")).get("phase") != "Bound":
            raise forbidden(attributes, "Only bound persistent volume claims can be expanded")
        name = _class_of(new)
        expandable = self._lookups.get(STORAGE_CLASSES, "", name) if name and name == _class_of(old) else None
        if not (expandable or {}).get("allowVolumeExpansion"):
            raise forbidden(attributes, _CANNOT)


def _size(claim: JsonObject) -> Quantity:
    resources = mapping(mapping(claim.get("spec")).get("resources"))
    return amounts(resources.get("requests")).get("storage", _NOTHING)


def _class_of(claim: JsonObject) -> str:
    annotated = mapping(metadata_of(claim).get("annotations")).get(CLASS_ANNOTATION)
    return text(annotated) or text(mapping(claim.get("spec")).get("storageClassName"))


class PodResizing(Validating):
    name = "PodResizeValidator"
    concerns = frozenset({PODS})

    def __init__(self, lookups: Lookups) -> None:
        self._lookups = lookups

    async def check(self, attributes: Attributes) -> None:
        pod = object_of(attributes)
        spec = mapping(pod.get("spec"))
        name = text(spec.get("nodeName"))
        changed = generation_of(pod) != generation_of(attributes.old or {})
        if not updates(attributes, "resize") or not name or not changed:
            return
        node = self._lookups.get(NODES, "", name)
        if node is None:
            raise forbidden(attributes, f"node {quoted(name)} not found")
        system = mapping(metadata_of(node).get("labels")).get(_OS, "linux")
        if system != "linux":
            why = f"pod resize is only supported on linux nodes, node {quoted(name)} is {quoted(text(system))}"
            raise forbidden(attributes, why, {"reason": "UnsupportedPlatform"})
        if why := _shortage(_requests(spec), amounts(mapping(node.get("status")).get("allocatable"))):
            raise forbidden(attributes, why, {"reason": "NodeCapacity"})


def _requests(spec: JsonObject) -> Amounts:
    overhead, requests = amounts(spec.get("overhead")), pod_amounts(spec, "requests")
    return {
        name: requests.get(name, _NOTHING) + overhead.get(name, _NOTHING) for name in overhead.keys() | requests.keys()
    }


def _shortage(requests: Amounts, allocatable: Amounts) -> str:
    lacking = []
    for name, exponent in (("cpu", -3), ("memory", 0)):
        asked, there = requests.get(name, _NOTHING), allocatable.get(name, _NOTHING)
        if asked > there:
            lacking.append(
                f"{name}, requested: {asked.rounded_up(exponent)}, allocatable: {there.rounded_up(exponent)}"
            )
    return f"node didn't have enough allocatable resources: {'; '.join(lacking)}" if lacking else ""
