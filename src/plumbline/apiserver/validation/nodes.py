"""Nodes: taints, pod ranges, what may be assigned once."""

import re
from collections.abc import Iterator
from typing import Final

from plumbline.apiserver.fielderrors import FieldError, duplicate, forbidden, internal, invalid, not_supported, required
from plumbline.apiserver.validation.addresses import cidr_errors, parse_cidr
from plumbline.apiserver.validation.checks import collected, meta, meta_update
from plumbline.apiserver.validation.goform import go_form
from plumbline.apiserver.validation.metadata import faulty
from plumbline.apiserver.validation.names import (
    SUBDOMAIN_BYTES,
    byte_count,
    label_value,
    qualified_name,
)
from plumbline.apiserver.validation.resourcenames import quantity_errors
from plumbline.apiserver.validation.shapes import integer, mapping, mappings, text, texts
from plumbline.base.json import JsonObject
from plumbline.kube.gotext import quoted

TAINT_EFFECTS: Final = ("NoSchedule", "PreferNoSchedule", "NoExecute")
_once: Final = 'node updates may not change {} except from "" to valid'
_feature: Final = re.compile(r"[A-Z][a-zA-Z0-9]*(/[a-zA-Z][a-zA-Z0-9]*)*").fullmatch
_TWO: Final = 2


def taint_effect_errors(field: str, effect: str) -> Iterator[FieldError]:
    if not effect:
        yield required(field)
    elif effect not in TAINT_EFFECTS:
        yield not_supported(field, effect, TAINT_EFFECTS)


def _taint_errors(taints: list[JsonObject], field: str) -> Iterator[FieldError]:
    seen: set[tuple[str, str]] = set()
    for index, taint in enumerate(taints):
        at, key, effect = f"{field}[{index}]", text(taint.get("key")), text(taint.get("effect"))
        yield from faulty(f"{at}.key", key, qualified_name(key))
        value = text(taint.get("value"))
        if faults := label_value(value):
            yield invalid(f"{at}.value", value, ";".join(faults))
        yield from taint_effect_errors(f"{at}.effect", effect)
        if (effect, key) in seen:
            yield duplicate(at, go_form(taint, "Taint"), "taints must be unique by key and effect pair")
        seen.add((effect, key))


def _resource_errors(status: JsonObject) -> Iterator[FieldError]:
    for field in ("capacity", "allocatable"):
        for name, amount in mapping(status.get(field)).items():
            yield from quantity_errors(f"status.{field}.{name}", name, amount)


def _declared_feature_errors(features: list[str]) -> Iterator[FieldError]:
    for index, feature in enumerate(features):
        if fault := _feature_fault(feature):
            yield invalid(
                f"status.declaredFeatures[{index}]", feature, f"invalid feature name {quoted(feature)}: {fault}"
            )
        if index + 1 < len(features):
            following, at = features[index + 1], f"status.declaredFeatures[{index + 1}]"
            if feature == following:
                yield duplicate(at, following)
            elif feature.encode(errors="surrogatepass") > following.encode(errors="surrogatepass"):
                yield invalid(at, following, "list must be sorted alphabetically")


def _feature_fault(feature: str) -> str:
    if byte_count(feature) > SUBDOMAIN_BYTES:
        return f"must be no more than {SUBDOMAIN_BYTES} characters"
    if _feature(feature):
        return ""
    return (
        "must start with an UpperCamelCase segment, with subsequent segments separated by '/'"
        " (e.g., MyFeature or MyFeature/mySubFeature), and contain only alphanumeric characters and slashes"
    )


def _pod_range_errors(spec: JsonObject) -> Iterator[FieldError]:
    ranges = texts(spec.get("podCIDRs"))
    for index, value in enumerate(ranges):
        yield from cidr_errors(f"spec.podCIDRs[{index}]", value)
    if len(ranges) < _TWO:
        return
    read = [parse_cidr(value) for value in ranges]
    if None in read:
        place = read.index(None)
        fault = (
            "invalid PodCIDRs. failed to check with dual stack with error:"
            f"invalid CIDR[{place}]: <nil> (invalid CIDR address: {ranges[place]})"
        )
        yield internal("spec.podCIDRs", fault)
    families = {each.is_ipv4 for each in read if each}
    if None in read or len(families) < _TWO or len(ranges) > _TWO:
        yield invalid("spec.podCIDRs", ranges, "may specify no more than one CIDR for each IP family")


@collected
def node_created(node: JsonObject) -> Iterator[FieldError]:
    spec, status = mapping(node.get("spec")), mapping(node.get("status"))
    yield from meta(node, namespaced=False)
    yield from _taint_errors(mappings(spec.get("taints")), "metadata.taints")
    yield from _resource_errors(status)
    swap = integer(mapping(mapping(status.get("nodeInfo")).get("swap")).get("capacity"))
    if swap is not None and swap <= 0:
        yield invalid("metadata.nodeSwapStatus.capacity", swap, "must be greater than zero")
    yield from _declared_feature_errors(texts(status.get("declaredFeatures")))
    yield from _pod_range_errors(spec)


@collected
def node_updated(node: JsonObject, old: JsonObject) -> Iterator[FieldError]:
    yield from node_created(node)
    yield from node_status_updated(node, old)


@collected
def node_status_updated(node: JsonObject, old: JsonObject) -> Iterator[FieldError]:
    spec, status = mapping(node.get("spec")), mapping(node.get("status"))
    yield from meta_update(node, old)
    yield from _resource_errors(status)
    yield from _declared_feature_errors(texts(status.get("declaredFeatures")))
    yield from _address_errors(mappings(status.get("addresses")))
    yield from _assigned_once_errors(spec, mapping(old.get("spec")))
    yield from _taint_errors(mappings(spec.get("taints")), "metadata.taints")
    if text(spec.get("externalID")) != text(mapping(old.get("spec")).get("externalID")):
        yield forbidden("spec.externalID", "may not be updated")


def _address_errors(addresses: list[JsonObject]) -> Iterator[FieldError]:
    seen: set[tuple[str, str]] = set()
    for index, address in enumerate(addresses):
        key = (text(address.get("type")), text(address.get("address")))
        if key in seen:
            yield duplicate(f"status.addresses[{index}]", go_form(address, "NodeAddress"))
        seen.add(key)


def _assigned_once_errors(spec: JsonObject, old_spec: JsonObject) -> Iterator[FieldError]:
    ranges, former = texts(spec.get("podCIDRs")), texts(old_spec.get("podCIDRs"))
    if former and len(former) != len(ranges):
        yield forbidden("spec.podCIDRs", _once.format("podCIDR"))
    elif former:
        for now, before in zip(ranges, former, strict=True):
            if now != before:
                yield forbidden("spec.podCIDRs", _once.format("podCIDR"))
    provider = text(old_spec.get("providerID"))
    if provider and provider != text(spec.get("providerID")):
        yield forbidden("spec.providerID", _once.format("providerID"))


CREATE: Final = {"Node": node_created}
UPDATE: Final = {"Node": node_updated}
STATUS_UPDATE: Final = {"Node": node_status_updated}
