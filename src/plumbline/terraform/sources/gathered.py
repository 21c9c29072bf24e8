"""The files that a GitRepository stands for: those of a commit, with others put in among them, without what is left out."""

import hashlib
from collections.abc import Iterator, Mapping
from typing import Final, NamedTuple

from plumbline.base.errors import InvalidInput, LimitExceeded
from plumbline.base.tree import Entry, Tree, followed, joined, read_text, walk
from plumbline.terraform.sources.ignore import FILE, FILE_BYTES, STANDARD, Rule, Rules, rules

_DEEPEST: Final = 200


class Leaf(NamedTuple):
    """A file or a link, and where it really is."""

    tree: Tree
    place: str
    entry: Entry


class Mount(NamedTuple):
    """Files of another tree."""

    tree: Tree
    from_path: str
    to_path: str


class Content(NamedTuple):
    """What becomes of a commit's files."""

    ignore: str | None = None
    folders: tuple[str, ...] = ()
    """The only ones that are wanted; all of them if there are none."""
    mounts: tuple[Mount, ...] = ()


class Gathered:
    """A tree of files that are in other trees."""

    def __init__(self, leaves: Mapping[str, Leaf]) -> None:
        self._leaves = leaves
        self._folders: dict[str, dict[str, Entry]] = {"": {}}
        for path, leaf in leaves.items():
            folder, _, name = path.rpartition("/")
            self._within(folder)[name] = leaf.entry
        self._root = self._sealed("")

    def _within(self, folder: str) -> dict[str, Entry]:
        found = self._folders.get(folder)
        if found is None:
            found = self._folders[folder] = {}
            above, _, name = folder.rpartition("/")
            self._within(above)[name] = Entry("folder", "")
        return found

    def _sealed(self, folder: str) -> Entry:
        """Give the folder and all below it the hashes of what is in them."""
        held, prefix = self._folders[folder], f"{folder}/" if folder else ""
        named = {
            name: self._sealed(prefix + name) if held[name].kind == "folder" else held[name]
            for name in sorted(held, key=_bytes)
        }
        self._folders[folder] = named
        listed = "".join(f"{name}\0{e.kind} {e.executable} {e.digest}\n" for name, e in named.items())
        return Entry("folder", hashlib.sha256(_bytes(listed)).hexdigest())

    @property
    def digest(self) -> str:
        return self._root.digest

    def entry(self, path: str) -> Entry | None:
        if not path:
            return self._root
        folder, _, name = path.rpartition("/")
        return self._folders.get(folder, {}).get(name)

    def children(self, path: str) -> list[tuple[str, Entry]]:
        return list(self._folders.get(path, {}).items())

    def size(self, path: str) -> int:
        leaf = self._leaf(path)
        return leaf.tree.size(leaf.place)

    def read(self, path: str) -> bytes:
        leaf = self._leaf(path)
        return leaf.tree.read(leaf.place)

    def _leaf(self, path: str) -> Leaf:
        leaf = self._leaves.get(path)
        if leaf is None:
            raise InvalidInput(f"Cannot read {path or '.'}", why="there is no such file in the source")
        return leaf


def gathered(tree: Tree, content: Content) -> Gathered:
    """Blocks for as long as it takes to look at every folder. Raises InvalidInput where a folder is wanted that is not there."""
    leaves = dict(_wanted(tree, content.folders))
    for mount in content.mounts:
        leaves = _mounted(leaves, mount)
    ordered = [*STANDARD, *_of_files(leaves), *rules(content.ignore or "")]
    chosen = Rules(ordered)
    kept = {path: leaf for path, leaf in leaves.items() if not chosen.leaves_out(path)}
    found = Gathered(kept)
    astray = frozenset(path for path, leaf in kept.items() if leaf.entry.kind == "link" and _leads_out(found, path))
    return Gathered({path: leaf for path, leaf in kept.items() if path not in astray}) if astray else found


def _wanted(tree: Tree, folders: tuple[str, ...]) -> Iterator[tuple[str, Leaf]]:
    places = [joined("", folder) for folder in folders] or [""]
    for folder, place in zip(folders, places, strict=False):
        entry = tree.entry(place)
        if entry is None:
            raise InvalidInput(
                "failed to sparse checkout directories",
                why=f"sparse checkout dir '{folder}' does not exist in repository",
            )
        if entry.kind in {"file", "link"}:
            yield place, Leaf(tree, place, entry)
    for place in places:
        yield from ((path, leaf) for path, leaf in _leaves(tree, place))


def _leaves(tree: Tree, folder: str) -> Iterator[tuple[str, Leaf]]:
    """A submodule whose files are not here is none."""
    for path, entry in walk(tree, folder):
        if path.count("/") > _DEEPEST:
            raise LimitExceeded("Cannot use the source", why=f"its folders are nested more than {_DEEPEST} deep")
        if entry.kind in {"file", "link"}:
            yield path, Leaf(tree, path, entry)


def _mounted(leaves: Mapping[str, Leaf], mount: Mount) -> dict[str, Leaf]:
    """What is put in lies over what is there: a file instead of a folder, and the other way round."""
    start, target = joined("", mount.from_path), joined("", mount.to_path)
    entry = mount.tree.entry(start)
    if entry is None or entry.kind != "folder":
        raise InvalidInput(f"Cannot include {mount.from_path or '.'}", why="there is no such folder")
    added = {joined(target, path[len(start) :].lstrip("/")): leaf for path, leaf in _leaves(mount.tree, start)}
    folders = {above for path in added for above in _above(path)}
    kept = {
        path: leaf
        for path, leaf in leaves.items()
        if path not in folders and not any(above in added for above in _above(path))
    }
    return kept | added


def _above(path: str) -> Iterator[str]:
    at = path.rfind("/")
    while at > 0:
        yield path[:at]
        at = path.rfind("/", 0, at)


def _of_files(leaves: Mapping[str, Leaf]) -> Iterator[Rule]:
    """Rules in files of the source, those of a folder before those of folders in it."""
    named = [path for path, leaf in leaves.items() if leaf.entry.kind == "file" and path.rpartition("/")[2] == FILE]
    for path in sorted(named, key=lambda each: (each.count("/"), each)):
        leaf = leaves[path]
        text = read_text(leaf.tree, leaf.place, FILE_BYTES).decode("utf-8", "surrogateescape")
        yield from rules(text, path.rpartition("/")[0])


def _leads_out(tree: Tree, path: str) -> bool:
    try:
        followed(tree, path)
    except InvalidInput:
        return True
    return False


def _bytes(name: str) -> bytes:
    return name.encode("utf-8", "surrogateescape")
