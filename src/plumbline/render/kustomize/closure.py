"""Which files can influence a build: what the kustomization names, what those name, and so on.

Cheap where nothing changed: what a kustomization names is kept by its content, so that a commit costs each application
some lookups in the tree. Sound where something is odd: then the whole tree counts.
"""

import hashlib
from functools import cached_property
from typing import Final

from plumbline.base.errors import InvalidInput, LimitExceeded, PlumblineError
from plumbline.base.tree import Entry, Tree, followed, joined, read_text
from plumbline.render.kept import Kept
from plumbline.render.kustomize.kustomization import NAMES, parsed
from plumbline.render.kustomize.references import EVERYTHING, Chart, References, Role, references
from plumbline.render.kustomize.remote import fetched, remote
from plumbline.render.tools.content import links_below

_KUSTOMIZATIONS: Final = 1000
_known: Final[Kept[str, References]] = Kept(16_384)


class Closure:
    """What a build looks at."""

    def __init__(self) -> None:
        self.entries: dict[str, Entry | None] = {}
        """By place. None where it looks and there is nothing."""
        self.links: set[str] = set()
        """Links on the way to them: they are part of what Kustomize sees."""
        self.remotes: list[tuple[str, str]] = []
        """What it would fetch, each with the kustomization that names it."""
        self.charts = False
        """Whether charts may be among it."""

    @cached_property
    def digest(self) -> str:
        """Equal for builds that see the same."""
        lines = (
            f"{place}\0{entry.kind} {entry.digest}\n" if entry else f"{place}\0\n" for place, entry in self._sorted
        )
        away = (f"{kustomization}\0{address}\0" for kustomization, address in sorted(self.remotes))
        return hashlib.sha256(
            "".join((*lines, *away, *sorted(self.links))).encode("utf-8", "surrogatepass")
        ).hexdigest()

    @property
    def _sorted(self) -> list[tuple[str, Entry | None]]:
        return sorted(self.entries.items(), key=lambda item: item[0])

    @property
    def whole(self) -> bool:
        return "" in self.entries


def closure(tree: Tree, root: str, extra: tuple[tuple[Role, str], ...] = ()) -> Closure:
    """What building the kustomization in the folder *root* looks at, if it also named *extra*.

    Raises InvalidInput where something leads out of the tree.
    """
    walker = _Walk(tree)
    walker.visit(root)
    walker.follow(root, References(named=extra))
    walker.finish()
    return walker.found


class _Walk:
    def __init__(self, tree: Tree) -> None:
        self.found = Closure()
        self._tree = tree
        self._pending: list[str] = []
        self._seen: set[str] = set()

    def visit(self, root: str) -> None:
        if root in self._seen:
            return
        self._seen.add(root)
        if len(self._seen) > _KUSTOMIZATIONS:
            raise LimitExceeded(
                f"Cannot build {root or '.'}", why=f"it needs more than {_KUSTOMIZATIONS} kustomizations"
            )
        for name in NAMES:
            place, entry = self._entry(root, name)
            if entry is not None and entry.kind == "file":
                self.follow(root, self._references(place, entry))

    def finish(self) -> None:
        while self._pending:
            self.visit(self._pending.pop())

    def follow(self, root: str, named: References) -> None:
        for role, text in named.named:
            self._name(root, role, text)
        for chart in named.charts:
            self._chart(root, chart)
        if named.bound != "listed":
            self.found.charts = True
            self._whole("" if named.bound == "tree" else root)

    def _references(self, place: str, entry: Entry) -> References:
        known = _known.get(entry.digest)
        if known is None:
            try:
                known = references(parsed(read_text(self._tree, place), place))
            except PlumblineError:
                # Kustomize says better what is wrong with it.
                known = EVERYTHING
            _known.put(entry.digest, known)
        return known

    def _name(self, root: str, role: Role, text: str) -> None:
        if fetched(text):
            self.found.remotes.append((root, text))
            return
        if role in {"resource", "component"} and not self._file(root, text) and remote(text):
            self.found.remotes.append((root, text))
            return
        place, entry = self._entry(root, text)
        if entry is None or entry.kind == "file":
            if role == "config" and entry is not None and b".." in read_text(self._tree, place):
                self._whole("")
        elif role in {"resource", "component"}:
            self._pending.append(place)
        else:
            self._whole("" if role == "config" else place)

    def _file(self, root: str, text: str) -> bool:
        """Whether there is a file of that name, which beats every other meaning."""
        try:
            _, entry = followed(self._tree, joined(root, text))
        except InvalidInput:
            return False
        return entry is not None and entry.kind == "file"

    def _chart(self, root: str, chart: Chart) -> None:
        self.found.charts = True
        place, entry = self._entry(root, chart.folder)
        if entry is not None and entry.kind == "folder":
            self._whole(place)
        elif chart.repo:
            self.found.remotes.append((root, f"{chart.repo} (chart {chart.folder.rpartition('/')[2]})"))

    def _entry(self, root: str, text: str) -> tuple[str, Entry | None]:
        if text.startswith("/"):
            raise InvalidInput(f"Cannot use the path {text!r}", why="it leads out of the source")
        path = joined(root, text)
        place, entry = followed(self._tree, path)
        if place != path:
            self.found.links.update(_links(self._tree, path))
        if entry is None or entry.kind != "folder":
            self.found.entries[place] = entry
        return place, entry

    def _whole(self, place: str) -> None:
        """Everything in a folder, and what links in it point to."""
        entry = self._tree.entry(place)
        if self.found.entries.get(place) is not None or entry is None:
            return
        self.found.entries[place] = entry
        for link in links_below(self._tree, place, entry):
            target, aimed = self._entry("", link)
            if aimed is not None and aimed.kind == "folder":
                self._whole(target)


def _links(tree: Tree, path: str) -> list[str]:
    """The links that are followed on the way to *path*, which `followed` has found to end somewhere."""
    links: list[str] = []
    pending, place = [part for part in reversed(path.split("/")) if part], ""
    while pending:
        step = f"{place}/{pending.pop()}" if place else pending.pop()
        entry = tree.entry(step)
        if entry is None or entry.kind != "link":
            place = step
            continue
        links.append(step)
        aimed = joined(place, tree.read(step).decode("utf-8", "surrogateescape"))
        pending.extend(part for part in reversed(aimed.split("/")) if part)
        place = ""
    return links
