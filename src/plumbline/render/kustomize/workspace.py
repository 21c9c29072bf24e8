"""The files of a build on disk, at their places, with links as links: Kustomize judges paths by where they really lead."""

from collections.abc import Mapping
from pathlib import Path
from typing import Final

from plumbline.base.errors import LimitExceeded
from plumbline.base.tree import Entry, Tree, walk
from plumbline.render.kustomize.closure import Closure

_TOTAL_BYTES: Final = 1 << 30


def laid_out(tree: Tree, wanted: Closure, folder: Path, edited: Mapping[str, bytes]) -> None:
    """Write what *wanted* holds into the empty *folder*, and *edited* files instead of those in the tree.

    Every link was followed before and stays within the tree, so that on disk it stays within *folder*.
    """
    writer = _Writer(tree, folder)
    for place, entry in wanted.entries.items():
        if entry is not None:
            writer.put(place, entry)
    for link in wanted.links - edited.keys():
        writer.put(link, Entry("link", ""))
    for place, content in edited.items():
        target = folder / place
        target.parent.mkdir(parents=True, exist_ok=True)
        target.unlink(missing_ok=True)
        target.write_bytes(content)


class _Writer:
    def __init__(self, tree: Tree, folder: Path) -> None:
        self._tree = tree
        self._folder = folder
        self._left = _TOTAL_BYTES
        self._made: set[Path] = {folder}

    def put(self, place: str, entry: Entry) -> None:
        match entry.kind:
            case "folder":
                self._make(self._folder / place)
                for below, each in walk(self._tree, place):
                    if each.kind != "folder":
                        self.put(below, each)
            case "link":
                self._link(place)
            case "file":
                self._file(place, entry)
            case "module":
                self._make(self._folder / place)

    def _file(self, place: str, entry: Entry) -> None:
        content = self._tree.read(place)
        self._left -= len(content)
        if self._left < 0:
            raise LimitExceeded(
                "Cannot build the kustomization", why=f"it needs more than {_TOTAL_BYTES} bytes of files"
            )
        target = self._folder / place
        self._make(target.parent)
        target.write_bytes(content)
        if entry.executable:
            target.chmod(0o700)

    def _link(self, place: str) -> None:
        target = self._folder / place
        self._make(target.parent)
        if not target.is_symlink():
            target.symlink_to(self._tree.read(place).decode("utf-8", "surrogateescape"))

    def _make(self, folder: Path) -> None:
        if folder not in self._made:
            folder.mkdir(parents=True, exist_ok=True)
            self._made.add(folder)
