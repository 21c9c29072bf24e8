"""What Kubernetes adds: quantities, addresses, URLs, versions and named formats."""

from collections.abc import Callable
from math import ceil
from typing import Final, TypeVar

from plumbline.apiserver.cel.addresses import Address, Network, address_text, parse_address, parse_network
from plumbline.apiserver.cel.functions import Declared, of_text, of_text_twice
from plumbline.apiserver.cel.library.formats import FORMATS
from plumbline.apiserver.cel.semver import Semver, compared_versions, normalized_semver, parse_semver
from plumbline.apiserver.cel.urls import Url, parse_request_uri, parse_url
from plumbline.apiserver.cel.values import NONE, NamedFormat, Optional, Value, size_of
from plumbline.base.errors import BadQuantity, EvaluationFailed, InvalidInput, PlumblineError
from plumbline.kube.gotext import quoted
from plumbline.kube.quantity import Quantity

_INT: Final = 2**63
_FIRST_LOOPBACK: Final = 127

T = TypeVar("T")


def _reads(read: Callable[..., T], *args: Value) -> bool:
    try:
        read(*args)
    except PlumblineError:
        return False
    return True


def _quantity(text: str) -> Quantity:
    try:
        return Quantity.parse(text)
    except BadQuantity as bad:
        raise EvaluationFailed(bad.why or bad.what) from None


def _whole(quantity: Quantity) -> int | None:
    value = quantity.to_decimal()
    return int(value) if value == value.to_integral_value() and -_INT <= value < _INT else None


def _as_integer(quantity: Quantity) -> int:
    value = _whole(quantity)
    if value is None:
        raise EvaluationFailed("cannot convert value to integer")
    return value


def _compared(left: Quantity, right: Quantity) -> int:
    return (left > right) - (left < right)


QUANTITIES: Final[tuple[Declared, ...]] = (
    ("quantity", "(string) -> quantity", _quantity, of_text),
    ("isQuantity", "(string) -> bool", lambda text: _reads(_quantity, text), of_text),
    ("sign", "(quantity) -> int", lambda value: _compared(value, Quantity(0)), None),
    ("isGreaterThan", "quantity.(quantity) -> bool", lambda left, right: left > right, None),
    ("isLessThan", "quantity.(quantity) -> bool", lambda left, right: left < right, None),
    ("compareTo", "quantity.(quantity) -> int", _compared, None),
    ("asApproximateFloat", "quantity.() -> double", lambda value: float(value.to_decimal()), None),
    ("asInteger", "quantity.() -> int", _as_integer, None),
    ("isInteger", "quantity.() -> bool", lambda value: _whole(value) is not None, None),
    ("add", "quantity.(quantity) -> quantity", lambda left, right: left + right, None),
    ("add", "quantity.(int) -> quantity", lambda left, right: left + Quantity(right), None),
    ("sub", "quantity.(quantity) -> quantity", lambda left, right: left - right, None),
    ("sub", "quantity.(int) -> quantity", lambda left, right: left - Quantity(right), None),
)


def _address(text: str) -> Address:
    try:
        address = parse_address(text)
    except InvalidInput as bad:
        said = f"IP Address {quoted(text)} parse error during conversion from string: {bad.what}"
        raise EvaluationFailed(said) from None
    if "%" in text:
        raise EvaluationFailed(f"IP address {quoted(text)} with zone value is not allowed")
    if getattr(address, "ipv4_mapped", None):
        raise EvaluationFailed(f"IPv4-mapped IPv6 address {quoted(text)} is not allowed")
    return address


def _network(text: str) -> Network:
    said = "network address parse error during conversion from string: "
    try:
        network = parse_network(text)
    except InvalidInput as bad:
        raise EvaluationFailed(said + said + bad.what) from None
    if getattr(network.address, "ipv4_mapped", None):
        raise EvaluationFailed(f"{said}IPv4-mapped IPv6 address {quoted(text)} is not allowed")
    return network


def _global_unicast(address: Address) -> bool:
    return not (
        address.is_unspecified
        or address.is_loopback
        or address.is_multicast
        or address.is_link_local
        or str(address) == "255.255.255.255"
    )


def _link_local_multicast(address: Address) -> bool:
    if address.version == 4:  # noqa: PLR2004 - IPv4
        return str(address).startswith("224.0.0.")
    return int(address) >> 112 & 0xFF0F == 0xFF02  # noqa: PLR2004 - ff02::/16


def _holds_network(network: Network, other: Network) -> bool:
    return network.bits <= other.bits and network.holds(other.address)


def _holds_text(network: Network, text: str) -> bool:
    try:
        return network.holds(_address(text))
    except EvaluationFailed:
        raise EvaluationFailed("no such overload") from None  # the server's words for it


def _of_containing(args: tuple[Value, ...]) -> int:
    cost = ceil(2 * size_of(args[0]) * 0.1)
    return cost + (ceil(size_of(args[1]) * 0.1) if isinstance(args[1], str) else 0)


def _of_containing_network(args: tuple[Value, ...]) -> int:
    return _of_containing(args) + ceil(size_of(args[0]) * 0.1) + 1


ADDRESSES: Final[tuple[Declared, ...]] = (
    ("ip", "(string) -> ip", _address, of_text),
    ("ip", "cidr.() -> ip", lambda network: network.address, None),
    ("isIP", "(string) -> bool", lambda text: _reads(_address, text), of_text),
    ("ip.isCanonical", "(string) -> bool", lambda text: address_text(_address(text)) == text, of_text_twice),
    ("family", "ip.() -> int", lambda address: address.version, None),
    ("isUnspecified", "ip.() -> bool", lambda address: address.is_unspecified, None),
    ("isLoopback", "ip.() -> bool", lambda address: address.is_loopback, None),
    ("isLinkLocalMulticast", "ip.() -> bool", _link_local_multicast, None),
    ("isLinkLocalUnicast", "ip.() -> bool", lambda address: address.is_link_local, None),
    ("isGlobalUnicast", "ip.() -> bool", _global_unicast, None),
    ("string", "(ip) -> string", address_text, None),
    ("cidr", "(string) -> cidr", _network, of_text),
    ("isCIDR", "(string) -> bool", lambda text: _reads(_network, text), of_text),
    ("containsIP", "cidr.(string) -> bool", _holds_text, _of_containing),
    ("containsIP", "cidr.(ip) -> bool", lambda network, address: network.holds(address), _of_containing),
    (
        "containsCIDR",
        "cidr.(string) -> bool",
        lambda network, text: _holds_network(network, _network(text)),
        _of_containing_network,
    ),
    ("containsCIDR", "cidr.(cidr) -> bool", _holds_network, _of_containing_network),
    ("prefixLength", "cidr.() -> int", lambda network: network.bits, None),
    ("masked", "cidr.() -> cidr", lambda network: network.masked, None),
    ("string", "(cidr) -> string", str, None),
)


def _url(text: str) -> Url:
    try:
        parse_request_uri(text)
        return parse_url(text)
    except InvalidInput as bad:
        raise EvaluationFailed(f"URL parse error during conversion from string: {bad.what}") from None


URLS: Final[tuple[Declared, ...]] = (
    ("url", "(string) -> url", _url, of_text),
    ("isURL", "(string) -> bool", lambda text: _reads(parse_request_uri, text), None),
    ("getScheme", "url.() -> string", lambda url: url.scheme, None),
    ("getHost", "url.() -> string", lambda url: url.host, None),
    ("getHostname", "url.() -> string", lambda url: url.hostname, None),
    ("getPort", "url.() -> string", lambda url: url.port, None),
    ("getEscapedPath", "url.() -> string", lambda url: url.escaped_path, None),
    ("getQuery", "url.() -> map(string, list(string))", lambda url: url.parameters(), None),
)


def _semver(text: str, normalize: bool = False) -> Semver:  # noqa: FBT001, FBT002 - an argument of the language's function
    return normalized_semver(text) if normalize else parse_semver(text)


SEMVERS: Final[tuple[Declared, ...]] = (
    ("semver", "(string) -> semver", _semver, of_text),
    ("semver", "(string, bool) -> semver", _semver, of_text),
    ("isSemver", "(string) -> bool", lambda text: _reads(_semver, text), of_text),
    ("isSemver", "(string, bool) -> bool", lambda text, normalize: _reads(_semver, text, normalize), of_text),
    ("isGreaterThan", "semver.(semver) -> bool", lambda left, right: compared_versions(left, right) > 0, None),
    ("isLessThan", "semver.(semver) -> bool", lambda left, right: compared_versions(left, right) < 0, None),
    ("compareTo", "semver.(semver) -> int", compared_versions, None),
    ("major", "semver.() -> int", lambda version: version.major, None),
    ("minor", "semver.() -> int", lambda version: version.minor, None),
    ("patch", "semver.() -> int", lambda version: version.patch, None),
)


def _validated(named: NamedFormat, text: str) -> Optional:
    faults = named.faults(text)
    return Optional(faults) if faults else NONE


def _of_validation(args: tuple[Value, ...]) -> int:
    return ceil((1 + size_of(args[1])) * 0.1) * ceil(args[0].size * 0.25)


def _format_named(name: str) -> Optional:
    found = FORMATS.get(name)
    return Optional(found) if found else NONE


def _always(value: Value) -> Callable[[], Value]:
    return lambda: value


NAMED_FORMATS: Final[tuple[Declared, ...]] = (
    ("validate", "format.(string) -> optional(list(string))", _validated, _of_validation),
    ("format.named", "(string) -> optional(format)", _format_named, None),
    *((f"format.{name}", "() -> format", _always(each), None) for name, each in FORMATS.items()),
)
