"""A tree in memory: of an archive that was unpacked, or of a test."""

import hashlib
from collections.abc import Mapping
from typing import Final

from plumbline.base.errors import InvalidInput
from plumbline.base.tree.paths import joined
from plumbline.base.tree.tree import Entry, Kind

_PATH_CHARACTERS: Final = 4096
_SHOWN: Final = 200


class MemoryTree:
    """*files* by path; *links* by path, with what they point to. Refuses paths that are not plain ones from the root."""

    def __init__(
        self,
        files: Mapping[str, bytes],
        links: Mapping[str, str] | None = None,
        executables: frozenset[str] = frozenset(),
    ) -> None:
        self._contents: dict[str, bytes] = dict(files)
        self._entries: dict[str, Entry] = {}
        self._folders: dict[str, dict[str, Entry]] = {"": {}}
        for path, content in files.items():
            self._put(path, "file", content, executable=path in executables)
        for path, target in (links or {}).items():
            self._contents[path] = target.encode("utf-8", "surrogateescape")
            self._put(path, "link", target.encode("utf-8", "surrogateescape"), executable=False)
        self._seal()

    def _put(self, path: str, kind: Kind, content: bytes, *, executable: bool) -> None:
        if not path or len(path) > _PATH_CHARACTERS or joined("", path) != path:
            raise InvalidInput(f"Cannot use the path {path[:_SHOWN]!r}", why="it is not a plain path from the root")
        digest = hashlib.sha256(f"{kind} {executable} ".encode() + content).hexdigest()
        entry = Entry(kind, digest, executable)
        self._entries[path] = entry
        folder, _, name = path.rpartition("/")
        for each in _upwards(folder):
            self._folders.setdefault(each, {})
        self._folders[folder][name] = entry

    def _seal(self) -> None:
        """Give every folder its entry, made from what is in it: the deepest first."""
        for folder in sorted(self._folders, key=lambda place: place.count("/") + bool(place), reverse=True):
            if folder in self._contents:
                raise InvalidInput(f"Cannot read {folder}", why="it is a file and a folder at once")
            named = sorted(self._folders[folder].items(), key=lambda item: _bytes(item[0]))
            listed = b"".join(b"%s\0%s %s\n" % (_bytes(n), e.kind.encode(), e.digest.encode()) for n, e in named)
            entry = self._entries[folder] = Entry("folder", hashlib.sha256(listed).hexdigest())
            self._folders[folder] = dict(named)
            if folder:
                above, _, name = folder.rpartition("/")
                self._folders[above][name] = entry

    @property
    def digest(self) -> str:
        return self._entries[""].digest

    def entry(self, path: str) -> Entry | None:
        return self._entries.get(path)

    def children(self, path: str) -> list[tuple[str, Entry]]:
        return list(self._folders.get(path, {}).items())

    def size(self, path: str) -> int:
        return len(self._contents[path])

    def read(self, path: str) -> bytes:
        return self._contents[path]


def _upwards(folder: str) -> list[str]:
    """*folder* and every folder that it is in."""
    parts = folder.split("/") if folder else []
    return ["/".join(parts[:count]) for count in range(len(parts) + 1)]


def _bytes(name: str) -> bytes:
    return name.encode("utf-8", "surrogateescape")
