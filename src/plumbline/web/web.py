"""The web port: one socket, one table of routes, and the parts that wiring puts together."""

import asyncio
import ipaddress
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import ClassVar, Final

from plumbline.base.errors import AlreadyExists
from plumbline.base.http.protocol import BoundedProtocol
from plumbline.base.http.server import Server, listening
from plumbline.web.application import Application
from plumbline.web.cors import Cors
from plumbline.web.guard import LOOPBACK_NAMES
from plumbline.web.routes import Draining, Part, Routes

_HEAD_BYTES: Final = 64 << 10
_MOST_CONNECTIONS: Final = 2048
"""Half of them for streams that stay open."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    host: str = "127.0.0.1"
    port: int = 8080
    """Zero takes a free one."""
    hosts: tuple[str, ...] = ()
    """Names that it may be addressed by, beside those of loopback. Anywhere but on loopback, none means any."""
    origins: tuple[str, ...] = ()
    """Of pages elsewhere that may use the API, such as https://portal.example.org."""


class _Protocol(BoundedProtocol):
    head_bytes: ClassVar[int] = _HEAD_BYTES
    most_connections: ClassVar[int] = _MOST_CONNECTIONS


class Web:
    """Serves its parts while `running`. Use it once."""

    def __init__(self, settings: Settings, parts: Sequence[Part]) -> None:
        self._settings = settings
        self._parts = parts
        self._routes = Routes(route for part in parts for route in part.routes)
        self._cors = Cors(settings.origins)
        self.port = settings.port
        """The one it really listens on, once it does."""

    @property
    def url(self) -> str:
        host = self._settings.host
        return f"http://[{host}]:{self.port}" if ":" in host else f"http://{host}:{self.port}"

    @asynccontextmanager
    async def running(self) -> AsyncIterator["Web"]:
        settings = self._settings
        try:
            listener = listening(settings.host, settings.port)
        except OSError as taken:
            hint = "Stop what listens there, or choose another with --web-port."
            raise AlreadyExists(
                f"cannot listen on {settings.host}:{settings.port}", why=str(taken), hint=hint
            ) from taken
        with listener:
            self.port = listener.getsockname()[1]
            server = Server(Application(self._routes, self._hosts(), self._cors), listener, protocol=_Protocol)
            async with asyncio.TaskGroup() as tasks:
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

    def _hosts(self) -> frozenset[str] | None:
        named = frozenset(name.lower() for name in self._settings.hosts)
        try:
            loopback = ipaddress.ip_address(self._settings.host).is_loopback
        except ValueError:
            loopback = self._settings.host == "localhost"
        return LOOPBACK_NAMES | named if loopback or named else None
