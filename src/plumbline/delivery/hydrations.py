"""Which applications are hydrated together. Pure."""

from typing import NamedTuple

from plumbline.source.urls import mirror_key, normalised


class Group(NamedTuple):
    """What applications have in common that become one commit: where they come from, and where they are written."""

    dry_repository: str
    """As upstream compares addresses, and so the other one."""
    dry_revision: str
    repository: str
    branch: str


class Hydration(NamedTuple):
    """What one application takes part in, and the folder that is its own."""

    group: Group
    path: str
    follows: str
    """The repository of its dry source, as those are told apart that are followed."""

    @classmethod
    def of(cls, dry: tuple[str, str], written: tuple[str, str], path: str) -> "Hydration":
        """*dry* is an address and a revision, *written* an address, empty for the same one, and a branch."""
        group = Group(normalised(dry[0]), dry[1], normalised(written[0] or dry[0]), written[1])
        return cls(group, path, mirror_key(dry[0]))
