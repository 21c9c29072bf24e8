"""Entries of the journal for people and for spreadsheets. Pure."""

import csv
import io
from collections.abc import Iterable
from typing import Final

from plumbline.base.clock import rfc3339
from plumbline.base.json import JsonObject
from plumbline.journal import Commit, Entry, ExternalResource, LiveObject, ObjectChange, Person, Schedule
from plumbline.journal.causes import Cause
from plumbline.journal.parties import Subject

HEADER: Final = (
    "at",
    "kind",
    "verb",
    "actor",
    "cluster",
    "namespace",
    "kindOfObject",
    "name",
    "cause",
    "change",
    "summary",
    "id",
)
_FORMULA: Final = ("=", "+", "-", "@", "\t", "\r")


def entry(each: Entry) -> JsonObject:
    known: JsonObject = {
        "id": each.id,
        "at": rfc3339(each.at),
        "kind": each.kind,
        "verb": each.verb,
        "actor": {"kind": each.actor.kind, "name": each.actor.name},
        "subject": subject(each.subject) if each.subject is not None else None,
        "cause": _cause(each.cause) if each.cause is not None else None,
        "change": each.change,
        "settles": each.settles,
        "summary": each.summary,
        "details": each.effect,
    }
    return {name: value for name, value in known.items() if value not in ("", None) and value != {}}


def subject(each: Subject) -> JsonObject:
    if isinstance(each, ExternalResource):
        return {"provider": each.provider, "id": each.id}
    return {
        "cluster": each.cluster,
        "group": each.group,
        "kind": each.kind,
        "namespace": each.namespace,
        "name": each.name,
    }


def _cause(cause: Cause) -> JsonObject:
    match cause:
        case Commit(repo=repo, sha=sha):
            return {"commit": sha, "repo": repo}
        case Person(name=name):
            return {"person": name}
        case ObjectChange(object=obj):
            return {"object": subject(obj)}
        case Schedule(name=name, due=due):
            return {"schedule": name, "due": rfc3339(due)}


def csv_line(*cells: str) -> bytes:
    text = io.StringIO()
    csv.writer(text).writerow([_harmless(cell) for cell in cells])
    return text.getvalue().encode()


def csv_entry(each: Entry) -> bytes:
    at: Iterable[str] = ("", "", "", str(each.subject or ""))
    if isinstance(each.subject, LiveObject):
        at = (each.subject.cluster, each.subject.namespace, each.subject.kind, each.subject.name)
    cause = str(each.cause or "")
    return csv_line(
        rfc3339(each.at), each.kind, each.verb, str(each.actor), *at, cause, each.change, each.summary, each.id
    )


def _harmless(cell: str) -> str:
    """A spreadsheet takes what begins like a formula for one, whoever wrote it."""
    return f"'{cell}" if cell.startswith(_FORMULA) else cell
