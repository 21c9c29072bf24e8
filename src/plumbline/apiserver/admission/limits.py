"""LimitRanges: what containers get that say nothing, and what they may not go beyond."""

from collections.abc import Iterator
from typing import Final

from plumbline.apiserver.admission.lookups import Lookups
from plumbline.apiserver.admission.plugin import (
    CLAIMS,
    PODS,
    collection_of,
    creates,
    forbidden,
    object_of,
    updates,
)
from plumbline.apiserver.admission.resources import Amounts, amounts, pod_amounts
from plumbline.apiserver.objects.admission import Attributes
from plumbline.apiserver.objects.metadata import metadata_of, with_metadata
from plumbline.apiserver.resources.resource import Collection
from plumbline.apiserver.statuses import aggregated
from plumbline.apiserver.validation.shapes import mapping, mappings, text
from plumbline.base.json import JsonObject
from plumbline.kube.quantity import Quantity

LIMIT_RANGES: Final = Collection("", "limitranges")
_NOTE: Final = "kubernetes.io/limit-ranger"
_LARGEST_MILLI: Final = (2**63 - 1) // 1000
_MILLI: Final = -3


class LimitRanger:
    name = "LimitRanger"
    concerns = frozenset({PODS, CLAIMS})

    def __init__(self, lookups: Lookups) -> None:
        self._lookups = lookups

    async def mutated(self, attributes: Attributes) -> JsonObject:
        obj = object_of(attributes)
        if collection_of(attributes) != PODS or not _applies(attributes):
            return obj
        for limit_range in self._ranges(attributes):
            obj = _with_defaults(obj, limit_range)
        return obj

    async def check(self, attributes: Attributes) -> None:
        if not _applies(attributes):
            return
        errors_of = _pod_errors if collection_of(attributes) == PODS else _claim_errors
        for limit_range in self._ranges(attributes):
            errors = [
                error
                for limit in mappings(mapping(limit_range.get("spec")).get("limits"))
                for error in errors_of(limit, mapping(object_of(attributes).get("spec")))
            ]
            if errors:
                raise forbidden(attributes, aggregated(errors))

    def _ranges(self, attributes: Attributes) -> list[JsonObject]:
        return self._lookups.objects(LIMIT_RANGES, attributes.scope.namespace)


def _applies(attributes: Attributes) -> bool:
    if metadata_of(attributes.old or {}).get("deletionTimestamp"):
        return False
    if collection_of(attributes) == PODS:
        return creates(attributes) or updates(attributes, "resize")
    return creates(attributes) or updates(attributes)


def _with_defaults(pod: JsonObject, limit_range: JsonObject) -> JsonObject:
    limits, requests = _defaults(limit_range)
    if not limits and not requests:
        return pod
    spec, notes = mapping(pod.get("spec")), list[str]()
    for field, called in (("containers", "container"), ("initContainers", "init container")):
        if field in spec:
            changed = [_completed(each, limits, requests, called, notes) for each in mappings(spec[field])]
            spec = {**spec, field: changed}
    if not notes:
        return pod
    annotations = {
        **mapping(metadata_of(pod).get("annotations")),
        _NOTE: f"LimitRanger plugin set: {'; '.join(notes)}",
    }
    return with_metadata({**pod, "spec": spec}, annotations=annotations)


def _defaults(limit_range: JsonObject) -> tuple[JsonObject, JsonObject]:
    limits: JsonObject = {}
    requests: JsonObject = {}
    for limit in mappings(mapping(limit_range.get("spec")).get("limits")):
        if limit.get("type") == "Container":
            limits.update(mapping(limit.get("default")))
            requests.update(mapping(limit.get("defaultRequest")))
    return limits, requests


def _completed(
    container: JsonObject, limits: JsonObject, requests: JsonObject, called: str, notes: list[str]
) -> JsonObject:
    resources, name = mapping(container.get("resources")), text(container.get("name"))
    for field, word, defaults in (("requests", "request", requests), ("limits", "limit", limits)):
        said = mapping(resources.get(field))
        added = sorted(defaults.keys() - said.keys())
        if added:
            resources = {**resources, field: {**said, **{each: defaults[each] for each in added}}}
            notes.append(f"{', '.join(added)} {word} for {called} {name}")
    return {**container, "resources": resources}


def _pod_errors(limit: JsonObject, spec: JsonObject) -> Iterator[str]:
    if limit.get("type") == "Pod":
        yield from _errors("Pod", limit, pod_amounts(spec, "requests"), pod_amounts(spec, "limits"))
    if limit.get("type") != "Container":
        return
    for field in ("containers", "initContainers"):
        for container in mappings(spec.get(field)):
            resources = mapping(container.get("resources"))
            requests, limits = amounts(resources.get("requests")), amounts(resources.get("limits"))
            yield from _errors("Container", limit, requests, limits)


def _claim_errors(limit: JsonObject, spec: JsonObject) -> Iterator[str]:
    kind = "PersistentVolumeClaim"
    if limit.get("type") != kind:
        return
    requests = amounts(mapping(spec.get("resources")).get("requests"))
    for name, least in sorted(amounts(limit.get("min")).items()):
        yield from _least_errors(f"minimum {name} usage per {kind} is {least}", least, requests.get(name), None)
    for name, most in sorted(amounts(limit.get("max")).items()):
        said, request = f"maximum {name} usage per {kind} is {most}", requests.get(name)
        if request is None:
            yield f"{said}.  No request is specified"
        elif _more(request, most):
            yield f"{said}, but request is {request}"


def _errors(kind: str, limit: JsonObject, requests: Amounts, limits: Amounts) -> Iterator[str]:
    for name, least in sorted(amounts(limit.get("min")).items()):
        said = f"minimum {name} usage per {kind} is {least}"
        yield from _least_errors(said, least, requests.get(name), limits.get(name))
    for name, most in sorted(amounts(limit.get("max")).items()):
        said = f"maximum {name} usage per {kind} is {most}"
        yield from _most_errors(said, most, requests.get(name), limits.get(name))
    for name, ratio in sorted(amounts(limit.get("maxLimitRequestRatio")).items()):
        said = f"{name} max limit to request ratio per {kind} is {ratio}"
        yield from _ratio_errors(said, ratio, requests.get(name), limits.get(name))


def _least_errors(said: str, least: Quantity, request: Quantity | None, limit: Quantity | None) -> Iterator[str]:
    if request is None:
        yield f"{said}.  No request is specified"
    elif _more(least, request):
        yield f"{said}, but request is {request}"
    elif limit is not None and _more(least, limit):
        yield f"{said}, but limit is {limit}"


def _most_errors(said: str, most: Quantity, request: Quantity | None, limit: Quantity | None) -> Iterator[str]:
    if limit is None:
        yield f"{said}.  No limit is specified"
    elif _more(limit, most):
        yield f"{said}, but limit is {limit}"
    elif request is not None and _more(request, most):
        yield f"{said}, but request is {request}"


def _ratio_errors(said: str, ratio: Quantity, request: Quantity | None, limit: Quantity | None) -> Iterator[str]:
    if not request:
        yield f"{said}, but no request is specified or request is 0"
    elif not limit:
        yield f"{said}, but no limit is specified or limit is 0"
    else:
        found = _count(limit) / _count(request)
        if found > float(ratio.to_decimal()):
            yield f"{said}, but provided ratio is {found:f}"


def _more(left: Quantity, right: Quantity) -> bool:
    """Compared as the server does: in thousandths, or whole where that would not fit its numbers."""
    if max(left.rounded_up(), right.rounded_up()) <= _LARGEST_MILLI:
        return left.rounded_up(_MILLI) > right.rounded_up(_MILLI)
    return left.rounded_up() > right.rounded_up()


def _count(quantity: Quantity) -> int:
    return quantity.rounded_up(_MILLI)
