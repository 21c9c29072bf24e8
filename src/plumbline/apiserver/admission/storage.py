"""Volumes, claims and their classes do not go while somebody uses them."""

from typing import Final

from plumbline.apiserver.admission.plugin import CLAIMS, Mutating, collection_of, creates, object_of
from plumbline.apiserver.objects.admission import Attributes
from plumbline.apiserver.objects.metadata import metadata_of, with_metadata
from plumbline.apiserver.resources.resource import Collection
from plumbline.apiserver.validation.shapes import texts
from plumbline.base.json import JsonObject

_FINALIZERS: Final = {
    CLAIMS: "kubernetes.io/pvc-protection",
    Collection("", "persistentvolumes"): "kubernetes.io/pv-protection",
    Collection("storage.k8s.io", "volumeattributesclasses"): "kubernetes.io/vac-protection",
}


class StorageProtection(Mutating):
    name = "StorageObjectInUseProtection"
    concerns = frozenset(_FINALIZERS)

    async def mutated(self, attributes: Attributes) -> JsonObject:
        obj = object_of(attributes)
        finalizers = texts(metadata_of(obj).get("finalizers"))
        own = _FINALIZERS[collection_of(attributes)]
        if not creates(attributes) or own in finalizers:
            return obj
        return with_metadata(obj, finalizers=[*finalizers, own])
