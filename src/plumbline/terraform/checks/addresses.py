"""Where checks and webhooks may go. Whoever writes a Terraform object names the address, and we are who connects. Pure."""

import ipaddress
import re
from typing import Final, NamedTuple, TypeAlias
from urllib.parse import SplitResult, urlsplit

from plumbline.base.errors import InvalidInput, Refused

Network: TypeAlias = ipaddress.IPv4Network | ipaddress.IPv6Network
_Address: TypeAlias = ipaddress.IPv4Address | ipaddress.IPv6Address

METADATA: Final[tuple[Network, ...]] = tuple(
    map(
        ipaddress.ip_network,
        (
            "169.254.0.0/16",
            "fe80::/10",
            "fd00:ec2::254/128",
            "fd20:ce::254/128",
            "100.100.100.200/32",
            "192.0.0.192/32",
        ),
    )
)
"""Where clouds give credentials to whoever asks from within a machine: link-local networks, and those of single clouds."""
LOOPBACK: Final[tuple[Network, ...]] = tuple(
    map(ipaddress.ip_network, ("127.0.0.0/8", "::1/128", "0.0.0.0/32", "::/128"))
)

_TRANSLATED: Final = ipaddress.IPv6Network("64:ff9b::/96")
_MOST_PORT: Final = 65535
_LONGEST_LABEL: Final = 63
_LONGEST: Final = 2048
_PORT: Final = re.compile(r"\+?0*[0-9]{1,5}").fullmatch


class Policy(NamedTuple):
    refused: tuple[Network, ...] = METADATA

    def check(self, address: str) -> None:
        """Of an IP address that is about to be connected to. Raises Refused."""
        found = _inner(ipaddress.ip_address(address.partition("%")[0]))
        if any(found.version == each.version and found in each for each in self.refused):
            raise Refused(
                "The address is not connected to",
                why="it is in a network that nobody may reach through us",
                hint="Name a service of your own; clouds' metadata and link-local addresses are refused.",
            )


def _inner(found: _Address) -> _Address:
    """The address that stands behind one that stands for it."""
    if isinstance(found, ipaddress.IPv4Address):
        return found
    inner = found.ipv4_mapped or found.sixtofour
    if inner is None and found in _TRANSLATED:
        inner = ipaddress.IPv4Address(int(found) & 0xFFFFFFFF)
    return inner or found


class HostPort(NamedTuple):
    host: str
    port: int


def tcp_address(text: str) -> HostPort:
    """`host:port` with upstream's rules. Raises InvalidInput that does not repeat the text: it may hold a secret."""
    if "://" in text:
        raise _bad_address("URL schemas are not allowed")
    host, port = _split(text)
    if not literal(host) and not all(map(_label, host.split("."))):
        raise _bad_address("invalid host format")
    if not _PORT(port) or not 0 < int(port) <= _MOST_PORT:
        raise _bad_address("invalid port number")
    return HostPort(host, int(port))


def _split(text: str) -> tuple[str, str]:
    host, colon, port = text.rpartition(":")
    if text.startswith("["):
        inner, bracket, rest = text[1:].partition("]")
        if not bracket or not rest.startswith(":"):
            raise _bad_address("missing ']' in address" if not bracket else "missing port in address")
        return inner, rest[1:]
    if not colon:
        raise _bad_address("missing port in address")
    if ":" in host:
        raise _bad_address("too many colons in address")
    return host, port


def _label(label: str) -> bool:
    fits = 0 < len(label.encode()) <= _LONGEST_LABEL and "-" not in (label[0], label[-1])
    return fits and all(char.isalpha() or char.isdecimal() or char == "-" for char in label)


def _bad_address(why: str) -> InvalidInput:
    return InvalidInput("invalid address for tcp health check", why=why)


def literal(host: str) -> str:
    """The IP address that *host* is, in its one form; empty where it is a name."""
    try:
        return str(ipaddress.ip_address(host))
    except ValueError:
        return ""


def web_address(url: str) -> SplitResult:
    """Of http or https. Raises InvalidInput that does not repeat the text: it may hold a secret."""
    try:
        parts = urlsplit(url)
        usable = parts.scheme in {"http", "https"} and bool(parts.hostname) and parts.port != 0
    except ValueError:
        usable = False
    if not usable or len(url) > _LONGEST or not url.isprintable() or " " in url:
        raise InvalidInput("The address cannot be used", why="it is no http or https address")
    return parts


def private_enough(parts: SplitResult) -> bool:
    """Whether what is sent there can be read by nobody on the way: TLS, this machine, or a service of the cluster."""
    host = (parts.hostname or "").lower().rstrip(".")
    if parts.scheme == "https" or host == "localhost":
        return True
    address = literal(host)
    if address:
        return ipaddress.ip_address(address).is_loopback
    return host.endswith((".svc", ".svc.cluster.local"))
