"""Moments as objects hold them."""

from datetime import UTC, datetime
from functools import lru_cache


@lru_cache(maxsize=4096)
def moment(text: str) -> datetime | None:
    """When *text* says; None where it says nothing that can be read."""
    try:
        read = datetime.fromisoformat(text)
    except ValueError:
        return None
    return read if read.tzinfo else read.replace(tzinfo=UTC)
