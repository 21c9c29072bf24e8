"""Paths through links: where one leads, and which links were on the way, since each of them may be what changed."""

from typing import Final, NamedTuple

from plumbline.base.errors import InvalidInput
from plumbline.base.tree import Entry, Tree, joined

_LINKS: Final = 40


class Trail(NamedTuple):
    place: str
    entry: Entry | None
    links: tuple[str, ...]
    """Paths of the links that were followed."""


def trail(tree: Tree, path: str) -> Trail | None:
    """Where *path*, which has no `..`, leads within *tree*; None where a link leads out of it or round in circles."""
    links: list[str] = []
    place = path
    while len(links) <= _LINKS:
        link = _first_link(tree, place)
        if link is None:
            return Trail(place, tree.entry(place), tuple(links))
        links.append(link)
        target = tree.read(link).decode("utf-8", "surrogateescape")
        moved = within(link.rpartition("/")[0], target) if not target.startswith("/") else None
        if moved is None:
            return None
        place = "/".join(part for part in (moved, place[len(link) + 1 :]) if part)
    return None


def within(folder: str, path: str) -> str | None:
    """*path* as written in *folder*; None where it leads out."""
    try:
        return joined(folder, path)
    except InvalidInput:
        return None


def _first_link(tree: Tree, path: str) -> str | None:
    entry = tree.entry(path)
    if entry is not None and entry.kind != "link":
        return None  # what has an entry has folders all the way up to it
    parts = path.split("/")
    for count in range(1, len(parts) + 1):
        above = "/".join(parts[:count])
        entry = tree.entry(above)
        if entry is None:
            return None
        if entry.kind == "link":
            return above
    return None
