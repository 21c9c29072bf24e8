"""Everything that others need from Git repositories: what a revision means, and the files of a commit.

Each repository has one mirror on disk and one schedule. `git` talks to the other side; everything is read in process.
What is known stays usable while the other side is not there.
"""

import asyncio
from collections.abc import Callable
from functools import lru_cache
from pathlib import Path
from typing import Final

from plumbline.base.errors import InvalidInput, LimitExceeded, NotFound, PlumblineError
from plumbline.base.log import logger
from plumbline.base.process import sweep
from plumbline.base.tree import Tree, read_text
from plumbline.kernel.world import World
from plumbline.source.followed import Followed
from plumbline.source.git import modules
from plumbline.source.git.access import place
from plumbline.source.git.commands import Git
from plumbline.source.git.commits import described
from plumbline.source.git.downloads import download
from plumbline.source.git.exchange import reach
from plumbline.source.git.foreign import refuse_foreign
from plumbline.source.git.large import LargeTree, Pointers, Store
from plumbline.source.git.metrics import GitMetrics
from plumbline.source.git.mirror import Mirror, mirror_path
from plumbline.source.git.objects import FULL_SHA, RawObject
from plumbline.source.git.publishing import HEADS, Proposal, Standing, published
from plumbline.source.git.remote import GitRemote, Tools
from plumbline.source.git.revisions import Refs, truncated
from plumbline.source.git.seeking import FollowedGit, hold, look_for
from plumbline.source.git.touched import touched
from plumbline.source.git.values import Commit, Moved, Pace, Resolved
from plumbline.source.lending import Permits, anything
from plumbline.source.local import nowhere
from plumbline.source.polls import Polled, Polls
from plumbline.source.repository import Authorised, Connect, Repository, as_given
from plumbline.source.rhythm import Rhythm
from plumbline.source.state import State
from plumbline.source.urls import checked, mirror_key, redacted

_NESTED: Final = 8
_TOUCHED: Final = 3000

log = logger(__name__)

_key = lru_cache(maxsize=8192)(mirror_key)


class GitSources(Polled[Moved]):
    """Mirrors live in *folder*, which no other process may use. `run` polls; all else works without it."""

    def __init__(  # noqa: PLR0913 - each is a decision of whoever starts it
        self,
        folder: Path,
        world: World,
        connect: Connect,
        *,
        authorised: Authorised = as_given,
        pace: Pace | None = None,
        local: Callable[[str], Path | None] = nowhere,
        permits: Permits = anything,
    ) -> None:
        """*local* says where on this disk an address is, of those that may be read there; *permits*, what projects may name."""
        self._folder = folder.absolute()
        self._local = local
        self._permits = permits
        pace = pace or Pace()
        self._followed: dict[str, FollowedGit] = {}
        self._around: dict[str, set[str]] = {}
        """Which repositories have which as submodules."""
        self._pointers = Pointers()
        super().__init__(Polls(world, pace.lanes, Rhythm(pace.poll_s, pace.jitter_s), self._followed))
        self._shared = self._polls.shared(connect)
        git = Git(self._folder / "home", stalled_s=pace.stalled_s)
        metrics, due = GitMetrics(world.metrics.registry, world.clock), self._polls.queue.add
        self._tools = Tools(git, world.clock, metrics, pace, authorised, self._polls.tell, due)
        self._settled = False

    def refresh(self, url: str) -> None:
        """Something moved there, somebody says: ask now. Of many calls in a row one or two are heard."""
        key = _key(url)
        if key in self._followed:
            self._polls.refresh(key)

    def keep_while(self, wanted: Callable[[str], bool]) -> None:
        """What is part of a repository that is kept, is kept as well."""
        super().keep_while(lambda url: wanted(url) or not self._around.get(_key(url), set()).isdisjoint(self._followed))

    def state(self, url: str) -> State:
        """How a repository was last seen."""
        followed = self._followed.get(_key(url))
        return State(redacted(url)) if followed is None else followed.state

    def lately(self, url: str) -> bool:
        """Whether it answered just now, and will be asked again in a moment."""
        followed = self._followed.get(_key(url))
        return followed is not None and followed.lately()

    async def resolve(
        self, url: str, revision: str, *, project: str = "", tag_prefix: str = "", fresh: bool = False
    ) -> str:
        """The hash of the commit that *revision* means: `resolved`, for those who need no more."""
        found = await self.resolved(url, revision, project=project, tag_prefix=tag_prefix, fresh=fresh)
        return found.commit

    async def resolved(
        self, url: str, revision: str, *, project: str = "", tag_prefix: str = "", fresh: bool = False
    ) -> Resolved:
        """What *revision* means, as last seen; with *fresh*, as it is now.

        A name that is not known is looked for once more before NotFound. Use the answer for all that follows: a second
        question may have another one.
        """
        if FULL_SHA.fullmatch(revision):
            self._check(url)
            return Resolved(revision.lower())
        followed = await self._at(url)
        repository = await (followed.renewed(project) if fresh else followed.admitted(project))
        found = _found(followed.remote, revision, tag_prefix)
        if found is None and await look_for(followed, repository, revision):
            found = _found(followed.remote, revision, tag_prefix)
        if found is None:
            raise _unresolved(url, revision, followed.remote.refs)
        return found

    async def refs(self, url: str, *, project: str = "") -> dict[str, str]:
        """Full names of branches and tags, `HEAD`, and where they are; annotated tags not peeled."""
        followed = await self._at(url)
        await followed.admitted(project)
        return dict(followed.remote.refs.names)

    async def reach(self, repository: Repository, *, within_s: float) -> None:
        """Ask the other side for its HEAD as *repository* says, whoever else is known there, and keep nothing of it."""
        place(repository)
        if not self._settled:
            await asyncio.to_thread(self._settle)
        await reach(self._tools.git, repository, self._tools.authorised, self._folder, within_s)

    async def tree(self, url: str, sha: str, *, project: str = "") -> Tree:
        """The files of a commit. The same object for everybody who asks lately."""
        return await self._tree(url, sha, project, ())

    async def touched(
        self, url: str, before_sha: str, after_sha: str, *, project: str | None = None
    ) -> frozenset[str] | None:
        """Paths of files that differ between two commits; None where that is not known, or too many to list.

        Without a project, as here and below, the question is our own: asked as the one who was let in last.
        """
        try:
            before = await self._tree(url, before_sha, project, ())
        except NotFound:
            return None
        after = await self._tree(url, after_sha, project, ())
        return await asyncio.to_thread(touched, before, after, _TOUCHED)

    async def commit(self, url: str, sha: str, *, project: str | None = None) -> Commit:
        remote = await self._holding(url, sha, project)
        return await asyncio.to_thread(described, remote.mirror.objects, remote.refs, sha)

    async def raw(self, url: str, sha: str, *, project: str | None = None) -> RawObject:
        """A commit or tag as it is stored: what its signature is over."""
        return (await self._holding(url, sha, project)).mirror.objects.raw(sha)

    async def branch(self, url: str, name: str, *, project: str = "", fresh: bool = False) -> Standing | None:
        """Where a branch is, with its files as they are stored; None where there is none."""
        followed = await self._at(url)
        await (followed.renewed(project) if fresh else followed.admitted(project))
        sha = followed.remote.refs.names.get(HEADS + name)
        return None if sha is None else Standing(sha, followed.remote.tree(sha))

    async def publish(self, proposal: Proposal, writer: Repository, *, project: str = "") -> str:
        """Put a commit on a branch, as *writer* and as nobody else; its hash. Whoever follows the branch is told.

        Raises Conflict where the branch moved meanwhile: then `branch`, asked *fresh*, says where it is.
        """
        followed = await self._at(proposal.url)
        reader = await followed.admitted(project)
        credentials = await self._tools.authorised(writer)
        mirror, deadline_s = followed.remote.mirror, self._tools.pace.deadline_s
        async with followed.turn:
            sha = await published(
                self._tools.git, mirror, writer, proposal, credentials=credentials, deadline_s=deadline_s
            )
        try:
            await followed.exchange(reader)
        except PlumblineError as error:  # it is pushed, and will be seen later
            log.warning("own push not seen", repo=redacted(proposal.url), code=error.code, error=str(error))
            self.refresh(proposal.url)
        return sha

    async def _at(self, url: str) -> FollowedGit:
        key = _key(url)
        followed = self._followed.get(key)
        if followed is None:
            self._check(url)
            if not self._settled:
                await asyncio.to_thread(self._settle)
            await self._polls.left(key)
            remote = GitRemote(key, url, Mirror(mirror_path(self._folder, key)), self._tools)
            followed = self._followed.setdefault(key, Followed(key, url, remote, self._shared))
        return followed

    def _check(self, url: str) -> None:
        checked(url, local=self._local(url) is not None)

    def _settle(self) -> None:
        """Make the folder ready, without what a killed process left there."""
        self._folder.mkdir(parents=True, exist_ok=True)
        sweep(self._folder)
        self._tools.git.settle()
        self._settled = True

    async def _holding(self, url: str, sha: str, project: str | None) -> GitRemote:
        followed = await self._at(url)
        await hold(followed, await followed.admitted(project), sha)
        return followed.remote

    async def _tree(self, url: str, sha: str, project: str | None, outer: tuple[str, ...]) -> Tree:
        if not FULL_SHA.fullmatch(sha):
            raise InvalidInput(f"Cannot read {sha!r}", why="a commit is named by its hash of 40 digits")
        followed = await self._at(url)
        repository = await followed.admitted(project, outer)
        key = (sha, repository.lfs, False)
        tree = followed.remote.trees.get(key)
        if tree is None:
            await hold(followed, repository, sha)
            tree = followed.remote.tree(sha)
            if repository.lfs:
                tree = await self._with_large_files(tree, repository, followed.remote.large)
            followed.remote.keep(key, tree)
        if not repository.submodules:
            return tree
        # Each is asked for as whoever asks now: others may have been let in where they are not.
        mounts = await self._mounts(tree, url, project, outer)
        return followed.remote.mounted((sha, repository.lfs, True), tree, mounts) if mounts else tree

    async def _with_large_files(self, tree: Tree, repository: Repository, store: Store) -> Tree:
        pointers = await asyncio.to_thread(self._pointers.of, tree)
        if pointers:
            credentials = await self._tools.authorised(repository)
            await download(repository, credentials, pointers.values(), store)
        return LargeTree(tree, pointers, store, self._forget_trees)

    def _forget_trees(self) -> None:
        """Whoever asks next has them made anew, with what is missing in them; one may be mounted in another."""
        for followed in list(self._followed.values()):
            followed.remote.trees.clear()

    async def _mounts(self, tree: Tree, url: str, project: str | None, outer: tuple[str, ...]) -> dict[str, Tree]:
        """Submodules by their paths."""
        declared = tree.entry(modules.DECLARED_IN)
        if declared is None or declared.kind != "file":
            return {}
        if len(outer) >= _NESTED:
            raise LimitExceeded(f"Cannot read the submodules of {redacted(outer[0])}", why="they are nested too deep")
        mounts: dict[str, Tree] = {}
        for module in modules.modules(read_text(tree, modules.DECLARED_IN, modules.FILE_BYTES), url):
            entry = tree.entry(module.path)
            if entry is not None and entry.kind == "module":
                if project is not None and not self._permits(module.url, project):
                    await refuse_foreign(self._shared.connect, url, module.url, project)
                self._around.setdefault(_key(module.url), set()).add(_key(url))
                mounts[module.path] = await self._tree(checked(module.url), entry.digest, project, (*outer, url))
        return mounts


def _found(remote: GitRemote, revision: str, tag_prefix: str) -> Resolved | None:
    found = remote.refs.resolved(revision, tag_prefix)
    if found is not None or not truncated(revision):
        return found
    commit = remote.mirror.objects.expanded(revision.lower())
    return None if commit is None else Resolved(commit)


def _unresolved(url: str, revision: str, refs: Refs) -> PlumblineError:
    what = f"Cannot resolve {revision or 'HEAD'} in {redacted(url)}"
    if not refs.names:
        return NotFound(what, why="the repository is empty")
    return NotFound(
        what,
        why=f"it is none of its {len(refs.names)} branches and tags, and no constraint that one of its tags meets",
        hint="Check the spelling; names of branches and tags are case-sensitive.",
    )
