"""Whose keys are looked at: nobody has so many looks under way that none are left for the others.

Who waits outside is stood in for, but there is an end to that. A key of somebody who has all the looks that one may have is
put aside until one of them is over. It is nobody's fault, and nobody is told.
"""

from collections import Counter
from collections.abc import Callable, Hashable
from typing import Generic, TypeVar

from plumbline.kernel.queue import Queue

K = TypeVar("K", bound=Hashable)


class Parties(Generic[K]):
    def __init__(self, queue: Queue[K], party: Callable[[K], str], most: int) -> None:
        """*party* is whose a key is; each may have *most* looks at a time."""
        self._queue = queue
        self._party = party
        self._most = most
        self._looks: Counter[str] = Counter()
        self._looked_at: dict[K, str] = {}
        """Whose it was when its look began."""
        self._aside: dict[str, dict[K, None]] = {}

    def begins(self, key: K) -> bool:
        """Whether *key*, which was taken, is looked at now. If not it is given back, and comes again in its turn."""
        party = self._party(key)
        if self._looks[party] >= self._most:
            self._aside.setdefault(party, {})[key] = None
            self._queue.done(key)
            return False
        self._looks[party] += 1
        self._looked_at[key] = party
        return True

    def ended(self, key: K) -> None:
        """Its look is over: give it back, and let the next one of the same party come."""
        self._queue.done(key)
        party = self._looked_at.pop(key)
        self._looks[party] -= 1
        if not self._looks[party]:
            del self._looks[party]
        aside = self._aside.get(party)
        if aside:
            following = next(iter(aside))
            del aside[following]
            self._queue.add(following)
        elif aside is not None:
            del self._aside[party]
