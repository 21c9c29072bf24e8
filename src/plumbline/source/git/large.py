"""Large files: what a repository keeps instead of them, and a tree that shows the files themselves."""

import hashlib
import re
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Final, NamedTuple

from plumbline.base.errors import Corrupted, LimitExceeded
from plumbline.base.tree import Entry, Tree

_POINTER_BYTES: Final = 1024
_MAGIC: Final = b"version https://git-lfs.github.com/spec/v1\n"
_OID: Final = re.compile(rb"^oid sha256:([0-9a-f]{64})$", re.MULTILINE)
_SIZE: Final = re.compile(rb"^size ([0-9]{1,15})$", re.MULTILINE)
_FILES: Final = 200_000
_FOLDERS: Final = 100_000
_MARK: Final = "+lfs"
_UNREAD: Final = "Cannot read a large file"
_AGAIN: Final = "It is fetched again by itself the next time."


class Pointer(NamedTuple):
    oid: str
    """The sha256 of the content."""
    size_bytes: int


class Store:
    """Contents of one repository by their hash, each written whole or not at all.

    Of one alone: whoever writes the hash of another's content into a pointer is given it by no server.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def path(self, oid: str) -> Path:
        return self._folder / oid[:2] / oid

    def holds(self, oid: str) -> bool:
        return self.path(oid).is_file()

    def remove(self) -> None:
        shutil.rmtree(self._folder, ignore_errors=True)

    def read(self, pointer: Pointer) -> bytes:
        """Corrupted where it is not there any more, or another; then it is gone."""
        path = self.path(pointer.oid)
        try:
            content = path.read_bytes()
        except OSError as lost:
            raise Corrupted(_UNREAD, why="its content is gone from our disk", hint=_AGAIN) from lost
        if hashlib.sha256(content).hexdigest() != pointer.oid:
            path.unlink(missing_ok=True)
            raise Corrupted(_UNREAD, why="its content changed on our disk", hint=_AGAIN)
        return content


class Pointers:
    """Finds pointers. What was found in a folder is kept under the folder's hash, so a push costs what it changes."""

    def __init__(self) -> None:
        self._found: dict[str, dict[str, Pointer]] = {}

    def of(self, tree: Tree) -> dict[str, Pointer]:
        """By the hash of the file that holds them. Blocks while it reads every small file, the first time."""
        if len(self._found) > _FOLDERS:
            self._found.clear()
        found: dict[str, Pointer] = {}
        pending = [("", Entry("folder", tree.digest))]
        left = _FILES
        while pending:
            folder, entry = pending.pop()
            children = tree.children(folder)
            left -= len(children)
            if left < 0:
                raise LimitExceeded("Cannot look for large files", why=f"there are more than {_FILES} files")
            here = self._found.get(entry.digest)
            if here is None:
                here = self._found[entry.digest] = _in_folder(tree, folder, children)
            found |= here
            prefix = f"{folder}/" if folder else ""
            pending += [(prefix + name, each) for name, each in children if each.kind == "folder"]
        return found


class LargeTree:
    """*tree* with large files in the place of their pointers. All hashes differ from those without."""

    def __init__(
        self, tree: Tree, pointers: dict[str, Pointer], store: Store, lost: Callable[[], None] = lambda: None
    ) -> None:
        self._tree = tree
        self._pointers = pointers
        self._store = store
        self._lost = lost
        """Called when a content could not be read; perhaps from a thread."""

    @property
    def digest(self) -> str:
        return self._tree.digest + _MARK

    def entry(self, path: str) -> Entry | None:
        entry = self._tree.entry(path)
        return None if entry is None else _marked(entry)

    def children(self, path: str) -> list[tuple[str, Entry]]:
        return [(name, _marked(entry)) for name, entry in self._tree.children(path)]

    def size(self, path: str) -> int:
        pointer = self._pointer(path)
        return self._tree.size(path) if pointer is None else pointer.size_bytes

    def read(self, path: str) -> bytes:
        pointer = self._pointer(path)
        if pointer is None:
            return self._tree.read(path)
        try:
            return self._store.read(pointer)
        except Corrupted:
            self._lost()
            raise

    def _pointer(self, path: str) -> Pointer | None:
        entry = self._tree.entry(path)
        return None if entry is None else self._pointers.get(entry.digest)


def pointer(content: bytes) -> Pointer | None:
    """What a file points to, None where it is no pointer."""
    if not content.startswith(_MAGIC) or len(content) >= _POINTER_BYTES:
        return None
    oid, size = _OID.search(content), _SIZE.search(content)
    return Pointer(oid[1].decode(), int(size[1])) if oid and size else None


def _in_folder(tree: Tree, folder: str, children: list[tuple[str, Entry]]) -> dict[str, Pointer]:
    found = {}
    prefix = f"{folder}/" if folder else ""
    for name, entry in children:
        if entry.kind == "file" and tree.size(prefix + name) < _POINTER_BYTES:
            meant = pointer(tree.read(prefix + name))
            if meant is not None:
                found[entry.digest] = meant
    return found


def _marked(entry: Entry) -> Entry:
    return entry if entry.kind == "module" else entry._replace(digest=entry.digest + _MARK)
