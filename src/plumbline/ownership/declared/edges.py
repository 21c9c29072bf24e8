"""Files of a checkout, from a disk: bounded, without following links, in an order that does not depend on the disk."""

import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final, NamedTuple

from plumbline.base.errors import InvalidInput, LimitExceeded
from plumbline.base.limits import MANIFESTS, MIB
from plumbline.ownership.declared.files import File, Unread, relevant

_PASSED_OVER: Final = frozenset({
    ".git", ".hg", ".terraform", ".terragrunt-cache", ".tox", ".venv", "__pycache__", "node_modules",
})  # fmt: skip
_MOST_ENTRIES: Final = 500_000
_MOST_BYTES: Final = 512 * MIB


class Tree(NamedTuple):
    root: Path
    """Paths of files are relative to it: the root of the checkout, or else the folder that the program runs in."""
    files: tuple[File, ...]
    unread: tuple[Unread, ...]


def read_tree(paths: Sequence[Path], here: Path) -> Tree:
    """The files below *paths* that can say something.

    Raises InvalidInput for paths that are not there or not in one checkout, LimitExceeded for more than anybody has.
    """
    root = checkout_of(paths[0] if paths else here, here)
    files: dict[str, File] = {}
    unread: list[Unread] = []
    total = 0
    for path in paths:
        for found in _walk(path.absolute()):
            name = _relative(found, root)
            if name in files or not (relevant(name) or found == path.absolute()):
                continue
            if found.is_symlink():
                unread.append(Unread(name, "it is a symbolic link, and those are not followed"))
                continue
            content = content_of(found)
            total += len(content)
            if total > _MOST_BYTES:
                raise LimitExceeded(
                    "The files go beyond what is read", why=f"they have more than {_MOST_BYTES:,} bytes"
                )
            files[name] = File(name, content)
    return Tree(root, tuple(files[name] for name in sorted(files)), tuple(unread))


def checkout_of(path: Path, here: Path) -> Path:
    """The checkout that *path* is in; where there is none, *here* if it is below that, and else its own folder."""
    whole = Path(os.path.normpath(path.absolute()))
    for folder in (whole, *whole.parents):
        if (folder / ".git").exists():
            return folder
    if whole.is_relative_to(here):
        return here
    return whole if whole.is_dir() else whole.parent


def _relative(path: Path, root: Path) -> str:
    normal = Path(os.path.normpath(path))
    if not normal.is_relative_to(root):
        hint = "Check one repository at a time."
        raise InvalidInput(f"{path} is not in {root}", why="all paths have to be in the same checkout", hint=hint)
    return normal.relative_to(root).as_posix()


def _walk(start: Path) -> Iterator[Path]:
    if not start.is_dir():
        if not start.exists():
            raise InvalidInput(f"{start} is not there")
        yield start
        return
    waiting = [start]
    seen = 0
    while waiting:
        try:
            entries = sorted(os.scandir(waiting.pop()), key=lambda entry: entry.name)
        except OSError as cause:
            raise InvalidInput(f"{start} cannot be read", why=cause.strerror or str(cause)) from cause
        seen += len(entries)
        if seen > _MOST_ENTRIES:
            raise LimitExceeded(f"{start} goes beyond what is read", why=f"it has more than {_MOST_ENTRIES:,} entries")
        for entry in entries:
            if entry.is_dir(follow_symlinks=False):
                if entry.name not in _PASSED_OVER:
                    waiting.append(Path(entry.path))
            elif entry.is_symlink() or entry.is_file(follow_symlinks=False):
                yield Path(entry.path)


def content_of(path: Path) -> bytes:
    """No more than one byte beyond the limit: whoever reads the file refuses it with the right words."""
    try:
        with path.open("rb") as file:
            return file.read(MANIFESTS.size_bytes + 1)
    except OSError as cause:
        raise InvalidInput(f"{path} cannot be read", why=cause.strerror or str(cause)) from cause
