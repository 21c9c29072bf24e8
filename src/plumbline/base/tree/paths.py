"""Paths that people write, made into places in a tree: total, and with one answer for everything that leads out."""

from typing import Final

from plumbline.base.errors import InvalidInput
from plumbline.base.tree.tree import Entry, Tree

_LINKS: Final = 40
_TARGET_BYTES: Final = 4096


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
    place = joined("", path)
    entry = tree.entry(place)
    # What has an entry has folders all the way up to it: only the entry itself can be a link.
    return (place, entry) if entry is not None and entry.kind != "link" else follow(tree, place)


def follow(tree: Tree, path: str) -> tuple[str, Entry | None]:
    """`followed` for a path that comes from a tree: its parts are names, whatever they look like."""
    pending = path.split("/")[::-1] if path else []
    place = ""
    left = _LINKS
    while pending:
        part = pending.pop()
        if part == "..":
            # Of a link's target alone, and links before it are followed by now, as a kernel does it.
            if not place:
                raise _outside(path)
            place = place.rpartition("/")[0]
            continue
        step = f"{place}/{part}" if place else part
        entry = tree.entry(step)
        if entry is None or entry.kind != "link":
            place = step
            continue
        left -= 1
        if left < 0:
            raise InvalidInput(f"Cannot follow {path}", why="its links go round in circles")
        target = _target(tree, step, path)
        if not target:
            return step, None
        pending.extend(part for part in reversed(target.split("/")) if part not in {"", "."})
    return place, tree.entry(place)


def _target(tree: Tree, link: str, path: str) -> str:
    if tree.size(link) > _TARGET_BYTES:
        raise InvalidInput(f"Cannot follow {path}", why="it is a link to a name that no system can have")
    target = tree.read(link).decode("utf-8", "surrogateescape")
    if target.startswith("/") or "\0" in target:
        raise _outside(path)
    return target


def _outside(path: str) -> InvalidInput:
    """The same words whether or not there is something out there."""
    return InvalidInput(f"Cannot use the path {path!r}", why="it leads out of the source")
