"""Objects of one mirror, read in process. Whatever cannot be read although it has to be there means a damaged mirror."""

import re
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple, TypeVar, cast

from plumbline.base.errors import Corrupted, InvalidInput, NotFound
from plumbline.source.git.library import library

if TYPE_CHECKING:
    import pygit2

T = TypeVar("T")

FULL_SHA: Final = re.compile(r"[0-9A-Fa-f]{40}")
_UNSPEAKABLE: Final = re.compile("[\ud800-\udfff]")
_HEAD: Final = "refs/plumbline/HEAD"
_OURS: Final = "refs/plumbline/"


class RawObject(NamedTuple):
    kind: str
    """`commit`, `tag`, `tree` or `blob`."""
    content: bytes


class Objects:
    """Every method blocks for as long as a disk takes, which for what was just fetched is no time at all."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.damaged: Callable[[], None] = lambda: None
        """Called when something could not be read."""
        self._opened: pygit2.Repository | None = None

    @property
    def repository(self) -> "pygit2.Repository":
        if self._opened is None:
            self._opened = library().Repository(str(self.path))
        return self._opened

    def reopen(self) -> None:
        """Forget which packs there were: they are others now."""
        self._opened = None

    def refs(self) -> dict[str, str]:
        """Every ref of the other side that was fetched, by its full name there, `HEAD` included; tags not peeled.

        Names that are no UTF-8 are left out: no manifest can say them.
        """
        found: dict[str, str] = {}
        for each in self._read(lambda repository: list(repository.references.iterator())):
            name = each.name
            if name == _HEAD:
                found["HEAD"] = str(each.target)
            elif not name.startswith(_OURS) and not _UNSPEAKABLE.search(name):
                found[name] = str(each.target)
        return found

    def holds(self, sha: str) -> bool:
        if sha in self.repository:
            return True
        # What was not there when packs were listed may be there now.
        self.reopen()
        return sha in self.repository

    def commit_of(self, sha: str) -> str | None:
        """The commit that *sha* is, or that the tag *sha* is of; None where there is none."""
        try:
            return str(self.repository[sha].peel(library().Commit).id) if self.holds(sha) else None
        except (ValueError, library().GitError):
            return None

    def expanded(self, prefix: str) -> str | None:
        """The commit whose hash begins so, None where there is none, InvalidInput where there are several."""
        try:
            found = self.repository.get(prefix)
        except ValueError:
            raise InvalidInput(
                f"Cannot resolve {prefix}", why="several objects begin so", hint="Write all 40 characters of the hash."
            ) from None
        return None if found is None else self.commit_of(str(found.id))

    def commit(self, sha: str) -> "pygit2.Commit":
        """NotFound where the mirror has no such commit."""
        known = self.commit_of(sha)
        if known is None:
            raise NotFound(f"Cannot read the commit {sha:.12}", why="the repository has no such commit")
        return self._read(lambda repository: cast("pygit2.Commit", repository[known]))

    def raw(self, sha: str) -> RawObject:
        """The very bytes that a signature is made over."""
        if not self.holds(sha):
            raise NotFound(f"Cannot read the object {sha:.12}", why="the repository has no such object")
        found = self._read(lambda repository: repository[sha])
        return RawObject(found.type_str, found.read_raw())

    def listed(self, folder: str) -> list[tuple[bytes, int, str]]:
        """Names, modes and hashes in the tree object *folder*."""
        return self._read(
            lambda repository: [
                (each.raw_name or b"", int(each.filemode or 0), str(each.id))
                for each in cast("pygit2.Tree", repository[folder])
            ]
        )

    def size(self, blob: str) -> int:
        return self._read(lambda repository: repository.odb.read_header(blob)[1])

    def read(self, blob: str) -> bytes:
        return self._read(lambda repository: cast("pygit2.Blob", repository[blob]).data)

    def sound(self) -> bool:
        """Whether every ref leads to something that can be read."""
        try:
            return all(self._whole(sha) for sha in set(self.refs().values()))
        except Corrupted:
            return False

    def _whole(self, sha: str) -> bool:
        commit = self.commit_of(sha)
        return commit is None or bool(
            self._read(lambda repository: cast("pygit2.Commit", repository[commit]).tree_id in repository)
        )

    def _read(self, look: Callable[["pygit2.Repository"], T]) -> T:
        pygit2 = library()
        try:
            return look(self.repository)
        except (KeyError, ValueError, OSError, pygit2.GitError):
            # Packs may have been put together since they were listed; a second look opens those that there are now.
            self.reopen()
        try:
            return look(self.repository)
        except (KeyError, ValueError, OSError, pygit2.GitError) as error:
            self.damaged()
            raise Corrupted(
                f"Cannot read the mirror {self.path.name}",
                why=str(error),
                hint="It is fetched anew by itself; if it comes back, check the disk.",
            ) from error
