"""What can be asked of the journal, as SQL for the stores and as a plain test of one entry."""

import re
from collections.abc import Iterator
from datetime import datetime
from typing import Any, Final, NamedTuple

import msgspec

from plumbline.base.errors import InvalidInput, LimitExceeded
from plumbline.journal.causes import Cause
from plumbline.journal.entries import Entry
from plumbline.journal.parties import Actor, Subject, object_path
from plumbline.journal.positions import milliseconds, ms_of, seq_of
from plumbline.journal.statements import Read

PAGE: Final = 50
LONGEST_PAGE: Final = 500

_SHA_START: Final = re.compile(r"[0-9a-f]{4,64}")
_OBJECT_PARTS: Final = 4
_EXACT: Final = ("subject", "change", "cause", "actor")


class Query(msgspec.Struct, frozen=True, kw_only=True):
    """All that is set must hold."""

    subject: Subject | None = None
    within: tuple[str, ...] = ()
    """All objects below: a cluster, then a namespace (empty for those without), a kind with its group, a name."""
    commit: str = ""
    """A commit's hash, or the first four digits of it or more."""
    cause: Cause | None = None
    change: str = ""
    actor: Actor | None = None
    kinds: frozenset[str] = frozenset()
    since: datetime | None = None
    until: datetime | None = None
    """Compared with the time in an entry's id, to the millisecond: it never runs backwards."""

    def __post_init__(self) -> None:
        if len(self.within) > _OBJECT_PARTS:
            raise InvalidInput("an object has four parts: cluster, namespace, kind with group, name")
        if self.commit and not _SHA_START.fullmatch(self.commit):
            raise InvalidInput("not the beginning of a commit's hash", why=ascii(self.commit[:80]))

    def matches(self, entry: Entry) -> bool:
        ms = ms_of(entry.id)
        return (
            (self.subject is None or entry.subject == self.subject)
            and (not self.within or _below(self.within, str(entry.subject or "")))
            and str(entry.cause or "").startswith(f"commit:{self.commit}" if self.commit else "")
            and (self.cause is None or str(entry.cause or "") == str(self.cause))
            and (not self.change or entry.change == self.change)
            and (self.actor is None or entry.actor == self.actor)
            and (not self.kinds or entry.kind in self.kinds)
            and (self.since is None or ms >= milliseconds(self.since))
            and (self.until is None or ms < milliseconds(self.until))
        )


EVERYTHING: Final = Query()


class Page(NamedTuple):
    entries: tuple[Entry, ...]
    """Newest first."""
    cursor: str = ""
    """Where the next page begins; empty on the last. It stays good for as long as the entry after it is kept."""


def page_read(query: Query, cursor: str, limit: int) -> Read:
    """The newest entries before *cursor* that match, and one more if there are more."""
    if not 1 <= limit <= LONGEST_PAGE:
        raise LimitExceeded("a page of the journal cannot be that long", why=f"{limit} is not in 1..{LONGEST_PAGE}")
    asked = _Asked(query, cursor)
    # In two steps, so that sorting what an index found moves numbers and not whole entries.
    sql = f"SELECT body FROM journal_entries WHERE seq IN ({asked.places()}) ORDER BY seq DESC"  # noqa: S608 - values are parameters
    return Read(sql, {**asked.values, "limit": limit + 1})


class _Asked:
    """A query as conditions, of which one leads and brings its index; the others only look at what it finds.

    Planners guess badly what is rare in a journal, so they are not left a choice: `|| ''` and `+ 0` change no value,
    but no index serves them.
    """

    def __init__(self, query: Query, cursor: str) -> None:
        self.values: dict[str, Any] = {}
        self._kinds = [f"kind{index}" for index in range(len(query.kinds))]
        self._leader = _leader(query)
        self._place = "seq + 0" if self._leader in {"within", "commit"} else "seq"
        self._conditions = [*self._exact(query), *self._ranges(query), *self._times(query, cursor)]
        self.values |= dict(zip(self._kinds, sorted(query.kinds), strict=True))

    def places(self) -> str:
        """The places of the page's entries. Of several kinds, each gives its newest: none has to be read to its end."""
        if self._leader != "kinds":
            kinds = f"kind || '' IN ({', '.join(f':{name}' for name in self._kinds)})"
            return self._newest([*self._conditions, kinds] if self._kinds else self._conditions)
        newest = (self._newest([*self._conditions, f"kind = :{name}"]) for name in self._kinds)
        each = " UNION ALL ".join(f"SELECT seq FROM ({one}) AS of_a_kind" for one in newest)  # noqa: S608 - same
        return f"SELECT seq FROM ({each}) AS of_all_kinds ORDER BY seq DESC LIMIT :limit"  # noqa: S608 - same

    def _newest(self, conditions: list[str]) -> str:
        where = f"WHERE {' AND '.join(conditions)}" if conditions else ""
        return f"SELECT seq FROM journal_entries {where} ORDER BY {self._place} DESC LIMIT :limit"  # noqa: S608 - same

    def _exact(self, query: Query) -> Iterator[str]:
        for column in _EXACT:
            if value := str(getattr(query, column) or ""):
                self.values[column] = value
                yield f"{self._looked_at(column, column)} = :{column}"

    def _ranges(self, query: Query) -> Iterator[str]:
        if query.within:
            self.values["below"], self.values["beyond"] = _bounds(query.within)
            subject = self._looked_at("subject", "within")
            yield f"{subject} >= :below AND {subject} < :beyond"
        if query.commit:
            self.values |= {"sha": f"commit:{query.commit}", "past_sha": f"commit:{query.commit}g"}
            cause = self._looked_at("cause", "commit")
            yield f"{cause} >= :sha AND {cause} < :past_sha"

    def _times(self, query: Query, cursor: str) -> Iterator[str]:
        # Milliseconds and places grow together, so a time is a place.
        if query.since is not None:
            self.values["since"] = milliseconds(query.since)
            first = "SELECT seq FROM journal_entries WHERE ms >= :since ORDER BY ms, seq LIMIT 1"
            yield f"{self._place} >= ({first})"
        if query.until is not None:
            self.values["until"] = milliseconds(query.until)
            final = "SELECT seq FROM journal_entries WHERE ms < :until ORDER BY ms DESC, seq DESC LIMIT 1"
            yield f"{self._place} <= ({final})"
        if cursor:
            self.values["before"] = seq_of(cursor)
            yield f"{self._place} < :before"

    def _looked_at(self, column: str, condition: str) -> str:
        return column if condition == self._leader else f"{column} || ''"


def _leader(query: Query) -> str:
    """The condition that most likely leaves the fewest entries."""
    return next(
        (name for name in ("subject", "change", "cause", "commit", "actor", "within", "kinds") if getattr(query, name)),
        "",
    )


def _below(parts: tuple[str, ...], subject: str) -> bool:
    below, beyond = _bounds(parts)
    return below <= subject < beyond


def _bounds(parts: tuple[str, ...]) -> tuple[str, str]:
    path = object_path(*parts)
    if len(parts) == _OBJECT_PARTS:
        return path, f"{path}\x01"  # nothing that can be printed comes between
    # "0" is the character after the slash.
    return f"{path}/", f"{path}0"
