"""Which files an application says that its manifests depend on, as upstream reads `manifest-generate-paths`."""

import posixpath

from plumbline.base.errors import InvalidInput, LimitExceeded
from plumbline.base.tree import Tree
from plumbline.render.tools.globs import patterned, shallow


def touching(tree: Tree, place: str, paths: tuple[str, ...]) -> tuple[str, ...]:
    """Texts that change with everything that *paths* name, seen from *place*: files, folders, or patterns for either."""
    return tuple(text for path in paths for text in _below(tree, _cleaned(place, path)))


def _cleaned(place: str, path: str) -> str:
    inside = path[1:] if path.startswith("/") else posixpath.join(place, path)
    return posixpath.normpath(inside)


def _below(tree: Tree, path: str) -> list[str]:
    if path == ".":
        return [tree.digest]
    try:
        found = shallow(tree, path) if patterned(path) else [path]
    except (InvalidInput, LimitExceeded):
        return [tree.digest]  # what cannot be looked up may be anything
    entries = ((each, tree.entry(each)) for each in found if not each.startswith(".."))
    return [f"{each} {entry.kind} {entry.digest}" if entry else f"{each} nothing" for each, entry in entries]
