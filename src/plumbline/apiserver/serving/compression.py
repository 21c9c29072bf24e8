"""gzip for replies that are large enough to gain by it."""

import asyncio
import gzip
from typing import Final

WORTH_BYTES: Final = 128 << 10
"""As the API server does: below this, compressing costs more than sending."""
_LEVEL: Final = 1


async def compressed(body: bytes, headers: dict[str, str]) -> tuple[bytes, bytes]:
    """The body to send, and its Content-Encoding where it has one."""
    if len(body) < WORTH_BYTES or not _accepts_gzip(headers.get("accept-encoding", "")):
        return body, b""
    return await asyncio.to_thread(gzip.compress, body, _LEVEL, mtime=0), b"gzip"


def _accepts_gzip(accepted: str) -> bool:
    return any(each.strip() == "gzip" for each in accepted.split(","))
