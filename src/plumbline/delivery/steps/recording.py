"""What the journal is told of how an application fares: that it runs what a commit says, what drifted, what is right again.

It is told before the status is written that shows it. Whoever is killed in between tells it once more, which the folds of
the journal count once; nothing is left out. Drift is told before it is put right, which does not wait for that: the journal
has it before the intent to put it right. What was told is remembered, so that a status which is not written, because
somebody else was faster or because we only observe, is no reason to tell it with every look.
"""

import asyncio
import re
from collections.abc import Iterable
from datetime import UTC, datetime
from typing import Any, Final, NamedTuple, Protocol

from plumbline.base.errors import PlumblineError
from plumbline.base.json import JsonObject, encode
from plumbline.delivery.compare.rules import MANAGER
from plumbline.delivery.steps.acting import US, commits_of
from plumbline.delivery.steps.progressing import ENDED
from plumbline.delivery.steps.state import At, Target
from plumbline.journal import Draft, Journal, Query
from plumbline.journal.causes import Commit
from plumbline.journal.effects import EFFECT_BYTES
from plumbline.journal.entries import Kind
from plumbline.journal.folds import drift_effect
from plumbline.journal.parties import LiveObject
from plumbline.kinds.application import ApplicationStatus, OperationState, ResourceStatus
from plumbline.kube.diff import Difference
from plumbline.kube.health import Status
from plumbline.kube.names import Ref
from plumbline.kube.object import Object
from plumbline.source.git.objects import RawObject

_HERE: Final = "in-cluster"
_MOST_ASKED: Final = 200
"""Objects of which the journal is asked whether they had drifted when somebody else last looked."""
_MOST_KNOWN: Final = 50_000
_MOST_DATED: Final = 1_000
_COMMITTER: Final = re.compile(rb"^committer [^\n]* ([0-9]{1,11}) [+-][0-9]{4}$", re.MULTILINE)
_DRIFT: Final[frozenset[str]] = frozenset({"drifted", "healed"})


class Commits(Protocol):
    async def raw(self, url: str, sha: str, *, project: str | None = None) -> RawObject: ...


class _Fared(NamedTuple):
    """How an application was seen last."""

    revisions: tuple[str, ...]
    keys: tuple[str, ...] | None
    """Of what was asked for; None where only the status tells."""
    resources: tuple[ResourceStatus, ...]
    ran: tuple[str, ...] = ()
    """The revisions that it was last seen well with, of those that it was synced to: others asked for nothing new."""
    drifted: frozenset[Ref] = frozenset()
    doubtful: frozenset[Ref] = frozenset()
    """Not as they should be since before we began to look: only the journal knows whether they ever were."""

    def asks_as(self, other: "_Fared") -> bool:
        same = self.keys is None or other.keys is None or self.keys == other.keys
        return same and self.revisions == other.revisions


class Recording:
    """Two steps of a look, before and after something is done about what was found. They add nothing to it."""

    def __init__(self, journal: Journal, commits: Commits) -> None:
        self._journal, self._commits = journal, commits
        self._known: dict[str, _Fared] = {}
        self._told: dict[str, asyncio.Future[Any]] = {}
        """What the journal does not have yet, by the application that it is about."""
        self._dates: dict[Commit, Commit] = {}

    async def noticed(self, run: Any, at: At) -> At:
        """What drifted, and what is right again by itself."""
        now, uid = _seen(at, run.read.status), Object(run.object).uid
        self._told.pop(uid, None)  # of a look that did not come to its end
        if now is not None:
            before = self._before(run)
            moved, drafts = await self._moves(at, before, now)
            self._tell(uid, drafts, before, moved._replace(ran=before.ran))
        return at

    async def recorded(self, run: Any, at: At) -> At:
        """What is right since something was done, and that it runs what a commit says. Returns when the journal has all of it."""
        now, uid = _seen(at, run.read.status), Object(run.object).uid
        await self._written(uid)
        if now is not None:
            before = self._before(run)
            moved, drafts = await self._moves(at, before, now)
            if now.ran and now.ran != before.ran:
                drafts += self._healthy(at, [await self._dated(*each) for each in commits_of(_target(at))])
            self._tell(uid, drafts, before, moved._replace(ran=now.ran or before.ran))
        await self._written(uid)
        return at

    async def _written(self, uid: str) -> None:
        told = self._told.pop(uid, None)
        if told is not None:
            await told

    def _before(self, run: Any) -> _Fared:
        return self._known.get(Object(run.object).uid) or _told(run.read.status)

    def _tell(self, uid: str, drafts: list[Draft], before: _Fared, now: _Fared) -> None:
        if len(self._known) >= _MOST_KNOWN:
            self._known.clear()
        self._known[uid] = now
        if drafts:
            self._told[uid] = told = self._journal.begin(*drafts)
            told.add_done_callback(lambda each: self._over(uid, each, before))

    def _over(self, uid: str, told: asyncio.Future[Any], before: _Fared) -> None:
        if told.cancelled() or told.exception() is not None:
            self._known[uid] = before  # so that the next look tells it, whatever the status says by then
        elif self._told.get(uid) is told:
            del self._told[uid]

    async def _moves(self, at: At, before: _Fared, now: _Fared) -> tuple[_Fared, list[Draft]]:
        if not before.asks_as(now):
            return now, []
        astray, back = await self._moved(at, before, now)
        drafts = [_draft("drifted", at, ref, _fields(at, ref)) for ref in sorted(astray)]
        drafts += [_draft("healed", at, ref, {}) for ref in sorted(back)]
        return now._replace(drifted=(before.drifted | astray) - back, doubtful=before.doubtful - back), drafts

    def _healthy(self, at: At, commits: list[Commit]) -> list[Draft]:
        """One for each commit: an application may have several sources."""
        subject = LiveObject.at(_HERE, at.facts.ref)
        return [
            Draft(kind="healthy", actor=US, subject=subject, cause=each, summary=f"It runs {each.sha[:7]}")
            for each in commits
        ]

    async def _dated(self, commit: Commit, url: str) -> Commit:
        """With when it was committed, where the repository can be asked. Many applications run the same commit."""
        if commit not in self._dates:
            try:
                raw = await self._commits.raw(url, commit.sha)
            except PlumblineError:
                return commit
            if len(self._dates) >= _MOST_DATED:
                self._dates.clear()
            found = _COMMITTER.search(raw.content.partition(b"\n\n")[0])
            at = datetime.fromtimestamp(int(found[1]), UTC) if found is not None else None
            self._dates[commit] = Commit(repo=commit.repo, sha=commit.sha, committed_at=at)
        return self._dates[commit]

    async def _moved(self, at: At, before: _Fared, now: _Fared) -> tuple[frozenset[Ref], frozenset[Ref]]:
        """What was right and is not, and what is right again, while the same was asked for."""
        if before.resources == now.resources:
            return frozenset(), frozenset()
        right, wrong = _refs(now.resources, "Synced"), _refs(now.resources, "OutOfSync")
        astray = frozenset(ref for ref in wrong & _refs(before.resources, "Synced") if not _our_doing(at, ref))
        back = before.drifted & right
        doubtful = sorted(before.doubtful & right)[:_MOST_ASKED]
        return astray, back | {ref for ref in doubtful if await self._had_drifted(at, ref)}

    async def _had_drifted(self, at: At, ref: Ref) -> bool:
        found = await self._journal.page(Query(subject=_subject(at, ref), kinds=_DRIFT), limit=1)
        return any(each.kind == "drifted" for each in found.entries)


def _target(at: At) -> Target:
    assert at.target is not None  # noqa: S101 - it was compared with one
    return at.target


def _seen(at: At, status: ApplicationStatus) -> _Fared | None:
    """None where nothing could be compared."""
    target, comparison = at.target, at.comparison
    if target is None or comparison is None:
        return None
    operation = at.operated.state if at.operated is not None else status.operation_state
    well = comparison.status == "Synced" and comparison.health == Status.HEALTHY
    ran = target.revisions if well and _brought(operation, target.revisions) else ()
    return _Fared(target.revisions, target.keys, comparison.resources, ran)


def _told(status: ApplicationStatus) -> _Fared:
    """As the status says that it was."""
    sync = status.sync
    revisions = sync.revisions or ((sync.revision,) if sync.revision else ())
    well = sync.status == "Synced" and status.health.status == Status.HEALTHY
    ran = revisions if well and _brought(status.operation_state, revisions) else ()
    return _Fared(revisions, None, status.resources, ran, doubtful=_refs(status.resources, "OutOfSync"))


def _brought(operation: OperationState | None, revisions: tuple[str, ...]) -> bool:
    """Whether the last sync is over and was one to *revisions*; where there was none, somebody else brings what is there."""
    if operation is None:
        return True
    result = operation.sync_result
    return operation.phase in ENDED and result is not None and (result.revisions or (result.revision,)) == revisions


def _refs(resources: Iterable[ResourceStatus], status: str) -> frozenset[Ref]:
    return frozenset(
        Ref(each.group, each.kind, each.namespace, each.name) for each in resources if each.status == status
    )


def _our_doing(at: At, ref: Ref) -> bool:
    """A sync to another revision than the one that is compared with, such as a rollback, is no drift."""
    differences = _differences(at, ref)
    return bool(differences) and all(each.managers == (MANAGER,) for each in differences)


def _fields(at: At, ref: Ref) -> JsonObject:
    """Which fields, and who wrote them. An object that is gone has none."""
    return drift_effect((each.path, ", ".join(each.managers)) for each in _differences(at, ref))


def _differences(at: At, ref: Ref) -> tuple[Difference, ...]:
    found = at.comparison.compared.get(ref) if at.comparison is not None else None
    return found.differences if found is not None else ()


def _subject(at: At, ref: Ref) -> LiveObject:
    return LiveObject.at(at.destination.journal_name or _HERE, ref)


def _draft(kind: Kind, at: At, ref: Ref, effect: JsonObject) -> Draft:
    app = at.facts.ref
    named = {"group": app.group, "kind": app.kind, "namespace": app.namespace, "name": app.name}
    said = "is not what Git asks for" if kind == "drifted" else "is what Git asks for again"
    behalf: JsonObject = {"for": named, "project": at.project.name}
    whole = {**behalf, **effect}
    told = whole if len(encode(whole)) <= EFFECT_BYTES else behalf
    return Draft(kind=kind, actor=US, subject=_subject(at, ref), summary=f"{ref} {said}", effect=told)
