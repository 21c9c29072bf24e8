"""Which addresses a store may not be at. Whoever writes a store names its server, and we are who connects."""

import ipaddress
import socket
from typing import Final, TypeAlias
from urllib.parse import urlsplit

from plumbline.base.errors import InvalidInput, Refused

_Address: TypeAlias = ipaddress.IPv4Address | ipaddress.IPv6Address

_METADATA: Final = tuple(
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
_TRANSLATED: Final = ipaddress.IPv6Network("64:ff9b::/96")
_LONGEST: Final = 2048


class RefusedHereError(OSError):
    """Told to the machinery that connects, which tries the next address of a name."""


def server_of(text: str) -> str:
    """The address without what follows the last slash. Raises InvalidInput that does not repeat it: it may hold a password."""
    try:
        parts = urlsplit(text)
        usable = parts.scheme in {"http", "https"} and bool(parts.hostname) and parts.port != 0
        plain = not (parts.query or parts.fragment or "@" in parts.netloc)
    except ValueError:
        usable = plain = False
    if not (usable and plain) or len(text) > _LONGEST or not text.isprintable() or " " in text:
        raise InvalidInput(
            "The address of Vault cannot be used",
            why="it is no http or https address, or has a user, a query or a fragment",
            hint="Write server as https://vault.example.com:8200.",
        )
    if _refused(parts.hostname or ""):
        raise refused()
    return text.rstrip("/")


def guarded_socket(
    info: tuple[socket.AddressFamily | int, socket.SocketKind | int, int, str, tuple[object, ...]],
) -> socket.socket:
    """Names are looked at when they are connected to, so that one that means something else a moment later gains nothing."""
    family, kind, protocol, _, address = info
    if _refused(str(address[0])):
        raise RefusedHereError(refused().why)
    return socket.socket(family, kind, protocol)


def refused() -> Refused:
    return Refused(
        "Vault is not asked",
        why="its address is in a network that nobody may reach through us",
        hint="Name a server of your own; clouds' metadata and link-local addresses are refused.",
    )


def _refused(host: str) -> bool:
    """False for names: those are asked about again with their addresses."""
    try:
        found = _inner(ipaddress.ip_address(host.partition("%")[0]))
    except ValueError:
        return False
    return any(found.version == each.version and found in each for each in _METADATA)


def _inner(found: _Address) -> _Address:
    """The address that stands behind one that stands for it."""
    if isinstance(found, ipaddress.IPv4Address):
        return found
    inner = found.ipv4_mapped or found.sixtofour
    if inner is None and found in _TRANSLATED:
        inner = ipaddress.IPv4Address(int(found) & 0xFFFFFFFF)
    return inner or found
