"""What is known only while this process runs: how patient to be, and which Secret was found to be right."""

from collections.abc import Collection
from typing import Final, NamedTuple

from plumbline.base.ids import Ids
from plumbline.kernel.cache import Cached, Key

_FIRST_S: Final = 1.0
_LONGEST_S: Final = 60.0
_DOUBLINGS: Final = 10


class Version(NamedTuple):
    """One state of one object."""

    uid: str
    resource_version: str

    @classmethod
    def of(cls, entry: Cached) -> "Version":
        return cls(entry.meta.uid, entry.meta.resource_version)


class Memory:
    def __init__(self, ids: Ids) -> None:
        self._ids = ids
        self._failures: dict[Key, int] = {}
        self.right: dict[Key, Version] = {}
        """The Secret of each object as it was when its contents were last found to be what we left there."""
        self.missing: dict[Key, frozenset[str]] = {}
        """What each object asks for and its store does not have: told once."""

    def retry_s(self, key: Key, at_least_s: float = 0.0) -> float:
        """How long to wait after one more failure: longer each time, never long enough to keep people waiting."""
        failures = self._failures.get(key, 0)
        self._failures[key] = failures + 1
        wait_s = self._ids.jitter(min(_FIRST_S * 2 ** min(failures, _DOUBLINGS), _LONGEST_S))
        return max(min(wait_s, _LONGEST_S), at_least_s)

    @property
    def failing(self) -> Collection[Key]:
        return self._failures.keys()

    def forgive(self, key: Key) -> None:
        """Something has changed, or all went well: the next failure is a first one again."""
        self._failures.pop(key, None)

    def forget(self, key: Key) -> None:
        self.forgive(key)
        self.right.pop(key, None)
        self.missing.pop(key, None)
