"""A port of its own for API servers, with TLS: they call nobody without, and people have no business there."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar, Final

from plumbline.base.clock import Clock
from plumbline.base.errors import AlreadyExists
from plumbline.base.http.protocol import BoundedProtocol
from plumbline.base.http.server import Server, listening
from plumbline.web.admission.certificates import given, made
from plumbline.web.application import Application
from plumbline.web.guard import LOOPBACK_NAMES
from plumbline.web.routes import Part, Routes

_LOOPBACK: Final = ("127.0.0.1", "::1", "localhost")
_MOST_CONNECTIONS: Final = 256


@dataclass(frozen=True, slots=True, kw_only=True)
class AdmissionSettings:
    host: str = "127.0.0.1"
    port: int = 0
    """Zero takes a free one: whoever is to ask is told."""
    names: tuple[str, ...] = ()
    """Names that it is asked by beside those of loopback, such as `plumbline.argocd.svc`."""
    certificates: Path | None = None
    """A folder with tls.crt, tls.key and ca.crt. None makes a certificate that lasts as long as the process."""


class _Protocol(BoundedProtocol):
    most_connections: ClassVar[int] = _MOST_CONNECTIONS


class AdmissionPort:
    """Serves *part* while `running`. Use it once."""

    def __init__(self, settings: AdmissionSettings, part: Part, clock: Clock) -> None:
        names = (*_LOOPBACK, *settings.names)
        folder = settings.certificates
        self._settings = settings
        self._part = part
        self._certificate = given(folder) if folder is not None else made(names, clock.now())
        self.port = settings.port
        """The one it really listens on, once it does."""

    @property
    def url(self) -> str:
        host = self._settings.host
        return f"https://[{host}]:{self.port}" if ":" in host else f"https://{host}:{self.port}"

    @property
    def authority_pem(self) -> bytes:
        return self._certificate.authority_pem

    @asynccontextmanager
    async def running(self) -> AsyncIterator["AdmissionPort"]:
        settings, tls = self._settings, self._certificate.context()
        try:
            listener = listening(settings.host, settings.port)
        except OSError as taken:
            hint = "Stop what listens there, or choose another with --admission-port."
            raise AlreadyExists(
                f"cannot listen on {settings.host}:{settings.port}", why=str(taken), hint=hint
            ) from taken
        with listener:
            self.port = listener.getsockname()[1]
            hosts = LOOPBACK_NAMES | frozenset(name.lower() for name in settings.names)
            application = Application(Routes(self._part.routes), hosts)
            server = Server(application, listener, tls, protocol=_Protocol)
            async with asyncio.TaskGroup() as tasks:
                working = tasks.create_task(self._part.run())
                tasks.create_task(server.run())
                try:
                    yield self
                finally:
                    server.stop()
                    working.cancel()
