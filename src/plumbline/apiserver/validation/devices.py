"""Devices: classes of them, claims to them and the slices that offer them. Expressions are compiled elsewhere."""

from collections.abc import Callable, Collection, Iterator
from typing import Final

from plumbline.apiserver.fielderrors import (
    FieldError,
    Word,
    duplicate,
    forbidden,
    invalid,
    not_supported,
    required,
    too_long,
    too_many,
)
from plumbline.apiserver.validation.checks import (
    collected,
    csi_driver_name_errors,
    immutable,
    label_errors,
    meta,
    meta_update,
    qualified_errors,
    required_name_errors,
    subdomain_errors,
)
from plumbline.apiserver.validation.goform import go_form
from plumbline.apiserver.validation.metadata import annotation_errors, faulty
from plumbline.apiserver.validation.metadata import label_errors as label_map_errors
from plumbline.apiserver.validation.names import (
    SUBDOMAIN_BYTES,
    byte_count,
    c_identifier,
    dns_subdomain,
    label_value,
)
from plumbline.apiserver.validation.resourcenames import extended
from plumbline.apiserver.validation.selectors import node_selector_errors
from plumbline.apiserver.validation.shapes import mapping, mappings, number, sequence, text, texts
from plumbline.base.json import Json, JsonObject, encode

_MOST: Final = 32
_MOST_ALTERNATIVES: Final = 8
_MOST_USERS: Final = 256
_ID_BYTES: Final = 32
_TEXT_BYTES: Final = 10 * 1024
_EFFECTS: Final = ("NoExecute", "NoSchedule", "None")
_WHERE: Final = ("nodeName", "nodeSelector", "allNodes", "perDeviceNodeSelection")
_NO_REQUEST: Final = (
    "must be the name of a request in the claim or the name of a request and a subrequest separated by '/'"
)
_TEMPLATE_NAMES: Final = (
    *("name", "generateName", "namespace", "selfLink", "uid", "resourceVersion", "generation", "creationTimestamp"),
    *("deletionTimestamp", "deletionGracePeriodSeconds", "ownerReferences", "finalizers", "managedFields"),
)


def _set_errors(
    field: str, values: list[Json], most: int, check: Callable[[Json, str], Iterator[FieldError]], key: str = "name"
) -> Iterator[FieldError]:
    """Complaints about a list that is too long, about each of its items, about those that come twice."""
    if 0 <= most < len(values):
        yield too_many(field, len(values), most)
        return
    for index, value in enumerate(values):
        yield from check(value, f"{field}[{index}]")
    seen: set[str] = set()
    for index, value in enumerate(values):
        name = text(mapping(value).get(key) if isinstance(value, dict) else value)
        if name in seen:
            yield duplicate(f"{field}[{index}]", name)
        seen.add(name)


def _list_errors(
    field: str, values: list[JsonObject], check: Callable[[JsonObject, str], Iterator[FieldError]]
) -> Iterator[FieldError]:
    if len(values) > _MOST:
        yield too_many(field, len(values), _MOST)
        return
    for index, value in enumerate(values):
        yield from check(value, f"{field}[{index}]")


def _selector_errors(selector: JsonObject, field: str) -> Iterator[FieldError]:
    cel = selector.get("cel")
    if not isinstance(cel, dict):
        yield required(f"{field}.cel")
    elif byte_count(text(cel.get("expression"))) > _TEXT_BYTES:
        yield too_long(f"{field}.cel.expression", _TEXT_BYTES)


def _configuration_errors(config: JsonObject, field: str) -> Iterator[FieldError]:
    opaque, at = config.get("opaque"), f"{field}.opaque"
    if not isinstance(opaque, dict):
        yield required(at)
        return
    yield from csi_driver_name_errors(f"{at}.driver", text(opaque.get("driver")))
    parameters = opaque.get("parameters")
    if parameters is None:
        yield required(f"{at}.parameters")
    elif len(encode(parameters)) > _TEXT_BYTES:
        yield too_long(f"{at}.parameters", _TEXT_BYTES)
    elif not isinstance(parameters, dict):
        yield invalid(f"{at}.parameters", "<value omitted>", "must be a valid JSON object")


def _class_spec_errors(spec: JsonObject) -> Iterator[FieldError]:
    yield from _list_errors("spec.selectors", mappings(spec.get("selectors")), _selector_errors)
    yield from _list_errors("spec.config", mappings(spec.get("config")), _configuration_errors)
    name = spec.get("extendedResourceName")
    if name is not None and not extended(text(name)):
        yield invalid("spec.extendedResourceName", name, "must be a valid extended resource name")


@collected
def device_class_created(class_: JsonObject) -> Iterator[FieldError]:
    yield from meta(class_, namespaced=False)
    yield from _class_spec_errors(mapping(class_.get("spec")))


@collected
def device_class_updated(class_: JsonObject, old: JsonObject) -> Iterator[FieldError]:
    yield from meta(class_, namespaced=False)
    yield from meta_update(class_, old)
    yield from _class_spec_errors(mapping(class_.get("spec")))


def _request_names(devices: JsonObject) -> set[str]:
    names: set[str] = set()
    for request in mappings(devices.get("requests")):
        name = text(request.get("name"))
        names.add(name)
        names |= {f"{name}/{text(each.get('name'))}" for each in mappings(request.get("firstAvailable"))}
    return names


def _claim_spec_errors(spec: JsonObject, field: str) -> Iterator[FieldError]:
    devices, at = mapping(spec.get("devices")), f"{field}.devices"
    names = _request_names(devices)
    yield from _set_errors(f"{at}.requests", sequence(devices.get("requests")), _MOST, _request_errors)

    def constraint(each: JsonObject, where: str) -> Iterator[FieldError]:
        return _constraint_errors(each, where, names)

    def config(each: JsonObject, where: str) -> Iterator[FieldError]:
        yield from _reference_errors(each, where, names)
        yield from _configuration_errors(each, where)

    yield from _list_errors(f"{at}.constraints", mappings(devices.get("constraints")), constraint)
    yield from _list_errors(f"{at}.config", mappings(devices.get("config")), config)


def _request_errors(request: Json, field: str) -> Iterator[FieldError]:
    held = mapping(request)
    yield from label_errors(f"{field}.name", text(held.get("name")))
    exactly, alternatives = held.get("exactly"), sequence(held.get("firstAvailable"))
    one = "exactly one of `exactly` or `firstAvailable` is required"
    if exactly is None and not alternatives:
        yield required(field, one)
    elif exactly is not None and alternatives:
        yield invalid(field, None, f"{one}, but multiple fields are set")
    elif alternatives:
        yield from _set_errors(f"{field}.firstAvailable", alternatives, _MOST_ALTERNATIVES, _alternative_errors)
    else:
        yield from _wanted_errors(mapping(exactly), f"{field}.exactly")


def _alternative_errors(request: Json, field: str) -> Iterator[FieldError]:
    yield from label_errors(f"{field}.name", text(mapping(request).get("name")))
    yield from _wanted_errors(mapping(request), field)


def _wanted_errors(request: JsonObject, field: str) -> Iterator[FieldError]:
    yield from required_name_errors(f"{field}.deviceClassName", text(request.get("deviceClassName")))
    yield from _list_errors(f"{field}.selectors", mappings(request.get("selectors")), _selector_errors)
    mode, count = text(request.get("allocationMode")), number(request.get("count"))
    if mode == "All":
        if count:
            yield invalid(f"{field}.count", count, "must not be specified when allocationMode is 'All'")
    elif mode == "ExactCount":
        if count <= 0:
            yield invalid(f"{field}.count", count, "must be greater than zero")
    else:
        yield not_supported(f"{field}.allocationMode", Word(mode), ("All", "ExactCount"))
    for index, toleration in enumerate(mappings(request.get("tolerations"))):
        yield from _toleration_errors(toleration, f"{field}.tolerations[{index}]")


def _toleration_errors(toleration: JsonObject, field: str) -> Iterator[FieldError]:
    key, operator, value, effect = (text(toleration.get(name)) for name in ("key", "operator", "value", "effect"))
    if key:
        yield from qualified_errors(f"{field}.key", key)
    if operator == "Exists":
        if value:
            yield invalid(f"{field}.value", value, "must be empty for operator `Exists`")
    elif operator == "Equal":
        yield from faulty(f"{field}.value", value, label_value(value))
    elif operator:
        yield not_supported(f"{field}.operator", Word(operator), ("Equal", "Exists"))
    else:
        yield required(f"{field}.operator")
    if effect and effect not in _EFFECTS:
        yield not_supported(f"{field}.effect", Word(effect), _EFFECTS)


def _reference_errors(held: JsonObject, field: str, names: Collection[str]) -> Iterator[FieldError]:
    def check(name: Json, at: str) -> Iterator[FieldError]:
        segments = text(name).split("/")
        if len(segments) <= 2:  # noqa: PLR2004 - a request and one of its alternatives
            for segment in segments:
                yield from label_errors(at, segment)
        if name not in names:
            yield invalid(at, name, _NO_REQUEST)

    yield from _set_errors(f"{field}.requests", list(texts(held.get("requests"))), _MOST, check)


def _constraint_errors(constraint: JsonObject, field: str, names: Collection[str]) -> Iterator[FieldError]:
    yield from _reference_errors(constraint, field, names)
    for name in ("matchAttribute", "distinctAttribute"):
        if (attribute := constraint.get(name)) is not None:
            yield from _attribute_name_errors(f"{field}.{name}", text(attribute))
            return
    detail = 'exactly one of "matchAttribute" or "distinctAttribute" is required, but multiple fields are set'
    yield required(field, detail)


def _attribute_name_errors(field: str, name: str) -> Iterator[FieldError]:
    parts = name.split("/")
    if len(parts) == 1:
        yield from _identifier_errors(field, name)
    elif len(parts) == 2:  # noqa: PLR2004 - a domain and a name
        if parts[0]:
            yield from csi_driver_name_errors(field, parts[0])
        else:
            yield invalid(field, "", "the domain must not be empty")
        if parts[1]:
            yield from _identifier_errors(field, parts[1])
        else:
            yield invalid(field, "", "the name must not be empty")
    if "/" not in name:
        detail = "a fully qualified name must be a domain and a name separated by a slash"
        yield invalid(field, Word(name), detail)


def _identifier_errors(field: str, name: str) -> Iterator[FieldError]:
    if byte_count(name) > _ID_BYTES:
        yield too_long(field, _ID_BYTES)
    yield from faulty(field, name, c_identifier(name))


@collected
def claim_created(claim: JsonObject) -> Iterator[FieldError]:
    yield from meta(claim, namespaced=True)
    yield from _claim_spec_errors(mapping(claim.get("spec")), "spec")


@collected
def claim_updated(claim: JsonObject, old: JsonObject) -> Iterator[FieldError]:
    yield from meta(claim, namespaced=True)
    yield from meta_update(claim, old)
    forms = (go_form(each.get("spec"), "ResourceClaimSpec") for each in (claim, old))
    yield from immutable("spec", *forms)


@collected
def claim_status_updated(claim: JsonObject, old: JsonObject) -> Iterator[FieldError]:
    yield from meta_update(claim, old)
    status, old_status = mapping(claim.get("status")), mapping(old.get("status"))
    users, allocation, former = status.get("reservedFor"), status.get("allocation"), old_status.get("allocation")

    def user(each: Json, at: str) -> Iterator[FieldError]:
        yield from (required(f"{at}.{name}") for name in ("resource", "name", "uid") if not mapping(each).get(name))

    yield from _set_errors("status.reservedFor", sequence(users), _MOST_USERS, user, key="uid")
    if users and allocation is None:
        yield forbidden("status.reservedFor", "may not be specified when `allocated` is not set")
    if allocation is not None and former is not None:
        forms = (go_form(each, "AllocationResult") for each in (allocation, former))
        yield from immutable("status.allocation", *forms)


@collected
def claim_template_created(template: JsonObject) -> Iterator[FieldError]:
    yield from meta(template, namespaced=True)
    spec = mapping(template.get("spec"))
    metadata = mapping(spec.get("metadata"))
    yield from annotation_errors(metadata.get("annotations"), "spec.metadata.annotations")
    yield from label_map_errors(metadata.get("labels"), "spec.metadata.labels")
    for name in _TEMPLATE_NAMES:
        if metadata.get(name):
            yield forbidden(f"spec.metadata.{'uID' if name == 'uid' else name}", "cannot be set")
    yield from _claim_spec_errors(mapping(spec.get("spec")), "spec.spec")


@collected
def claim_template_updated(template: JsonObject, old: JsonObject) -> Iterator[FieldError]:
    yield from claim_template_created(template)
    yield from meta_update(template, old)
    forms = (go_form(each.get("spec"), "ResourceClaimTemplateSpec") for each in (template, old))
    yield from immutable("spec", *forms)


def _slice_errors(slice_: JsonObject, old: JsonObject | None) -> Iterator[FieldError]:
    spec = mapping(slice_.get("spec"))
    pool = mapping(spec.get("pool"))
    yield from csi_driver_name_errors("spec.driver", text(spec.get("driver")))
    yield from _pool_errors(pool)
    if old is not None:
        former = mapping(old.get("spec"))
        before = text(mapping(former.get("pool")).get("name"))
        yield from immutable("spec.pool.name", text(pool.get("name")), before)
        yield from immutable("spec.driver", text(spec.get("driver")), text(former.get("driver")))
        yield from immutable("spec.nodeName", spec.get("nodeName"), former.get("nodeName"))
    yield from _where_errors(spec)
    if spec.get("sharedCounters") is not None and spec.get("devices") is not None:
        yield invalid("spec", "", "only one of `sharedCounters` or `devices` is allowed")

    def device(each: Json, at: str) -> Iterator[FieldError]:
        yield from label_errors(f"{at}.name", text(mapping(each).get("name")))

    yield from _set_errors("spec.devices", sequence(spec.get("devices")), -1, device)


def _pool_errors(pool: JsonObject) -> Iterator[FieldError]:
    name = text(pool.get("name"))
    if not name:
        yield required("spec.pool.name")
    else:
        if byte_count(name) > SUBDOMAIN_BYTES:
            yield too_long("spec.pool.name", SUBDOMAIN_BYTES)
        for part in name.split("/"):
            yield from faulty("spec.pool.name", part, dns_subdomain(part))
    if (count := number(pool.get("resourceSliceCount"))) <= 0:
        yield invalid("spec.pool.resourceSliceCount", count, "must be greater than zero")
    if (generation := number(pool.get("generation"))) < 0:
        yield invalid("spec.pool.generation", generation, "must be greater than or equal to zero")


def _where_errors(spec: JsonObject) -> Iterator[FieldError]:
    one = "exactly one of `nodeName`, `nodeSelector`, `allNodes`, `perDeviceNodeSelection` is required"
    given = [f"`{name}`" for name in _WHERE if spec.get(name) not in (None, "", False)]
    node, selector = spec.get("nodeName"), spec.get("nodeSelector")
    if node == "":
        yield invalid("spec.nodeName", "", "must be either unset or set to a non-empty string")
    elif node is not None:
        yield from subdomain_errors("spec.nodeName", text(node))
    if isinstance(selector, dict):
        yield from node_selector_errors(selector, "spec.nodeSelector")
        if len(terms := sequence(selector.get("nodeSelectorTerms"))) != 1:
            shown = go_form(terms or None, "[NodeSelectorTerm")
            yield invalid("spec.nodeSelector.nodeSelectorTerms", shown, "must have exactly one node selector term")
    for name in ("allNodes", "perDeviceNodeSelection"):
        if spec.get(name) is False:
            yield invalid(f"spec.{name}", value=False, detail="must be either unset or set to true")
    if not given:
        yield required("spec", one)
    elif len(given) > 1:
        yield invalid("spec", f"{{{', '.join(given)}}}", f"{one}, but multiple fields are set")


@collected
def slice_created(slice_: JsonObject) -> Iterator[FieldError]:
    yield from meta(slice_, namespaced=False)
    yield from _slice_errors(slice_, None)


@collected
def slice_updated(slice_: JsonObject, old: JsonObject) -> Iterator[FieldError]:
    yield from meta_update(slice_, old)
    yield from _slice_errors(slice_, old)


CREATE: Final = {
    "DeviceClass": device_class_created,
    "ResourceClaim": claim_created,
    "ResourceClaimTemplate": claim_template_created,
    "ResourceSlice": slice_created,
}
UPDATE: Final = {
    "DeviceClass": device_class_updated,
    "ResourceClaim": claim_updated,
    "ResourceClaimTemplate": claim_template_updated,
    "ResourceSlice": slice_updated,
}
STATUS_UPDATE: Final = {"ResourceClaim": claim_status_updated}
