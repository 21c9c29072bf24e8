"""Bodies of requests to git, which come compressed or not, and in any number of pieces."""

import asyncio
import zlib
from collections.abc import AsyncIterator
from typing import Final

from plumbline.base.errors import BadDocument
from plumbline.base.http.asgi import TooLarge
from plumbline.web.requests import Request

STALLED_S: Final = 60.0
"""How long a client may take for the next piece."""
_GZIP: Final = zlib.MAX_WBITS | 16
_PIECE_BYTES: Final = 1 << 18


async def unpacked(request: Request, limit_bytes: int) -> AsyncIterator[bytes]:
    """The body as it was before it was compressed; TooLarge before more than the limit is handed on.

    TimeoutError where the client says nothing for too long.
    """
    plain = request.header("content-encoding").lower() not in {"gzip", "x-gzip"}
    inflating = _Inflating(limit_bytes)
    pieces = aiter(request.pieces(limit_bytes))
    while True:
        try:
            async with asyncio.timeout(STALLED_S):
                piece = await anext(pieces)
        except StopAsyncIteration:
            break
        if plain:
            yield piece
        else:
            for inflated in inflating.feed(piece):
                yield inflated
    if not plain:
        inflating.end()


class _Inflating:
    def __init__(self, limit_bytes: int) -> None:
        self._limit_bytes = limit_bytes
        self._inflate = zlib.decompressobj(_GZIP)
        self._size = 0
        self._began = False

    def feed(self, piece: bytes) -> list[bytes]:
        made: list[bytes] = []
        self._began = self._began or bool(piece)
        while piece:
            try:
                inflated = self._inflate.decompress(piece, _PIECE_BYTES)
            except zlib.error:
                raise BadDocument("The request is not read", why="its body is not compressed as it says") from None
            self._size += len(inflated)
            if self._size > self._limit_bytes:
                raise TooLarge
            made.append(inflated)
            piece = b"" if self._inflate.eof else self._inflate.unconsumed_tail
        return made

    def end(self) -> None:
        if self._began and not self._inflate.eof:
            raise BadDocument("The request is not read", why="its compressed body ends too early")
