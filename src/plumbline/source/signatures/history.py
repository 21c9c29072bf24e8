"""Which commits a strict policy is about: what a commit descends from, up to where somebody sealed it.

A seal is a signed commit whose message carries `Argocd-gpg-seal:`. All that it descends from is left alone, on whatever
way it is reached; the seal itself, and the last commit before it on other ways, are looked at.
"""

import asyncio
import heapq
from collections.abc import Awaitable, Callable
from itertools import count
from typing import Final

from plumbline.base.errors import LimitExceeded
from plumbline.source.signatures.objects import Signed

MOST: Final = 200_000
_BREATH: Final = 256
"""Commits after which others get their turn."""


class History:
    """A walk from the newest to the oldest. Dates only say where to look first; they decide nothing."""

    def __init__(
        self, read: Callable[[str], Awaitable[Signed]], seals: Callable[[str, Signed], Awaitable[bool]]
    ) -> None:
        self._read = read
        self._seals = seals
        self._order = count()
        self._queue: list[tuple[int, int, str]] = []
        self._parents: dict[str, tuple[str, ...]] = {}
        self._marked: set[str] = set()
        """Those that say they are seals."""
        self._covered: set[str] = set()
        """Reached from a seal."""
        self._open: set[str] = set()
        """In the queue, and not covered. Without any the walk is over."""

    async def commits(self, head: str) -> tuple[str, ...]:
        """Hashes of the commits to look at, newest first. Raises LimitExceeded, and whatever reading raises."""
        await self._push(head)
        sealed: set[str] = set()
        visited: list[str] = []
        while self._open:
            sha = heapq.heappop(self._queue)[2]
            self._open.discard(sha)
            visited.append(sha)
            parents = self._parents[sha]
            if sha in self._covered:
                self._cover(parents)
            elif sha in self._marked and await self._seals(sha, await self._read(sha)):
                sealed.add(sha)
                self._cover(parents)
            for parent in parents:
                await self._push(parent)
        looked_at = [sha for sha in visited if sha not in self._covered]
        edge = [parent for sha in looked_at if sha not in sealed for parent in self._parents[sha]]
        return tuple(dict.fromkeys([*looked_at, *edge]))

    async def _push(self, sha: str) -> None:
        if sha in self._parents:
            return
        if len(self._parents) >= MOST:
            raise LimitExceeded(
                "the history of a commit was not verified",
                why=f"it has more than {MOST} commits",
                hint="Seal it: sign a commit whose message carries the trailer Argocd-gpg-seal.",
            )
        commit = await self._read(sha)
        self._parents[sha] = commit.parents
        if commit.sealed:
            self._marked.add(sha)
        heapq.heappush(self._queue, (-commit.committed, next(self._order), sha))
        if sha not in self._covered:
            self._open.add(sha)
        if len(self._parents) % _BREATH == 0:
            await asyncio.sleep(0)

    def _cover(self, shas: tuple[str, ...]) -> None:
        """Mark them and all that is known below them; what is not known yet is marked when it is met."""
        left = list(shas)
        while left:
            sha = left.pop()
            if sha not in self._covered:
                self._covered.add(sha)
                self._open.discard(sha)
                left += self._parents.get(sha, ())
