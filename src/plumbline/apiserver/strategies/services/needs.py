"""What Services of each type need."""

from plumbline.apiserver.validation.shapes import mappings, number, text
from plumbline.base.json import JsonObject


def needs_address(spec: JsonObject) -> bool:
    return text(spec.get("type")) != "ExternalName"


def headless(spec: JsonObject) -> bool:
    addresses = spec.get("clusterIPs")
    return isinstance(addresses, list) and bool(addresses) and addresses[0] == "None"


def exposes_ports(spec: JsonObject) -> bool:
    """Of a type whose ports may be open on every node."""
    return text(spec.get("type")) in {"NodePort", "LoadBalancer"}


def allocates_ports(spec: JsonObject) -> bool:
    """Wants ports on nodes for those of its ports that name none."""
    kind = text(spec.get("type"))
    return kind == "NodePort" or (kind == "LoadBalancer" and spec.get("allocateLoadBalancerNodePorts") is not False)


def needs_health_check(spec: JsonObject) -> bool:
    return text(spec.get("type")) == "LoadBalancer" and spec.get("externalTrafficPolicy") == "Local"


def externally_accessible(spec: JsonObject) -> bool:
    addressed = text(spec.get("type")) == "ClusterIP" and bool(spec.get("externalIPs"))
    return exposes_ports(spec) or addressed


def node_ports(spec: JsonObject) -> list[int]:
    return [port for each in mappings(spec.get("ports")) if (port := number(each.get("nodePort")))]


def held_ports(spec: JsonObject) -> set[int]:
    """Every port on nodes that a stored Service has for itself."""
    ports = set(node_ports(spec))
    if needs_health_check(spec) and number(spec.get("healthCheckNodePort")):
        ports.add(number(spec.get("healthCheckNodePort")))
    return ports
