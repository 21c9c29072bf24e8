"""Which applications are hydrated, and which of them together. No IO."""

from collections.abc import Mapping
from typing import NamedTuple

from plumbline.kernel.cache import Key
from plumbline.source.urls import mirror_key, normalised


class Group(NamedTuple):
    """What applications have in common that become one commit: where they come from, and where they are written.

    Those of one project: what another one does not permit, or cannot render, is nobody's matter here.
    """

    project: str
    dry_repository: str
    """As upstream compares addresses, and so the other one."""
    dry_revision: str
    repository: str
    branch: str

    @property
    def place(self) -> tuple[str, str]:
        """Where they are written."""
        return self.repository, self.branch


class Hydration(NamedTuple):
    """What one application takes part in, and the folder that is its own."""

    group: Group
    path: str
    follows: str
    """The repository of its dry source, as those are told apart that are followed."""

    @classmethod
    def of(cls, project: str, dry: tuple[str, str], written: tuple[str, str], path: str) -> "Hydration":
        """*dry* is an address and a revision, *written* an address, empty for the same one, and a branch."""
        group = Group(project, normalised(dry[0]), dry[1], normalised(written[0] or dry[0]), written[1])
        return cls(group, path, mirror_key(dry[0]))


class Hydrations:
    """Those of all applications; most have none."""

    def __init__(self) -> None:
        self._by_key: dict[Key, Hydration] = {}
        self._by_branch: dict[tuple[str, str], dict[Key, Hydration]] = {}

    def __len__(self) -> int:
        return len(self._by_key)

    def replace(self, key: Key, hydration: Hydration | None) -> None:
        """From now on that is what *key* takes part in."""
        before = self._by_key.pop(key, None)
        if before is not None:
            beside = self._by_branch[before.group.place]
            del beside[key]
            if not beside:
                del self._by_branch[before.group.place]
        if hydration is not None:
            self._by_key[key] = hydration
            self._by_branch.setdefault(hydration.group.place, {})[key] = hydration

    def group_of(self, key: Key) -> Group | None:
        found = self._by_key.get(key)
        return None if found is None else found.group

    def groups(self, follows: str | None = None) -> frozenset[Group]:
        """Those whose dry source is in one repository, or all of them."""
        return frozenset(each.group for each in self._by_key.values() if follows in {None, each.follows})

    def beside(self, group: Group) -> Mapping[Key, Hydration]:
        """Everybody who writes to the same branch, wherever they come from."""
        return self._by_branch.get(group.place, {})

    def members(self, group: Group) -> list[Key]:
        """In the order of their names."""
        return sorted(key for key, each in self.beside(group).items() if each.group == group)
