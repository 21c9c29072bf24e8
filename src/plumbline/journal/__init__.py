"""Append-only record of what happened, and the folds over it.

    async with opening.opened(path, clock=clock, ids=ids, writer=name) as journal:
        (intent,) = await journal.append(Draft(kind="intended", actor=us, subject=it, change=change, summary="…"))

This package loads neither SQLite nor PostgreSQL; `journal.opening` loads the one that is asked for. Simulators take
`journal.sqlite.in_memory`.
"""

from plumbline.journal.causes import (
    Cause,
    Commit,
    ObjectChange,
    Person,
    Schedule,
    change_of,
    fresh_change,
    without_credentials,
)
from plumbline.journal.chain import Anchor, Head
from plumbline.journal.entries import Draft, Entry, Kind
from plumbline.journal.journal import Custody, Journal
from plumbline.journal.parties import Actor, ExternalResource, LiveObject, Subject, printable
from plumbline.journal.queries import Page, Query
from plumbline.journal.transactions import Cut, Retention
from plumbline.journal.verification import Broken, Verdict, lines_verified

__all__ = [
    "Actor",
    "Anchor",
    "Broken",
    "Cause",
    "Commit",
    "Custody",
    "Cut",
    "Draft",
    "Entry",
    "ExternalResource",
    "Head",
    "Journal",
    "Kind",
    "LiveObject",
    "ObjectChange",
    "Page",
    "Person",
    "Query",
    "Retention",
    "Schedule",
    "Subject",
    "Verdict",
    "change_of",
    "fresh_change",
    "lines_verified",
    "printable",
    "without_credentials",
]
