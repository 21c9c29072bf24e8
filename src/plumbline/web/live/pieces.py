"""What was put together for somebody, for all others who see the same and have come as far."""

from collections.abc import Hashable
from typing import Final, TypeAlias

Piece: TypeAlias = tuple[bytes, int]
"""What is sent, and how far that comes."""

_MOST_BYTES: Final = 4 << 20


class Pieces:
    """Of one round of news."""

    def __init__(self) -> None:
        self._head = 0
        self._bytes = 0
        self._known: dict[Hashable, Piece] = {}

    def get(self, head: int, key: Hashable) -> Piece | None:
        if head != self._head:
            self._head = head
            self._clear()
        return self._known.get(key)

    def keep(self, key: Hashable, piece: Piece) -> None:
        if self._bytes + len(piece[0]) > _MOST_BYTES:
            self._clear()
        self._known[key] = piece
        self._bytes += len(piece[0])

    def _clear(self) -> None:
        self._known.clear()
        self._bytes = 0
