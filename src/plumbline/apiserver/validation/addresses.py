"""IP addresses and ranges, read as leniently as old clusters wrote them and complained about as strictly as new ones do."""

import ipaddress
import re
from collections.abc import Collection, Iterator
from typing import Final, NamedTuple, TypeAlias

from plumbline.apiserver.fielderrors import FieldError, invalid
from plumbline.kube.gotext import quoted

IPAddress: TypeAlias = ipaddress.IPv4Address | ipaddress.IPv6Address

_OCTETS: Final = re.compile(r"[0-9]+\.[0-9]+\.[0-9]+\.[0-9]+")
_GROUPS: Final = re.compile(r"[0-9A-Fa-f:.]{2,300}")
_PREFIX: Final = re.compile(r"[0-9]{1,20}")
_LONGEST_OCTET: Final = 3
_LONGEST_GROUP: Final = 4
_IPV4_BYTES: Final = 4


class Address(NamedTuple):
    """`ip` is the address without its disguise as IPv6, if it has one."""

    ip: IPAddress
    leading_zeros: bool
    mapped: bool

    @property
    def is_ipv4(self) -> bool:
        return self.ip.version == 4  # noqa: PLR2004 - the version of IPv4


class Range(NamedTuple):
    address: Address
    network: ipaddress.IPv4Network | ipaddress.IPv6Network
    leading_zeros: bool

    @property
    def is_ipv4(self) -> bool:
        return self.address.is_ipv4


def parse_ip(text: str) -> Address | None:
    """Read *text* also where numbers have leading zeros."""
    if ":" not in text:
        return _parse_ipv4(text)
    if not _GROUPS.fullmatch(text):
        return None
    *groups, last = text.split(":")
    embedded = _parse_ipv4(last) if "." in last else None
    shortened = [_shortened(group) for group in (*groups, "" if embedded else last)]
    if embedded:
        shortened[-1] = str(embedded.ip)
    try:
        ip = ipaddress.IPv6Address(":".join(shortened))
    except ValueError:
        return None
    zeros = any(len(group) > _LONGEST_GROUP for group in groups) or bool(embedded and embedded.leading_zeros)
    zeros = zeros or (not embedded and len(last) > _LONGEST_GROUP)
    mapped = ip.ipv4_mapped
    return Address(mapped or ip, zeros, mapped is not None)


def _parse_ipv4(text: str) -> Address | None:
    if not _OCTETS.fullmatch(text):
        return None
    octets = text.split(".")
    numbers = [octet.lstrip("0") or "0" for octet in octets]
    if any(len(number) > _LONGEST_OCTET or int(number) > 255 for number in numbers):  # noqa: PLR2004 - one byte
        return None
    return Address(ipaddress.IPv4Address(".".join(numbers)), numbers != octets, mapped=False)


def _shortened(group: str) -> str:
    return group if len(group) <= _LONGEST_GROUP else group.lstrip("0") or "0"


def parse_cidr(text: str) -> Range | None:
    address_text, slash, prefix_text = text.partition("/")
    address = parse_ip(address_text)
    if address is None or not slash or not _PREFIX.fullmatch(prefix_text):
        return None
    prefix = int(prefix_text)
    if prefix > (32 if ":" not in address_text else 128):
        return None
    zeros = address.leading_zeros or (prefix_text[0] == "0" and prefix_text != "0")
    if address.mapped:
        prefix = max(prefix - 96, 0)
    return Range(address, ipaddress.ip_network((address.ip, prefix), strict=False), zeros)


def ip_errors(field: str, text: str, kept: Collection[str] = ()) -> Iterator[FieldError]:
    """Complaints about an address in a field older than strictness; what was *kept* before may stay."""
    if text in kept:
        return
    address = parse_ip(text)
    if address is None:
        yield invalid(field, text, "must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)")
    elif address.leading_zeros:
        yield invalid(field, text, "must not have leading 0s")
    elif address.mapped:
        yield invalid(field, text, "must not be an IPv4-mapped IPv6 address")


def canonical_ip_errors(field: str, text: str) -> Iterator[FieldError]:
    errors = list(ip_errors(field, text))
    address = parse_ip(text)
    if not errors and address and str(address.ip) != text:
        errors.append(invalid(field, text, f"must be in canonical form ({quoted(str(address.ip))})"))
    yield from errors


def cidr_errors(field: str, text: str, kept: Collection[str] = ()) -> Iterator[FieldError]:
    if text in kept:
        return
    read = parse_cidr(text)
    if read is None:
        yield invalid(field, text, "must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)")
    elif read.leading_zeros:
        yield invalid(field, text, "must not have leading 0s in IP or prefix length")
    elif read.address.mapped:
        yield invalid(field, text, "must not have an IPv4-mapped IPv6 address")
    elif read.network.network_address != read.address.ip:
        yield invalid(field, text, "must not have bits set beyond the prefix length")


def canonical_cidr_errors(field: str, text: str) -> Iterator[FieldError]:
    errors = list(cidr_errors(field, text))
    read = parse_cidr(text)
    if not errors and read and str(read.network) != text:
        errors.append(invalid(field, text, f"must be in canonical form ({quoted(str(read.network))})"))
    yield from errors


def endpoint_ip_errors(field: str, text: str) -> Iterator[FieldError]:
    """Complaints about addresses that lead nowhere but home."""
    address = parse_ip(text)
    if address is None:
        yield invalid(field, text, "must be a valid IP address")
        return
    ip = address.ip
    if ip.is_unspecified:
        yield invalid(field, text, f"may not be unspecified ({text})")
    if ip.is_loopback:
        yield invalid(field, text, "may not be in the loopback range (127.0.0.0/8, ::1/128)")
    if ip.is_link_local:
        yield invalid(field, text, "may not be in the link-local range (169.254.0.0/16, fe80::/10)")
    if _link_local_multicast(ip):
        yield invalid(field, text, "may not be in the link-local multicast range (224.0.0.0/24, ff02::/10)")


def _link_local_multicast(ip: IPAddress) -> bool:
    first = ip.packed
    if len(first) == _IPV4_BYTES:
        return first[:3] == b"\xe0\x00\x00"
    return first[0] == 0xFF and first[1] & 0x0F == 0x02  # noqa: PLR2004 - scope "link" of RFC 4291
