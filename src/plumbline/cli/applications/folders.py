"""Files at hand, as a tree that renderers read: a checkout, or any folder."""

import hashlib
import os
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import Final, NamedTuple

from plumbline.base.errors import InvalidInput, LimitExceeded
from plumbline.base.tree import Entry

_GIT: Final = ".git"
_FILE_BYTES: Final = 64 << 20
_DEEPEST: Final = 64


class DiskTree:
    """What is beneath *root* now, read when it is asked for. Git's own folder is no part of it."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self._entries: dict[str, Entry | None] = {}

    @property
    def digest(self) -> str:
        entry = self.entry("")
        return entry.digest if entry is not None else ""

    def entry(self, path: str) -> Entry | None:
        if path not in self._entries:
            self._entries[path] = self._looked(path)
        return self._entries[path]

    def children(self, path: str) -> list[tuple[str, Entry]]:
        try:
            names = sorted(os.fsencode(each.name) for each in (self._root / path).iterdir())
        except OSError:
            return []
        found = (
            (name, self.entry(f"{path}/{name}" if path else name)) for name in map(os.fsdecode, names) if name != _GIT
        )
        return [(name, entry) for name, entry in found if entry is not None]

    def listed(self, path: str = "") -> Iterator[tuple[str, os.stat_result]]:
        """Files and links below *path*, of which none is read."""
        place = self._root / path
        try:
            names = sorted(each.name for each in place.iterdir() if each.name != _GIT)
        except OSError as hidden:
            raise InvalidInput(f"{place} cannot be listed", why=str(hidden.strerror)) from hidden
        for name in names:
            below = f"{path}/{name}" if path else name
            found = (self._root / below).lstat()
            if stat.S_ISDIR(found.st_mode):
                yield from self.listed(below)
            elif stat.S_ISREG(found.st_mode) or stat.S_ISLNK(found.st_mode):
                yield below, found

    def size(self, path: str) -> int:
        return (self._root / path).lstat().st_size

    def read(self, path: str) -> bytes:
        place = self._root / path
        if place.is_symlink():
            return os.fsencode(place.readlink())
        size = self.size(path)
        if size > _FILE_BYTES:
            raise LimitExceeded(f"{path} is not read", why=f"it has {size} bytes, and {_FILE_BYTES} is the limit")
        return place.read_bytes()

    def _looked(self, path: str) -> Entry | None:
        if path.count("/") > _DEEPEST:
            raise LimitExceeded(f"{path} is not read", why="it is nested too deep")
        try:
            mode = (self._root / path).lstat().st_mode
            if stat.S_ISDIR(mode):
                listed = "".join(f"{name}\0{each.kind} {each.digest}\n" for name, each in self.children(path))
                return Entry("folder", _digest(listed.encode("utf-8", "surrogateescape")))
            if stat.S_ISLNK(mode):
                return Entry("link", _digest(self.read(path)))
            if stat.S_ISREG(mode):
                return Entry("file", _digest(self.read(path)), executable=bool(mode & stat.S_IXUSR))
        except OSError:
            return None
        return None  # neither file nor folder: nothing that a repository can hold


def _digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


class Folder(NamedTuple):
    """A folder of manifests in a tree that may hold more: bases, charts, libraries."""

    tree: DiskTree
    path: str | None
    """None where the tree is all of a repository: the application says which folder of it."""


def folder_at(path: Path, root: Path | None = None, *, whole: bool = False) -> Folder:
    """*path* within *root*, or within the checkout that it is in, or alone; with *whole* it stands for a repository."""
    place = path.resolve()
    if not place.is_dir():
        raise InvalidInput(f"{path} is no folder", hint="Name the folder that holds the application's manifests.")
    if whole:
        return Folder(DiskTree(place), None)
    within = root.resolve() if root is not None else _checkout(place)
    if not place.is_relative_to(within):
        raise InvalidInput(f"{path} is not in {root}", hint="Name a --local-repo-root that holds it.")
    relative = place.relative_to(within).as_posix()
    return Folder(DiskTree(within), "" if relative == "." else relative)


def _checkout(place: Path) -> Path:
    return next((each for each in (place, *place.parents) if (each / _GIT).exists()), place)
