"""What a strategy may know of a write besides the objects themselves."""

from typing import NamedTuple

from plumbline.access.identity import Identity
from plumbline.base.ids import Ids


class Writing(NamedTuple):
    now: str
    """When it is written, in RFC 3339."""
    identity: Identity
    warnings: list[str]
    """Where to say what the caller should know even if the write is refused."""
    ids: Ids
