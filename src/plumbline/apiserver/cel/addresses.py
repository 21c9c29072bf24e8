"""IP addresses and networks as Go's net/netip reads them."""

import ipaddress
from typing import NamedTuple, TypeAlias

from plumbline.base.errors import InvalidInput
from plumbline.kube.gotext import quoted

Address: TypeAlias = ipaddress.IPv4Address | ipaddress.IPv6Address


class Network(NamedTuple):
    """With the address as it was written, which need not be the first of the network."""

    address: Address
    bits: int

    @property
    def masked(self) -> "Network":
        network = ipaddress.ip_network(f"{self.address}/{self.bits}", strict=False)
        return Network(network.network_address, self.bits)

    def holds(self, address: Address) -> bool:
        if address.version != self.address.version:
            return False
        shift = address.max_prefixlen - self.bits
        return int(address) >> shift == int(self.address) >> shift

    def __str__(self) -> str:
        return f"{address_text(self.address)}/{self.bits}"


def address_text(address: Address) -> str:
    """In the one spelling that Go writes."""
    if isinstance(address, ipaddress.IPv6Address) and address.ipv4_mapped:
        return f"::ffff:{address.ipv4_mapped}"
    return str(address)


def parse_address(text: str) -> Address:
    """Raises with the words of Go."""
    try:
        return ipaddress.ip_address(text)
    except ValueError:
        raise InvalidInput(f"ParseAddr({quoted(text)}): {_why(text)}") from None


def _why(text: str) -> str:
    if ":" not in text and "." not in text:
        return "unable to parse IP"
    return _why_not_v6(text) if ":" in text else _why_not_v4(text)


def _why_not_v4(text: str) -> str:
    for position, part in enumerate(text.split(".")):
        if not part:
            return f"IPv4 field must have at least one digit (at {quoted('.' + '.'.join(text.split('.')[position + 1 :]))})"
        if not (part.isascii() and part.isdigit()):
            bad = next(char for char in part if not ("0" <= char <= "9"))
            return f"unexpected character (at {quoted(text[text.index(bad) :])})"
        if len(part) > 1 and part[0] == "0":
            return "IPv4 field has octet with leading zero"
        if int(part) > 255:  # noqa: PLR2004 - a byte
            return "IPv4 field has value >255"
    return "IPv4 address too long" if text.count(".") > 3 else "IPv4 address too short"  # noqa: PLR2004 - four parts


def _why_not_v6(text: str) -> str:
    bad = next((char for char in text if char not in "0123456789abcdefABCDEF:."), "")
    if bad:
        return f"unexpected character, want colon (at {quoted(text[text.index(bad) :])})"
    if any(len(part) > 4 for part in text.split(":") if "." not in part):  # noqa: PLR2004 - sixteen bits
        return "each group must have 4 or fewer hex digits"
    if text.count("::") > 1:
        return "multiple :: in address"
    return "address string too short" if text.count(":") < 7 else "trailing garbage after address"  # noqa: PLR2004 - eight groups


def parse_network(text: str) -> Network:
    """Raises with the words of Go."""
    address, slash, bits = text.rpartition("/")
    if not slash:
        raise _bad_network(text, "no '/'")
    try:
        read = parse_address(address)
    except InvalidInput as refusal:
        raise _bad_network(text, refusal.what) from None
    if "%" in address:
        raise _bad_network(text, "IPv6 zones cannot be present in a prefix")
    if not (bits.isascii() and bits.isdigit()) or (len(bits) > 1 and bits[0] == "0"):
        raise _bad_network(text, f"bad bits after slash: {quoted(bits)}")
    if int(bits) > read.max_prefixlen:
        raise _bad_network(text, "prefix length out of range")
    return Network(read, int(bits))


def _bad_network(text: str, why: str) -> InvalidInput:
    return InvalidInput(f"netip.ParsePrefix({quoted(text)}): {why}")
