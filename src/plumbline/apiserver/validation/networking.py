"""NetworkPolicies, IngressClasses, IPAddresses and ServiceCIDRs."""

from collections.abc import Collection, Iterator
from typing import Final

from plumbline.apiserver.fielderrors import FieldError, forbidden, invalid, not_supported, required, too_long
from plumbline.apiserver.validation.addresses import (
    canonical_cidr_errors,
    canonical_ip_errors,
    cidr_errors,
    parse_cidr,
)
from plumbline.apiserver.validation.checks import (
    choice_errors,
    collected,
    domain_path_errors,
    immutable,
    label_errors,
    meta,
    meta_update,
    required_name_errors,
    subdomain_errors,
)
from plumbline.apiserver.validation.goform import go_form
from plumbline.apiserver.validation.metadata import IMMUTABLE, faulty
from plumbline.apiserver.validation.names import byte_count, path_segment, port_name, port_number
from plumbline.apiserver.validation.selectors import bad_label_selector, label_selector_errors
from plumbline.apiserver.validation.shapes import integer, mapping, mappings, text, texts
from plumbline.base.json import JsonObject

_CONTROLLER_BYTES: Final = 250
_DIRECTIONS: Final = ("Ingress", "Egress")
_MOST: Final = 2


def _policy_spec_errors(spec: JsonObject, kept: Collection[str], *, old_values: bool) -> Iterator[FieldError]:
    yield from label_selector_errors(spec.get("podSelector"), "spec.podSelector", old_values=old_values)
    for direction, peers in (("ingress", "from"), ("egress", "to")):
        for index, rule in enumerate(mappings(spec.get(direction))):
            at = f"spec.{direction}[{index}]"
            for position, port in enumerate(mappings(rule.get("ports"))):
                yield from _policy_port_errors(port, f"{at}.ports[{position}]")
            for position, peer in enumerate(mappings(rule.get(peers))):
                yield from _peer_errors(peer, f"{at}.{peers}[{position}]", kept, old_values=old_values)
    types = texts(spec.get("policyTypes"))
    if len(types) > _MOST:
        yield invalid("spec.policyTypes", types, "may not specify more than two policyTypes")
        return
    for index, type_ in enumerate(types):
        yield from choice_errors(f"spec.policyTypes[{index}]", type_, _DIRECTIONS)


def _policy_port_errors(port: JsonObject, field: str) -> Iterator[FieldError]:
    yield from choice_errors(f"{field}.protocol", port.get("protocol"), ("TCP", "UDP", "SCTP"))
    first, last = port.get("port"), integer(port.get("endPort"))
    if isinstance(first, str):
        if last is not None:
            yield invalid(f"{field}.endPort", last, "may not be specified when `port` is non-numeric")
        yield from faulty(f"{field}.port", first, port_name(first))
        return
    start = integer(first)
    if start is not None:
        yield from faulty(f"{field}.port", start, port_number(start))
        if last is not None and last < start:
            yield invalid(f"{field}.endPort", start, "must be greater than or equal to `port`")
        if last is not None:
            yield from faulty(f"{field}.endPort", last, port_number(last))
    elif last is not None:
        yield invalid(f"{field}.endPort", last, "may not be specified when `port` is not specified")


def _peer_errors(peer: JsonObject, field: str, kept: Collection[str], *, old_values: bool) -> Iterator[FieldError]:
    found = [name for name in ("podSelector", "namespaceSelector", "ipBlock") if isinstance(peer.get(name), dict)]
    for name in found:
        if name == "ipBlock":
            yield from _block_errors(peer[name], f"{field}.{name}", kept)
        else:
            yield from label_selector_errors(peer[name], f"{field}.{name}", old_values=old_values)
    if not found:
        yield required(field, "must specify a peer")
    elif len(found) > 1 and "ipBlock" in found:
        yield forbidden(field, "may not specify both ipBlock and another peer")


def _block_errors(block: JsonObject, field: str, kept: Collection[str]) -> Iterator[FieldError]:
    cidr = text(block.get("cidr"))
    if not cidr:
        yield required(f"{field}.cidr")
        return
    yield from cidr_errors(f"{field}.cidr", cidr, kept)
    outer = parse_cidr(cidr)
    if outer is None:
        return
    for index, exception in enumerate(texts(block.get("except"))):
        at = f"{field}.except[{index}]"
        yield from cidr_errors(at, exception, kept)
        inner = parse_cidr(exception)
        if inner is None:
            continue
        inside = inner.is_ipv4 == outer.is_ipv4 and inner.network.network_address in outer.network
        if not inside or outer.network.prefixlen >= inner.network.prefixlen:
            yield invalid(at, exception, "must be a strict subset of `cidr`")


@collected
def network_policy_created(policy: JsonObject) -> Iterator[FieldError]:
    yield from meta(policy, namespaced=True)
    yield from _policy_spec_errors(mapping(policy.get("spec")), (), old_values=False)


@collected
def network_policy_updated(policy: JsonObject, old: JsonObject) -> Iterator[FieldError]:
    old_spec = mapping(old.get("spec"))
    old_values = bad_label_selector(old_spec.get("podSelector"))
    yield from meta_update(policy, old)
    yield from _policy_spec_errors(mapping(policy.get("spec")), set(_blocks(old_spec)), old_values=old_values)


def _blocks(spec: JsonObject) -> Iterator[str]:
    for direction, peers in (("ingress", "from"), ("egress", "to")):
        for rule in mappings(spec.get(direction)):
            for peer in mappings(rule.get(peers)):
                block = mapping(peer.get("ipBlock"))
                yield from (text(block.get("cidr")), *texts(block.get("except")))


def _class_spec_errors(spec: JsonObject) -> Iterator[FieldError]:
    controller = text(spec.get("controller"))
    if byte_count(controller) > _CONTROLLER_BYTES:
        yield too_long("spec.controller", _CONTROLLER_BYTES)
    yield from domain_path_errors("spec.controller", controller)
    if not isinstance(parameters := spec.get("parameters"), dict):
        return
    field = "spec.parameters"
    if isinstance(group := parameters.get("apiGroup"), str):
        yield from subdomain_errors(f"{field}.apiGroup", group)
    for name in ("kind", "name"):
        yield from required_name_errors(f"{field}.{name}", text(parameters.get(name)), path_segment)
    yield from _scope_errors(parameters, field)


def _scope_errors(parameters: JsonObject, field: str) -> Iterator[FieldError]:
    scope, namespace = parameters.get("scope"), parameters.get("namespace")
    if scope is None:
        yield required(f"{field}.scope")
    elif scope not in ("Cluster", "Namespace"):
        yield not_supported(f"{field}.scope", scope, ("Cluster", "Namespace"))
    elif scope == "Cluster" and namespace is not None:
        yield forbidden(f"{field}.namespace", "`parameters.scope` is set to 'Cluster'")
    elif scope == "Namespace" and namespace is None:
        yield required(f"{field}.namespace", "`parameters.scope` is set to 'Namespace'")
    elif scope == "Namespace":
        yield from label_errors(f"{field}.namespace", text(namespace))


@collected
def ingress_class_created(class_: JsonObject) -> Iterator[FieldError]:
    yield from meta(class_, namespaced=False)
    yield from _class_spec_errors(mapping(class_.get("spec")))


@collected
def ingress_class_updated(class_: JsonObject, old: JsonObject) -> Iterator[FieldError]:
    yield from meta_update(class_, old)
    controller, former = (text(mapping(each.get("spec")).get("controller")) for each in (class_, old))
    yield from immutable("spec.controller", controller, former)
    yield from ingress_class_created(class_)


def _ip_name(name: str, prefix: bool) -> list[str]:  # noqa: FBT001 - NameFaults
    # Names of addresses are never generated, so that a prefix is judged as a name.
    del prefix
    return [error.message.rsplit(": ", 1)[-1] for error in canonical_ip_errors("", name)]


@collected
def ip_address_created(address: JsonObject) -> Iterator[FieldError]:
    yield from meta(address, namespaced=False, names=_ip_name)
    parent, field = mapping(address.get("spec")).get("parentRef"), "spec.parentRef"
    if not isinstance(parent, dict):
        yield required(field)
        return
    if group := text(parent.get("group")):
        yield from subdomain_errors(f"{field}.group", group)
    for name in ("resource", "name"):
        yield from required_name_errors(f"{field}.{name}", text(parent.get(name)), path_segment)
    if namespace := text(parent.get("namespace")):
        yield from faulty(f"{field}.namespace", namespace, path_segment(namespace))


@collected
def ip_address_updated(address: JsonObject, old: JsonObject) -> Iterator[FieldError]:
    yield from ip_address_created(address)
    yield from meta_update(address, old)
    parent, former = (mapping(each.get("spec")).get("parentRef") for each in (address, old))
    forms = (go_form(each, "*ParentReference") for each in (parent, former))
    yield from immutable("spec.parentRef", *forms)


def _range_errors(spec: JsonObject) -> Iterator[FieldError]:
    field, ranges = "spec.cidrs", texts(spec.get("cidrs"))
    if not ranges:
        yield required(field, "at least one CIDR required")
        return
    if len(ranges) > _MOST:
        yield invalid(field, go_form(spec, "ServiceCIDRSpec"), "may only hold up to 2 values")
        return
    for index, cidr in enumerate(ranges):
        yield from canonical_cidr_errors(f"{field}[{index}]", cidr)
    read = [each for each in map(parse_cidr, ranges) if each]
    if len(read) == _MOST and read[0].is_ipv4 == read[1].is_ipv4:
        detail = "may specify no more than one IP for each IP family, i.e 192.168.0.0/24 and 2001:db8::/64"
        yield invalid(field, ranges, detail)


@collected
def service_cidr_created(cidr: JsonObject) -> Iterator[FieldError]:
    yield from meta(cidr, namespaced=False)
    yield from _range_errors(mapping(cidr.get("spec")))


@collected
def service_cidr_updated(cidr: JsonObject, old: JsonObject) -> Iterator[FieldError]:
    yield from meta_update(cidr, old)
    spec = mapping(cidr.get("spec"))
    ranges, former = texts(spec.get("cidrs")), texts(mapping(old.get("spec")).get("cidrs"))
    grown = len(former) == 1 and len(ranges) == _MOST
    if len(former) != len(ranges) and not grown:
        yield invalid("spec.cidrs", spec.get("cidrs"), IMMUTABLE)
        return
    for index, before in enumerate(former):
        if before != ranges[index]:
            yield invalid(f"spec.cidrs[{index}]", ranges[index], IMMUTABLE)
    if grown:
        yield from _range_errors(spec)


@collected
def service_cidr_status_updated(cidr: JsonObject, old: JsonObject) -> Iterator[FieldError]:
    yield from meta_update(cidr, old)


CREATE: Final = {
    "IPAddress": ip_address_created,
    "IngressClass": ingress_class_created,
    "NetworkPolicy": network_policy_created,
    "ServiceCIDR": service_cidr_created,
}
UPDATE: Final = {
    "IPAddress": ip_address_updated,
    "IngressClass": ingress_class_updated,
    "NetworkPolicy": network_policy_updated,
    "ServiceCIDR": service_cidr_updated,
}
STATUS_UPDATE: Final = {"ServiceCIDR": service_cidr_status_updated}
