"""One socket and what is served there. The web port, the one for API servers and the one for sealing are such."""

import ipaddress
import socket
import ssl
from collections.abc import AsyncIterator, Collection, Sequence
from contextlib import asynccontextmanager
from typing import ClassVar, NamedTuple, Self

from plumbline.base.errors import AlreadyExists
from plumbline.base.http.protocol import BoundedProtocol
from plumbline.base.http.server import Server, listening
from plumbline.base.tasks import task_group
from plumbline.web.application import Application
from plumbline.web.cors import Cors
from plumbline.web.routes import Draining, Part, Routes


class Place(NamedTuple):
    host: str
    port: int
    """Zero takes a free one."""
    elsewhere: str
    """How it is put somewhere else, for whoever finds it taken."""


class Port:
    """Serves its parts while `running`. Use it once."""

    scheme: ClassVar[str] = "http"

    def __init__(
        self,
        place: Place,
        parts: Sequence[Part],
        hosts: Collection[str] | None,
        *,
        protocol: type[BoundedProtocol],
        cors: Cors | None = None,
    ) -> None:
        """*hosts* are the names that it may be addressed by; None for any."""
        self._place = place
        self._parts = parts
        self._application = Application(Routes(route for part in parts for route in part.routes), hosts, cors)
        self._protocol = protocol
        self.port = place.port
        """The one it really listens on, once it does."""

    @property
    def url(self) -> str:
        host = self._place.host
        return f"{self.scheme}://[{host}]:{self.port}" if ":" in host else f"{self.scheme}://{host}:{self.port}"

    @asynccontextmanager
    async def running(self) -> AsyncIterator[Self]:
        tls = self._tls()
        with self._listening() as listener:
            self.port = listener.getsockname()[1]
            server = Server(self._application, listener, tls, protocol=self._protocol)
            async with task_group() as tasks:
                working = [tasks.create_task(part.run()) for part in self._parts]
                tasks.create_task(server.run())
                try:
                    yield self
                finally:
                    for part in self._parts:
                        if isinstance(part, Draining):
                            await part.drain()
                    server.stop()
                    for task in working:
                        task.cancel()

    def _tls(self) -> ssl.SSLContext | None:
        return None

    def _listening(self) -> socket.socket:
        host, port, elsewhere = self._place
        try:
            return listening(host, port)
        except OSError as taken:
            hint = f"Stop what listens there, or {elsewhere}."
            raise AlreadyExists(f"cannot listen on {host}:{port}", why=str(taken), hint=hint) from taken


def on_loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"
