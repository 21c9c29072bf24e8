"""Which root modules a change concerns, and why."""

from collections.abc import Collection, Iterator
from typing import Literal, NamedTuple

from plumbline.terraform.changed.roots import RootModule, RootModules


class Because(NamedTuple):
    path: str
    chain: tuple[str, ...] = ()
    """The modules from the root to the one that the path concerns; empty where a pattern says so."""


class Affected(NamedTuple):
    root: RootModule
    because: tuple[Because, ...]
    change: Literal["changed", "new", "gone"] = "changed"
    """Of the root module as such; what is gone may have left its state behind."""


def affected(before: RootModules, after: RootModules, changed: Collection[str]) -> tuple[Affected, ...]:
    """Every root module that something in *changed* concerns, in the order in which they are to be applied.

    Files count under the name that they had and the one that they have.
    """
    known = {_key(root) for root in before.roots}
    present = {_key(root) for root in after.roots}
    found: list[Affected] = []
    for root in after.roots:
        reasons = {**_reasons(before, root, changed), **_reasons(after, root, changed)}
        new = _key(root) not in known
        if reasons or new:
            found.append(Affected(root, tuple(reasons.values()), "new" if new else "changed"))
    gone = (root for root in before.roots if _key(root) not in present)
    return *found, *(Affected(root, tuple(_reasons(before, root, changed).values()), "gone") for root in gone)


def _reasons(roots: RootModules, root: RootModule, changed: Collection[str]) -> dict[str, Because]:
    return {reason.path: reason for reason in _each(roots, root, changed)}


def _each(roots: RootModules, root: RootModule, changed: Collection[str]) -> Iterator[Because]:
    patterns = roots.patterns(root)
    left = {path: verdict for path in sorted(changed) if (verdict := patterns.verdict(path)) is not False}
    for chain, watched in roots.watched(root).items():
        for path in [path for path in left if watched.holds(path)]:
            del left[path]
            yield Because(path, chain)
    for path, verdict in left.items():
        if verdict:
            yield Because(path)


def _key(root: RootModule) -> tuple[str, str]:
    return root.folder, root.workspace
