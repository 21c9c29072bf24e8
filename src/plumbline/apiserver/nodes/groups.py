"""Things by what they belong to, of which nothing is left once they are gone."""

from collections.abc import Hashable, Mapping
from typing import Generic, TypeVar

G = TypeVar("G", bound=Hashable)
K = TypeVar("K", bound=Hashable)
V = TypeVar("V")


class Groups(Generic[G, K, V]):
    def __init__(self) -> None:
        self._members: dict[G, dict[K, V]] = {}

    def __len__(self) -> int:
        return len(self._members)

    def of(self, group: G) -> Mapping[K, V]:
        return self._members.get(group, {})

    def put(self, group: G, key: K, value: V) -> None:
        self._members.setdefault(group, {})[key] = value

    def drop(self, group: G, key: K) -> None:
        members = self._members.get(group)
        if members is not None:
            members.pop(key, None)
            if not members:
                del self._members[group]
