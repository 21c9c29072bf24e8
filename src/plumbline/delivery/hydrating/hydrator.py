"""The groups that want to be hydrated, one after another, and what becomes of each."""

from collections.abc import Callable, Mapping
from typing import Final, NamedTuple

from plumbline.base.clock import rfc3339
from plumbline.base.errors import Fenced, InvalidInput, NotFound, PlumblineError
from plumbline.base.log import bound, logger
from plumbline.base.tasks import task_group
from plumbline.delivery.facts import project_of
from plumbline.delivery.hydrating.commits import described
from plumbline.delivery.hydrating.making import Made, Making
from plumbline.delivery.hydrating.members import Member, member, ruled
from plumbline.delivery.hydrating.needs import COOLING_S, Need, moved
from plumbline.delivery.hydrating.paths import shared
from plumbline.delivery.hydrating.telling import (
    Edit,
    Telling,
    begun,
    compared,
    failed,
    hydrated,
    others_failed,
)
from plumbline.delivery.hydrating.writing import Branches, Task, Writing
from plumbline.delivery.hydrations import Group, Hydrations
from plumbline.delivery.settings.values import Settings
from plumbline.delivery.status import skipped
from plumbline.delivery.steps.acting import US
from plumbline.delivery.steps.ruling import Ruling
from plumbline.delivery.targets import Commits
from plumbline.gate.authority import authorised
from plumbline.gate.gate import Withheld
from plumbline.gate.intents import Intent
from plumbline.journal.parties import LiveObject
from plumbline.kernel.cache import Cached, Key
from plumbline.kernel.informer import Informer
from plumbline.kernel.metrics import collected
from plumbline.kernel.parties import Parties
from plumbline.kernel.queue import Priority, Queue
from plumbline.kernel.standins import StandIns
from plumbline.kernel.world import World
from plumbline.kinds.mandate import MandateSpec
from plumbline.render.plugins.bounds import touching

WORKERS: Final = 5
_OF_ONE: Final = 5
"""Groups of one project at a time: who waits is stood in for, and so there is always somebody for the others."""
_BREATH: Final = 20
_GATHERING_S: Final = 1.0
"""Applications that come together are to be one commit: so long the others are waited for when one is new."""

log = logger(__name__)


class Around(NamedTuple):
    """What a hydrator is given."""

    applications: Informer
    hydrations: Hydrations
    """Of all applications; they change with them."""
    settings: Callable[[], Settings]
    mandate: Callable[[], MandateSpec]
    ruling: Ruling
    commits: Commits
    branches: Branches
    making: Making
    writing: Writing
    telling: Telling
    wake: Callable[[Key], None]
    """Have an application looked at."""
    world: World


class _Outcome(NamedTuple):
    """How it went with a group: both hashes, or what is wrong."""

    dry_sha: str = ""
    hydrated_sha: str = ""
    faults: Mapping[Key, str] = {}


class Hydrator:
    def __init__(self, around: Around) -> None:
        self._around = around
        self._queue: Queue[Group] = Queue(around.world.clock, around.world.ids)
        self._parties: Parties[Group] = Parties(self._queue, lambda group: group.project, _OF_ONE)
        self._gathering: set[Group] = set()
        """Those that are looked at soon, when others that come with a new application are there."""
        self._untold: dict[Key, bool] = {}
        """Applications of what is being pushed, and whether somebody wanted a look at them meanwhile."""

    async def run(self, workers: int = WORKERS) -> None:
        around = self._around
        with collected(around.world.metrics.registry, around.writing.counting.registry):
            async with task_group() as group:
                stand_ins = StandIns(group, lambda over: self._work(stand_ins, over))
                for _ in range(workers):
                    group.create_task(self._work(stand_ins))

    def changed(self, before: Cached | None, after: Cached | None) -> None:
        """An application is another than it was. What others write into its status is no reason to look."""
        if after is None or not self._around.hydrations:
            return
        group = self._around.hydrations.group_of(after.meta.key)
        if group is not None and before is None:
            self._gathering.add(group)
            self._queue.add_after(group, _GATHERING_S, Priority.USER)
        elif group is not None and before is not None and before.relevant != after.relevant:
            self._queue.add(group, Priority.USER)

    def moved(self, repository: str) -> None:
        """A repository moved: who is made from it looks whether that means something."""
        groups = self._around.hydrations.groups(repository) if self._around.hydrations else ()
        for group in (each for each in groups if each not in self._gathering):
            self._queue.add(group, Priority.USER)

    def holds(self, key: Key) -> bool:
        """Whether *key* is looked at only once it is told what came of a push.

        A look at the same time would sync what was pushed, and could not write that down: the object is another by then.
        """
        if key in self._untold:
            self._untold[key] = True
            return True
        return False

    def wake_all(self) -> None:
        """Settings are others."""
        for group in self._around.hydrations.groups():
            self._queue.add(group, Priority.POLL)

    async def _work(self, stand_ins: StandIns, over: Callable[[], bool] = lambda: False) -> None:
        while not over() and (taken := await self._queue.take()) is not None:
            group = taken[0]
            if not self._parties.begins(group):
                continue
            try:
                with bound(controller="hydrator", ref=f"{group.repository}#{group.branch}"), stand_ins.waiting():
                    await self._looked(group)
            finally:
                self._parties.ended(group)

    async def _looked(self, group: Group) -> None:
        self._gathering.discard(group)
        try:
            again_in_s = await self._look(group)
        except PlumblineError as error:
            wait_s = self._queue.retry(group)
            log.warning("hydration not looked at", code=error.code, error=str(error), again_in_s=wait_s)
        except Exception:  # one poison group must never stop the others
            log.exception("hydration crashed", again_in_s=self._queue.retry(group))
        else:
            self._queue.forgive(group)
            if again_in_s is not None:
                self._queue.add_after(group, again_in_s)

    async def _look(self, group: Group) -> float | None:
        """Hydrate, if there is a reason to; returns when to look again where no event will say so."""
        members = await self._members(group) if self._around.settings().hydrating.enabled else []
        if not members:
            return None
        needs = [each.need(self._around.world.clock.now()) for each in members]
        reason = next((each.reason for each in needs if each.reason), "")
        dry_sha = ""
        if not reason and any(each.depends for each in needs):
            dry_sha = await self._resolved(group, members, fresh=any(each.asked for each in members))
            reason = await self._moved_on(members, needs, dry_sha)
        if not reason:
            for each in members:
                if each.asked or each.is_behind(dry_sha):
                    await self._around.telling.tell(each.key, compared(dry_sha))
            return min((each.again_in_s for each in needs if each.again_in_s is not None), default=None)
        log.info("hydrating", reason=reason, applications=len(members), dry_sha=dry_sha)
        return await self._hydrate(group, members, dry_sha)

    async def _moved_on(self, members: list[Member], needs: list[Need], dry_sha: str) -> str:
        for each, need in zip(members, needs, strict=True):
            reason = moved(each.run.read.status.source_hydrator, dry_sha).reason if need.depends else ""
            if reason and await self._concerned(each, dry_sha):
                return reason
        return ""

    async def _concerned(self, each: Member, dry_sha: str) -> bool:
        """Whether anything is another at *dry_sha* of what the application says that its manifests depend on."""
        paths, before_sha = each.generate_paths, each.run.read.status.source_hydrator.last_compared_dry_revision
        if not paths or not before_sha:
            return True
        dry = each.hydrator.dry_source
        try:
            before, now = [
                await self._around.commits.tree(dry.repo_url, sha, project=each.project)
                for sha in (before_sha, dry_sha)
            ]
        except NotFound:
            return True  # what is not there any more may have been anything
        return touching(before, dry.path, paths) != touching(now, dry.path, paths)

    async def _members(self, group: Group) -> list[Member]:
        """Applications that are ours to hydrate, in the order of their names."""
        found: list[Member] = []
        for count, key in enumerate(self._around.hydrations.members(group), 1):
            if not count % _BREATH:
                await self._around.world.clock.sleep(0)  # reading many takes its time, and others wait
            entry = self._around.applications.cache.get(key)
            if entry is not None and self._is_ours(entry):
                read = member(key, entry.object())
                if read is not None and self._may_act(read):
                    found.append(read)
        return found

    def _is_ours(self, entry: Cached) -> bool:
        meta, settings = entry.meta, self._around.settings()
        left_alone = meta.deletion_timestamp or skipped(meta.annotations)
        return not left_alone and settings.applications_in(meta.namespace)

    def _may_act(self, each: Member) -> bool:
        """Whether it was handed over to this installation: what others hydrate, we do not."""
        subject = LiveObject.at("in-cluster", each.run.read.ref)
        intent = Intent(actor=US, subject=subject, verb="hydrate", why="Hydrate", project=project_of(each.run.spec))
        return authorised(self._around.mandate(), intent)

    async def _resolved(self, group: Group, members: list[Member], *, fresh: bool) -> str:
        dry, commits = members[0].hydrator.dry_source, self._around.commits
        found = await commits.resolved(dry.repo_url, dry.target_revision, project=group.project, fresh=fresh)
        return found.commit

    async def _hydrate(self, group: Group, members: list[Member], dry_sha: str) -> float | None:
        since = self._now()
        try:
            outcome = await self._outcome(group, members, dry_sha)
            if isinstance(outcome, Withheld):
                return None
            for each in members:
                await self._around.telling.tell(each.key, self._told(each, outcome, since))
                self._let_go(each.key)
        finally:
            for each in members:
                self._let_go(each.key)
        if outcome.faults:
            log.warning("hydration failed", applications=len(members), faults=len(outcome.faults))
            return COOLING_S
        log.info("hydrated", applications=len(members), dry_sha=outcome.dry_sha, sha=outcome.hydrated_sha)
        return None

    def _let_go(self, key: Key) -> None:
        if self._untold.pop(key, False):
            self._around.wake(key)

    def _told(self, each: Member, outcome: _Outcome, since: str) -> Edit:
        spec, now = each.run.object["spec"]["sourceHydrator"], self._now()
        if outcome.faults:
            fault = outcome.faults.get(each.key) or others_failed(dict(outcome.faults))
            return failed(spec, fault, outcome.dry_sha, since, now)
        return hydrated(spec, (outcome.dry_sha, outcome.hydrated_sha), since, now)

    async def _outcome(self, group: Group, members: list[Member], dry_sha: str) -> _Outcome | Withheld:
        """What came of it. What one of them has wrong is wrong for all: half a commit is none."""
        found = await ruled(members, group, self._crowded(group), self._around.ruling)
        if isinstance(found, dict):
            return _Outcome(faults=found)
        try:
            dry_sha = dry_sha or await self._resolved(group, members, fresh=True)
        except PlumblineError as error:
            told = f'failed to get repo objects for app "{members[0].name}": {error}'
            return _Outcome(faults={members[0].key: f"failed to get manifests: {told}"})
        made = await self._around.making.made(found, dry_sha)
        if not isinstance(made, Made):
            return _Outcome(dry_sha, faults=made.faults)
        doing = f'failed to get revision metadata for "{dry_sha}"'
        try:
            task = await self._task(group, members, made)
            doing = "failed to commit hydrated manifests"
            sha = await self._around.writing.written(task, lambda: self._begun(members, dry_sha))
        except Fenced:
            raise
        except PlumblineError as error:
            return _Outcome(dry_sha, faults={each.key: f"{doing}: {error}" for each in members})
        return sha if isinstance(sha, Withheld) else _Outcome(dry_sha, sha)

    def _crowded(self, group: Group) -> Mapping[Key, InvalidInput]:
        """Whose folder is another's too, of those that are looked at at all."""
        cache = self._around.applications.cache
        entries = {key: cache.get(key) for key in self._around.hydrations.beside(group)}
        ours = {key: entry for key, entry in entries.items() if entry is not None and self._is_ours(entry)}
        beside = {key: each for key, each in self._around.hydrations.beside(group).items() if key in ours}

        def permitted(key: Key) -> bool:
            other = member(key, ours[key].object())
            return other is not None and self._around.ruling.permits(other.run)

        def made_at(key: Key) -> str:
            return str(ours[key].object()["metadata"].get("creationTimestamp") or "")

        return shared(beside, group, made_at, permitted)

    async def _begun(self, members: list[Member], dry_sha: str) -> None:
        for each in members:
            spec = each.run.object["spec"]["sourceHydrator"]
            await self._around.telling.tell(each.key, begun(spec, dry_sha, self._now()))
            self._untold[each.key] = False

    async def _task(self, group: Group, members: list[Member], made: Made) -> Task:
        first = members[0].hydrator
        dry = first.dry_source
        synced = {each.hydrator.sync_source.target_branch for each in members}
        commit = await self._around.branches.commit(dry.repo_url, made.dry_sha, project=group.project)
        return Task(
            members=members,
            project=group.project,
            url=first.sync_source.repo_url or dry.repo_url,
            branch=group.branch,
            synced=synced.pop() if len(synced) == 1 else "",
            dry=described(dry.repo_url, commit),
            written=made.written,
            settings=self._around.settings().hydrating,
        )

    def _now(self) -> str:
        return rfc3339(self._around.world.clock.now())
