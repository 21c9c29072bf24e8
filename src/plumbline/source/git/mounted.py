"""A tree in which submodules are folders with the files of the commits that they name."""

import hashlib
from collections.abc import Mapping

from plumbline.base.tree import Entry, Tree


class Mounted:
    """*tree* with each of *mounts* at its path. Folders above a mount have a hash that counts what is mounted."""

    def __init__(self, tree: Tree, mounts: Mapping[str, Tree]) -> None:
        self._tree = tree
        self._mounts = dict(mounts)
        self._above = {path: Entry("folder", mounted.digest) for path, mounted in mounts.items()}
        for folder in {folder for path in mounts for folder in _folders_above(path)}:
            self._above[folder] = Entry("folder", self._digest(folder))

    def holds(self, tree: Tree, mounts: Mapping[str, Tree]) -> bool:
        """Whether it is of these very trees."""
        same = all(mounts.get(path) is mounted for path, mounted in self._mounts.items())
        return tree is self._tree and same and len(mounts) == len(self._mounts)

    def _digest(self, folder: str) -> str:
        entry = self._tree.entry(folder)
        below = sorted(path for path in self._mounts if not folder or path.startswith(f"{folder}/"))
        parts = [entry.digest if entry else "", *(f"{path}\0{self._mounts[path].digest}" for path in below)]
        return hashlib.sha256("\n".join(parts).encode("utf-8", "surrogateescape")).hexdigest()

    @property
    def digest(self) -> str:
        return self._above[""].digest

    def entry(self, path: str) -> Entry | None:
        if path in self._above:
            return self._above[path]
        tree, inner = self._at(path)
        return tree.entry(inner)

    def children(self, path: str) -> list[tuple[str, Entry]]:
        tree, inner = self._at(path)
        listed = tree.children(inner)
        if tree is not self._tree:
            return listed
        prefix = f"{path}/" if path else ""
        return [(name, self._above.get(prefix + name, entry)) for name, entry in listed]

    def size(self, path: str) -> int:
        tree, inner = self._at(path)
        return tree.size(inner)

    def read(self, path: str) -> bytes:
        tree, inner = self._at(path)
        return tree.read(inner)

    def _at(self, path: str) -> tuple[Tree, str]:
        """The tree that *path* is in, and where in it."""
        if path in self._mounts:
            return self._mounts[path], ""
        for folder in _folders_above(path):
            if folder in self._mounts:
                return self._mounts[folder], path[len(folder) + 1 :]
        return self._tree, path


def _folders_above(path: str) -> list[str]:
    """From the nearest to the root."""
    parts = path.split("/")
    return ["/".join(parts[:count]) for count in range(len(parts) - 1, -1, -1)] if path else []
