"""The door as an ASGI application."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Final

from plumbline.apiserver import statuses
from plumbline.apiserver.calls import Answer, Call, impersonation
from plumbline.apiserver.door import refusal
from plumbline.apiserver.serving.compression import compressed
from plumbline.base.errors import RequestRefused
from plumbline.base.http.asgi import Left, Message, Receive, Send, TooLarge, send_stream, whole_body

BODY_BYTES: Final = 3 << 20
BODY_S: Final = 60.0
STALLED_S: Final = 60.0
"""How long a client may take for a piece of a stream, before it is given up."""
_CLOSE: Final = ("Connection", "close")

Serve = Callable[[Call], Awaitable[Answer]]


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
                call.body = await whole_body(receive, headers, BODY_BYTES)
        except Left:
            return
        except TooLarge:
            await _refuse_rest(send, statuses.too_large(BODY_BYTES), call)
            return
        except TimeoutError:
            await _refuse_rest(send, statuses.too_late(), call)
            return
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
    stream = answered.stream
    if stream is None:
        return
    await send({"type": "http.response.start", "status": answered.status, "headers": _head(answered)})
    await send_stream(receive, send, stream, ending, STALLED_S)
