"""The door as an ASGI application."""

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable, MutableMapping
from contextlib import aclosing
from functools import partial
from typing import Any, Final

from plumbline.apiserver import statuses
from plumbline.apiserver.calls import Answer, Call, impersonation
from plumbline.apiserver.door import refusal
from plumbline.apiserver.serving.compression import compressed
from plumbline.base.errors import RequestRefused

BODY_BYTES: Final = 3 << 20
BODY_S: Final = 60.0
STALLED_S: Final = 60.0
"""How long a client may take for a piece of a stream, before it is given up."""
_CLOSE: Final = ("Connection", "close")

Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
Serve = Callable[[Call], Awaitable[Answer]]


class _TooLarge(Exception):
    pass


class Application:
    def __init__(self, serve: Serve) -> None:
        self._serve = serve
        self._ending = asyncio.Event()

    def end_streams(self) -> None:
        """Whole, as if they had no more to say; those that are asked for from now on, too."""
        self._ending.set()

    async def __call__(self, scope: Message, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            return
        named = [(name.decode("latin-1"), value.decode("latin-1")) for name, value in scope["headers"]]
        headers = dict(named)
        call = Call(
            scope["method"],
            scope["path"],
            scope["query_string"].decode("latin-1"),
            headers,
            client_certificate=scope.get("certificate", b""),
            repeated_headers=impersonation(named),
        )
        try:
            async with asyncio.timeout(BODY_S):
                body = await _body(receive, headers)
        except _TooLarge:
            await _refuse_rest(send, statuses.too_large(BODY_BYTES), call)
            return
        except TimeoutError:
            await _refuse_rest(send, statuses.too_late(), call)
            return
        if body is None:
            return
        call.body = body
        answered = await self._serve(call)
        if answered.stream is None:
            await _send_whole(send, answered, headers)
        else:
            await _send_stream(receive, send, answered, self._ending)


async def _refuse_rest(send: Send, refused: RequestRefused, call: Call) -> None:
    """Whatever else the client has to say is not read."""
    answered = refusal(refused, call)
    answered.headers = (*answered.headers, _CLOSE)
    await _send_whole(send, answered, {})


async def _body(receive: Receive, headers: dict[str, str]) -> bytes | None:
    """The whole body, None if the client went away; raises before more than the limit is held."""
    length = headers.get("content-length", "0")
    if length.isdigit() and int(length) > BODY_BYTES:
        raise _TooLarge
    pieces: list[bytes] = []
    size = 0
    while True:
        message = await receive()
        if message["type"] == "http.disconnect":
            return None
        piece = message.get("body", b"")
        size += len(piece)
        if size > BODY_BYTES:
            raise _TooLarge
        if not message.get("more_body"):
            return b"".join((*pieces, piece)) if pieces else piece
        pieces.append(piece)


def _head(answered: Answer) -> list[tuple[bytes, bytes]]:
    head = [(name.encode("latin-1"), value.encode()) for name, value in answered.headers]
    if answered.content_type:
        head.append((b"content-type", answered.content_type.encode("latin-1")))
    return head


async def _send_whole(send: Send, answered: Answer, headers: dict[str, str]) -> None:
    body, encoding = await compressed(answered.body, headers)
    head = _head(answered)
    if encoding:
        head.append((b"content-encoding", encoding))
        head.append((b"vary", b"Accept-Encoding"))
    head.append((b"content-length", str(len(body)).encode()))
    await send({"type": "http.response.start", "status": answered.status, "headers": head})
    await send({"type": "http.response.body", "body": body})


async def _send_stream(receive: Receive, send: Send, answered: Answer, ending: asyncio.Event) -> None:
    """Pieces as they come, until they end, all streams are to end or the client is gone: each is noticed at once."""
    stream = answered.stream
    if stream is None:
        return
    await send({"type": "http.response.start", "status": answered.status, "headers": _head(answered)})
    async with asyncio.TaskGroup() as tasks:
        writing = tasks.create_task(_write(stream, send))
        for reason in (_left(receive), _set(ending)):
            noticing = tasks.create_task(reason)
            noticing.add_done_callback(partial(_cancel, writing))
            writing.add_done_callback(partial(_cancel, noticing))
    await send({"type": "http.response.body", "body": b""})


async def _write(stream: AsyncGenerator[bytes], send: Send) -> None:
    async with aclosing(stream) as pieces:
        async for piece in pieces:
            async with asyncio.timeout(STALLED_S):
                await send({"type": "http.response.body", "body": piece, "more_body": True})


def _cancel(task: asyncio.Task[None], _: asyncio.Task[None]) -> None:
    task.cancel()


async def _set(event: asyncio.Event) -> None:
    await event.wait()


async def _left(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass
