"""How a Service is made ready to be stored: what its type does not have goes when the type changes."""

from typing import Final

from plumbline.apiserver.strategies.parts import fresh_status, keep_status, only_status, with_field, zero_status
from plumbline.apiserver.strategies.services.needs import (
    exposes_ports,
    externally_accessible,
    needs_address,
    needs_health_check,
    node_ports,
)
from plumbline.apiserver.strategies.strategy import Strategy
from plumbline.apiserver.strategies.warnings.services import ingress_status_warnings, service_warnings
from plumbline.apiserver.strategies.writing import Writing
from plumbline.apiserver.validation.shapes import mapping, mappings, text
from plumbline.base.json import JsonObject
from plumbline.kube.names import GroupVersionKind

_KIND: Final = GroupVersionKind("", "v1", "Service")


def _prepare_update(new: JsonObject, old: JsonObject, writing: Writing) -> JsonObject:
    spec, before = mapping(new.get("spec")), mapping(old.get("spec"))
    spec = _of_its_type(spec, before)
    service = {**keep_status(new, old, writing), "spec": spec}
    if text(spec.get("type")) == "LoadBalancer":
        return service
    status = mapping(service.get("status"))
    return {**service, "status": {**status, "loadBalancer": zero_status(_KIND).get("loadBalancer")}}


def _of_its_type(spec: JsonObject, old: JsonObject) -> JsonObject:
    """*spec* without what only its *old* type had, where that was merely left in place."""
    if needs_address(old) and not needs_address(spec):
        spec = with_field(_without_addresses(spec, old), "internalTrafficPolicy", None)
    if exposes_ports(old) and not exposes_ports(spec) and set(node_ports(spec)) <= set(node_ports(old)):
        spec = _without_node_ports(spec)
    if needs_health_check(old) and not needs_health_check(spec):
        spec = _unless_changed(spec, old, "healthCheckNodePort")
    if text(old.get("type")) == "LoadBalancer" and text(spec.get("type")) != "LoadBalancer":
        for field in ("allocateLoadBalancerNodePorts", "loadBalancerClass"):
            spec = _unless_changed(spec, old, field)
    if externally_accessible(old) and not externally_accessible(spec):
        spec = _unless_changed(spec, old, "externalTrafficPolicy")
    return spec


def _without_addresses(spec: JsonObject, old: JsonObject) -> JsonObject:
    if all(spec.get(field) == old.get(field) for field in ("clusterIP", "clusterIPs")):
        spec = with_field(with_field(spec, "clusterIP", None), "clusterIPs", None)
    for field in ("ipFamilies", "ipFamilyPolicy"):
        spec = _unless_changed(spec, old, field)
    return spec


def _without_node_ports(spec: JsonObject) -> JsonObject:
    if not node_ports(spec):
        return spec
    return {**spec, "ports": [with_field(port, "nodePort", None) for port in mappings(spec.get("ports"))]}


def _unless_changed(spec: JsonObject, old: JsonObject, field: str) -> JsonObject:
    return with_field(spec, field, None) if spec.get(field) == old.get(field) else spec


SERVICE: Final = Strategy(
    create_on_update=True,
    answers_deleted=True,
    prepare_create=fresh_status(_KIND),
    prepare_update=_prepare_update,
    prepare_subresource={"status": only_status()},
    create_warnings=service_warnings,
    update_warnings=lambda new, _: service_warnings(new),
    subresource_warnings={"status": ingress_status_warnings},
)
