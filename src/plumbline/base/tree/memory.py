"""A tree in memory: of an archive that was unpacked, or of a test."""

import hashlib
from collections.abc import Mapping

from plumbline.base.errors import InvalidInput
from plumbline.base.tree.tree import Entry, Kind


class MemoryTree:
    """*files* by path; *links* by path, with what they point to."""

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
            self._contents[path] = target.encode()
            self._put(path, "link", target.encode(), executable=False)
        self._entries[""] = self._seal("")

    def _put(self, path: str, kind: Kind, content: bytes, *, executable: bool) -> None:
        digest = hashlib.sha256(f"{kind} {executable} ".encode() + content).hexdigest()
        entry = Entry(kind, digest, executable)
        self._entries[path] = entry
        folder, _, name = path.rpartition("/")
        for each in _upwards(folder):
            self._folders.setdefault(each, {})
        self._folders[folder][name] = entry

    def _seal(self, folder: str) -> Entry:
        """The folder's entry, made from what is in it."""
        names = self._folders[folder]
        prefix = f"{folder}/" if folder else ""
        for below in [each for each in self._folders if each and each.rpartition("/")[0] == folder]:
            if below in self._contents:
                raise InvalidInput(f"Cannot read {below}", why="it is a file and a folder at once")
            names[below[len(prefix) :]] = self._seal(below)
        listed = "".join(f"{name}\0{entry.kind} {entry.digest}\n" for name, entry in sorted(names.items()))
        entry = Entry("folder", hashlib.sha256(listed.encode()).hexdigest())
        self._entries[folder] = entry
        return entry

    @property
    def digest(self) -> str:
        return self._entries[""].digest

    def entry(self, path: str) -> Entry | None:
        return self._entries.get(path)

    def children(self, path: str) -> list[tuple[str, Entry]]:
        return sorted(self._folders.get(path, {}).items(), key=lambda item: item[0].encode())

    def size(self, path: str) -> int:
        return len(self._contents[path])

    def read(self, path: str) -> bytes:
        return self._contents[path]


def _upwards(folder: str) -> list[str]:
    """*folder* and every folder that it is in."""
    parts = folder.split("/") if folder else []
    return ["/".join(parts[:count]) for count in range(len(parts) + 1)]
