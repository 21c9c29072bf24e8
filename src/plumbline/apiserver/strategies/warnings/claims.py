"""Claims of storage and the volumes behind them."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from plumbline.apiserver.strategies.warnings.nodes import term_warnings
from plumbline.apiserver.validation.shapes import mapping, mappings
from plumbline.base.errors import BadQuantity
from plumbline.base.json import Json, JsonObject
from plumbline.kube.gotext import quoted
from plumbline.kube.quantity import Quantity

_CLASS: Final = "volume.beta.kubernetes.io/storage-class"
_CLASS_FIELD: Final = 'deprecated since v1.8; use "storageClassName" attribute instead'
_VOLUME_ANNOTATIONS: Final = {
    _CLASS: _CLASS_FIELD,
    "volume.beta.kubernetes.io/mount-options": 'deprecated since v1.31; use "mountOptions" attribute instead',
}
_RECYCLE: Final = (
    "The Recycle reclaim policy is deprecated. Instead, the recommended approach is to use dynamic provisioning."
)
_MILLI: Final = -3


def _gone(deprecated: str, gone: str) -> str:
    return f"deprecated in v{deprecated}, non-functional in v{gone}+"


GONE_VOLUMES: Final[Mapping[str, str]] = {
    "photonPersistentDisk": _gone("1.11", "1.16"),
    "gitRepo": "deprecated in v1.11, and disabled by default in v1.33+",
    "scaleIO": _gone("1.16", "1.22"),
    "flocker": _gone("1.22", "1.25"),
    "storageos": _gone("1.22", "1.25"),
    "quobyte": _gone("1.22", "1.25"),
    "glusterfs": _gone("1.25", "1.26"),
    "cephfs": _gone("1.28", "1.31"),
    "rbd": _gone("1.28", "1.31"),
}
"""Drivers that are no longer there, in the order in which pods are warned of them."""
PRINTED: Final = {"storageos": "storageOS"}
"""The server's own name of a field where that is not the one people write."""
_GONE_FROM_VOLUMES: Final = ("cephfs", "photonPersistentDisk", "scaleIO", "storageos", "glusterfs", "rbd")


def fraction_warning(field: str, amounts: Json, name: str) -> Iterator[str]:
    """Of an amount of bytes that is not whole."""
    amount = mapping(amounts).get(name)
    if amount is None:
        return
    try:
        quantity = Quantity.from_json(amount)
    except BadQuantity:
        return
    if quantity.rounded_up(_MILLI) % 1000:
        spelled = quoted(str(quantity))
        yield f"{field}[{name}]: fractional byte value {spelled} is invalid, must be an integer"


def claim_spec_warnings(field: str, spec: Json) -> Iterator[str]:
    resources = mapping(mapping(spec).get("resources"))
    yield from fraction_warning(f"{field}.resources.requests", resources.get("requests"), "storage")
    yield from fraction_warning(f"{field}.resources.limits", resources.get("limits"), "storage")


def claim_warnings(claim: JsonObject) -> Sequence[str]:
    warnings = list(claim_spec_warnings("spec", claim.get("spec")))
    if _CLASS in mapping(mapping(claim.get("metadata")).get("annotations")):
        warnings.insert(0, f"metadata.annotations[{_CLASS}]: {_CLASS_FIELD}")
    return warnings


def volume_warnings(volume: JsonObject) -> Sequence[str]:
    spec, annotations = mapping(volume.get("spec")), mapping(mapping(volume.get("metadata")).get("annotations"))
    found = [f"metadata.annotations[{key}]: {why}" for key, why in _VOLUME_ANNOTATIONS.items() if key in annotations]
    if spec.get("persistentVolumeReclaimPolicy") == "Recycle":
        found.append(f"spec.persistentVolumeReclaimPolicy: {_RECYCLE}")
    required = mapping(mapping(spec.get("nodeAffinity")).get("required"))
    for index, term in enumerate(mappings(required.get("nodeSelectorTerms"))):
        at = f"spec.nodeAffinity.required.nodeSelectorTerms[{index}]"
        found.extend(term_warnings(at, term, check_values=False))
    found.extend(f"spec.{PRINTED.get(each, each)}: {GONE_VOLUMES[each]}" for each in _GONE_FROM_VOLUMES if each in spec)
    return found
