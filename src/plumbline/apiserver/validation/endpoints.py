"""Endpoints and EndpointSlices: where a Service leads to."""

from collections.abc import Iterator
from typing import Final

from plumbline.apiserver.fielderrors import FieldError, duplicate, internal, invalid, required, too_many
from plumbline.apiserver.validation.addresses import canonical_ip_errors, endpoint_ip_errors, ip_errors, parse_ip
from plumbline.apiserver.validation.checks import (
    choice_errors,
    collected,
    immutable,
    label_errors,
    meta,
    meta_update,
    qualified_domain_errors,
    qualified_errors,
    subdomain_errors,
)
from plumbline.apiserver.validation.metadata import faulty
from plumbline.apiserver.validation.metadata import label_errors as label_map_errors
from plumbline.apiserver.validation.names import dns_subdomain, label_value, port_number
from plumbline.apiserver.validation.services import PROTOCOLS, protocol_errors
from plumbline.apiserver.validation.shapes import mapping, mappings, number, sequence, text, texts
from plumbline.base.json import JsonObject
from plumbline.kube.equality import identical

_ADDRESS_TYPES: Final = ("FQDN", "IPv4", "IPv6")
_MOST_ENDPOINTS: Final = 1000
_MOST_ADDRESSES: Final = 100
_MOST_PORTS: Final = 20000
_MOST_LABELS: Final = 16
_MOST_HINTS: Final = 8
_ZONE: Final = "topology.kubernetes.io/zone"


def _subset_errors(endpoints: JsonObject) -> Iterator[FieldError]:
    for index, subset in enumerate(mappings(endpoints.get("subsets"))):
        at = f"subsets[{index}]"
        if not subset.get("addresses") and not subset.get("notReadyAddresses"):
            yield required(at, "must specify `addresses` or `notReadyAddresses`")
        for name in ("addresses", "notReadyAddresses"):
            for position, address in enumerate(mappings(subset.get(name))):
                yield from _address_errors(address, f"{at}.{name}[{position}]")
        ports = mappings(subset.get("ports"))
        for position, port in enumerate(ports):
            yield from _port_errors(port, f"{at}.ports[{position}]", named=len(ports) > 1)


def _address_errors(address: JsonObject, field: str) -> Iterator[FieldError]:
    ip = text(address.get("ip"))
    yield from ip_errors(f"{field}.ip", ip)
    if hostname := text(address.get("hostname")):
        yield from label_errors(f"{field}.hostname", hostname)
    if isinstance(node := address.get("nodeName"), str):
        yield from subdomain_errors(f"{field}.nodeName", node)
    yield from endpoint_ip_errors(f"{field}.ip", ip)


def _port_errors(port: JsonObject, field: str, *, named: bool) -> Iterator[FieldError]:
    if name := text(port.get("name")):
        yield from label_errors(f"{field}.name", name)
    elif named:
        yield required(f"{field}.name")
    listening = number(port.get("port"))
    yield from faulty(f"{field}.port", listening, port_number(listening))
    yield from protocol_errors(f"{field}.protocol", port.get("protocol"))
    if isinstance(application := port.get("appProtocol"), str):
        yield from qualified_errors(f"{field}.appProtocol", application)


@collected
def endpoints_created(endpoints: JsonObject) -> Iterator[FieldError]:
    yield from meta(endpoints, namespaced=True)
    yield from _subset_errors(endpoints)


@collected
def endpoints_updated(endpoints: JsonObject, old: JsonObject) -> Iterator[FieldError]:
    yield from meta_update(endpoints, old)
    yield from meta(endpoints, namespaced=True)
    # What older servers let in stays as it is while nobody touches it.
    if not identical(sequence(endpoints.get("subsets")), sequence(old.get("subsets"))):
        yield from _subset_errors(endpoints)


def _slice_errors(slice_: JsonObject, old: JsonObject | None) -> Iterator[FieldError]:
    yield from meta(slice_, namespaced=True)
    if type_ := text(slice_.get("addressType")):
        yield from choice_errors("addressType", type_, _ADDRESS_TYPES)
    else:
        yield required("addressType")
    yield from _slice_port_errors(mappings(slice_.get("ports")))
    endpoints = sequence(slice_.get("endpoints"))
    if old is None or not identical(endpoints, sequence(old.get("endpoints"))):
        yield from _endpoint_errors(mappings(endpoints), type_)


def _slice_port_errors(ports: list[JsonObject]) -> Iterator[FieldError]:
    if len(ports) > _MOST_PORTS:
        yield too_many("ports", len(ports), _MOST_PORTS)
        return
    names: set[str] = set()
    for index, port in enumerate(ports):
        at, name = f"ports[{index}]", text(port.get("name"))
        if name:
            yield from label_errors(f"{at}.name", name)
        if name in names:
            yield duplicate(f"{at}.name", name)
        names.add(name)
        protocol = port.get("protocol")
        if protocol is None:
            yield required(f"{at}.protocol")
        yield from choice_errors(f"{at}.protocol", protocol, PROTOCOLS)
        if isinstance(application := port.get("appProtocol"), str):
            yield from qualified_errors(f"{at}.appProtocol", application)


def _endpoint_errors(endpoints: list[JsonObject], type_: str) -> Iterator[FieldError]:
    if len(endpoints) > _MOST_ENDPOINTS:
        yield too_many("endpoints", len(endpoints), _MOST_ENDPOINTS)
        return
    for index, endpoint in enumerate(endpoints):
        at, addresses = f"endpoints[{index}]", texts(endpoint.get("addresses"))
        if not addresses:
            yield required(f"{at}.addresses", "must contain at least 1 address")
        elif len(addresses) > _MOST_ADDRESSES:
            yield too_many(f"{at}.addresses", len(addresses), _MOST_ADDRESSES)
        for position, address in enumerate(addresses):
            yield from _slice_address_errors(address, type_, f"{at}.addresses", position)
        if isinstance(node := endpoint.get("nodeName"), str):
            yield from subdomain_errors(f"{at}.nodeName", node)
        yield from _topology_errors(mapping(endpoint.get("deprecatedTopology")), f"{at}.deprecatedTopology")
        if isinstance(hostname := endpoint.get("hostname"), str):
            yield from label_errors(f"{at}.hostname", hostname)
        yield from _hint_errors(mapping(endpoint.get("hints")), f"{at}.hints")


def _slice_address_errors(address: str, type_: str, field: str, position: int) -> Iterator[FieldError]:
    at = f"{field}[{position}]"
    if type_ == "FQDN":
        yield from qualified_domain_errors(at, address, segments=2)
        return
    if type_ not in {"IPv4", "IPv6"}:
        return
    if errors := list((ip_errors if type_ == "IPv4" else canonical_ip_errors)(at, address)):
        yield from errors
        return
    found = parse_ip(address)
    if found and found.is_ipv4 != (type_ == "IPv4"):
        yield invalid(field, address, f"must be an {type_} address")
    yield from endpoint_ip_errors(at, address)


def _topology_errors(topology: JsonObject, field: str) -> Iterator[FieldError]:
    if not topology:
        return
    if len(topology) > _MOST_LABELS:
        yield too_many(field, len(topology), _MOST_LABELS)
    yield from label_map_errors(topology, field)
    if _ZONE in topology:
        yield internal(f"{field}[{_ZONE}]", "reserved key was not removed in conversion")


def _hint_errors(hints: JsonObject, field: str) -> Iterator[FieldError]:
    for name, faults in (("forZones", label_value), ("forNodes", dns_subdomain)):
        wanted = mappings(hints.get(name))
        if len(wanted) > _MOST_HINTS:
            yield too_many(f"{field}.{name}", len(wanted), _MOST_HINTS)
            return
        seen: set[str] = set()
        for index, hint in enumerate(wanted):
            at, value = f"{field}.{name}[{index}].name", text(hint.get("name"))
            if value in seen:
                yield duplicate(at, value)
            seen.add(value)
            yield from faulty(at, value, faults(value))


@collected
def slice_created(slice_: JsonObject) -> Iterator[FieldError]:
    yield from _slice_errors(slice_, None)


@collected
def slice_updated(slice_: JsonObject, old: JsonObject) -> Iterator[FieldError]:
    yield from _slice_errors(slice_, old)
    yield from immutable("addressType", text(slice_.get("addressType")), text(old.get("addressType")))


CREATE: Final = {"Endpoints": endpoints_created, "EndpointSlice": slice_created}
UPDATE: Final = {"Endpoints": endpoints_updated, "EndpointSlice": slice_updated}
STATUS_UPDATE: Final[dict[str, object]] = {}
