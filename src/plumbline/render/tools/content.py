"""What a folder is made of, links included: its own digest says where they point, not what is there."""

from typing import Final

from plumbline.base.tree import Entry, Tree, followed, walk
from plumbline.render.kept import Kept

_links: Final[Kept[str, tuple[str, ...]]] = Kept(4096)


def links_below(tree: Tree, place: str, folder: Entry) -> tuple[str, ...]:
    """Paths of the links in *folder* at *place*. Kept by content: a folder that did not change is not walked again."""
    known = _links.get(folder.digest)
    if known is None:
        start = len(place) + 1 if place else 0
        known = tuple(path[start:] for path, entry in walk(tree, place) if entry.kind == "link")
        _links.put(folder.digest, known)
    return tuple(f"{place}/{path}" if place else path for path in known)


def content(tree: Tree, place: str) -> tuple[str, ...]:
    """Texts that change with everything that can be read below *place*; InvalidInput where a link leads out of the tree."""
    seen: dict[str, str] = {}
    pending = [place]
    while pending:
        each = pending.pop()
        entry = tree.entry(each)
        if each in seen:
            continue
        seen[each] = f"{each} {entry.kind} {entry.digest}" if entry else f"{each} nothing"
        if entry is not None and entry.kind == "folder":
            pending += [followed(tree, link)[0] for link in links_below(tree, each, entry)]
    return tuple(sorted(seen.values()))
