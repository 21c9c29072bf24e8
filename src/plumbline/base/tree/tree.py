"""What a tree is, and reading from it within bounds."""

from collections.abc import Iterator
from typing import Final, Literal, NamedTuple, Protocol, TypeAlias

from plumbline.base.errors import InvalidInput, LimitExceeded

Kind: TypeAlias = Literal["file", "folder", "link", "module"]
"""A module is a submodule whose files are not here."""

FILE_BYTES: Final = 10 << 20
FILES: Final = 100_000
"""In one walk; more are refused."""


class Entry(NamedTuple):
    kind: Kind
    digest: str
    """Equal for equal content, names of what is in a folder included."""
    executable: bool = False


class Tree(Protocol):
    """Every method takes a path that is resolved already; none follows a link."""

    @property
    def digest(self) -> str:
        """The content hash of the whole tree."""

    def entry(self, path: str) -> Entry | None:
        """What is at *path*; the root is a folder. None for nothing."""

    def children(self, path: str) -> list[tuple[str, Entry]]:
        """Names in the folder *path* and what they are, in the order of their bytes. Empty where there is no folder."""

    def size(self, path: str) -> int:
        """Bytes in the file *path*."""

    def read(self, path: str) -> bytes:
        """The bytes of a file, or the target of a link."""


def read_text(tree: Tree, path: str, limit_bytes: int = FILE_BYTES) -> bytes:
    """The file at *path*, or InvalidInput where there is none, LimitExceeded where it is too large."""
    entry = tree.entry(path)
    if entry is None or entry.kind != "file":
        raise InvalidInput(f"Cannot read {path or '.'}", why="there is no such file in the source")
    if (size := tree.size(path)) > limit_bytes:
        raise LimitExceeded(f"Cannot read {path}", why=f"it has {size} bytes, and {limit_bytes} is the limit")
    return tree.read(path)


def walk(tree: Tree, path: str = "") -> Iterator[tuple[str, Entry]]:
    """Every entry below *path*, each folder followed by what is in it, names in the order of their bytes.

    Links are not followed. It is the order in which Go walks directories, and so the one that upstream finds files in.
    """
    left = FILES
    pending = _below(tree, path)
    while pending:
        place, entry = pending.pop()
        left -= 1
        if left < 0:
            raise LimitExceeded(f"Cannot read {path or 'the source'}", why=f"it has more than {FILES:,} files")
        yield place, entry
        if entry.kind == "folder":
            pending += _below(tree, place)


def _below(tree: Tree, folder: str) -> list[tuple[str, Entry]]:
    """Last name first."""
    prefix = f"{folder}/" if folder else ""
    return [(prefix + name, entry) for name, entry in reversed(tree.children(folder))]
