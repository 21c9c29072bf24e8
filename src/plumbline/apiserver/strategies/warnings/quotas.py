"""Quotas that ask for more than they allow."""

from collections.abc import Sequence
from typing import Final

from plumbline.apiserver.validation.shapes import mapping
from plumbline.base.errors import BadQuantity
from plumbline.base.json import JsonObject
from plumbline.kube.quantity import Quantity

_RESOURCES: Final = ("cpu", "memory", "storage", "ephemeral-storage")
_SHORT: Final = ("cpu", "memory")


def quota_warnings(quota: JsonObject) -> Sequence[str]:
    hard = mapping(mapping(quota.get("spec")).get("hard"))
    warnings = []
    for resource in _RESOURCES:
        asked, allowed = f"requests.{resource}", f"limits.{resource}"
        if asked not in hard and resource in _SHORT:
            asked = resource
        if asked not in hard or allowed not in hard:
            continue
        try:
            request, limit = Quantity.from_json(hard[asked]), Quantity.from_json(hard[allowed])
        except BadQuantity:
            continue
        if request > limit:
            warnings.append(f"ResourceQuota {asked} ({request}) should be less than {allowed} ({limit})")
    return warnings
