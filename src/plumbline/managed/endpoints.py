"""Where a ProviderConfig may send calls, and the credentials in them, instead of to its cloud's own servers. Pure.

Whoever writes a ProviderConfig also says where its calls go. So only who starts the program says which other servers there
are: by origin, which is scheme, host and port, all three of them exactly. An address is read by one strict rule, and what is
connected to is what was understood, written anew: no two readers of it can come to different hosts.
"""

import ipaddress
import re
from collections.abc import Container, Iterable
from typing import Final

import msgspec

from plumbline.base.errors import InvalidInput, Refused
from plumbline.kube.names import Ref

FLAG: Final = "--allow-endpoint"
_PORTS: Final = {"http": 80, "https": 443}
_MOST_PORT: Final = 65535
_HOST_CHARACTERS: Final = 253
_address: Final = re.compile(
    r"(https?)://(\[[0-9a-f:.]{2,45}\]|[a-z0-9.-]+)(?::([0-9]{1,5}))?((?:/[a-z0-9._~-]*)*)", re.ASCII | re.IGNORECASE
).fullmatch
_label: Final = re.compile(r"[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?", re.ASCII).fullmatch
_number: Final = re.compile(r"[0-9]+|0x[0-9a-f]*", re.ASCII).fullmatch


class Origin(msgspec.Struct, frozen=True):
    scheme: str
    host: str
    """In small letters; addresses in their one canonical form, without brackets."""
    port: int

    def __str__(self) -> str:
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"{self.scheme}://{host}" + ("" if self.port == _PORTS[self.scheme] else f":{self.port}")

    @property
    def loopback(self) -> bool:
        if self.host == "localhost":
            return True
        try:
            return ipaddress.ip_address(self.host).is_loopback
        except ValueError:
            return False


class Address(msgspec.Struct, frozen=True):
    origin: Origin
    path: str = ""

    def __str__(self) -> str:
        return f"{self.origin}{self.path}"


class Endpoints(msgspec.Struct, frozen=True):
    """Those that are allowed: none, unless somebody names them."""

    named: frozenset[Origin] = frozenset()
    loopback: bool = False
    """Whether every server on this machine is allowed too, as on a laptop."""

    def admitted(self, address: str, config: Ref, field: str, own: Container[str] = ()) -> str:
        """*address*, which *field* of *config* names, as it is to be used; *own* are hosts of the cloud itself.

        Raises Refused for one that is not allowed, or not an address.
        """
        what = f"{config} cannot be used"
        try:
            read = parsed(address)
        except InvalidInput as odd:
            # Not quoted: there may be a password in it.
            raise Refused(what, why=f"{field} is no address of a server: {odd.why}", hint=odd.hint) from None
        origin = read.origin
        ours = origin.scheme == "https" and origin.port == _PORTS["https"] and origin.host in own
        if ours or origin in self.named or (self.loopback and origin.loopback):
            return str(read)
        why = f"{field} would send its credentials to {origin}, which is not allowed"
        raise Refused(what, why=why, hint=f"Remove it, or start with {FLAG} {origin}.")


NO_OTHERS: Final = Endpoints()


def named(origins: Iterable[str]) -> frozenset[Origin]:
    """As somebody writes them on a command line. Raises InvalidInput."""
    found = [parsed(each.rstrip("/")) for each in origins]
    if odd := next((each for each in found if each.path), None):
        raise InvalidInput(f"{odd} is no origin", why="it has a path", hint=f"Write {odd.origin}.")
    return frozenset(each.origin for each in found)


def parsed(address: str) -> Address:
    """Raises InvalidInput, which says what is wrong without quoting it."""
    matched = _address(address)
    if matched is None:
        raise _unreadable("it is not written as SCHEME://HOST[:PORT]")
    scheme, host, port, path = matched.groups()
    scheme = scheme.lower()
    number = int(port) if port else _PORTS[scheme]
    if not 0 < number <= _MOST_PORT:
        raise _unreadable(f"there is no port {number}")
    return Address(Origin(scheme, _host(host.lower()), number), path.rstrip("/"))


def _host(host: str) -> str:
    """The one way of writing it. What resolvers take for a number (`127.1`, `0x7f000001`) is refused unless it is one in full."""
    try:
        if host.startswith("["):
            return str(ipaddress.IPv6Address(host[1:-1]))
        if _number(host.rpartition(".")[2]):
            return str(ipaddress.IPv4Address(host))
    except ValueError:
        raise _unreadable("its host is no IP address") from None
    if len(host) > _HOST_CHARACTERS or not all(map(_label, host.split("."))):
        raise _unreadable("its host is no name of one")
    return host


def _unreadable(why: str) -> InvalidInput:
    hint = "Write https://HOST or https://HOST:PORT, without a user."
    return InvalidInput("The address cannot be read", why=why, hint=hint)
