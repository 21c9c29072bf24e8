"""All objects of one collection, in the order of their paths, with the changes that led there."""

from bisect import bisect_left, bisect_right, insort
from collections.abc import Iterable, Iterator, Sequence
from operator import attrgetter

from plumbline.apiserver.resources.resource import Collection
from plumbline.apiserver.storage.entries import Change, ChangeType, Entry, Key

_revision = attrgetter("revision")
_AFTER_SLASH = "0"
"""The character after `/`: a namespace's paths end before it."""
_FORGOTTEN = Change(ChangeType.DELETED, Entry(Key(Collection("", ""), "", ""), 0, b""), None, 0.0)
"""In the place of one that is no longer kept, until the list is cut."""


class Shelf:
    def __init__(self) -> None:
        self._entries: dict[str, Entry] = {}
        self._paths: list[str] = []
        self._changes: list[Change] = []
        self._dropped = 0
        """How many changes at the front of the list are no longer kept; the list is cut now and then."""

    def __len__(self) -> int:
        return len(self._entries)

    def get(self, path: str) -> Entry | None:
        return self._entries.get(path)

    def load(self, entries: Iterable[Entry]) -> None:
        """Take over what was stored before; history starts here."""
        self._entries = {entry.key.path: entry for entry in entries}
        self._paths = sorted(self._entries)

    def record(self, change: Change) -> None:
        path = change.entry.key.path
        if change.type is ChangeType.DELETED:
            del self._entries[path]
            del self._paths[bisect_left(self._paths, path)]
        else:
            if path not in self._entries:
                insort(self._paths, path)
            self._entries[path] = change.entry
        self._changes.append(change)

    def forget_oldest(self) -> None:
        self._changes[self._dropped] = _FORGOTTEN
        self._dropped += 1
        if self._dropped > len(self._changes) // 2:
            del self._changes[: self._dropped]
            self._dropped = 0

    def since(self, revision: int) -> Sequence[Change]:
        """Changes after *revision*, oldest first."""
        start = bisect_right(self._changes, revision, lo=self._dropped, key=_revision)
        return self._changes[start:]

    def entries(self, namespace: str = "", start: str = "") -> Iterator[Entry]:
        """In order of path, beginning at *start*. A write while iterating is not allowed."""
        return (self._entries[path] for path in self._range(self._paths, namespace, start))

    def paths(self, namespace: str = "") -> Sequence[str]:
        return self._range(self._paths, namespace, "")

    def as_of(self, revision: int, namespace: str = "", start: str = "") -> list[Entry]:
        """What was here at *revision*, which must still be in the history."""
        then = self._before(revision)
        if not then:
            return list(self.entries(namespace, start))
        entries = {path: entry for path, entry in self._entries.items() if path not in then}
        entries.update((path, entry) for path, entry in then.items() if entry is not None)
        return [entries[path] for path in self._range(sorted(entries), namespace, start)]

    def _before(self, revision: int) -> dict[str, Entry | None]:
        """For every path that changed after *revision*: what was there then."""
        then: dict[str, Entry | None] = {}
        for change in self.since(revision):
            then.setdefault(change.entry.key.path, change.previous)
        return then

    @staticmethod
    def _range(paths: list[str], namespace: str, start: str) -> Sequence[str]:
        low = bisect_left(paths, f"{namespace}/") if namespace else 0
        high = bisect_left(paths, f"{namespace}{_AFTER_SLASH}") if namespace else len(paths)
        if start:
            low = max(low, bisect_left(paths, start))
        return paths[low:high]
