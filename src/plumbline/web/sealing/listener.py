"""A port of its own for sealing: kubeseal comes to it through API servers, without TLS, and to nothing else of ours."""

import asyncio
import ipaddress
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import ClassVar, Final

from plumbline.base.errors import AlreadyExists
from plumbline.base.http.protocol import BoundedProtocol
from plumbline.base.http.server import Server, listening
from plumbline.web.application import Application
from plumbline.web.guard import LOOPBACK_NAMES
from plumbline.web.routes import Part, Routes

_HEAD_BYTES: Final = 64 << 10
_MOST_CONNECTIONS: Final = 1024


@dataclass(frozen=True, slots=True, kw_only=True)
class SealingSettings:
    host: str = "127.0.0.1"
    """Anywhere but on loopback it may be addressed by any name: API servers pass on the name that they were asked by."""
    port: int = 0
    """Zero takes a free one: whoever is to ask is told."""


class _Protocol(BoundedProtocol):
    head_bytes: ClassVar[int] = _HEAD_BYTES
    most_connections: ClassVar[int] = _MOST_CONNECTIONS


class SealingPort:
    """Serves *part* while `running`. Use it once."""

    def __init__(self, settings: SealingSettings, part: Part) -> None:
        self._settings = settings
        self._part = part
        self.port = settings.port
        """The one it really listens on, once it does."""

    @property
    def url(self) -> str:
        host = self._settings.host
        return f"http://[{host}]:{self.port}" if ":" in host else f"http://{host}:{self.port}"

    @asynccontextmanager
    async def running(self) -> AsyncIterator["SealingPort"]:
        settings = self._settings
        try:
            listener = listening(settings.host, settings.port)
        except OSError as taken:
            hint = "Stop what listens there, or choose another port for sealing."
            raise AlreadyExists(
                f"cannot listen on {settings.host}:{settings.port}", why=str(taken), hint=hint
            ) from taken
        with listener:
            self.port = listener.getsockname()[1]
            application = Application(Routes(self._part.routes), names_of(settings.host))
            server = Server(application, listener, protocol=_Protocol)
            async with asyncio.TaskGroup() as tasks:
                working = tasks.create_task(self._part.run())
                tasks.create_task(server.run())
                try:
                    yield self
                finally:
                    server.stop()
                    working.cancel()


def names_of(host: str) -> frozenset[str] | None:
    """By which it may be addressed; None for any."""
    try:
        loopback = ipaddress.ip_address(host).is_loopback
    except ValueError:
        loopback = host == "localhost"
    return LOOPBACK_NAMES if loopback else None
