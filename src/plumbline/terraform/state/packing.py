"""A state as bytes in Secrets: compressed, in pieces of what one Secret holds. Pure."""

import gzip
import zlib
from typing import Final

from plumbline.base.errors import BadDocument, LimitExceeded
from plumbline.base.limits import MIB

PIECE_BYTES: Final = MIB
MOST_BYTES: Final = 128 * MIB
"""Of a state that is read. Ten times the largest that people have."""
_GZIP: Final = zlib.MAX_WBITS | 16


def packed(text: bytes) -> bytes:
    """The same bytes for the same text, whenever it is packed."""
    return gzip.compress(text, mtime=0)


def pieces(content: bytes) -> tuple[bytes, ...]:
    return tuple(content[at : at + PIECE_BYTES] for at in range(0, len(content), PIECE_BYTES))


def unpacked(parts: tuple[bytes, ...], most_bytes: int = MOST_BYTES) -> bytes:
    """The text of *parts*. Whole parts behind its end are what an interrupted write left, and are no part of it."""
    engine = zlib.decompressobj(wbits=_GZIP)
    try:
        text = engine.decompress(b"".join(parts), most_bytes + 1)
    except zlib.error as broken:
        raise BadDocument("The state cannot be unpacked", why="it is no gzip, or damaged") from broken
    if len(text) > most_bytes:
        raise LimitExceeded("The state is too large", why=f"it unpacks to more than {most_bytes:,} bytes")
    if not engine.eof:
        raise BadDocument("The state cannot be unpacked", why="it ends in the middle")
    left = len(engine.unused_data)
    for part in reversed(parts):
        if left <= 0:
            break
        left -= len(part)
    if left < 0:
        raise BadDocument("The state cannot be unpacked", why="something else follows it")
    return text
