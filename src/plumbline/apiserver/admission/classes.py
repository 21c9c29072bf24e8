"""Which class a claim or an Ingress is of that names none: the newest of those marked as the one for all."""

from collections.abc import Iterable
from typing import Final

from plumbline.apiserver.admission.lookups import Lookups
from plumbline.apiserver.admission.plugin import CLAIMS, Mutating, creates, object_of
from plumbline.apiserver.objects.admission import Attributes
from plumbline.apiserver.objects.metadata import metadata_of
from plumbline.apiserver.resources.resource import Collection
from plumbline.apiserver.validation.shapes import mapping, text
from plumbline.base.json import JsonObject

STORAGE_CLASSES: Final = Collection("storage.k8s.io", "storageclasses")
INGRESS_CLASSES: Final = Collection("networking.k8s.io", "ingressclasses")
INGRESSES: Final = Collection("networking.k8s.io", "ingresses")
CLASS_ANNOTATION: Final = "volume.beta.kubernetes.io/storage-class"
_STORAGE_MARKS: Final = (
    "storageclass.kubernetes.io/is-default-class",
    "storageclass.beta.kubernetes.io/is-default-class",
)
_INGRESS_MARKS: Final = ("ingressclass.kubernetes.io/is-default-class",)
_INGRESS_ANNOTATION: Final = "kubernetes.io/ingress.class"


class DefaultStorageClass(Mutating):
    name = "DefaultStorageClass"
    concerns = frozenset({CLAIMS})

    def __init__(self, lookups: Lookups) -> None:
        self._lookups = lookups

    async def mutated(self, attributes: Attributes) -> JsonObject:
        claim = object_of(attributes)
        spec = mapping(claim.get("spec"))
        chosen = spec.get("storageClassName") is not None or CLASS_ANNOTATION in _annotations(claim)
        if chosen or not creates(attributes):
            return claim
        name = _default(self._lookups.objects(STORAGE_CLASSES), _STORAGE_MARKS)
        return {**claim, "spec": {**spec, "storageClassName": name}} if name else claim


class DefaultIngressClass(Mutating):
    name = "DefaultIngressClass"
    concerns = frozenset({INGRESSES})

    def __init__(self, lookups: Lookups) -> None:
        self._lookups = lookups

    async def mutated(self, attributes: Attributes) -> JsonObject:
        ingress = object_of(attributes)
        spec = mapping(ingress.get("spec"))
        chosen = spec.get("ingressClassName") is not None or _INGRESS_ANNOTATION in _annotations(ingress)
        if chosen or not creates(attributes):
            return ingress
        name = _default(self._lookups.objects(INGRESS_CLASSES), _INGRESS_MARKS)
        return {**ingress, "spec": {**spec, "ingressClassName": name}} if name else ingress


def _annotations(obj: JsonObject) -> JsonObject:
    return mapping(metadata_of(obj).get("annotations"))


def _default(classes: Iterable[JsonObject], marks: tuple[str, ...]) -> str:
    marked = [each for each in classes if any(_annotations(each).get(mark) == "true" for mark in marks)]
    named = sorted(marked, key=lambda each: text(metadata_of(each).get("name")))
    newest = sorted(named, key=lambda each: text(metadata_of(each).get("creationTimestamp")), reverse=True)
    return text(metadata_of(newest[0]).get("name")) if newest else ""
