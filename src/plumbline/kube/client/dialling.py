"""Connections to one server: straight, or through a proxy, with TLS where the address says so."""

import asyncio
import socket
import ssl
from typing import Final, NamedTuple
from urllib.parse import urlsplit

from aiohappyeyeballs import start_connection

from plumbline.base.errors import PlumblineError, Unreachable
from plumbline.kube.client.connection import Connection
from plumbline.kube.client.sockets import patient_socket
from plumbline.kube.client.transport import Headers, Request
from plumbline.kube.client.wire import Wire, words

_CONNECT_S: Final = 10.0
_NEXT_ADDRESS_S: Final = 0.25
_PORTS: Final = {"http": 80, "https": 443}
_OK: Final = 200
_INBOX_BYTES: Final = 64 << 10


class Place(NamedTuple):
    host: str
    port: int
    secure: bool

    @classmethod
    def of(cls, url: str) -> "Place":
        parts = urlsplit(url)
        host = parts.hostname or ""
        return cls(
            host if host.isascii() else host.encode("idna").decode(),
            parts.port or _PORTS[parts.scheme],
            parts.scheme == "https",
        )

    @property
    def address(self) -> str:
        return f"[{self.host}]:{self.port}" if ":" in self.host else f"{self.host}:{self.port}"

    @property
    def authority(self) -> str:
        """Without the port where it goes without saying."""
        return self.address.removesuffix(f":{_PORTS['https' if self.secure else 'http']}")


class Dialler:
    def __init__(self, connection: Connection) -> None:
        self._where = connection.server
        self._server = Place.of(connection.server)
        self._server_name = connection.trust.server_name or self._server.host
        proxy = connection.proxy
        self._proxy = Place.of(proxy.url) if proxy else None
        secret = proxy.authorization if proxy else None
        self._to_proxy: Headers = (("Proxy-Authorization", secret.reveal().decode()),) if secret else ()
        in_the_open = self._proxy is not None and not self._server.secure
        self.prefix = connection.server if in_the_open else urlsplit(connection.server).path
        """What a request's target begins with: who asks a proxy for something names the server too."""
        self.headers: Headers = (("Host", self._server.authority), *(self._to_proxy if in_the_open else ()))
        """Through a tunnel the proxy sees only what opens it; without TLS it sees every request."""
        self._inbox = memoryview(bytearray(_INBOX_BYTES))

    async def dial(self, context: ssl.SSLContext | None, what: str) -> Wire:
        """A new connection. Raises Unreachable, and says of *what* that it was not sent."""
        try:
            async with asyncio.timeout(_CONNECT_S):
                return await self._dialled(context)
        except ssl.SSLCertVerificationError as wrong:
            why = f"the certificate of {self._where} is not to be trusted: {words(wrong)}"
            hint = "Check certificate-authority-data and tls-server-name in the kubeconfig."
            raise Unreachable(what, sent=False, why=why, hint=hint) from None
        except TimeoutError:
            raise self._unreachable(what, f"it has not answered within {_CONNECT_S:g} s") from None
        except (OSError, EOFError, ValueError) as broken:
            raise self._unreachable(what, words(broken)) from None
        except PlumblineError as refused:
            raise Unreachable(what, sent=False, why=refused.why) from None

    def _unreachable(self, what: str, why: str) -> Unreachable:
        return Unreachable(what, sent=False, why=f"no connection to {self._where}: {why}")

    async def _dialled(self, context: ssl.SSLContext | None) -> Wire:
        if self._proxy is None:
            return await self._opened(self._server, context if self._server.secure else None, self._server_name)
        wire = await self._opened(self._proxy, context if self._proxy.secure else None, self._proxy.host)
        if not self._server.secure or context is None:
            return wire
        try:
            return await self._tunnelled(wire, context)
        except BaseException:
            wire.abort()
            raise

    async def _tunnelled(self, wire: Wire, context: ssl.SSLContext) -> Wire:
        target = self._server.address
        lines = [
            f"CONNECT {target} HTTP/1.1",
            f"Host: {target}",
            *(f"{name}: {value}" for name, value in self._to_proxy),
        ]
        # As a stream, for the answer has a head and then belongs to somebody else.
        reply = wire.ask("\r\n".join((*lines, "", "")).encode(), Request("CONNECT", target, stream_s=_CONNECT_S))
        await reply.arrival()
        if reply.status != _OK:
            raise Unreachable(
                "There is no tunnel", why=f"the proxy refused to connect to {self._where} (HTTP {reply.status})"
            )
        inner = Wire(self._inbox)
        loop = asyncio.get_running_loop()
        transport = await loop.start_tls(wire.transport, inner, context, server_hostname=self._server_name)
        if transport is None:
            raise EOFError("the proxy hung up")
        inner.connection_made(transport)
        return inner

    async def _opened(self, place: Place, context: ssl.SSLContext | None, name: str) -> Wire:
        loop = asyncio.get_running_loop()
        addresses = await loop.getaddrinfo(place.host, place.port, type=socket.SOCK_STREAM)
        made = await start_connection(
            addresses, happy_eyeballs_delay=_NEXT_ADDRESS_S, loop=loop, socket_factory=patient_socket
        )
        try:
            _, wire = await loop.create_connection(
                lambda: Wire(self._inbox), sock=made, ssl=context, server_hostname=name if context else None
            )
        except BaseException:
            made.close()
            raise
        return wire
