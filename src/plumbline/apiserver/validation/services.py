"""Services: ports, the fields each type of service may have, load balancers and traffic. Addresses are next door."""

from collections.abc import Iterator
from typing import Final

from plumbline.apiserver.fielderrors import FieldError, duplicate, forbidden, invalid, required
from plumbline.apiserver.validation.addresses import cidr_errors, endpoint_ip_errors, ip_errors, parse_ip
from plumbline.apiserver.validation.checks import (
    annotation,
    choice_errors,
    collected,
    label_errors,
    meta,
    meta_update,
    port_or_name_errors,
    qualified_errors,
    subdomain_errors,
)
from plumbline.apiserver.validation.metadata import faulty
from plumbline.apiserver.validation.metadata import label_errors as label_map_errors
from plumbline.apiserver.validation.names import label_name, port_number
from plumbline.apiserver.validation.serviceips import (
    cluster_ip_errors,
    cluster_ip_update_errors,
    headless,
    ip_family_update_errors,
    type_of,
)
from plumbline.apiserver.validation.shapes import integer, mapping, mappings, number, text, texts
from plumbline.base.json import Json, JsonObject

PROTOCOLS: Final = ("SCTP", "TCP", "UDP")
_TYPES: Final = ("ClusterIP", "ExternalName", "LoadBalancer", "NodePort")
_TRAFFIC_POLICIES: Final = ("Cluster", "Local")
_DISTRIBUTIONS: Final = ("PreferClose", "PreferSameZone", "PreferSameNode")
_LONGEST_AFFINITY_S: Final = 86400
_BALANCED_ONLY: Final = "may only be used when `type` is 'LoadBalancer'"
_HINTS: Final = "service.kubernetes.io/topology-aware-hints"
_MODE: Final = "service.kubernetes.io/topology-mode"
_SOURCE_RANGES: Final = "service.beta.kubernetes.io/load-balancer-source-ranges"


def _service_errors(service: JsonObject, old: JsonObject | None) -> Iterator[FieldError]:
    spec = mapping(service.get("spec"))
    old_spec = mapping(old.get("spec")) if old else {}
    ports = mappings(spec.get("ports"))
    yield from _topology_annotation_errors(service)
    if not ports and not headless(spec) and type_of(spec) != "ExternalName":
        yield required("spec.ports")
    yield from _type_field_errors(spec)
    yield from _port_errors(ports)
    if selector := spec.get("selector"):
        yield from label_map_errors(selector, "spec.selector")
    yield from _affinity_errors(spec)
    yield from cluster_ip_errors(spec, old_spec)
    yield from _external_ip_errors(spec, old_spec)
    if type_ := type_of(spec):
        yield from choice_errors("spec.type", type_, _TYPES)
    else:
        yield required("spec.type")
    yield from _port_number_errors(spec, ports)
    yield from _source_range_errors(service, old)
    yield from _load_balancer_errors(spec)
    yield from _traffic_errors(spec)


def _topology_annotation_errors(service: JsonObject) -> Iterator[FieldError]:
    hints, mode = annotation(service, _HINTS), annotation(service, _MODE)
    if hints is not None and mode is not None and hints != mode:
        detail = f"must match annotations[{_HINTS}] when both are specified"
        yield invalid(f"metadata.annotations[{_MODE}]", mode, detail)


def _type_field_errors(spec: JsonObject) -> Iterator[FieldError]:
    type_ = type_of(spec)
    if type_ in {"LoadBalancer", "NodePort"} and headless(spec):
        yield invalid("spec.clusterIPs[0]", "None", f"may not be set to 'None' for {type_} services")
    if type_ != "ExternalName":
        return
    for name in ("clusterIPs", "ipFamilies", "ipFamilyPolicy"):
        if spec.get(name):
            yield forbidden(f"spec.{name}", "may not be set for ExternalName services")
    if alias := text(spec.get("externalName")).removesuffix("."):
        yield from subdomain_errors("spec.externalName", alias)
    else:
        yield required("spec.externalName")


def _port_errors(ports: list[JsonObject]) -> Iterator[FieldError]:
    names: set[str] = set()
    for index, port in enumerate(ports):
        at, name = f"spec.ports[{index}]", text(port.get("name"))
        if name:
            yield from label_errors(f"{at}.name", name)
            if name in names:
                yield duplicate(f"{at}.name", name)
            names.add(name)
        elif len(ports) > 1:
            yield required(f"{at}.name")
        listening = number(port.get("port"))
        yield from faulty(f"{at}.port", listening, port_number(listening))
        yield from protocol_errors(f"{at}.protocol", port.get("protocol"))
        yield from port_or_name_errors(f"{at}.targetPort", port.get("targetPort"))
        if isinstance(application := port.get("appProtocol"), str):
            yield from qualified_errors(f"{at}.appProtocol", application)


def protocol_errors(field: str, protocol: Json) -> Iterator[FieldError]:
    if not protocol:
        yield required(field)
    else:
        yield from choice_errors(field, protocol, PROTOCOLS)


def _affinity_errors(spec: JsonObject) -> Iterator[FieldError]:
    affinity, config = text(spec.get("sessionAffinity")), spec.get("sessionAffinityConfig")
    if not affinity:
        yield required("spec.sessionAffinity")
    else:
        yield from choice_errors("spec.sessionAffinity", affinity, ("ClientIP", "None"))
    if affinity == "ClientIP":
        yield from _client_ip_errors(config)
    elif affinity == "None" and config is not None:
        yield forbidden("spec.sessionAffinityConfig", "must not be set when session affinity is None")


def _client_ip_errors(config: Json) -> Iterator[FieldError]:
    field, detail = "spec.sessionAffinityConfig", "when session affinity type is ClientIP"
    if config is None:
        yield required(field, detail)
        return
    client = mapping(config).get("clientIP")
    if client is None:
        yield required(f"{field}.clientIP", detail)
        return
    timeout_s = integer(mapping(client).get("timeoutSeconds"))
    if timeout_s is None:
        yield required(f"{field}.clientIP.timeoutSeconds", detail)
    elif not 0 < timeout_s <= _LONGEST_AFFINITY_S:
        bounds = f"must be greater than 0 and less than {_LONGEST_AFFINITY_S}"
        yield invalid(f"{field}.clientIP.timeoutSeconds", timeout_s, bounds)


def _external_ip_errors(spec: JsonObject, old_spec: JsonObject) -> Iterator[FieldError]:
    kept = texts(old_spec.get("externalIPs"))
    for index, ip in enumerate(texts(spec.get("externalIPs"))):
        field = f"spec.externalIPs[{index}]"
        yield from list(ip_errors(field, ip, kept)) or endpoint_ip_errors(field, ip)


def _port_number_errors(spec: JsonObject, ports: list[JsonObject]) -> Iterator[FieldError]:
    numbered = [(index, port) for index, port in enumerate(ports) if number(port.get("nodePort"))]
    if type_of(spec) == "ClusterIP":
        for index, _ in numbered:
            yield forbidden(f"spec.ports[{index}].nodePort", "may not be used when `type` is 'ClusterIP'")
    seen: set[Json] = set()
    for index, port in numbered:
        key = (text(port.get("protocol")), number(port.get("nodePort")))
        if key in seen:
            yield duplicate(f"spec.ports[{index}].nodePort", key[1])
        seen.add(key)
    seen.clear()
    for index, port in enumerate(ports):
        key = (text(port.get("protocol")), number(port.get("port")))
        if key in seen:
            shown = {
                "Name": "",
                "Protocol": key[0],
                "AppProtocol": None,
                "Port": key[1],
                "TargetPort": 0,
                "NodePort": 0,
            }
            yield duplicate(f"spec.ports[{index}]", shown)
        seen.add(key)


def _source_range_errors(service: JsonObject, old: JsonObject | None) -> Iterator[FieldError]:
    spec = mapping(service.get("spec"))
    balanced = type_of(spec) == "LoadBalancer"
    if ranges := texts(spec.get("loadBalancerSourceRanges")):
        field = "spec.LoadBalancerSourceRanges"
        if not balanced:
            yield forbidden(field, _BALANCED_ONLY)
        former = texts(mapping(old.get("spec")).get("loadBalancerSourceRanges")) if old else []
        kept = [each.strip() for each in former]
        for index, value in enumerate(ranges):
            yield from cidr_errors(f"{field}[{index}]", value.strip(), kept)
        return
    noted = annotation(service, _SOURCE_RANGES)
    if noted is None:
        return
    field = f"metadata.annotations[{_SOURCE_RANGES}]"
    if not balanced:
        yield forbidden(field, _BALANCED_ONLY)
    if noted.strip() and (old is None or annotation(old, _SOURCE_RANGES) != noted):
        for value in noted.strip().split(","):
            yield from cidr_errors(field, value.strip())


def _load_balancer_errors(spec: JsonObject) -> Iterator[FieldError]:
    balanced = type_of(spec) == "LoadBalancer"
    allocating = spec.get("allocateLoadBalancerNodePorts")
    if allocating is not None and not balanced:
        yield forbidden("spec.allocateLoadBalancerNodePorts", _BALANCED_ONLY)
    if allocating is None and balanced:
        yield required("allocateLoadBalancerNodePorts")
    yield from _load_balancer_class_errors(spec)


def _load_balancer_class_errors(spec: JsonObject) -> Iterator[FieldError]:
    class_ = spec.get("loadBalancerClass")
    if class_ is None:
        return
    if type_of(spec) == "LoadBalancer":
        yield from qualified_errors("spec.loadBalancerClass", text(class_))
    else:
        yield forbidden("spec.loadBalancerClass", _BALANCED_ONLY)


def _traffic_errors(spec: JsonObject) -> Iterator[FieldError]:
    policy = text(spec.get("externalTrafficPolicy"))
    if not _externally_accessible(spec):
        if policy:
            yield invalid("spec.externalTrafficPolicy", policy, "may only be set for externally-accessible services")
    elif not policy:
        yield required("spec.externalTrafficPolicy")
    else:
        yield from choice_errors("spec.externalTrafficPolicy", policy, _TRAFFIC_POLICIES)
    yield from _health_check_errors(spec)
    internal = spec.get("internalTrafficPolicy")
    if internal is None and type_of(spec) in {"ClusterIP", "LoadBalancer", "NodePort"}:
        yield required("spec.internalTrafficPolicy")
    yield from choice_errors("spec.internalTrafficPolicy", internal, _TRAFFIC_POLICIES)
    yield from choice_errors("spec.trafficDistribution", spec.get("trafficDistribution"), _DISTRIBUTIONS)


def _externally_accessible(spec: JsonObject) -> bool:
    type_ = type_of(spec)
    return type_ in {"LoadBalancer", "NodePort"} or (type_ == "ClusterIP" and bool(spec.get("externalIPs")))


def _health_checked(spec: JsonObject) -> bool:
    return type_of(spec) == "LoadBalancer" and spec.get("externalTrafficPolicy") == "Local"


def _health_check_errors(spec: JsonObject) -> Iterator[FieldError]:
    field, port = "spec.healthCheckNodePort", number(spec.get("healthCheckNodePort"))
    if not _health_checked(spec):
        if port:
            detail = "may only be set when `type` is 'LoadBalancer' and `externalTrafficPolicy` is 'Local'"
            yield invalid(field, port, detail)
    elif not port:
        yield required(field)
    else:
        yield from faulty(field, port, port_number(port))


def _class_update_errors(spec: JsonObject, old_spec: JsonObject) -> Iterator[FieldError]:
    class_ = spec.get("loadBalancerClass")
    both = type_of(spec) == type_of(old_spec) == "LoadBalancer"
    if both and class_ != old_spec.get("loadBalancerClass"):
        yield invalid("spec.loadBalancerClass", class_, "may not change once set")
    yield from _load_balancer_class_errors(spec)
    if _health_checked(spec) and _health_checked(old_spec):
        port, former = (number(each.get("healthCheckNodePort")) for each in (spec, old_spec))
        if port != former:
            yield forbidden("spec.healthCheckNodePort", "field is immutable")


def _ingress_errors(spec: JsonObject, status: JsonObject, old_status: JsonObject) -> Iterator[FieldError]:
    field = "status.loadBalancer.ingress"
    ingresses = mappings(mapping(status.get("loadBalancer")).get("ingress"))
    if ingresses and type_of(spec) != "LoadBalancer":
        yield forbidden(field, "may only be used when `spec.type` is 'LoadBalancer'")
        return
    former = mappings(mapping(old_status.get("loadBalancer")).get("ingress"))
    kept = [text(each.get("ip")) for each in former if each.get("ip")]
    for index, ingress in enumerate(ingresses):
        at, ip, mode = f"{field}[{index}]", text(ingress.get("ip")), ingress.get("ipMode")
        if ip:
            yield from ip_errors(f"{at}.ip", ip, kept)
        if ip and mode is None:
            yield required(f"{at}.ipMode", "must be specified when `ip` is set")
        elif mode is not None and not ip:
            yield forbidden(f"{at}.ipMode", "may not be specified when `ip` is not set")
        else:
            yield from choice_errors(f"{at}.ipMode", mode, ("Proxy", "VIP"))
        yield from hostname_errors(f"{at}.hostname", text(ingress.get("hostname")))


def hostname_errors(field: str, hostname: str) -> Iterator[FieldError]:
    """Complaints about the name of a load balancer, where it has one."""
    if not hostname:
        return
    yield from subdomain_errors(field, hostname)
    if parse_ip(hostname):
        yield invalid(field, hostname, "must be a DNS name, not an IP address")


@collected
def service_created(service: JsonObject) -> Iterator[FieldError]:
    yield from meta(service, namespaced=True, names=label_name)
    yield from _service_errors(service, None)


@collected
def service_updated(service: JsonObject, old: JsonObject) -> Iterator[FieldError]:
    spec, old_spec = mapping(service.get("spec")), mapping(old.get("spec"))
    yield from meta_update(service, old)
    yield from cluster_ip_update_errors(spec, old_spec)
    yield from ip_family_update_errors(spec, old_spec)
    yield from _class_update_errors(spec, old_spec)
    yield from _service_errors(service, old)


@collected
def service_status_updated(service: JsonObject, old: JsonObject) -> Iterator[FieldError]:
    yield from meta_update(service, old)
    status, old_status = mapping(service.get("status")), mapping(old.get("status"))
    yield from _ingress_errors(mapping(service.get("spec")), status, old_status)


CREATE: Final = {"Service": service_created}
UPDATE: Final = {"Service": service_updated}
STATUS_UPDATE: Final = {"Service": service_status_updated}
