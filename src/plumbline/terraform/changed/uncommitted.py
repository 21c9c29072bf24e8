"""Files of a checkout that differ from its commit, laid over that commit's tree."""

import hashlib
import os
import stat
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Final

from plumbline.base.errors import LimitExceeded
from plumbline.base.tree import Entry, MemoryTree, Tree, walk
from plumbline.source.git.library import library

if TYPE_CHECKING:
    import pygit2

_FILE_BYTES: Final = 64 << 20


class Uncommitted:
    """Contents by path, None for what is gone."""

    def __init__(self, files: Mapping[str, tuple[Entry, bytes] | None]) -> None:
        self._files = files

    def __bool__(self) -> bool:
        return bool(self._files)

    def over(self, tree: Tree) -> Tree:
        files: dict[str, bytes] = {}
        links: dict[str, str] = {}
        executables: set[str] = set()
        for path, entry, content in self._all(tree):
            if entry.kind == "link":
                links[path] = content.decode("utf-8", "surrogateescape")
            else:
                files[path] = content
                executables |= {path} if entry.executable else set()
        return _Rehashed(MemoryTree(files, links, frozenset(executables)))

    def _all(self, tree: Tree) -> Iterator[tuple[str, Entry, bytes]]:
        for path, entry in walk(tree):
            if path not in self._files and entry.kind in {"file", "link"}:
                yield path, entry, tree.read(path)
        for path, found in self._files.items():
            if found is not None:
                yield path, *found


class _Rehashed:
    """With Git's own hashes of files, so that what did not change is the same as in the commit."""

    def __init__(self, tree: MemoryTree) -> None:
        self._tree = tree

    @property
    def digest(self) -> str:
        return self._tree.digest

    def entry(self, path: str) -> Entry | None:
        entry = self._tree.entry(path)
        return self._hashed(path, entry) if entry is not None else None

    def children(self, path: str) -> list[tuple[str, Entry]]:
        prefix = f"{path}/" if path else ""
        return [(name, self._hashed(prefix + name, entry)) for name, entry in self._tree.children(path)]

    def size(self, path: str) -> int:
        return self._tree.size(path)

    def read(self, path: str) -> bytes:
        return self._tree.read(path)

    def _hashed(self, path: str, entry: Entry) -> Entry:
        if entry.kind == "folder":
            return entry
        content = self._tree.read(path)
        digest = hashlib.sha1(b"blob %d\0" % len(content) + content, usedforsecurity=False).hexdigest()
        return entry._replace(digest=digest)


def uncommitted(repository: "pygit2.Repository") -> Uncommitted:
    """What differs from HEAD in the index or on disk; what Git ignores stays ignored."""
    flags = library().enums.FileStatus
    root = Path(repository.workdir)
    silent = {flags.CURRENT, flags.IGNORED}
    return Uncommitted(
        {path: _found(root / path) for path, status in repository.status().items() if status not in silent}
    )


def _found(place: Path) -> tuple[Entry, bytes] | None:
    try:
        about = place.lstat()
        if stat.S_ISLNK(about.st_mode):
            return Entry("link", ""), os.fsencode(place.readlink())
        if not stat.S_ISREG(about.st_mode):
            return None
        if about.st_size > _FILE_BYTES:
            raise LimitExceeded(f"{place.name} is not read", why=f"it has more than {_FILE_BYTES:,} bytes")
        return Entry("file", "", executable=bool(about.st_mode & stat.S_IXUSR)), place.read_bytes()
    except OSError:
        return None
