"""One commit for a group: planned on where its branch is, pushed through the gate, planned anew where it moved meanwhile."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from typing import TYPE_CHECKING, Final, NamedTuple, Protocol

from plumbline.base.errors import Conflict, Fenced
from plumbline.base.json import encode
from plumbline.base.tree import Tree
from plumbline.delivery.hydrating.commits import Dry
from plumbline.delivery.hydrating.counting import Counting
from plumbline.delivery.hydrating.files import MANIFEST, Written, plan_files
from plumbline.delivery.hydrating.members import Member
from plumbline.delivery.hydrating.texts import message, readme, tidied
from plumbline.delivery.settings.values import Hydrating
from plumbline.delivery.steps.acting import US
from plumbline.gate.gate import Gate, Withheld
from plumbline.gate.intents import Intent
from plumbline.journal.causes import Commit as Cause
from plumbline.journal.causes import change_of, without_credentials
from plumbline.journal.parties import ExternalResource, LiveObject, printable
from plumbline.kernel.world import World
from plumbline.source.git.publishing import Author, Note, Proposal, Standing
from plumbline.source.git.values import Commit
from plumbline.source.repository import Repository

if TYPE_CHECKING:
    from plumbline.gotemplate import Surroundings

_TRIES: Final = 6
_FIRST_WAIT_S: Final = 0.5
_NAMED: Final = 3
_INLINE: Final = 10
"""More applications than so many are planned outside of the loop."""
_NOTES: Final = "refs/notes/hydrator.metadata"
"""Where those look who promote: which dry commit a branch is up to, also where that changed nothing on it."""


class Branches(Protocol):
    """Git repositories, as far as they are written to."""

    async def branch(self, url: str, name: str, *, project: str = "", fresh: bool = False) -> Standing | None:
        """Where a branch is; None where there is none."""

    async def commit(self, url: str, sha: str, *, project: str | None = None) -> Commit: ...

    async def publish(self, proposal: Proposal, writer: Repository, *, project: str = "") -> str:
        """Push; the hash of the commit. Raises Conflict where the branch moved meanwhile."""


class Task(NamedTuple):
    """What is to be on a branch."""

    members: list[Member]
    project: str
    url: str
    branch: str
    synced: str
    """The branch that all of them are synced from; empty where they differ."""
    dry: Dry
    written: tuple[Written, ...]
    settings: Hydrating

    def known(self, sha: str) -> bool:
        """Whether it is on record already that *sha* is what came of the dry commit."""
        last = (each.run.read.status.source_hydrator.last_successful_operation for each in self.members)
        return any(each is not None and (each.dry_sha, each.hydrated_sha) == (self.dry.sha, sha) for each in last)


class _Found(NamedTuple):
    """Where the branch is, or what it begins with."""

    on: str = ""
    tree: Tree | None = None
    founds: str = ""


class _Pushing(NamedTuple):
    branches: Branches
    proposal: Proposal
    writer: Repository
    project: str
    counting: Counting

    async def perform(self) -> bytes:
        with self.counting.push(without_credentials(self.proposal.url)):
            return (await self.branches.publish(self.proposal, self.writer, project=self.project)).encode()

    async def rehearse(self) -> bytes:
        """Nobody can tell what another side would say to a push but by pushing."""
        return b""


class Writing:
    def __init__(self, branches: Branches, writer: Callable[[str, str], Repository], gate: Gate, world: World) -> None:
        """*writer* is as whom a repository is written to, for a project."""
        self._branches = branches
        self._writer = writer
        self._gate = gate
        self._world = world
        self.counting = Counting(world.clock)

    async def written(self, task: Task, begin: Callable[[], Awaitable[None]]) -> str | Withheld:
        """The commit that holds it all, made only where none does. *begin* is awaited before anything is sent."""
        clock, ids = self._world.clock, self._world.ids
        for count in range(_TRIES):
            found = await self._found(task, fresh=count > 0)
            files = await self._planned(task, found.tree)
            if not files and task.known(found.on):
                return found.on
            if files and not count:
                await begin()
            try:
                return await self._pushed(task, self._proposal(task, found, files))
            except Fenced:
                raise
            except Conflict:
                if count == _TRIES - 1:
                    raise
            await clock.sleep(ids.jitter(_FIRST_WAIT_S * 2**count))
        raise AssertionError("the last try returns or raises")

    async def _planned(self, task: Task, tree: Tree | None) -> Mapping[str, bytes]:
        told = readme(task.dry, task.settings.readme, self._around())
        if len(task.written) <= _INLINE:
            return plan_files(tree, task.dry, task.written, told)
        return await asyncio.to_thread(plan_files, tree, task.dry, task.written, told)

    def _proposal(self, task: Task, found: _Found, files: Mapping[str, bytes]) -> Proposal:
        return Proposal(
            url=task.url,
            branch=task.branch,
            on=found.on,
            founds=found.founds,
            files=files,
            # Upstream's are, for no reason: whoever compares the two branches finds no difference.
            executable=frozenset(path for path in files if path.endswith(f"/{MANIFEST}")),
            message=tidied(message(task.dry, task.settings.commit_message, self._around())),
            author=Author(task.settings.author_name, task.settings.author_email),
            at=self._world.clock.now(),
            note=Note(_NOTES, encode({"drySha": task.dry.sha}).decode()),
        )

    async def _found(self, task: Task, *, fresh: bool) -> _Found:
        """A branch that is not there begins where the one is that is synced from; where that is not either, with nothing."""
        branches, url, project = self._branches, task.url, task.project
        target = await branches.branch(url, task.branch, project=project, fresh=fresh)
        base = target
        if task.synced and task.synced != task.branch:
            base = await branches.branch(url, task.synced, project=project)
        standing = target or base
        founds = task.synced if base is None and task.synced != task.branch else ""
        return _Found("", None, founds) if standing is None else _Found(standing.commit, standing.tree, founds)

    async def _pushed(self, task: Task, proposal: Proposal) -> str | Withheld:
        act = _Pushing(self._branches, proposal, self._writer(task.url, task.project), task.project, self.counting)
        outcome = await self._gate.perform(self._intent(task), act)
        return outcome if isinstance(outcome, Withheld) else outcome.reply.decode()

    def _intent(self, task: Task) -> Intent:
        first = task.members[0]
        cause = Cause(repo=without_credentials(task.dry.repo_url), sha=task.dry.sha)
        names = ", ".join(each.key[1] for each in task.members[:_NAMED])
        more = f" and {len(task.members) - _NAMED} more" if len(task.members) > _NAMED else ""
        return Intent(
            actor=US,
            subject=ExternalResource(provider="git", id=f"{without_credentials(task.url)}#{task.branch}"),
            verb="push",
            why=printable(f"Hydrate {names}{more} at {task.dry.sha[:7]}"),
            cause=cause,
            change=change_of(cause, self._world.ids),
            project=first.project,
            behalf=LiveObject.at("in-cluster", first.run.read.ref),
        )

    def _around(self) -> "Surroundings":
        from plumbline.gotemplate import Surroundings  # noqa: PLC0415 - few installations hydrate anything

        return Surroundings(self._world.clock.now, self._world.ids)
