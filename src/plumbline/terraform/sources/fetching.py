"""Which commit is meant now: asked of the one mirror that all share, no more often than somebody wants to know."""

import asyncio
import contextlib
from typing import Final, Protocol

from plumbline.base.clock import Clock
from plumbline.base.errors import NotFound, TimedOut
from plumbline.base.tree import Tree
from plumbline.kinds.flux.gitrepository import GitRepositoryRef
from plumbline.source.git import RawObject, Resolved, State
from plumbline.source.signatures import parsed
from plumbline.terraform.sources.revisions import Located, newest, pinned, sought

_DEFAULT: Final = GitRepositoryRef()


class Commits(Protocol):
    """What is needed of `source.git.GitSources`."""

    def state(self, url: str) -> State: ...

    async def resolved(self, url: str, revision: str, *, project: str = "", fresh: bool = False) -> Resolved: ...

    async def refs(self, url: str, *, project: str = "") -> dict[str, str]: ...

    async def tree(self, url: str, sha: str, *, project: str = "") -> Tree: ...

    async def raw(self, url: str, sha: str, *, project: str | None = None) -> RawObject: ...


class Fetching:
    def __init__(self, commits: Commits, clock: Clock) -> None:
        self._commits = commits
        self._clock = clock

    def due(self, url: str, interval_s: float) -> bool:
        """Whether what is known of the repository is older than that. Who asks first asks for everybody.

        Raises what went wrong the last time where it is too early to try again. After the clock was set back it is not
        known how old anything is.
        """
        state, now = self._commits.state(url), self._clock.now()
        if state.succeeded_at is None or 0 <= (now - state.succeeded_at).total_seconds() < interval_s:
            return False  # of what is not known at all the mirror asks by itself
        if state.failed_at is not None and state.next_try_at is not None and state.failed_at <= now < state.next_try_at:
            assert state.error is not None  # noqa: S101 - it has failed
            raise state.error.with_traceback(None)
        return True

    async def located(
        self, url: str, ref: GitRepositoryRef | None, project: str, *, fresh: bool, timeout_s: float
    ) -> Located:
        """What *ref* means. The first fetch of all may take as long as mirrors allow, everything later *timeout_s*."""
        known = self._commits.state(url).succeeded_at is not None
        try:
            async with asyncio.timeout(timeout_s if known else None):
                return await self._located(url, ref or _DEFAULT, project, fresh=fresh)
        except TimeoutError as late:
            raise TimedOut("Cannot ask the repository", why=f"it took longer than {timeout_s:g} s") from late

    async def _located(self, url: str, ref: GitRepositoryRef, project: str, *, fresh: bool) -> Located:
        if ref.commit:
            return pinned(ref)
        reference = sought(ref) or await self._newest(url, ref.semver, project, fresh=fresh)
        found = await self._commits.resolved(url, reference, project=project, fresh=fresh and not ref.semver)
        return Located(found.commit, reference, found.tag)

    async def _newest(self, url: str, semver: str, project: str, *, fresh: bool) -> str:
        with contextlib.suppress(NotFound):  # a repository may have tags and no HEAD; it was asked
            await self._commits.resolved(url, "HEAD", project=project, fresh=fresh)
        fitting = newest(semver, await self._commits.refs(url, project=project))
        if len(fitting) == 1:
            return fitting[0]
        dated = [(await self._committed(url, reference, project), reference) for reference in fitting]
        return max(dated)[1]

    async def _committed(self, url: str, reference: str, project: str) -> int:
        found = await self._commits.resolved(url, reference, project=project)
        return parsed(found.commit, await self._commits.raw(url, found.commit, project=project)).committed
