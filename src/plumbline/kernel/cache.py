"""A copy of part of a cluster that holds bytes: of each object its JSON, its metadata, and a hash of what matters.

The rest is decoded when somebody asks for it. A change that leaves the hash as it was is no change to anybody here.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Final, TypeAlias

import msgspec

from plumbline.base.json import JsonObject, decode

Key: TypeAlias = tuple[str, str]
"""Namespace and name, within one collection."""


class Owner(msgspec.Struct, frozen=True, rename="camel", gc=False):
    kind: str = ""
    name: str = ""
    uid: str = ""
    api_version: str = ""
    controller: bool = False


class Meta(msgspec.Struct, frozen=True, rename="camel"):
    name: str = ""
    namespace: str = ""
    uid: str = ""
    resource_version: str = ""
    generation: int = 0
    deletion_timestamp: str = ""
    labels: dict[str, str] = msgspec.field(default_factory=dict)
    annotations: dict[str, str] = msgspec.field(default_factory=dict)
    finalizers: tuple[str, ...] = ()
    owner_references: tuple[Owner, ...] = ()

    @property
    def key(self) -> Key:
        return self.namespace, self.name


class Relevance(msgspec.Struct, frozen=True):
    """Which parts of an object matter to whoever keeps the copy."""

    status: bool = True
    ignored_annotations: frozenset[str] = frozenset()
    content: bool = True
    """False: nothing but metadata is asked for and kept, as of Secrets, whose values are nobody's business. What a write
    changed cannot be seen then, so that every one is a change."""


class Cached(msgspec.Struct, frozen=True):
    raw: bytes
    meta: Meta
    relevant: int
    """Equal for two versions of an object that differ only in what does not matter."""
    status: int = 0
    """Equal for two versions with the same status, whether it matters or not."""

    def object(self) -> JsonObject:
        """The whole object, decoded now: for whoever really looks at it."""
        return decode(self.raw)

    def __repr__(self) -> str:
        """Without the object, which may be a Secret."""
        return f"Cached({self.meta.namespace}/{self.meta.name} at {self.meta.resource_version})"


class _Parts(msgspec.Struct):
    metadata: Meta


_meta: Final = msgspec.json.Decoder(_Parts)
_parts: Final = msgspec.json.Decoder(dict[str, msgspec.Raw])
_IDENTITY: Final = frozenset({"apiVersion", "kind", "metadata"})

Index: TypeAlias = Callable[[Cached], Iterable[str]]


def cached(raw: bytes, relevance: Relevance) -> Cached:
    """*raw* with what the copy needs to know of it. Raises msgspec.DecodeError for what is no object."""
    meta = _meta.decode(raw).metadata
    if not relevance.content:
        return Cached(b"", meta, hash((meta.uid, meta.resource_version)))
    parts = {name: bytes(part) for name, part in _parts.decode(raw).items() if name not in _IDENTITY}
    status = hash(parts.get("status"))
    if not relevance.status:
        parts.pop("status", None)
    # No metadata that changes with every write: resourceVersion, managedFields and generation follow the rest.
    annotations = [item for item in sorted(meta.annotations.items()) if item[0] not in relevance.ignored_annotations]
    lasting = (meta.uid, meta.deletion_timestamp, meta.finalizers, meta.owner_references)
    relevant = hash((tuple(parts.items()), tuple(annotations), tuple(sorted(meta.labels.items())), *lasting))
    return Cached(raw, meta, relevant, status)


class Cache:
    """One collection. Written by its informer only; everybody else reads."""

    def __init__(self, relevance: Relevance | None = None, indexes: Mapping[str, Index] | None = None) -> None:
        self.relevance = relevance or Relevance()
        self._objects: dict[Key, Cached] = {}
        self._indexes = dict(indexes or {})
        self._postings: dict[str, dict[str, set[Key]]] = {name: {} for name in self._indexes}

    def __len__(self) -> int:
        return len(self._objects)

    def __iter__(self) -> Iterator[Cached]:
        return iter(self._objects.values())

    def get(self, key: Key) -> Cached | None:
        return self._objects.get(key)

    def keys(self) -> frozenset[Key]:
        return frozenset(self._objects)

    def indexed(self, index: str, value: str) -> list[Cached]:
        """Objects that *index* files under *value*, in the order of their keys."""
        return [self._objects[key] for key in sorted(self._postings[index].get(value, ()))]

    def put(self, entry: Cached) -> Cached | None:
        """Keep *entry*; returns what it replaces."""
        key = entry.meta.key
        before = self._objects.get(key)
        if before is not None:
            self._unfile(key, before)
        self._objects[key] = entry
        for name, index in self._indexes.items():
            for value in index(entry):
                self._postings[name].setdefault(value, set()).add(key)
        return before

    def drop(self, key: Key) -> Cached | None:
        before = self._objects.pop(key, None)
        if before is not None:
            self._unfile(key, before)
        return before

    def _unfile(self, key: Key, entry: Cached) -> None:
        for name, index in self._indexes.items():
            postings = self._postings[name]
            for value in index(entry):
                keys = postings.get(value)
                if keys is not None:
                    keys.discard(key)
                    if not keys:
                        del postings[value]
