"""What containers and pods ask for of a node, and what they may have at most."""

from collections.abc import Callable, Iterator
from functools import lru_cache
from typing import Final

from plumbline.apiserver.fielderrors import (
    FieldError,
    Word,
    duplicate,
    forbidden,
    invalid,
    not_found,
    not_supported,
    required,
)
from plumbline.apiserver.validation.metadata import faulty
from plumbline.apiserver.validation.names import dns_label
from plumbline.apiserver.validation.resourcenames import (
    container_resource_name_errors,
    extended,
    huge_pages,
    overcommit_allowed,
    quantity_errors,
    resource_name_errors,
)
from plumbline.apiserver.validation.shapes import mapping, mappings, text
from plumbline.base.errors import BadQuantity
from plumbline.base.json import Json, JsonObject
from plumbline.kube.quantity import Quantity

ResourceNames = Callable[[str], tuple[FieldError, ...]]

_HUGE_PAGES: Final = "hugepages-"
_MILLI: Final = -3
_COMPUTE: Final = {"cpu", "memory"}


def quantity(value: Json) -> Quantity | None:
    return _quantity(value) if isinstance(value, str | int | float) else None


@lru_cache(maxsize=4096, typed=True)
def _quantity(value: str | float) -> Quantity | None:
    try:
        return Quantity.from_json(value)
    except BadQuantity:
        return None


def container_resource_errors(requirements: JsonObject, field: str, claims: frozenset[str]) -> Iterator[FieldError]:
    yield from _requirement_errors(requirements, field, _container_name_faults)
    if used := requirements.get("claims"):
        yield from _claim_errors(mappings(used), f"{field}.claims", claims)


def pod_resource_errors(requirements: JsonObject, field: str, claims: frozenset[str]) -> Iterator[FieldError]:
    yield from _requirement_errors(requirements, field, _pod_name_faults)
    if used := requirements.get("claims"):
        yield from _claim_errors(mappings(used), f"{field}.claims", claims)


def _requirement_errors(requirements: JsonObject, field: str, names: ResourceNames) -> Iterator[FieldError]:
    limits, requests = mapping(requirements.get("limits")), mapping(requirements.get("requests"))
    for name, value in limits.items():
        at = f"{field}.limits[{name}]"
        yield from _amount_errors(name, value, at, names)
        yield from _huge_page_errors(name, value, at)
    for name, value in requests.items():
        at = f"{field}.requests[{name}]"
        yield from _amount_errors(name, value, at, names)
        yield from _limit_errors(name, value, limits, field)
        yield from _huge_page_errors(name, value, at)
    used = limits.keys() | requests.keys()
    if not used & _COMPUTE and any(map(huge_pages, used)):
        yield forbidden(field, "HugePages require cpu or memory")


def _amount_errors(name: str, value: Json, at: str, names: ResourceNames) -> Iterator[FieldError]:
    for reason, _, message in names(name):
        yield FieldError(reason, at, message)
    amount = quantity(value)
    if amount is not None and (amount.digits < 0 or _counted_whole(name)):
        yield from quantity_errors(at, name, value)


def _limit_errors(name: str, value: Json, limits: JsonObject, field: str) -> Iterator[FieldError]:
    request, limit = quantity(value), quantity(limits.get(name))
    overcommitted = overcommit_allowed(name)
    if request is None:
        return
    if limit is None:
        if not overcommitted:
            yield required(f"{field}.limits", "Limit must be set for non overcommitable resources")
    elif not overcommitted and request != limit:
        yield invalid(f"{field}.requests", str(request), f"must be equal to {name} limit of {limit}")
    elif request > limit:
        yield invalid(f"{field}.requests", str(request), f"must be less than or equal to {name} limit of {limit}")


def _huge_page_errors(name: str, value: Json, at: str) -> Iterator[FieldError]:
    if not huge_pages(name):
        return
    page, amount = quantity(name.removeprefix(_HUGE_PAGES)), quantity(value)
    if amount is None:
        return
    whole = page is not None and page.digits > 0 and page.rounded_up(_MILLI) % 1000 == 0
    if not whole or page is None or amount.rounded_up() % page.rounded_up():
        yield invalid(at, str(amount), f"{amount} is not positive integer multiple of {name}")


@lru_cache(maxsize=1024)
def _container_name_faults(name: str) -> tuple[FieldError, ...]:
    """Complaints without a field: the same resources are named over and over."""
    return tuple(container_resource_name_errors("", name))


@lru_cache(maxsize=64)
def _pod_name_faults(name: str) -> tuple[FieldError, ...]:
    faults = tuple(resource_name_errors("", name))
    if faults or name in _COMPUTE or huge_pages(name):
        return faults
    return (not_supported("", Word(name), ("cpu", _HUGE_PAGES, "memory")),)


@lru_cache(maxsize=1024)
def _counted_whole(name: str) -> bool:
    return extended(name) or name not in _COMPUTE


def _claim_errors(used: list[JsonObject], field: str, claims: frozenset[str]) -> Iterator[FieldError]:
    seen: set[str] = set()
    for index, claim in enumerate(used):
        at, name, request = f"{field}[{index}]", text(claim.get("name")), text(claim.get("request"))
        if not name:
            yield required(at)
            continue
        if name in seen:
            yield duplicate(at, name)
        else:
            key = f"{name}/{request}" if request else name
            yield from faulty(f"{at}.request", request, dns_label(request) if request else [])
            if key in seen:
                yield duplicate(at, key)
            elif not request:
                yield from (duplicate(at, name) for each in seen if each.startswith(f"{name}/"))
            seen.add(key)
        if name not in claims:
            known = f": {', '.join(sorted(claims))}" if claims else " which is empty"
            yield not_found(at, name, f"must be one of the names in pod.spec.resourceClaims{known}")
