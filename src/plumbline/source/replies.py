"""What is read of an answer over HTTP, whoever gives it."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    import aiohttp

_PAUSE_S: Final = 60.0
_PIECE_BYTES: Final = 1 << 16


async def beginning(answer: "aiohttp.ClientResponse", most_bytes: int) -> bytes:
    """The body, cut where it is longer than anything that is sent there in earnest; then nobody can decode it."""
    pieces: list[bytes] = []
    left = most_bytes
    async for piece in answer.content.iter_chunked(_PIECE_BYTES):
        pieces.append(piece[:left])
        left -= len(piece)
        if left <= 0:
            break
    return b"".join(pieces)


def pause_s(headers: Mapping[str, str], longest_s: float) -> float:
    """How long a server asks us to stay away; a while where it does not say. Names of headers are in lower case."""
    said = headers.get("retry-after", "")
    return min(float(said), longest_s) if said.isascii() and said.isdecimal() else _PAUSE_S
