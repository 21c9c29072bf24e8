"""A tree of objects, as values. Pure."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Final, NamedTuple

from plumbline.base.errors import PlumblineError
from plumbline.base.json import JsonObject
from plumbline.kube.health import Health, assess
from plumbline.kube.names import GroupVersionKind, Ref

_DEEPEST: Final = 32


class Node(NamedTuple):
    """An object. One that Git names and that is not there has no uid."""

    group: str
    kind: str
    namespace: str
    name: str
    uid: str = ""
    obj: JsonObject = {}  # noqa: RUF012 - never changed
    version: str = ""
    found: Health | None = None
    """How it fares, where somebody else has found that out."""

    @property
    def ref(self) -> Ref:
        return Ref(self.group, self.kind, self.namespace, self.name)

    @property
    def gvk(self) -> GroupVersionKind:
        return GroupVersionKind(self.group, self.version, self.kind)

    @property
    def health(self) -> Health | None:
        return self.found or (assess(self.obj) if self.obj else None)

    @property
    def shown(self) -> str:
        return f"{self.kind}/{self.name}"


class Unread(NamedTuple):
    """What the cluster did not tell of: an object or, without a name, all of a kind."""

    ref: Ref
    error: PlumblineError

    @property
    def why(self) -> str:
        return self.error.why or self.error.what


class Tree(NamedTuple):
    roots: tuple[Node, ...]
    children: Mapping[str, Sequence[Node]]
    """By the uid of the owner."""
    cut: bool = False
    """There is more than was read."""
    strangers: tuple[Node, ...] = ()
    """What nobody owns and Git does not name, where that was asked for."""
    unread: tuple[Unread, ...] = ()
    """Roots are in their places all the same, without a uid."""

    def walk(self) -> Iterator[tuple[str, Node]]:
        """Every object beneath its owner, with the branches that lead to it."""
        for root in self.roots:
            yield "", root
            yield from self._below(root, "", 0)

    def _below(self, node: Node, stem: str, depth: int) -> Iterator[tuple[str, Node]]:
        below = self.children.get(node.uid, ()) if node.uid and depth < _DEEPEST else ()
        for number, child in enumerate(below, 1):
            last = number == len(below)
            yield f"{stem}{'└─' if last else '├─'}", child
            yield from self._below(child, f"{stem}{'  ' if last else '│ '}", depth + 1)

    def nodes(self) -> dict[Ref, Node]:
        """Each object once, owners before what they own, whoever else owns it."""
        found: dict[Ref, Node] = {}
        waiting = list(self.roots)
        while waiting:
            following: list[Node] = []
            for node in waiting:
                if node.ref not in found:
                    found[node.ref] = node
                    following += self.children.get(node.uid, ()) if node.uid else ()
            waiting = following
        return found
