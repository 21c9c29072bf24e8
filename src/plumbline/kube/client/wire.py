"""One connection that speaks HTTP/1.1: a message goes out, an answer is parsed as it comes in, one at a time."""

import asyncio
from typing import Final, cast

from httptools import HttpParserError, HttpParserUpgrade, HttpResponseParser

from plumbline.kube.client.replies import Reply
from plumbline.kube.client.transport import Request

_IDLE_TALK_BYTES: Final = 64 << 10
"""What may come without being part of a body: heads, lengths of chunks, trailers."""


class Wire(asyncio.BufferedProtocol):
    """What comes is put into *inbox*, which all connections of one loop may share: it is read as soon as it is there.

    Given one piece after the other instead, TLS has a quarter of a megabyte made, and taken back, for each of them.
    """

    def __init__(self, inbox: memoryview) -> None:
        self._inbox = inbox
        self._parser = HttpResponseParser(self)
        self._transport: asyncio.Transport | None = None
        self._reply: Reply | None = None
        self._spoiled = False
        self._heard = False
        self._idle_talk = 0
        self.free_since_s = 0.0

    @property
    def transport(self) -> asyncio.Transport:
        assert self._transport is not None  # noqa: S101 - asked for right after it was made
        return self._transport

    @property
    def usable(self) -> bool:
        """Whether another message can be sent on it."""
        return (
            not self._spoiled
            and self._reply is None
            and self._transport is not None
            and not self._transport.is_closing()
        )

    def ask(self, message: bytes, request: Request) -> Reply:
        reply = self._reply = Reply(request, self._hold)
        self._idle_talk = 0
        if self._transport is None:
            reply.break_off("the server hung up")
        else:
            self._transport.write(message)
        return reply

    def abort(self) -> None:
        """Drop the connection at once. A farewell by TLS would wait for a server that may have nothing to say for hours."""
        self._spoiled = True
        if self._transport is not None:
            self._transport.abort()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast("asyncio.Transport", transport)

    def connection_lost(self, exc: Exception | None) -> None:
        self._transport = None
        reply, self._reply = self._reply, None
        if reply is not None:
            reply.break_off(words(exc) if exc is not None else "")

    def get_buffer(self, sizehint: int) -> memoryview:
        del sizehint
        return self._inbox

    def buffer_updated(self, nbytes: int) -> None:
        reply = self._reply
        if reply is None:
            self.abort()  # nobody has asked
            return
        self._heard = False
        try:
            self._parser.feed_data(self._inbox[:nbytes])
        except (HttpParserError, HttpParserUpgrade):
            reply.fail(reply.garbled("the answer is not HTTP"))
        if self._heard:
            self._idle_talk = 0
        else:
            self._idle_talk += nbytes
            if self._idle_talk > _IDLE_TALK_BYTES:
                reply.fail(reply.garbled("what comes is no answer"))
        if reply.failure is not None or self._spoiled:
            self.abort()

    def on_message_begin(self) -> None:
        self._spoiled = self._spoiled or self._reply is None  # more than was asked for

    def on_header(self, name: bytes, value: bytes) -> None:
        if self._reply is not None:
            self._reply.add_header(name, value)

    def on_headers_complete(self) -> None:
        if self._reply is not None:
            self._reply.begin(self._parser.get_status_code())

    def on_body(self, piece: bytes) -> None:
        self._heard = True
        if self._reply is not None:
            self._reply.add(piece)

    def on_message_complete(self) -> None:
        reply = self._reply
        if reply is None or not reply.status:
            return
        self._heard = True
        self._reply = None
        self._spoiled = self._spoiled or not self._parser.should_keep_alive()
        reply.end()

    def _hold(self, hold: bool) -> None:  # noqa: FBT001 - on or off is all there is to say
        if self._transport is None or self._transport.is_closing():
            return
        if hold:
            self._transport.pause_reading()
        else:
            self._transport.resume_reading()


def words(broken: BaseException) -> str:
    return getattr(broken, "strerror", None) or str(broken) or type(broken).__name__
