"""Which files of a folder are manifests: by name, pattern and depth alone, without reading any of them."""

import hashlib
import re
from collections.abc import Iterator
from typing import Final, NamedTuple

from plumbline.base.glob import glob
from plumbline.base.tree import Entry, Tree, walk
from plumbline.base.tree.paths import follow
from plumbline.kinds.application import ApplicationSourceDirectory
from plumbline.render.kept import Kept

_MANIFEST: Final = re.compile(r".*\.(?:yaml|yml|json|jsonnet)")
_JSONNET: Final = ".jsonnet"
_SEVERAL: Final = 200_000


class Selection(NamedTuple):
    """What a folder's own content decides. Paths are relative to it, in the order of a walk."""

    files: tuple[str, ...]
    links: tuple[str, ...]
    """Every link in reach, manifest or not: one that leads out refuses the folder."""
    digest: str
    """Of the files' names and contents, links aside."""
    jsonnet: bool
    """Some of the files are programs."""


class Chosen(NamedTuple):
    """A manifest: the path that people see, and the file that is really there."""

    path: str
    place: str

    @property
    def jsonnet(self) -> bool:
        return self.path.endswith(_JSONNET)


_selections: Final[Kept[tuple[str, bool, str, str], Selection]] = Kept(_SEVERAL)


def selection(tree: Tree, place: str, options: ApplicationSourceDirectory) -> Selection:
    """What is selected at *place*. A folder is looked at once for as long as it does not change."""
    folder = tree.entry(place)
    memo = (folder.digest if folder else "", options.recurse, options.include, options.exclude)
    known = _selections.get(memo)
    if known is None:
        known = _selected(tree, place, options)
        _selections.put(memo, known, 1 + len(known.files) + len(known.links))
    return known


def chosen(tree: Tree, place: str, selected: Selection) -> list[Chosen]:
    """The manifests themselves. A link counts as the file that it leads to; InvalidInput where one leads out."""
    links = frozenset(selected.links)
    out = []
    for name in selected.files:
        path = f"{place}/{name}" if place else name
        if name not in links:
            out.append(Chosen(path, path))
            continue
        real, entry = follow(tree, path)
        if entry is not None and entry.kind == "file":
            out.append(Chosen(path, real))
    return out


def linked(tree: Tree, place: str, selected: Selection) -> Iterator[str]:
    """What the links lead to, as digests; InvalidInput where one leads out of the tree."""
    for name in selected.links:
        _, entry = follow(tree, f"{place}/{name}" if place else name)
        yield f"{entry.kind} {entry.digest}" if entry is not None else ""


def _selected(tree: Tree, place: str, options: ApplicationSourceDirectory) -> Selection:
    include = glob(options.include) if options.include else None
    exclude = glob(options.exclude) if options.exclude else None
    files, links = [], []
    digest = hashlib.sha256()
    for name, entry in _reachable(tree, place, recurse=options.recurse):
        if entry.kind == "link":
            links.append(name)
        if not _MANIFEST.fullmatch(name.rpartition("/")[2]):
            continue
        if (exclude is not None and exclude.matches(name)) or (include is not None and not include.matches(name)):
            continue
        files.append(name)
        digest.update(f"{entry.kind} {entry.digest} {name}\0".encode("utf-8", "surrogateescape"))
    jsonnet = any(name.endswith(_JSONNET) for name in files)
    return Selection(tuple(files), tuple(links), digest.hexdigest(), jsonnet)


def _reachable(tree: Tree, place: str, *, recurse: bool) -> Iterator[tuple[str, Entry]]:
    if not recurse:
        below = tree.children(place)
    else:
        start = len(place) + 1 if place else 0
        below = [(path[start:], entry) for path, entry in walk(tree, place)]
    return ((name, entry) for name, entry in below if entry.kind in {"file", "link"})
