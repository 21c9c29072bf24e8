"""The table of a kind: how its fields are called in the API, and what is special about it.

`fields` is written as words, one line for each object: the key is a path below forProvider, `[]` marks a list of objects,
and `=` gives the name in the API where that differs (which may be a path). The marks after a word:

    !   cannot change in place
    -   not filled in late: the provider changes it by itself
    ^   compared without regard to case
    @   a link to another resource: a bare name is completed with the path that follows, links are compared by their end

Types are not written: the discovery document knows them (`facts`). Whether an object may also be written as a list of one,
as older versions of the CRDs do, follows from them: it may wherever the API has no list.
"""

import re
from collections.abc import Callable, Mapping
from functools import cache
from typing import Final, Literal, TypeAlias

import msgspec

from plumbline.base.json import Json, JsonObject
from plumbline.managed.external import Difference, State
from plumbline.providers.gcp.facts import Api, api
from plumbline.providers.rest.fields import Field, Node
from plumbline.providers.rest.secrets import SecretField

_word: Final = re.compile(r"(?P<name>\w+)(?:=(?P<path>[\w.]+))?(?P<marks>[!^-]*)(?:@(?P<link>\S*))?").fullmatch

Place: TypeAlias = Mapping[str, str]
"""What a resource's path is made of: `project`, `name` and the like."""


def _unasked(_wanted: JsonObject) -> tuple[tuple[str, str], ...]:
    return ()


class Way(msgspec.Struct, frozen=True):
    """A method that changes what the kind's ordinary update cannot."""

    fields: tuple[str, ...]
    method: str
    """Of the same collection, unless it says of which."""
    body: Callable[[JsonObject], JsonObject | None]
    """From what a creation would say; None where the method takes no body."""
    place: Callable[[JsonObject, Place], Place] | None = None
    """Where it is done, if not on the resource itself: from what was found."""
    query: Callable[[JsonObject], tuple[tuple[str, str], ...]] = _unasked
    """Parameters that may come more than once, from forProvider."""


class Creation(msgspec.Struct, frozen=True):
    """Another way to make one than the ordinary method."""

    method: str
    place: Place
    body: JsonObject


class Status(msgspec.Struct, frozen=True):
    state: State = "Available"
    message: str = ""


def _nothing(_found: JsonObject, _place: Place) -> JsonObject:
    return {}


def _no_keys(_found: JsonObject, _place: Place) -> dict[str, str]:
    return {}


def _available(_found: JsonObject) -> Status:
    return Status()


def _unprotected(_wanted: JsonObject, _found: JsonObject) -> str:
    return ""


def _no_loss(_found: JsonObject) -> str:
    return ""


def _as_found(differences: tuple[Difference, ...], _wanted: JsonObject, _found: JsonObject) -> tuple[Difference, ...]:
    return differences


def _ordinary(_wanted: JsonObject, _place: Place) -> Creation | None:
    return None


def _as_is(body: JsonObject) -> JsonObject:
    return body


def _unguarded(_found: JsonObject) -> tuple[JsonObject, dict[str, str]]:
    return {}, {}


class Table(msgspec.Struct, frozen=True, kw_only=True):
    api: str
    resource: str
    """Its schema in the API."""
    collection: str
    """Where its methods are: `instances` has `instances.get`."""
    create: str = "insert"
    update: str = "patch"
    whole: bool = False
    """Whether an update says all of it again, not only what changes."""
    mask: Literal["", "query", "body"] = ""
    """How an update says which fields it means; without, those that are in it."""
    wrap: str = ""
    """The field of an update's body that holds the resource."""
    params: Mapping[str, str]
    """Parameters of its methods, as templates over the place."""
    parents: tuple[str, ...] = ()
    """Fields of forProvider that are part of its place, besides `project`. They never change."""
    optional_parents: frozenset[str] = frozenset()
    parent_types: Mapping[str, str] = {}
    """Of those that are not strings."""
    identity: str
    """Template of `status.atProvider.id`."""
    operation: str = ""
    """The method that looks at a long-running operation; empty where answers are final."""
    body: Mapping[str, str] = {}
    """What a creation says besides forProvider, as templates over the place."""
    fields: Mapping[str, str]
    reports: str = ""
    """Words of what is in atProvider only."""
    local: Mapping[str, str] = {}
    """Fields of forProvider that the API does not know, with their types."""
    required: tuple[str, ...] = ()
    refused: Mapping[str, str] = {}
    """Those of upstream's fields that are not supported, with what to do instead."""
    says: Mapping[str, Mapping[str, Json]] = {}
    """Fields whose values have other names than in the API."""
    secrets: tuple[SecretField, ...] = ()
    ways: tuple[Way, ...] = ()
    report: Callable[[JsonObject, Place], JsonObject] = _nothing
    keys: Callable[[JsonObject, Place], dict[str, str]] = _no_keys
    """Of the connection Secret, from what the API shows."""
    revealed: Mapping[str, tuple[str, str, str]] = {}
    """Keys of the connection Secret that a method gives away: method, field of its answer, switch that turns it on."""
    made: Callable[[JsonObject, Place], Creation | None] = _ordinary
    encode: Callable[[JsonObject], JsonObject] = _as_is
    """Last changes to what is sent."""
    status: Callable[[JsonObject], Status] = _available
    protected: Callable[[JsonObject, JsonObject], str] = _unprotected
    holds: Callable[[JsonObject], str] = _no_loss
    settle: Callable[[tuple[Difference, ...], JsonObject, JsonObject], tuple[Difference, ...]] = _as_found
    """Differences as the kind sees them, from forProvider and what was found in the same words."""
    guard: Callable[[JsonObject], tuple[JsonObject, dict[str, str]]] = _unguarded
    """What makes an update fail if somebody else was faster: parts of the body, and parameters."""
    emptied: tuple[str, str] | None = None
    """Methods that list and remove what is inside, where forceDestroy allows it."""
    hidden_at_first: bool = False
    """Whether a name is taken as soon as somebody asks, but nothing is to be seen under it before the operation is over."""
    abandons: bool = False
    """Whether `deletionPolicy: ABANDON` leaves it where it is."""
    unready: frozenset[str] = frozenset()
    """Reasons of a refusal that go away by themselves, when what it is part of is ready."""
    extra_methods: tuple[str, ...] = ()

    def __hash__(self) -> int:
        return hash((self.api, self.collection))

    @property
    def methods(self) -> frozenset[str]:
        own = {"get", "delete", self.create, self.update, *(way.method for way in self.ways)}
        own |= {method for method, _, _ in self.revealed.values()}
        others = {self.operation, *(self.emptied or ()), *self.extra_methods} - {""}
        return frozenset({self.method(name) for name in own} | others)

    def method(self, name: str) -> str:
        return name if "." in name else f"{self.collection}.{name}"

    @property
    def facts(self) -> Api:
        return api(self.api)


def filled(template: str, place: Place) -> str:
    return template.format_map(place)


@cache
def tree(table: Table) -> Node:
    """The fields of forProvider. Raises KeyError where the table names a field that the API does not have."""
    return _node(table, "", (), table.fields.get("", ""))


@cache
def reported(table: Table) -> tuple[Field, ...]:
    return tuple(_field(table, (), word) for word in table.reports.split())


def _node(table: Table, at: str, above: tuple[str, ...], words: str) -> Node:
    nodes = []
    for key, text in table.fields.items():
        path, _, renamed = key.partition("=")
        parent, _, name = path.removesuffix("[]").rpartition(".")
        if not key or parent.replace("[]", "") != at.replace("[]", ""):
            continue
        below = tuple((renamed or name).split("."))
        child = _node(table, path, (*above, *below), text)
        nodes.append(msgspec.structs.replace(child, name=name, path=below, many=path.endswith("[]")))
    kind = table.facts.type_at(table.resource, above)
    return Node(
        name="",
        path=(),
        many=False,
        listed=kind.startswith("[]"),
        fields=tuple(_field(table, above, word, at) for word in words.split()),
        nodes=tuple(nodes),
    )


def _field(table: Table, above: tuple[str, ...], word: str, at: str = "") -> Field:
    match = _word(word)
    if match is None:
        raise ValueError(f"{word!r} is no field of a table")
    marks = match["marks"]
    path = tuple((match["path"] or match["name"]).split("."))
    return Field(
        name=match["name"],
        path=path,
        type=table.facts.type_at(table.resource, (*above, *path)),
        final="!" in marks,
        late="-" not in marks,
        caseless="^" in marks,
        link=match["link"],
        says=table.says.get(f"{at}.{match['name']}".replace("[]", "").lstrip(".")),
    )
