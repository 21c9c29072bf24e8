"""Small kinds: Leases, PriorityClasses, reviews of access and requests for tokens."""

from collections.abc import Iterator
from typing import Final

from plumbline.apiserver.fielderrors import FieldError, Word, forbidden, invalid, not_supported, required
from plumbline.apiserver.validation.checks import (
    collected,
    immutable,
    meta,
    meta_update,
    name_of,
    namespace_of,
)
from plumbline.apiserver.validation.csi import expiration_errors
from plumbline.apiserver.validation.goform import go_form
from plumbline.apiserver.validation.metadata import faulty, metadata_of
from plumbline.apiserver.validation.names import qualified_name
from plumbline.apiserver.validation.selectors import field_requirement_errors, label_requirement_errors
from plumbline.apiserver.validation.shapes import integer, mapping, mappings, number, text
from plumbline.base.json import JsonObject

_STRATEGIES: Final = ("OldestEmulationVersion",)
_LARGEST_PRIORITY: Final = 1_000_000_000
_SYSTEM: Final = {"system-node-critical": 2_000_001_000, "system-cluster-critical": 2_000_000_000}


def _lease_spec_errors(spec: JsonObject) -> Iterator[FieldError]:
    duration_s, transitions = integer(spec.get("leaseDurationSeconds")), integer(spec.get("leaseTransitions"))
    if duration_s is not None and duration_s <= 0:
        yield invalid("spec.leaseDurationSeconds", duration_s, "must be greater than 0")
    if transitions is not None and transitions < 0:
        yield invalid("spec.leaseTransitions", transitions, "must be greater than or equal to 0")
    if isinstance(strategy := spec.get("strategy"), str):
        # The server names the field twice over.
        field = "spec.strategy.strategy"
        if "/" in strategy:
            yield from faulty(field, Word(strategy), qualified_name(strategy))
        elif strategy not in _STRATEGIES:
            yield not_supported(field, Word(strategy), _STRATEGIES)
    if spec.get("preferredHolder") and not strategy:
        yield forbidden("spec.preferredHolder", "may only be specified if `strategy` is defined")


@collected
def lease_created(lease: JsonObject) -> Iterator[FieldError]:
    yield from meta(lease, namespaced=True, core=False)
    yield from _lease_spec_errors(mapping(lease.get("spec")))


@collected
def lease_updated(lease: JsonObject, old: JsonObject) -> Iterator[FieldError]:
    yield from meta_update(lease, old, core=False)
    yield from _lease_spec_errors(mapping(lease.get("spec")))


@collected
def priority_class_created(class_: JsonObject) -> Iterator[FieldError]:
    yield from meta(class_, namespaced=False)
    name, value = name_of(class_), number(class_.get("value"))
    if name.startswith("system-"):
        if fault := _system_fault(name, value, default=class_.get("globalDefault") is True):
            detail = f"priority class names with 'system-' prefix are reserved for system use only. error: {fault}"
            yield forbidden("metadata.name", detail)
    elif value > _LARGEST_PRIORITY:
        yield forbidden("value", f"maximum allowed value of a user defined priority is {_LARGEST_PRIORITY}")
    policy = class_.get("preemptionPolicy")
    if policy == "":
        yield required("preemptionPolicy")
    elif policy not in (None, "PreemptLowerPriority", "Never"):
        yield not_supported("preemptionPolicy", Word(text(policy)), ("PreemptLowerPriority", "Never"))


def _system_fault(name: str, value: int, *, default: bool) -> str:
    wanted = _SYSTEM.get(name)
    if wanted is None:
        return f"{name} is not a known system priority class"
    if value != wanted:
        return f"value of {name} PriorityClass must be {wanted}"
    return f"globalDefault of {name} PriorityClass must be false" if default else ""


@collected
def priority_class_updated(class_: JsonObject, old: JsonObject) -> Iterator[FieldError]:
    yield from meta_update(class_, old)
    if number(class_.get("value")) != number(old.get("value")):
        yield forbidden("value", "may not be changed in an update.")
    yield from immutable("preemptionPolicy", class_.get("preemptionPolicy"), old.get("preemptionPolicy"))


def _attribute_errors(spec: JsonObject) -> Iterator[FieldError]:
    resource, other = spec.get("resourceAttributes"), spec.get("nonResourceAttributes")
    if resource is not None and other is not None:
        shown = go_form(other, "NonResourceAttributes")
        yield invalid("spec.nonResourceAttributes", shown, "cannot be specified in combination with resourceAttributes")
    if resource is None and other is None:
        detail = "exactly one of nonResourceAttributes or resourceAttributes must be specified"
        yield invalid("spec.resourceAttributes", None, detail)


def _requirement_errors(spec: JsonObject) -> Iterator[FieldError]:
    attributes = mapping(spec.get("resourceAttributes"))
    for name in ("fieldSelector", "labelSelector"):
        if not isinstance(selector := attributes.get(name), dict):
            continue
        field, raw = f"spec.resourceAttributes.{name}", text(selector.get("rawSelector"))
        requirements = mappings(selector.get("requirements"))
        if raw and requirements:
            yield invalid(f"{field}.rawSelector", raw, "may not specified at the same time as requirements")
        if not raw and not requirements:
            detail = f"when {field} is specified, requirements or rawSelector is required"
            yield required(f"{field}.requirements", detail)
        for index, requirement in enumerate(requirements):
            at = f"{field}.requirements[{index}]"
            if name == "fieldSelector":
                yield from field_requirement_errors(requirement, at)
            else:
                yield from label_requirement_errors(requirement, at, any_operator=True)


def _anybody_errors(spec: JsonObject) -> Iterator[FieldError]:
    if not spec.get("user") and not spec.get("groups"):
        yield invalid("spec.user", "", "at least one of user or group must be specified")


def _nameless_errors(review: JsonObject, *, namespaced: bool) -> Iterator[FieldError]:
    free = ("managedFields", "namespace") if namespaced else ("managedFields",)
    if any(value for name, value in metadata_of(review).items() if name not in free):
        detail = "must be empty except for namespace" if namespaced else "must be empty"
        yield invalid("metadata", go_form(metadata_of(review), "@ObjectMeta"), detail)


@collected
def access_review_created(review: JsonObject) -> Iterator[FieldError]:
    spec = mapping(review.get("spec"))
    yield from _attribute_errors(spec)
    yield from _anybody_errors(spec)
    yield from _requirement_errors(spec)
    yield from _nameless_errors(review, namespaced=False)


@collected
def self_access_review_created(review: JsonObject) -> Iterator[FieldError]:
    spec = mapping(review.get("spec"))
    yield from _attribute_errors(spec)
    yield from _requirement_errors(spec)
    yield from _nameless_errors(review, namespaced=False)


@collected
def local_access_review_created(review: JsonObject) -> Iterator[FieldError]:
    spec = mapping(review.get("spec"))
    yield from _attribute_errors(spec)
    yield from _anybody_errors(spec)
    yield from _requirement_errors(spec)
    yield from _nameless_errors(review, namespaced=True)
    resource, other = spec.get("resourceAttributes"), spec.get("nonResourceAttributes")
    asked = text(mapping(resource).get("namespace"))
    if resource is not None and asked != namespace_of(review):
        yield invalid("spec.resourceAttributes.namespace", asked, "must match metadata.namespace")
    if other is not None:
        shown = go_form(other, "NonResourceAttributes")
        yield invalid("spec.nonResourceAttributes", shown, "disallowed on this kind of request")


@collected
def token_request_created(request: JsonObject) -> Iterator[FieldError]:
    expiration_s = number(mapping(request.get("spec")).get("expirationSeconds"))
    yield from expiration_errors("spec.expirationSeconds", expiration_s)


CREATE: Final = {
    "Lease": lease_created,
    "LocalSubjectAccessReview": local_access_review_created,
    "PriorityClass": priority_class_created,
    "SelfSubjectAccessReview": self_access_review_created,
    "SubjectAccessReview": access_review_created,
    "TokenRequest": token_request_created,
}
UPDATE: Final = {
    "Lease": lease_updated,
    "PriorityClass": priority_class_updated,
}
STATUS_UPDATE: Final[dict[str, object]] = {}
