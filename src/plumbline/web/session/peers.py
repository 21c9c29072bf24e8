"""How a request came here: what proxies say about it counts where the proxy is one that somebody has listed."""

import ipaddress
from collections.abc import Iterable
from typing import TypeAlias
from urllib.parse import urlsplit

from plumbline.base.errors import InvalidInput
from plumbline.web.requests import Request

_Network: TypeAlias = ipaddress.IPv4Network | ipaddress.IPv6Network
_DEFAULT_PORTS = {"http": ":80", "https": ":443"}


class Peers:
    """*trusted* are addresses and networks of proxies. `X-Forwarded-*` of anybody else is as if it were not there."""

    def __init__(self, trusted: Iterable[str] = ()) -> None:
        try:
            self._trusted: tuple[_Network, ...] = tuple(ipaddress.ip_network(each, strict=False) for each in trusted)
        except ValueError as fault:
            hint = "Write addresses such as 10.1.2.3, or networks such as 10.0.0.0/8."
            raise InvalidInput("A trusted proxy cannot be read", why=str(fault), hint=hint) from fault

    def address(self, request: Request) -> str:
        """Where the request comes from: the last in the chain that is no proxy of ours."""
        address = request.peer
        for said in reversed([each.strip() for each in request.header("x-forwarded-for").split(",") if each.strip()]):
            if not self._trusts(address):
                break
            address = said
        return address if _is_address(address) else "unknown"

    def host(self, request: Request) -> str:
        said = request.header("x-forwarded-host") if self._trusts(request.peer) else ""
        return (said or request.header("host")).lower()

    def secure(self, request: Request, urls: Iterable[str]) -> bool:
        """Whether the browser speaks TLS: a listed proxy says so, or the address that people use does."""
        if self._trusts(request.peer) and (said := request.header("x-forwarded-proto")):
            # As with X-Forwarded-For, only the last is the word of the proxy that came here.
            return said.rpartition(",")[2].strip().lower() == "https"
        return any(each.startswith("https://") and _netloc(each) == self.host(request) for each in urls)

    def same_origin(self, request: Request, urls: Iterable[str]) -> bool:
        """Whether a request says that a page of ours has made it. One that says nothing does not."""
        origin = request.header("origin").lower()
        scheme, separator, host = origin.partition("://")
        if not separator or scheme not in _DEFAULT_PORTS:
            return False
        port = _DEFAULT_PORTS[scheme]
        ours = {self.host(request).removesuffix(port)} | {
            _netloc(each) for each in urls if each.startswith(scheme + ":")
        }
        return host.removesuffix(port) in ours

    def _trusts(self, address: str) -> bool:
        try:
            found = ipaddress.ip_address(address)
        except ValueError:
            return False
        return any(found in network for network in self._trusted)


def _netloc(url: str) -> str:
    where = urlsplit(url.lower())
    return where.netloc.removesuffix(_DEFAULT_PORTS.get(where.scheme, ""))


def _is_address(text: str) -> bool:
    try:
        ipaddress.ip_address(text)
    except ValueError:
        return False
    return True
