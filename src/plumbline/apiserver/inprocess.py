"""The control plane as a transport of `kube.client`: no socket, no TLS, no copy."""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable
from contextlib import aclosing
from urllib.parse import unquote

from plumbline.access.identity import Identity
from plumbline.apiserver.calls import Answer, Call, impersonation
from plumbline.base.errors import TimedOut
from plumbline.base.tasks import task_group
from plumbline.kube.client.transport import Request, Response

Serve = Callable[[Call], Awaitable[Answer]]


class InProcessTransport:
    def __init__(self, serve: Serve, identity: Identity | None = None) -> None:
        """With *identity*, requests are that caller's; without, they must bring credentials."""
        self._serve = serve
        self._identity = identity

    async def send(self, request: Request) -> Response:
        named = [(name.lower(), value) for name, value in request.headers]
        call = Call(
            request.method,
            unquote(request.path),
            request.query,
            dict(named),
            request.body,
            identity=self._identity,
            repeated_headers=impersonation(named),
        )
        if request.guard:
            request.guard()
        try:
            async with asyncio.timeout(request.deadline_s):
                answered = await self._serve(call)
        except TimeoutError:
            raise TimedOut(f"no answer to {request!r} within {request.deadline_s:g} s") from None
        return _response(answered)

    async def close(self) -> None:
        """Nothing is held open."""


def _response(answered: Answer) -> Response:
    headers = {"content-type": answered.content_type}
    warnings = []
    for name, value in answered.headers:
        if name == "Warning":
            warnings.append(value)
        headers.setdefault(name.lower(), value)
    stream = Pieces(answered.stream) if answered.stream is not None else None
    return Response(answered.status, headers, answered.body, tuple(warnings), stream)


class Pieces:
    """A streamed answer. Closing it while somebody waits for the next piece ends that wait."""

    def __init__(self, stream: AsyncGenerator[bytes]) -> None:
        self._stream = stream
        self._closed = asyncio.Event()

    async def __aiter__(self) -> AsyncIterator[bytes]:
        async with aclosing(self._stream) as stream:
            while not self._closed.is_set():
                piece = await self._next(stream)
                if piece is None:
                    return
                yield piece

    async def _next(self, stream: AsyncGenerator[bytes]) -> bytes | None:
        async with task_group() as tasks:
            closing = tasks.create_task(self._closed.wait())
            waiting = tasks.create_task(_piece(stream))
            closing.add_done_callback(lambda _: waiting.cancel())
            waiting.add_done_callback(lambda _: closing.cancel())
        return None if waiting.cancelled() else waiting.result()

    async def close(self) -> None:
        self._closed.set()


async def _piece(stream: AsyncGenerator[bytes]) -> bytes | None:
    return await anext(stream, None)
