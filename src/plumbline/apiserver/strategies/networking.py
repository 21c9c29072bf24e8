"""Ways into the cluster and through it."""

from collections.abc import Sequence
from typing import Final

from plumbline.apiserver.strategies.parts import (
    STATUS_METADATA,
    chain,
    chain_update,
    counting,
    fresh_status,
    generation_of,
    generation_one,
    keep_status,
    only_status,
    with_field,
    with_generation,
)
from plumbline.apiserver.strategies.strategy import Strategy
from plumbline.apiserver.strategies.warnings.services import (
    endpoints_warnings,
    ingress_status_warnings,
    network_policy_warnings,
    slice_warnings,
)
from plumbline.apiserver.strategies.writing import Writing
from plumbline.apiserver.validation.names import subdomain_name
from plumbline.apiserver.validation.shapes import mapping, mappings, text
from plumbline.base.json import JsonObject
from plumbline.kube.names import GroupVersionKind

_GROUP: Final = "networking.k8s.io"
_CLASS_ANNOTATION: Final = "kubernetes.io/ingress.class"
_HOSTNAME: Final = "kubernetes.io/hostname"


def _ingress_warnings(ingress: JsonObject) -> Sequence[str]:
    annotated = _CLASS_ANNOTATION in mapping(mapping(ingress.get("metadata")).get("annotations"))
    if not annotated or mapping(ingress.get("spec")).get("ingressClassName") is not None:
        return ()
    return [f"annotation \"{_CLASS_ANNOTATION}\" is deprecated, please use 'spec.ingressClassName' instead"]


INGRESS: Final = Strategy(
    prepare_create=chain(fresh_status(GroupVersionKind(_GROUP, "v1", "Ingress")), generation_one),
    prepare_update=chain_update(keep_status, counting("spec")),
    prepare_subresource={"status": only_status()},
    create_warnings=_ingress_warnings,
    subresource_warnings={"status": ingress_status_warnings},
)
COUNTED: Final = Strategy(prepare_create=generation_one, prepare_update=counting("spec"))
"""For kinds with a spec and a generation, and nothing else of note."""
NETWORK_POLICY: Final = Strategy(
    prepare_create=generation_one,
    prepare_update=counting("spec"),
    create_warnings=network_policy_warnings,
    update_warnings=lambda new, _: network_policy_warnings(new),
)
SERVICE_RANGE: Final = Strategy(
    prepare_create=fresh_status(GroupVersionKind(_GROUP, "v1", "ServiceCIDR")),
    prepare_update=keep_status,
    prepare_subresource={"status": only_status(*STATUS_METADATA)},
)
ENDPOINTS: Final = Strategy(
    create_on_update=True,
    deprecation="v1 Endpoints is deprecated in v1.33+; use discovery.k8s.io/v1 EndpointSlice",
    create_warnings=endpoints_warnings,
    update_warnings=lambda new, _: endpoints_warnings(new),
)


def _count_slice(new: JsonObject, old: JsonObject, _: Writing) -> JsonObject:
    """Labels count too: they say which Service it belongs to."""
    fields = (new.keys() | old.keys()) - {"metadata"}
    labels = [mapping(mapping(obj.get("metadata")).get("labels")) for obj in (new, old)]
    if labels[0] == labels[1] and all(new.get(field) == old.get(field) for field in fields):
        return new
    return with_generation(new, generation_of(old) + 1)


def _without_topology(new: JsonObject, old: JsonObject) -> JsonObject:
    """The field in which places were before they had fields of their own."""
    endpoints = mappings(new.get("endpoints"))
    if new.get("endpoints") == old.get("endpoints") or not any("deprecatedTopology" in each for each in endpoints):
        return new
    nodes = {text(mapping(each.get("deprecatedTopology")).get(_HOSTNAME)) for each in mappings(old.get("endpoints"))}
    return {**new, "endpoints": [_placed(each, nodes) for each in endpoints]}


def _placed(endpoint: JsonObject, nodes: set[str]) -> JsonObject:
    node = text(mapping(endpoint.get("deprecatedTopology")).get(_HOSTNAME))
    placed = with_field(endpoint, "deprecatedTopology", None)
    if node and node in nodes and endpoint.get("nodeName") is None and not subdomain_name(node, False):
        return {**placed, "nodeName": node}
    return placed


def _slice_warnings(endpoints: JsonObject) -> Sequence[str]:
    found = slice_warnings(endpoints)
    if endpoints.get("addressType") == "FQDN":
        found.insert(0, "spec.addressType: FQDN endpoints are deprecated")
    return found


ENDPOINT_SLICE: Final = Strategy(
    prepare_create=chain(generation_one, lambda obj, _: _without_topology(obj, {})),
    prepare_update=chain_update(_count_slice, lambda new, old, _: _without_topology(new, old)),
    create_warnings=_slice_warnings,
    update_warnings=lambda new, _: slice_warnings(new),
)
