"""A tree as real files, for tools that want some."""

import contextlib
from collections.abc import Iterator
from pathlib import Path
from typing import Final, NamedTuple, Optional

from plumbline.base.errors import InvalidInput, LimitExceeded, StorageFailed
from plumbline.base.tree.paths import follow, followed, joined
from plumbline.base.tree.tree import FILES, Entry, Tree

_TOTAL_BYTES: Final = 1 << 30
_NO_NAMES: Final = frozenset({"", ".", ".."})


class _Open(NamedTuple):
    """A folder that is being written, within others."""

    place: str
    within: Optional["_Open"]

    @staticmethod
    def contains(level: "_Open | None", place: str) -> bool:
        while level is not None:
            if level.place == place:
                return True
            level = level.within
        return False


class _Step(NamedTuple):
    target: Path
    place: str
    entry: Entry
    within: _Open | None


def written(tree: Tree, folder: Path, paths: tuple[str, ...] = ("",), *, modes: bool = True) -> None:
    """Write what is at each of *paths*, and below it, into the empty *folder*, in its place.

    No link is written: what it points to is, as a file of its own. One that leads out of the tree refuses everything,
    one that leads nowhere is left out, and so is a folder within itself. Without *modes* nothing is executable.
    """
    left_files, left_bytes = FILES, _TOTAL_BYTES
    pending = [_start(tree, folder, path) for path in reversed(paths)]
    while pending:
        step = pending.pop()
        left_files -= 1
        if step.entry.kind == "file":
            left_bytes -= tree.size(step.place)
        if left_files < 0 or left_bytes < 0:
            bound = f"{FILES:,} files" if left_files < 0 else f"{_TOTAL_BYTES:,} bytes"
            raise LimitExceeded("Cannot write the source", why=f"it has more than {bound}")
        pending += reversed(_written(tree, step, modes=modes))


def _start(tree: Tree, folder: Path, path: str) -> _Step:
    place, entry = followed(tree, path)
    if entry is None:
        raise InvalidInput(f"Cannot read {path or '.'}", why="there is no such path in the source")
    target = folder / joined("", path)
    with _storing():
        target.parent.mkdir(parents=True, exist_ok=True)
    return _Step(target, place, entry, None)


def _written(tree: Tree, step: _Step, *, modes: bool) -> list[_Step]:
    """Write one file, or make one folder and say what comes into it."""
    match step.entry.kind:
        case "folder":
            with _storing():
                step.target.mkdir(exist_ok=True)
            level = _Open(step.place, step.within)
            prefix = f"{step.place}/" if step.place else ""
            return [
                _Step(step.target / _checked(name), prefix + name, entry, level)
                for name, entry in tree.children(step.place)
            ]
        case "link":
            place, entry = follow(tree, step.place)
            if entry is None or (entry.kind == "folder" and _Open.contains(step.within, place)):
                return []
            return [_Step(step.target, place, entry, step.within)]
        case "file":
            with _storing():
                step.target.write_bytes(tree.read(step.place))
                if modes and step.entry.executable:
                    step.target.chmod(0o700)
    return []


def _checked(name: str) -> str:
    if name in _NO_NAMES or "/" in name or "\0" in name:
        raise InvalidInput(f"Cannot write {name!r}", why="no file can have that name")
    return name


@contextlib.contextmanager
def _storing() -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise StorageFailed("Cannot write the source", why=error.strerror or str(error)) from error
