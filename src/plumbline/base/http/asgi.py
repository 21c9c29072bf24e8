"""ASGI as far as it is used: bodies that are read within bounds, and streams that end with whoever listens."""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Mapping, MutableMapping
from contextlib import aclosing
from functools import partial
from typing import Any, Final, Protocol, TypeAlias

from plumbline.base.tasks import task_group

Message: TypeAlias = MutableMapping[str, Any]
Receive: TypeAlias = Callable[[], Awaitable[Message]]
Send: TypeAlias = Callable[[Message], Awaitable[None]]

_LAST: Final = {"type": "http.response.body", "body": b""}


class Application(Protocol):
    async def __call__(self, scope: Message, receive: Receive, send: Send) -> None: ...

    def end_streams(self) -> None:
        """Whole, as if they had no more to say; those that are asked for from now on, too."""


class TooLarge(Exception):
    """The body has more bytes than are read."""


class Left(Exception):
    """The client is gone, in the middle of what it had to say."""


async def body_pieces(receive: Receive, headers: Mapping[str, str], limit_bytes: int) -> AsyncIterator[bytes]:
    """The body as it comes. Raises TooLarge before more than the limit is handed on, and Left if it breaks off."""
    length = headers.get("content-length", "0")
    if length.isdigit() and int(length) > limit_bytes:
        raise TooLarge
    size = 0
    more = True
    while more:
        message = await receive()
        if message["type"] == "http.disconnect":
            raise Left
        piece = message.get("body", b"")
        size += len(piece)
        if size > limit_bytes:
            raise TooLarge
        more = message.get("more_body", False)
        yield piece


async def whole_body(receive: Receive, headers: Mapping[str, str], limit_bytes: int) -> bytes:
    pieces = [piece async for piece in body_pieces(receive, headers, limit_bytes)]
    return pieces[0] if len(pieces) == 1 else b"".join(pieces)


async def send_stream(
    receive: Receive, send: Send, stream: AsyncGenerator[bytes], ending: asyncio.Event, stalled_s: float
) -> None:
    """Pieces as they come, until they end, *ending* is set or the client is gone: each is noticed at once.

    The head has been sent. A client that takes longer than *stalled_s* for one piece is given up.
    """
    async with task_group() as tasks:
        writing = tasks.create_task(_write(stream, send, stalled_s))
        for reason in (_left(receive), _set(ending)):
            noticing = tasks.create_task(reason)
            noticing.add_done_callback(partial(_cancel, writing))
            writing.add_done_callback(partial(_cancel, noticing))
    await send(dict(_LAST))


async def _write(stream: AsyncGenerator[bytes], send: Send, stalled_s: float) -> None:
    async with aclosing(stream) as pieces:
        async for piece in pieces:
            async with asyncio.timeout(stalled_s):
                await send({"type": "http.response.body", "body": piece, "more_body": True})


def _cancel(task: asyncio.Task[None], _: asyncio.Task[None]) -> None:
    task.cancel()


async def _set(event: asyncio.Event) -> None:
    await event.wait()


async def _left(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass
