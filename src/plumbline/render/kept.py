"""What was found out once and may be asked for again: a store that forgets what was not asked for longest."""

from collections import OrderedDict
from collections.abc import Hashable
from typing import Generic, TypeVar

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")


class Kept(Generic[K, V]):
    """Values by key, within a total weight. A value that is heavier than all may be together is not kept at all."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._weight = 0
        self._values: OrderedDict[K, tuple[V, int]] = OrderedDict()

    def __len__(self) -> int:
        return len(self._values)

    @property
    def weight(self) -> int:
        return self._weight

    def get(self, key: K) -> V | None:
        found = self._values.get(key)
        if found is None:
            return None
        self._values.move_to_end(key)
        return found[0]

    def put(self, key: K, value: V, weight: int = 1) -> None:
        self.drop(key)
        if weight > self._limit:
            return
        self._values[key] = (value, weight)
        self._weight += weight
        while self._weight > self._limit:
            _, (_, lightened) = self._values.popitem(last=False)
            self._weight -= lightened

    def drop(self, key: K) -> None:
        dropped = self._values.pop(key, None)
        if dropped is not None:
            self._weight -= dropped[1]
