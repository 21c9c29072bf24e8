"""LimitRanges and ResourceQuotas: what a namespace may ask for."""

from collections.abc import Callable, Iterator
from typing import Final

from plumbline.apiserver.fielderrors import FieldError, duplicate, forbidden, invalid, required
from plumbline.apiserver.validation.checks import collected, meta, meta_update
from plumbline.apiserver.validation.goform import go_form
from plumbline.apiserver.validation.metadata import IMMUTABLE, faulty, metadata_of
from plumbline.apiserver.validation.names import qualified_name
from plumbline.apiserver.validation.resourcenames import (
    container_resource_name_errors,
    overcommit_allowed,
    quantity,
    quantity_errors,
    quota_resource_name_errors,
    resource_name_errors,
    standard_for_quota,
)
from plumbline.apiserver.validation.shapes import mapping, mappings, text, texts
from plumbline.base.json import JsonObject
from plumbline.kube.quantity import Quantity

_LIMIT_TYPES: Final = ("Container", "PersistentVolumeClaim", "Pod")
_BOUNDS: Final = ("max", "min", "default", "defaultRequest", "maxLimitRequestRatio")
_ONE: Final = Quantity(1)
_MAX_MILLI: Final = (2**63 - 1) // 1000

_POD_COMPUTE: Final = frozenset(
    ["pods", "cpu", "memory", "limits.cpu", "limits.memory", "requests.cpu", "requests.memory"]
)
_SCOPES: Final = {
    "Terminating": _POD_COMPUTE,
    "NotTerminating": _POD_COMPUTE,
    "BestEffort": frozenset({"pods"}),
    "NotBestEffort": _POD_COMPUTE,
    "PriorityClass": _POD_COMPUTE,
    "CrossNamespacePodAffinity": _POD_COMPUTE,
    "VolumeAttributesClass": frozenset({"persistentvolumeclaims", "requests.storage"}),
}
"""Which resources quotas of each scope can count."""
_EXISTING: Final = frozenset(_SCOPES) - {"PriorityClass", "VolumeAttributesClass"}
_CONFLICTING: Final = ({"BestEffort", "NotBestEffort"}, {"Terminating", "NotTerminating"})


@collected
def limit_range_created(limit_range: JsonObject) -> Iterator[FieldError]:
    yield from meta(limit_range, namespaced=True)
    types: set[str] = set()
    for index, limit in enumerate(mappings(mapping(limit_range.get("spec")).get("limits"))):
        at, type_ = f"spec.limits[{index}]", text(limit.get("type"))
        yield from _limit_type_errors(f"{at}.type", type_)
        if type_ in types:
            yield duplicate(f"{at}.type", type_)
        types.add(type_)
        yield from _bound_name_errors(limit, type_, at)
        yield from _bound_errors(limit, type_, at)


@collected
def limit_range_updated(limit_range: JsonObject, _: JsonObject) -> Iterator[FieldError]:
    yield from limit_range_created(limit_range)


def _limit_type_errors(field: str, type_: str) -> Iterator[FieldError]:
    if faults := qualified_name(type_):
        yield from faulty(field, type_, faults)
    elif "/" not in type_ and type_ not in _LIMIT_TYPES:
        yield invalid(field, type_, "must be a standard limit type or fully qualified")


def _bound_name_errors(limit: JsonObject, type_: str, at: str) -> Iterator[FieldError]:
    rule: Callable[[str, str], Iterator[FieldError]] = resource_name_errors
    if type_ in {"Pod", "Container"}:
        rule = container_resource_name_errors
    for bound in _BOUNDS:
        names = mapping(limit.get(bound))
        if bound == "maxLimitRequestRatio" and type_ == "PersistentVolumeClaim":
            yield from _storage_bound_errors(limit, at)
        if bound in {"default", "defaultRequest"} and type_ == "Pod":
            if names:
                yield forbidden(f"{at}.{bound}", "may not be specified when `type` is 'Pod'")
            continue
        for name in names:
            yield from rule(f"{at}.{bound}[{name}]", name)


def _storage_bound_errors(limit: JsonObject, at: str) -> Iterator[FieldError]:
    if "storage" not in mapping(limit.get("min")) and "storage" not in mapping(limit.get("max")):
        detail = "either minimum or maximum storage value is required, but neither was provided"
        yield required(f"{at}.limits", detail)


def _bound_errors(limit: JsonObject, type_: str, at: str) -> Iterator[FieldError]:
    bounds = {
        bound: {name: quantity(value) for name, value in mapping(limit.get(bound)).items()}
        for bound in _BOUNDS
        if type_ != "Pod" or bound not in {"default", "defaultRequest"}
    }
    names = dict.fromkeys(name for amounts in bounds.values() for name in amounts)
    for name in names:
        held = {bound: amounts[name] for bound, amounts in bounds.items() if name in amounts}
        yield from _order_errors(name, held, at)
        yield from _ratio_errors(name, held, at)
        default, request = held.get("default"), held.get("defaultRequest")
        if not overcommit_allowed(name) and default is not None and request is not None and default != request:
            detail = f"default value {default} must equal to defaultRequest value {request} in {name}"
            yield invalid(f"{at}.defaultRequest[{name}]", str(request), detail)


_ORDER: Final = (
    ("min", "max", "min", "min", "min value {} is greater than max value {}"),
    (
        "min",
        "defaultRequest",
        "defaultRequest",
        "defaultRequest",
        "min value {} is greater than default request value {}",
    ),
    (
        "defaultRequest",
        "max",
        "defaultRequest",
        "defaultRequest",
        "default request value {} is greater than max value {}",
    ),
    (
        "defaultRequest",
        "default",
        "defaultRequest",
        "defaultRequest",
        "default request value {} is greater than default limit value {}",
    ),
    ("min", "default", "default", "min", "min value {} is greater than default value {}"),
    ("default", "max", "default", "max", "default value {} is greater than max value {}"),
)
"""The bound that must not exceed the next one, the field that is complained about, the value shown, the words."""


def _order_errors(name: str, held: dict[str, Quantity], at: str) -> Iterator[FieldError]:
    for low, high, field, shown, words in _ORDER:
        if low in held and high in held and held[low] > held[high]:
            yield invalid(f"{at}.{field}[{name}]", str(held[shown]), words.format(held[low], held[high]))


def _ratio_errors(name: str, held: dict[str, Quantity], at: str) -> Iterator[FieldError]:
    ratio = held.get("maxLimitRequestRatio")
    if ratio is None:
        return
    field = f"{at}.maxLimitRequestRatio[{name}]"
    if ratio < _ONE:
        yield invalid(field, str(ratio), f"ratio {ratio} is less than 1")
    low, high = held.get("min"), held.get("max")
    if low is None or high is None:
        return
    fine = all(each.rounded_up() < _MAX_MILLI for each in (ratio, low, high))
    wanted = ratio.rounded_up(-3) / 1000 if fine else float(ratio.rounded_up())
    exponent = -3 if fine else 0
    possible = _divided(high.rounded_up(exponent), low.rounded_up(exponent))
    if wanted > possible:
        yield invalid(field, str(ratio), f"ratio {ratio} is greater than max/min = {possible:f}")


def _divided(high: int, low: int) -> float:
    """As floating point divides; nothing is greater than what a division by zero gives."""
    if low:
        return high / low
    return float("inf") if high >= 0 else float("-inf")


def _hard_errors(amounts: JsonObject, field: str) -> Iterator[FieldError]:
    for name, amount in amounts.items():
        at = f"{field}[{name}]"
        yield from quota_resource_name_errors(at, name)
        yield from quantity_errors(at, name, amount)


def _quota_spec_errors(spec: JsonObject) -> Iterator[FieldError]:
    hard = mapping(spec.get("hard"))
    yield from _hard_errors(hard, "spec.hard")
    scopes = texts(spec.get("scopes"))
    for scope in scopes:
        if scope not in _SCOPES:
            yield invalid("spec.scopes", scopes, "unsupported scope")
        yield from (
            invalid("spec.scopes", scopes, "unsupported scope applied to resource") for _ in _uncounted(scope, hard)
        )
    yield from _conflict_errors("spec.scopes", set(scopes), scopes)
    if isinstance(selector := spec.get("scopeSelector"), dict):
        yield from _scope_selector_errors(selector, hard, scopes)


def _uncounted(scope: str, hard: JsonObject) -> list[str]:
    """The resources that a quota of this scope cannot count."""
    counted = _SCOPES.get(scope)
    return [name for name in sorted(hard) if counted and standard_for_quota(name) and name not in counted]


def _conflict_errors(field: str, found: set[str], scopes: list[str]) -> Iterator[FieldError]:
    for pair in _CONFLICTING:
        if pair <= found:
            yield invalid(field, scopes or None, "conflicting scopes")


def _scope_selector_errors(selector: JsonObject, hard: JsonObject, scopes: list[str]) -> Iterator[FieldError]:
    field = "spec.scopeSelector.matchExpressions"
    expressions = mappings(selector.get("matchExpressions"))
    for expression in expressions:
        scope, operator = text(expression.get("scopeName")), text(expression.get("operator"))
        if scope not in _SCOPES:
            yield invalid(f"{field}.scopeName", scope, "unsupported scope")
        for _ in _uncounted(scope, hard):
            yield invalid(field, go_form(selector, "ScopeSelector"), "unsupported scope applied to resource")
        if scope in _EXISTING and operator != "Exists":
            yield invalid(f"{field}.operator", operator, _EXISTS_ONLY)
        yield from _scope_operator_errors(field, operator, texts(expression.get("values")))
    yield from _conflict_errors(field, {text(each.get("scopeName")) for each in expressions}, scopes)


_EXISTS_ONLY: Final = (
    "must be 'Exists' when scope is any of ResourceQuotaScopeTerminating, ResourceQuotaScopeNotTerminating, "
    "ResourceQuotaScopeBestEffort, ResourceQuotaScopeNotBestEffort or ResourceQuotaScopeCrossNamespacePodAffinity"
)


def _scope_operator_errors(field: str, operator: str, values: list[str]) -> Iterator[FieldError]:
    if operator in {"In", "NotIn"}:
        if not values:
            detail = "must be at least one value when `operator` is 'In' or 'NotIn' for scope selector"
            yield required(f"{field}.values", detail)
    elif operator in {"Exists", "DoesNotExist"}:
        if values:
            detail = "must be no value when `operator` is 'Exist' or 'DoesNotExist' for scope selector"
            yield invalid(f"{field}.values", values, detail)
    else:
        yield invalid(f"{field}.operator", operator, "not a valid selector operator")


def _quota_status_errors(status: JsonObject) -> Iterator[FieldError]:
    for name in ("hard", "used"):
        yield from _hard_errors(mapping(status.get(name)), f"status.{name}")


@collected
def quota_created(quota: JsonObject) -> Iterator[FieldError]:
    yield from meta(quota, namespaced=True)
    yield from _quota_spec_errors(mapping(quota.get("spec")))
    yield from _quota_status_errors(mapping(quota.get("status")))


@collected
def quota_updated(quota: JsonObject, old: JsonObject) -> Iterator[FieldError]:
    spec, old_spec = mapping(quota.get("spec")), mapping(old.get("spec"))
    yield from meta_update(quota, old)
    yield from _quota_spec_errors(spec)
    if set(texts(spec.get("scopes"))) != set(texts(old_spec.get("scopes"))):
        yield invalid("spec.scopes", spec.get("scopes"), IMMUTABLE)


@collected
def quota_status_updated(quota: JsonObject, old: JsonObject) -> Iterator[FieldError]:
    yield from meta_update(quota, old)
    if not metadata_of(quota).get("resourceVersion"):
        yield required("resourceVersion")
    yield from _quota_status_errors(mapping(quota.get("status")))


CREATE: Final = {"LimitRange": limit_range_created, "ResourceQuota": quota_created}
UPDATE: Final = {"LimitRange": limit_range_updated, "ResourceQuota": quota_updated}
STATUS_UPDATE: Final = {"ResourceQuota": quota_status_updated}
