"""The table of a kind: where it is in Azure, how its fields are called there, and what is special about it.

`fields` is written as words, one line for each object: the key is a path below forProvider. A word is a name, its type after
`:` where it is not a string, and after `=` where the API has it if that differs: below `properties`, or at the top where it
begins with `/`. The marks after a word:

    !   cannot change in place
    -   not filled in late: Azure changes it by itself
    ^   compared without regard to case and spaces, as Azure's ids and locations are
    ~   a boolean that the API writes as Enabled and Disabled
    +   said at creation, and never heard of again

Every object of these kinds may also be written as a list of one, as older versions of the CRDs do.
"""

import re
from collections.abc import Callable, Mapping
from functools import cache
from typing import Final, Literal, TypeAlias

import msgspec

from plumbline.base.json import JsonObject
from plumbline.managed.external import Difference, State
from plumbline.providers.rest.fields import Field, Node
from plumbline.providers.rest.secrets import SecretField

_word: Final = re.compile(
    r"(?P<name>\w+)(?::(?P<type>[\[\]{}\w]+))?(?:=(?P<path>/?[\w.]+))?(?P<marks>[!^~+-]*)"
).fullmatch

Purpose: TypeAlias = Literal["create", "update"]


class Status(msgspec.Struct, frozen=True):
    state: State = "Available"
    message: str = ""
    busy: bool = False
    """Whether a change would be refused now."""


def _as_is(body: JsonObject, _purpose: Purpose) -> JsonObject:
    return body


def _as_found(found: JsonObject) -> JsonObject:
    return found


def _available(_found: JsonObject) -> Status:
    return Status()


def _no_keys(_found: JsonObject) -> dict[str, str]:
    return {}


def _no_loss(_found: JsonObject) -> str:
    return ""


def _settled(differences: tuple[Difference, ...], _wanted: JsonObject, _found: JsonObject) -> tuple[Difference, ...]:
    return differences


class Reset(msgspec.Struct, frozen=True):
    """For what is always there: it is deleted by giving it the value that it has by itself."""

    body: Callable[[JsonObject], JsonObject]
    ours: Callable[[JsonObject], bool]
    """Whether somebody has set it."""
    undone: Callable[[JsonObject], bool]


class Table(msgspec.Struct, frozen=True, kw_only=True):
    type: str
    """As Azure calls it, such as `Microsoft.DBforPostgreSQL/flexibleServers`."""
    version: str
    """Of its API."""
    identity: str
    """Template of its id, over `subscription`, the parents and `name`."""
    parents: tuple[str, ...] = ()
    """Fields of forProvider that are part of its id. They never change."""
    within: Mapping[str, str] = {}
    """Of those parents that are ids, their templates."""
    named_by: str = ""
    """The field that has its name, where that is not the external name."""
    update: Literal["PATCH", "PUT"] = "PATCH"
    fields: Mapping[str, str]
    scales: Mapping[str, int] = {}
    reports: str = ""
    """Words of what is in atProvider only."""
    local: Mapping[str, str] = {}
    """Fields of forProvider that the API does not know, with their types."""
    tagged: bool = False
    required: tuple[str, ...] = ()
    refused: Mapping[str, str] = {}
    """Those of upstream's fields that are not supported, with what to do instead."""
    secrets: tuple[SecretField, ...] = ()
    unsaid: tuple[str, ...] = ()
    """Fields that a creation cannot say: they are changed afterwards."""
    alone: tuple[tuple[str, ...], ...] = ()
    """Fields that Azure changes in a request of their own."""
    contains: str = ""
    """What is inside, as a path below it: it is deleted only when nothing is."""
    reset: Reset | None = None
    restarts: str = ""
    """The parent that has to be restarted before a change is in effect."""
    encode: Callable[[JsonObject, Purpose], JsonObject] = _as_is
    """Last changes to what is sent."""
    decode: Callable[[JsonObject], JsonObject] = _as_found
    """First changes to what was found: the inverse of `encode`."""
    status: Callable[[JsonObject], Status] = _available
    keys: Callable[[JsonObject], dict[str, str]] = _no_keys
    """Of the connection Secret, from what the API shows."""
    holds: Callable[[JsonObject], str] = _no_loss
    settle: Callable[[tuple[Difference, ...], JsonObject, JsonObject], tuple[Difference, ...]] = _settled
    """Differences as the kind sees them, from forProvider and what was found in the same words."""

    def __hash__(self) -> int:
        return hash(self.type)


@cache
def tree(table: Table) -> Node:
    """The fields of forProvider."""
    return _node(table, "", table.fields.get("", ""))


@cache
def reported(table: Table) -> tuple[Field, ...]:
    return tuple(_field(table, "", word) for word in table.reports.split())


def _node(table: Table, at: str, words: str) -> Node:
    nodes = []
    for key, text in table.fields.items():
        path, _, renamed = key.partition("=")
        parent, _, name = path.rpartition(".")
        if not key or parent != at:
            continue
        child = _node(table, path, text)
        nodes.append(msgspec.structs.replace(child, name=name, path=_place(renamed or name, at)))
    fields = tuple(_field(table, at, word) for word in words.split())
    return Node(name="", path=(), many=False, listed=False, fields=fields, nodes=tuple(nodes))


def _field(table: Table, at: str, word: str) -> Field:
    match = _word(word)
    if match is None:
        raise ValueError(f"{word!r} is no field of a table")
    marks, name = match["marks"], match["name"]
    return Field(
        name=name,
        path=_place(match["path"] or name, at),
        type=match["type"] or "string",
        final="!" in marks,
        late="-" not in marks and "+" not in marks,
        caseless="^" in marks,
        switch="~" in marks,
        scale=table.scales.get(name, 1),
        spoken="+" in marks,
    )


def _place(path: str, at: str) -> tuple[str, ...]:
    if path.startswith("/"):
        return tuple(path[1:].split("."))
    parts = tuple(path.split("."))
    return parts if at else ("properties", *parts)
