"""Addresses and ranges that are read, but not written as they should be."""

from collections.abc import Iterator

from plumbline.apiserver.validation.addresses import parse_cidr, parse_ip
from plumbline.apiserver.validation.shapes import mappings, text
from plumbline.base.json import Json
from plumbline.kube.gotext import quoted


def ip_warnings(field: str, value: Json) -> Iterator[str]:
    """What is no address at all is not complained of here: validation has refused it, or let an old one stay."""
    written = text(value)
    address = parse_ip(written)
    if address is None:
        return
    canonical = str(address.ip)
    if address.leading_zeros or address.mapped:
        yield f"{field}: non-standard IP address {quoted(written)} is invalid: use {quoted(canonical)}"
    elif not address.is_ipv4 and canonical != written:
        form = f"should be in RFC 5952 canonical format ({quoted(canonical)})"
        yield f"{field}: IPv6 address {quoted(written)} {form}"


def listed_ip_warnings(field: str, items: Json, name: str) -> Iterator[str]:
    """Of addresses that are in the field *name* of objects in a list."""
    for index, item in enumerate(mappings(items)):
        yield from ip_warnings(f"{field}[{index}].{name}", item.get(name))


def cidr_warnings(field: str, value: Json) -> Iterator[str]:
    written = text(value)
    read = parse_cidr(written)
    if read is None:
        return
    network, ip, fine = str(read.network), read.address.ip, True
    if read.network.network_address != ip:
        single = f"{ip}/{ip.max_prefixlen}"
        meant = f"(should be {quoted(network)} or {quoted(single)}?)"
        yield f"{field}: CIDR value {quoted(written)} is ambiguous in this context {meant}"
        fine = False
    if read.leading_zeros or read.address.mapped:
        yield f"{field}: non-standard CIDR value {quoted(written)} is invalid: use {quoted(network)}"
    elif fine and not read.is_ipv4 and network != written:
        form = f"should be in RFC 5952 canonical format ({quoted(network)})"
        yield f"{field}: IPv6 CIDR value {quoted(written)} {form}"
