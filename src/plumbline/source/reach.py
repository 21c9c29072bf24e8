"""Which hosts an index, a redirect or a challenge may send us to.

The address of a repository is somebody's decision. What its answers point to is not, and it must not open what only we
can reach: a host elsewhere has to be public, or in a network of the same kind as the repository itself.
"""

import asyncio
import socket
from collections.abc import Iterable
from ipaddress import IPv4Address, IPv6Address, ip_address
from typing import TYPE_CHECKING, Final, Literal, TypeAlias

if TYPE_CHECKING:
    from aiohttp.abc import AbstractResolver, ResolveResult

Zone: TypeAlias = Literal["public", "private", "loopback", "never"]

_TRANSLATED: Final = 0x64FF9B << 96
"""64:ff9b::/96, behind which IPv4 addresses stand."""


class OutOfReachError(OSError):
    """The host is in a network that the repository is not in."""


def zone(address: str) -> Zone:
    """Of an IP address. Addresses that stand for others, such as `::ffff:127.0.0.1`, are in the zone of those."""
    found: IPv4Address | IPv6Address = ip_address(address.partition("%")[0])
    if isinstance(found, IPv6Address):
        inner = found.ipv4_mapped or found.sixtofour
        if inner is None and int(found) >> 32 == _TRANSLATED >> 32:
            inner = IPv4Address(int(found) & 0xFFFFFFFF)
        found = inner or found
    if found.is_loopback:
        return "loopback"
    if found.is_link_local or found.is_multicast or found.is_unspecified or found.is_reserved:
        return "never"
    return "public" if found.is_global else "private"


def literal(host: str) -> str:
    """The address that *host* is, if it is one and no name."""
    try:
        return str(ip_address(host.strip("[]").partition("%")[0]))
    except ValueError:
        return ""


class Reach:
    """Resolves names, each to the addresses that it may have. Nothing resolves in between, so rebinding gains nothing.

    It is one of aiohttp's resolvers in all but its base: whoever has no charts need not load that.
    """

    def __init__(self, own_host: str) -> None:
        self._own = own_host.strip("[]").lower()
        self._zones: frozenset[Zone] | None = None
        self._resolver: AbstractResolver | None = None

    async def resolve(
        self, host: str, port: int = 0, family: socket.AddressFamily = socket.AF_INET
    ) -> "list[ResolveResult]":
        found = await self._resolving().resolve(host, port, family)
        if host.lower() == self._own:
            return found
        allowed = await self._allowed()
        fitting = [each for each in found if zone(each["host"]) in allowed]
        if not fitting:
            raise OutOfReachError(f"{host} is in a network that is not reached from there")
        return fitting

    async def check(self, host: str) -> None:
        """Refuse an address that is written out, for which `resolve` is not asked."""
        address = literal(host)
        if address and host.strip("[]").lower() != self._own and zone(address) not in await self._allowed():
            raise OutOfReachError(f"{host} is in a network that is not reached from there")

    async def permits(self, host: str) -> None:
        """Refuse a host, however it is written."""
        await self.check(host)
        if not literal(host):
            await self.resolve(host)

    async def close(self) -> None:
        if self._resolver is not None:
            await self._resolver.close()

    def _resolving(self) -> "AbstractResolver":
        if self._resolver is None:
            from aiohttp.resolver import ThreadedResolver  # noqa: PLC0415 - see above

            self._resolver = ThreadedResolver()
        return self._resolver

    async def _allowed(self) -> frozenset[Zone]:
        if self._zones is None:
            self._zones = _zones(await self._own_addresses())
        return self._zones

    async def _own_addresses(self) -> Iterable[str]:
        address = literal(self._own)
        if address:
            return [address]
        try:
            found = await asyncio.get_running_loop().getaddrinfo(self._own, None, type=socket.SOCK_STREAM)
        except OSError:
            return []
        return [str(each[4][0]) for each in found]


def _zones(addresses: Iterable[str]) -> frozenset[Zone]:
    """That of the public, and those of *addresses*; never the one that nobody has business in."""
    public: Zone = "public"
    found = {zone(each) for each in addresses}
    return frozenset({public, *(each for each in found if each != "never")})
