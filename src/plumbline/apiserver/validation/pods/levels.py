"""Resources of a pod as a whole, which must have room for those of its containers."""

from collections.abc import Iterator

from plumbline.apiserver.fielderrors import FieldError, forbidden, invalid
from plumbline.apiserver.validation.pods.resources import pod_resource_errors, quantity
from plumbline.apiserver.validation.shapes import mapping, mappings
from plumbline.base.json import Json, JsonObject
from plumbline.kube.quantity import Quantity

Amounts = dict[str, Quantity]


def pod_level_errors(spec: JsonObject, at: str, claims: frozenset[str]) -> Iterator[FieldError]:
    requirements, field = mapping(spec.get("resources")), f"{at}.resources"
    if mapping(spec.get("os")).get("name") == "windows":
        yield forbidden(field, "may not be set for a windows pod")
        return
    if requirements.get("claims") is not None:
        yield forbidden(f"{field}.claims", "claims may not be set for Resources at pod-level")
    yield from pod_resource_errors(requirements, field, claims)
    yield from _request_errors(spec, amounts(requirements.get("requests")), field)
    yield from _limit_errors(spec, amounts(requirements.get("limits")), field)


def _request_errors(spec: JsonObject, requests: Amounts, field: str) -> Iterator[FieldError]:
    for name, total in aggregated(spec, "requests").items():
        if name in requests and total > requests[name]:
            detail = f"must be greater than or equal to aggregate container requests of {total}"
            yield invalid(f"{field}.requests[{name}]", str(requests[name]), detail)


def _limit_errors(spec: JsonObject, limits: Amounts, field: str) -> Iterator[FieldError]:
    for name, total in aggregated(spec, "limits").items():
        if name.startswith("hugepages-") and name in limits and total > limits[name]:
            detail = f"must be greater than or equal to aggregate container limits of {total}"
            yield invalid(f"{field}.limits[{name}]", str(limits[name]), detail)
    for index, container in enumerate(mappings(spec.get("containers"))):
        for name, limit in amounts(mapping(container.get("resources")).get("limits")).items():
            if name in limits and limit > limits[name]:
                detail = f"must be less than or equal to pod limits of {limits[name]}"
                yield invalid(f"{field}.containers[{index}][{name}].limits", str(limit), detail)


def aggregated(spec: JsonObject, kind: str) -> Amounts:
    """What all containers need together: those that start before others may run with those that stay."""
    total: Amounts = {}
    for container in mappings(spec.get("containers")):
        _add(total, _of(container, kind))
    staying: Amounts = {}
    peak: Amounts = {}
    for container in mappings(spec.get("initContainers")):
        needed = _of(container, kind)
        if container.get("restartPolicy") == "Always":
            _add(total, needed)
            _add(staying, needed)
            needed = staying
        else:
            needed = dict(needed)
            _add(needed, staying)
        _raise(peak, needed)
    _raise(total, peak)
    return total


def amounts(held: Json) -> Amounts:
    read = ((name, quantity(value)) for name, value in mapping(held).items())
    return {name: amount for name, amount in read if amount is not None}


def _of(container: JsonObject, kind: str) -> Amounts:
    return amounts(mapping(container.get("resources")).get(kind))


def _add(total: Amounts, more: Amounts) -> None:
    for name, amount in more.items():
        total[name] = total[name] + amount if name in total else amount


def _raise(peak: Amounts, other: Amounts) -> None:
    for name, amount in other.items():
        if name not in peak or amount > peak[name]:
            peak[name] = amount
