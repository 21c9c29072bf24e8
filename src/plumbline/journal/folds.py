"""What the journal tells when it is read from the oldest entry to the newest. Pure, and total over any entries.

Whoever wants them kept up to date folds the entries that `follow` gives; whoever wants them once, those of an export or
of pages turned round.
"""

from collections import Counter
from collections.abc import Iterable, Iterator
from datetime import UTC, date, datetime
from typing import Final, NamedTuple

from plumbline.base.json import Json, JsonObject, encode
from plumbline.journal.causes import Commit
from plumbline.journal.effects import EFFECT_BYTES
from plumbline.journal.entries import Entry
from plumbline.journal.parties import ID_CHARS, Actor, Subject, printable

_FIELDS_BYTES: Final = EFFECT_BYTES - 200
EVERY_FIELD: Final = ""
"""The path of a drift that is about the whole object: it is gone, or nobody could say which field."""


class LeadTime(NamedTuple):
    """How long one commit took to run in one application."""

    application: Subject
    commit: Commit
    began: datetime
    """When it was committed, or first seen here if that was earlier: a committer's clock may be wrong."""
    healthy: datetime
    delivered_by: Commit
    """The commit that became healthy: another one where this one was overtaken before it did."""

    @property
    def lead_s(self) -> float:
        return max((self.healthy - self.began).total_seconds(), 0.0)


def lead_times(entries: Iterable[Entry]) -> Iterator[LeadTime]:
    """Commit to healthy, once for each application and commit, when it first becomes healthy.

    A commit that was overtaken by a newer one is delivered with it: it did take that long to reach its users.
    """
    under_way: dict[str, dict[str, tuple[Commit, datetime]]] = {}
    delivered: dict[str, set[str]] = {}
    for entry in entries:
        commit, application = entry.cause, entry.subject
        if not isinstance(commit, Commit) or application is None:
            continue
        key = str(application)
        waiting, done = under_way.setdefault(key, {}), delivered.setdefault(key, set())
        if commit.sha in done:
            continue
        waiting.setdefault(commit.sha, (commit, min(commit.committed_at or entry.at, entry.at)))
        if entry.kind == "healthy":
            for earlier, began in _overtaken(waiting, commit.sha):
                done.add(earlier.sha)
                yield LeadTime(application, earlier, began, entry.at, commit)


def _overtaken(waiting: dict[str, tuple[Commit, datetime]], sha: str) -> list[tuple[Commit, datetime]]:
    """Take out what was first seen before *sha*, and *sha* itself; what came after is still under way."""
    shas = list(waiting)
    return [waiting.pop(each) for each in shas[: shas.index(sha) + 1]]


class Drift(NamedTuple):
    """One field of one object that was not as it should be, from when it was seen until it was right again."""

    subject: Subject
    path: str
    manager: str
    """The field manager that wrote it; empty where nobody could say."""
    detected: datetime
    healed: datetime | None = None
    healed_by: Actor | None = None


def drift_effect(fields: Iterable[tuple[str, str]]) -> JsonObject:
    """The effect of a `drifted` or `healed` entry: paths with their managers, as many as an entry has room for."""
    listed: list[JsonObject] = []
    room_bytes, more = _FIELDS_BYTES, 0
    for path, manager in fields:
        field = {"path": printable(path, ID_CHARS), "manager": printable(manager)}
        size_bytes = len(encode(field)) + 1
        if size_bytes <= room_bytes:
            listed.append(field)
            room_bytes -= size_bytes
        else:
            more += 1
    return {"fields": listed, "more": more} if more else {"fields": listed}


def drift_timeline(entries: Iterable[Entry]) -> list[Drift]:
    """Every drift, oldest first, healed or not. A `healed` entry that lists no fields heals all of its object."""
    timeline: list[Drift] = []
    current: dict[tuple[str, str], int] = {}
    for entry in entries:
        subject = entry.subject
        if subject is None or entry.kind not in {"drifted", "healed"}:
            continue
        key = str(subject)
        if entry.kind == "drifted":
            for path, manager in _fields(entry.effect) or [(EVERY_FIELD, "")]:
                if (key, path) not in current:
                    current[key, path] = len(timeline)
                    timeline.append(Drift(subject, path, manager, entry.at))
        else:
            healed = [(key, path) for path, _ in _fields(entry.effect)] or [each for each in current if each[0] == key]
            for each in healed:
                if (index := current.pop(each, None)) is not None:
                    timeline[index] = timeline[index]._replace(healed=entry.at, healed_by=entry.actor)
    return timeline


def counts_per_day(entries: Iterable[Entry]) -> dict[date, Counter[str]]:
    """How many of each kind, by days in UTC."""
    counts: dict[date, Counter[str]] = {}
    for entry in entries:
        counts.setdefault(entry.at.astimezone(UTC).date(), Counter())[entry.kind] += 1
    return counts


def _fields(effect: JsonObject) -> list[tuple[str, str]]:
    listed: Json = effect.get("fields")
    if not isinstance(listed, list):
        return []
    return [
        (str(field.get("path") or ""), str(field.get("manager") or "")) for field in listed if isinstance(field, dict)
    ]
