"""One stored object, and one change to it."""

from collections.abc import Mapping
from enum import Enum
from typing import NamedTuple

import msgspec

from plumbline.apiserver.resources.resource import Collection
from plumbline.base.json import JsonObject, decode


class Key(NamedTuple):
    collection: Collection
    namespace: str
    """Empty for objects of the whole cluster."""
    name: str

    @property
    def path(self) -> str:
        """Lists are in the order of these."""
        return f"{self.namespace}/{self.name}" if self.namespace else self.name

    def __str__(self) -> str:
        return f"{self.collection} {self.path}"


class _Labels(msgspec.Struct):
    labels: dict[str, str] | None = None


class _Labelled(msgspec.Struct):
    metadata: _Labels = msgspec.field(default_factory=_Labels)


_labelled = msgspec.json.Decoder(_Labelled)


class Entry:
    """An object as it was after one write; never changed. `body` is its JSON in the version it is stored in."""

    __slots__ = ("_labels", "body", "key", "revision")

    def __init__(self, key: Key, revision: int, body: bytes) -> None:
        self.key = key
        self.revision = revision
        self.body = body
        self._labels: Mapping[str, str] | None = None

    def __repr__(self) -> str:
        """Without the body: it may be a Secret."""
        return f"Entry({self.key}, {self.revision})"

    @property
    def labels(self) -> Mapping[str, str]:
        if self._labels is None:
            self._labels = _labelled.decode(self.body).metadata.labels or {}
        return self._labels

    def object(self) -> JsonObject:
        """Decoded anew each time: the caller may keep and share it, and decides what that costs."""
        return decode(self.body, type=JsonObject)


class ChangeType(Enum):
    ADDED = "ADDED"
    MODIFIED = "MODIFIED"
    DELETED = "DELETED"


class Change:
    """`entry` is the object after the change; for a deletion its last state, under the deletion's own revision."""

    __slots__ = ("at_s", "entry", "previous", "type")

    def __init__(self, type_: ChangeType, entry: Entry, previous: Entry | None, at_s: float) -> None:
        self.type = type_
        self.entry = entry
        self.previous = previous
        self.at_s = at_s

    def __repr__(self) -> str:
        return f"Change({self.type.value} {self.entry!r})"

    @property
    def revision(self) -> int:
        return self.entry.revision

    @property
    def weight_bytes(self) -> int:
        """What keeping it costs: both states; the newest one is kept anyway, but not for long."""
        return len(self.entry.body) + (len(self.previous.body) if self.previous else 0)
