"""Names that are allowed and will not do where they are used next."""

from plumbline.apiserver.validation.names import dns_label
from plumbline.apiserver.validation.shapes import mapping, text
from plumbline.base.json import JsonObject

AS_POD_NAMES = "this is used in Pod names and hostnames, which can result in surprising behavior"


def label_warnings(obj: JsonObject, why: str = AS_POD_NAMES) -> list[str]:
    """A warning where the object's name is no DNS label, which *why* says the reason for."""
    faults = dns_label(text(mapping(obj.get("metadata")).get("name")))
    if not faults:
        return []
    return [f"metadata.name: {why}; a DNS label is recommended: [{' '.join(faults)}]"]
