"""Pages of the journal that somebody may see: by object, actor, verb, project and time, and bounded whatever is asked."""

import re
from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing
from datetime import datetime
from typing import Final, NamedTuple

from plumbline.base.errors import InvalidInput
from plumbline.journal import Actor, Entry, Journal, LiveObject, Query
from plumbline.journal.entries import KINDS
from plumbline.journal.queries import LONGEST_PAGE
from plumbline.web.api.parameters import text, texts
from plumbline.web.api.writing import CLUSTER
from plumbline.web.operations import Parameter
from plumbline.web.requests import Request

MOST_READ: Final = 20_000
"""Entries that one answer looks at: where few of them may be seen, it says how to go on."""
_ACTORS: Final = ("person", "controller", "field-manager")
_WORD: Final = re.compile(r"[a-z][a-z-]{0,40}")
_PARTS: Final = 5

PARAMETERS: Final = (
    Parameter("object", "GROUP/KIND/NAMESPACE/NAME, or CLUSTER/… before it; `-` for no namespace or group"),
    Parameter("namespace", "Everything in one namespace"),
    Parameter("cluster", "Which cluster; this one where none is said"),
    Parameter("actor", "person:NAME, controller:NAME or field-manager:NAME"),
    Parameter("kind", "intended, performed, refused, failed, drifted, healed, …", many=True),
    Parameter("verb", "What was done: create, apply, delete, sync, …", many=True),
    Parameter("project", "Of the application that it was for"),
    Parameter("commit", "A commit, or how its hash begins"),
    Parameter("change", "Everything that belongs to one change"),
    Parameter("since", "A time as RFC 3339 has it"),
    Parameter("until", "The same"),
)


class Wanted(NamedTuple):
    query: Query
    verbs: frozenset[str] = frozenset()
    project: str = ""

    @classmethod
    def of(cls, request: Request) -> "Wanted":
        """Raises InvalidInput for what names nothing."""
        kinds = frozenset(texts(request, "kind"))
        if kinds - KINDS:
            raise InvalidInput("there is no such kind of entry", hint=f"There are: {', '.join(sorted(KINDS))}.")
        verbs = frozenset(texts(request, "verb"))
        if any(not _WORD.fullmatch(each) for each in verbs):
            raise InvalidInput("there is no such verb", hint="Verbs are words such as create, apply or delete.")
        namespace, cluster = text(request, "namespace"), text(request, "cluster") or CLUSTER
        within = (cluster, namespace) if namespace else (cluster,) if text(request, "cluster") else ()
        query = Query(
            subject=object_of(text(request, "object"), cluster),
            within=within,
            commit=text(request, "commit").lower(),
            change=text(request, "change"),
            actor=_actor(text(request, "actor")),
            kinds=kinds,
            since=moment(request, "since"),
            until=moment(request, "until"),
        )
        return cls(query, verbs, text(request, "project"))


class Page(NamedTuple):
    entries: list[Entry]
    cursor: str = ""
    """Where to go on; empty at the end."""


async def page(journal: Journal, query: Query, fits: Callable[[Entry], bool], cursor: str, limit: int) -> Page:
    """Newest first, those that fit. A page may be short, and even empty, and there may be more all the same."""
    found: list[Entry] = []
    read = 0
    while read < MOST_READ:
        step = await journal.page(query, cursor=cursor, limit=LONGEST_PAGE)
        for each in step.entries:
            read += 1
            if fits(each):
                found.append(each)
                if len(found) == limit:
                    last = each is step.entries[-1] and not step.cursor
                    return Page(found, "" if last else each.id)
        if not step.cursor:
            return Page(found)
        cursor = step.cursor
    return Page(found, cursor)


async def every(journal: Journal, query: Query, fits: Callable[[Entry], bool], most: int) -> AsyncGenerator[Entry]:
    """The newest first, at most so many, looking at no more than *most* of them."""
    cursor, read = "", 0
    while read < most:
        step = await journal.page(query, cursor=cursor, limit=min(LONGEST_PAGE, most - read))
        read += len(step.entries)
        for each in step.entries:
            if fits(each):
                yield each
        if not step.cursor:
            return
        cursor = step.cursor


async def oldest_first(journal: Journal, query: Query, fits: Callable[[Entry], bool], most: int) -> list[Entry]:
    async with aclosing(every(journal, query, fits, most)) as entries:
        found = [each async for each in entries]
    return found[::-1]


def object_of(said: str, cluster: str) -> LiveObject | None:
    """Raises InvalidInput for a text that names no object."""
    if not said:
        return None
    parts = ["" if part == "-" else part for part in said.split("/")]
    if len(parts) == _PARTS:
        cluster, *parts = parts
    if len(parts) != _PARTS - 1 or not parts[1] or not parts[3]:
        hint = "Write GROUP/KIND/NAMESPACE/NAME, with - where there is no group or namespace."
        raise InvalidInput(f"{said!r} names no object", hint=hint)
    group, kind, namespace, name = parts
    return LiveObject(cluster=cluster, group=group, kind=kind, namespace=namespace, name=name)


def moment(request: Request, name: str) -> datetime | None:
    said = text(request, name)
    if not said:
        return None
    try:
        found: datetime | None = datetime.fromisoformat(said)
    except ValueError:
        found = None
    if found is None or found.tzinfo is None:
        raise InvalidInput(f"the parameter {name} cannot be read", why=f"{said!r} is no time with an offset from UTC")
    return found


def _actor(said: str) -> Actor | None:
    if not said:
        return None
    kind, colon, name = said.partition(":")
    for known in _ACTORS:
        if kind == known and colon and name:
            return Actor(known, name)
    raise InvalidInput(f"{said!r} names nobody", hint="Write person:NAME, controller:NAME or field-manager:NAME.")
