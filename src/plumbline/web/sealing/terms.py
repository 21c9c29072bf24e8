"""On what terms strangers are served, and who of them is who."""

import ipaddress
from dataclasses import dataclass
from functools import cached_property
from typing import Final, TypeAlias

from plumbline.base.errors import InvalidInput
from plumbline.web.requests import Request

_Network: TypeAlias = ipaddress.IPv4Network | ipaddress.IPv6Network
_Address: TypeAlias = ipaddress.IPv4Address | ipaddress.IPv6Address
_ONE_HOST_BITS: Final = 64
"""Of an IPv6 address: the rest of it everybody can choose freely."""


@dataclass(frozen=True, kw_only=True)
class Terms:
    per_s: int = 2
    """`--rate-limit`: how often a caller may have something verified, and how often sealed again."""
    burst: int = 2
    """`--rate-limit-burst`: how many more at once after a pause."""
    trusted: tuple[str, ...] = ()
    """Networks of proxies whose word is taken for whom they ask: those of the API servers. All who come through a proxy
    that is not among them count as one caller."""

    def __post_init__(self) -> None:
        if self.per_s < 1 or self.burst < 0:
            raise InvalidInput("The rate limit cannot be used", why="it is less than one in a second")
        _ = self._networks

    @cached_property
    def _networks(self) -> tuple[_Network, ...]:
        try:
            return tuple(ipaddress.ip_network(text) for text in self.trusted)
        except ValueError as bad:
            hint = "Name networks such as 10.0.0.0/24."
            raise InvalidInput("The trusted proxies cannot be used", why=str(bad), hint=hint) from bad

    def caller(self, request: Request) -> str:
        """Whom a limit is for: the peer, or whom a trusted peer says that it asks for.

        A proxy puts whoever asked it at the end of X-Forwarded-For. All before that the asker has said of itself, and is
        not looked at, even where the asker is a trusted network's.
        """
        peer = _address(request.peer)
        if peer is None or not any(peer in network for network in self._networks):
            return _one_host(peer)
        asker = _address(request.header("x-forwarded-for").rpartition(",")[2].strip())
        return _one_host(asker or peer)


def _address(text: str) -> _Address | None:
    try:
        address = ipaddress.ip_address(text)
    except ValueError:
        return None
    return getattr(address, "ipv4_mapped", None) or address


def _one_host(address: _Address | None) -> str:
    if isinstance(address, ipaddress.IPv6Address):
        return str(ipaddress.ip_network((address.packed[: _ONE_HOST_BITS // 8].ljust(16, b"\0"), _ONE_HOST_BITS)))
    return str(address)
