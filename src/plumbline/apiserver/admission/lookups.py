"""What plugins may ask about objects other than the one that is written."""

from typing import Final, Protocol

from plumbline.apiserver.resources.resource import Collection
from plumbline.apiserver.storage.entries import Key
from plumbline.apiserver.storage.store import Store
from plumbline.base.json import JsonObject

NAMESPACES: Final = Collection("", "namespaces")


class Lookups(Protocol):
    def get(self, collection: Collection, namespace: str, name: str) -> JsonObject | None:
        """As the next write finds it; an empty namespace for objects of the whole cluster."""

    def objects(self, collection: Collection, namespace: str = "") -> list[JsonObject]:
        """In the order of their names; of all namespaces where none is given."""


class StoredObjects:
    """Straight from the store: of built-in kinds, in the version in which they are stored."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def get(self, collection: Collection, namespace: str, name: str) -> JsonObject | None:
        entry = self._store.head(Key(collection, namespace, name))
        return entry.object() if entry else None

    def objects(self, collection: Collection, namespace: str = "") -> list[JsonObject]:
        return [entry.object() for entry in self._store.shelf(collection).entries(namespace)]
