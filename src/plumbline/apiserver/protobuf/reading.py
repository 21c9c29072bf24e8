"""What a body is read with: limits for all of it, and the forms that the reading of a field can have."""

from collections.abc import Callable
from typing import Final, TypeAlias

from plumbline.base.errors import LimitExceeded
from plumbline.base.json import Json, JsonObject

DEEPEST: Final = 100
"""Messages within messages. Only the schemas of CRDs go deeper than a dozen; a schema of this depth has twice as many
levels in JSON, where no more are read either."""
MOST: Final = 100_000
"""Messages, items, entries and unknown fields in one body: two bytes make one, and a hundred times as much in memory."""


class Reading:
    """What one body may still use up."""

    __slots__ = ("depth", "left")

    def __init__(self) -> None:
        self.depth = 0
        self.left = MOST

    def enter(self) -> None:
        """Into a message; whoever leaves it takes one off the depth."""
        self.spend()
        self.depth += 1
        if self.depth > DEEPEST:
            raise LimitExceeded("The request body is not read", why=f"it is deeper than {DEEPEST} messages")

    def spend(self) -> None:
        """Count one more value."""
        self.left -= 1
        if self.left < 0:
            raise LimitExceeded("The request body is not read", why=f"it has more than {MOST:,} values")


ChunkStep: TypeAlias = Callable[[bytes, int, int, JsonObject, Reading], None]
"""Takes what lies between two places of the body into an object."""
NumberStep: TypeAlias = Callable[[int, JsonObject], None]
"""The same with a varint."""
Value: TypeAlias = Callable[[bytes, int, int, Reading], Json]
"""What lies between two places of the body."""
Default: TypeAlias = Callable[[Reading], Json]
