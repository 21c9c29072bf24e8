"""One connection: what uvicorn does, within bounds that it does not have, and with the client's certificate."""

import asyncio
import socket
import sys
from typing import Any, ClassVar, Final

from uvicorn.protocols.http.httptools_impl import STATUS_LINE, HttpToolsProtocol, RequestResponseCycle

HEAD_BYTES: Final = 1 << 20
"""Of a request line and its headers together."""
HEAD_S: Final = 32.0
"""For a request line and its headers, from the first byte on; for the first ones, from the connection on."""
_SILENT_S: Final = 60
_TOO_LARGE: Final = 431


class BoundedProtocol(HttpToolsProtocol):
    """A head that is too large or too slow ends the connection. The certificate is in the scope of every request."""

    head_bytes: ClassVar[int] = HEAD_BYTES
    most_connections: ClassVar[int] = sys.maxsize
    """Whoever comes while there are that many is hung up on."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._certificate = b""
        self._awaits_head = True
        self._head_bytes = 0
        self._head_due: asyncio.TimerHandle | None = None
        self._cycles: list[RequestResponseCycle] = []

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        tls = transport.get_extra_info("ssl_object")
        self._certificate = (tls.getpeercert(binary_form=True) if tls else None) or b""
        _notice_silence(transport)
        self._head_due = self.loop.call_later(HEAD_S, transport.close)
        if len(self.connections) > self.most_connections:
            transport.abort()

    def connection_lost(self, exc: Exception | None) -> None:
        self._end_wait()
        # uvicorn tells the last of several requests alone that nobody listens any more.
        for cycle in self._cycles:
            cycle.disconnected = cycle.disconnected or not cycle.response_complete
            cycle.message_event.set()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        if not self._awaits_head:
            return
        self._head_bytes += len(data)
        if self._head_bytes > self.head_bytes:
            self._refuse_head()
        elif self._head_due is None:
            self._head_due = self.loop.call_later(HEAD_S, self.transport.close)

    def on_message_begin(self) -> None:
        super().on_message_begin()
        self._awaits_head = True
        self.scope["certificate"] = self._certificate  # type: ignore[typeddict-unknown-key]

    def on_headers_complete(self) -> None:
        self._awaits_head = False
        self._head_bytes = 0
        self._end_wait()
        super().on_headers_complete()
        self._cycles = [cycle for cycle in self._cycles if not cycle.response_complete]
        self._cycles.append(self.cycle)

    def _end_wait(self) -> None:
        if self._head_due is not None:
            self._head_due.cancel()
            self._head_due = None

    def _refuse_head(self) -> None:
        if self.transport.is_closing():
            return
        head = b"content-type: text/plain; charset=utf-8\r\nconnection: close\r\ncontent-length: 0\r\n\r\n"
        self.transport.write(STATUS_LINE[_TOO_LARGE] + head)
        self.transport.close()

    def _unsupported_upgrade_warning(self) -> None:
        """Whoever asks for an upgrade is refused in words of the API; that is no news for the log."""


def _notice_silence(transport: asyncio.Transport) -> None:
    """A client whose machine is gone says nothing, not even goodbye: ask now and then."""
    found: socket.socket | None = transport.get_extra_info("socket")
    if found is None:
        return
    found.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
    if hasattr(socket, "TCP_KEEPIDLE"):
        found.setsockopt(socket.IPPROTO_TCP, socket.TCP_KEEPIDLE, _SILENT_S)
