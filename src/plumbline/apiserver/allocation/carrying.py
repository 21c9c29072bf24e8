"""What an update of a Service leaves unsaid is as it was, where the cluster once allocated it."""

from plumbline.apiserver.strategies.parts import with_field
from plumbline.apiserver.strategies.services.needs import (
    allocates_ports,
    needs_address,
    needs_health_check,
    node_ports,
)
from plumbline.apiserver.validation.shapes import mappings, number, text
from plumbline.base.json import JsonObject


def carried(spec: JsonObject, old: JsonObject) -> JsonObject:
    """*spec* with what was allocated for *old* and is still needed."""
    if needs_address(old) and needs_address(spec):
        if not spec.get("clusterIP"):
            spec = with_field(spec, "clusterIP", old.get("clusterIP"))
        if not spec.get("clusterIPs") and old.get("clusterIPs"):
            spec = {**spec, "clusterIPs": old["clusterIPs"]}
    if allocates_ports(old) and allocates_ports(spec):
        spec = _with_node_ports(spec, old)
    if needs_health_check(old) and needs_health_check(spec) and not number(spec.get("healthCheckNodePort")):
        spec = with_field(spec, "healthCheckNodePort", old.get("healthCheckNodePort"))
    return _consistent(spec, old)


def _with_node_ports(spec: JsonObject, old: JsonObject) -> JsonObject:
    """Ports are told apart by their names here; who took another's port keeps it."""
    taken = set(node_ports(spec)) & set(node_ports(old))
    known = {text(port.get("name")): number(port.get("nodePort")) for port in mappings(old.get("ports"))}
    ports = []
    for port in mappings(spec.get("ports")):
        before = known.get(text(port.get("name")), 0)
        fits = not number(port.get("nodePort")) and before and before not in taken
        ports.append({**port, "nodePort": before} if fits else port)
    return {**spec, "ports": ports} if ports else spec


def normalized(spec: JsonObject) -> JsonObject:
    """The one address of a new Service, in the list of its addresses too."""
    if spec.get("clusterIP") and not spec.get("clusterIPs"):
        return {**spec, "clusterIPs": [spec["clusterIP"]]}
    return spec


def _consistent(spec: JsonObject, old: JsonObject) -> JsonObject:
    """Clients who know only one of the two fields for addresses change that one; the other follows."""
    address, before = text(spec.get("clusterIP")), text(old.get("clusterIP"))
    listed, known = spec.get("clusterIPs") or [], old.get("clusterIPs") or []
    if known and not listed and address == before:
        return {**spec, "clusterIPs": known}
    if address == before or listed != known:
        return spec
    return {**spec, "clusterIPs": [address]} if address else with_field(spec, "clusterIPs", None)
