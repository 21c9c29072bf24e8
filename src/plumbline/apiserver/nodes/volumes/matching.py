"""Which volume fits a claim: pure questions about claims, volumes and classes."""

from collections.abc import Iterable, Sequence
from typing import Final

from plumbline.apiserver.nodes.requests import quantity
from plumbline.apiserver.nodes.scheduling.affinity import selector_of
from plumbline.apiserver.objects.metadata import metadata_of
from plumbline.base.json import JsonObject
from plumbline.kube.quantity import Quantity

BIND_COMPLETED: Final = "pv.kubernetes.io/bind-completed"
BOUND_BY_CONTROLLER: Final = "pv.kubernetes.io/bound-by-controller"
DEFAULT_CLASS: Final = "storageclass.kubernetes.io/is-default-class"
_BETA_CLASS: Final = "volume.beta.kubernetes.io/storage-class"
_BETA_DEFAULT_CLASS: Final = "storageclass.beta.kubernetes.io/is-default-class"


def annotations_of(obj: JsonObject) -> JsonObject:
    return metadata_of(obj).get("annotations") or {}


def spec_of(obj: JsonObject) -> JsonObject:
    return obj.get("spec") or {}


def phase_of(obj: JsonObject) -> str:
    return str((obj.get("status") or {}).get("phase") or "")


def class_of(obj: JsonObject) -> str:
    """Of a claim or a volume; an annotation of old goes first."""
    beta = annotations_of(obj).get(_BETA_CLASS)
    return str(beta if beta is not None else spec_of(obj).get("storageClassName") or "")


def lacks_class(claim: JsonObject) -> bool:
    """It says nothing about a class, so that it gets the default one."""
    return spec_of(claim).get("storageClassName") is None and _BETA_CLASS not in annotations_of(claim)


def default_class(classes: Iterable[JsonObject]) -> JsonObject | None:
    """The newest of those that are marked; by name among equals."""
    marked = [
        each
        for each in classes
        if "true" in (annotations_of(each).get(DEFAULT_CLASS), annotations_of(each).get(_BETA_DEFAULT_CLASS))
    ]
    marked.sort(key=lambda each: str(metadata_of(each).get("name")))
    marked.sort(key=lambda each: str(metadata_of(each).get("creationTimestamp")), reverse=True)
    return marked[0] if marked else None


def requested(claim: JsonObject) -> Quantity:
    return quantity(((spec_of(claim).get("resources") or {}).get("requests") or {}).get("storage") or 0)


def capacity(volume: JsonObject) -> Quantity:
    return quantity((spec_of(volume).get("capacity") or {}).get("storage") or 0)


def refers_to(volume: JsonObject, claim: JsonObject) -> bool:
    """Whether the volume is reserved for, or bound to, this very claim."""
    ref, metadata = spec_of(volume).get("claimRef") or {}, metadata_of(claim)
    named = (ref.get("namespace"), ref.get("name")) == (metadata.get("namespace"), metadata.get("name"))
    return named and ref.get("uid") in (None, "", metadata.get("uid"))


def best_match(claim: JsonObject, volumes: Sequence[JsonObject]) -> JsonObject | None:
    """The volume that is reserved for the claim, or else the smallest free one that fits."""
    reserved = [each for each in volumes if spec_of(each).get("claimRef") and refers_to(each, claim)]
    for each in reserved:
        if same_mode(claim, each) and capacity(each) >= requested(claim):
            return each
    free = [each for each in volumes if _free(each) and _fits(claim, each)]
    return min(free, key=lambda each: (capacity(each).to_decimal(), _name(each)), default=None)


def same_mode(claim: JsonObject, volume: JsonObject) -> bool:
    return (spec_of(claim).get("volumeMode") or "Filesystem") == (spec_of(volume).get("volumeMode") or "Filesystem")


def claim_ref(claim: JsonObject) -> JsonObject:
    metadata = metadata_of(claim)
    return {
        "apiVersion": "v1",
        "kind": "PersistentVolumeClaim",
        "name": metadata.get("name"),
        "namespace": metadata.get("namespace"),
        "uid": metadata.get("uid"),
        "resourceVersion": metadata.get("resourceVersion"),
    }


def _free(volume: JsonObject) -> bool:
    unclaimed = not spec_of(volume).get("claimRef") and not metadata_of(volume).get("deletionTimestamp")
    return unclaimed and phase_of(volume) == "Available"


def _fits(claim: JsonObject, volume: JsonObject) -> bool:
    wanted = set(spec_of(claim).get("accessModes") or ())
    labels = metadata_of(volume).get("labels") or {}
    selector = spec_of(claim).get("selector")
    return (
        class_of(volume) == class_of(claim)
        and same_mode(claim, volume)
        and wanted <= set(spec_of(volume).get("accessModes") or ())
        and capacity(volume) >= requested(claim)
        and (selector is None or selector_of(selector).matches(labels))
    )


def _name(obj: JsonObject) -> str:
    return str(metadata_of(obj).get("name"))
