"""Devices that drivers offer and pods claim."""

from typing import Final

from plumbline.apiserver.defaults.rules import Rule, chain, each, each_value, for_objects, record
from plumbline.base.json import JsonObject

_EXACT: Final = "ExactCount"
_TOLERATIONS: Final = each(record(zero={"operator": "Equal"}))


@for_objects
def _one(request: JsonObject) -> JsonObject:
    return {**request, "count": 1} if request.get("allocationMode") == _EXACT and not request.get("count") else request


_REQUEST: Final = chain(record(zero={"allocationMode": _EXACT}, fields={"tolerations": _TOLERATIONS}), _one)
_CLAIM_SPEC: Final = record(
    fields={
        "devices": record(
            fields={"requests": each(record(fields={"exactly": _REQUEST, "firstAvailable": each(_REQUEST)}))}
        )
    }
)
_RESULTS: Final = record(fields={"results": each(record(fields={"tolerations": _TOLERATIONS}))})

RESOURCE_CLAIM: Final = record(
    fields={
        "spec": _CLAIM_SPEC,
        "status": record(fields={"allocation": record(fields={"devices": _RESULTS})}),
    }
)
RESOURCE_CLAIM_TEMPLATE: Final = record(fields={"spec": record(fields={"spec": _CLAIM_SPEC})})

_MAPPED: Final = each_value(record(absent={"allocationMultiplier": "1"}))
RESOURCE_SLICE: Final = record(
    fields={"spec": record(fields={"devices": each(record(fields={"nodeAllocatableResourceMappings": _MAPPED}))})}
)


def dated(now: str) -> Rule:
    """The rule for a slice whose devices were tainted at *now* where nobody says when."""
    taints = each(record(absent={"timeAdded": now}))
    return record(fields={"spec": record(fields={"devices": each(record(fields={"taints": taints}))})})
