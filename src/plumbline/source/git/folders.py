"""What is in a folder of a commit, by the hash of that folder: what a push leaves as it is, is never read again."""

from typing import Final

from plumbline.base.tree import Entry
from plumbline.base.tree.tree import Kind
from plumbline.source.git.objects import Objects

_ENTRIES: Final = 300_000
"""Some 60 MB at the most: a monorepo of 5,000 applications has a tenth of that."""

_LINK, _MODULE, _FOLDER, _EXECUTABLE = 0o120000, 0o160000, 0o040000, 0o100755


class Folders:
    """A cache. It may be used from several threads: the worst that happens is that a folder is read twice."""

    def __init__(self, objects: Objects, capacity: int = _ENTRIES) -> None:
        self.reads = 0
        """How many folders were read, rather than found here."""
        self._objects = objects
        self._capacity = capacity
        self._entries = 0
        self._names: dict[str, dict[str, Entry]] = {}

    def names(self, digest: str) -> dict[str, Entry]:
        """Names in the folder with this hash, in the order of their bytes. Corrupted where it cannot be read."""
        found = self._names.get(digest)
        return self._read(digest) if found is None else found

    def _read(self, digest: str) -> dict[str, Entry]:
        self.reads += 1
        listed = sorted(self._objects.listed(digest))
        names = {name.decode("utf-8", "surrogateescape"): _entry(mode, below) for name, mode, below in listed}
        self._entries += len(names)
        while self._entries > self._capacity and self._names:
            oldest = self._names.pop(next(iter(self._names)), {})
            self._entries -= len(oldest)
        self._names[digest] = names
        return names


def _entry(mode: int, digest: str) -> Entry:
    kind: Kind = "file"
    if mode == _FOLDER:
        kind = "folder"
    elif mode == _LINK:
        kind = "link"
    elif mode == _MODULE:
        kind = "module"
    return Entry(kind, digest, mode == _EXECUTABLE)
