"""A tree as real files, for tools that want some."""

from pathlib import Path

from plumbline.base.errors import InvalidInput, LimitExceeded
from plumbline.base.tree.paths import followed
from plumbline.base.tree.tree import Entry, Tree, walk

_TOTAL_BYTES = 1 << 30


def written(tree: Tree, folder: Path, paths: tuple[str, ...] = ("",)) -> None:
    """Write what is at each of *paths*, and below it, into the empty *folder*, in its place.

    No link is written: what it points to is, as a file of its own. One that leads out of the tree refuses everything.
    """
    left = _TOTAL_BYTES
    for path in paths:
        place, entry = followed(tree, path)
        if entry is None:
            raise InvalidInput(f"Cannot read {path or '.'}", why="there is no such path in the source")
        for below, each in [(path, entry)] if entry.kind != "folder" else walk(tree, place):
            left = _write(tree, folder / (below if entry.kind == "folder" else path), below, each, left)
            if left < 0:
                raise LimitExceeded("Cannot write the source", why=f"it has more than {_TOTAL_BYTES} bytes")


def _write(tree: Tree, target: Path, path: str, entry: Entry, left: int) -> int:
    place, at = followed(tree, path)
    if entry.kind == "link" and at is not None and at.kind == "folder":
        for below, each in walk(tree, place):
            left = _write(tree, target / below[len(place) :].lstrip("/"), below, each, left) if left >= 0 else left
        return left
    if at is None or at.kind in {"folder", "module"}:
        return left
    content = tree.read(place)
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_bytes(content)
    if at.executable:
        target.chmod(0o700)
    return left - len(content)
