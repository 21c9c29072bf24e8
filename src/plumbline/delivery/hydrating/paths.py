"""Where an application may be written: a folder of its own below the root, and nowhere else. Pure."""

import posixpath
from collections.abc import Callable, Iterable, Mapping
from typing import Final

from plumbline.base.errors import InvalidInput
from plumbline.base.tree import Tree
from plumbline.delivery.hydrations import Group, Hydration
from plumbline.kernel.cache import Key

_FORBIDDEN: Final = frozenset({".git", "..", ""})
_LONGEST: Final = 1024


def folder(path: str, branch: str) -> str:
    """*path* in its one spelling. Raises InvalidInput for the root, and for what leaves the repository."""
    clean = posixpath.normpath(path) if path else "."
    if clean in {".", "/", "//"}:
        raise InvalidInput(
            f'app is configured to hydrate to the repository root (branch "{branch}", path "{path}") which is not allowed'
        )
    parts = clean.split("/")
    if any(part.lower() in _FORBIDDEN for part in parts) or not clean.isprintable() or len(clean) > _LONGEST:
        raise InvalidInput(
            f"the path {path!r} is not written to",
            why="it leads out of the repository, into .git, or is no path at all",
        )
    return clean


def named(key: Key) -> str:
    """An application as upstream names it in messages."""
    return "/".join(key)


def shared(
    beside: Mapping[Key, Hydration], group: Group, made_at: Callable[[Key], str], permitted: Callable[[Key], bool]
) -> Mapping[Key, InvalidInput]:
    """Members of *group* that would write where another of those on its branch writes too, and what is said of that.

    In a group neither is written, as upstream has it. Of those that come from elsewhere the one counts that was there
    first: two groups that write to one folder would undo each other's work, and nobody may be stopped by a newcomer,
    nor by whoever is not *permitted* to write there.
    """
    places: dict[str, list[Key]] = {}
    for key, hydration in sorted(beside.items()):
        places.setdefault(posixpath.normpath(hydration.path), []).append(key)
    found: dict[Key, InvalidInput] = {}
    for path, keys in places.items():
        for key in keys if len(keys) > 1 else ():
            if beside[key].group != group:
                continue
            age = (made_at(key), key)
            inside = (each for each in keys if each != key and beside[each].group == group)
            before = (each for each in keys if beside[each].group != group and (made_at(each), each) < age)
            other = next(inside, None) or next(filter(permitted, before), None)
            if other is not None:
                found[key] = InvalidInput(
                    f"app {named(other)} hydrator uses the same destination: repo={group.repository}, path={path}"
                )
    return found


def check_ways(tree: Tree, folders: Iterable[str]) -> None:
    """Raise InvalidInput where a file or a link is in the way of a folder: it is somebody's, and not ours to replace."""
    for path in folders:
        parts = path.split("/")
        for count in range(1, len(parts) + 1):
            way = "/".join(parts[:count])
            entry = tree.entry(way)
            if entry is not None and entry.kind != "folder":
                raise InvalidInput(f"the path {path!r} is not written to", why=f"{way} is a {entry.kind} there")


def check_places(tree: Tree | None, files: Iterable[str]) -> None:
    """Raise InvalidInput where one of *files* would be where a folder is, in *tree* or by another of them.

    Git would hold the one that comes last, and what another application wrote would be gone without a word.
    """
    planned = frozenset(files)
    folders = {way for file in planned for way in _ways(file)}
    for file in sorted(planned):
        entry = None if tree is None else tree.entry(file)
        if file in folders or (entry is not None and entry.kind == "folder"):
            raise InvalidInput(f"{file} is not written", why="a folder is there, or is to be there for an application")


def _ways(file: str) -> list[str]:
    parts = file.split("/")
    return ["/".join(parts[:count]) for count in range(1, len(parts))]
