"""Compressed answers, opened no further than their limit: a few kilobytes can stand for many gigabytes."""

import asyncio
import zlib

from plumbline.base.errors import GarbledReply, LimitExceeded

_GZIP = 31
_OFF_LOOP_BYTES = 1 << 18
"""Above this, opening it takes long enough for others to notice."""


async def unpacked(body: bytes, limit: int, what: str) -> bytes:
    if len(body) > _OFF_LOOP_BYTES:
        return await asyncio.to_thread(_unpacked, body, limit, what)
    return _unpacked(body, limit, what)


def _unpacked(body: bytes, limit: int, what: str) -> bytes:
    opener = zlib.decompressobj(_GZIP)
    try:
        opened = opener.decompress(body, limit + 1)
    except zlib.error as broken:
        raise GarbledReply(f"The answer to {what} cannot be read", why=f"it is not gzip ({broken})") from None
    if len(opened) > limit:
        raise LimitExceeded(f"The answer to {what} is too large", why=f"the limit is {limit} bytes, once unpacked")
    if not opener.eof:
        raise GarbledReply(f"The answer to {what} cannot be read", why="it breaks off in the middle of its gzip")
    return opened
