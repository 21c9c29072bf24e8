"""Which applications' Git names which objects. What one of them names is not another's to take away, whatever its mark says."""

from typing import TypeAlias

from plumbline.kernel.cache import Key
from plumbline.kube.names import Ref

Place: TypeAlias = tuple[str, Ref]
"""An object of a cluster, which is known by its address."""


class Named:
    def __init__(self) -> None:
        self._places: dict[Key, frozenset[Place]] = {}
        self._by: dict[Place, tuple[Key, ...]] = {}
        self.times_changed = 0
        """As long as it is the same, so is everything that is named."""

    def replace(self, key: Key, places: frozenset[Place]) -> None:
        """What the Git of *key* names now."""
        before = self._places.get(key, frozenset())
        self.times_changed += places != before
        for place in before - places:
            left = tuple(each for each in self._by[place] if each != key)
            if left:
                self._by[place] = left
            else:
                del self._by[place]
        for place in places - before:
            self._by[place] = (*self._by.get(place, ()), key)
        if places:
            self._places[key] = places
        else:
            self._places.pop(key, None)

    def by_another(self, place: Place, key: Key) -> Key | None:
        """Another application than *key* whose Git names the object."""
        return next((each for each in self._by.get(place, ()) if each != key), None)
