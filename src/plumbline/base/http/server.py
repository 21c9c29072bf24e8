"""Sockets: uvicorn's HTTP/1.1, with or without TLS, on our own loop."""

import socket
import ssl
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

import uvicorn

from plumbline.base.http.asgi import Application
from plumbline.base.http.protocol import BoundedProtocol

KEEP_ALIVE_S: Final = 180
_GRACE_S: Final = 2


class _Uvicorn(uvicorn.Server):
    """Signals belong to the process, not to one of the servers in it."""

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield


class Server:
    """Serves *application* on *listener* while `run` runs."""

    def __init__(
        self,
        application: Application,
        listener: socket.socket,
        tls: ssl.SSLContext | None = None,
        *,
        protocol: type[BoundedProtocol] = BoundedProtocol,
    ) -> None:
        config = uvicorn.Config(
            application,
            http=protocol,
            lifespan="off",
            ws="none",
            log_config=None,
            access_log=False,
            server_header=False,
            proxy_headers=False,
            timeout_keep_alive=KEEP_ALIVE_S,
            timeout_graceful_shutdown=_GRACE_S,
        )
        config.load()
        config.ssl = tls
        self._server = _Uvicorn(config)
        self._application = application
        self._listener = listener

    async def run(self) -> None:
        """Until stopped, or cancelled."""
        await self._server.serve(sockets=[self._listener])

    def stop(self) -> None:
        """Streams end whole and at once; other requests have a moment to be answered."""
        self._application.end_streams()
        self._server.should_exit = True


def listening(host: str, port: int) -> socket.socket:
    """Raises OSError where somebody else does."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    # Said, because asyncio sends without delay only where it is: half of an answer would wait for the other side's clock.
    listener = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind((host, port))
        listener.listen(1024)
        listener.setblocking(False)
    except OSError:
        listener.close()
        raise
    return listener
