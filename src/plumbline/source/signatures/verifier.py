"""Verifying what a project asks for: one tag, one commit, or a whole history.

A verdict on an object never changes while the keys stay the same, so each is made once: a history of thousands of
commits costs its time when it is first seen, and afterwards only what was added.
"""

import asyncio
from collections import OrderedDict
from collections.abc import Awaitable, Callable
from itertools import islice
from typing import Final, NamedTuple, TypeAlias

from plumbline.base.clock import Clock
from plumbline.base.errors import Corrupted
from plumbline.base.tasks import task_group
from plumbline.source.signatures import gpg, sshsig
from plumbline.source.signatures.history import History
from plumbline.source.signatures.objects import Raw, Signed, genuine, parsed
from plumbline.source.signatures.policy import MOST_PROBLEMS, Checked, Requirement, problems
from plumbline.source.signatures.trusted import Trusted
from plumbline.source.signatures.verdict import BAD, UNSIGNED, Outcome, Verdict

Read: TypeAlias = Callable[[str], Awaitable[Raw]]
"""The object of a hash, or an error from the tree."""

_REMEMBERED: Final = 250_000
_AT_ONCE: Final = 4


class Target(NamedTuple):
    """What is going to be used: a commit, and the annotated tag through which it was reached, if it was."""

    commit: str
    tag: str = ""


class Report(NamedTuple):
    problems: tuple[str, ...]
    checked: tuple[Checked, ...]
    """In the order in which they were looked at; after enough problems no further."""

    @property
    def passed(self) -> bool:
        return not self.problems


class Verifier:
    """For one set of trusted keys; another set is another verifier."""

    def __init__(self, trusted: Trusted, clock: Clock) -> None:
        self.trusted: Final = trusted
        self._clock = clock
        self._ring: gpg.Keyring | None = None
        self._making = asyncio.Lock()
        self._verdicts: OrderedDict[str, Verdict] = OrderedDict()

    async def check(self, asked: Requirement, target: Target, read: Read) -> Report:
        """Whether a target satisfies a requirement.

        With `head` a tag stands for itself: a good commit is not enough under a bad tag, and not looked at under a good
        one. With `strict` the tag and every commit have to be good, back to the first or to a seal.
        """
        found: list[Checked] = []
        if target.tag:
            found.append(await self._tag(target, read))
        commits: tuple[str, ...] = ()
        if asked.mode == "strict":
            commits = await self._history(target.commit, read)
        elif not target.tag:
            commits = (target.commit,)
        left = iter(commits)
        while some := tuple(islice(left, _AT_ONCE)):
            found += await self._together(some, read)
            if len(problems(asked, found)) >= MOST_PROBLEMS:
                break
        return Report(problems(asked, found), tuple(found))

    async def _together(self, shas: tuple[str, ...], read: Read) -> list[Checked]:
        try:
            async with task_group() as group:
                tasks = [group.create_task(self._commit(sha, read)) for sha in shas]
        except BaseExceptionGroup as failed:
            raise failed.exceptions[0] from None
        return [task.result() for task in tasks]

    async def verdict(self, sha: str, signed: Signed) -> Verdict:
        """What the signature of one object is worth. Raises ToolMissing where it takes a gpg that is not there."""
        ring = await self._current_ring() if signed.scheme == "openpgp" else None
        known = self._verdicts.get(sha)
        if known is None:
            known = await self._judged(signed, ring)
            if known.lasting and (ring is None or ring is self._ring):  # else a key has ended meanwhile
                self._verdicts[sha] = known
                if len(self._verdicts) > _REMEMBERED:
                    self._verdicts.popitem(last=False)
        return known

    async def _judged(self, signed: Signed, ring: gpg.Keyring | None) -> Verdict:
        if not signed.signatures:
            return UNSIGNED
        if len(signed.signatures) > 1:
            return BAD
        if ring is not None:
            return await gpg.verify(signed.payload, signed.signatures[0], ring)
        if signed.scheme == "ssh":
            return sshsig.verify(signed.payload, signed.signatures[0], self.trusted.ssh)
        return Verdict(Outcome.UNKNOWN_KEY) if signed.scheme else BAD

    async def _current_ring(self) -> gpg.Keyring:
        async with self._making:
            now = self._clock.now()
            ended = self._ring is not None and self._ring.next_end is not None and self._ring.next_end <= now
            if self._ring is None or ended:
                self._verdicts.clear()
                self._ring = await gpg.keyring(self.trusted.openpgp, now)
            return self._ring

    async def _tag(self, target: Target, read: Read) -> Checked:
        signed = await _read(target.tag, "tag", read)
        # Signed or not, it may speak of something else.
        verdict = BAD if signed.target != target.commit else await self.verdict(target.tag, signed)
        return Checked(signed.name or target.tag, signed.author, verdict, tag=True)

    async def _commit(self, sha: str, read: Read) -> Checked:
        signed = await _read(sha, "commit", read)
        return Checked(sha, signed.author, await self.verdict(sha, signed))

    async def _history(self, head: str, read: Read) -> tuple[str, ...]:
        async def commit(sha: str) -> Signed:
            return await _read(sha, "commit", read)

        async def seals(sha: str, signed: Signed) -> bool:
            return (await self.verdict(sha, signed)).outcome is Outcome.GOOD

        return await History(commit, seals).commits(head)


async def _read(sha: str, kind: str, read: Read) -> Signed:
    raw = await read(sha)
    if raw.kind != kind or not genuine(sha, raw):
        raise Corrupted(f"the {kind} {sha:.12} was not verified", why="what is stored under its hash is something else")
    return parsed(sha, raw)
