"""Paths that people write, made into places in a tree: total, and with one answer for everything that leads out."""

from typing import Final

from plumbline.base.errors import InvalidInput
from plumbline.base.tree.tree import Entry, Tree

_LINKS: Final = 40


def joined(folder: str, path: str) -> str:
    """*path* as written in *folder*, without `.` and `..`; a leading slash means the root. Refuses what leads out."""
    if "\0" in path or "\\" in path:
        raise _outside(path)
    parts = [] if path.startswith("/") else [part for part in folder.split("/") if part]
    for part in path.split("/"):
        if part == "..":
            if not parts:
                raise _outside(path)
            parts.pop()
        elif part not in {"", "."}:
            parts.append(part)
    return "/".join(parts)


def resolve(tree: Tree, path: str) -> str:
    """Where *path* is once every link on its way is followed, or InvalidInput where one leads out of the tree.

    The last part may be missing: that is for whoever reads to say.
    """
    return followed(tree, path)[0]


def followed(tree: Tree, path: str) -> tuple[str, Entry | None]:
    """`resolve`, and what is there."""
    pending = [part for part in reversed(joined("", path).split("/")) if part]
    place = ""
    entry = tree.entry("")
    left = _LINKS
    while pending:
        step = f"{place}/{pending.pop()}" if place else pending.pop()
        entry = tree.entry(step)
        if entry is None or entry.kind != "link":
            place = step
            continue
        left -= 1
        if left < 0:
            raise InvalidInput(f"Cannot follow {path}", why="its links go round in circles")
        target = tree.read(step).decode("utf-8", "surrogateescape")
        if target.startswith("/"):
            raise _outside(path)
        aimed = joined(place, target)
        pending.extend(part for part in reversed(aimed.split("/")) if part)
        place, entry = "", tree.entry("")
    return place, entry


def _outside(path: str) -> InvalidInput:
    """The same words whether or not there is something out there."""
    return InvalidInput(f"Cannot use the path {path!r}", why="it leads out of the source")
