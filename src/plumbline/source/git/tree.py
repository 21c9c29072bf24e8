"""A commit as a tree of files."""

from plumbline.base.errors import InvalidInput
from plumbline.base.tree import Entry
from plumbline.source.git.folders import Folders
from plumbline.source.git.objects import Objects


class GitTree:
    """The files of one commit. An entry costs two look-ups in dictionaries once its folder was seen."""

    def __init__(self, root: str, folders: Folders, objects: Objects) -> None:
        self._root = Entry("folder", root)
        self._folders = folders
        self._objects = objects
        self._seen: dict[str, dict[str, Entry]] = {}

    @property
    def digest(self) -> str:
        return self._root.digest

    def entry(self, path: str) -> Entry | None:
        if not path:
            return self._root
        folder, _, name = path.rpartition("/")
        return self._names(folder).get(name)

    def children(self, path: str) -> list[tuple[str, Entry]]:
        return list(self._names(path).items())

    def size(self, path: str) -> int:
        return self._objects.size(self._blob(path))

    def read(self, path: str) -> bytes:
        return self._objects.read(self._blob(path))

    def _blob(self, path: str) -> str:
        entry = self.entry(path)
        if entry is None or entry.kind not in {"file", "link"}:
            raise InvalidInput(f"Cannot read {path or '.'}", why="there is no such file in the source")
        return entry.digest

    def _names(self, path: str) -> dict[str, Entry]:
        found = self._seen.get(path)
        if found is not None:
            return found
        entry = self.entry(path)
        if entry is None or entry.kind != "folder":
            return {}
        return self._seen.setdefault(path, self._folders.names(entry.digest))
