"""The last changes, once for everybody: what streams send, and what those go on from who were away for a moment.

No stream has a queue of its own. Each knows how far it has come, so that a thousand of them cost no more memory than one,
and one that does not keep up loses its place instead of holding anything up.
"""

from collections import deque
from collections.abc import Callable, Collection
from dataclasses import dataclass
from typing import Final

from plumbline.web.live import wire
from plumbline.web.live.changes import Change

MOST: Final = 16_384
MOST_BYTES: Final = 16 << 20
_DIGITS: Final = 18
_ENTRY_BYTES: Final = 512
"""Of one that nobody has looked at yet."""


@dataclass(slots=True)
class Counts:
    """What the work was. Tests hold it against the number of those who listen."""

    told: int = 0
    published: int = 0
    encoded: int = 0
    joined: int = 0
    written: int = 0
    written_bytes: int = 0


class Entry:
    """One change at its place. It is encoded when somebody first sees it, and never again."""

    __slots__ = ("_gone", "_ring", "_whole", "change", "reason", "seq", "size_bytes", "topic")

    def __init__(self, ring: "Ring", seq: int, topic: str, change: Change | None, reason: str) -> None:
        self._ring = ring
        self.seq = seq
        self.topic = topic
        self.change = change
        """None where it is not known what changed."""
        self.reason = reason
        self.size_bytes = _ENTRY_BYTES
        self._whole: bytes | None = None
        self._gone: bytes | None = None

    def shown(self, sees: Callable[[str, str], bool]) -> bytes:
        """What somebody is sent, empty if it is none of their business."""
        change = self.change
        if change is None or sees(self.topic, change.scope):
            if self._whole is None:
                self._whole = self._encoded(change)
            return self._whole
        if change.was is not None and sees(self.topic, change.was):
            if self._gone is None:
                self._gone = self._counted(wire.gone(self.topic, change, self._ring.cursor(self.seq)))
            return self._gone
        return b""

    def _encoded(self, change: Change | None) -> bytes:
        cursor = self._ring.cursor(self.seq)
        if change is None:
            return self._counted(wire.reset((self.topic,), self.reason, cursor))
        whole = self._counted(wire.changed(self.topic, change, cursor))
        # The object itself need not be kept any longer.
        self.change = change._replace(payload=None)
        return whole

    def _counted(self, encoded: bytes) -> bytes:
        self._ring.counts.encoded += 1
        self._ring.weigh(self, len(encoded))
        return encoded


class Ring:
    def __init__(self, epoch: str, most: int = MOST, most_bytes: int = MOST_BYTES) -> None:
        self.counts = Counts()
        self.head = 0
        """The newest place there is."""
        self.floor = 0
        """All that came after this place is still here."""
        self._epoch = epoch
        self._most = most
        self._most_bytes = most_bytes
        self._bytes = 0
        self._entries: deque[Entry] = deque()

    def __len__(self) -> int:
        return len(self._entries)

    def mark(self) -> int:
        """A place of its own for something that nobody is told of."""
        self.head += 1
        return self.head

    def put(self, topic: str, change: Change | None, reason: str = "") -> None:
        entry = Entry(self, self.mark(), topic, change, reason)
        self._entries.append(entry)
        self._bytes += entry.size_bytes
        self.counts.published += 1
        self._shrink()

    def weigh(self, entry: Entry, encoded_bytes: int) -> None:
        """Of an entry it is known now what is sent of it."""
        entry.size_bytes += encoded_bytes
        if entry.seq > self.floor:
            self._bytes += encoded_bytes
            self._shrink()

    def after(self, place: int, topics: Collection[str]) -> list[Entry]:
        """What came after *place* of these topics, oldest first. Costs as much as has come since, not as there is."""
        found: list[Entry] = []
        for entry in reversed(self._entries):
            if entry.seq <= place:
                break
            if entry.topic in topics:
                found.append(entry)
        found.reverse()
        return found

    def cursor(self, place: int) -> str:
        return f"{self._epoch}-{place}"

    def place(self, cursor: str) -> int | None:
        """Where a cursor of ours points, None for one from another life or from nowhere."""
        epoch, _, said = cursor.rpartition("-")
        if epoch != self._epoch or not (said.isascii() and said.isdigit() and len(said) <= _DIGITS):
            return None
        place = int(said)
        return place if self.floor <= place <= self.head else None

    def _shrink(self) -> None:
        while len(self._entries) > self._most or self._bytes > self._most_bytes:
            oldest = self._entries.popleft()
            self._bytes -= oldest.size_bytes
            self.floor = oldest.seq
