"""Sockets: uvicorn's HTTP/1.1 over TLS on our own loop, with the client's certificate beside the request."""

import asyncio
import socket
import ssl
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

import uvicorn
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from plumbline.apiserver.serving.application import Application

KEEP_ALIVE_S: Final = 180
_GRACE_S: Final = 2


class CertifiedProtocol(HttpToolsProtocol):
    """Puts the certificate that the TLS handshake verified into the scope of every request."""

    _certificate: bytes = b""

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        tls = transport.get_extra_info("ssl_object")
        self._certificate = (tls.getpeercert(binary_form=True) if tls else None) or b""

    def on_message_begin(self) -> None:
        super().on_message_begin()
        self.scope["certificate"] = self._certificate  # type: ignore[typeddict-unknown-key]


class _Uvicorn(uvicorn.Server):
    """Signals belong to the process, not to one of the servers in it."""

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield


class Server:
    """Serves *application* on *listener* while `run` runs."""

    def __init__(self, application: Application, listener: socket.socket, tls: ssl.SSLContext | None = None) -> None:
        config = uvicorn.Config(
            application,
            http=CertifiedProtocol,
            lifespan="off",
            ws="none",
            log_config=None,
            access_log=False,
            server_header=False,
            timeout_keep_alive=KEEP_ALIVE_S,
            timeout_graceful_shutdown=_GRACE_S,
        )
        config.load()
        config.ssl = tls
        self._server = _Uvicorn(config)
        self._listener = listener

    async def run(self) -> None:
        """Until stopped, or cancelled."""
        await self._server.serve(sockets=[self._listener])

    def stop(self) -> None:
        self._server.should_exit = True


def tls_context(certificate: Path, key: Path, client_authority: Path) -> ssl.SSLContext:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    context.load_cert_chain(certificate, key)
    context.load_verify_locations(client_authority)
    context.verify_mode = ssl.CERT_OPTIONAL
    context.set_alpn_protocols(["http/1.1"])
    return context


def listening(host: str, port: int) -> socket.socket:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listener = socket.socket(family, socket.SOCK_STREAM)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    listener.bind((host, port))
    listener.listen(1024)
    listener.setblocking(False)
    return listener
