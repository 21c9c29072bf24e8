"""Bodies of requests about accounts and sessions: small JSON objects."""

from typing import Final, TypeVar

import msgspec

from plumbline.base.errors import BadDocument
from plumbline.web.requests import Request

_MOST_BYTES: Final = 64 << 10
T = TypeVar("T")


async def read_body(request: Request, shape: type[T]) -> T:
    """Raises BadDocument, which quotes nothing of it: it may hold a password."""
    body = await request.body(_MOST_BYTES)
    try:
        return msgspec.json.decode(body or b"{}", type=shape, strict=False)
    except (msgspec.DecodeError, RecursionError, UnicodeDecodeError):
        raise BadDocument("The body cannot be read", why="it is not the JSON that is expected") from None
