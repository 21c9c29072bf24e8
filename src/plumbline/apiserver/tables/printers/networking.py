"""Services and what is in front of and behind them."""

from collections.abc import Iterator
from typing import Final

from plumbline.apiserver.tables.ages import UNKNOWN
from plumbline.apiserver.tables.printer import BuiltinPrinter
from plumbline.apiserver.tables.reading import (
    NONE,
    UNSET,
    age,
    at,
    items,
    labels,
    mapping,
    name,
    number,
    optional,
    records,
    selector,
    shortened,
    text,
    texts,
)
from plumbline.base.json import Json, JsonObject
from plumbline.kube.names import GroupKind

_SERVICE: Final = """
    Name
    Type | @core.v1.ServiceSpec.type
    Cluster-IP | @core.v1.ServiceSpec.clusterIP
    External-IP | @core.v1.ServiceSpec.externalIPs
    Port(s) | @core.v1.ServiceSpec.ports
    Age
    Selector* | @core.v1.ServiceSpec.selector
"""
_ENDPOINTS: Final = """
    Name
    Endpoints | @core.v1.Endpoints.subsets
    Age
"""
_ENDPOINT_SLICE: Final = """
    Name
    AddressType | @discovery.v1.EndpointSlice.addressType
    Ports | @discovery.v1.EndpointSlice.ports
    Endpoints | @discovery.v1.EndpointSlice.endpoints
    Age
"""
_INGRESS: Final = """
    Name
    Class | The name of the IngressClass resource that should be used for additional configuration
    Hosts | Hosts that incoming requests are matched against before the ingress rule
    Address | Address is a list containing ingress points for the load-balancer
    Ports | Ports of TLS configurations that open
    Age
"""
_INGRESS_CLASS: Final = """
    Name
    Controller | Controller that is responsible for handling this class
    Parameters | A reference to a resource with additional parameters
    Age
"""
_NETWORK_POLICY: Final = """
    Name
    Pod-Selector | @networking.v1.NetworkPolicySpec.podSelector
    Age
"""
_SERVICE_CIDR: Final = """
    Name
    CIDRs | @networking.v1.ServiceCIDRSpec.cidrs
    Age
"""
_IP_ADDRESS: Final = """
    Name
    ParentRef | @networking.v1.IPAddressSpec.parentRef
"""
_DEFAULT_CLASS: Final = "ingressclass.kubernetes.io/is-default-class"
_SHOWN: Final = 3


def _service(obj: JsonObject, now_s: float) -> list[Json]:
    spec = at(obj, "spec")
    addresses = texts(spec, "clusterIPs") or [text(spec, "clusterIP") or NONE]
    return [
        name(obj),
        text(spec, "type"),
        addresses[0],
        _external_address(obj),
        ",".join(map(_service_port, records(spec, "ports"))) or NONE,
        age(obj, now_s),
        labels(mapping(spec, "selector")),
    ]


def _external_address(obj: JsonObject) -> str:
    kind, external = text(obj, "spec", "type"), texts(obj, "spec", "externalIPs")
    if kind == "ExternalName":
        return text(obj, "spec", "externalName")
    if kind == "LoadBalancer":
        return ",".join([*_ingress_points(obj), *external]) or "<pending>"
    return ",".join(external) or NONE if kind in {"ClusterIP", "NodePort"} else UNKNOWN


def _ingress_points(obj: JsonObject) -> list[str]:
    points = records(obj, "status", "loadBalancer", "ingress")
    return sorted({text(each, "ip") or text(each, "hostname") for each in points} - {""})


def _service_port(port: JsonObject) -> str:
    node_port = number(port, "nodePort")
    where = f"{number(port, 'port')}:{node_port}" if node_port > 0 else str(number(port, "port"))
    return f"{where}/{text(port, 'protocol')}"


def _endpoints(obj: JsonObject, now_s: float) -> list[Json]:
    subsets = records(obj, "subsets")
    shown = shortened([each for subset in subsets for each in _subset(subset)], _SHOWN) if subsets else NONE
    return [name(obj), shown, age(obj, now_s)]


def _subset(subset: JsonObject) -> Iterator[str]:
    addresses = [text(each, "ip") for each in records(subset, "addresses")]
    ports = records(subset, "ports")
    if not ports:
        yield from addresses
    for port in ports:
        for address in addresses:
            host = f"[{address}]" if ":" in address else address
            yield f"{host}:{number(port, 'port')}"


def _endpoint_slice(obj: JsonObject, now_s: float) -> list[Json]:
    addresses = [address for each in records(obj, "endpoints") for address in texts(each, "addresses")]
    return [
        name(obj),
        text(obj, "addressType"),
        shortened(list(map(_endpoint_port, records(obj, "ports"))), _SHOWN) or UNSET,
        shortened(addresses, _SHOWN) or UNSET,
        age(obj, now_s),
    ]


def _endpoint_port(port: JsonObject) -> str:
    return optional(port, "name", absent="*") if port.get("port") is None else str(number(port, "port"))


def _ingress(obj: JsonObject, now_s: float) -> list[Json]:
    return [
        name(obj),
        optional(obj, "spec", "ingressClassName", absent=NONE),
        _hosts(records(obj, "spec", "rules")),
        ",".join(_ingress_points(obj)),
        "80, 443" if items(obj, "spec", "tls") else "80",
        age(obj, now_s),
    ]


def _hosts(rules: list[JsonObject]) -> str:
    """Three hosts; what is more is counted in rules, whether they name a host or not."""
    hosts: list[str] = []
    for rule in rules:
        if len(hosts) == _SHOWN:
            return f"{','.join(hosts)} + {len(rules) - _SHOWN} more..."
        if host := text(rule, "host"):
            hosts.append(host)
    return ",".join(hosts) or "*"


def _ingress_class(obj: JsonObject, now_s: float) -> list[Json]:
    default = mapping(obj, "metadata", "annotations").get(_DEFAULT_CLASS) == "true"
    parameters = at(obj, "spec", "parameters")
    return [
        f"{name(obj)} (default)" if default else name(obj),
        text(obj, "spec", "controller"),
        _parameters(parameters) if isinstance(parameters, dict) else NONE,
        age(obj, now_s),
    ]


def _parameters(found: JsonObject) -> str:
    group = found.get("apiGroup")
    kind = text(found, "kind") if group is None else f"{text(found, 'kind')}.{text(found, 'apiGroup')}"
    return f"{kind}/{text(found, 'name')}"


def _network_policy(obj: JsonObject, now_s: float) -> list[Json]:
    return [name(obj), selector(mapping(obj, "spec", "podSelector")), age(obj, now_s)]


def _service_cidr(obj: JsonObject, now_s: float) -> list[Json]:
    return [name(obj), ",".join(texts(obj, "spec", "cidrs")), age(obj, now_s)]


def _ip_address(obj: JsonObject, now_s: float) -> list[Json]:
    """With an age, for which upstream forgot the column."""
    parent = at(obj, "spec", "parentRef")
    return [name(obj), _parent(parent) if isinstance(parent, dict) else NONE, age(obj, now_s)]


def _parent(found: JsonObject) -> str:
    group, namespace = text(found, "group"), text(found, "namespace")
    resource = f"{text(found, 'resource')}.{group}" if group else text(found, "resource")
    place = f"{resource.lower()}/{namespace}" if namespace else resource.lower()
    return f"{place}/{text(found, 'name')}"


PRINTERS: Final = {
    GroupKind("", "Endpoints"): BuiltinPrinter(_ENDPOINTS, _endpoints),
    GroupKind("", "Service"): BuiltinPrinter(_SERVICE, _service),
    GroupKind("discovery.k8s.io", "EndpointSlice"): BuiltinPrinter(_ENDPOINT_SLICE, _endpoint_slice),
    GroupKind("networking.k8s.io", "IPAddress"): BuiltinPrinter(_IP_ADDRESS, _ip_address),
    GroupKind("networking.k8s.io", "Ingress"): BuiltinPrinter(_INGRESS, _ingress),
    GroupKind("networking.k8s.io", "IngressClass"): BuiltinPrinter(_INGRESS_CLASS, _ingress_class),
    GroupKind("networking.k8s.io", "NetworkPolicy"): BuiltinPrinter(_NETWORK_POLICY, _network_policy),
    GroupKind("networking.k8s.io", "ServiceCIDR"): BuiltinPrinter(_SERVICE_CIDR, _service_cidr),
}
