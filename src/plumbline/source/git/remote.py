"""What is known of one Git repository, in a mirror of our own, and how the other side is asked."""

import asyncio
from collections.abc import Callable, Mapping
from functools import partial
from typing import Final, NamedTuple, TypeAlias

from plumbline.base.clock import Clock
from plumbline.base.errors import Corrupted, NotFound, PlumblineError, StorageFailed
from plumbline.base.log import logger
from plumbline.base.tree import Tree
from plumbline.source.followed import Answer
from plumbline.source.git.commands import Git
from plumbline.source.git.exchange import Exchange, Wish
from plumbline.source.git.large import Store
from plumbline.source.git.library import library
from plumbline.source.git.metrics import GitMetrics
from plumbline.source.git.mirror import Mirror
from plumbline.source.git.mounted import Mounted
from plumbline.source.git.revisions import Refs
from plumbline.source.git.tree import GitTree
from plumbline.source.git.values import Moved, Pace
from plumbline.source.repository import Authorised, Repository
from plumbline.source.urls import redacted

log = logger(__name__)

TreeKey: TypeAlias = tuple[str, bool, bool]
"""A commit; with large files, with submodules."""

_ABSENT_S: Final = 30.0
_SPECIAL: Final = 256
_TREES: Final = 32
_TEND_AFTER: Final = 40
_MANY_REFS: Final = 400


class Tools(NamedTuple):
    """What all repositories have in common."""

    git: Git
    clock: Clock
    metrics: GitMetrics
    pace: Pace
    authorised: Authorised
    tell: Callable[[Moved], None]
    due: Callable[[str], None]
    """Asks for a look at a repository, by its key."""


class GitRemote:
    def __init__(self, key: str, url: str, mirror: Mirror, tools: Tools) -> None:
        self.mirror = mirror
        self.large = Store(mirror.path.parent / "large" / mirror.path.name)
        self.trees: dict[TreeKey, Tree] = {}
        """Of commits that were asked for lately."""
        self._key = key
        self._url = redacted(url)
        self._tools = tools
        self._exchange = Exchange(url, mirror, tools.git, tools.pace, tools.authorised)
        self._refs: Refs | None = None
        self._shown = False
        self._special: dict[str, None] = {}
        self._absent: dict[str, float] = {}
        self._moves = 0
        self._loop: asyncio.AbstractEventLoop | None = None
        mirror.objects.damaged = self._noticed

    @property
    def known(self) -> int:
        return len(self._refs.names) if self._refs else 0

    @property
    def refs(self) -> Refs:
        """As last seen; only after somebody was admitted."""
        if self._refs is None:
            raise NotFound(f"Cannot read {self._url}", why="nothing is known of it")
        self._shown = True
        return self._refs

    async def open(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._refs = Refs(await asyncio.to_thread(self._read), self.mirror.objects.commit_of)

    async def ask(self, repository: Repository, *, trusted: bool) -> Answer:  # noqa: ARG002 - all or nothing comes
        metrics, pace = self._tools.metrics, self._tools.pace
        began_s = metrics.now_s()
        deadline_s = pace.deadline_s if self.known else pace.first_deadline_s
        try:
            names = await self._exchange.refs(repository, Wish(tuple(self._special), deadline_s))
        except PlumblineError as error:
            metrics.failed(self._url, began_s, error)
            raise
        moved = self._take(names)
        metrics.exchanged(self._url, began_s, moved=moved is not None)
        return Answer(True, partial(self._tools.tell, moved)) if moved and self._shown else Answer(proof=True)

    async def commit(self, repository: Repository, sha: str) -> None:
        """Bring one commit that no branch leads to, or raise NotFound. Not while the other side is asked."""
        with self._tools.metrics.fetching(self._url, sha):
            await self._exchange.commit(repository, sha)

    async def tend(self) -> None:
        """Tidy the mirror up once enough has changed in it."""
        if self._moves < _TEND_AFTER:
            return
        self._moves = 0
        try:
            await self._exchange.tend()
        except PlumblineError as error:
            log.warning("mirror not tended", repo=self._url, code=error.code, error=str(error))

    async def leave(self) -> None:
        self._tools.metrics.forget(self._url)
        await asyncio.to_thread(self.mirror.remove)
        await asyncio.to_thread(self.large.remove)

    def follows(self, ref: str) -> bool:
        return ref in self._special

    def follow(self, ref: str) -> None:
        """Ask for *ref* as well, which is neither branch nor tag."""
        self._special[ref] = None
        while len(self._special) > _SPECIAL:
            del self._special[next(iter(self._special))]

    def has(self, ref: str) -> bool:
        return self._refs is not None and ref in self._refs.names

    def absent(self, name: str) -> bool:
        """Whether the other side was asked for it lately, and did not have it."""
        now_s = self._tools.clock.monotonic()
        self._absent = {each: until_s for each, until_s in self._absent.items() if until_s > now_s}
        return name in self._absent

    def miss(self, name: str) -> None:
        """The other side does not have it: for a while it is not asked again."""
        self._special.pop(name, None)
        self._absent[name] = self._tools.clock.monotonic() + _ABSENT_S

    def tree(self, sha: str) -> GitTree:
        root = str(self.mirror.objects.commit(sha).tree_id)
        return GitTree(root, self.mirror.folders, self.mirror.objects)

    def keep(self, key: TreeKey, tree: Tree) -> None:
        self.trees[key] = tree
        while len(self.trees) > _TREES:
            del self.trees[next(iter(self.trees))]

    def mounted(self, key: TreeKey, tree: Tree, mounts: Mapping[str, Tree]) -> Tree:
        """*tree* with *mounts* in it: the same object for as long as they are the same."""
        known = self.trees.get(key)
        if not isinstance(known, Mounted) or not known.holds(tree, mounts):
            known = Mounted(tree, mounts)
            self.keep(key, known)
        return known

    def _read(self) -> dict[str, str]:
        """What the mirror on disk knows. Where that cannot be read it is damaged, which the exchange deals with."""
        try:
            self.mirror.open()
            return self.mirror.objects.refs()
        except Corrupted:
            return {}
        except (OSError, library().GitError) as error:
            raise StorageFailed(f"Cannot keep a mirror of {self._url}", why=str(error)) from error

    def _take(self, names: dict[str, str]) -> Moved | None:
        """Make *names* what is known; what that changes, if anything."""
        before = {} if self._refs is None else self._refs.names
        if names == before:
            return None
        self._refs = Refs(names, self.mirror.objects.commit_of)
        moved = Moved(self._key, before, names)
        changed = len(moved.refs())
        self._moves += _TEND_AFTER if changed > _MANY_REFS else 1
        log.info("repository moved", repo=self._url, refs=changed)
        return moved

    def _noticed(self) -> None:
        """Something could not be read: the next exchange fetches all of it anew, and is due now."""
        if not self._exchange.damaged:
            self._exchange.damaged = True
            if self._loop is not None:
                # Reading is done from threads as well.
                self._loop.call_soon_threadsafe(self._tools.due, self._key)
