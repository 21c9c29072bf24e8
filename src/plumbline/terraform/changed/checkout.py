"""A checkout, as the two trees that a pull request lies between: where it left the other branch, and where it is now.

Git's objects are read in process: no hook, filter or setting of the repository is ever run, and no file is written.
"""

from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple

from plumbline.base.errors import InvalidInput, LimitExceeded, NotFound
from plumbline.base.tree import Tree
from plumbline.source.git.folders import Folders
from plumbline.source.git.library import library
from plumbline.source.git.objects import Objects
from plumbline.source.git.touched import touched
from plumbline.source.git.tree import GitTree
from plumbline.terraform.changed.uncommitted import uncommitted

if TYPE_CHECKING:
    import pygit2

_MOST_CHANGED: Final = 100_000


class Between(NamedTuple):
    """What changed, and the trees on both sides of it."""

    before: Tree
    after: Tree
    changed: frozenset[str]
    base: str
    """The commit that is compared with."""
    head: str
    clean: bool
    """Whether *after* is the commit `head` as it is."""


class Checkout:
    def __init__(self, folder: Path) -> None:
        """The repository that *folder* is in. Raises NotFound."""
        found = library().discover_repository(str(folder.absolute()))
        if found is None:
            raise NotFound(f"{folder} is in no Git repository", hint="Run it in a checkout.")
        self._objects = Objects(Path(found))
        self._folders = Folders(self._objects)

    @property
    def root(self) -> Path:
        workdir = self._objects.repository.workdir
        if workdir is None:
            raise InvalidInput("the repository has no files", why="it is bare", hint="Run it in a checkout.")
        return Path(workdir)

    @property
    def head(self) -> str:
        return self.commit("HEAD")

    def commit(self, ref: str) -> str:
        """The commit that *ref* names, in any way that `git rev-parse` knows."""
        try:
            found = self._objects.repository.revparse_single(ref)
            return str(found.peel(library().Commit).id)
        except (KeyError, ValueError, library().GitError):
            raise NotFound(
                f"{ref} is no commit of this repository",
                why="it may not have been fetched",
                hint="In CI, fetch all of the history: fetch-depth: 0, GIT_DEPTH: 0, no shallow clone.",
            ) from None

    def tree(self, commit: str) -> Tree:
        root: pygit2.Commit = self._objects.commit(commit)
        return GitTree(str(root.tree_id), self._folders, self._objects)

    def since(self, ref: str, *, worktree: bool = False) -> Between:
        """What is new since the history left *ref*, as a pull request shows it; with *worktree*, what is not committed too."""
        head, other = self.head, self.commit(ref)
        base = self._objects.repository.merge_base(head, other)
        if base is None:
            raise NotFound(
                f"HEAD and {ref} have no commit in common",
                why="the history was cut off, or they are strangers",
                hint="In CI, fetch all of the history: fetch-depth: 0, GIT_DEPTH: 0, no shallow clone.",
            )
        before, after = self.tree(str(base)), self.tree(head)
        clean = True
        if worktree and (changes := uncommitted(self._objects.repository)):
            after, clean = changes.over(after), False
        changed = touched(before, after, _MOST_CHANGED)
        if changed is None:
            raise LimitExceeded(
                f"the changes since {ref} are not looked at", why=f"they are over {_MOST_CHANGED:,} files"
            )
        return Between(before, after, changed, str(base), head, clean)
