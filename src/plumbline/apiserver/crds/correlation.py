"""Which old value a new one grew from, so that what did not change can be forgiven."""

from collections.abc import Mapping
from functools import cached_property

from plumbline.apiserver.crds.structural import Node
from plumbline.base.json import Json, encode_sorted
from plumbline.kube.equality import identical


class Correlated:
    """A new value with the old one at the same place; None stands for places that are new."""

    def __init__(self, new: Json, old: Json, node: Node) -> None:
        self.new = new
        self.old = old
        self.node = node
        self._children: dict[str | int, Correlated | None] = {}

    def field(self, name: str) -> "Correlated | None":
        """Of a field that was there before and that the schema describes."""
        if name not in self._children:
            self._children[name] = self._field(name)
        return self._children[name]

    def item(self, index: int) -> "Correlated | None":
        """Of an item of a list that is a map; items of other lists have no identity."""
        if index not in self._children:
            self._children[index] = self._item(index)
        return self._children[index]

    @cached_property
    def unchanged(self) -> bool:
        new, old = self.new, self.old
        if isinstance(new, dict) and isinstance(old, dict):
            return len(new) == len(old) and all(_unchanged(self.field(name)) for name in new)
        if isinstance(new, list) and isinstance(old, list):
            if len(new) != len(old):
                return False
            if not new or self.node.list_type != "map":
                return identical(new, old)
            return all(_unchanged(self.item(index)) for index in range(len(new)))
        return identical(new, old)

    def _field(self, name: str) -> "Correlated | None":
        new, old = self.new, self.old
        if not isinstance(new, dict) or not isinstance(old, dict) or name not in new or name not in old:
            return None
        below = self.node.child(name)
        return None if below is None else Correlated(new[name], old[name], below)

    def _item(self, index: int) -> "Correlated | None":
        if self.node.list_type != "map" or self.node.items is None or not isinstance(self.new, list):
            return None
        item = self.new[index]
        key = key_of(item, self.node.map_keys)
        old = None if key is None else self._old_items.get(key)
        return None if old is None else Correlated(item, old, self.node.items)

    @cached_property
    def _old_items(self) -> Mapping[bytes, Json]:
        return items_by_key(self.old, self.node.map_keys)


def items_by_key(items: Json, keys: tuple[str, ...]) -> Mapping[bytes, Json]:
    """The objects among *items*, by what tells them apart; the first of those that are the same."""
    found: dict[bytes, Json] = {}
    for each in items if isinstance(items, list) else ():
        key = key_of(each, keys)
        if key is not None:
            found.setdefault(key, each)
    return found


def key_of(item: Json, keys: tuple[str, ...]) -> bytes | None:
    """What tells *item* apart; None where a key is missing or is no scalar."""
    if not keys or not isinstance(item, dict):
        return None
    values = [item.get(name) for name in keys]
    if any(each is None or isinstance(each, dict | list) for each in values):
        return None
    return encode_sorted(values)


def _unchanged(correlated: Correlated | None) -> bool:
    return correlated is not None and correlated.unchanged
